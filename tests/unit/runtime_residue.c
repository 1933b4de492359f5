/* Remainders of reals, by powers of two, by one fused rounding and of vectors, beside their definition by fmod, to the bit: of
   any bits, beside multiples, where the quotient is as large as it may be, and of zeros, subnormals, infinities and NaN. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HAS_RESIDUES
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "runtime/scalar.h"
#if defined(HAS_RESIDUES)
#pragma GCC pop_options
#endif

#include "runtime/vector.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 20000, KINDS = 6, MOST_LANES = 8, MOST_POWER = 30 };

static uint64_t random_word(void)
{
    return ((uint64_t)random() << 42) ^ ((uint64_t)random() << 21) ^ (uint64_t)random();
}

static double real_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float short_real_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double special(void)
{
    static const double values[] = {0,
                                    1,
                                    2,
                                    0.5,
                                    3,
                                    1 - DBL_EPSILON / 2,
                                    1 + DBL_EPSILON,
                                    0x1p-1074,
                                    0x1.8p-1073,
                                    0x1.ffffffffffffep-1023,
                                    DBL_MIN,
                                    DBL_MAX,
                                    0x1p52,
                                    0x1p52 + 1,
                                    0x1p53,
                                    0x1p64,
                                    0x1.fffffep63,
                                    0x1p1023,
                                    INFINITY,
                                    (double)NAN};
    double x = values[(size_t)random() % (sizeof values / sizeof values[0])];
    return random() % 2 ? x : -x;
}

static double random_dividend(int kind, double y)
{
    const uint64_t sign = random_word() & 1ull << 63;
    double multiple;
    switch (kind) {
    case 0: return real_of(random_word());
    case 1: return special();
    case 2: return real_of((random_word() & 0xfffffffffffffu) | sign);
    case 3: return real_of((random_word() & 0x00ffffffffffffffu) | 0x3f80000000000000u | sign);
    case 4: /* beside a multiple */
        multiple = floor(ldexp((double)random() - 0x1p30, (int)(random() % 24))) * y;
        return real_of((uint64_t)tl_bits_f64(multiple) + (uint64_t)(random() % 5) - 2);
    default: /* where quotients begin to be far */
        return ldexp(y, 50 + (int)(random() % 5)) * ((double)random() * 0x1p-30 - 1);
    }
}

/* What a remainder is. */
static double by_definition(double x, double y)
{
    if (y == 0) {
        return x;
    }
    double rest = fmod(x, y);
    if (rest == 0) {
        return 0;
    }
    return (rest < 0) != (y < 0) ? rest + y : rest;
}

static float short_by_definition(float x, float y)
{
    if (y == 0) {
        return x;
    }
    float rest = fmodf(x, y);
    if (rest == 0) {
        return 0;
    }
    return (rest < 0) != (y < 0) ? rest + y : rest;
}

static void assert_is_residue(double found, double x, double y)
{
    const double right = by_definition(x, y);
    if (tl_bits_f64(found) != tl_bits_f64(right) && !(isnan(found) && isnan(right))) {
        fail_msg("%a | %a is %a, not %a", y, x, right, found);
    }
}

static void assert_is_short_residue(float found, float x, float y)
{
    const float right = short_by_definition(x, y);
    if (tl_bits_f32(found) != tl_bits_f32(right) && !(isnan(found) && isnan(right))) {
        fail_msg("%a | %a is %a, not %a", (double)y, (double)x, (double)right, (double)found);
    }
}

static void residues_by_powers_of_two(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS * KINDS; round++) {
        const double y = ldexp(1, (int)(random() % (2 * MOST_POWER + 1)) - MOST_POWER);
        const double x = random_dividend(round % KINDS, y);
        assert_is_residue(tl_mod_power_f64(x, y), x, y);
        const float short_x = random() % 2 ? (float)x : short_real_of((uint32_t)random_word());
        assert_is_short_residue(tl_mod_power_f32(short_x, (float)y), short_x, (float)y);
    }
}

#if defined(HAS_RESIDUES) && defined(TL_HAS_OWN_VECTORS)

static double random_divisor(int kind)
{
    switch (kind) {
    case 0: return real_of(random_word());
    case 1: return special();
    case 2: return real_of(random_word() & 0xfffffffffffffu); /* subnormal */
    case 3: return (double)(random() % 1000 - 500) / 10;
    default: return real_of((random_word() & 0x801fffffffffffffu) | 0x3fe0000000000000u);
    }
}

#include <immintrin.h>

typedef void Residues(const double *x, const double *y, double *z);

extern __m128d _ZGVbN2vv_tl_residue(__m128d x, __m128d y);
extern __attribute__((target("avx"))) __m256d _ZGVcN4vv_tl_residue(__m256d x, __m256d y);
extern __attribute__((target("avx2"))) __m256d _ZGVdN4vv_tl_residue(__m256d x, __m256d y);
extern __attribute__((target("avx512f"))) __m512d _ZGVeN8vv_tl_residue(__m512d x, __m512d y);

static void one_by_one(const double *x, const double *y, double *z)
{
    for (int k = 0; k < MOST_LANES; k++) {
        z[k] = tl_residue(x[k], y[k]);
        assert_is_residue(tl_quick_mod_f64(x[k], y[k]), x[k], y[k]);
    }
}

static void with_sse2(const double *x, const double *y, double *z)
{
    for (int k = 0; k < MOST_LANES; k += 2) {
        _mm_storeu_pd(z + k, _ZGVbN2vv_tl_residue(_mm_loadu_pd(x + k), _mm_loadu_pd(y + k)));
    }
}

__attribute__((target("avx"))) static void with_avx(const double *x, const double *y, double *z)
{
    for (int k = 0; k < MOST_LANES; k += 4) {
        _mm256_storeu_pd(z + k,
                         _ZGVcN4vv_tl_residue(_mm256_loadu_pd(x + k), _mm256_loadu_pd(y + k)));
    }
}

__attribute__((target("avx2"))) static void with_avx2(const double *x, const double *y, double *z)
{
    for (int k = 0; k < MOST_LANES; k += 4) {
        _mm256_storeu_pd(z + k,
                         _ZGVdN4vv_tl_residue(_mm256_loadu_pd(x + k), _mm256_loadu_pd(y + k)));
    }
}

__attribute__((target("avx512f"))) static void with_avx512(const double *x, const double *y,
                                                           double *z)
{
    _mm512_storeu_pd(z, _ZGVeN8vv_tl_residue(_mm512_loadu_pd(x), _mm512_loadu_pd(y)));
}

static void check_all(Residues *residues)
{
    double x[MOST_LANES], y[MOST_LANES], z[MOST_LANES];
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < MOST_LANES; k++) {
            y[k] = random_divisor(round / KINDS % (KINDS - 1));
            x[k] = random_dividend(round % 9 == 0 ? k % KINDS : round % KINDS, y[k]);
        }
        residues(x, y, z);
        for (int k = 0; k < MOST_LANES; k++) {
            assert_is_residue(z[k], x[k], y[k]);
        }
    }
}

static void residues_of_vectors(void **state)
{
    (void)state;
    check_all(with_sse2);
    if (__builtin_cpu_supports("avx")) {
        check_all(with_avx);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        check_all(one_by_one);
        check_all(with_avx2);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        check_all(with_avx512);
    }
}

#else

static void residues_of_vectors(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residues_by_powers_of_two),
        cmocka_unit_test(residues_of_vectors),
    };
    srandom(16807);
#if defined(HAS_RESIDUES)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        return 0; /* what is inline here is for them */
    }
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
