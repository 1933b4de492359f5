/* Two libraries, each with the runtime inside, in one program. */
#include "many.h"
#include "stats.h"

#include <stddef.h>

int main(void)
{
    const double xs[] = {1, 2, 6};
    const int64_t shape[] = {3};
    double dot = 0, mean = 0, *distances = NULL;
    int64_t distances_shape[1];
    many_context *many = many_open(NULL);
    stats_context *stats = stats_open(NULL);
    bool ok = many_dot(many, xs, shape, xs, shape, &dot) == MANY_OK &&
              stats_spread(stats, xs, shape, 1, &mean, &distances, distances_shape) == STATS_OK &&
              dot == 41 && mean == 3 && distances[2] == 3;
    stats_free(distances);
    stats_close(stats);
    many_close(many);
    return ok ? 0 : 1;
}
