/* The race prover on kernels at random, and on those of the compiler with one number changed: nothing may be proven that the
 * search by cases refutes. */
#include "tests/unit/backend_prove.h"

/* ---- random kernels -------------------------------------------------------------------------- */

static unsigned next(uint64_t *seed, unsigned below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

typedef struct Scope {
    const KernelExp *names[12]; /* not negative */
    unsigned count;
} Scope;

static const KernelExp *random_factor(Built *k, uint64_t *seed)
{
    static const int64_t few[] = {1, 1, 2, 3, 4, 5, 8, 12, 16};
    const KernelExp *factor = number(k, few[next(seed, 9)]);
    return next(seed, 5) == 0 ? times(k, factor, use(k, next(seed, 2) ? k->m : k->n)) : factor;
}

static const KernelExp *random_sum(Built *k, uint64_t *seed, const Scope *scope)
{
    const KernelExp *total = number(k, next(seed, 3) / 2);
    unsigned terms = 1 + next(seed, 3);
    for (unsigned i = 0; i < terms; i++) {
        unsigned which = next(seed, scope->count + 1);
        which = which == scope->count ? 0 : which;
        total = sum(k, total, times(k, scope->names[which], random_factor(k, seed)));
    }
    return total;
}

/* One such, or less one: rows that are written backwards. */
static const KernelExp *random_index(Built *k, uint64_t *seed, const Scope *scope)
{
    const KernelExp *x = random_sum(k, seed, scope);
    return next(seed, 4) ? x : op(k, CORE_SUB, x, random_sum(k, seed, scope));
}

static const KernelExp *random_condition(Built *k, uint64_t *seed, const Scope *scope)
{
    static const CoreOperator compare[] = {CORE_LT, CORE_LE, CORE_GT, CORE_GE, CORE_EQ, CORE_NE};
    const KernelExp *x = next(seed, 4) ? scope->names[next(seed, scope->count)]
                                       : use(k, next(seed, 2) ? k->m : k->n);
    const KernelExp *y = next(seed, 3) ? number(k, next(seed, 6)) : random_sum(k, seed, scope);
    const KernelExp *one = op(k, compare[next(seed, 6)], x, y);
    return next(seed, 4)
               ? one
               : op(k, next(seed, 2) ? CORE_AND : CORE_OR, one, random_condition(k, seed, scope));
}

/* A number made of another, as lowering makes them: bits of it, bounded, or one of two. */
static const KernelExp *random_name(Built *k, uint64_t *seed, const Scope *scope)
{
    const KernelExp *x = scope->names[next(seed, scope->count)], *one = number(k, 1);
    const KernelExp *y = scope->names[next(seed, scope->count)];
    switch (next(seed, 8)) {
    case 0: return op(k, CORE_AND, x, op(k, CORE_SUB, k->lanes, one));
    case 1: return op(k, CORE_SHR, x, k->levels);
    case 2: return op(k, CORE_AND, next(seed, 2) ? sum(k, x, one) : x, one);
    case 3: return op(k, CORE_SHL, one, op(k, CORE_AND, x, one));
    case 4: return op(k, CORE_MAX, op(k, CORE_SUB, x, number(k, next(seed, 4))), number(k, 0));
    case 5: return op(k, CORE_MIN, x, number(k, next(seed, 6)));
    case 6: return kernel_select(k->c, random_condition(k, seed, scope), x, y);
    case 7: return kernel_select(k->c, op(k, CORE_NE, k->several, number(k, 0)), x, number(k, 0));
    }
    return x;
}

static const KernelExp *random_count(Built *k, uint64_t *seed, const Scope *scope)
{
    const KernelExp *x = scope->names[next(seed, scope->count)];
    switch (next(seed, 6)) {
    case 0: return op(k, CORE_MIN, use(k, k->m), number(k, 3));
    case 1: return k->several;
    case 2:
        return kernel_divide(k->c, op(k, CORE_MAX, op(k, CORE_SUB, number(k, 12), x), number(k, 0)),
                             k->lanes);
    case 3:
        return kernel_select(k->c, random_condition(k, seed, scope), number(k, 2), number(k, 0));
    }
    return number(k, 1 + next(seed, 5));
}

/* Of rows that groups share out: made of sizes, as where borders are split off. */
static const KernelExp *random_rows(Built *k, uint64_t *seed, int depth)
{
    if (depth == 0 || next(seed, 4) == 0) {
        unsigned which = next(seed, 4);
        return which == 0   ? use(k, k->m)
               : which == 1 ? number(k, (int64_t)next(seed, 7) - 1)
                            : use(k, k->n);
    }
    const KernelExp *x = random_rows(k, seed, depth - 1), *y = random_rows(k, seed, depth - 1);
    switch (next(seed, 6)) {
    case 0:
    case 1: return op(k, CORE_MIN, x, y);
    case 2: return op(k, CORE_MAX, x, y);
    case 3: return op(k, CORE_MAX, x, number(k, 0));
    case 4: return op(k, CORE_SUB, x, y);
    case 5: return kernel_select(k->c, op(k, CORE_GE, use(k, k->m), number(k, 2)), x, y);
    }
    return x;
}

static void random_commands(Built *k, uint64_t *seed, Scope scope, int depth);

/* A loop over a share of `rows`; these may begin where others end, after the first of them. */
static void random_share(Built *k, uint64_t *seed, const Scope *scope, const KernelExp *rows,
                         const KernelExp *first, int depth)
{
    unsigned kind = next(seed, 12);
    Scope within = *scope;
    Share s;
    open_share(k, &s, rows, kind < SHARES_CASES ? (int)kind : SHARED);
    within.names[0] = first ? sum(k, s.row, first) : s.row;
    random_commands(k, seed, within, depth - 1);
    close_share(k, &s);
}

/* Of strips, or of rows of a matrix, and then of what is left over. */
static void random_strips(Built *k, uint64_t *seed, const Scope *scope, const KernelExp *rows,
                          const KernelExp *first, int depth)
{
    const KernelExp *n = use(k, k->n), *m = use(k, k->m), *zero = number(k, 0);
    unsigned which = next(seed, 4);
    const KernelExp *width = which == 0   ? times(k, n, m)
                             : which == 1 ? m
                                          : number(k, 2),
                    *strips = kernel_divide(k->c, rows, width);
    strips =
        which > 1 ? strips : kernel_select(k->c, op(k, CORE_GE, width, number(k, 2)), strips, zero);
    strips = declare(k, "strips", op(k, CORE_MAX, strips, zero));
    Share s;
    open_share(k, &s, strips, SHARED);
    KernelVariable *lane = scalar(k, "lane");
    Scope within = *scope;
    KernelBuilder inner, *outer = open_block(k, &inner);
    const KernelExp *at = sum(k, times(k, s.row, width), use(k, lane));
    within.names[0] = first ? sum(k, at, first) : at;
    random_commands(k, seed, within, 0);
    close_for(k, outer, lane, next(seed, 8) ? width : sum(k, width, number(k, 1)));
    close_share(k, &s);
    const KernelExp *start = declare(k, "start", times(k, strips, width));
    const KernelExp *left = op(k, CORE_MAX, op(k, CORE_SUB, rows, start), zero);
    start = first ? sum(k, start, first) : start;
    start = next(seed, 8) ? start : op(k, CORE_SUB, start, number(k, 1));
    random_share(k, seed, scope, declare(k, "left", left), start, depth);
}

static void random_shares(Built *k, uint64_t *seed, const Scope *scope, int depth)
{
    const KernelExp *zero = number(k, 0), *first = NULL, *rows = random_rows(k, seed, 3);
    rows = declare(k, "rows", op(k, CORE_MAX, rows, zero));
    for (unsigned parts = 1 + next(seed, 2); parts > 0; parts--) {
        if (next(seed, 3)) {
            random_share(k, seed, scope, rows, first, depth);
        } else {
            random_strips(k, seed, scope, rows, first, depth);
        }
        const KernelExp *all = next(seed, 2) ? use(k, k->n) : random_rows(k, seed, 2);
        const KernelExp *others = op(k, CORE_SUB, all, next(seed, 8) ? rows : number(k, 1));
        first = rows;
        rows = declare(k, "others", op(k, CORE_MAX, others, zero));
    }
}

static void random_branches(Built *k, uint64_t *seed, const Scope *scope,
                            const KernelExp *condition, int depth)
{
    KernelBuilder first, second, *outer = open_block(k, &first);
    random_commands(k, seed, *scope, depth - 1);
    open_block(k, &second);
    if (next(seed, 2)) {
        random_commands(k, seed, *scope, depth - 1);
    }
    k->at = outer;
    kernel_if(outer, condition, kernel_block(&first), kernel_block(&second));
}

static void random_commands(Built *k, uint64_t *seed, Scope scope, int depth)
{
    unsigned commands = 1 + next(seed, 3);
    KernelVariable *to = k->level == KERNEL_GROUP && next(seed, 2) ? k->x : k->b;
    for (unsigned i = 0; i < commands; i++) {
        KernelBuilder inner, *outer;
        KernelVariable *t = scalar(k, "t");
        const KernelExp *x = scope.names[next(seed, scope.count)], *y;
        switch (next(seed, depth > 0 ? 7 : 4)) {
        case 0: load(k, to, random_index(k, seed, &scope)); break;
        case 1:
        case 2: store(k, to, random_index(k, seed, &scope)); break;
        case 3:
            if (scope.count + 2 <= 12 && next(seed, 2)) {
                scope.names[scope.count++] = declare(k, "s", random_name(k, seed, &scope));
            } else if (scope.count + 2 <= 12) {
                y = next(seed, 3) ? number(k, 2 + next(seed, 4)) : use(k, k->m);
                scope.names[scope.count++] = declare(k, "q", kernel_divide(k->c, x, y));
                scope.names[scope.count++] = declare(k, "r", kernel_modulo(k->c, x, y));
            }
            break;
        case 4:
            y = random_condition(k, seed, &scope);
            random_branches(k, seed, &scope, y, depth);
            break;
        case 5:
        case 6:
            if (k->groups && next(seed, 2)) {
                random_shares(k, seed, &scope, depth);
                break;
            }
            y = random_count(k, seed, &scope);
            outer = open_block(k, &inner);
            if (scope.count < 12) {
                Scope within = scope;
                within.names[within.count++] = use(k, t);
                random_commands(k, seed, within, depth - 1);
            }
            close_for(k, outer, t, y);
            break;
        }
    }
}

/* What the last of all groups does, or the last of m that share a quotient. */
static void random_arrival(Built *k, uint64_t *seed, Scope scope)
{
    KernelVariable *last = buffer(k, "last", CORE_BOOL, KERNEL_LOCAL);
    KernelBuilder local, inner, *before, *outer;
    kernel_declare_buffer(k->at, last, 1);
    if (next(seed, 2)) {
        kernel_arrive(k->at, last);
    } else {
        const KernelExp *parts = op(k, CORE_MAX, use(k, k->m), number(k, 1));
        kernel_arrive_at(k->at, last, kernel_divide(k->c, k->row, parts), parts);
    }
    before = open_local(k, &local);
    scope.names[0] = k->item;
    scope.names[scope.count++] = k->row;
    outer = open_block(k, &inner);
    random_commands(k, seed, scope, 1);
    close_if(k, outer, kernel_load(k->c, last, number(k, 0)));
    close_local(k, before);
}

static void random_group(Built *k, uint64_t *seed, Scope scope, int depth)
{
    unsigned commands = 1 + next(seed, 3);
    for (unsigned i = 0; i < commands; i++) {
        KernelBuilder inner, *outer;
        KernelVariable *t = scalar(k, "t");
        Scope within = scope;
        switch (next(seed, depth > 0 ? 7 : 5)) {
        case 0:
        case 1:
        case 2:
            outer = open_local(k, &inner);
            within.names[0] = k->item;
            within.names[within.count++] = k->row;
            random_commands(k, seed, within, 1);
            close_local(k, outer);
            break;
        case 3: kernel_barrier(k->at); break;
        case 4:
            if (depth > 0) {
                random_arrival(k, seed, scope);
            }
            break;
        case 5:
        case 6:
            outer = open_block(k, &inner);
            within.names[within.count++] = use(k, t);
            random_group(k, seed, within, depth - 1);
            close_for(k, outer, t, next(seed, 3) ? number(k, 1 + next(seed, 3)) : k->several);
            break;
        }
    }
}

/* What is proven has no race at any sizes that are tried. Of the kernels without one a good part is
 * proven, so that the proofs are put to the test. */
static void nothing_is_proven_that_cases_refute(void **state)
{
    (void)state;
    int proven = 0, right = 0;
    const char *wanted = getenv("SEEDS");
#ifdef SANITIZED /* it takes its time */
    uint64_t seeds = wanted ? (uint64_t)atoll(wanted) : 150;
#else
    uint64_t seeds = wanted ? (uint64_t)atoll(wanted) : 600;
#endif
    for (uint64_t first = 1; first <= seeds; first++) {
        uint64_t seed = first * 7919;
        Built *k = begin(next(&seed, 2) ? KERNEL_GRID : KERNEL_GROUP);
        Scope scope = {.names = {k->row}, .count = 1};
        if (next(&seed, 2) && k->level == KERNEL_GROUP) {
            k->groups = scalar(k, "groups");
        }
        k->levels = on_host(k, "levels", sum(k, number(k, next(&seed, 2)), is_more(k, k->m, 3)));
        k->lanes = on_host(k, "lanes", op(k, CORE_SHL, number(k, 1), k->levels));
        k->several = on_host(k, "several", is_more(k, k->m, 1));
        if (k->level == KERNEL_GRID) {
            k->count = next(&seed, 2) ? k->count : times(k, k->count, use(k, k->m));
            random_commands(k, &seed, scope, 2);
        } else {
            random_group(k, &seed, scope, 1);
        }
        Text text = text_create(k->c->arena);
        Verdict v = verdict(k, &text);
        if (v.is_proven && v.race[0]) {
            print_error("%s\n", text_get(&text));
            fail_msg("seed %u: proven, but %s", (unsigned)first, v.race);
        }
        proven += v.is_proven;
        right += v.race[0] == '\0';
        compilation_destroy(k->c);
    }
    if (wanted) {
        print_message("%d of %d\n", proven, right);
    }
    assert_true(3 * proven > right);
}

/* ---- the compiler's kernels, changed ------------------------------------------------------------ */

typedef struct Program {
    KernelTarget target;
    const char *text;
} Program;

static const Program programs[] = {
    /* rows reduced in lanes and parts, with an array made beside */
    {KERNEL_PARALLEL,
     "entry fun main (n : i64, m : i64, a : [n][m]f64) : ([n]f64, [n][m]f64) =\n"
     "  let (sums : [n]f64, twice : [n][m]f64) = map n (a) (\\(row : [m]f64) -> {\n"
     "    let (s : f64, b : [m]f64) = redomap_comm m (row) (\\(x : f64) -> { let (y : f64) = x * "
     "2.0 in (x, y) }) (\\(u : f64, v : f64) -> { let (w : f64) = u + v in (w) }) (0.0)\n"
     "    in (s, b)\n"
     "  })\n"
     "  in (sums, twice)\n"},
    /* rows scanned, tile after tile */
    {KERNEL_PARALLEL,
     "entry fun main (n : i64, m : i64, a : [n][m]i64) : ([n][m]i64) =\n"
     "  let (r : [n][m]i64) = map n (a) (\\(row : [m]i64) -> {\n"
     "    let (s : [m]i64) = scan m (row) (\\(u : i64, v : i64) -> { let (w : i64) = u + v in (w) "
     "}) (0)\n"
     "    in (s)\n"
     "  })\n"
     "  in (r)\n"},
    /* arrays of chunks combined in pairs */
    {KERNEL_PARALLEL,
     "entry fun main (n : i64, xs : [n]i64) : ([9]i64) =\n"
     "  let (zeros : [9]i64) = replicate [9] 0\n"
     "  let (counts : [9]i64) = stream_red n (xs)\n"
     "    (\\(a : [9]i64, b : [9]i64) -> {\n"
     "    let (d : [9]i64) = map 9 (a, b) (\\(u : i64, v : i64) -> { let (w : i64) = u + v in (w) "
     "})\n"
     "    in (d)\n"
     "  })\n"
     "    (\\(m : i64, acc : *[9]i64, chunk : [m]i64) -> {\n"
     "    let (c : [9]i64) = loop (h : *[9]i64 = acc) for i < m do {\n"
     "      let (x : i64) = chunk[i]\n"
     "      let (k : i64) = x % 9\n"
     "      let (o : i64) = h[k]\n"
     "      let (p : i64) = o + 1\n"
     "      let (g : [9]i64) = h with [k] <- p\n"
     "      in (g)\n"
     "    }\n"
     "    in (c)\n"
     "  }) (zeros)\n"
     "  in (counts)\n"},
    /* on processors: rows of borders and what is between */
    {KERNEL_DEVICES, "entry fun main (n : i64, m : i64) : ([n][m]i64) =\n"
                     "  let (is : [n]i64) = iota n\n"
                     "  let (js : [m]i64) = iota m\n"
                     "  let (r : [n][m]i64) = map n (is) (\\(i : i64) -> {\n"
                     "    let (upper : bool) = i < 3\n"
                     "    let (row : [m]i64) = map m (js) (\\(j : i64) -> {\n"
                     "      let (left : bool) = j < 2\n"
                     "      let (next : i64) = j + 1\n"
                     "      let (right : bool) = next < m\n"
                     "      let (x : i64) = if left then { in (1) } else { in (j) }\n"
                     "      let (y : i64) = if right then { in (x) } else { in (i) }\n"
                     "      let (z : i64) = if upper then { in (y) } else { in (x) }\n"
                     "      in (z)\n"
                     "    })\n"
                     "    in (row)\n"
                     "  })\n"
                     "  in (r)\n"},
    /* the same: a few rows and the others, and partial sums */
    {KERNEL_DEVICES, "entry fun main (n : i64) : ([n]i64, i64) =\n"
                     "  let (is : [n]i64) = iota n\n"
                     "  let (s : i64, r : [n]i64) = redomap_comm n (is) (\\(i : i64) -> {\n"
                     "    let (after : i64) = i + 1\n"
                     "    let (x : i64) = after % 4\n"
                     "    let (left : bool) = i < 2\n"
                     "    let (y : i64) = if left then { in (1) } else { in (x) }\n"
                     "    in (y, y)\n"
                     "  }) (\\(u : i64, v : i64) -> { let (w : i64) = u + v in (w) }) (0)\n"
                     "  in (r, s)\n"}};

typedef VEC(KernelExp *) Numbers;

static void find_numbers(Compilation *c, Numbers *numbers, const KernelExp *exp)
{
    if (exp && exp->kind == KERNEL_CONSTANT && exp->prim == CORE_I64) {
        vec_push(c->arena, numbers, (KernelExp *)(uintptr_t)exp);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = exp ? kernel_operands(exp, operands) : 0;
    for (size_t i = 0; i < count; i++) {
        find_numbers(c, numbers, operands[i]);
    }
}

static void find_all_numbers(Compilation *c, Numbers *numbers, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        find_numbers(c, numbers, command->value);
        find_numbers(c, numbers, command->index);
        bool sizes = command->kind == KERNEL_DECLARE || command->level == KERNEL_LOCAL_LOOP;
        find_numbers(c, numbers, sizes ? NULL : command->count);
        find_all_numbers(c, numbers, command->body);
        find_all_numbers(c, numbers, command->otherwise);
        if (command->kind == KERNEL_FOR && command->on_processor) {
            find_all_numbers(c, numbers, command->on_processor->body);
        }
    }
}

static KernelProgram *lowered(Compilation *c, const Program *of)
{
    const char *text = of->text;
    CoreProgram *program = core_parse(c, source_create(c->arena, "test.core", text, strlen(text)));
    assert_non_null(program);
    c->options.flatten_all = of->target == KERNEL_PARALLEL;
    program = core_flatten(c, core_fuse(c, core_simplify(c, program), NULL), NULL, NULL);
    KernelProgram *kernels = kernel_lower(c, program, of->target);
    assert_non_null(kernels);
    if (of->target == KERNEL_DEVICES) {
        kernels = kernel_assume_plain(c, kernels);
        kernels = kernel_split_borders(c, kernels);
        kernels = kernel_shorten_quotients(c, kernels);
        kernels = kernel_share_loops(c, kernels);
    }
    return kernels;
}

static bool is_proven(Compilation *c, const KernelProgram *program)
{
    KernelProofVec proofs = kernel_prove_order(c, program);
    bool proven = true;
    for (size_t i = 0; i < proofs.count; i++) {
        proven = proven && !proofs.items[i].open;
    }
    return proven;
}

/* One number of a program that is proven, by one more, or less, or twice as much. */
static void changes_that_cases_refute_are_not_proven(void **state)
{
    (void)state;
    const char *wanted = getenv("SEEDS");
#ifdef SANITIZED
    unsigned step = wanted ? 1 : 41, refuted = 0, changes = 0;
#else
    unsigned step = wanted ? 1 : 23, refuted = 0, changes = 0;
#endif
    for (size_t which = 0; which < sizeof programs / sizeof *programs; which++) {
        Compilation *c = compilation_create();
        c->pass = "test";
        KernelProgram *program = lowered(c, &programs[which]);
        Numbers numbers = {0};
        find_all_numbers(c, &numbers, program->entries[0].body);
        assert_true(is_proven(c, program));
        for (unsigned i = (unsigned)which; i < 3 * numbers.count; i += step) {
            KernelExp *number = numbers.items[i / 3];
            int64_t old = number->as.constant.as.integer;
            number->as.constant.as.integer = i % 3 == 0 ? old + 1 : i % 3 == 1 ? old - 1 : old * 2;
            const char *race = race_find_by_cases(c, program);
            changes++;
            refuted += race != NULL;
            if (race && is_proven(c, program)) {
                fail_msg("program %zu, number %u, %lld as %lld: proven, but %s", which, i / 3,
                         (long long)old, (long long)number->as.constant.as.integer, race);
            }
            number->as.constant.as.integer = old;
        }
        compilation_destroy(c);
    }
    if (wanted) {
        print_message("%u changes, %u refuted\n", changes, refuted);
    }
    assert_true(refuted > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_proven_that_cases_refute),
        cmocka_unit_test(changes_that_cases_refute_are_not_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
