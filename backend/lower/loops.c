/* Loops.

   On the host an array that goes round a loop is a reference: a buffer variable that is made another name (ALIAS) of
   whatever the body produced, so that nothing is copied and a loop's two buffers swap by themselves:

       loop (a = x) for i < n do f a     ==>   ALIAS s = x; RELEASE x, where nothing else uses it
                                               FOR i < n { ALLOCATE t; t := f(s); ALIAS s = t;
                                                           RELEASE t }

   Where the body results in rows of an array that lie side by side, as in 1↓, the state is those rows of it, by an offset
   that goes round with it; the array stays for them. In a work-item there are no references. There a loop's state has a
   place, and what the body made is copied there, unless it was updated in that place already. */
#include "backend/lower/lower.h"

/* One piece of a loop's state. */
typedef struct State {
    KernelVariable *scalar;
    const Reader *place;   /* in a work-item */
    KernelVariable *alias; /* on the host */
    KernelVariable *start; /* of its elements in the alias; NULL: they start at 0 */
} State;

/* Whether arrays going round this loop have places, not references. */
static bool state_has_places(Lower *L, const CoreStm *stm)
{
    if (L->in_kernel) {
        return true;
    }
    if (!lower_inside_map(L) || L->target != KERNEL_SEQUENTIAL) {
        return false;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        int64_t count = 1;
        for (int axis = 0; axis < type.rank; axis++) {
            if (type.sizes[axis].name != NULL) {
                return false;
            }
            count *= type.sizes[axis].as.integer <= 64 ? type.sizes[axis].as.integer : 65;
            if (count > 64) {
                return false;
            }
        }
    }
    return true;
}

static const Reader *state_place(Lower *L, const CoreStm *stm, size_t k)
{
    CoreName *name = stm->pattern[k];
    const CoreName *parameter = stm->exp->as.loop.parameters[k];
    const Reader *initial = lower_array(L, stm->exp->as.loop.initial[k]);
    if (core_is_existential(stm, name->type)) {
        L->failed = true;
        return initial;
    }
    if (parameter->type.unique && lower_is_writable(initial) &&
        pointer_map_get(&L->wanted, name) == NULL) {
        Reader *same = ARENA_NEW(L->c->arena, Reader);
        *same = *initial;
        same->items = NULL;
        return same;
    }
    const Reader *place = lower_memory(L, name);
    Value value = {.array = initial};
    lower_because(L, stm->exp->as.loop.initial[k], CORE_REASON_STATE);
    lower_assign(L, place, value, name->text);
    return place;
}

KernelVariable *lower_state_scalar(Lower *L, const CoreExp *loop, size_t k)
{
    const KernelExp *initial = lower_scalar_of(L, lower_value(L, loop->as.loop.initial[k]));
    return lower_mutable_scalar(L, loop->as.loop.parameters[k], initial);
}

/* Neighbouring rows in memory of their own. */
static bool is_run(const Reader *reader)
{
    return lower_is_run(reader) && !reader->may_repeat;
}

/* The body results in neighbouring rows of an array that is stored, from another one than the first on. */
static bool is_slice_of_rows(const CoreBody *body, CoreAtom result)
{
    const CoreStm *stm = core_binder(body, result.name);
    if (stm == NULL || stm->exp->kind != CORE_EXP_SLICE) {
        return false;
    }
    const CoreSlice *slices = stm->exp->as.slice.slices;
    const CoreStm *maker = core_binder(body, stm->exp->as.slice.array.name);
    CoreType type = core_atom_type(stm->exp->as.slice.array);
    bool good = !slices[0].fixed && core_atom_equal(slices[0].stride, core_i64(1)) &&
                !core_atom_equal(slices[0].offset, core_i64(0)) &&
                (maker == NULL || !core_is_view(maker->exp->kind));
    for (int axis = 1; good && axis < type.rank; axis++) {
        good = !slices[axis].fixed && core_atom_equal(slices[axis].offset, core_i64(0)) &&
               core_atom_equal(slices[axis].stride, core_i64(1)) &&
               core_atom_equal(slices[axis].count, type.sizes[axis]);
    }
    return good;
}

static void begin_reference(Lower *L, const CoreStm *stm, size_t k, State *state)
{
    const CoreExp *exp = stm->exp;
    const CoreName *parameter = exp->as.loop.parameters[k];
    const Reader *initial = lower_array(L, exp->as.loop.initial[k]);
    bool slides = L->target == KERNEL_PARALLEL &&
                  is_slice_of_rows(exp->as.loop.body, exp->as.loop.body->results[k]);
    bool starts_inside = slides && is_run(initial);
    KernelVariable *source = starts_inside
                                 ? initial->buffer
                                 : lower_whole(L, exp->as.loop.initial[k], CORE_REASON_STATE);
    state->alias =
        kernel_variable(L->c, parameter->text, parameter->type.prim, KERNEL_GLOBAL, L->b->span);
    kernel_alias(L->b, state->alias, source);
    lower_own(L, state->alias);
    if (slides) {
        state->start = kernel_variable(L->c, "start", CORE_I64, KERNEL_SCALAR, L->b->span);
        kernel_declare(L->b, state->start, starts_inside ? initial->offset : kernel_i64(L->c, 0));
    }
}

/* The body does no more with the array than update it: it stays where it is, without references. So does a part of another
   array, a row of a result, which as a reference would be copied before the loop and behind it. */
static bool stays_in_place(Lower *L, const CoreStm *stm, size_t k)
{
    return L->target == KERNEL_SEQUENTIAL && core_kept_root(stm, k) != NULL &&
           !core_is_existential(stm, stm->pattern[k]->type);
}

static State *begin_state(Lower *L, const CoreStm *stm, bool places)
{
    const CoreExp *exp = stm->exp;
    State *states = ARENA_ARRAY(L->c->arena, State, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const CoreName *parameter = exp->as.loop.parameters[k];
        if (parameter->type.rank == 0) {
            states[k].scalar = lower_state_scalar(L, exp, k);
        } else if (places || stays_in_place(L, stm, k)) {
            states[k].place = state_place(L, stm, k);
        } else {
            begin_reference(L, stm, k, &states[k]);
        }
    }
    return states;
}

static bool is_result_of(const CoreBody *body, const CoreName *name)
{
    for (size_t k = 0; k < body->result_count; k++) {
        if (body->results[k].name == name) {
            return true;
        }
    }
    return false;
}

/* The state stays where the array is. */
static bool has_place_of(Lower *L, const CoreStm *stm, const State *states, const CoreName *name)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreAtom initial = stm->exp->as.loop.initial[k];
        if (states[k].place != NULL && initial.name == name &&
            lower_reaches(lower_array(L, initial), states[k].place->buffer)) {
            return true;
        }
    }
    return false;
}

/* What only the first iteration has, as its state, need not be there in all others. */
static void leave_initial(Lower *L, const CoreStm *stm, const State *states, Dying dying)
{
    const CoreBody *body = stm->exp->as.loop.body;
    for (size_t i = 0; i < dying.count && dying.stm == stm; i++) {
        const CoreName *name = dying.names[i];
        if (!core_uses(body, name) && !is_result_of(body, name) &&
            !has_place_of(L, stm, states, name)) {
            lower_forget(L, name);
        }
    }
}

static void bind_state(Lower *L, size_t count, CoreName *const *names, const State *states)
{
    for (size_t k = 0; k < count; k++) {
        CoreName *name = names[k];
        if (states[k].scalar != NULL) {
            lower_bind_scalar(L, name, kernel_use(L->c, states[k].scalar));
        } else if (states[k].place != NULL) {
            lower_bind_array(L, name, states[k].place);
        } else {
            Reader *reader = ARENA_NEW(L->c->arena, Reader);
            *reader = *lower_buffer_reader(L, states[k].alias, name->type.rank,
                                           lower_shape(L, name->type));
            if (states[k].start != NULL) {
                reader->offset = kernel_use(L->c, states[k].start);
            }
            lower_bind_array(L, name, reader);
        }
    }
}

static bool is_state_scalar(const State *states, size_t count, const KernelExp *value, size_t but)
{
    for (size_t k = 0; k < count; k++) {
        if (k != but && value->kind == KERNEL_VARIABLE && states[k].scalar == value->as.variable) {
            return true;
        }
    }
    return false;
}

/* All new values are computed from the old state before any of it changes. */
static void next_scalars(Lower *L, size_t count, const State *states, const Value *next)
{
    const KernelExp **values = ARENA_ARRAY(L->c->arena, const KernelExp *, count + 1);
    for (size_t k = 0; k < count; k++) {
        if (states[k].scalar == NULL) {
            continue;
        }
        values[k] = lower_scalar_of(L, next[k]);
        if (is_state_scalar(states, count, values[k], k)) {
            KernelVariable *saved = kernel_variable(L->c, states[k].scalar->text, values[k]->prim,
                                                    KERNEL_SCALAR, L->b->span);
            kernel_declare(L->b, saved, values[k]);
            values[k] = kernel_use(L->c, saved);
        }
    }
    for (size_t k = 0; k < count; k++) {
        if (states[k].scalar != NULL &&
            !(values[k]->kind == KERNEL_VARIABLE && values[k]->as.variable == states[k].scalar)) {
            kernel_assign(L->b, states[k].scalar, values[k]);
        }
    }
}

static bool reaches_state(const State *states, size_t count, const Reader *reader)
{
    for (size_t k = 0; k < count; k++) {
        if (states[k].place != NULL && lower_reaches(reader, states[k].place->buffer)) {
            return true;
        }
    }
    return false;
}

static void next_places(Lower *L, size_t count, const State *states, Value *next,
                        CoreName *const *names)
{
    for (size_t k = 0; k < count; k++) {
        if (states[k].place == NULL || lower_same_memory(states[k].place, next[k].array) ||
            !reaches_state(states, count, next[k].array)) {
            continue;
        }
        const Reader *saved = lower_allocate(L, names[k]->text, names[k]->type.prim,
                                             names[k]->type.rank, states[k].place->shape);
        lower_assign(L, saved, next[k], names[k]->text);
        next[k].array = saved;
    }
    for (size_t k = 0; k < count; k++) {
        if (states[k].place != NULL) {
            lower_assign(L, states[k].place, next[k], names[k]->text);
        }
    }
}

static bool is_other_state(const State *states, size_t count, const KernelVariable *buffer,
                           size_t but)
{
    for (size_t k = 0; k < count; k++) {
        if (k != but && states[k].alias == buffer) {
            return true;
        }
    }
    return false;
}

/* All from the old state, as scalars are. */
static void next_starts(Lower *L, size_t count, const State *states, const KernelExp **starts)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; states[k].start != NULL && i < count; i++) {
            if (i != k && states[i].start != NULL && starts[k]->kind == KERNEL_VARIABLE &&
                starts[k]->as.variable == states[i].start) {
                KernelVariable *saved =
                    kernel_variable(L->c, "start", CORE_I64, KERNEL_SCALAR, L->b->span);
                kernel_declare(L->b, saved, starts[k]);
                starts[k] = kernel_use(L->c, saved);
            }
        }
    }
    for (size_t k = 0; k < count; k++) {
        if (states[k].start != NULL &&
            !(starts[k]->kind == KERNEL_VARIABLE && starts[k]->as.variable == states[k].start)) {
            kernel_assign(L->b, states[k].start, starts[k]);
        }
    }
}

static void next_aliases(Lower *L, size_t count, const State *states, const Value *next,
                         CoreName *const *names, const CoreBody *body)
{
    KernelVariable **sources = ARENA_ARRAY(L->c->arena, KernelVariable *, count + 1);
    KernelVariable **saved = ARENA_ARRAY(L->c->arena, KernelVariable *, count + 1);
    const KernelExp **starts = ARENA_ARRAY(L->c->arena, const KernelExp *, count + 1);
    for (size_t k = 0; k < count; k++) {
        if (states[k].alias == NULL) {
            continue;
        }
        if (states[k].start != NULL && is_run(next[k].array)) {
            sources[k] = next[k].array->buffer;
            starts[k] = next[k].array->offset;
        } else {
            lower_because(L, body->results[k], CORE_REASON_STATE);
            sources[k] = lower_whole_of(L, next[k].array, names[k]->text);
            starts[k] = kernel_i64(L->c, 0);
        }
    }
    next_starts(L, count, states, starts);
    for (size_t k = 0; k < count; k++) {
        if (states[k].alias != NULL && is_other_state(states, count, sources[k], k)) {
            saved[k] = kernel_variable(L->c, names[k]->text, names[k]->type.prim, KERNEL_GLOBAL,
                                       L->b->span);
            kernel_alias(L->b, saved[k], sources[k]);
            sources[k] = saved[k];
        }
    }
    for (size_t k = 0; k < count; k++) {
        if (states[k].alias != NULL && sources[k] != states[k].alias) {
            kernel_alias(L->b, states[k].alias, sources[k]);
        }
        if (saved[k] != NULL) {
            kernel_release(L->b, saved[k]);
        }
    }
}

/* In a work-item a failing check does not end anything, and what is computed after it is
   meaningless: a while loop with checks inside ends with the first that fails. */
static void begin_going(Lower *L, Going *going)
{
    going->outer = L->going;
    going->variable = kernel_variable(L->c, "going", CORE_BOOL, KERNEL_SCALAR, L->b->span);
    L->going = going;
}

/* condition = condition && going; the loop around ends then, too. */
static void end_going(Lower *L, LowerLoop *loop, const Going *going)
{
    L->going = going->outer;
    if (!going->used) {
        return;
    }
    const KernelExp *holds = kernel_use(L->c, going->variable);
    kernel_declare(loop->outer, going->variable, kernel_constant(L->c, core_bool(true)));
    kernel_assign(L->b, loop->variable,
                  kernel_binary(L->c, CORE_AND, kernel_use(L->c, loop->variable), holds));
    lower_while_fails(L, holds);
}

void lower_while_fails(Lower *L, const KernelExp *holds)
{
    Going *going = L->going;
    if (going != NULL) {
        going->used = true;
        kernel_assign(L->b, going->variable,
                      kernel_binary(L->c, CORE_AND, kernel_use(L->c, going->variable), holds));
    }
}

void lower_loop(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    size_t count = exp->as.loop.parameter_count;
    bool is_while = exp->as.loop.index == NULL;
    const Dying dying = L->dying;
    if (!L->in_kernel && L->target == KERNEL_PARALLEL && lower_is_element_loop(stm) &&
        lower_on_device(L, stm, "loop")) {
        return;
    }
    const KernelExp *bound = is_while ? NULL : lower_scalar(L, exp->as.loop.bound);
    const bool places = state_has_places(L, stm);
    State *states = begin_state(L, stm, places);
    if (!places) {
        leave_initial(L, stm, states, dying);
    }
    Going going = {0};
    if (is_while && L->in_kernel) {
        begin_going(L, &going);
    }
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, is_while ? "while" : exp->as.loop.index->text, bound);
    if (!is_while) {
        lower_bind_scalar(L, exp->as.loop.index, loop.index);
    }
    bind_state(L, count, exp->as.loop.parameters, states);
    Value *next = ARENA_ARRAY(L->c->arena, Value, count + 1);
    lower_body(L, exp->as.loop.body, NULL, next);
    next_places(L, count, states, next, exp->as.loop.parameters);
    next_aliases(L, count, states, next, exp->as.loop.parameters, exp->as.loop.body);
    next_scalars(L, count, states, next);
    for (size_t k = 0; is_while && k < count; k++) {
        if (exp->as.loop.parameters[k] == exp->as.loop.condition) {
            loop.variable = states[k].scalar;
        }
    }
    if (going.variable != NULL) {
        end_going(L, &loop, &going);
    }
    lower_loop_end(L, &loop);
    bind_state(L, count, stm->pattern, states);
}
