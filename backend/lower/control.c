/* If, guards and calls.

   On the host an array that comes out of a branch is a reference: a buffer variable that is made another name (ALIAS) of
   whatever the branch produced, so that nothing is copied. In sequential programs it is the array itself where both branches
   leave it in the memory of one from outside, untouched or updated in place. In a work-item there are no references. There the result has
   a place and the branches write into it. Where the device chooses between branches of the host's, results have places,
   too. */
#include "backend/lower/lower.h"

#include "core/rewrite.h"

const KernelExp *lower_scalar_of(Lower *L, Value value)
{
    if (value.scalar != NULL) {
        return value.scalar;
    }
    return value.guard == NULL ? kernel_constant(L->c, core_bool(true)) : value.guard;
}

KernelVariable *lower_mutable_scalar(Lower *L, const CoreName *name, const KernelExp *value)
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

static const Reader *place_of(Lower *L, const CoreName *root)
{
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

static const Reader *place_of_root(Lower *L, const CoreStm *stm, size_t k)
{
    return place_of(L, core_root(stm, k));
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
        bool existential = core_is_existential(stm, name->type);
        if (name->type.rank == 0) {
            const KernelExp *zero = zeroed ? lower_zero(L, lower_prim(name->type.prim)) : NULL;
            outcomes[k].scalar = lower_mutable_scalar(L, name, zero);
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
            if (L->target == KERNEL_SEQUENTIAL && !existential) {
                outcomes[k].place = place_of(L, core_kept_root(stm, k));
            }
            if (outcomes[k].place == NULL) {
                outcomes[k].alias =
                    kernel_variable(L->c, name->text, name->type.prim, KERNEL_GLOBAL, L->b->span);
            }
        }
    }
    return outcomes;
}

static void set_outcome(Lower *L, const Outcome *outcome, Value value, CoreAtom result,
                        const char *text)
{
    if (outcome->scalar != NULL) {
        kernel_assign(L->b, outcome->scalar, lower_scalar_of(L, value));
        return;
    }
    if (outcome->place != NULL) {
        lower_because(L, result, CORE_REASON_BRANCH);
        lower_assign(L, outcome->place, value, text);
    } else if (outcome->alias != NULL) {
        lower_because(L, result, CORE_REASON_BRANCH);
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
            set_outcome(L, &outcomes[k], results[k], body->results[k], stm->pattern[k]->text);
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
        if ((type.rank == 0 && inside) || type.prim == CORE_CERT ||
            core_is_existential(stm, type)) {
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
        CoreAtom result = core_use(small->pattern[k]);
        set_outcome(L, &outcomes[k], lower_value(L, result), result, stm->pattern[k]->text);
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
        CoreAtom result = core_use(stm->pattern[k]);
        set_outcome(L, &outcomes[k], lower_value(L, result), result, stm->pattern[k]->text);
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
            scalars[values++] = lower_scalar_of(L, lower_value(L, argument));
        } else {
            arrays[sources++] = lower_whole(L, argument, CORE_REASON_ARGUMENT);
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
