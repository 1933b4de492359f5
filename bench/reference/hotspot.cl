/* x: greatest, y: least, z: sum. */
#define ALL(a, b)                                                                                  \
    ((double4)(fmax((a).x, (b).x), fmin((a).y, (b).y), (a).z + (b).z, 0.0))
REDUCTION(all, double4, (double4)(-INFINITY, INFINITY, 0.0, 0.0), ALL)

typedef struct Chip {
    double along, across, to_air, ambient, factor;
} Chip;

/* One step. Indices beyond the border are moved onto it. */
kernel void hotspot_step(const int n, const double along, const double across, const double to_air,
                         const double factor, global const double *restrict power,
                         global const double *restrict now, global double *restrict next)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= n || row >= n)
        return;
    const int at = row * n + column;
    const double here = now[at];
    const double north = now[row == 0 ? at : at - n], south = now[row == n - 1 ? at : at + n];
    const double west = now[column == 0 ? at : at - 1], east = now[column == n - 1 ? at : at + 1];
    const double twice = 2.0 * here;
    const double vertical = (north + (south - twice)) / along;
    const double horizontal = (west + (east - twice)) / across;
    next[at] =
        here + factor * (power[at] + (vertical + (horizontal + (80.0 - here) / to_air)));
}

kernel void summary(const long cells, global const double *final, volatile global double4 *partials,
                    volatile global uint *finished, global double4 *result, local double4 *shared)
{
    local uint is_last;
    double greatest = -INFINITY, least = INFINITY, sum = 0.0;
    for (long i = get_global_id(0); i < cells; i += get_global_size(0)) {
        const double value = final[i];
        greatest = fmax(greatest, value);
        least = fmin(least, value);
        sum += value;
    }
    reduce_all((double4)(greatest, least, sum, 0.0), partials, finished, result, shared, &is_last);
}
