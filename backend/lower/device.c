/* Sequential work that a device does in one work-item.

   A loop of the host that reads or writes elements would be a transfer an element; one whose body
   is element work alone is one kernel of one work-item instead, which updates the arrays where they
   are [PLDI 3]:

       loop (a = xs) for i < n do                     GRID g < 1 {
           let x = a[i]                                   FOR i < n { xs[i] = xs[i] * 2 } }
           let y = x * 2                     ==>
           let b = a with [i] <- y
           in b

   Scalars that the loop leaves behind come back through a buffer. What has kernels of its own
   inside (a SOAC of unknown width, an update of a slice of unknown size) stays a loop of the host.
 */
#include "backend/lower/lower.h"

/* Elements that one step of element work may touch at once. */
enum { FEW_ELEMENTS = 64 };

/* ---- what is element work -------------------------------------------------------------------- */

typedef struct ElementWalk {
    bool good;    /* nothing but element work so far */
    bool touches; /* an array's element is read or written */
} ElementWalk;

/* An array of constant size with few elements, or a scalar. */
static bool is_few(CoreType type)
{
    int64_t count = 1;
    for (int axis = 0; axis < type.rank; axis++) {
        if (type.sizes[axis].name != NULL || type.sizes[axis].as.integer > FEW_ELEMENTS) {
            return false;
        }
        count *= type.sizes[axis].as.integer;
        if (count > FEW_ELEMENTS) {
            return false;
        }
    }
    return true;
}

static bool all_few(const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (!is_few(stm->pattern[k]->type)) {
            return false;
        }
    }
    return true;
}

static bool all_few_or_in_place(const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (!is_few(stm->pattern[k]->type) && core_root(stm, k) == NULL) {
            return false;
        }
    }
    return true;
}

static bool is_few_atom(CoreAtom atom)
{
    return atom.name == NULL && atom.as.integer <= FEW_ELEMENTS;
}

static bool is_auto(const CoreExp *exp)
{
    return exp->level == CORE_LEVEL_AUTO || exp->level == CORE_SEQ;
}

static void walk_elements(void *context, const CoreBody *body);

static bool is_element_statement(const CoreStm *stm, ElementWalk *walk)
{
    const CoreExp *exp = stm->exp;
    switch (exp->kind) {
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: return true;
    case CORE_EXP_INDEX: walk->touches = true; return true;
    case CORE_EXP_UPDATE: walk->touches = true; return is_few(core_atom_type(exp->as.update.value));
    case CORE_EXP_IF: core_each_body(exp, walk_elements, walk); return all_few_or_in_place(stm);
    case CORE_EXP_LOOP: core_each_body(exp, walk_elements, walk); return true;
    case CORE_EXP_LITERAL:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_COPY: return all_few(stm);
    case CORE_EXP_SOAC:
        core_each_body(exp, walk_elements, walk);
        return is_auto(exp) && is_few_atom(exp->as.soac.width) && all_few(stm);
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
        walk->touches = true;
        core_each_body(exp, walk_elements, walk);
        return is_auto(exp) && is_few_atom(exp->as.scatter.width);
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
    case CORE_EXP_APPLY:
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

static void walk_elements(void *context, const CoreBody *body)
{
    ElementWalk *walk = context;
    for (size_t i = 0; walk->good && i < body->stm_count; i++) {
        bool element = is_element_statement(body->stms[i], walk);
        walk->good = walk->good && element;
    }
}

bool lower_is_element_loop(const CoreStm *stm)
{
    ElementWalk walk = {.good = true};
    core_each_body(stm->exp, walk_elements, &walk);
    return walk.good && walk.touches;
}

bool lower_is_element_branch(const CoreStm *stm)
{
    ElementWalk walk = {.good = true};
    core_each_body(stm->exp, walk_elements, &walk);
    return walk.good && all_few(stm);
}

/* ---- one work-item --------------------------------------------------------------------------- */

/* Where a statement's results are when its kernel is over. */
typedef struct Brought {
    const Reader *place;  /* arrays */
    const Reader *wanted; /* the acceptor that was given for, if any */
    KernelVariable *slot; /* scalars: a buffer of one element */
    CoreName *consumed;   /* the stand-in for a loop's initial array */
} Brought;

static bool has_existential(const CoreStm *stm)
{
    if (lower_is_filter(stm)) {
        return false; /* its places have room for all rows */
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (core_is_existential(stm, stm->pattern[k]->type)) {
            return true;
        }
    }
    return false;
}

static void want(Lower *L, const CoreName *name, const Reader *place)
{
    pointer_map_set(L->c->arena, &L->wanted, name, (void *)(uintptr_t)place);
}

/* A loop's unique state lives in its initial array, which has to be memory of the device. */
static void consume_initial(Lower *L, const CoreStm *loop, size_t k, CoreAtom *initial,
                            Brought *brought)
{
    CoreName *name = initial[k].name;
    const Reader *reader = lower_writable(L, lower_array(L, initial[k]), name->text);
    Reader *plain = ARENA_NEW(L->c->arena, Reader);
    *plain = *reader;
    plain->items = NULL;
    brought->place = plain;
    brought->consumed = core_name(L->c, name->text, name->type, loop->span);
    lower_bind_array(L, brought->consumed, plain);
    initial[k] = core_use(brought->consumed);
}

/* The statement with its results' places prepared on the host. */
static CoreStm *prepare(Lower *L, const CoreStm *stm, Brought *brought)
{
    CoreStm *bare = ARENA_NEW(L->c->arena, CoreStm);
    *bare = *stm;
    bare->certificate_count = 0;
    bool is_loop = stm->exp->kind == CORE_EXP_LOOP;
    CoreAtom *initial = NULL;
    if (is_loop) {
        CoreExp *exp = ARENA_NEW(L->c->arena, CoreExp);
        *exp = *stm->exp;
        initial = ARENA_ARRAY(L->c->arena, CoreAtom, stm->pattern_count + 1);
        memcpy(initial, exp->as.loop.initial, sizeof *initial * stm->pattern_count);
        exp->as.loop.initial = initial;
        bare->exp = exp;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        brought[k].wanted = pointer_map_get(&L->wanted, name);
        if (name->type.rank == 0) {
            brought[k].slot = kernel_variable(L->c, name->text, lower_prim(name->type.prim),
                                              KERNEL_GLOBAL, L->b->span);
            kernel_allocate(L->b, brought[k].slot, kernel_i64(L->c, 1));
        } else if (is_loop && stm->exp->as.loop.parameters[k]->type.unique) {
            consume_initial(L, stm, k, initial, &brought[k]);
            want(L, name, NULL);
        } else {
            brought[k].place =
                lower_is_filter(stm) ? lower_room_for_all(L, stm, k - 1) : lower_place(L, name);
            want(L, name, brought[k].place);
        }
    }
    return bare;
}

static void store_results(Lower *L, const CoreStm *stm, const Brought *brought)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        Value value = lower_value(L, core_use(stm->pattern[k]));
        if (brought[k].slot == NULL) {
            if (!lower_is_filter(stm)) {
                lower_assign(L, brought[k].place, value, stm->pattern[k]->text);
            }
        } else {
            if (value.scalar == NULL) {
                value.scalar =
                    value.guard == NULL ? kernel_constant(L->c, core_bool(true)) : value.guard;
            }
            kernel_store(L->b, brought[k].slot, kernel_i64(L->c, 0), value.scalar);
        }
    }
}

static void bind_results(Lower *L, const CoreStm *stm, const Brought *brought, bool good)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        want(L, name, brought[k].wanted);
        if (good && brought[k].slot == NULL) {
            Reader *array = ARENA_NEW(L->c->arena, Reader);
            *array = *brought[k].place;
            array->shape = lower_shape(L, name->type);
            lower_bind_array(L, name, array);
        } else if (good && name->type.prim == CORE_CERT) {
            Value holds = {0};
            lower_bind(L, name, holds);
        } else if (good) {
            lower_bind_scalar(L, name, kernel_load(L->c, brought[k].slot, kernel_i64(L->c, 0)));
        }
        if (brought[k].slot != NULL) {
            kernel_release(L->b, brought[k].slot);
        }
        if (brought[k].consumed != NULL) {
            lower_forget(L, brought[k].consumed);
        }
    }
}

bool lower_on_device(Lower *L, const CoreStm *stm, const char *kind)
{
    if (has_existential(stm) || core_has_effect(stm->exp)) {
        return false;
    }
    Brought *brought = ARENA_ARRAY(L->c->arena, Brought, stm->pattern_count + 1);
    CoreStm *bare = prepare(L, stm, brought);
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    lower_statement(L, bare);
    store_results(L, bare, brought);
    const char *text = stm->pattern_count > 0 ? stm->pattern[0]->text : "nothing";
    bool good = lower_kernel_end(L, &kernel, kind, text, kernel_i64(L->c, 1));
    bind_results(L, stm, brought, good);
    return good;
}
