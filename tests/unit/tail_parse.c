/* The reader of TAIL: what is printed reads back, for programs made at random from whatever the
   builtins' schemes allow; long chains, deep nests and broken texts. */
#include "tail/tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

static int open_compilation(void **state)
{
    *state = compilation_create();
    return 0;
}

static int close_compilation(void **state)
{
    compilation_destroy(*state);
    return 0;
}

static const TailExp *parse_length(Compilation *c, const char *text, size_t length)
{
    return tail_parse(c, source_create(c->arena, "test.tail", text, length));
}

static const TailExp *parse(Compilation *c, const char *text)
{
    return parse_length(c, text, strlen(text));
}

static const char *printed(Compilation *c, const TailExp *program, bool with_instances)
{
    Text text = text_create(c->arena);
    tail_print(c, &text, program, with_instances);
    return arena_text(c->arena, text_get(&text), text.length);
}

static void check_reads_back(Compilation *c, const TailExp *program)
{
    const char *text = printed(c, program, true);
    Compilation *again = compilation_create();
    const TailExp *read = parse(again, text);
    if (!read) {
        diagnostics_print(again->diagnostics, stderr);
        fail_msg("not read:\n%s", text);
    }
    assert_true(tail_check(again, read));
    assert_string_equal(printed(again, read, true), text);
    const TailExp *inferred = parse(again, printed(c, program, false));
    if (!inferred) {
        diagnostics_print(again->diagnostics, stderr);
        fail_msg("not read without instance lists:\n%s", text);
    }
    assert_string_equal(printed(again, inferred, true), text);
    compilation_destroy(again);
}

/* To core that its checker accepts, or a diagnostic (of complex numbers, say). */
static void check_translates(Compilation *c, const TailExp *program)
{
    const CoreProgram *core = tail_to_core(c, program);
    assert_true(core || diagnostics_count(c->diagnostics) > 0);
    if (core && !core_check(c, core)) {
        diagnostics_print(c->diagnostics, stderr);
        fail_msg("translated to what core does not allow:\n%s", printed(c, program, true));
    }
}

/* ---- random programs ------------------------------------------------------------------------- */

typedef struct Generator {
    Compilation *c;
    uint64_t state;
    VEC(TailVariable *) scope;
} Generator;

static size_t below(Generator *g, size_t bound)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (size_t)(g->state >> 11) % bound;
}

static const TailExp *random_value(Generator *g)
{
    static const double REALS[] = {0.0, -0.5, 1e300, 1.0 / 3.0, (double)INFINITY, (double)NAN};
    static const uint32_t CHARS[] = {'a', '\'', '\\', '\n', 1, 127, 233, 0x2373, 0x1F600};
    switch (below(g, 5)) {
    case 0: return tail_bool(g->c, below(g, 2) == 0, NO_SPAN);
    case 1: return tail_double(g->c, REALS[below(g, sizeof REALS / sizeof *REALS)], NO_SPAN);
    case 2: return tail_char(g->c, CHARS[below(g, sizeof CHARS / sizeof *CHARS)], NO_SPAN);
    case 3: return tail_complex(g->c, 0.5, REALS[below(g, 6)], NO_SPAN);
    default: return tail_int(g->c, (int64_t)below(g, 9) - 4, NO_SPAN);
    }
}

static const TailExp *random_argument(Generator *g)
{
    if (g->scope.count > 0 && below(g, 3) > 0)
        return tail_use(g->c, g->scope.items[below(g, g->scope.count)], NO_SPAN);
    const TailExp *items[3] = {random_value(g), NULL, NULL};
    size_t count = below(g, 4);
    for (size_t i = 1; i < count; i++) {
        do {
            items[i] = random_value(g);
        } while (items[i]->type->base.kind != items[0]->type->base.kind);
    }
    return count == 0 ? items[0] : tail_vector(g->c, count, items, NO_SPAN);
}

static const TailExp *random_call(Generator *g, int depth);

/* fn x => e or fn x => fn y => e, e a call or a parameter. */
static const TailExp *random_function(Generator *g, int depth)
{
    TailVariable *parameters[2];
    size_t count = 1 + below(g, 2), mark = g->scope.count;
    for (size_t i = 0; i < count; i++) {
        TailBaseKind base = (TailBaseKind)below(g, TAIL_CHAR + 1);
        const TailType *type = below(g, 4) > 0 ? tail_scalar_type(g->c, base)
                                               : tail_array_type(g->c, base, (int64_t)below(g, 3));
        parameters[i] = tail_variable(g->c, "x", type, NO_SPAN);
        vec_push(g->c->arena, &g->scope, parameters[i]);
    }
    const TailExp *body = random_call(g, depth + 1);
    if (!body)
        body = tail_use(g->c, parameters[below(g, count)], NO_SPAN);
    g->scope.count = mark;
    return tail_lambda(g->c, count, parameters, body, NO_SPAN);
}

/* fn x => fn y => op(x,y), which may print as op; NULL where the types do not fit. */
static const TailExp *random_operator(Generator *g)
{
    TailVariable *parameters[2];
    const TailExp *uses[2];
    TailInstance instance;
    const char *problem;
    size_t count = 1 + below(g, 2);
    TailBaseKind base = (TailBaseKind)below(g, TAIL_CHAR + 1);
    for (size_t i = 0; i < count; i++) {
        parameters[i] = tail_variable(g->c, "x", tail_scalar_type(g->c, base), NO_SPAN);
        uses[i] = tail_use(g->c, parameters[i], NO_SPAN);
    }
    for (int tries = 0; tries < 30; tries++) {
        TailBuiltin builtin = (TailBuiltin)below(g, TAIL_OP_COUNT);
        if (builtin != TAIL_OP_ZILDE &&
            tail_infer_call(g->c, builtin, count, uses, &instance, &problem)) {
            return tail_lambda(g->c, count, parameters,
                               tail_call(g->c, builtin, count, uses, NO_SPAN), NO_SPAN);
        }
    }
    return NULL;
}

/* A call that fits, found by trying; NULL where none was. */
static const TailExp *random_call(Generator *g, int depth)
{
    TailInstance instance;
    const char *problem;
    for (int tries = 0; tries < 60; tries++) {
        TailBuiltin builtin = (TailBuiltin)below(g, TAIL_OP_COUNT);
        const TailExp *arguments[4];
        size_t count = 0;
        bool wants_function = tail_builtin_scheme(builtin)[0] == '(';
        for (const char *s = tail_builtin_scheme(builtin); *s && *s != ';'; s++) {
            if (*s == '(')
                s = strchr(s, ')');
            count += s[0] == '-' && s[1] == '>';
        }
        if (builtin == TAIL_OP_ZILDE || count > 4)
            continue;
        for (size_t i = 0; i < count; i++) {
            bool is_function = i == 0 && wants_function && depth < 3;
            arguments[i] = is_function
                               ? (below(g, 2) ? random_function(g, depth) : random_operator(g))
                               : random_argument(g);
            if (!arguments[i])
                arguments[i] = random_value(g);
        }
        if (tail_infer_call(g->c, builtin, count, arguments, &instance, &problem))
            return tail_call(g->c, builtin, count, arguments, NO_SPAN);
    }
    return NULL;
}

/* A let's variable may have a supertype of its value's type. */
static const TailType *random_supertype(Generator *g, const TailType *type)
{
    if (!tail_is_array(type) || below(g, 2) == 0)
        return type;
    return tail_array_type(g->c, type->base.kind, tail_rank(type));
}

static const TailExp *random_step(Generator *g)
{
    if (below(g, 12) == 0) /* nothing but the let's type says what it is empty of */
        return tail_zilde(g->c, (TailBaseKind)below(g, TAIL_CHAR + 1), NO_SPAN);
    const TailExp *value = below(g, 8) > 0 ? random_call(g, 0) : NULL;
    if (!value)
        value = random_argument(g);
    if (below(g, 12) == 0) {
        const TailExp *items[2] = {value, random_argument(g)};
        value = tail_tuple(g->c, 2, items, NO_SPAN);
    } else if (value->type->kind == TAIL_TUPLE) {
        value = tail_project(g->c, below(g, value->type->count), value, NO_SPAN);
    } else if (below(g, 3) == 0) {
        const TailExp *condition = tail_bool(g->c, true, NO_SPAN);
        const TailExp *other = random_argument(g);
        if (tail_join(g->c, value->type, other->type))
            value = tail_if(g->c, condition, value, other, NO_SPAN);
    }
    return value;
}

static const TailExp *random_program(Generator *g)
{
    VEC(const TailExp *) values = {0};
    g->scope.count = 0;
    size_t count = 1 + below(g, 20);
    for (size_t i = 0; i < count; i++) {
        const TailExp *value = random_step(g);
        const TailType *type = random_supertype(g, value->type);
        vec_push(g->c->arena, &values, value);
        vec_push(g->c->arena, &g->scope, tail_variable(g->c, "v", type, NO_SPAN));
    }
    const TailExp *program = tail_double(g->c, 0.0, NO_SPAN);
    for (size_t i = count; i-- > 0;)
        program = tail_let(g->c, g->scope.items[i], values.items[i], program, NO_SPAN);
    return program;
}

static void random_programs_read_back_and_translate(void **state)
{
    (void)state;
    const char *count = getenv("TAIL_PROGRAMS"), *seed = getenv("TAIL_SEED");
    Generator g = {.state = 88172645463325252u + (seed ? strtoull(seed, NULL, 10) : 0)};
    for (int i = count ? atoi(count) : 400; i > 0; i--) {
        g.c = compilation_create();
        g.scope.items = NULL;
        g.scope.count = g.scope.capacity = 0;
        const TailExp *program = random_program(&g);
        assert_true(tail_check(g.c, program));
        check_reads_back(g.c, program);
        check_translates(g.c, program);
        compilation_destroy(g.c);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void long_chains_are_read(void **state)
{
    Compilation *c = *state;
    enum { LETS = 50000 };
    Text text = text_create(c->arena);
    text_string(&text, "let v0:[int]0 = first([1,2]) in\n");
    for (int i = 1; i <= LETS; i++)
        text_printf(&text, "let v%d:[int]0 = addi(v%d,%d) in\n", i, i - 1, i);
    text_printf(&text, "v%d\n", LETS);
    const TailExp *program = parse(c, text_get(&text));
    assert_non_null(program);
    assert_true(tail_check(c, program));
    assert_string_equal(printed(c, program, false), text_get(&text));
}

/* The text repeated `count` times. */
static const char *repeated(Compilation *c, const char *text, int count, const char *after)
{
    Text all = text_create(c->arena);
    while (count-- > 0)
        text_string(&all, text);
    text_string(&all, after);
    return text_get(&all);
}

static void deep_nests_are_limit_errors(void **state)
{
    (void)state;
    static const char *const NESTS[] = {
        "negi(",   "[",  "(",  "let v:int = ", "if tt then 1 else ", "each(fn x:int => ",
        "let v:(", "(*", "{[", "Prj(",         "fn x:int => ",       "(if ",
    };
    for (size_t i = 0; i < sizeof NESTS / sizeof *NESTS; i++) {
        Compilation *c = compilation_create();
        assert_null(parse(c, repeated(c, NESTS[i], 20000, "1")));
        assert_true(diagnostics_count(c->diagnostics) > 0);
        compilation_destroy(c);
    }
    Compilation *c = compilation_create();
    const char *nest = repeated(c, "negi(", 900, "1");
    assert_non_null(parse(
        c, repeated(c, ")", 0, arena_printf(c->arena, "%s%s", nest, repeated(c, ")", 900, "")))));
    compilation_destroy(c);
}

/* Cut off anywhere, with a byte changed anywhere: diagnostics or a program, never a crash. */
static void broken_texts_are_diagnosed(void **state)
{
    (void)state;
    static const char TEXT[] =
        "let v1:<'b1>0 = zilde{['b2],['r1]}() in (* (* *) *)\n"
        "let v2:(S(int,~7) * [char]1) = (-7,['\\u2373','2373','\\^A']) in\n"
        "let mv3:[double]2 = reshape{[double],[1,2]}([2,3],[1.5,1e~3,inf,nan.0]) in\n"
        "let v4:[complex]0 = if tt then 1.0j2.0 else -3j~4 in\n"
        "power{[int,int],[0,1]}(fn v5:(int * [int]1) => v5,Prj(0,v2),(1,take(2,v1)))\n";
    char *copy = malloc(sizeof TEXT);
    for (size_t i = 0; i + 1 < sizeof TEXT; i++) {
        static const char BYTES[] = "(){}[]<>,:='v1 \n\\*~-\xE2";
        Compilation *c = compilation_create();
        const TailExp *cut = parse_length(c, TEXT, i);
        assert_true(cut || diagnostics_count(c->diagnostics) > 0);
        for (size_t j = 0; j < sizeof BYTES; j++) {
            memcpy(copy, TEXT, sizeof TEXT);
            copy[i] = BYTES[j];
            size_t errors = diagnostics_count(c->diagnostics);
            const TailExp *changed = parse_length(c, copy, sizeof TEXT - 1);
            assert_true(changed == NULL || diagnostics_count(c->diagnostics) == errors);
        }
        compilation_destroy(c);
    }
    free(copy);
}

static void numbers_of_variables_are_kept(void **state)
{
    Compilation *c = *state;
    const TailExp *program =
        parse(c, "let v12:int = 1 in let mv13:int = v12 in let v4294967296:int = "
                 "mv13 in let x:int = v4294967296 in x");
    assert_non_null(program);
    assert_string_equal(printed(c, program, true), "let v12:[int]0 = 1 in\n"
                                                   "let v13:[int]0 = v12 in\n"
                                                   "let v14:[int]0 = v13 in\n"
                                                   "let v15:[int]0 = v14 in\n"
                                                   "v15\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_compilation, close_compilation)
    const struct CMUnitTest tests[] = {
        TEST(random_programs_read_back_and_translate),
        TEST(long_chains_are_read),
        TEST(deep_nests_are_limit_errors),
        TEST(broken_texts_are_diagnosed),
        TEST(numbers_of_variables_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
