/* Powers of vectors beside those of long doubles: within one unit in the last place, exact where the result is a whole double,
   and pow's own where something is 0, negative, infinite, no number or subnormal. */
#include "runtime/vector.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#if defined(TL_HAS_OWN_VECTORS)

#include <immintrin.h>

typedef void Powers(const double *x, const double *y, double *z);

extern __m128d _ZGVbN2vv_tl_power(__m128d x, __m128d y);
extern __attribute__((target("avx"))) __m256d _ZGVcN4vv_tl_power(__m256d x, __m256d y);
extern __attribute__((target("avx2"))) __m256d _ZGVdN4vv_tl_power(__m256d x, __m256d y);
extern __attribute__((target("avx512f"))) __m512d _ZGVeN8vv_tl_power(__m512d x, __m512d y);

enum { MOST_LANES = 8, ROUNDS = 20000 };

static void with_sse2(const double *x, const double *y, double *z)
{
    for (int k = 0; k < MOST_LANES; k += 2) {
        _mm_storeu_pd(z + k, _ZGVbN2vv_tl_power(_mm_loadu_pd(x + k), _mm_loadu_pd(y + k)));
    }
}

__attribute__((target("avx"))) static void with_avx(const double *x, const double *y, double *z)
{
    for (int k = 0; k < MOST_LANES; k += 4) {
        _mm256_storeu_pd(z + k, _ZGVcN4vv_tl_power(_mm256_loadu_pd(x + k), _mm256_loadu_pd(y + k)));
    }
}

__attribute__((target("avx2"))) static void with_avx2(const double *x, const double *y, double *z)
{
    for (int k = 0; k < MOST_LANES; k += 4) {
        _mm256_storeu_pd(z + k, _ZGVdN4vv_tl_power(_mm256_loadu_pd(x + k), _mm256_loadu_pd(y + k)));
    }
}

__attribute__((target("avx512f"))) static void with_avx512(const double *x, const double *y,
                                                           double *z)
{
    _mm512_storeu_pd(z, _ZGVeN8vv_tl_power(_mm512_loadu_pd(x), _mm512_loadu_pd(y)));
}

static double random_from(double low, double high)
{
    return low + (high - low) * ((double)random() / 2147483648.0);
}

static double random_bits(void)
{
    uint64_t bits = ((uint64_t)random() << 42) ^ ((uint64_t)random() << 21) ^ (uint64_t)random();
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void choose(int kind, double *x, double *y)
{
    static const double special[] = {0, -0.0, 1, -1, 2, -2, 0.5, 0x1p-1074, INFINITY, -INFINITY};
    switch (kind) {
    case 0: *x = random_from(0, 2), *y = random_from(-10, 10); return;
    case 1: *x = exp(random_from(-700, 700)), *y = random_from(-2, 2); return;
    case 2: *x = (double)(random() % 1000), *y = (double)(random() % 6); return; /* whole */
    case 3: *x = 1 + random_from(-1e-3, 1e-3), *y = random_from(-1e5, 1e5); return;
    case 4: *x = random_bits(), *y = random_bits(); return;
    default:
        *x = random() % 9 ? special[random() % 10] : (double)NAN;
        *y = random() % 9 ? special[random() % 10] : (double)NAN;
    }
}

static void check(double x, double y, double z, bool whole)
{
    const long double right = powl(x, y);
    const double near = pow(x, y);
    if (isnan(near) || isinf(near) || near == 0 || !isnormal(near)) {
        assert_true(isnan(near) ? isnan(z) : z == near || fabs(z - near) <= 0x1p-1074);
    } else {
        const double unit = fabs(nextafter(near, INFINITY) - near);
        assert_true(fabsl(z - right) < (long double)unit);
        assert_true(!whole || right > 9e15L || z == near);
    }
}

static void check_all(Powers *powers)
{
    double x[MOST_LANES], y[MOST_LANES], z[MOST_LANES];
    for (int round = 0; round < ROUNDS; round++) {
        const int kind = round % 6;
        for (int k = 0; k < MOST_LANES; k++) {
            choose(kind, &x[k], &y[k]);
        }
        powers(x, y, z);
        for (int k = 0; k < MOST_LANES; k++) {
            check(x[k], y[k], z[k], kind == 2);
        }
    }
}

static void test_powers_of_vectors(void **state)
{
    (void)state;
    srandom(16807);
    check_all(with_sse2);
    if (__builtin_cpu_supports("avx")) {
        check_all(with_avx);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        check_all(with_avx2);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        check_all(with_avx512);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers_of_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return cmocka_run_group_tests((const struct CMUnitTest[]){{0}}, NULL, NULL);
}

#endif
