/* x: the greatest date, y: the sum of months and days. */
#define BOTH(a, b) ((long2)(max((a).x, (b).x), (a).y + (b).y))
REDUCTION(both, long2, (long2)(LONG_MIN, 0L), BOTH)

/* Month and day of a year: all numbers have less than 32 bits. A date is wider. */
uint easter(const uint year)
{
    const uint golden = year % 19, century = year / 100;
    const uint leaps = century / 4, lunar = (century + 8) / 25;
    const uint drift = (1 + century - lunar) / 3;
    const uint epact = (15 + 19 * golden + century - leaps - drift) % 30;
    const uint rest = year % 100;
    const uint weekday = (32 + 2 * (century % 4) + 2 * (rest / 4) - epact - rest % 4) % 7;
    const uint late = (golden + 11 * epact + 22 * weekday) / 451;
    const uint days = 114 + epact + weekday - 7 * late;
    return 1 + days % 31 + 100 * (days / 31);
}

kernel void dates(const long n, volatile global long2 *partials, volatile global uint *finished,
                  global long2 *result, local long2 *shared)
{
    local uint is_last;
    long greatest = LONG_MIN, sum = 0;
    for (long year = get_global_id(0) + 1; year <= n; year += get_global_size(0)) {
        const uint day = easter((uint)year);
        const long date = 10000 * year + day;
        greatest = max(greatest, date);
        sum += day;
    }
    reduce_both((long2)(greatest, sum), partials, finished, result, shared, &is_last);
}
