/* TAIL programs that are built, translated to core, checked, and run by the interpreter; what they
   print is compared with worked-out values. `vec(n)` is 1..n read from a file, `run_time(k)` an
   argument: values that only run time knows. */
#ifndef TESTS_UNIT_TAIL_TO_CORE_H
#define TESTS_UNIT_TAIL_TO_CORE_H

#include "core/interpret.h"
#include "tail/tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

typedef const TailExp *Exp;

/* ---- building programs --------------------------------------------------------------------- */

static Compilation *c; /* of the test that runs */

static inline int open_compilation(void **state)
{
    (void)state;
    c = compilation_create();
    return 0;
}

static inline int close_compilation(void **state)
{
    (void)state;
    compilation_destroy(c);
    return 0;
}

static inline Exp I(int64_t value)
{
    return tail_int(c, value, NO_SPAN);
}

static inline Exp D(double value)
{
    return tail_double(c, value, NO_SPAN);
}

static inline Exp B(bool value)
{
    return tail_bool(c, value, NO_SPAN);
}

#define COUNT(...) (sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define V(...) int_vector(COUNT(__VA_ARGS__), (int64_t[]){__VA_ARGS__})

static inline Exp int_vector(size_t count, const int64_t *values)
{
    Exp items[16];
    for (size_t i = 0; i < count; i++)
        items[i] = I(values[i]);
    return tail_vector(c, count, items, NO_SPAN);
}

static inline Exp bools(const char *text)
{
    Exp items[16];
    size_t count = strlen(text);
    for (size_t i = 0; i < count; i++)
        items[i] = B(text[i] == '1');
    return tail_vector(c, count, items, NO_SPAN);
}

static inline Exp string(const char *text)
{
    Exp items[64];
    size_t count = strlen(text);
    for (size_t i = 0; i < count; i++)
        items[i] = tail_char(c, (uint32_t)text[i], NO_SPAN);
    return tail_vector(c, count, items, NO_SPAN);
}

#define CALL(builtin, ...)                                                                         \
    tail_call(c, TAIL_OP_##builtin, sizeof((Exp[]){__VA_ARGS__}) / sizeof(Exp),                    \
              (Exp[]){__VA_ARGS__}, NO_SPAN)

static inline Exp vec(int n)
{
    return CALL(READINTVECFILE, string(arena_printf(c->arena, "%d", n)));
}

static inline Exp reals(int n)
{
    return CALL(READDOUBLEVECFILE, string(arena_printf(c->arena, "%d", n)));
}

static inline Exp run_time(int64_t value)
{
    return CALL(ARGINT, string("k"), I(value));
}

static inline Exp matrix(int64_t rows, int64_t columns)
{
    return CALL(RESHAPE, V(rows, columns), vec((int)(rows * columns)));
}

static inline TailVariable *variable(const TailType *type)
{
    return tail_variable(c, "v", type, NO_SPAN);
}

static inline Exp use(TailVariable *v)
{
    return tail_use(c, v, NO_SPAN);
}

static inline Exp op2(TailBuiltin builtin, TailBaseKind base)
{
    TailVariable *p[2] = {variable(tail_scalar_type(c, base)), variable(tail_scalar_type(c, base))};
    return tail_lambda(c, 2, p, tail_call(c, builtin, 2, (Exp[]){use(p[0]), use(p[1])}, NO_SPAN),
                       NO_SPAN);
}

static inline Exp op1(TailBuiltin builtin, TailBaseKind base)
{
    TailVariable *p = variable(tail_scalar_type(c, base));
    return tail_lambda(c, 1, &p, tail_call(c, builtin, 1, (Exp[]){use(p)}, NO_SPAN), NO_SPAN);
}

#define PLUS op2(TAIL_OP_ADDI, TAIL_INT)
#define MINUS op2(TAIL_OP_SUBI, TAIL_INT)

static inline Exp function(TailVariable *parameter, Exp body)
{
    return tail_lambda(c, 1, &parameter, body, NO_SPAN);
}

static inline Exp let(TailVariable *v, Exp value, Exp body)
{
    return tail_let(c, v, value, body, NO_SPAN);
}

static inline Exp print(Exp exp)
{
    static const TailBuiltin PRINTS[] = {TAIL_OP_PRARRB, TAIL_OP_PRARRI, TAIL_OP_PRARRD,
                                         TAIL_OP_PRARRX, TAIL_OP_PRARRC};
    return tail_call(c, PRINTS[exp->type->base.kind], 1, &exp, NO_SPAN);
}

/* ---- running programs ---------------------------------------------------------------------- */

typedef struct World {
    Text out;
    int64_t draws, seed, clock, digits;
} World;

static inline void print_item(Text *out, CoreValue value, int64_t i)
{
    switch (value.prim) {
    case CORE_BOOL: text_printf(out, "%d", ((const unsigned char *)value.data)[i]); return;
    case CORE_CHAR: text_codepoint(out, ((const uint32_t *)value.data)[i]); return;
    case CORE_I32: text_printf(out, "%d", ((const int32_t *)value.data)[i]); return;
    case CORE_I64: text_printf(out, "%lld", (long long)((const int64_t *)value.data)[i]); return;
    case CORE_F32: text_printf(out, "%g", (double)((const float *)value.data)[i]); return;
    case CORE_F64: text_printf(out, "%g", ((const double *)value.data)[i]); return;
    case CORE_CERT: return;
    }
}

/* "5", "[3](1 2 3)", "[2 2](1 2 3 4)"; chars without spaces. */
static inline void do_print(void *context, CoreValue value, bool complex)
{
    (void)complex; /* shown as two planes */
    Text *out = &((World *)context)->out;
    int64_t count = 1;
    if (out->length > 0)
        text_char(out, ' ');
    for (int i = 0; i < value.rank; i++) {
        text_printf(out, "%s%lld", i ? " " : "[", (long long)value.shape[i]);
        count *= value.shape[i];
    }
    if (value.rank)
        text_string(out, "](");
    for (int64_t i = 0; i < count; i++) {
        if (i && value.prim != CORE_CHAR)
            text_char(out, ' ');
        print_item(out, value, i);
    }
    if (value.rank)
        text_char(out, ')');
}

/* "3": 1 2 3; all extents of an array are the same. */
static inline bool do_read(void *context, CoreFileFormat format, CorePrim prim, int rank,
                           const char *file, int64_t *shape, void **data, const char **error,
                           const char **problem)
{
    (void)context, (void)error, (void)problem, (void)format;
    int64_t total = 1, *count = &total;
    for (int k = 0; k < rank; k++) {
        shape[k] = atoi(file);
        total *= shape[k];
    }
    *data = calloc((size_t)*count + 1, 8);
    for (int64_t i = 0; i < *count; i++) {
        if (prim == CORE_F64)
            ((double *)*data)[i] = (double)(i + 1);
        else if (prim == CORE_F32)
            ((float *)*data)[i] = (float)(i + 1);
        else if (prim == CORE_I64)
            ((int64_t *)*data)[i] = i + 1;
        else
            ((int32_t *)*data)[i] = (int32_t)(i + 1);
    }
    return true;
}

static inline bool do_argument(void *context, CorePrim prim, const char *name, CoreValue fallback,
                               void *result, const char **problem)
{
    (void)context;
    (void)name;
    (void)problem;
    memcpy(result, fallback.data, prim == CORE_I32 || prim == CORE_F32 ? 4 : 8);
    return true;
}

static inline int64_t do_now(void *context)
{
    return ((World *)context)->clock += 5;
}

static inline int64_t do_draws(void *context, int64_t count)
{
    World *world = context;
    world->draws += count;
    return world->draws - count;
}

static inline void do_seed(void *context, int64_t seed)
{
    ((World *)context)->seed = seed;
}

static inline int64_t do_seed_now(void *context)
{
    return ((World *)context)->seed;
}

static inline void do_bench(void *context, int64_t iterations, int64_t milliseconds)
{
    text_printf(&((World *)context)->out, " bench %lld %lld", (long long)iterations,
                (long long)milliseconds);
}

static inline void do_precision(void *context, int64_t digits)
{
    ((World *)context)->digits = digits;
}

static inline int64_t do_precision_now(void *context)
{
    return ((World *)context)->digits;
}

/* A scalar int; a vector of fields as how many they are. */
static inline void do_format(void *context, CoreValue how, CoreValue value, bool is_complex,
                             int64_t *columns, uint32_t **text)
{
    (void)context, (void)is_complex;
    char buffer[64];
    *columns = how.rank == 0
                   ? snprintf(buffer, sizeof buffer, "%lld", *(const long long *)value.data)
                   : snprintf(buffer, sizeof buffer, "%lld", (long long)how.shape[0]);
    *text = calloc((size_t)*columns + 1, sizeof **text);
    for (int64_t i = 0; i < *columns; i++)
        (*text)[i] = (uint32_t)buffer[i];
}

static inline int64_t do_random(int64_t seed, int64_t draw)
{
    return (int64_t)(((uint64_t)seed * 1000 + (uint64_t)draw) << 40);
}

static inline const char *messages(void)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    diagnostics_print(c->diagnostics, file);
    fclose(file);
    char *copy = arena_text(c->arena, bytes, size);
    free(bytes);
    return copy;
}

static inline CoreProgram *translate(Exp program)
{
    if (!tail_check(c, program)) {
        print_message("%s", messages());
        return NULL;
    }
    CoreProgram *core = tail_to_core(c, program);
    if (core && !core_check(c, core)) {
        Text text = text_create(c->arena);
        core_print(c, &text, core);
        print_message("%s%s", text_get(&text), messages());
        fail_msg("the core program is wrong");
    }
    return core;
}

static inline const char *core_text(Exp program)
{
    Text text = text_create(c->arena);
    core_print(c, &text, translate(program));
    return text_get(&text);
}

/* What the program prints, then its diagnostics. */
static inline const char *run(Exp program)
{
    World world = {.out = text_create(c->arena), .seed = 1};
    CoreEffects effects = {.context = &world,
                           .print = do_print,
                           .read = do_read,
                           .argument = do_argument,
                           .now = do_now,
                           .draws = do_draws,
                           .seed = do_seed,
                           .seed_now = do_seed_now,
                           .bench = do_bench,
                           .precision = do_precision,
                           .precision_now = do_precision_now,
                           .format = do_format,
                           .random = do_random};
    CoreProgram *core = translate(program);
    if (core)
        core_interpret(c, core, "main", 0, NULL, &effects, 0);
    text_string(&world.out, messages());
    return text_get(&world.out);
}

static inline void expect_at(int line, Exp exp, const char *wanted)
{
    const char *got = run(print(exp));
    if (strcmp(got, wanted) != 0)
        fail_msg("line %d: '%s' where '%s' is wanted", line, got, wanted);
}

static inline void expect_error_at(int line, Exp exp, const char *wanted)
{
    const char *got = run(exp->type->kind == TAIL_TUPLE ? exp : print(exp));
    if (!strstr(got, wanted))
        fail_msg("line %d: '%s' where '%s' is wanted", line, got, wanted);
    compilation_destroy(c);
    c = compilation_create();
}

#define EXPECT(exp, text) expect_at(__LINE__, exp, text)
#define EXPECT_ERROR(exp, text) expect_error_at(__LINE__, exp, text)
#define RUNS(program, text) assert_string_equal(run(program), text)

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_compilation, close_compilation)

#endif
