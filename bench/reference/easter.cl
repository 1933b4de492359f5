/* x: the greatest date, y: the sum of months and days. */
#define BOTH(a, b) ((long2)(max((a).x, (b).x), (a).y + (b).y))
REDUCTION(both, long2, (long2)(LONG_MIN, 0L), BOTH)

long easter(const long year)
{
    const long golden = year % 19, century = year / 100;
    const long leaps = century / 4, lunar = (century + 8) / 25;
    const long drift = (1 + century - lunar) / 3;
    const long epact = (15 + 19 * golden + century - leaps - drift) % 30;
    const long rest = year % 100;
    const long weekday = (32 + 2 * (century % 4) + 2 * (rest / 4) - epact - rest % 4) % 7;
    const long late = (golden + 11 * epact + 22 * weekday) / 451;
    const long days = 114 + epact + weekday - 7 * late;
    return 1 + days % 31 + 100 * (days / 31) + 10000 * year;
}

kernel void dates(const long n, volatile global long2 *partials, volatile global uint *finished,
                  global long2 *result, local long2 *shared)
{
    local uint is_last;
    long greatest = LONG_MIN, sum = 0;
    for (long year = get_global_id(0) + 1; year <= n; year += get_global_size(0)) {
        const long date = easter(year);
        greatest = max(greatest, date);
        sum += date % 10000;
    }
    reduce_both((long2)(greatest, sum), partials, finished, result, shared, &is_last);
}
