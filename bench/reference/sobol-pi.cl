#define ADD(a, b) ((a) + (b))
REDUCTION(sum, long, 0L, ADD)
#define BITS 30

/* Numbers of points and coordinates have at most 30 bits. */
kernel void inside(const long n, constant uint *directions, volatile global long *partials,
                   volatile global uint *finished, global long *result, local long *shared)
{
    local uint is_last;
    long count = 0;
    for (long i = get_global_id(0) + 1; i <= n; i += get_global_size(0)) {
        const uint number = (uint)i;
        uint x = 0, y = 0;
#pragma unroll
        for (int bit = 0; bit < BITS; bit++) {
            const uint select = -(number >> bit & 1);
            x ^= directions[bit] & select;
            y ^= directions[BITS + bit] & select;
        }
        const double a = (double)x / 1073741824.0, b = (double)y / 1073741824.0;
        count += 1.0 >= a * a + b * b;
    }
    reduce_sum(count, partials, finished, result, shared, &is_last);
}
