/* What lets C compilers make vector code of generated sequential C; included before scalar.h.

   glibc has vector versions of mathematical functions (libmvec, which -lm links where it is asked
   for), of at most 4 ulp (sin, cos and tan come nearest to that; exp 3; the others less), and the
   usual results for infinities and NaN; of -0 sin and its like give 0. Its own header declares
   them only for -ffast-math, since the scalar functions are better than that. tailor promises no
   more of them than OpenCL does, which is 4 ulp and more, and so declares them here: a loop that
   calls sin becomes one that calls it for several elements at a time. Its pow is not declared: whole
   powers of whole numbers have to be exact, as those of tl_power are (vector_pow.c); remainders of
   reals, which it has not, are tl_residue's (vector_residue.c).

   Elsewhere (Clang, other processors, other libraries) this file declares nothing, and loops with
   such calls are not vectorised. */
#ifndef RUNTIME_VECTOR_H
#define RUNTIME_VECTOR_H

#include <math.h>
#include <stdint.h>

#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* where nobody asked for -fopenmp-simd */

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__LP64__) &&        \
    defined(__GLIBC__)

#define TL_VECTOR_FUNCTION(name)                                                                   \
    extern double name(double) __attribute__((simd("notinbranch")));                               \
    extern float name##f(float) __attribute__((simd("notinbranch")));

#if !defined(TL_NO_OWN_VECTORS) /* of a library that Clang has compiled, which has none */
#define TL_HAS_OWN_VECTORS
#if !defined(TL_DEFINES_VECTORS) /* or GCC would make its vector versions there */
extern double tl_power(double x, double y) __attribute__((simd("notinbranch"), const));
extern double tl_residue(double x, double y) __attribute__((simd("notinbranch"), const));
#else
extern double tl_power(double x, double y);
extern double tl_residue(double x, double y);
#endif
#endif

#if __GLIBC_PREREQ(2, 22)
TL_VECTOR_FUNCTION(sin)
TL_VECTOR_FUNCTION(cos)
TL_VECTOR_FUNCTION(exp)
TL_VECTOR_FUNCTION(log)
#endif
#if __GLIBC_PREREQ(2, 35)
TL_VECTOR_FUNCTION(tan)
TL_VECTOR_FUNCTION(asin)
TL_VECTOR_FUNCTION(acos)
TL_VECTOR_FUNCTION(atan)
TL_VECTOR_FUNCTION(sinh)
TL_VECTOR_FUNCTION(cosh)
TL_VECTOR_FUNCTION(tanh)
TL_VECTOR_FUNCTION(asinh)
TL_VECTOR_FUNCTION(acosh)
TL_VECTOR_FUNCTION(atanh)
#endif

#endif

/* x, of which the compiler knows no more than that it is a number: see backend/emit/commands.c. */
static inline int64_t tl_hidden(int64_t x)
{
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
#endif
    return x;
}

/* Behind a loop that makes several numbers: the compiler does not see what becomes of x. GCC 12 makes wrong vectors of
   such loops where something is added to the numbers behind them (tests/run/few_sums.core). */
#if !defined(__GNUC__) || defined(__clang__)
#define TL_SETTLE(x) ((void)(x))
#elif defined(__x86_64__)
#define TL_SETTLE(x) __asm__("" : "+rxm"(x))
#else
#define TL_SETTLE(x) __asm__("" : "+g"(x))
#endif

/* x, rounded once. AVX2 has no vectors of that: there the halves of x are the last bits of 2^84 + 2^63 and of 2^52, whose
   difference from what the two are together is exact. */
static inline double tl_real(int64_t x)
{
#if defined(__AVX2__) && !defined(__AVX512DQ__)
    const uint64_t high = ((uint64_t)x >> 32) ^ 0x4530000080000000u;
    const uint64_t low = ((uint64_t)x & 0xffffffffu) | 0x4330000000000000u;
    double upper, lower;
    __builtin_memcpy(&upper, &high, sizeof upper);
    __builtin_memcpy(&lower, &low, sizeof lower);
    return upper - (0x1p84 + 0x1p63 + 0x1p52) + lower;
#else
    return (double)x;
#endif
}

/* Sums and products of integers in any order, which wrap as tl_add and tl_mul do:
   #pragma omp simd reduction(tl_sum : x). */
#pragma omp declare reduction(tl_sum:int32_t                                                       \
                              : omp_out = (int32_t)((uint32_t)omp_out + (uint32_t)omp_in))         \
    initializer(omp_priv = 0)
#pragma omp declare reduction(tl_sum:int64_t                                                       \
                              : omp_out = (int64_t)((uint64_t)omp_out + (uint64_t)omp_in))         \
    initializer(omp_priv = 0)
#pragma omp declare reduction(tl_product:int32_t                                                   \
                              : omp_out = (int32_t)((uint32_t)omp_out * (uint32_t)omp_in))         \
    initializer(omp_priv = 1)
#pragma omp declare reduction(tl_product:int64_t                                                   \
                              : omp_out = (int64_t)((uint64_t)omp_out * (uint64_t)omp_in))         \
    initializer(omp_priv = 1)

/* Least and greatest reals: #pragma omp simd reduction(TL_LEAST : x). Lanes of Clang's own begin with the greatest real
   that is finite, which is less than what they all have where that is infinite. */
#if defined(__clang__)
#define TL_LEAST tl_least
#define TL_GREATEST tl_greatest
#pragma omp declare reduction(tl_least                                                             \
                              : float, double                                                      \
                              : omp_out = omp_in < omp_out ? omp_in : omp_out)                     \
    initializer(omp_priv = INFINITY)
#pragma omp declare reduction(tl_greatest                                                          \
                              : float, double                                                      \
                              : omp_out = omp_in > omp_out ? omp_in : omp_out)                     \
    initializer(omp_priv = -INFINITY)
#else
#define TL_LEAST min
#define TL_GREATEST max
#endif

/* The floor of x / y, and x - y * that, for |x| < 2^51 and 1 <= y <= 2^49; tl_near_...: for x >=
   0, where it is rounded towards 0. backend/sequential/quotients.c says why doubles
   are exact enough. */
#if defined(__AVX512DQ__) || defined(__aarch64__)
static inline int64_t tl_quotient(int64_t x, int64_t y)
{
    const double quotient = ((double)x + 0.5) * (1.0 / (double)y);
    const int64_t near = (int64_t)quotient; /* floor() would be one scalar operation with this */
    return near - ((double)near > quotient);
}
static inline int64_t tl_near_quotient(int64_t x, int64_t y)
{
    return (int64_t)(((double)x + 0.5) * (1.0 / (double)y));
}
static inline int64_t tl_remainder(int64_t x, int64_t y)
{
    return x - y * tl_quotient(x, y);
}
static inline int64_t tl_near_remainder(int64_t x, int64_t y)
{
    return x - y * tl_near_quotient(x, y);
}
#elif defined(__AVX2__)
/* x, of up to 2^51 and no less than -2^51, which is the last bits of 1.5 * 2^52 + x: what AVX2 has of vectors. */
static inline double tl_near_real(int64_t x)
{
    const uint64_t bits = (uint64_t)x + 0x4338000000000000u;
    double shifted;
    __builtin_memcpy(&shifted, &bits, sizeof shifted);
    return shifted - 0x1.8p52;
}
static inline int64_t tl_near_integer(double x)
{
    const double shifted = x + 0x1.8p52;
    uint64_t bits;
    __builtin_memcpy(&bits, &shifted, sizeof bits);
    return (int64_t)(bits - 0x4338000000000000u);
}
static inline double tl_near_floor(double x, double y)
{
    return __builtin_floor((x + 0.5) * (1.0 / y));
}
static inline int64_t tl_quotient(int64_t x, int64_t y)
{
    return tl_near_integer(tl_near_floor(tl_near_real(x), tl_near_real(y)));
}
static inline int64_t tl_remainder(int64_t x, int64_t y) /* the product is exact, too */
{
    const double dividend = tl_near_real(x), divisor = tl_near_real(y);
    return tl_near_integer(dividend - divisor * tl_near_floor(dividend, divisor));
}
#define tl_near_quotient tl_quotient
#define tl_near_remainder tl_remainder
/* x without what is behind its point, if that is near; else *far is set. */
#define TL_HAS_NEAR_INTEGERS
static inline int64_t tl_near_i64_of_f64(double x, int64_t *far)
{
    *far |= !(__builtin_fabs(x) <= 0x1p51);
    return tl_near_integer(__builtin_trunc(x));
}
#define tl_near_i64_of_f32 tl_near_i64_of_f64
#else /* no vectors of 64-bit integers from doubles */
static inline int64_t tl_quotient(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}
static inline int64_t tl_near_quotient(int64_t x, int64_t y)
{
    return x / y;
}
static inline int64_t tl_remainder(int64_t x, int64_t y)
{
    return x - y * tl_quotient(x, y);
}
static inline int64_t tl_near_remainder(int64_t x, int64_t y)
{
    return x % y;
}
#endif

#if !defined(TL_HAS_NEAR_INTEGERS)
#define tl_near_i64_of_f64(x, far) tl_i64_of_f64(x)
#define tl_near_i64_of_f32(x, far) tl_i64_of_f32(x)
#endif

#endif
