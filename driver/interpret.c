/* `tailor run -b interp`: the core program is interpreted, and what it prints, reads and asks for
   goes through the same runtime functions that generated programs call, so that the text is the
   same; so do the values that its entry takes and gives. */
#include "core/entries.h"
#include "core/interpret.h"
#include "driver/command.h"
#include "runtime/tailor.h"

static void effect_print(void *context, CoreValue value, bool complex)
{
    (void)context;
    (complex ? tl_print_complex : tl_print)(stdout, (tl_type)value.prim, value.rank, value.shape,
                                            value.data);
}

static bool effect_read(void *context, CoreFileFormat format, CorePrim prim, int rank,
                        const char *file, int64_t *shape, void **data, const char **error,
                        const char **problem)
{
    (void)context;
    *data = tl_read_array((tl_file_format)format, (tl_type)prim, rank, file, shape, problem);
    *error = tl_read_error();
    return *data != NULL;
}

static bool effect_argument(void *context, CorePrim prim, const char *name, CoreValue fallback,
                            void *result, const char **problem)
{
    (void)context;
    (void)problem;
    switch (prim) {
    case CORE_I32:
        *(int32_t *)result = tl_argument_int32(name, *(const int32_t *)fallback.data);
        return true;
    case CORE_I64:
        *(int64_t *)result = tl_argument_int(name, *(const int64_t *)fallback.data);
        return true;
    case CORE_F32:
        *(float *)result = tl_argument_real32(name, *(const float *)fallback.data);
        return true;
    case CORE_F64:
        *(double *)result = tl_argument_real(name, *(const double *)fallback.data);
        return true;
    case CORE_BOOL:
    case CORE_CHAR:
    case CORE_CERT: break;
    }
    *problem = "program arguments are numbers";
    return false;
}

static int64_t effect_now(void *context)
{
    (void)context;
    return tl_now();
}

static int64_t effect_draws(void *context, int64_t count)
{
    (void)context;
    return tl_draws(count);
}

static void effect_seed(void *context, int64_t seed)
{
    (void)context;
    tl_seed(seed);
}

static int64_t effect_seed_now(void *context)
{
    (void)context;
    return tl_seed_now();
}

static void effect_bench(void *context, int64_t iterations, int64_t milliseconds)
{
    (void)context;
    tl_bench(iterations, milliseconds);
}

static void effect_precision(void *context, int64_t digits)
{
    (void)context;
    tl_precision(digits);
}

static int64_t effect_precision_now(void *context)
{
    (void)context;
    return tl_precision_now();
}

static void effect_format(void *context, CoreValue how, CoreValue value, bool is_complex,
                          int64_t *columns, uint32_t **text)
{
    (void)context;
    tl_type type = (tl_type)value.prim;
    const int64_t *numbers = how.data;
    if (how.rank == 1) {
        *text = tl_format_fields(how.shape[0], numbers, type, value.rank, value.shape, value.data,
                                 columns);
    } else {
        *text = (is_complex ? tl_format_complex : tl_format)(numbers[0], type, value.rank,
                                                             value.shape, value.data, columns);
    }
}

/* ---- the names of the program's arguments ---------------------------------------------------- */

typedef VEC(const char *) TextVec;
typedef VEC(const CoreBody *) BodyVec;

typedef struct BodyList {
    Arena *arena;
    BodyVec bodies;
} BodyList;

static void add_body(void *context, const CoreBody *body)
{
    BodyList *list = context;
    vec_push(list->arena, &list->bodies, body);
}

static void add_text(Arena *arena, TextVec *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->items[i], text) == 0) {
            return;
        }
    }
    vec_push(arena, texts, text);
}

/* All that the program asks for, NULL-terminated, as tl_begin wants them. */
static const char *const *argument_names(Compilation *c, const CoreProgram *program)
{
    TextVec names = {0};
    BodyList work = {.arena = c->arena};
    for (size_t i = 0; i < program->function_count; i++) {
        add_body(&work, program->functions[i]->body);
    }
    while (work.bodies.count > 0) {
        const CoreBody *body = work.bodies.items[--work.bodies.count];
        for (size_t i = 0; i < body->stm_count; i++) {
            const CoreExp *exp = body->stms[i]->exp;
            if (exp->kind == CORE_EXP_ARGUMENT) {
                add_text(c->arena, &names, exp->as.argument.name);
            }
            core_each_body(exp, add_body, &work);
        }
    }
    vec_push(c->arena, &names, NULL);
    return names.items;
}

/* ---- entries -------------------------------------------------------------------------------- */

static tl_parameter runtime_parameter(Arena *arena, const CoreEntryParameter *parameter)
{
    tl_extent *extents = ARENA_ARRAY(arena, tl_extent, parameter->rank);
    for (int k = 0; k < parameter->rank; k++) {
        extents[k] = (tl_extent){parameter->extents[k].parameter, parameter->extents[k].constant};
    }
    return (tl_parameter){parameter->name, parameter->type, (tl_type)parameter->prim,
                          parameter->rank, extents};
}

/* The entry as generated programs describe it. */
static tl_entry runtime_entry(Arena *arena, const CoreEntry *entry)
{
    tl_parameter *parameters = ARENA_ARRAY(arena, tl_parameter, entry->parameter_count);
    for (size_t i = 0; i < entry->parameter_count; i++) {
        parameters[i] = runtime_parameter(arena, &entry->parameters[i]);
    }
    tl_result_type *results = ARENA_ARRAY(arena, tl_result_type, entry->result_count);
    for (size_t i = 0; i < entry->result_count; i++) {
        const CoreEntryResult *result = &entry->result_types[i];
        results[i] = (tl_result_type){result->type, (tl_type)result->prim, result->rank};
    }
    return (tl_entry){.name = entry->name,
                      .signature = entry->signature,
                      .size_count = (int)entry->size_count,
                      .parameter_count = (int)entry->parameter_count,
                      .parameters = parameters,
                      .result_count = (int)entry->result_count,
                      .results = results};
}

typedef struct Entries {
    size_t count;
    const CoreFunction **functions;
    const CoreEntry **entries;
    tl_entry *table;
} Entries;

static Entries entries_of(Compilation *c, const CoreProgram *program)
{
    size_t most = program->function_count;
    Entries list = {0, ARENA_ARRAY(c->arena, const CoreFunction *, most),
                    ARENA_ARRAY(c->arena, const CoreEntry *, most),
                    ARENA_ARRAY(c->arena, tl_entry, most)};
    for (size_t i = 0; i < most; i++) {
        if (program->functions[i]->is_entry) {
            list.functions[list.count] = program->functions[i];
            list.entries[list.count] = core_entry(c, program->functions[i]);
            list.table[list.count] = runtime_entry(c->arena, list.entries[list.count]);
            list.count++;
        }
    }
    return list;
}

/* The values that the runtime has read for the entry's parameters. */
static CoreValue *argument_values(Arena *arena, const CoreEntry *entry)
{
    CoreValue *values = ARENA_ARRAY(arena, CoreValue, entry->parameter_count);
    for (size_t i = 0; i < entry->parameter_count; i++) {
        values[i] = (CoreValue){entry->parameters[i].prim, entry->parameters[i].rank,
                                tl_parameter_shape((int)i), tl_parameter_data((int)i)};
    }
    return values;
}

static void give_results(const CoreEntry *entry, const CoreInterpretation *result)
{
    for (size_t i = 0; result->ok && i < entry->result_count; i++) {
        CoreValue value = result->results[entry->results[i]];
        tl_result((tl_type)value.prim, value.rank, value.shape, value.data);
    }
}

int interpret_program(const Command *command, const CoreProgram *program, const char *program_name)
{
    Compilation *c = command->c;
    size_t count = command->arguments.count;
    char **argv = ARENA_ARRAY(c->arena, char *, count + 2);
    argv[0] = arena_text(c->arena, program_name, strlen(program_name));
    for (size_t i = 0; i < count; i++) {
        argv[i + 1] =
            arena_text(c->arena, command->arguments.items[i], strlen(command->arguments.items[i]));
    }
    Entries entries = entries_of(c, program);
    if (entries.count == 0) {
        return no_entry(command);
    }
    int chosen = tl_begin_entries((int)count + 1, argv, program_name, argument_names(c, program),
                                  (int)entries.count, entries.table);
    const CoreEntry *entry = entries.entries[chosen];
    const CoreEffects effects = {
        .print = effect_print,
        .read = effect_read,
        .argument = effect_argument,
        .now = effect_now,
        .draws = effect_draws,
        .seed = effect_seed,
        .seed_now = effect_seed_now,
        .precision = effect_precision,
        .precision_now = effect_precision_now,
        .bench = effect_bench,
        .format = effect_format,
        .random = tl_random,
    };
    CoreInterpretation result;
    do {
        c->pass = "interpret";
        result = core_interpret(c, program, entry->name, entry->parameter_count,
                                argument_values(c->arena, entry), &effects, command->stream_chunk);
        c->pass = "driver";
        give_results(entry, &result);
    } while (result.ok && tl_again());
    int exit_code = tl_end();
    diagnostics_print(c->diagnostics, stderr);
    return result.ok ? exit_code : EXIT_ERROR;
}
