/* x: the greatest change, y: the sum of sizes. */
#define BOTH(a, b) ((double2)(fmax((a).x, (b).x), (a).y + (b).y))
REDUCTION(both, double2, (double2)(-INFINITY, 0.0), BOTH)

/* A work-item has consecutive samples, so that it computes each once. */
kernel void signal(const long n, volatile global double2 *partials, volatile global uint *finished,
                   global double2 *result, local double2 *shared)
{
    local uint is_last;
    const long items = get_global_size(0), share = (n + items - 1) / items;
    const long first = get_global_id(0) * share, end = min(first + share, n);
    double before = first > 0 ? sin(0.02 * (double)first) : 0.0, greatest = -INFINITY, sum = 0.0;
    double number = (double)first;
#pragma unroll 2
    for (long i = first; i < end; i++) {
        number += 1.0;
        const double sample = sin(0.02 * number);
        const double ratio = (sample - before) / (0.01 + fabs(sample));
        const double change = fmax(-50.0, fmin(50.0, 50.0 * ratio));
        greatest = fmax(greatest, change);
        sum += fabs(change);
        before = sample;
    }
    reduce_both((double2)(greatest, sum), partials, finished, result, shared, &is_last);
}
