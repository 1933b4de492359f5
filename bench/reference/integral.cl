#define ADD(a, b) ((a) + (b))
REDUCTION(sum, double, 0.0, ADD)

/* The numbers of intervals are counted as doubles, which they fit exactly: no conversion in the loop. */
kernel void integral(const long n, const double width, volatile global double *partials,
                     volatile global uint *finished, global double *result, local double *shared)
{
    local uint is_last;
    const double step = (double)get_global_size(0), end = (double)n;
    double sum = 0.0;
    for (double i = (double)(get_global_id(0) + 1); i <= end; i += step)
        sum += 2.0 / (width * (i + -0.5) + 2.0);
    reduce_sum(sum, partials, finished, result, shared, &is_last);
}
