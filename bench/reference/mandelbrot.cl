#define ADD(a, b) ((a) + (b))
REDUCTION(sum, long, 0L, ADD)

/* A work-item takes all steps of its points in registers. Doubling is exact, so that 2×zr×zi may be
   added by fma; and below 4.0 are the doubles, of those that are not negative, whose upper half is
   below 4.0's, which the integer unit finds out while the other multiplies. */
kernel void mandelbrot(const int n, const int steps, volatile global long *partials,
                       volatile global uint *finished, global long *result, local long *shared)
{
    local uint is_last;
    long sum = 0;
    for (int point = get_global_id(0); point < n * n; point += get_global_size(0)) {
        const double cr = -2.0 + 3.0 * ((double)(point % n) / (double)n);
        const double ci = -1.5 + 3.0 * ((double)(point / n) / (double)n);
        double zr = 0.0, zi = 0.0;
        int count = 0;
#pragma unroll 5
        for (int step = 0; step < steps; step++) {
            const double r = zr * zr, i = zi * zi, product = zr * zi;
            count += as_uint2(r + i).y < 0x40100000u;
            zr = cr + (r - i);
            zi = fma(2.0, product, ci);
        }
        sum += count;
    }
    reduce_sum(sum, partials, finished, result, shared, &is_last);
}
