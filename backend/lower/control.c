/* If, calls and loop.

   On the host an array that comes out of a branch, or goes round a loop, is a reference: a buffer
   variable that is made another name (ALIAS) of whatever the branch or the body produced, so that
   nothing is copied and a loop's two buffers swap by themselves:

       loop (a = x) for i < n do f a     ==>   ALIAS s = x
                                               FOR i < n { ALLOCATE t; t := f(s); ALIAS s = t;
                                                           RELEASE t }

   In a work-item there are no references. There the result has a place and the branches write into
   it; a loop's state has a place, and what the body made is copied there, unless it was updated in
   that place already. */
#include "backend/lower/lower.h"

#include "core/rewrite.h"

/* Whether the type of result k of this statement mentions another of its results. */
static bool is_existential(const CoreStm *stm, CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (type.sizes[axis].name == stm->pattern[k]) {
                return true;
            }
        }
    }
    return false;
}

static const KernelExp *scalar_of(Lower *L, Value value)
{
    if (value.scalar != NULL) {
        return value.scalar;
    }
    return value.guard == NULL ? kernel_constant(L->c, core_bool(true)) : value.guard;
}

static KernelVariable *mutable_scalar(Lower *L, const CoreName *name, const KernelExp *value)
{
    KernelVariable *variable =
        kernel_variable(L->c, name->text, lower_prim(name->type.prim), KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, variable, value);
    return variable;
}

/* ---- if -------------------------------------------------------------------------------------- */

static void select_branches(Lower *L, const CoreStm *stm, const KernelExp *condition)
{
    const CoreExp *exp = stm->exp;
    Value *x = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
    Value *y = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
    lower_body(L, exp->as.conditional.then_body, NULL, x);
    lower_body(L, exp->as.conditional.else_body, NULL, y);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_bind_scalar(L, stm->pattern[k],
                          kernel_select(L->c, condition, x[k].scalar, y[k].scalar));
    }
}

/* ---- results in place ------------------------------------------------------------------------ */

static const Reader *place_of_root(Lower *L, const CoreStm *stm, size_t k)
{
    const CoreName *root = core_root(stm, k);
    const Value *value = root == NULL ? NULL : pointer_map_get(&L->values, root);
    if (value == NULL || value->array == NULL || !lower_is_writable(value->array) ||
        value->array->guard != NULL) {
        return NULL;
    }
    Reader *place = ARENA_NEW(L->c->arena, Reader);
    *place = *value->array;
    place->items = NULL;
    return place;
}

/* Where the results of a statement with blocks inside go. */
typedef struct Outcome {
    KernelVariable *scalar; /* assigned in each block */
    const Reader *place;    /* written in each block */
    KernelVariable *alias;  /* made another name of what each block has */
} Outcome;

static Outcome *make_outcomes(Lower *L, const CoreStm *stm, bool zeroed)
{
    Outcome *outcomes = ARENA_ARRAY(L->c->arena, Outcome, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        bool existential = is_existential(stm, name->type);
        if (name->type.rank == 0) {
            const KernelExp *zero = zeroed ? lower_zero(L, lower_prim(name->type.prim)) : NULL;
            outcomes[k].scalar = mutable_scalar(L, name, zero);
        } else if (!existential && (L->in_kernel || lower_inside_map(L))) {
            outcomes[k].place = place_of_root(L, stm, k);
            if (outcomes[k].place == NULL) {
                outcomes[k].place = lower_place(L, name);
            }
        } else if (L->in_kernel) {
            L->failed = true;
            KernelExps nothing = ARENA_ARRAY(L->c->arena, const KernelExp *, name->type.rank);
            const KernelExp **shape = (const KernelExp **)(uintptr_t)nothing;
            for (int axis = 0; axis < name->type.rank; axis++) {
                shape[axis] = kernel_i64(L->c, 0);
            }
            outcomes[k].place =
                lower_allocate(L, name->text, name->type.prim, name->type.rank, shape);
        } else {
            outcomes[k].alias =
                kernel_variable(L->c, name->text, name->type.prim, KERNEL_GLOBAL, L->b->span);
        }
    }
    return outcomes;
}

static void set_outcome(Lower *L, const Outcome *outcome, Value value, const char *text)
{
    if (outcome->scalar != NULL) {
        kernel_assign(L->b, outcome->scalar, scalar_of(L, value));
    } else if (outcome->place != NULL) {
        lower_assign(L, outcome->place, value, text);
    } else if (outcome->alias != NULL) {
        kernel_alias(L->b, outcome->alias, lower_whole_of(L, value.array, text));
    }
}

static void bind_alias(Lower *L, CoreName *name, KernelVariable *alias)
{
    lower_own(L, alias);
    lower_bind_array(L, name,
                     lower_buffer_reader(L, alias, name->type.rank, lower_shape(L, name->type)));
}

static void bind_outcomes(Lower *L, const CoreStm *stm, const Outcome *outcomes)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        if (outcomes[k].scalar != NULL) {
            lower_bind_scalar(L, name, kernel_use(L->c, outcomes[k].scalar));
        } else if (outcomes[k].place != NULL) {
            lower_bind_array(L, name, outcomes[k].place);
        } else {
            bind_alias(L, name, outcomes[k].alias);
        }
    }
}

static KernelBlock branch(Lower *L, const CoreStm *stm, const CoreBody *body,
                          const Outcome *outcomes)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    Value *results = ARENA_ARRAY(L->c->arena, Value, body->result_count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, body->result_count + 1);
    for (size_t k = 0; k < body->result_count; k++) {
        wanted[k] = outcomes[k].place;
    }
    lower_body(L, body, wanted, results);
    for (size_t k = 0; k < body->result_count; k++) {
        if (outcomes[k].place == NULL) {
            set_outcome(L, &outcomes[k], results[k], stm->pattern[k]->text);
        }
    }
    return lower_block_end(L, &block);
}

/* The outcomes' scalars, that are no names of the branches, chosen behind the IF. */
static void select_outcomes(Lower *L, const CoreStm *stm, const KernelExp *condition)
{
    const CoreExp *exp = stm->exp;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank == 0) {
            const KernelExp *x = lower_scalar(L, exp->as.conditional.then_body->results[k]),
                            *y = lower_scalar(L, exp->as.conditional.else_body->results[k]);
            lower_bind_scalar(L, stm->pattern[k], kernel_select(L->c, condition, x, y));
        }
    }
}

/* What has level @grid is a place outside of both branches: kernels of both can be started. */
static bool has_places(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->level != CORE_GRID || L->in_kernel || L->target == KERNEL_SEQUENTIAL ||
        lower_inside_map(L)) {
        return false;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        bool inside = core_binds(exp->as.conditional.then_body,
                                 exp->as.conditional.then_body->results[k].name) ||
                      core_binds(exp->as.conditional.else_body,
                                 exp->as.conditional.else_body->results[k].name);
        if ((type.rank == 0 && inside) || type.prim == CORE_CERT || is_existential(stm, type)) {
            return false;
        }
    }
    return true;
}

/* if @grid: the device chooses, where it can (backend/ahead/choose.c); false: the host should. */
static bool lower_if_on_device(Lower *L, const CoreStm *stm, const KernelExp *condition)
{
    const CoreExp *exp = stm->exp;
    Outcome *outcomes = ARENA_ARRAY(L->c->arena, Outcome, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0) {
            outcomes[k].place = place_of_root(L, stm, k);
            outcomes[k].place =
                outcomes[k].place ? outcomes[k].place : lower_place(L, stm->pattern[k]);
        }
    }
    Chosen chosen = {L->chosen, stm, false};
    L->chosen = &chosen;
    KernelBlock then_block = branch(L, stm, exp->as.conditional.then_body, outcomes);
    KernelBlock else_block = branch(L, stm, exp->as.conditional.else_body, outcomes);
    L->chosen = chosen.outer;
    kernel_if(L->b, condition, then_block, else_block);
    if (!chosen.takes_memory) {
        kernel_by_device(L->b);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (outcomes[k].place != NULL) {
            lower_bind_array(L, stm->pattern[k], outcomes[k].place);
        }
    }
    select_outcomes(L, stm, condition);
    return !chosen.takes_memory;
}

/* ---- what is there already --------------------------------------------------------------------- */

/* What a branch leaves behind is there without it: on the device that is copied. */
static bool is_there(const CoreBody *branch, CoreAtom result)
{
    return core_root_in(branch, result) != NULL;
}

static const KernelExp *plus_copied(Lower *L, const CoreBody *body, const KernelExp *bytes);

/* With what is copied where the device chooses between these branches, or inside. */
static const KernelExp *plus_copied_of(Lower *L, const CoreStm *stm, const KernelExp *bytes)
{
    const CoreBody *yes = stm->exp->as.conditional.then_body,
                   *no = stm->exp->as.conditional.else_body;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        if (type.rank > 0 && !core_root(stm, k) &&
            (is_there(yes, yes->results[k]) || is_there(no, no->results[k]))) {
            const KernelExp *more = lower_product(L, type.rank, lower_shape(L, type)),
                            *size = kernel_i64(L->c, core_prim_bytes(type.prim));
            bytes = lower_op(L, CORE_ADD, bytes, lower_op(L, CORE_MUL, more, size));
        }
    }
    return plus_copied(L, no, plus_copied(L, yes, bytes));
}

static const KernelExp *plus_copied(Lower *L, const CoreBody *body, const KernelExp *bytes)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (body->stms[i]->exp->kind == CORE_EXP_IF && !core_is_selection(body->stms[i])) {
            bytes = plus_copied_of(L, body->stms[i], bytes);
        }
    }
    return bytes;
}

/* if copied quickly, by size { if condition, by device {...} else {...} } else { if condition {...} else {...} }

   The host changes a name, where the device copies: from some size on that takes longer than to wait. */
static void lower_if_by_size(Lower *L, const CoreStm *stm, const KernelExp *condition,
                             const KernelExp *is_quick)
{
    const CoreStm *small = core_rename_stm(core_renaming(L->c), stm),
                  *large = core_rename_stm(core_renaming(L->c), stm);
    const CoreExp *exp = large->exp;
    Outcome *outcomes = ARENA_ARRAY(L->c->arena, Outcome, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const CoreName *name = stm->pattern[k];
        if (name->type.rank > 0) {
            outcomes[k].alias =
                kernel_variable(L->c, name->text, name->type.prim, KERNEL_GLOBAL, L->b->span);
        }
    }
    LowerLoop block;
    lower_block_begin(L, &block);
    bool chooses = lower_if_on_device(L, small, condition);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        Value value = lower_value(L, core_use(small->pattern[k]));
        set_outcome(L, &outcomes[k], value, stm->pattern[k]->text);
    }
    KernelBlock small_block = lower_block_end(L, &block);
    lower_block_begin(L, &block);
    KernelBlock then_block = branch(L, large, exp->as.conditional.then_body, outcomes);
    KernelBlock else_block = branch(L, large, exp->as.conditional.else_body, outcomes);
    kernel_if(L->b, condition, then_block, else_block);
    KernelBlock large_block = lower_block_end(L, &block);
    if (chooses) {
        kernel_if(L->b, is_quick, small_block, large_block);
        kernel_by_size(L->b);
    } else {
        kernel_add_block(L->b, large_block);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (outcomes[k].alias != NULL) {
            bind_alias(L, stm->pattern[k], outcomes[k].alias);
        }
    }
    select_outcomes(L, stm, condition);
}

static void lower_chosen_if(Lower *L, const CoreStm *stm, const KernelExp *condition)
{
    enum { SURELY_QUICK = 1 << 16 };
    if (lower_is_element_branch(stm) && lower_on_device(L, stm, "choose")) {
        return;
    }
    const KernelExp *bytes =
        L->chosen == NULL ? plus_copied_of(L, stm, kernel_i64(L->c, 0)) : kernel_i64(L->c, 0);
    if (bytes->kind == KERNEL_CONSTANT && bytes->as.constant.as.integer <= SURELY_QUICK) {
        lower_if_on_device(L, stm, condition);
    } else {
        const KernelExp *quick = lower_device(L, "copied_bytes", CORE_I64);
        lower_if_by_size(L, stm, condition, lower_op(L, CORE_LE, bytes, quick));
    }
}

void lower_if(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const KernelExp *condition = lower_scalar(L, exp->as.conditional.condition);
    if (core_is_selection(stm)) {
        select_branches(L, stm, condition);
        return;
    }
    if (condition->kind != KERNEL_CONSTANT && has_places(L, stm)) {
        lower_chosen_if(L, stm, condition);
        return;
    }
    Outcome *outcomes = make_outcomes(L, stm, false);
    KernelBlock then_block = branch(L, stm, exp->as.conditional.then_body, outcomes);
    KernelBlock else_block = branch(L, stm, exp->as.conditional.else_body, outcomes);
    kernel_if(L->b, condition, then_block, else_block);
    bind_outcomes(L, stm, outcomes);
}

/* The arrays that the statement updates in place, one for each result; none: it is no such statement. */
static size_t updated_by(const CoreExp *exp, const CoreAtom **arrays)
{
    if (exp->kind == CORE_EXP_UPDATE) {
        *arrays = &exp->as.update.array;
        return 1;
    }
    *arrays = exp->as.scatter.destinations;
    return exp->kind == CORE_EXP_SCATTER || exp->kind == CORE_EXP_HIST ? exp->as.scatter.count : 0;
}

/* The results are the old memory, or have theirs before the guard: binding happens inside, the names are good
   outside. */
static void update_under_guard(Lower *L, const KernelExp *guard, const CoreStm *stm, size_t count,
                               const CoreAtom *arrays)
{
    const Value **before = ARENA_ARRAY(L->c->arena, const Value *, count);
    for (size_t k = 0; k < count; k++) {
        Value *target = ARENA_NEW(L->c->arena, Value);
        target->array = lower_target(L, stm->pattern[k], arrays[k]);
        before[k] = pointer_map_get(&L->values, arrays[k].name);
        pointer_map_set(L->c->arena, &L->values, arrays[k].name, target);
    }
    LowerLoop block;
    lower_block_begin(L, &block);
    lower_statement(L, stm);
    kernel_if(block.outer, guard, lower_block_end(L, &block), (KernelBlock){0});
    for (size_t k = 0; k < count; k++) {
        pointer_map_set(L->c->arena, &L->values, arrays[k].name, (void *)(uintptr_t)before[k]);
    }
}

void lower_under_guard(Lower *L, const KernelExp *guard, const CoreStm *stm)
{
    CoreStm *bare = ARENA_NEW(L->c->arena, CoreStm);
    *bare = *stm;
    bare->certificate_count = 0;
    const CoreAtom *arrays;
    size_t updated = updated_by(stm->exp, &arrays);
    if (updated > 0) {
        update_under_guard(L, guard, bare, updated, arrays);
        return;
    }
    Outcome *outcomes = make_outcomes(L, stm, true);
    LowerLoop block;
    lower_block_begin(L, &block);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k],
                        (void *)(uintptr_t)outcomes[k].place);
    }
    lower_statement(L, bare);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], NULL);
        set_outcome(L, &outcomes[k], lower_value(L, core_use(stm->pattern[k])),
                    stm->pattern[k]->text);
    }
    KernelBlock guarded = lower_block_end(L, &block);
    kernel_if(L->b, guard, guarded, (KernelBlock){0});
    bind_outcomes(L, stm, outcomes);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* In a work-item there are none: what is around has to be a loop of the host. */
void lower_call(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    size_t count = exp->as.apply.count, values = 0, sources = 0;
    if (L->in_kernel) {
        L->failed = true;
        bind_outcomes(L, stm, make_outcomes(L, stm, true));
        return;
    }
    const KernelExp **scalars = ARENA_ARRAY(L->c->arena, const KernelExp *, count + 1);
    KernelVariable **arrays = ARENA_ARRAY(L->c->arena, KernelVariable *, count + 1);
    for (size_t i = 0; i < count; i++) {
        CoreAtom argument = exp->as.apply.arguments[i];
        if (core_atom_type(argument).rank == 0) {
            scalars[values++] = scalar_of(L, lower_value(L, argument));
        } else {
            arrays[sources++] = lower_whole(L, argument);
        }
    }
    KernelVariable **results = ARENA_ARRAY(L->c->arena, KernelVariable *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const CoreName *name = stm->pattern[k];
        bool is_scalar = name->type.rank == 0;
        results[k] = kernel_variable(L->c, name->text,
                                     is_scalar ? lower_prim(name->type.prim) : name->type.prim,
                                     is_scalar ? KERNEL_SCALAR : KERNEL_GLOBAL, L->b->span);
    }
    const size_t *number = pointer_map_get(&L->functions, intern(L->c, exp->as.apply.function));
    kernel_call(L->b, *number, values, scalars, sources, arrays, stm->pattern_count, results);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        if (name->type.rank == 0) {
            lower_bind_scalar(L, name, kernel_use(L->c, results[k]));
        } else {
            bind_alias(L, name, results[k]);
        }
    }
}

/* ---- loop ------------------------------------------------------------------------------------ */

/* One piece of a loop's state. */
typedef struct State {
    KernelVariable *scalar;
    const Reader *place;   /* in a work-item */
    KernelVariable *alias; /* on the host */
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
    if (is_existential(stm, name->type)) {
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
    const Reader *place = lower_place(L, name);
    Value value = {.array = initial};
    lower_assign(L, place, value, name->text);
    return place;
}

static State *begin_state(Lower *L, const CoreStm *stm, bool places)
{
    const CoreExp *exp = stm->exp;
    State *states = ARENA_ARRAY(L->c->arena, State, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const CoreName *parameter = exp->as.loop.parameters[k];
        if (parameter->type.rank == 0) {
            states[k].scalar =
                mutable_scalar(L, parameter, scalar_of(L, lower_value(L, exp->as.loop.initial[k])));
        } else if (places) {
            states[k].place = state_place(L, stm, k);
        } else {
            KernelVariable *source = lower_whole(L, exp->as.loop.initial[k]);
            states[k].alias = kernel_variable(L->c, parameter->text, parameter->type.prim,
                                              KERNEL_GLOBAL, L->b->span);
            kernel_alias(L->b, states[k].alias, source);
            lower_own(L, states[k].alias);
        }
    }
    return states;
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
            lower_bind_array(L, name,
                             lower_buffer_reader(L, states[k].alias, name->type.rank,
                                                 lower_shape(L, name->type)));
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
        values[k] = scalar_of(L, next[k]);
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

static void next_aliases(Lower *L, size_t count, const State *states, const Value *next,
                         CoreName *const *names)
{
    KernelVariable **sources = ARENA_ARRAY(L->c->arena, KernelVariable *, count + 1);
    KernelVariable **saved = ARENA_ARRAY(L->c->arena, KernelVariable *, count + 1);
    for (size_t k = 0; k < count; k++) {
        if (states[k].alias != NULL) {
            sources[k] = lower_whole_of(L, next[k].array, names[k]->text);
        }
    }
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
    if (!L->in_kernel && L->target == KERNEL_PARALLEL && lower_is_element_loop(stm) &&
        lower_on_device(L, stm, "loop")) {
        return;
    }
    const KernelExp *bound = is_while ? NULL : lower_scalar(L, exp->as.loop.bound);
    State *states = begin_state(L, stm, state_has_places(L, stm));
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
    next_aliases(L, count, states, next, exp->as.loop.parameters);
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
