/* Scalar operations: what every operator of core/operators.def computes, once, for all backends.

   The file is written in the common subset of C11 and OpenCL C 1.2. The interpreter includes it,
   generated C includes it, and generated OpenCL programs carry its text before their kernels, so
   that the three agree by construction. For each operator and each type that it takes there is a
   function with the operator's name in lower case and the type's:

       tl_add_i64(x, y)   tl_mod_f64(x, y)   tl_eq_char(x, y)   tl_not_bool(x)   tl_fact_f32(x)

   and for conversions tl_TO_of_FROM: tl_i64_of_f64(x) truncates and saturates. RANDOM is in
   random.h.

   Integers are two's complement and wrap (computed in unsigned arithmetic, since signed overflow is
   undefined in both languages); reals are IEEE, and never contracted: the program that includes
   this is compiled with -ffp-contract=off, in OpenCL a pragma says so. Nothing traps.

   On devices without 64-bit reals define TL_NO_F64 before it. */
#ifndef RUNTIME_SCALAR_H
#define RUNTIME_SCALAR_H

#ifdef __OPENCL_VERSION__
#ifndef TL_NO_F64
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef double tl_f64;
#endif
#pragma OPENCL FP_CONTRACT OFF
typedef uchar tl_bool;
typedef uint tl_char;
typedef int tl_i32;
typedef long tl_i64;
typedef float tl_f32;
typedef uint tl_u32;
typedef ulong tl_u64;
#define TL_CALL_f32(function) function
#else
#include <math.h>
#include <stdint.h>
typedef uint8_t tl_bool;
typedef uint32_t tl_char;
typedef int32_t tl_i32;
typedef int64_t tl_i64;
typedef float tl_f32;
typedef double tl_f64;
typedef uint32_t tl_u32;
typedef uint64_t tl_u64;
#define TL_CALL_f32(function) function##f
#endif
#define TL_CALL_f64(function) function
#define TL_POWER_f32 TL_CALL_f32(pow)
#if defined(TL_HAS_OWN_VECTORS)
#define TL_POWER_f64 tl_power
#define TL_RESIDUE_f64 tl_residue
#else
#define TL_POWER_f64 pow
#define TL_RESIDUE_f64 tl_quick_mod_f64
#endif

/* LLVM has no vectors of PoCL's own, whose names are macros. */
#if defined(TL_ON_PROCESSOR) && defined(TL_IS_POCL)
#define TL_FLOOR_f32 __builtin_floorf
#define TL_FLOOR_f64 __builtin_floor
#define TL_CEIL_f32 __builtin_ceilf
#define TL_CEIL_f64 __builtin_ceil
#define TL_TRUNC_f32 __builtin_truncf
#define TL_TRUNC_f64 __builtin_trunc
#else
#define TL_FLOOR_f32 TL_CALL_f32(floor)
#define TL_FLOOR_f64 floor
#define TL_CEIL_f32 TL_CALL_f32(ceil)
#define TL_CEIL_f64 ceil
#define TL_TRUNC_f32 TL_CALL_f32(trunc)
#define TL_TRUNC_f64 trunc
#endif

#define TL_INLINE static inline

/* Of a condition that holds nearly always: a branch is quicker than several choices. */
#if defined(__GNUC__) && !defined(__OPENCL_VERSION__)
#define TL_USUALLY(condition) __builtin_expect(condition, 1)
#else
#define TL_USUALLY(condition) (condition)
#endif

/* ---- comparisons, for every type ----------------------------------------------------------- */

#define TL_COMPARISONS(T)                                                                          \
    TL_INLINE tl_bool tl_eq_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return (tl_bool)(x == y);                                                                  \
    }                                                                                              \
    TL_INLINE tl_bool tl_ne_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return (tl_bool)(x != y);                                                                  \
    }                                                                                              \
    TL_INLINE tl_bool tl_lt_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return (tl_bool)(x < y);                                                                   \
    }                                                                                              \
    TL_INLINE tl_bool tl_le_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return (tl_bool)(x <= y);                                                                  \
    }                                                                                              \
    TL_INLINE tl_bool tl_gt_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return (tl_bool)(x > y);                                                                   \
    }                                                                                              \
    TL_INLINE tl_bool tl_ge_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return (tl_bool)(x >= y);                                                                  \
    }

TL_COMPARISONS(bool)
TL_COMPARISONS(char)
TL_COMPARISONS(i32)
TL_COMPARISONS(i64)
TL_COMPARISONS(f32)
#ifndef TL_NO_F64
TL_COMPARISONS(f64)
#endif

/* ---- bool ---------------------------------------------------------------------------------- */

TL_INLINE tl_bool tl_and_bool(tl_bool x, tl_bool y)
{
    return (tl_bool)(x & y);
}
TL_INLINE tl_bool tl_or_bool(tl_bool x, tl_bool y)
{
    return (tl_bool)(x | y);
}
TL_INLINE tl_bool tl_xor_bool(tl_bool x, tl_bool y)
{
    return (tl_bool)(x ^ y);
}
TL_INLINE tl_bool tl_not_bool(tl_bool x)
{
    return (tl_bool)!x;
}

/* ---- integers ------------------------------------------------------------------------------ */

/* Most divisions on GPUs are of small numbers, and of 32 bits they are several times faster. OpenCL has its own absolute
   value, which compilers of kernels know best. */
#ifdef __OPENCL_VERSION__
#define TL_IS_SMALL(BITS, x, y) (BITS == 64 && (((ulong)(x) | (ulong)(y)) >> 32) == 0)
#define TL_IS_POWER(y) 0
#define TL_LOG2(y) 0
#define TL_SMALL(x) ((uint)(x))
#define TL_ABS(I, x) ((tl_##I)abs(x))
#else
#define TL_IS_SMALL(BITS, x, y) 0
/* A constant power of 2: quotients by it are shifts, down for negative numbers, too, which C's own are not. */
#define TL_IS_POWER(y) (__builtin_constant_p(y) && (y) > 0 && ((y) & ((y)-1)) == 0)
#define TL_LOG2(y) __builtin_ctzll((unsigned long long)(y))
#define TL_SMALL(x) (x)
#define TL_ABS(I, x) ((x) < 0 ? tl_neg_##I(x) : (x))
#endif

/* I the integer type, U its unsigned twin, BITS its width. */
#define TL_INTEGERS(I, U, BITS)                                                                    \
    TL_INLINE tl_##I tl_add_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return (tl_##I)((tl_##U)x + (tl_##U)y);                                                    \
    }                                                                                              \
    TL_INLINE tl_##I tl_sub_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return (tl_##I)((tl_##U)x - (tl_##U)y);                                                    \
    }                                                                                              \
    TL_INLINE tl_##I tl_mul_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return (tl_##I)((tl_##U)x * (tl_##U)y);                                                    \
    }                                                                                              \
    TL_INLINE tl_##I tl_neg_##I(tl_##I x)                                                          \
    {                                                                                              \
        return (tl_##I)((tl_##U)0 - (tl_##U)x);                                                    \
    }                                                                                              \
    TL_INLINE tl_##I tl_abs_##I(tl_##I x)                                                          \
    {                                                                                              \
        return TL_ABS(I, x);                                                                       \
    }                                                                                              \
    TL_INLINE tl_##I tl_sign_##I(tl_##I x)                                                         \
    {                                                                                              \
        return (tl_##I)((x > 0) - (x < 0));                                                        \
    }                                                                                              \
    TL_INLINE tl_##I tl_max_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return x > y ? x : y;                                                                      \
    }                                                                                              \
    TL_INLINE tl_##I tl_min_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return x < y ? x : y;                                                                      \
    }                                                                                              \
    TL_INLINE tl_##I tl_and_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return x & y;                                                                              \
    }                                                                                              \
    TL_INLINE tl_##I tl_or_##I(tl_##I x, tl_##I y)                                                 \
    {                                                                                              \
        return x | y;                                                                              \
    }                                                                                              \
    TL_INLINE tl_##I tl_xor_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return x ^ y;                                                                              \
    }                                                                                              \
    TL_INLINE tl_##I tl_not_##I(tl_##I x)                                                          \
    {                                                                                              \
        return ~x;                                                                                 \
    }                                                                                              \
    /* floor of the quotient; 0 where the divisor is 0 */                                          \
    TL_INLINE tl_##I tl_div_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        if (y == 0) {                                                                              \
            return 0;                                                                              \
        }                                                                                          \
        if (TL_IS_POWER(y)) {                                                                      \
            return (tl_##I)(x >> TL_LOG2(y));                                                      \
        }                                                                                          \
        if (TL_IS_SMALL(BITS, x, y)) {                                                             \
            return (tl_##I)(TL_SMALL(x) / TL_SMALL(y));                                            \
        }                                                                                          \
        if (y == -1) {                                                                             \
            return tl_neg_##I(x);                                                                  \
        }                                                                                          \
        return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);                                 \
    }                                                                                              \
    /* x - y*floor(x/y); x where y is 0 */                                                         \
    TL_INLINE tl_##I tl_mod_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        tl_##I rest;                                                                               \
        if (y == 0) {                                                                              \
            return x;                                                                              \
        }                                                                                          \
        if (TL_IS_POWER(y)) {                                                                      \
            return (tl_##I)(x & (y - 1));                                                          \
        }                                                                                          \
        if (TL_IS_SMALL(BITS, x, y)) {                                                             \
            return (tl_##I)(TL_SMALL(x) % TL_SMALL(y));                                            \
        }                                                                                          \
        if (y == -1) {                                                                             \
            return 0;                                                                              \
        }                                                                                          \
        rest = x % y;                                                                              \
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;                               \
    }                                                                                              \
    TL_INLINE tl_##I tl_gcd_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        tl_##U a = (tl_##U)tl_abs_##I(x), b = (tl_##U)tl_abs_##I(y);                               \
        while (b != 0) {                                                                           \
            tl_##U rest = a % b;                                                                   \
            a = b;                                                                                 \
            b = rest;                                                                              \
        }                                                                                          \
        return (tl_##I)a;                                                                          \
    }                                                                                              \
    TL_INLINE tl_##I tl_lcm_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return x == 0 || y == 0 ? 0 : tl_mul_##I(x, y / tl_gcd_##I(x, y));                         \
    }                                                                                              \
    TL_INLINE tl_##I tl_shl_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return y < 0 || y >= BITS ? 0 : (tl_##I)((tl_##U)x << y);                                  \
    }                                                                                              \
    TL_INLINE tl_##I tl_shr_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return y < 0 || y >= BITS ? 0 : (tl_##I)((tl_##U)x >> y);                                  \
    }                                                                                              \
    TL_INLINE tl_##I tl_sar_##I(tl_##I x, tl_##I y)                                                \
    {                                                                                              \
        return x >> (y < 0 ? 0 : y >= BITS ? BITS - 1 : y);                                        \
    }

TL_INTEGERS(i32, u32, 32)
TL_INTEGERS(i64, u64, 64)

/* ---- reals --------------------------------------------------------------------------------- */

#define TL_BITS(T, I)                                                                              \
    TL_INLINE tl_##I tl_bits_##T(tl_##T x)                                                         \
    {                                                                                              \
        union {                                                                                    \
            tl_##T real;                                                                           \
            tl_##I bits;                                                                           \
        } both;                                                                                    \
        both.real = x;                                                                             \
        return both.bits;                                                                          \
    }                                                                                              \
    TL_INLINE tl_##T tl_unless_nan_##T(tl_##T x, tl_##T y)                                         \
    {                                                                                              \
        TL_UNLESS_NAN(T, I)                                                                        \
    }

/* x, or y where x is a NaN. GCC 12 makes a branch of a choice, and no vectors then of what is compared with it. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPENCL_VERSION__)
#define TL_UNLESS_NAN(T, I)                                                                        \
    union {                                                                                        \
        tl_##T real;                                                                               \
        tl_##I bits;                                                                               \
    } both;                                                                                        \
    const tl_##I is_nan = -(tl_##I)(x != x);                                                       \
    both.bits = (tl_bits_##T(y) & is_nan) | (tl_bits_##T(x) & ~is_nan);                            \
    return both.real;
#else
#define TL_UNLESS_NAN(T, I) return x == x ? x : y;
#endif

TL_BITS(f32, i32)
#ifndef TL_NO_F64
TL_BITS(f64, i64)
#endif

#define TL_REAL_FUNCTION(T, name, function)                                                        \
    TL_INLINE tl_##T tl_##name##_##T(tl_##T x)                                                     \
    {                                                                                              \
        return TL_CALL_##T(function)(x);                                                           \
    }

#define TL_REAL_FUNCTIONS(T)                                                                       \
    TL_REAL_FUNCTION(T, abs, fabs)                                                                 \
    TL_REAL_FUNCTION(T, exp, exp)                                                                  \
    TL_REAL_FUNCTION(T, log, log)                                                                  \
    TL_REAL_FUNCTION(T, sqrt, sqrt)                                                                \
    TL_REAL_FUNCTION(T, sin, sin)                                                                  \
    TL_REAL_FUNCTION(T, cos, cos)                                                                  \
    TL_REAL_FUNCTION(T, tan, tan)                                                                  \
    TL_REAL_FUNCTION(T, asin, asin)                                                                \
    TL_REAL_FUNCTION(T, acos, acos)                                                                \
    TL_REAL_FUNCTION(T, atan, atan)                                                                \
    TL_REAL_FUNCTION(T, sinh, sinh)                                                                \
    TL_REAL_FUNCTION(T, cosh, cosh)                                                                \
    TL_REAL_FUNCTION(T, tanh, tanh)                                                                \
    TL_REAL_FUNCTION(T, asinh, asinh)                                                              \
    TL_REAL_FUNCTION(T, acosh, acosh)                                                              \
    TL_REAL_FUNCTION(T, atanh, atanh)

#define TL_REALS(T)                                                                                \
    TL_INLINE tl_##T tl_floor_##T(tl_##T x)                                                        \
    {                                                                                              \
        return TL_FLOOR_##T(x);                                                                    \
    }                                                                                              \
    TL_INLINE tl_##T tl_ceil_##T(tl_##T x)                                                         \
    {                                                                                              \
        return TL_CEIL_##T(x);                                                                     \
    }                                                                                              \
    /* x as an i64, which saturates, as a real again: -0 + 0 is 0, as nan is */                    \
    TL_INLINE tl_##T tl_via_i64_##T(tl_##T x)                                                      \
    {                                                                                              \
        const tl_##T most = 9223372036854775808.0f;                                                \
        const tl_##T far = x > 0 ? most : x < 0 ? -most : 0;                                       \
        return x > -most && x < most ? TL_TRUNC_##T(x) + 0 : far;                                  \
    }                                                                                              \
    TL_INLINE tl_##T tl_add_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return x + y;                                                                              \
    }                                                                                              \
    TL_INLINE tl_##T tl_sub_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return x - y;                                                                              \
    }                                                                                              \
    TL_INLINE tl_##T tl_mul_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return x * y;                                                                              \
    }                                                                                              \
    TL_INLINE tl_##T tl_div_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return x / y;                                                                              \
    }                                                                                              \
    TL_INLINE tl_##T tl_neg_##T(tl_##T x)                                                          \
    {                                                                                              \
        return -x;                                                                                 \
    }                                                                                              \
    TL_INLINE tl_##T tl_max_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return x > y ? x : y;                                                                      \
    }                                                                                              \
    TL_INLINE tl_##T tl_min_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return x < y ? x : y;                                                                      \
    }                                                                                              \
    TL_INLINE tl_##T tl_sign_##T(tl_##T x)                                                         \
    {                                                                                              \
        return (tl_##T)((x > 0) - (x < 0));                                                        \
    }                                                                                              \
    TL_INLINE tl_##T tl_pow_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return TL_POWER_##T(x, y);                                                                 \
    }                                                                                              \
    /* the angle of the point (y, x), from -pi to pi */                                            \
    TL_INLINE tl_##T tl_atan2_##T(tl_##T x, tl_##T y)                                              \
    {                                                                                              \
        return TL_CALL_##T(atan2)(x, y);                                                           \
    }                                                                                              \
    /* The root of x*x + y*y: as it is written where nothing overflows or vanishes, so that */     \
    /* the long side of a right triangle with whole sides is a whole number. */                    \
    TL_INLINE tl_##T tl_hypot_##T(tl_##T x, tl_##T y)                                              \
    {                                                                                              \
        tl_##T square = x * x + y * y, large, small;                                               \
        if (square > 1e-30f && square < 1e30f) {                                                   \
            return TL_CALL_##T(sqrt)(square);                                                      \
        }                                                                                          \
        x = TL_CALL_##T(fabs)(x);                                                                  \
        y = TL_CALL_##T(fabs)(y);                                                                  \
        large = x > y ? x : y;                                                                     \
        small = x > y ? y : x;                                                                     \
        if (large == 0 || x - x != 0 || y - y != 0) { /* nothing to scale by */                    \
            return x + y;                                                                          \
        }                                                                                          \
        return large * TL_CALL_##T(sqrt)(1 + (small / large) * (small / large));                   \
    }                                                                                              \
    /* x - y*floor(x/y), by the exact fmod; x where y is 0 */                                      \
    TL_INLINE tl_##T tl_fmod_##T(tl_##T x, tl_##T y)                                               \
    {                                                                                              \
        tl_##T rest;                                                                               \
        if (y == 0) {                                                                              \
            return x;                                                                              \
        }                                                                                          \
        rest = TL_CALL_##T(fmod)(x, y);                                                            \
        if (rest == 0) {                                                                           \
            return 0;                                                                              \
        }                                                                                          \
        return (rest < 0) != (y < 0) ? rest + y : rest;                                            \
    }                                                                                              \
    /* The same of a constant power of two, from 2^-30 to 2^30: nothing is rounded but the */      \
    /* difference, unless the quotient is too small, where x < 0 may stay as it is, or infinite */ \
    TL_INLINE tl_##T tl_mod_power_##T(tl_##T x, tl_##T y)                                          \
    {                                                                                              \
        tl_##T rest = x - y * TL_FLOOR_##T(x * (1 / y));                                           \
        if (y > 1) {                                                                               \
            rest = rest < 0 ? rest + y : rest;                                                     \
        }                                                                                          \
        if (y < 1) { /* what is large is a multiple; infinite, it has no remainder */              \
            rest = TL_CALL_##T(fabs)(x) < 18446744073709551616.0f ? rest : x - x;                  \
        }                                                                                          \
        return rest;                                                                               \
    }                                                                                              \
    /* Euclid's rule; nan where an operand is nan, or where it meets an infinite remainder */      \
    TL_INLINE tl_##T tl_gcd_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        tl_##T a = TL_CALL_##T(fabs)(x), b = TL_CALL_##T(fabs)(y);                                 \
        while (b > 0) {                                                                            \
            tl_##T rest = TL_CALL_##T(fmod)(a, b);                                                 \
            a = b;                                                                                 \
            b = rest;                                                                              \
        }                                                                                          \
        return b == 0 ? a : b;                                                                     \
    }                                                                                              \
    TL_INLINE tl_##T tl_lcm_##T(tl_##T x, tl_##T y)                                                \
    {                                                                                              \
        return x == 0 || y == 0 ? 0 : x * (y / tl_gcd_##T(x, y));                                  \
    }                                                                                              \
    TL_INLINE int tl_is_whole_##T(tl_##T x)                                                        \
    {                                                                                              \
        return TL_CALL_##T(floor)(x) == x;                                                         \
    }                                                                                              \
    /* gamma(x+1); for whole numbers the product, which is exact as long as it fits */             \
    TL_INLINE tl_##T tl_fact_##T(tl_##T x)                                                         \
    {                                                                                              \
        if (x >= 0 && x <= 170 && tl_is_whole_##T(x)) {                                            \
            tl_##T product = 1, i;                                                                 \
            for (i = 2; i <= x; i += 1) {                                                          \
                product *= i;                                                                      \
            }                                                                                      \
            return product;                                                                        \
        }                                                                                          \
        if (x < -1 && tl_is_whole_##T(x)) {                                                        \
            return (tl_##T)NAN;                                                                    \
        }                                                                                          \
        return TL_CALL_##T(tgamma)(x + 1);                                                         \
    }                                                                                              \
    /* The sign of gamma(x), x not a pole */                                                       \
    TL_INLINE tl_##T tl_gamma_sign_##T(tl_##T x)                                                   \
    {                                                                                              \
        tl_##T below = TL_CALL_##T(floor)(x);                                                      \
        return x < 0 && !tl_is_whole_##T(below / 2) ? (tl_##T) - 1 : (tl_##T)1;                    \
    }                                                                                              \
    /* (n over k) for whole k >= 0 and any n: the product of (n-k+i)/i, i = 1..k, whole and */     \
    /* exact at every step where n is whole and the result is small */                             \
    TL_INLINE tl_##T tl_binom_product_##T(tl_##T k, tl_##T n)                                      \
    {                                                                                              \
        tl_##T product = 1, i;                                                                     \
        for (i = 1; i <= k; i += 1) {                                                              \
            product = product * (n - k + i) / i;                                                   \
        }                                                                                          \
        return product;                                                                            \
    }                                                                                              \
    TL_INLINE tl_##T tl_binom_gamma_##T(tl_##T k, tl_##T n)                                        \
    {                                                                                              \
        tl_##T sign =                                                                              \
            tl_gamma_sign_##T(n + 1) * tl_gamma_sign_##T(k + 1) * tl_gamma_sign_##T(n - k + 1);    \
        return sign * TL_CALL_##T(exp)(TL_CALL_##T(lgamma)(n + 1) - TL_CALL_##T(lgamma)(k + 1) -   \
                                       TL_CALL_##T(lgamma)(n - k + 1));                            \
    }                                                                                              \
    /* (n over k) for whole k >= 0: exact where that takes a bearable number of steps */           \
    TL_INLINE tl_##T tl_binom_whole_##T(tl_##T k, tl_##T n)                                        \
    {                                                                                              \
        return k <= 2000 ? tl_binom_product_##T(k, n) : tl_binom_gamma_##T(k, n);                  \
    }                                                                                              \
    /* k ! n, extended to all numbers as ISO 13751 does: 0 where k or n-k, but not n, is a */      \
    /* whole number below 0; (n over k) = sign (-1-k over n-k) where both n and k are */           \
    TL_INLINE tl_##T tl_binom_##T(tl_##T k, tl_##T n)                                              \
    {                                                                                              \
        tl_##T rest = n - k, fewer;                                                                \
        int k_below = k < 0 && tl_is_whole_##T(k), n_below = n < 0 && tl_is_whole_##T(n);          \
        int rest_below = rest < 0 && tl_is_whole_##T(rest);                                        \
        if (k_below && n_below && !rest_below) {                                                   \
            tl_##T size = tl_binom_whole_##T(rest < -1 - n ? rest : -1 - n, -1 - k);               \
            return tl_is_whole_##T(rest / 2) ? size : -size;                                       \
        }                                                                                          \
        if (k_below || (rest_below && !n_below)) {                                                 \
            return 0;                                                                              \
        }                                                                                          \
        fewer =                                                                                    \
            rest >= 0 && tl_is_whole_##T(rest) && (rest < k || !tl_is_whole_##T(k)) ? rest : k;    \
        return fewer >= 0 && tl_is_whole_##T(fewer) ? tl_binom_whole_##T(fewer, n)                 \
                                                    : tl_binom_gamma_##T(k, n);                    \
    }

TL_REAL_FUNCTIONS(f32)
TL_REALS(f32)
#ifndef TL_NO_F64
TL_REAL_FUNCTIONS(f64)
TL_REALS(f64)
#endif

/* x - y*floor(x/y) by one rounding of the difference, right where the quotient is below 2^52 and y finite; else *far is set
   (docs/passes.md, Remainders). */
#ifndef TL_NO_F64
#if defined(__FMA__) || defined(__aarch64__) || (defined(__OPENCL_VERSION__) && !defined(TL_IS_CPU))
TL_INLINE tl_f64 tl_near_mod(tl_f64 x, tl_f64 y, tl_i64 *far)
{
    const tl_f64 quotient = x / y, rest = fma(-TL_FLOOR_f64(quotient), y, x);
    *far |= !(fabs(quotient) < 4503599627370496.0 && fabs(y) < INFINITY);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
TL_INLINE tl_f64 tl_quick_mod_f64(tl_f64 x, tl_f64 y)
{
    tl_i64 far = 0;
    const tl_f64 rest = tl_near_mod(x, y, &far);
    return far ? tl_fmod_f64(x, y) : rest;
}
#else
#define tl_near_mod(x, y, far) tl_mod_f64(x, y)
#define tl_quick_mod_f64 tl_fmod_f64
#endif
TL_INLINE tl_f64 tl_mod_f64(tl_f64 x, tl_f64 y)
{
    return TL_RESIDUE_f64(x, y);
}
#endif
TL_INLINE tl_f32 tl_mod_f32(tl_f32 x, tl_f32 y)
{
    return tl_fmod_f32(x, y);
}

/* ---- conversions: tl_TO_of_FROM ------------------------------------------------------------ */

/* Between whole types: wraps; to bool: is it not zero. */
#define TL_CONVERSIONS_WHOLE(FROM)                                                                 \
    TL_INLINE tl_bool tl_bool_of_##FROM(tl_##FROM x)                                               \
    {                                                                                              \
        return (tl_bool)(x != 0);                                                                  \
    }                                                                                              \
    TL_INLINE tl_char tl_char_of_##FROM(tl_##FROM x)                                               \
    {                                                                                              \
        return (tl_char)x;                                                                         \
    }                                                                                              \
    TL_INLINE tl_i32 tl_i32_of_##FROM(tl_##FROM x)                                                 \
    {                                                                                              \
        return (tl_i32)x;                                                                          \
    }                                                                                              \
    TL_INLINE tl_i64 tl_i64_of_##FROM(tl_##FROM x)                                                 \
    {                                                                                              \
        return (tl_i64)x;                                                                          \
    }                                                                                              \
    TL_INLINE tl_f32 tl_f32_of_##FROM(tl_##FROM x)                                                 \
    {                                                                                              \
        return (tl_f32)x;                                                                          \
    }

/* From reals: truncates towards 0 and saturates; nan is 0. (The bounds are exact in both widths.)
 */
#define TL_CONVERSIONS_REAL(FROM)                                                                  \
    TL_INLINE tl_bool tl_bool_of_##FROM(tl_##FROM x)                                               \
    {                                                                                              \
        return (tl_bool)(x != 0);                                                                  \
    }                                                                                              \
    TL_INLINE tl_i32 tl_i32_of_##FROM(tl_##FROM x)                                                 \
    {                                                                                              \
        return x != x                ? 0                                                           \
               : x >= 2147483648.0f  ? 2147483647                                                  \
               : x <= -2147483648.0f ? -2147483647 - 1                                             \
                                     : (tl_i32)x;                                                  \
    }                                                                                              \
    TL_INLINE tl_i64 tl_i64_of_##FROM(tl_##FROM x)                                                 \
    {                                                                                              \
        return TL_USUALLY(TL_CALL_##FROM(fabs)(x) < 9223372036854775808.0f) ? (tl_i64)x            \
               : x > 0                                                      ? 9223372036854775807L \
               : x < 0 ? -9223372036854775807L - 1                                                 \
                       : 0;                                                                        \
    }                                                                                              \
    TL_INLINE tl_char tl_char_of_##FROM(tl_##FROM x)                                               \
    {                                                                                              \
        return (tl_char)tl_i64_of_##FROM(x);                                                       \
    }                                                                                              \
    TL_INLINE tl_f32 tl_f32_of_##FROM(tl_##FROM x)                                                 \
    {                                                                                              \
        return (tl_f32)x;                                                                          \
    }

TL_CONVERSIONS_WHOLE(bool)
TL_CONVERSIONS_WHOLE(char)
TL_CONVERSIONS_WHOLE(i32)
TL_CONVERSIONS_WHOLE(i64)
TL_CONVERSIONS_REAL(f32)
#ifndef TL_NO_F64
TL_CONVERSIONS_REAL(f64)
TL_INLINE tl_f64 tl_f64_of_bool(tl_bool x)
{
    return (tl_f64)x;
}
TL_INLINE tl_f64 tl_f64_of_char(tl_char x)
{
    return (tl_f64)x;
}
TL_INLINE tl_f64 tl_f64_of_i32(tl_i32 x)
{
    return (tl_f64)x;
}
TL_INLINE tl_f64 tl_f64_of_i64(tl_i64 x)
{
    return (tl_f64)x;
}
TL_INLINE tl_f64 tl_f64_of_f32(tl_f32 x)
{
    return (tl_f64)x;
}
TL_INLINE tl_f64 tl_f64_of_f64(tl_f64 x)
{
    return x;
}
/* The floor of x / y as reals; that of the integers where x and y are reals exactly: rounding does not reach the next whole
   number then (core/simplify/algebra.c). */
TL_INLINE tl_i64 tl_quot_i64(tl_i64 x, tl_i64 y)
{
    if (y > 0 && y <= 1L << 53 && (tl_u64)x + (1UL << 53) < 1UL << 54) {
        return tl_div_i64(x, y);
    }
    return tl_i64_of_f64(tl_floor_f64((tl_f64)x / (tl_f64)y));
}
#else
TL_INLINE tl_i64 tl_quot_i64(tl_i64 x, tl_i64 y)
{
    return tl_div_i64(x, y);
}
#endif

#endif
