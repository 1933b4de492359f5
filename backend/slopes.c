/* Bounds of integers that grow with another integer. Intervals forget that two numbers are computed
   from the same one:

       0 <= c < 2^29,  l = (c + 8) / 25        c - l + 1 >= -21474835           by intervals
                                               0.96*c + 0.68 <= c - l + 1       by slopes: not negative

   so that a quotient or remainder of it need not ask for its sign. A variable has bounds that are
   linear in one other variable, its base, which is not negative and may have a base itself; sums,
   differences, multiples and quotients by constants of what leads to the same base have that base,
   and everything else is a constant interval. Of the bases that come into question the one with the
   closest bounds is kept; of several, the one that is furthest.

   Factors are doubles. All that is computed stays below 2^40, and a dozen roundings of that are off
   by less than MARGIN, which bounds of integers do not mind. */
#include "backend/slopes.h"

#include <math.h>

#define MOST 0x1p+40
#define MARGIN 0.01

enum { MOST_BASES = 16, MOST_LINKS = 6 };

typedef struct Bases {
    const KernelVariable *items[MOST_BASES];
    size_t count;
} Bases;

static bool is_base(const KernelSlopes *s, const KernelVariable *variable)
{
    KernelRange r = s->ranges[variable->number];
    return variable->prim == CORE_I64 && variable->space == KERNEL_SCALAR && r.low >= 0 &&
           r.high <= INT32_MAX;
}

static void add_base(const KernelSlopes *s, Bases *bases, const KernelVariable *variable)
{
    for (size_t i = 0; i < bases->count; i++) {
        if (bases->items[i] == variable) {
            return;
        }
    }
    if (variable && is_base(s, variable) && bases->count < MOST_BASES) {
        bases->items[bases->count++] = variable;
    }
}

static void find_bases(const KernelSlopes *s, Bases *bases, const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    if (exp->kind == KERNEL_VARIABLE) {
        const KernelVariable *base = exp->as.variable;
        for (int link = 0; base && link <= MOST_LINKS; link++) {
            add_base(s, bases, base);
            base = s->of[base->number].base;
        }
    } else if (exp->kind == KERNEL_BINARY) {
        size_t count = kernel_operands(exp, operands);
        for (size_t k = 0; k < count; k++) {
            find_bases(s, bases, operands[k]);
        }
    }
}

static bool constant(const KernelExp *exp, double *value)
{
    if (exp->kind != KERNEL_CONSTANT || exp->prim != CORE_I64) {
        return false;
    }
    *value = (double)exp->as.constant.as.integer;
    return fabs(*value) < MOST;
}

static bool slope_of(const KernelSlopes *s, const KernelExp *exp, const KernelVariable *base,
                     KernelSlope *slope);

static KernelSlope times(KernelSlope x, double factor)
{
    KernelSlope r = x;
    for (int k = 0; k < 2; k++) {
        r.low[k] = (factor < 0 ? x.high[k] : x.low[k]) * factor;
        r.high[k] = (factor < 0 ? x.low[k] : x.high[k]) * factor;
    }
    return r;
}

static KernelSlope plus(KernelSlope x, KernelSlope y)
{
    for (int k = 0; k < 2; k++) {
        x.low[k] += y.low[k];
        x.high[k] += y.high[k];
    }
    return x;
}

static double at(const double line[2], int64_t x)
{
    return line[0] + line[1] * (double)x;
}

static bool is_moderate(const KernelSlope *slope, KernelRange r)
{
    return fabs(at(slope->low, r.low)) < MOST && fabs(at(slope->low, r.high)) < MOST &&
           fabs(at(slope->high, r.low)) < MOST && fabs(at(slope->high, r.high)) < MOST &&
           fabs(slope->low[0]) < MOST && fabs(slope->high[0]) < MOST;
}

static bool slope_of_binary(const KernelSlopes *s, const KernelExp *exp, const KernelVariable *base,
                            KernelSlope *slope)
{
    KernelSlope x, y;
    double factor;
    const KernelExp *left = exp->as.scalar.x, *right = exp->as.scalar.y;
    switch ((int)exp->as.scalar.op) {
    case CORE_ADD:
    case CORE_SUB:
        if (!slope_of(s, left, base, &x) || !slope_of(s, right, base, &y)) {
            return false;
        }
        *slope = plus(x, exp->as.scalar.op == CORE_SUB ? times(y, -1) : y);
        return true;
    case CORE_MUL:
        if (constant(left, &factor)) {
            left = right;
        } else if (!constant(right, &factor)) {
            return false;
        }
        if (!slope_of(s, left, base, &x)) {
            return false;
        }
        *slope = times(x, factor);
        return true;
    case CORE_DIV: /* rounded down by less than 1 */
        if (!constant(right, &factor) || factor < 1 || !slope_of(s, left, base, &x)) {
            return false;
        }
        *slope = times(x, 1 / factor);
        slope->low[0] -= (factor - 1) / factor;
        return true;
    }
    return false;
}

/* A line in what has these bounds itself. */
static void follow(double line[2], const double below[2], const double above[2])
{
    const double *bound = line[1] < 0 ? above : below;
    double factor = line[1];
    line[0] += factor * bound[0];
    line[1] = factor * bound[1];
}

/* By the variable's base, and that one's, to `base`. */
static bool reaches(const KernelSlopes *s, const KernelVariable *variable,
                    const KernelVariable *base, KernelSlope *slope, int links)
{
    KernelSlope own = s->of[variable->number], rest;
    if (variable == base) {
        *slope = (KernelSlope){.base = base, .low = {0, 1}, .high = {0, 1}};
        return true;
    }
    if (links == 0 || !own.base || !reaches(s, own.base, base, &rest, links - 1)) {
        return false;
    }
    follow(own.low, rest.low, rest.high);
    follow(own.high, rest.high, rest.low);
    *slope = own;
    slope->base = base;
    return true;
}

/* The expression's bounds by the base; false: not even constant ones. */
static bool slope_of(const KernelSlopes *s, const KernelExp *exp, const KernelVariable *base,
                     KernelSlope *slope)
{
    *slope = (KernelSlope){.base = base};
    if (exp->prim != CORE_I64) {
        return false;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        KernelRange range = s->ranges[exp->as.variable->number];
        if (reaches(s, exp->as.variable, base, slope, MOST_LINKS)) {
            return true;
        }
        slope->low[0] = (double)range.low;
        slope->high[0] = (double)range.high;
        return kernel_is_within(range, INT32_MAX);
    }
    if (constant(exp, &slope->low[0])) {
        slope->high[0] = slope->low[0];
        return true;
    }
    return exp->kind == KERNEL_BINARY && slope_of_binary(s, exp, base, slope) &&
           is_moderate(slope, s->ranges[base->number]);
}

/* How far apart the bounds are. */
static double width(const KernelSlope *slope, KernelRange r)
{
    return fmax(at(slope->high, r.low) - at(slope->low, r.low),
                at(slope->high, r.high) - at(slope->low, r.high));
}

KernelRange kernel_slope_range(KernelSlopes *s, const KernelVariable *variable,
                               const KernelExp *value, KernelRange range)
{
    Bases bases = {.count = 0};
    double least = 0; /* of the best one: how far apart its bounds are */
    KernelSlope *best = &s->of[variable->number];
    *best = (KernelSlope){.base = NULL};
    find_bases(s, &bases, value);
    for (size_t i = 0; i < bases.count; i++) {
        KernelRange r = s->ranges[bases.items[i]->number];
        KernelSlope slope;
        bool good = slope_of(s, value, bases.items[i], &slope) && is_moderate(&slope, r);
        if (good && (!best->base || width(&slope, r) <= least + MARGIN)) {
            *best = slope;
            least = width(&slope, r);
        }
        if (good) {
            double low = ceil(fmin(at(slope.low, r.low), at(slope.low, r.high)) - MARGIN);
            double high = floor(fmax(at(slope.high, r.low), at(slope.high, r.high)) + MARGIN);
            range.low = low > (double)range.low ? (int64_t)low : range.low;
            range.high = high < (double)range.high ? (int64_t)high : range.high;
        }
    }
    return range;
}
