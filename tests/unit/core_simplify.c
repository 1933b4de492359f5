/* The simplifier on random programs: what a program prints, and how it fails, is the same before
   and after; what comes out passes the checker; a long program takes time in proportion.

   Programs are made as text: scalars of three types, vectors of two sizes, maps, reductions, scans,
   views, loops, branches, guarded elements and updates of copies. What the checker rejects (an
   array used after its consumption) is left out. */
#include "core/interpret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

/* ---- random programs ------------------------------------------------------------------------- */

typedef enum Kind { INT, REAL, BOOL, INTS, REALS, KINDS } Kind;
enum { MOST = 400 };

typedef struct Thing {
    Kind kind;
    int number;
    bool of_m; /* a vector of m elements, not n */
} Thing;

typedef struct Maker {
    Text text;
    uint64_t random;
    int last, depth, lambdas, budget, count;
    Thing things[MOST];
} Maker;

static unsigned below(Maker *m, unsigned limit)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->random >> 33) % limit;
}

static int fresh(Maker *m)
{
    return ++m->last;
}

static void add(Maker *m, Kind kind, int number, bool of_m)
{
    if (m->count < MOST) {
        m->things[m->count++] = (Thing){kind, number, of_m};
    }
}

static const Thing *pick(Maker *m, Kind kind)
{
    const Thing *found = NULL;
    for (int tries = 0; tries < 12 && !found; tries++) {
        const Thing *t = &m->things[below(m, (unsigned)m->count)];
        found = t->kind == kind ? t : NULL;
    }
    return found;
}

/* A scalar operand: a name in scope, or a constant. */
static const char *operand(Maker *m, Kind kind)
{
    static const char *const ints[] = {"0", "1", "-1", "2", "3", "7", "n_1", "m_2"};
    static const char *const reals[] = {"0.0", "-0.0", "1.0", "2.5", "-3.0", "f64.inf"};
    static const char *const bools[] = {"true", "false"};
    const Thing *t = below(m, 4) > 0 ? pick(m, kind) : NULL;
    if (t) {
        return arena_printf(m->text.arena, "v_%d", t->number);
    }
    return kind == INT ? ints[below(m, 8)] : kind == REAL ? reals[below(m, 6)] : bools[below(m, 2)];
}

static const char *type_of(Kind kind, bool of_m)
{
    switch (kind) {
    case INT: return "i64";
    case REAL: return "f64";
    case BOOL: return "bool";
    case INTS: return of_m ? "[m_2]i64" : "[n_1]i64";
    case REALS: return of_m ? "[m_2]f64" : "[n_1]f64";
    case KINDS: break;
    }
    return "";
}

static int let(Maker *m, Kind kind, bool of_m)
{
    int number = fresh(m);
    text_printf(&m->text, "let (v_%d : %s) = ", number, type_of(kind, of_m));
    return number;
}

static void scalar(Maker *m)
{
    static const char *const int_ops[] = {"+",   "-",   "*", "/", "%", "max",
                                          "min", "gcd", "&", "|", "^", "<<"};
    static const char *const real_ops[] = {"+", "-", "*", "/", "max", "min"};
    static const char *const bool_ops[] = {"&", "|", "^", "==", "!="};
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    unsigned choice = below(m, 8);
    Kind kind = choice < 3 ? INT : choice < 5 ? REAL : BOOL;
    Kind from = kind;
    const char *op = kind == INT    ? int_ops[below(m, 12)]
                     : kind == REAL ? real_ops[below(m, 6)]
                                    : bool_ops[below(m, 5)];
    if (choice == 6) {
        from = below(m, 3) ? INT : REAL;
        op = comparisons[below(m, 6)];
    }
    const char *x = operand(m, from), *y = operand(m, from);
    int number = let(m, kind, false);
    if (choice == 7) {
        text_printf(&m->text, "! %s\n", operand(m, BOOL));
    } else if (choice == 4 && below(m, 2)) {
        text_printf(&m->text, "%s %s\n", below(m, 2) ? "convert f64" : "neg", "v_0");
        m->text.length -= 4; /* the placeholder operand */
        m->text.bytes[m->text.length] = '\0';
        bool converts = strncmp(m->text.bytes + m->text.length - 4, "f64 ", 4) == 0;
        text_printf(&m->text, "%s\n", operand(m, converts ? INT : REAL));
    } else if (strcmp(op, "max") == 0 || strcmp(op, "min") == 0 || strcmp(op, "gcd") == 0) {
        text_printf(&m->text, "%s %s %s\n", op, x, y);
    } else {
        text_printf(&m->text, "%s %s %s\n", x, op, y);
    }
    add(m, kind, number, false);
}

static void statements(Maker *m, int count);

static const char *size_text(bool of_m)
{
    return of_m ? "m_2" : "n_1";
}

/* \(x, y) -> x op y */
static const char *operator_text(Maker *m, Kind kind, const char *op)
{
    int x = fresh(m), y = fresh(m), z = fresh(m);
    const char *t = type_of(kind, false);
    return arena_printf(
        m->text.arena, "(\\(v_%d : %s, v_%d : %s) -> { let (v_%d : %s) = v_%d %s v_%d in (v_%d) })",
        x, t, y, t, z, t, x, op, y, z);
}

static void map(Maker *m)
{
    const Thing *first = pick(m, below(m, 2) ? INTS : REALS);
    if (!first || m->depth > 3) {
        return;
    }
    Thing a = *first, b = a;
    const Thing *second = pick(m, REALS);
    b = second && second->of_m == a.of_m ? *second : a;
    Kind kind = below(m, 2) ? INT : REAL;
    int r = fresh(m), x = fresh(m), y = fresh(m), mark = m->count;
    text_printf(&m->text, "let (v_%d : %s) = map %s (v_%d, v_%d) (\\(v_%d : %s, v_%d : %s) -> {\n",
                r, type_of(kind == INT ? INTS : REALS, a.of_m), size_text(a.of_m), a.number,
                b.number, x, type_of(a.kind == INTS ? INT : REAL, false), y,
                type_of(b.kind == INTS ? INT : REAL, false));
    add(m, a.kind == INTS ? INT : REAL, x, false);
    add(m, b.kind == INTS ? INT : REAL, y, false);
    m->depth++, m->lambdas++;
    statements(m, 1 + (int)below(m, 4));
    m->depth--, m->lambdas--;
    text_printf(&m->text, "in (%s) })\n", operand(m, kind));
    m->count = mark;
    add(m, kind == INT ? INTS : REALS, r, a.of_m);
}

static void array(Maker *m)
{
    bool of_m = below(m, 2);
    const Thing *t = pick(m, below(m, 2) ? INTS : REALS);
    unsigned choice = below(m, 8);
    if (choice == 0 || !t) {
        int r = let(m, INTS, of_m);
        text_printf(&m->text, "iota %s\n", size_text(of_m));
        add(m, INTS, r, of_m);
        return;
    }
    if (choice == 1) {
        const char *value = operand(m, REAL);
        int r = let(m, REALS, of_m);
        text_printf(&m->text, "replicate [%s] %s\n", size_text(of_m), value);
        add(m, REALS, r, of_m);
        return;
    }
    Thing a = *t;
    const char *amount = operand(m, INT);
    const char *op = a.kind == INTS ? "+" : below(m, 2) ? "max" : "+";
    bool real_reduce = choice == 6 || choice == 7;
    const char *function =
        real_reduce ? operator_text(m, a.kind == INTS ? INT : REAL, strcmp(op, "max") ? "+" : "*")
                    : "";
    int r = let(m, choice == 6 ? (a.kind == INTS ? INT : REAL) : a.kind, a.of_m);
    const char *size = size_text(a.of_m);
    switch (choice) {
    case 2: text_printf(&m->text, "reverse 0 v_%d\n", a.number); break;
    case 3: text_printf(&m->text, "rotate 0 %s v_%d\n", amount, a.number); break;
    case 4: text_printf(&m->text, "v_%d[0 :+ %s * 1]\n", a.number, size); break;
    case 5: text_printf(&m->text, "copy v_%d\n", a.number); break;
    case 6:
        text_printf(&m->text, "reduce %s (v_%d) %s (%s)\n", size, a.number, function,
                    a.kind == INTS ? "0" : "1.0");
        add(m, a.kind == INTS ? INT : REAL, r, false);
        return;
    default:
        text_printf(&m->text, "scan %s (v_%d) %s (%s)\n", size, a.number, function,
                    a.kind == INTS ? "0" : "1.0");
        break;
    }
    add(m, a.kind, r, a.of_m);
}

/* An index in bounds, or a certificate that says so; the certificate's number. */
static int guard(Maker *m, const char *index, bool of_m)
{
    int p = fresh(m), q = fresh(m), r = fresh(m), k = fresh(m);
    const char *size = size_text(of_m);
    text_printf(&m->text,
                "let (v_%d : bool) = 0 <= %s\nlet (v_%d : bool) = %s < %s\nlet (v_%d : bool) = "
                "v_%d & v_%d\n"
                "let (v_%d : cert) = assert v_%d \"INDEX ERROR\" \"{} of {}\" (%s, %s)\n",
                p, index, q, index, size, r, p, q, k, r, index, size);
    return k;
}

static const char *likely_index(Maker *m, bool of_m)
{
    const char *x = operand(m, INT);
    if (below(m, 8) == 0) {
        return x;
    }
    int number = let(m, INT, false);
    text_printf(&m->text, "%s %% %s\n", x, size_text(of_m));
    return arena_printf(m->text.arena, "v_%d", number);
}

static void element(Maker *m)
{
    const Thing *t = pick(m, below(m, 2) ? INTS : REALS);
    if (!t) {
        return;
    }
    Thing a = *t;
    const char *index = likely_index(m, a.of_m);
    int k = guard(m, index, a.of_m), r = fresh(m);
    Kind kind = a.kind == INTS ? INT : REAL;
    text_printf(&m->text, "let (v_%d : %s) = <v_%d> v_%d[%s]\n", r, type_of(kind, false), k,
                a.number, index);
    add(m, kind, r, false);
}

static void update(Maker *m)
{
    const Thing *t = pick(m, below(m, 2) ? INTS : REALS);
    if (!t) {
        return;
    }
    Thing a = *t;
    const char *index = likely_index(m, a.of_m), *value = operand(m, a.kind == INTS ? INT : REAL);
    int k = guard(m, index, a.of_m), c = a.number;
    if (below(m, 12) > 0) { /* else what is written itself, if nobody uses it again */
        c = fresh(m);
        text_printf(&m->text, "let (v_%d : %s) = copy v_%d\n", c, type_of(a.kind, a.of_m),
                    a.number);
    }
    int r = fresh(m);
    text_printf(&m->text, "let (v_%d : %s) = <v_%d> v_%d with [%s] <- %s\n", r,
                type_of(a.kind, a.of_m), k, c, index, value);
    add(m, a.kind, r, a.of_m);
}

static void loop(Maker *m)
{
    const Thing *t = pick(m, REALS);
    if (!t || m->depth > 3) {
        return;
    }
    Thing a = *t;
    bool unique = below(m, 2), is_while = below(m, 4) == 0;
    const char *first = operand(m, INT);
    int c = fresh(m), s = fresh(m), x = fresh(m), i = fresh(m), p = fresh(m), q = fresh(m),
        mark = m->count;
    static const char *const bounds[] = {"0", "1", "2", "3", "n_1", "m_2"};
    text_printf(&m->text, "let (v_%d : %s) = %s v_%d\n", c, type_of(REALS, a.of_m),
                unique ? "copy" : "reverse 0", a.number);
    if (is_while) {
        int g = fresh(m), j = fresh(m), j1 = fresh(m), g1 = fresh(m), go = fresh(m), je = fresh(m);
        text_printf(
            &m->text,
            "let (v_%d : bool, v_%d : i64, v_%d : i64) = loop (v_%d : bool = %s, v_%d : i64 = 0, "
            "v_%d : i64 = "
            "%s) while v_%d do {\nlet (v_%d : i64) = v_%d + 1\nlet (v_%d : bool) = v_%d < 3\n",
            go, je, p, g, operand(m, BOOL), j, s, first, g, j1, j, g1, j1);
        add(m, INT, s, false);
        add(m, INT, j, false);
        m->depth++;
        statements(m, 1 + (int)below(m, 3));
        m->depth--;
        text_printf(&m->text, "in (v_%d, v_%d, %s) }\n", g1, j1, operand(m, INT));
        m->count = mark;
        add(m, INT, p, false);
        return;
    }
    text_printf(&m->text,
                "let (v_%d : i64, v_%d : %s) = loop (v_%d : i64 = %s, v_%d : %s%s = v_%d) for v_%d "
                "< %s do {\n",
                p, q, type_of(REALS, a.of_m), s, first, x, unique ? "*" : "",
                type_of(REALS, a.of_m), c, i, bounds[below(m, 6)]);
    add(m, INT, s, false);
    add(m, INT, i, false);
    add(m, REALS, x, a.of_m);
    m->depth++;
    statements(m, 1 + (int)below(m, 5));
    m->depth--;
    if (below(m, 3) == 0) { /* state that is copied and updated */
        int y = fresh(m), z = fresh(m), r = fresh(m);
        const char *t1 = type_of(REALS, a.of_m);
        int k = guard(m, arena_printf(m->text.arena, "v_%d", i), a.of_m);
        text_printf(&m->text,
                    "let (v_%d : %s) = copy v_%d\nlet (v_%d : f64) = convert f64 v_%d\nlet (v_%d : "
                    "%s) = <v_%d> v_%d "
                    "with [v_%d] <- v_%d\nin (%s, v_%d) }\n",
                    y, t1, x, z, i, r, t1, k, y, i, z, operand(m, INT), r);
        m->count = mark;
        add(m, INT, p, false);
        add(m, REALS, q, a.of_m);
        return;
    }
    const Thing *next = below(m, 4) ? pick(m, REALS) : NULL;
    int result = next && next->of_m == a.of_m && (!unique || next->number > x) ? next->number : x;
    text_printf(&m->text, "in (%s, v_%d) }\n", operand(m, INT), result);
    m->count = mark;
    add(m, INT, p, false);
    add(m, REALS, q, a.of_m);
}

static void branch(Maker *m)
{
    if (m->depth > 3) {
        return;
    }
    Kind kind = below(m, 2) ? INT : REAL;
    int r = fresh(m), mark = m->count;
    text_printf(&m->text, "let (v_%d : %s) = if %s then {\n", r, type_of(kind, false),
                operand(m, BOOL));
    m->depth++;
    for (int side = 0; side < 2; side++) {
        statements(m, (int)below(m, 3));
        text_printf(&m->text, side == 0 ? "in (%s) } else {\n" : "in (%s) }\n", operand(m, kind));
        m->count = mark;
    }
    m->depth--;
    add(m, kind, r, false);
}

static void print(Maker *m)
{
    const Thing *t = m->lambdas == 0 ? pick(m, (Kind)below(m, KINDS)) : NULL;
    if (t) {
        text_printf(&m->text, "let () = print v_%d\n", t->number);
    }
}

static void statements(Maker *m, int count)
{
    for (int i = 0; i < count && m->budget-- > 0; i++) {
        unsigned choice = below(m, 20);
        if (choice < 8) {
            scalar(m);
        } else if (choice < 11) {
            array(m);
        } else if (choice < 13) {
            map(m);
        } else if (choice < 14) {
            element(m);
        } else if (choice < 16) {
            update(m);
        } else if (choice < 17) {
            loop(m);
        } else if (choice < 18) {
            branch(m);
        } else {
            print(m);
        }
    }
}

static const char *make(Arena *arena, unsigned seed)
{
    Maker m = {.text = text_create(arena), .random = seed * 7919u + 1, .last = 9, .budget = 60};
    text_string(
        &m.text,
        "entry fun main (n_1 : i64, m_2 : i64) : () =\n"
        "let (v_3 : bool) = n_1 >= 0\nlet (v_4 : cert) = assert v_3 \"LENGTH ERROR\" \"\" ()\n"
        "let (v_5 : bool) = m_2 >= 0\nlet (v_6 : cert) = assert v_5 \"LENGTH ERROR\" \"\" ()\n"
        "let (v_7 : [n_1]i64) = <v_4> iota n_1\nlet (v_8 : [m_2]f64) = <v_6> replicate [m_2] "
        "1.5\n");
    add(&m, INTS, 7, false);
    add(&m, REALS, 8, true);
    statements(&m, 40);
    for (int i = 0; i < 12; i++) {
        print(&m);
    }
    text_string(&m.text, "in ()\n");
    return text_get(&m.text);
}

/* ---- running them ---------------------------------------------------------------------------- */

static void note_print(void *context, CoreValue value, bool complex)
{
    (void)complex;
    static const size_t sizes[] = {1, 4, 4, 8, 4, 8, 0};
    Text *out = context;
    size_t count = 1;
    for (int i = 0; i < value.rank; i++) {
        count *= (size_t)value.shape[i];
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)value.data + i * sizes[value.prim], sizes[value.prim]);
        bool is_nan = value.prim == CORE_F64 && (bits << 1) > (uint64_t)0x7FF << 53;
        text_printf(out, is_nan ? " nan" : " %llx", (unsigned long long)bits);
    }
    text_char(out, '\n');
}

/* What the program prints, then what it fails with. */
static const char *behaviour(Compilation *c, const CoreProgram *program, int64_t n, int64_t m)
{
    Text out = text_create(c->arena);
    const CoreEffects effects = {.context = &out, .print = note_print};
    const CoreValue arguments[] = {{CORE_I64, 0, NULL, &n}, {CORE_I64, 0, NULL, &m}};
    c->diagnostics = diagnostics_create(c->arena);
    core_interpret(c, program, "main", 2, arguments, &effects, 0);
    char message[2000] = "";
    FILE *file = fmemopen(message, sizeof message, "w");
    diagnostics_print(c->diagnostics, file);
    fclose(file);
    text_string(&out, message);
    return text_get(&out);
}

/* Whether the checker takes the program; then it must behave the same when it is simplified. */
static bool agrees(unsigned seed)
{
    static const int64_t sizes[][2] = {{0, 3}, {1, 0}, {4, 2}, {-1, 2}};
    Compilation *c = compilation_create();
    const char *text = make(c->arena, seed);
    const SourceFile *source = source_create(c->arena, "random.core", text, strlen(text));
    CoreProgram *program = core_parse(c, source);
    if (!program) {
        diagnostics_print(c->diagnostics, stderr);
        fail_msg("program %u does not parse:\n%s", seed, text);
    }
    bool good = core_check(c, program);
    if (good) {
        const CoreProgram *simple = core_simplify(c, program);
        if (!core_check(c, simple)) {
            diagnostics_print(c->diagnostics, stderr);
            fail_msg("program %u is wrong after simplification:\n%s", seed, text);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const char *before = behaviour(c, program, sizes[i][0], sizes[i][1]);
            const char *after = behaviour(c, simple, sizes[i][0], sizes[i][1]);
            if (strcmp(before, after) != 0) {
                fail_msg("program %u differs for n=%lld, m=%lld:\n%s\nbefore:\n%s\nafter:\n%s",
                         seed, (long long)sizes[i][0], (long long)sizes[i][1], text, before, after);
            }
        }
    }
    compilation_destroy(c);
    return good;
}

static void random_programs_behave_the_same(void **state)
{
    (void)state;
    const char *first = getenv("SIMPLIFY_SEED"), *count = getenv("SIMPLIFY_COUNT");
    unsigned start = first ? (unsigned)atoi(first) : 1, total = count ? (unsigned)atoi(count) : 600,
             good = 0;
    for (unsigned seed = start; seed < start + total; seed++) {
        good += agrees(seed);
    }
    print_message("%u of %u random programs were well-typed\n", good, total);
    assert_true(4 * good >= total);
}

/* ---- long programs --------------------------------------------------------------------------- */

static double seconds_for(int statements_wanted)
{
    Compilation *c = compilation_create();
    Text text = text_create(c->arena);
    text_string(&text, "entry fun main (n_1 : i64) : (i64) =\n");
    for (int i = 2; i < statements_wanted; i++) {
        text_printf(&text, "let (v_%d : i64) = %s_%d * %s\n", i, i == 2 ? "n" : "v", i - 1,
                    i % 3 ? "n_1" : "3");
    }
    text_printf(&text, "in (v_%d)\n", statements_wanted - 1);
    const SourceFile *source = source_create(c->arena, "long.core", text_get(&text), text.length);
    CoreProgram *program = core_parse(c, source);
    assert_non_null(program);
    clock_t start = clock();
    core_simplify(c, program);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    compilation_destroy(c);
    return seconds;
}

static void time_is_linear(void **state)
{
    (void)state;
    double short_time = seconds_for(5000), long_time = seconds_for(50000);
    assert_true(long_time < 40 * short_time + 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_behave_the_same),
        cmocka_unit_test(time_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
