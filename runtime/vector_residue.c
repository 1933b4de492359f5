/* Remainders of several doubles at once, for vector code of generated C (vector.h), and of one: to the bit what scalar.h's
   tl_fmod_f64 gives, which is called for lanes whose quotient is very large or no number, and for all where there is no fma. The
   versions are named as those of vector_pow.c are; programs for processors without vectors that have it ask here whether this one
   has it. */
#define TL_DEFINES_VECTORS
#include "runtime/vector.h"

#if defined(TL_HAS_OWN_VECTORS)

#include <immintrin.h>

#include "runtime/scalar.h"

#pragma GCC optimize("O3,no-trapping-math,fp-contract=off")

#define EXPORTED __attribute__((visibility("default"))) /* by what the ABI calls them */

/* ---- without fma ----------------------------------------------------------------------------- */

EXPORTED __m128d _ZGVbN2vv_tl_residue(__m128d x, __m128d y);
EXPORTED __attribute__((target("avx"))) __m256d _ZGVcN4vv_tl_residue(__m256d x, __m256d y);

__m128d _ZGVbN2vv_tl_residue(__m128d x, __m128d y)
{
    return (__m128d){tl_residue(x[0], y[0]), tl_residue(x[1], y[1])};
}

__attribute__((target("avx"))) __m256d _ZGVcN4vv_tl_residue(__m256d x, __m256d y)
{
    return (__m256d){tl_residue(x[0], y[0]), tl_residue(x[1], y[1]), tl_residue(x[2], y[2]),
                     tl_residue(x[3], y[3])};
}

/* ---- with it --------------------------------------------------------------------------------- */

static const uint64_t sign = 1ull << 63;

#define LANES 4
#define Doubles __m256d
#define Bits Bits4
#define TARGET __attribute__((target("avx2,fma")))
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define FLOOR(x) _mm256_floor_pd(x)
#define NONE(bits) _mm256_testz_si256((__m256i)(bits), (__m256i)(bits))
#define NAMED(name) name##dN4vv_tl_residue
typedef uint64_t Bits4 __attribute__((vector_size(32)));
#include "runtime/vector_residue.inc"

static TARGET double single(double x, double y)
{
    Bits far;
    const Doubles near = NAMED(residue)((Doubles){x, x, x, x}, (Doubles){y, y, y, y}, &far);
    return far[0] ? tl_fmod_f64(x, y) : near[0];
}

double tl_residue(double x, double y)
{
    const int quick = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return quick ? single(x, y) : tl_fmod_f64(x, y);
}

#undef LANES
#undef Doubles
#undef Bits
#undef TARGET
#undef FMA
#undef FLOOR
#undef NONE
#undef NAMED

#define LANES 8
#define Doubles __m512d
#define Bits Bits8
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define FLOOR(x) _mm512_floor_pd(x)
#define NONE(bits) (_mm512_test_epi64_mask((__m512i)(bits), (__m512i)(bits)) == 0)
#define NAMED(name) name##eN8vv_tl_residue
typedef uint64_t Bits8 __attribute__((vector_size(64)));
#include "runtime/vector_residue.inc"

#endif
