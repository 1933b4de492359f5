/* Lowering core to the imperative kernel language: [DPIA 4], acceptor-passing and
   continuation-passing, over A-normal form.

       let ys = map (\x -> x * 2.0) xs         ALLOCATE ys[n]
       let s  = reduce (+) 0.0 ys       ==>    GRID i < n { x = xs[i]; t = x * 2.0; ys[i] = t }
       print s                                 ... chunks and a tree; s = LOAD result[0]
                                               PRINT s

   Statements are taken in order. One that binds a scalar declares it; one that binds a view makes
   a reader and no code; one that makes an array is given the place where its result is wanted, if
   it is wanted anywhere (`wanted`), else fresh memory. This file walks programs, bodies and
   statements, and translates assertions; lower.h says where the rest is. */
#include "backend/lower/checks.h"

/* ---- loops and blocks under construction ----------------------------------------------------- */

static void push_frame(Lower *L, Frame *frame, FrameKind kind, KernelBuilder *before)
{
    memset(frame, 0, sizeof *frame);
    frame->kind = kind;
    frame->outer = L->frame;
    frame->before = before;
    frame->last_outside = L->c->last_number;
    L->frame = frame;
}

void lower_block_begin(Lower *L, LowerLoop *block)
{
    memset(block, 0, sizeof *block);
    block->outer = L->b;
    block->inner = kernel_builder(L->c, L->b->span);
    L->b = &block->inner;
    if (!L->in_kernel) {
        lower_scope_begin(L, &block->scope);
    }
}

KernelBlock lower_block_end(Lower *L, LowerLoop *block)
{
    if (!L->in_kernel) {
        lower_scope_end(L);
    }
    L->b = block->outer;
    return kernel_block(&block->inner);
}

void lower_loop_begin(Lower *L, LowerLoop *loop, FrameKind kind, const char *text,
                      const KernelExp *count)
{
    memset(loop, 0, sizeof *loop);
    loop->count = count;
    loop->outer = L->b;
    loop->unrolled = count != NULL && kernel_is_i64(count, 1);
    if (loop->unrolled) {
        loop->index = kernel_i64(L->c, 0);
    } else {
        loop->inner = kernel_builder(L->c, L->b->span);
        if (!L->in_kernel) {
            push_frame(L, &loop->frame, kind, L->b);
        }
        loop->variable = kernel_variable(L->c, text, CORE_I64, KERNEL_SCALAR, L->b->span);
        loop->index = kernel_use(L->c, loop->variable);
        L->b = &loop->inner;
    }
    if (!L->in_kernel) {
        lower_scope_begin(L, &loop->scope);
    }
}

void lower_loop_end(Lower *L, LowerLoop *loop)
{
    if (!L->in_kernel) {
        lower_scope_end(L);
    }
    if (loop->unrolled) {
        return;
    }
    L->b = loop->outer;
    if (loop->count == NULL) {
        kernel_while(L->b, loop->variable, kernel_block(&loop->inner));
    } else if (loop->written_out > 0) {
        kernel_for_unrolled(L->b, loop->variable, loop->count, loop->written_out,
                            kernel_block(&loop->inner));
    } else {
        kernel_for(L->b, KERNEL_SEQ, NULL, loop->variable, loop->count, kernel_block(&loop->inner));
    }
    if (!L->in_kernel) {
        L->frame = loop->frame.outer;
        for (size_t i = 0; i < loop->frame.hoisted.count; i++) {
            kernel_release(L->b, loop->frame.hoisted.items[i]);
        }
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

/* A view is bound as such, unless one read of it has become dear. */
static void lower_view_statement(Lower *L, const CoreStm *stm)
{
    CoreName *name = stm->pattern[0];
    if (lower_part_of_whole(L, stm)) {
        return;
    }
    const Reader *reader = lower_view(L, stm->exp, name->type);
    reader = lower_guarded(L, reader, lower_guard_of(L, stm));
    if (stm->exp->kind == CORE_EXP_REPLICATE && stm->exp->space != CORE_SPACE_AUTO) {
        const Reader *place = lower_place(L, name);
        Value value = {.array = reader};
        lower_assign(L, place, value, name->text);
        reader = place;
    } else if (reader->cost > READER_COST_LIMIT) {
        lower_because(L, (CoreAtom){.name = name}, CORE_REASON_FAR);
        reader = lower_stored(L, reader, name->text);
    } else {
        lower_note_view(L, stm);
    }
    lower_bind_array(L, name, reader);
}

/* The element is in the array: core has seen to it. Of what the last command reads. */
static void assume_indices(Lower *L, const Reader *array, const KernelExp *const *indices)
{
    const size_t rank = (size_t)array->rank;
    const KernelExp **inside = ARENA_ARRAY(L->c->arena, const KernelExp *, 2 * rank + 1);
    for (size_t k = 0; k < rank; k++) {
        inside[2 * k] = kernel_binary(L->c, CORE_GE, indices[k], kernel_i64(L->c, 0));
        inside[2 * k + 1] = kernel_binary(L->c, CORE_LT, indices[k], array->shape[k]);
    }
    kernel_assume(L->b, 2 * rank, inside);
}

static void lower_index(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (stm->pattern[0]->type.rank > 0) {
        lower_view_statement(L, stm);
        return;
    }
    const KernelExp **indices =
        ARENA_ARRAY(L->c->arena, const KernelExp *, exp->as.index.count + 1);
    for (size_t k = 0; k < exp->as.index.count; k++) {
        indices[k] = lower_scalar(L, exp->as.index.indices[k]);
    }
    const Reader *array =
        lower_guarded(L, lower_array(L, exp->as.index.array), lower_guard_of(L, stm));
    const KernelExp *value = lower_read(L, array, indices);
    const size_t count = L->b->commands.count;
    lower_bind_scalar(L, stm->pattern[0], value);
    if (L->in_kernel && L->b->commands.count > count) {
        assume_indices(L, array, indices);
    }
}

static void lower_copy(Lower *L, const CoreStm *stm)
{
    CoreName *name = stm->pattern[0];
    Value value = {.array = lower_array(L, stm->exp->as.array)};
    const Reader *place = lower_place(L, name);
    const CoreStm *view = pointer_map_get(&L->views, stm->exp->as.array.name);
    bool is_dear =
        stm->exp->space == CORE_GLOBAL && view != NULL && view->exp->kind == CORE_EXP_CYCLE;
    lower_because(L, stm->exp->as.array, is_dear ? CORE_REASON_STORED : CORE_REASON_COPIED);
    lower_assign(L, place, value, name->text);
    lower_bind_array(L, name, place);
}

static void lower_atom(Lower *L, const CoreStm *stm)
{
    Value value = lower_value(L, stm->exp->as.atom);
    if (value.array != NULL) {
        lower_bind_array(L, stm->pattern[0], lower_guarded(L, value.array, lower_guard_of(L, stm)));
        lower_note_view(L, stm);
    } else {
        lower_bind(L, stm->pattern[0], value);
    }
}

/* Statements whose code must not run where a certificate fails. */
static bool needs_block(const CoreExp *exp)
{
    switch (exp->kind) {
    case CORE_EXP_IF:
    case CORE_EXP_LOOP:
    case CORE_EXP_UPDATE:
    case CORE_EXP_COPY:
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: return true;
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_APPLY:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_INDEX:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_READ:
    case CORE_EXP_ARGUMENT:
    case CORE_EXP_NOW:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE:
    case CORE_EXP_BENCH:
    case CORE_EXP_FORMAT: return false;
    }
    return false;
}

static void note_spaces(Lower *L, const CoreStm *stm)
{
    CoreSpace space = stm->exp->space;
    bool placed = space != CORE_SPACE_AUTO && space != CORE_STORED && space != CORE_UPDATED;
    for (size_t k = 0; placed && k < stm->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->spaces, stm->pattern[k], (void *)(uintptr_t)stm);
    }
}

void lower_statement(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Span outer = L->b->span;
    if (stm->span.file != NULL) {
        L->b->span = stm->span;
    }
    KernelBuilder *builder = L->b;
    if (L->in_kernel && exp->kind != CORE_EXP_IF &&
        (exp->level == CORE_GRID || exp->level == CORE_GROUP)) {
        L->failed = true; /* what is around has to be a loop of the host */
    }
    note_spaces(L, stm);
    if (stm->certificate_count > 0 && needs_block(exp)) {
        const KernelExp *guard = lower_guard_of(L, stm);
        if (guard != NULL) {
            lower_under_guard(L, guard, stm);
            builder->span = outer;
            return;
        }
    }
    switch (exp->kind) {
    case CORE_EXP_ATOM: lower_atom(L, stm); break;
    case CORE_EXP_UNARY:
        lower_bind_scalar(L, stm->pattern[0],
                          kernel_unary(L->c, exp->as.scalar.op, lower_scalar(L, exp->as.scalar.x)));
        break;
    case CORE_EXP_BINARY:
        lower_bind_scalar(L, stm->pattern[0],
                          kernel_binary(L->c, exp->as.scalar.op, lower_scalar(L, exp->as.scalar.x),
                                        lower_scalar(L, exp->as.scalar.y)));
        break;
    case CORE_EXP_CONVERT:
        lower_bind_scalar(
            L, stm->pattern[0],
            kernel_convert(L->c, exp->as.convert.to, lower_scalar(L, exp->as.convert.x)));
        break;
    case CORE_EXP_IF: lower_if(L, stm); break;
    case CORE_EXP_LOOP: lower_loop(L, stm); break;
    case CORE_EXP_APPLY: lower_call(L, stm); break;
    case CORE_EXP_ASSERT: lower_assert(L, stm); break;
    case CORE_EXP_CONJOIN: lower_conjoin(L, stm); break;
    case CORE_EXP_INDEX: lower_index(L, stm); break;
    case CORE_EXP_UPDATE: lower_update(L, stm); break;
    case CORE_EXP_LITERAL: lower_literal(L, stm); break;
    case CORE_EXP_SCRATCH:
        lower_bind_array(L, stm->pattern[0], lower_place(L, stm->pattern[0]));
        break;
    case CORE_EXP_COPY: lower_copy(L, stm); break;
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: lower_view_statement(L, stm); break;
    case CORE_EXP_SOAC: lower_soac(L, stm); break;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: lower_filter(L, stm); break;
    case CORE_EXP_SCATTER: lower_scatter(L, stm, NULL); break;
    case CORE_EXP_HIST: lower_hist(L, stm, NULL); break;
    case CORE_EXP_ORDER: internal_error(L->c, "an order is not sorted yet");
    case CORE_EXP_DIGIT_SORT: lower_digit_sort(L, stm); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: lower_stream(L, stm); break;
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_READ:
    case CORE_EXP_ARGUMENT:
    case CORE_EXP_NOW:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE:
    case CORE_EXP_BENCH:
    case CORE_EXP_FORMAT: lower_effect(L, stm); break;
    }
    builder->span = outer;
}

void lower_statements(Lower *L, const CoreBody *body)
{
    if (L->in_kernel) {
        for (size_t i = 0; i < body->stm_count; i++) {
            lower_begin_wholes(L, body, i);
            lower_statement(L, body->stms[i]);
        }
        return;
    }
    LastUses uses = lower_last_uses(L, body);
    for (size_t i = 0; i < body->stm_count;) {
        size_t next = i + 1;
        lower_begin_wholes(L, body, i);
        L->dying =
            (Dying){body->stms[i], uses.names + uses.first[i], uses.first[i + 1] - uses.first[i]};
        LowerStages *stages = L->stages;
        lower_begin_stages(L, body, i);
        size_t updates = lower_updates_behind(body, i);
        size_t together = updates > 0 ? 0 : lower_several(L, body, i, &uses);
        if (updates > 0) {
            lower_update_with(L, body->stms[i], body->stms + i + 1);
            next = i + 1 + updates;
        } else if (together > 0) {
            next = i + together;
        } else {
            lower_statement(L, body->stms[i]);
        }
        lower_end_stages(L, stages);
        for (size_t k = uses.first[i]; k < uses.first[next]; k++) {
            lower_forget(L, uses.names[k]);
        }
        lower_tidy(L);
        i = next;
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Whether the statement writes the array that it binds to this name into memory of its choice. */
static bool makes_array(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_SOAC || exp->kind == CORE_EXP_COPY ||
           exp->kind == CORE_EXP_SCRATCH || exp->kind == CORE_EXP_IF ||
           exp->kind == CORE_EXP_LOOP || exp->kind == CORE_EXP_LITERAL ||
           exp->kind == CORE_EXP_DIGIT_SORT;
}

static size_t place_in_pattern(const CoreStm *stm, const CoreName *name)
{
    size_t k = 0;
    while (k < stm->pattern_count && stm->pattern[k] != name) {
        k++;
    }
    return k;
}

/* The name in this body whose definition makes the memory that the result ends up in, going back
   through in-place updates; NULL where there is none. */
static const CoreName *origin_of(const CoreBody *body, CoreAtom result)
{
    const CoreName *name = result.name;
    const CoreName *found = NULL;
    for (size_t i = body->stm_count; i-- > 0 && name != NULL;) {
        const CoreStm *stm = body->stms[i];
        size_t k = place_in_pattern(stm, name);
        if (k == stm->pattern_count) {
            continue;
        }
        const CoreName *root = core_root(stm, k);
        if (stm->exp->kind == CORE_EXP_UPDATE) {
            found = name;
            name = stm->exp->as.update.array.name;
        } else if (stm->exp->kind == CORE_EXP_SCATTER && stm->pattern_count == 1) {
            found = name;
            name = stm->exp->as.scatter.destinations[0].name;
        } else if (root != NULL) {
            found = name;
            name = root;
        } else {
            return makes_array(stm->exp) ? name : found;
        }
    }
    return found;
}

void lower_body(Lower *L, const CoreBody *body, const Reader *const *wanted, Value *results)
{
    Arena *arena = L->c->arena;
    const CoreName **origins = ARENA_ARRAY(arena, const CoreName *, body->result_count + 1);
    for (size_t k = 0; wanted != NULL && k < body->result_count; k++) {
        if (wanted[k] != NULL && wanted[k]->rank > 0) {
            origins[k] = origin_of(body, body->results[k]);
            if (origins[k] != NULL && pointer_map_get(&L->wanted, origins[k]) == NULL) {
                pointer_map_set(arena, &L->wanted, origins[k], (void *)(uintptr_t)wanted[k]);
            } else {
                origins[k] = NULL;
            }
        }
    }
    Wholes *outer = L->wholes;
    L->wholes = lower_find_wholes(L, &body, wanted);
    lower_statements(L, body);
    lower_end_wholes(L);
    L->wholes = outer;
    for (size_t k = 0; k < body->result_count; k++) {
        if (origins[k] != NULL) {
            pointer_map_set(arena, &L->wanted, origins[k], NULL);
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        results[k] = lower_value(L, body->results[k]);
        if (wanted != NULL && wanted[k] != NULL) {
            const char *text = body->results[k].name == NULL ? "x" : body->results[k].name->text;
            if (results[k].scalar == NULL && results[k].array == NULL) {
                results[k].scalar = results[k].guard == NULL
                                        ? kernel_constant(L->c, core_bool(true))
                                        : results[k].guard;
            }
            lower_because(L, body->results[k], CORE_REASON_RESULT);
            lower_assign(L, wanted[k], results[k], text);
        }
    }
}

void lower_body_of_row(Lower *L, const KernelExp *number, const CoreBody *body,
                       const Reader *const *wanted, Value *results)
{
    const KernelExp *around = L->number;
    L->number = L->order != NULL ? lower_op(L, CORE_ADD, L->order, number) : number;
    lower_body(L, body, wanted, results);
    L->number = around;
}

/* ---- programs -------------------------------------------------------------------------------- */

static void lower_scalar_parameter(Lower *L, CoreName *name, size_t number)
{
    KernelVariable *variable =
        kernel_variable(L->c, name->text, name->type.prim, KERNEL_SCALAR, name->span);
    kernel_declare(L->b, variable, NULL);
    kernel_effect(L->b,
                  (KernelEffect){.kind = KERNEL_PARAMETER, .number = number, .result = variable});
    lower_bind_scalar(L, name, kernel_use(L->c, variable));
}

static void lower_array_parameter(Lower *L, CoreName *name, size_t number)
{
    KernelVariable *buffer =
        kernel_variable(L->c, name->text, name->type.prim, KERNEL_GLOBAL, name->span);
    KernelExps shape = lower_shape(L, name->type);
    kernel_effect(L->b, (KernelEffect){.kind = KERNEL_PARAMETER,
                                       .number = number,
                                       .variable = buffer,
                                       .value = lower_product(L, name->type.rank, shape)});
    lower_own(L, buffer);
    lower_bind_array(L, name, lower_buffer_reader(L, buffer, name->type.rank, shape));
}

/* What the entry shows of its results, all of them computed before. */
static void lower_results(Lower *L, const CoreFunction *function, const CoreEntry *entry,
                          const Value *results)
{
    KernelEffect *effects = ARENA_ARRAY(L->c->arena, KernelEffect, entry->result_count);
    for (size_t i = 0; i < entry->result_count; i++) {
        size_t k = entry->results[i];
        effects[i] = (KernelEffect){.kind = KERNEL_RESULT};
        if (function->result_types[k].rank == 0) {
            effects[i].value = results[k].scalar;
        } else {
            const Reader *array = results[k].array;
            KernelVariable *copy = NULL;
            if (!lower_is_run(array)) {
                lower_because(L, function->body->results[k], CORE_REASON_RESULT);
                copy = lower_whole_of(L, array, "result");
            }
            lower_show(&effects[i], array, copy);
            effects[i].value = lower_product(L, effects[i].rank, effects[i].shape);
        }
    }
    for (size_t i = 0; i < entry->result_count; i++) {
        kernel_effect(L->b, effects[i]);
    }
}

static KernelEntry lower_entry(Lower *L, const CoreFunction *function)
{
    const CoreEntry *interface = core_entry(L->c, function);
    KernelBuilder builder = kernel_builder(L->c, function->span);
    L->b = &builder;
    L->entry = function;
    L->aliases = NULL;
    Scope scope;
    lower_scope_begin(L, &scope);
    for (size_t i = 0; i < function->parameter_count; i++) {
        CoreName *name = function->parameters[i];
        if (name->type.rank == 0) {
            lower_scalar_parameter(L, name, i);
        } else {
            lower_array_parameter(L, name, i);
        }
    }
    Value *results = ARENA_ARRAY(L->c->arena, Value, function->body->result_count + 1);
    lower_body(L, function->body, NULL, results);
    lower_results(L, function, interface, results);
    lower_scope_end(L);
    return (KernelEntry){
        .interface = interface, .name = interface->name, .body = kernel_block(&builder)};
}

KernelProgram *kernel_lower(Compilation *c, const CoreProgram *program, KernelTarget target)
{
    Lower lower = {.c = c, .target = target};
    if (target == KERNEL_DEVICES) {
        lower.target = KERNEL_PARALLEL;
        lower.for_processors = true;
    }
    KernelProgram *lowered = ARENA_NEW(c->arena, KernelProgram);
    KernelEntry *entries = ARENA_ARRAY(c->arena, KernelEntry, program->function_count);
    lower_number_functions(&lower, program, &lowered->entry_count);
    lowered->body_count = program->function_count;
    size_t entry = 0, other = lowered->entry_count;
    for (size_t i = 0; i < program->function_count; i++) {
        if (program->functions[i]->is_entry) {
            entries[entry++] = lower_entry(&lower, program->functions[i]);
        } else {
            entries[other++] = lower_function(&lower, program->functions[i]);
        }
    }
    if (lower.refused.count > 0) {
        return NULL;
    }
    lowered->entries = entries;
    lowered->failure_count = lower.failures.count;
    lowered->failures = lower.failures.items;
    lowered->variable_count = c->last_number + 1;
    return kernel_drop_unused(c, kernel_join_places(c, lowered));
}
