#define ADD(a, b) ((a) + (b))
REDUCTION(sum, double, 0.0, ADD)

/* Only a sum sees the polynomial, so that it may be rounded less often. */
double normal(const double x)
{
    const double size = fabs(x), k = 1.0 / (1.0 + 0.2316419 * size);
    const double p = k * fma(k, fma(k, fma(k, fma(k, 1.330274429, -1.821255978), 1.781477937), -0.356563782), 0.31938153);
    const double tail = p * (exp(-(size * (size / 2.0))) / sqrt(2.0 * M_PI));
    return x >= 0.0 ? 1.0 - tail : tail;
}

kernel void blackscholes(const long n, const double moneyness, const double drift,
                         volatile global double *partials, volatile global uint *finished,
                         global double *result, local double *shared)
{
    local uint is_last;
    const double step = (double)get_global_size(0), end = (double)n;
    double sum = 0.0;
    for (double i = (double)(get_global_id(0) + 1); i <= end; i += step) {
        const double years = 10.0 * (i / end), deviation = 0.3 * sqrt(years);
        const double d1 = (moneyness + years * drift) / deviation, d2 = d1 - deviation;
        sum += 60.0 * normal(d1) - normal(d2) * (65.0 * exp(-(0.08 * years)));
    }
    reduce_sum(sum, partials, finished, result, shared, &is_last);
}
