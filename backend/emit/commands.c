/* Commands that read the same in C, on the OpenCL host and in kernels (scalars and control),
   initialisers of C tables, and effects that touch no buffer.

       declare x : f64 = e        const double x_1 = e;
       for i < n { ... }          for (int64_t i_2 = 0; i_2 < n_3; i_2++) { ... } */
#include "backend/emit/emit.h"

#include <stdarg.h>

void emit_begin(Emit *e, Compilation *c, const KernelProgram *program, EmitDialect dialect)
{
    e->c = c;
    e->program = program;
    e->survey = emit_survey(c, program);
    e->dialect = dialect;
    e->file_scope = ARENA_ARRAY(c->arena, bool, program->variable_count + 1);
    e->names = ARENA_ARRAY(c->arena, const char *, program->variable_count + 1);
}

void emit_line(Emit *e, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *line = arena_allocate(e->c->arena, (size_t)length + 1);
    vsnprintf(line, (size_t)length + 1, format, again);
    va_end(arguments);
    va_end(again);
    if (*line)
        text_spaces(e->out, 4 * e->indent);
    text_append(e->out, line, (size_t)length);
    text_char(e->out, '\n');
}

void emit_blank(Emit *e)
{
    text_char(e->out, '\n');
}

/* ---- scalars and control -------------------------------------------------------------------- */

/* Neighbours in memory are one vector in a kernel:

       const float4 x_7_wide = *(const global float4 *)&a_2[i_5];
       const float x_7 = x_7_wide.s0;
       const float x_8 = x_7_wide.s1;  ... */
static const char *emit_part(Emit *e, const KernelCmd *command)
{
    const KernelVariable *buffer = command->value->as.load.buffer;
    if (command->part == 0) {
        const char *type = arena_printf(e->c->arena, "%s%u",
                                        emit_element_type(e->dialect, buffer->prim), command->wide);
        e->wide = arena_printf(e->c->arena, "%s_wide", emit_name(e, command->variable));
        emit_line(e, "const %s %s = *(const global %s *)&%s;", type, e->wide, type,
                  emit_exp(e, command->value));
    }
    return arena_printf(e->c->arena, "%s.s%x", e->wide, command->part);
}

static void emit_declare(Emit *e, const KernelCmd *command)
{
    KernelVariable *variable = command->variable;
    const char *name = emit_name(e, variable);
    if (variable->space != KERNEL_SCALAR) {
        if (e->file_scope[variable->number])
            return;
        long long count = (long long)command->count->as.constant.as.integer;
        bool is_bytes = e->dialect == EMIT_C && variable->most > 0;
        emit_line(e, "%s %s[%lld];",
                  is_bytes ? "uint8_t" : emit_element_type(e->dialect, variable->prim), name,
                  count > 0 ? count : 1);
        return;
    }
    const bool is_part = e->dialect == EMIT_DEVICE && command->wide > 0;
    if (e->survey.once[variable->number] && command->value && command->wide == 0) {
        return; /* nothing uses it */
    }
    const char *value = is_part          ? emit_part(e, command)
                        : command->value ? emit_definition(e, variable, command->value)
                                         : "0";
    if (e->file_scope[variable->number]) {
        emit_line(e, "%s = %s;", name, value);
    } else {
        const char *type = emit_variable_type(e, variable);
        /* A bool in memory is 0 or 1: a device need not make that of it. */
        bool is_byte = e->dialect == EMIT_DEVICE && variable->prim == CORE_BOOL && command->value &&
                       command->value->kind == KERNEL_LOAD;
        if (is_byte)
            type = emit_element_type(e->dialect, CORE_BOOL);
        emit_line(e, "%s%s %s = %s;", e->survey.assigned[variable->number] ? "" : "const ", type,
                  name, value);
    }
}

static bool assigns(KernelBlock block, const KernelVariable *variable)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool sets = command->variable == variable || command->effect.result == variable;
        if (sets || assigns(command->body, variable) || assigns(command->otherwise, variable))
            return true;
    }
    return false;
}

/* Whether a loop's count is an operand that keeps its value while the loop runs. */
static bool is_steady(const Emit *e, const KernelCmd *loop)
{
    const KernelExp *count = loop->count;
    if (count->kind == KERNEL_CONSTANT)
        return true;
    if (count->kind != KERNEL_VARIABLE)
        return false;
    return !e->survey.assigned[count->as.variable->number] ||
           !assigns(loop->body, count->as.variable);
}

/* ---- numbers of iterations that GCC must not know ---------------------------------------------- */

/* Where inner loops are written out and something is loaded under a condition, GCC 12 (-O3, AVX2 and
   later) takes all iterations as one loop of vectors with masked loads; where it knows how many
   there are, it takes some elements from a wrong iteration:

       for (i < 9) { for (j < 4) { if (i < 8) x = v[4*i+j]; else x = 7; for (q < 2) ... } }  */
enum { FEWEST_HIDDEN = 2 };

typedef struct Loads {
    bool any, conditional;
} Loads;

static void find_loads(void *context, const KernelExp *exp)
{
    Loads *found = context, inner = {false, false};
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        find_loads(&inner, operands[i]);
    }
    found->conditional =
        found->conditional || inner.conditional || (exp->kind == KERNEL_SELECT && inner.any);
    found->any = found->any || inner.any || exp->kind == KERNEL_LOAD;
}

static bool loads_conditionally(KernelBlock block, bool in_branch)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        const bool branch = in_branch || command->kind == KERNEL_IF;
        Loads loads = {false, false};
        emit_each_exp(command, find_loads, &loads);
        if (loads.conditional || (in_branch && loads.any) ||
            loads_conditionally(command->body, branch) ||
            loads_conditionally(command->otherwise, branch))
            return true;
    }
    return false;
}

static bool is_hidden(const Emit *e, const KernelCmd *loop)
{
    return e->dialect == EMIT_C && !e->on_processor && loop->count->kind == KERNEL_CONSTANT &&
           (loop->hides_count || (loop->count->as.constant.as.integer >= FEWEST_HIDDEN &&
                                  loads_conditionally(loop->body, false)));
}

static void emit_body(Emit *e, KernelBlock block)
{
    e->indent++;
    emit_block(e, block);
    e->indent--;
}

enum { MOST_UNROLLED = 64, LONGEST_UNROLLED = 24 };

/* Plain commands of a block, also under an `if` in it; more than LONGEST_UNROLLED: others too. */
static size_t plain_length(KernelBlock block)
{
    size_t length = block.count;
    for (size_t i = 0; i < block.count && length <= LONGEST_UNROLLED; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_branch = command->kind == KERNEL_IF && command->otherwise.count == 0;
        length += command->body.count == 0 ? 0
                  : is_branch              ? plain_length(command->body)
                                           : LONGEST_UNROLLED + 1;
    }
    return length;
}

/* A short loop of a work-item inside another: what the outer one does not change stays in
   registers. */
static bool is_unrolled(const Emit *e, const KernelCmd *loop)
{
    return e->loops > 0 && loop->count->kind == KERNEL_CONSTANT &&
           loop->count->as.constant.as.integer <= MOST_UNROLLED &&
           plain_length(loop->body) <= LONGEST_UNROLLED;
}

/* What makes it a loop of vectors; NULL: nothing does, or it is in such a loop. */
static const char *pragma_of(Emit *e, const KernelCmd *loop)
{
    if (e->dialect != EMIT_C || e->in_simd)
        return NULL;
    const char *simd = emit_simd(e, loop);
    return simd || !e->on_processor ? simd : emit_vector_loop(e, loop);
}

static void print_loop(Emit *e, const KernelCmd *command)
{
    const char *type = emit_variable_type(e, command->variable);
    const char *i = emit_name(e, command->variable);
    const char *bound = emit_exp(e, command->count);
    if (!is_steady(e, command)) {
        emit_line(e, "const %s %s_count = %s;", type, i, bound);
        bound = arena_printf(e->c->arena, "%s_count", i);
    } else if (is_hidden(e, command)) {
        emit_line(e, "const %s %s_count = tl_hidden(%s);", type, i, bound);
        bound = arena_printf(e->c->arena, "%s_count", i);
    }
    if (e->dialect == EMIT_DEVICE && (command->unrolled || is_unrolled(e, command))) {
        bool some = command->unrolled > 0 && command->unrolled < KERNEL_WRITE_OUT;
        const char *all = e->in_tiles ? "TL_WRITE_OUT" : "#pragma unroll";
        emit_line(e, some ? "#pragma unroll %u" : all, command->unrolled);
    }
    const bool in_simd = e->in_simd;
    const char *simd = pragma_of(e, command);
    if (simd && e->on_processor && emit_has_lanes(e, command)) {
        e->loops++;
        e->in_simd = true;
        emit_lanes(e, command, bound, simd, emit_body);
        e->in_simd = in_simd;
        e->loops--;
        return;
    }
    if (simd)
        emit_line(e, "%s", simd);
    if (in_simd)
        emit_line(e, "#pragma %sunroll %lld", e->on_processor ? "" : "GCC ",
                  (long long)command->count->as.constant.as.integer);
    emit_line(e, "for (%s %s = 0; %s < %s; %s++) {", type, i, i, bound, i);
    e->loops++;
    e->in_simd = simd != NULL;
    emit_body(e, command->body);
    e->in_simd = in_simd;
    e->loops--;
    emit_line(e, "}");
}

static bool is_innermost(const KernelCmd *loop)
{
    for (size_t i = 0; i < loop->body.count; i++) {
        KernelCmdKind kind = loop->body.commands[i]->kind;
        if (kind == KERNEL_FOR || kind == KERNEL_WHILE || kind == KERNEL_IF)
            return false;
    }
    return true;
}

static void emit_loop(Emit *e, const KernelCmd *command)
{
    bool in_vectors =
        e->in_simd && !e->on_processor; /* of the second time, or that may not repeat */
    bool is_last = e->dialect == EMIT_C && !e->far && !in_vectors &&
                   (pragma_of(e, command) || is_innermost(command));
    if (is_last && emit_may_repeat(e, command)) {
        emit_twice_around(e, command, print_loop);
    } else {
        print_loop(e, command);
    }
}

/* What a loop makes that makes several numbers (runtime/vector.h). */
static void emit_settled(Emit *e, const KernelCmd *loop)
{
    KernelFreeVec names = kernel_free(e->c, (KernelBlock){1, &loop});
    size_t count = 0;
    for (size_t i = 0; i < names.count; i++) {
        count += names.items[i].written && names.items[i].variable->space == KERNEL_SCALAR;
    }
    for (size_t i = 0; i < names.count && count > 1; i++) {
        if (names.items[i].written && names.items[i].variable->space == KERNEL_SCALAR) {
            emit_line(e, "TL_SETTLE(%s);", emit_name(e, names.items[i].variable));
        }
    }
}

/* Settling the numbers would keep GCC from making vectors of the loop around. The numbers that it sums up wrongly are what
   lanes of a vector have of a sum, where it has moved an addition behind the loop into it. Here it has no such lanes: it
   makes no vectors of the loop itself, which needs one of the numbers for another; and to the loop around that is none,
   but straight code of one iteration. */
static bool may_stay_open(Emit *e, const KernelCmd *loop)
{
    return e->in_simd && emit_folds_together(e, loop);
}

static void emit_for(Emit *e, const KernelCmd *command)
{
    const char *may_fuse = emit_twice_begin(e, command);
    if (may_fuse) {
        emit_line(e, "if (%s) {", may_fuse);
        e->indent++;
        emit_loop(e, command);
        e->indent--;
        emit_twice_end(e);
        emit_line(e, "} else {");
        e->indent++;
        emit_loop(e, command);
        e->indent--;
        emit_line(e, "}");
    } else {
        emit_loop(e, command);
    }
    if (e->dialect == EMIT_C && !e->on_processor && !may_stay_open(e, command)) {
        emit_settled(e, command);
    }
}

void emit_call(Emit *e, const KernelCmd *command, EmitBuffers *give, EmitBuffers *take)
{
    const KernelEntry *function = &e->program->entries[command->number];
    size_t value = 0, source = 0;
    for (size_t i = 0; i < function->parameter_count; i++) {
        const KernelVariable *parameter = function->parameters[i];
        if (parameter->space == KERNEL_SCALAR) {
            emit_line(e, "%s = %s;", emit_name(e, parameter),
                      emit_exp(e, command->values[value++]));
        } else {
            give(e, parameter, command->sources[source++]);
        }
    }
    emit_line(e, "%s();", emit_entry_name(e, command->number));
    for (size_t i = 0; i < command->payload_count; i++) {
        const KernelVariable *variable = command->payload[i], *result = function->results[i];
        if (variable->space != KERNEL_SCALAR) {
            take(e, variable, result);
        } else if (e->file_scope[variable->number]) {
            emit_line(e, "%s = %s;", emit_name(e, variable), emit_name(e, result));
        } else if (!e->survey.once[variable->number]) {
            emit_line(e, "%s%s %s = %s;", e->survey.assigned[variable->number] ? "" : "const ",
                      emit_scalar_type(e->dialect, variable->prim), emit_name(e, variable),
                      emit_name(e, result));
        }
    }
}

/* A branch; the loop around ends with it where it `leaves`. */
static void emit_branch(Emit *e, KernelBlock block, bool leaves)
{
    const KernelBlock behind = e->leaving.behind;
    emit_body(e, block);
    if (leaves) {
        emit_body(e, behind);
        e->indent++;
        emit_line(e, "break;");
        e->indent--;
    }
}

static void emit_if(Emit *e, const KernelCmd *command)
{
    const bool leaves = command == e->leaving.branch, then = leaves && e->leaving.then;
    emit_line(e, "if (%s) {", emit_exp(e, command->value));
    emit_branch(e, command->body, then);
    if (command->otherwise.count || (leaves && !then)) {
        emit_line(e, "} else {");
        emit_branch(e, command->otherwise, leaves && !then);
    }
    emit_line(e, "}");
}

static void emit_while(Emit *e, const KernelCmd *command)
{
    const EmitLeaving around = e->leaving;
    const bool may_leave = e->dialect == EMIT_C && !e->on_processor; /* lanes go on together */
    e->leaving = may_leave ? emit_leaving(e, command) : (EmitLeaving){0};
    emit_line(e, "while (%s) {", emit_name(e, command->variable));
    emit_body(e, command->body);
    emit_line(e, "}");
    e->leaving = around;
}

/* x[i] = value; on the OpenCL host a transfer. */
static void emit_store(Emit *e, KernelVariable *buffer, const KernelExp *index,
                       const KernelExp *value)
{
    if (e->dialect == EMIT_HOST && buffer->space == KERNEL_GLOBAL) {
        emit_line(e, "tl_cl_store_%s(%s, %s, %s);", core_prim_text(buffer->prim),
                  emit_name(e, buffer), emit_index(e, index), emit_exp(e, value));
    } else {
        emit_line(e, "%s[%s] = %s;", emit_name(e, buffer), emit_index(e, index),
                  emit_exp(e, value));
    }
}

/* Nothing else runs at the same time here; kernels have their own way. */
static void emit_exchange(Emit *e, const KernelCmd *command)
{
    emit_line(e, "%s = %s;", emit_name(e, command->variable),
              emit_exp(e, kernel_load(e->c, command->source, command->index)));
    emit_store(e, command->source, command->index, command->value);
}

static void emit_retry(Emit *e, const KernelCmd *command)
{
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "const %s %s = %s;", emit_scalar_type(e->dialect, command->variable->prim),
              emit_name(e, command->variable),
              emit_exp(e, kernel_load(e->c, command->source, command->index)));
    emit_block(e, command->body);
    emit_store(e, command->source, command->index, command->value);
    e->indent--;
    emit_line(e, "}");
}

const char *emit_comment(Compilation *c, const char *text)
{
    Text safe = text_create(c->arena);
    for (const char *at = text; *at; at++) {
        text_char(&safe, *at == '\n' ? ' ' : *at);
        if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*'))
            text_char(&safe, ' ');
    }
    return text_get(&safe);
}

void emit_command(Emit *e, const KernelCmd *command)
{
    if (e->special(e, command))
        return;
    switch (command->kind) {
    case KERNEL_DECLARE: emit_declare(e, command); break;
    case KERNEL_ASSIGN:
        emit_line(e, "%s = %s;", emit_name(e, command->variable), emit_exp(e, command->value));
        break;
    case KERNEL_STORE: emit_store(e, command->variable, command->index, command->value); break;
    case KERNEL_ATOMIC:
        /* nothing else runs at the same time here; kernels have their own way */
        emit_store(e, command->variable, command->index,
                   kernel_binary(e->c, command->op,
                                 kernel_load(e->c, command->variable, command->index),
                                 command->value));
        break;
    case KERNEL_EXCHANGE: emit_exchange(e, command); break;
    case KERNEL_RETRY: emit_retry(e, command); break;
    case KERNEL_FOR: emit_for(e, command); break;
    case KERNEL_WHILE: emit_while(e, command); break;
    case KERNEL_IF: emit_if(e, command); break;
    case KERNEL_COMMENT: emit_line(e, "/* %s */", emit_comment(e->c, command->text)); break;
    case KERNEL_BARRIER: break; /* the loops around it already run one after the other */
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
    case KERNEL_COPY:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_SWAP:
    case KERNEL_CHECK:
    case KERNEL_RESERVE:
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_EFFECT:
        internal_error(e->c, "command %d cannot stand in a kernel", (int)command->kind);
    }
}

void emit_block(Emit *e, KernelBlock block)
{
    e->is_at_place = false;
    EmitPrinted printed = {e->printed, block, 0};
    e->printed = &printed;
    for (; printed.at < block.count; printed.at++) {
        emit_command(e, block.commands[printed.at]);
    }
    e->printed = printed.outer;
    e->is_at_place = false;
}

void emit_at(Emit *e, const KernelCmd *command)
{
    if (!emit_asks_memory(command))
        return;
    const EmitSurvey *survey = &e->survey;
    size_t count = e->place_count;
    if (count == 0 || !span_is_same(survey->places.items[count - 1], command->span)) {
        if (count == survey->places.count ||
            !span_is_same(survey->places.items[count], command->span)) {
            internal_error(e->c, "a command that the survey did not see");
        }
        e->place_count++;
        e->is_at_place = false;
    }
    if (!e->is_at_place)
        emit_line(e, "tl_at(&failures[%zu]);", e->program->failure_count + e->place_count - 1);
    e->is_at_place = true;
}

/* ---- values as initialisers ------------------------------------------------------------------ */

const char *emit_failure_values(Emit *e, const KernelCmd *check)
{
    if (!check->value_count)
        return "NULL";
    Text values = text_create(e->c->arena);
    text_string(&values, "(const tl_value[]){");
    for (size_t i = 0; i < check->value_count; i++) {
        text_printf(&values, "%s{.%s = %s}", i ? ", " : "",
                    core_is_real(check->values[i]->prim) ? "real" : "integer",
                    emit_exp(e, check->values[i]));
    }
    text_char(&values, '}');
    return text_get(&values);
}

const char *emit_constants(Emit *e, const KernelCmd *constants)
{
    Text values = text_create(e->c->arena);
    text_char(&values, '{');
    for (size_t i = 0; i < constants->value_count; i++) {
        bool breaks = i && i % 16 == 0;
        text_string(&values, breaks ? ",\n        " : i ? ", " : "");
        text_string(&values, emit_exp(e, constants->values[i]));
    }
    text_string(&values, constants->value_count ? "}" : "0}");
    return text_get(&values);
}

const char *emit_shape(Emit *e, const KernelEffect *effect)
{
    if (effect->rank == 0)
        return "NULL";
    Text shape = text_create(e->c->arena);
    text_string(&shape, "(const int64_t[]){");
    for (int i = 0; i < effect->rank; i++) {
        text_printf(&shape, "%s%s", i ? ", " : "", emit_exp(e, effect->shape[i]));
    }
    text_char(&shape, '}');
    return text_get(&shape);
}

const char *emit_format_call(Emit *e, const KernelEffect *effect, const char *fields,
                             const char *source)
{
    const char *how = emit_exp(e, effect->second);
    if (effect->fields) {
        how = arena_printf(e->c->arena, "%s, %s", how, fields);
    }
    CorePrim prim = effect->source ? effect->source->prim : effect->value->prim;
    if (!effect->source) {
        source = arena_printf(e->c->arena, "&(const %s){%s}", emit_scalar_type(e->dialect, prim),
                              emit_exp(e, effect->value));
    }
    return arena_printf(e->c->arena, "tl_format%s(%s, %s, %d, %s, %s, &%s_count)",
                        effect->fields       ? "_fields"
                        : effect->is_complex ? "_complex"
                                             : "",
                        how, emit_type_constant(prim), effect->rank, emit_shape(e, effect), source,
                        emit_name(e, effect->variable));
}

const char *emit_made_count(Emit *e, const KernelEffect *effect)
{
    const char *name = emit_name(e, effect->variable);
    Text count = text_create(e->c->arena);
    if (effect->kind == KERNEL_READ) {
        text_printf(&count, "%s_shape[0]", name);
        for (int k = 1; k < effect->rank; k++) {
            text_printf(&count, " * %s_shape[%d]", name, k);
        }
        return text_get(&count);
    }
    text_printf(&count, "%s_count", name);
    for (int k = effect->is_complex ? 1 : 0; k + 1 < effect->rank; k++) {
        text_printf(&count, " * (%s)", emit_exp(e, effect->shape[k]));
    }
    return text_get(&count);
}

bool emit_names_file(const Emit *e, const KernelCmd *command)
{
    return (command->kind == KERNEL_CONSTANTS || command->kind == KERNEL_RELEASE) &&
           e->survey.file_names[command->variable->number] != NULL;
}

const char *emit_file_name(Emit *e, const KernelEffect *effect)
{
    const KernelCmd *constants = e->survey.file_names[effect->source->number];
    const char *name = emit_name(e, effect->variable);
    if (!constants) {
        return NULL;
    }
    emit_line(e, "static const %s %s_file[] = %s;",
              emit_element_type(EMIT_HOST, constants->variable->prim), name,
              emit_constants(e, constants));
    return arena_printf(e->c->arena, "%s_file", name);
}

const char *emit_read_call(Emit *e, const KernelEffect *effect, const char *file)
{
    static const char *const formats[] = {"TL_TEXT", "TL_CSV", "TL_NPY"};
    const char *name = emit_name(e, effect->variable);
    emit_line(e, "int64_t %s_shape[%d];", name, effect->rank);
    return arena_printf(e->c->arena,
                        "tl_read_or_fail(&failures[%zu], %s, %s, %d, %s, %s, %s_shape)",
                        e->program->failure_count + e->place_count - 1, formats[effect->format],
                        emit_type_constant(effect->variable->prim), effect->rank, file,
                        emit_exp(e, effect->second), name);
}

void emit_made_extents(Emit *e, const KernelEffect *effect)
{
    const char *name = emit_name(e, effect->variable);
    if (effect->kind == KERNEL_FORMAT) {
        emit_line(e, "%s = %s_count;", emit_name(e, effect->result), name);
        return;
    }
    for (int k = 0; k < effect->rank; k++) {
        emit_line(e, "%s = %s_shape[%d];", emit_name(e, effect->extents[k]), name, k);
    }
}

/* ---- effects -------------------------------------------------------------------------------- */

static void emit_argument(Emit *e, const KernelEffect *effect)
{
    CorePrim prim = effect->result->prim;
    const char *kind = prim == CORE_I32   ? "int32"
                       : prim == CORE_F32 ? "real32"
                       : prim == CORE_F64 ? "real"
                                          : "int";
    const char *cast = prim == CORE_CHAR ? "(uint32_t)" : "",
               *test = prim == CORE_BOOL ? " != 0" : "";
    emit_line(e, "%s = %stl_argument_%s(%s, %s)%s;", emit_name(e, effect->result), cast, kind,
              emit_quoted(e->c, effect->name), emit_exp(e, effect->value), test);
}

void emit_scalar_effect(Emit *e, const KernelEffect *effect)
{
    const char *result = effect->result ? emit_name(e, effect->result) : "";
    switch (effect->kind) {
    case KERNEL_ARGUMENT: emit_argument(e, effect); break;
    case KERNEL_NOW: emit_line(e, "%s = tl_now();", result); break;
    case KERNEL_DRAWS:
        emit_line(e, "%s = tl_draws(%s);", result, emit_exp(e, effect->value));
        break;
    case KERNEL_SEED: emit_line(e, "tl_seed(%s);", emit_exp(e, effect->value)); break;
    case KERNEL_SEED_NOW: emit_line(e, "%s = tl_seed_now();", result); break;
    case KERNEL_DEVICE: emit_line(e, "%s = tl_cl_%s();", result, effect->name); break;
    case KERNEL_PRECISION: emit_line(e, "tl_precision(%s);", emit_exp(e, effect->value)); break;
    case KERNEL_PRECISION_NOW: emit_line(e, "%s = tl_precision_now();", result); break;
    case KERNEL_BENCH:
        emit_line(e, "tl_bench(%s, %s);", emit_exp(e, effect->value), emit_exp(e, effect->second));
        break;
    case KERNEL_PARAMETER:
        emit_line(e, "%s = *(const %s *)tl_parameter_data(%zu);", result,
                  emit_element_type(e->dialect, effect->result->prim), effect->number);
        break;
    case KERNEL_RESULT:
        emit_line(e, "tl_result(%s, 0, NULL, &(const %s){%s});",
                  emit_type_constant(effect->value->prim),
                  emit_element_type(e->dialect, effect->value->prim), emit_exp(e, effect->value));
        break;
    case KERNEL_PRINT:
    case KERNEL_READ:
    case KERNEL_FORMAT: internal_error(e->c, "effect %d has buffers", (int)effect->kind);
    }
}
