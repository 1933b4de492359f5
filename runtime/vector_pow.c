/* Powers of several doubles at once, for vector code of generated C (vector.h): right to one unit in the last place, and
   those that doubles have exactly are exact, as pow's are. libmvec's power is neither.

   The versions have the names and ways to pass arguments of the x86-64 vector function ABI, which GCC calls for a function
   that is declared simd: b for two lanes of SSE2, c for four of AVX, which have no fma and so call pow, d for four of AVX2,
   e for eight of AVX512. Lanes whose base is not a positive normal number, or whose exponent is very large, are pow's. */
#define TL_DEFINES_VECTORS
#include "runtime/vector.h"

#if defined(TL_HAS_OWN_VECTORS)

#include <immintrin.h>

#pragma GCC optimize("O3,no-trapping-math,fp-contract=off")

#define EXPORTED __attribute__((visibility("default"))) /* by what the ABI calls them */

double tl_power(double x, double y)
{
    return pow(x, y);
}

/* ---- without fma ----------------------------------------------------------------------------- */

EXPORTED __m128d _ZGVbN2vv_tl_power(__m128d x, __m128d y);
EXPORTED __attribute__((target("avx"))) __m256d _ZGVcN4vv_tl_power(__m256d x, __m256d y);

__m128d _ZGVbN2vv_tl_power(__m128d x, __m128d y)
{
    return (__m128d){pow(x[0], y[0]), pow(x[1], y[1])};
}

__attribute__((target("avx"))) __m256d _ZGVcN4vv_tl_power(__m256d x, __m256d y)
{
    return (__m256d){pow(x[0], y[0]), pow(x[1], y[1]), pow(x[2], y[2]), pow(x[3], y[3])};
}

/* ---- with it --------------------------------------------------------------------------------- */

/* p of e^r = 1 + r + p * r * r, by Taylor, for |r| <= log 2 / 2 */
static const double exp_factors[12] = {0.5,
                                       0x1.5555555555555p-3,
                                       0x1.5555555555555p-5,
                                       0x1.1111111111111p-7,
                                       0x1.6c16c16c16c17p-10,
                                       0x1.a01a01a01a01ap-13,
                                       0x1.a01a01a01a01ap-16,
                                       0x1.71de3a556c734p-19,
                                       0x1.27e4fb7789f5cp-22,
                                       0x1.ae64567f544e4p-26,
                                       0x1.1eed8eff8d898p-29,
                                       0x1.6124613a86d09p-33};
/* of 2 * atanh s / s, from s^4 on */
static const double atanh_factors[12] = {2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13, 2.0 / 15,
                                         2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25, 0};

static const uint64_t half_root = 0x3fe6a09e667f3bcdu; /* the bits of the root of a half */
static const uint64_t sign = 1ull << 63;

#define LANES 4
#define NAMED(name) name##dN4vv_tl_power
#include "runtime/vector_lanes.inc"
#include "runtime/vector_pow.inc"
#undef LANES
#undef NAMED

#define LANES 8
#define NAMED(name) name##eN8vv_tl_power
#include "runtime/vector_lanes.inc"
#include "runtime/vector_pow.inc"

#endif
