/* What a function asks of its group as a whole, found for all groups at once.

       k{⍵[⍋⍵][⌈0.5×≢⍵]}⌸v    ==>   up ← the orders of all groups' values, behind each other
                                    for each group: the slice of up that belongs to it, in place of ⍋⍵

   Groups have lengths of their own, so that a sort of each would be a sort by one work-item, or a step of a loop of the host.
   Values that are sorted, and then sorted by group, are sorted within all groups: ⍋⍵, ⍒⍵ and ⍵⍳⍵, and with that ∪⍵ and ⌸ of
   ⍵, are slices of what has been found for all, as ⍵ is a slice of the values (∆groupUp and so on in the prelude). That is so
   of the variable that is the group, and of nothing that is computed from it.

       k{⍺,(+/⍵)÷≢⍵}⌸v        ==>   sums ← 0⍴⍨≢counts ⋄ sums[numbers] +← v
                                    for each group: its item of sums in place of +/⍵, its item of counts in place of ≢⍵

   Where a function asks for such folds alone, as one sees in its text, the values are not brought together. */
#include "apl/elaborate/internal.h"

enum { GROUP_FOLDS = 4 }; /* elab_group_folds */

typedef enum GroupQuestion { GROUP_UP, GROUP_DOWN, GROUP_FIRSTS, GROUP_QUESTIONS } GroupQuestion;

/* An array with an item for each value of all groups, by groups, and what is found for it. */
typedef struct Whole {
    Value *values;
    struct Whole *answers[GROUP_QUESTIONS]; /* NULL: not asked yet */
} Whole;

/* A variable of the function at work that is the group's slice of a whole. */
typedef struct Part {
    const TailVariable *variable;
    Whole *whole;
    struct Part *next;
} Part;

struct Group {
    Group *outer;
    Block *block; /* where the groups are made; with what e->parallel was there */
    int parallel;
    Value *starts;
    Whole *values;
    const TailVariable *slice; /* the group at work; NULL: none */
    Part *parts;
    /* where only folds are asked for: */
    Value *numbers, *counts; /* each value's group; how many a group has */
    Value *index;            /* of the group at work */
    Value *folds[GROUP_FOLDS];
};

static const TailVariable *variable_of(const Value *value)
{
    bool is_one = value->kind == VALUE_ARRAY && value->exp->kind == TAIL_EXP_VARIABLE;
    return is_one ? value->exp->as.variable : NULL;
}

static void note_part(Elaboration *e, Group *group, const Value *value, Whole *whole)
{
    const TailVariable *variable = variable_of(value);
    if (variable != NULL) {
        Part *part = ARENA_NEW(e->c->arena, Part);
        *part = (Part){variable, whole, group->parts};
        group->parts = part;
    }
}

/* The function as ∆key names it, so that errors are where others are. */
static Function *at_group(Elaboration *e, const Function *function)
{
    Function *inner = function->left->function;
    if (inner->kind == FUNCTION_CLOSURE) {
        return inner;
    }
    inner = arena_copy(e->c->arena, inner, sizeof *inner);
    inner->span = function->span;
    return inner;
}

/* As many items as the group has, and of their kind, of which nobody reads any: in place of the group where only folds are asked
   for. */
static Value *stand_in(Elaboration *e, const Group *group, Value *index, Span span)
{
    Value *count = elab_index(e, group->counts, 1, &index, 1, span);
    Call more = {
        .primitive = APL_CEILING, .left = count, .right = elab_int(e, 0, span), .span = span};
    count = elab_scalar_function(e, &more);
    return elab_reshape(e, elab_vector(e, 1, &count, span),
                        elab_fill(e, group->values->values->base, span), span);
}

Value *elab_apply_to_group(Elaboration *e, const Function *function, Value *left, Value *right,
                           Span span)
{
    Group *group = function->group;
    const TailVariable *slice = group->slice;
    Part *parts = group->parts;
    if (group->numbers != NULL) {
        group->index = right;
        right = stand_in(e, group, right, span);
    }
    group->slice = variable_of(right);
    note_part(e, group, right, group->values);
    Value *result = elab_apply(e, at_group(e, function), left, right, span);
    group->slice = slice;
    group->parts = parts;
    return result;
}

static Whole *new_whole(Elaboration *e, Value *values)
{
    Whole *whole = ARENA_NEW(e->c->arena, Whole);
    *whole = (Whole){.values = values};
    return whole;
}

/* keys f⌸ of these groups, by an operator of the prelude with a right operand. */
static Value *key_of_groups(Elaboration *e, Group group, const char *name, Value *function,
                            Value *operand, Value *keys, Value *right, Span span)
{
    Group *made = arena_copy(e->c->arena, &group, sizeof group);
    Function *marked = ARENA_NEW(e->c->arena, Function);
    *marked =
        (Function){.kind = FUNCTION_GROUP, .span = function->span, .left = function, .group = made};
    made->outer = e->group;
    made->block = e->block;
    made->parallel = e->parallel;
    Function *groups = elab_prelude_operator(e, name, elab_function(e, marked), operand);
    e->group = made;
    Value *result = elab_apply(e, groups, keys, right, span);
    e->group = made->outer;
    return result;
}

Value *elab_key_groups(Elaboration *e, Value *function, Value *keys, Value *values, Value *starts,
                       Span span)
{
    Group group = {.starts = starts, .values = new_whole(e, values)};
    return key_of_groups(e, group, "∆key", function, starts, keys, values, span);
}

Value *elab_key_folds(Elaboration *e, Value *function, Value *keys, Value *values, Value *numbers,
                      Value *counts, Span span)
{
    Group group = {.values = new_whole(e, values), .numbers = numbers, .counts = counts};
    return key_of_groups(e, group, "∆keyFolded", function, counts, keys, keys, span);
}

bool elab_stands_for_group(const Elaboration *e, const Value *value)
{
    const TailVariable *variable = variable_of(value);
    const Group *group = variable != NULL ? e->group : NULL;
    while (group != NULL && !(group->numbers != NULL && group->slice == variable)) {
        group = group->outer;
    }
    return group != NULL;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* What the variable was let to be; NULL: it is none of a let in scope. */
static const TailExp *definition_of(const Elaboration *e, const TailVariable *variable)
{
    for (const Block *block = e->block; block != NULL; block = block->outer) {
        for (size_t i = block->lets.count; i-- > 0;) {
            if (block->lets.items[i].variable == variable) {
                return block->lets.items[i].value;
            }
        }
    }
    return NULL;
}

/* builtin(count, array): the count, and in *array the variable; NULL: it is no such call. */
static const TailExp *count_of(const Elaboration *e, const TailVariable *variable,
                               TailBuiltin builtin, const TailVariable **array)
{
    const TailExp *call = definition_of(e, variable);
    bool is_one = call != NULL && call->kind == TAIL_EXP_CALL && call->as.call.builtin == builtin &&
                  call->as.call.count == 2 && call->as.call.arguments[1]->kind == TAIL_EXP_VARIABLE;
    *array = is_one ? call->as.call.arguments[1]->as.variable : NULL;
    return is_one ? call->as.call.arguments[0] : NULL;
}

/* Which values the group has; false: it is not written as a slice of them. */
static bool find_slice(const Elaboration *e, const Group *group, const TailExp **start,
                       const TailExp **length)
{
    const TailVariable *rest, *values = NULL;
    *length = count_of(e, group->slice, TAIL_OP_TAKE, &rest);
    *start = rest != NULL ? count_of(e, rest, TAIL_OP_DROP, &values) : NULL;
    return values != NULL && values == variable_of(group->values->values);
}

static Whole *ask(Elaboration *e, const Group *group, Whole *whole, GroupQuestion question,
                  Span span)
{
    static const char *const names[] = {
        [GROUP_UP] = "∆groupUp", [GROUP_DOWN] = "∆groupDown", [GROUP_FIRSTS] = "∆groupFirsts"};
    if (whole->answers[question] == NULL) {
        Block *block = e->block;
        int parallel = e->parallel;
        e->block = group->block;
        e->parallel = group->parallel;
        whole->answers[question] = new_whole(
            e, elab_apply_prelude(e, names[question], group->starts, whole->values, span));
        e->block = block;
        e->parallel = parallel;
    }
    return whole->answers[question];
}

/* The group of whose slices the value is one; NULL: of none's, or only types are asked for. */
static Group *group_of(const Elaboration *e, const Value *value, const Part **part)
{
    const TailVariable *variable = e->trying ? NULL : variable_of(value);
    Group *group = variable != NULL && value->rank == 1 ? e->group : NULL;
    for (; group != NULL; group = group->outer) {
        for (*part = group->parts; *part != NULL; *part = (*part)->next) {
            if ((*part)->variable == variable) {
                return group;
            }
        }
    }
    return NULL;
}

/* The answer, or what `adapt` of the prelude makes of the group's slice of it; NULL: it is none's. */
static Value *answer(Elaboration *e, GroupQuestion question, Value *value, const char *adapt,
                     Span span)
{
    const Part *part;
    const TailExp *start, *length;
    Group *group = group_of(e, value, &part);
    if (group == NULL || !find_slice(e, group, &start, &length)) {
        return NULL;
    }
    Whole *whole = ask(e, group, part->whole, question, span);
    Value *behind = ELAB_VALUE(e, TAIL_OP_DROP, span, start, whole->values->exp);
    Value *slice = ELAB_VALUE(e, TAIL_OP_TAKE, span, length, behind->exp);
    Value *result = elab_apply_prelude(e, "∆inGroup", slice, value, span);
    note_part(e, group, result, whole);
    return adapt != NULL ? elab_apply_prelude(e, adapt, result, value, span) : result;
}

Value *elab_group_grade(Elaboration *e, bool up, Value *value, Span span)
{
    return answer(e, up ? GROUP_UP : GROUP_DOWN, value, NULL, span);
}

Value *elab_group_firsts(Elaboration *e, Value *value, Span span)
{
    return value->base == TAIL_COMPLEX
               ? NULL
               : answer(e, GROUP_FIRSTS, value, value->base == TAIL_DOUBLE ? "∆notOfNans" : NULL,
                        span);
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* Which fold of groups the function is; -1: none. */
static int fold_of(AplPrimitive primitive)
{
    static const AplPrimitive folds[GROUP_FOLDS] = {APL_PLUS, APL_TIMES, APL_CEILING, APL_FLOOR};
    for (int k = 0; k < GROUP_FOLDS; k++) {
        if (folds[k] == primitive) {
            return k;
        }
    }
    return -1;
}

bool elab_folds_groups(AplPrimitive primitive)
{
    return fold_of(primitive) >= 0;
}

/* The fold of all groups: an item each. */
static Value *fold_groups(Elaboration *e, Group *group, Function *function, Span span)
{
    Value *values = group->values->values;
    Value *count = elab_extent(e, group->counts, 0, span);
    Value *none = elab_identity(e, function, values->base, span);
    Value *folded = elab_reshape(e, elab_vector(e, 1, &count, span), none, span);
    return elab_assign(e, folded, 1, &group->numbers, 1, function, values, span);
}

Value *elab_group_fold(Elaboration *e, Function *function, Value *value, Span span)
{
    const Part *part;
    int fold = function->kind == FUNCTION_PRIMITIVE ? fold_of(function->primitive) : -1;
    Group *group = fold >= 0 ? group_of(e, value, &part) : NULL;
    if (group == NULL || group->numbers == NULL || part->whole != group->values) {
        return NULL;
    }
    if (group->folds[fold] == NULL) {
        Block *block = e->block;
        int parallel = e->parallel;
        e->block = group->block;
        e->parallel = group->parallel;
        group->folds[fold] = fold_groups(e, group, function, span);
        e->block = block;
        e->parallel = parallel;
    }
    return elab_index(e, group->folds[fold], 1, &group->index, 1, span);
}
