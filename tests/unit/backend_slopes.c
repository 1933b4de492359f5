/* Bounds by slopes: what they are for, and that random straight-line programs keep to them. */
#include "backend/slopes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { VARIABLES = 14, PROGRAMS = 3000, SAMPLES = 40 };

static uint64_t state = 88172645463325252u;

static int64_t below(int64_t limit) /* xorshift64 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state % (uint64_t)limit);
}

/* Variables 0, 1, ... with what each is declared as. */
typedef struct Line {
    Compilation *c;
    KernelVariable *variables[VARIABLES];
    KernelRange *ranges;
    KernelSlopes slopes;
} Line;

static Line line_of(Compilation *c)
{
    Line line = {.c = c};
    for (int i = 0; i < VARIABLES; i++) {
        line.variables[i] = kernel_variable(c, "v", CORE_I64, KERNEL_SCALAR, NO_SPAN);
    }
    size_t count = line.variables[VARIABLES - 1]->number + 1;
    line.ranges = ARENA_ARRAY(c->arena, KernelRange, count);
    line.slopes.of = ARENA_ARRAY(c->arena, KernelSlope, count);
    memset(line.slopes.of, 0, count * sizeof *line.slopes.of);
    line.slopes.ranges = line.ranges;
    return line;
}

static const KernelExp *use(const Line *line, int variable)
{
    return kernel_use(line->c, line->variables[variable]);
}

static KernelRange range_of(const Line *line, const KernelExp *exp)
{
    if (exp->kind == KERNEL_CONSTANT) {
        return kernel_range(exp->as.constant.as.integer, exp->as.constant.as.integer);
    }
    if (exp->kind == KERNEL_VARIABLE) {
        return line->ranges[exp->as.variable->number];
    }
    return kernel_range_of_binary(exp->as.scalar.op, range_of(line, exp->as.scalar.x),
                                  range_of(line, exp->as.scalar.y), false);
}

static KernelRange declare(Line *line, int variable, const KernelExp *value)
{
    const KernelVariable *declared = line->variables[variable];
    KernelRange range = kernel_slope_range(&line->slopes, declared, value, range_of(line, value));
    line->ranges[declared->number] = range;
    return range;
}

static const KernelExp *operation(const Line *line, CoreOperator op, const KernelExp *x, int64_t y)
{
    return kernel_binary(line->c, op, x, kernel_i64(line->c, y));
}

/* The moon's drift since the calendar began, by centuries, and what is left of a century: neither is
   negative, which intervals cannot tell. */
static void differences_of_quotients(void **unused)
{
    (void)unused;
    Compilation *c = compilation_create();
    Line line = line_of(c);
    line.ranges[line.variables[0]->number] = kernel_range(0, 1 << 29);
    declare(&line, 1, operation(&line, CORE_DIV, use(&line, 0), 100));
    declare(&line, 2, operation(&line, CORE_ADD, use(&line, 1), 8));
    declare(&line, 3, operation(&line, CORE_DIV, use(&line, 2), 25));
    declare(&line, 4, kernel_binary(c, CORE_SUB, use(&line, 1), use(&line, 3)));
    KernelRange drift = declare(&line, 5, operation(&line, CORE_ADD, use(&line, 4), 1));
    assert_int_equal(drift.low, 1);
    declare(&line, 6, operation(&line, CORE_DIV, use(&line, 5), 3));
    declare(&line, 7, operation(&line, CORE_DIV, use(&line, 1), 4));
    declare(&line, 8, kernel_binary(c, CORE_ADD, use(&line, 7), use(&line, 6)));
    KernelRange left = declare(&line, 9, kernel_binary(c, CORE_SUB, use(&line, 1), use(&line, 8)));
    assert_true(left.low == 0 && left.high < (1 << 29) / 100);
    KernelRange more = declare(&line, 10, kernel_binary(c, CORE_SUB, use(&line, 3), use(&line, 1)));
    assert_true(more.low < 0 && more.high == 0);
    compilation_destroy(c);
}

static int64_t floor_quotient(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}

static void random_programs_keep_to_their_bounds(void **unused)
{
    (void)unused;
    size_t closer = 0;
    for (int program = 0; program < PROGRAMS; program++) {
        Compilation *c = compilation_create();
        Line line = line_of(c);
        int64_t samples[SAMPLES][VARIABLES], limit = 1 + below(program % 2 ? 100 : 1 << 29);
        line.ranges[line.variables[0]->number] = kernel_range(0, limit);
        for (int s = 0; s < SAMPLES; s++) {
            samples[s][0] = s == 0 ? 0 : s == 1 ? limit : below(limit + 1);
        }
        for (int v = 1; v < VARIABLES; v++) {
            int x = (int)below(v), y = (int)below(v), kind = (int)below(5);
            int64_t constant = kind == 2   ? below(9) - 4
                               : kind == 3 ? 1 + below(30)
                                           : below(200) - 100;
            const KernelExp *value =
                kind == 0   ? kernel_binary(c, CORE_ADD, use(&line, x), use(&line, y))
                : kind == 1 ? kernel_binary(c, CORE_SUB, use(&line, x), use(&line, y))
                : kind == 2 ? operation(&line, CORE_MUL, use(&line, x), constant)
                : kind == 3 ? operation(&line, CORE_DIV, use(&line, x), constant)
                            : operation(&line, CORE_ADD, use(&line, x), constant);
            KernelRange before = range_of(&line, value);
            if (!kernel_is_within(before, INT32_MAX)) { /* nobody asks then */
                value = use(&line, kind = 0);
                before = range_of(&line, value);
                x = y = 0;
                kind = 5;
            }
            KernelRange after = declare(&line, v, value);
            closer += after.low > before.low || after.high < before.high;
            for (int s = 0; s < SAMPLES; s++) {
                int64_t *at = samples[s];
                at[v] = kind == 0   ? at[x] + at[y]
                        : kind == 1 ? at[x] - at[y]
                        : kind == 2 ? at[x] * constant
                        : kind == 3 ? floor_quotient(at[x], constant)
                        : kind == 4 ? at[x] + constant
                                    : at[0];
                assert_true(after.low <= at[v] && at[v] <= after.high);
            }
        }
        compilation_destroy(c);
    }
    assert_true(closer > PROGRAMS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_of_quotients),
        cmocka_unit_test(random_programs_keep_to_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
