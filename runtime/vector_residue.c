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
#define NAMED(name) name##dN4vv_tl_residue
#include "runtime/vector_lanes.inc"
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
#undef NAMED

#define LANES 8
#define NAMED(name) name##eN8vv_tl_residue
#include "runtime/vector_lanes.inc"
#include "runtime/vector_residue.inc"

#endif
