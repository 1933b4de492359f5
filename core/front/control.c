/* if, && and ||, and assert in the front form.

   Where the branches' sizes are not the same atoms, or are known inside a branch only, the sizes
   are results too ([PLDI] 2.2, existential sizes):

       if p then xs else ys        xs : [n]f64, ys : [m]f64

           let (k : i64, t : [k]f64) = if p then { in (n, xs) } else { in (m, ys) } */
#include "core/front/elaborate.h"

/* ---- branches -------------------------------------------------------------------------------- */

/* The sizes of both branches' types, in the same order. */
typedef struct SizeList {
    Arena *arena;
    VEC(CoreAtom) sizes;
} SizeList;

static void list_size(void *context, CoreAtom size)
{
    SizeList *list = context;
    vec_push(list->arena, &list->sizes, size);
}

static SizeList sizes_of(Elaborator *e, const Type *type)
{
    SizeList list = {.arena = e->c->arena};
    front_type_each_size(type, list_size, &list);
    return list;
}

typedef VEC(CoreAtom) AtomVec;

/* One size for each pair of sizes that occurs. */
typedef struct Joined {
    Elaborator *e;
    SizeList yes, no;
    size_t next;
    unsigned mark;
    AtomVec yes_results, no_results;
    VEC(CoreName *) names;
} Joined;

static CoreAtom join_size(void *context, CoreAtom yes)
{
    Joined *j = context;
    CoreAtom no = j->no.sizes.items[j->next++];
    bool inside = yes.name && yes.name->number > j->mark;
    if (core_atom_equal(yes, no) && !inside) {
        return yes;
    }
    for (size_t i = 0; i < j->names.count; i++) {
        if (core_atom_equal(j->yes_results.items[i], yes) &&
            core_atom_equal(j->no_results.items[i], no)) {
            return core_use(j->names.items[i]);
        }
    }
    CoreName *name = core_name(j->e->c, "n", core_scalar(CORE_I64), BUILDER(j->e)->span);
    front_note_extent(j->e, core_use(name));
    vec_push(j->e->c->arena, &j->names, name);
    vec_push(j->e->c->arena, &j->yes_results, yes);
    vec_push(j->e->c->arena, &j->no_results, no);
    return core_use(name);
}

/* Both values are data of like types; their frames are closed. */
static Value join(Elaborator *e, CoreAtom condition, Frame *yes_frame, const Value *yes,
                  Frame *no_frame, const Value *no, const char *text)
{
    Joined j = {.e = e, .mark = yes_frame->mark};
    Arena *arena = e->c->arena;
    j.no = sizes_of(e, no->type);
    const Type *type = front_type_map(e, yes->type, join_size, &j);
    size_t leaves = type->leaf_count;
    CoreName **result = front_name_leaves(e, type, NULL, text);
    for (size_t i = 0; i < leaves; i++) {
        vec_push(arena, &j.yes_results, yes->leaves[i]);
        vec_push(arena, &j.no_results, no->leaves[i]);
        vec_push(arena, &j.names, result[i]);
    }
    size_t count = j.names.count;
    const CoreExp *exp =
        core_exp_if(e->c, condition, front_body(yes_frame, count, j.yes_results.items),
                    front_body(no_frame, count, j.no_results.items));
    core_bind(BUILDER(e), count, j.names.items, exp);
    return front_value_names(e, type, result);
}

/* ---- if -------------------------------------------------------------------------------------- */

static Value branch(Elaborator *e, const FrontExp *exp, Want want, Frame **frame)
{
    *frame = front_open(e, exp->span);
    Value value = front_data(e, exp, want);
    front_close(e);
    return value;
}

Value front_if(Elaborator *e, const FrontExp *exp, Want want)
{
    CoreAtom condition;
    bool known = front_scalar(e, exp->as.conditional.condition, CORE_BOOL, "the condition of if",
                              NULL, &condition);
    const FrontExp *parts[2] = {exp->as.conditional.then_exp, exp->as.conditional.else_exp};
    int first = !want.type && front_is_weaker(parts[0], parts[1]);
    Frame *frames[2];
    Value values[2];
    Want wanted = {want.type, want.text};
    values[first] = branch(e, parts[first], wanted, &frames[first]);
    if (!want.type && values[first].kind == VALUE_DATA) {
        wanted.type = front_type_unsized(e, values[first].type);
    }
    values[!first] = branch(e, parts[!first], wanted, &frames[!first]);
    if (!known || values[0].kind != VALUE_DATA || values[1].kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (!front_type_alike(values[0].type, values[1].type)) {
        return front_mismatch(e, parts[1]->span, "the branches of if",
                              front_type_text(e, values[0].type),
                              front_type_text(e, values[1].type));
    }
    Frame *marked = frames[first]; /* the lower mark: names since then are inside */
    frames[0]->mark = marked->mark;
    return join(e, condition, frames[0], &values[0], frames[1], &values[1], want.text);
}

/* x && y  ==>  if x then y else false;  x || y  ==>  if x then true else y */
Value front_lazy(Elaborator *e, const FrontExp *exp, bool is_or, Want want)
{
    const char *what = is_or ? "an operand of ||" : "an operand of &&";
    CoreAtom x, y;
    bool known = front_scalar(e, exp->as.operation.x, CORE_BOOL, what, NULL, &x);
    Frame *frame = front_open(e, exp->as.operation.y->span);
    known = front_scalar(e, exp->as.operation.y, CORE_BOOL, what, NULL, &y) && known;
    front_close(e);
    Frame *other = front_open(e, exp->span);
    front_close(e);
    if (!known) {
        return ERROR_VALUE;
    }
    other->mark = frame->mark;
    Value lazy = front_value_atom(e, y), constant = front_value_atom(e, core_bool(is_or));
    return is_or ? join(e, x, other, &constant, frame, &lazy, want.text)
                 : join(e, x, frame, &lazy, other, &constant, want.text);
}

/* ---- assert ---------------------------------------------------------------------------------- */

/* What the value needs is guarded by the certificate, and so is the value itself. */
Value front_assert(Elaborator *e, const FrontExp *exp, Want want)
{
    CoreAtom condition;
    bool known = front_scalar(e, exp->as.assertion.condition, CORE_BOOL, "the condition of assert",
                              NULL, &condition);
    if (!known) {
        front_data(e, exp->as.assertion.value, want);
        return ERROR_VALUE;
    }
    CoreAtom certificate =
        front_require(e, condition, CORE_DOMAIN_ERROR, "assertion failed", 0, NULL);
    size_t mark = front_guard(e, certificate);
    Value value = front_data(e, exp->as.assertion.value, want);
    if (value.kind == VALUE_DATA && certificate.name) {
        CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, value.type->leaf_count);
        for (size_t i = 0; i < value.type->leaf_count; i++) {
            CoreAtom leaf = value.leaves[i];
            const char *text = leaf.name ? leaf.name->text : want.text ? want.text : "t";
            leaves[i] = core_let_atom(BUILDER(e), text, leaf);
        }
        value = front_value(value.type, leaves);
    }
    front_unguard(e, mark);
    return value;
}
