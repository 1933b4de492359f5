/* Base types that the text of a TAIL program leaves open, found by unification.

       let v1:<'b0>0 = zilde() in
       catV(v1,[1,2])                  the items of v1 are ints: 'b0 = int, zilde{[int],[1]}()

   Subtyping never changes a base type: S(int,7), [int]0, <int>3 and [int]1 all have int. A skeleton
   is what is left of a type without its ranks, lengths and known values, and skeletons are found by
   plain unification over the whole program:

       S ::= k | S * .. * S | S -> .. -> S | variable

   What does not unify is left as it is: typing reports it in the words of the builtin's scheme.
   [TAIL] section 2 (the schemes' base variables). */
#include "tail/parse.h"
#include "tail/schemes.h"

struct BaseTerm {
    BaseTerm *link; /* another that is equal to this one */
    bool known;
    TailBaseKind kind;
};

typedef enum SkeletonKind {
    SKELETON_FREE,
    SKELETON_ARRAY,
    SKELETON_TUPLE,
    SKELETON_FUNCTION
} SkeletonKind;

struct Skeleton {
    Skeleton *link;
    SkeletonKind kind;
    BaseTerm *base;
    size_t count;
    Skeleton **items;
};

/* ---- terms ----------------------------------------------------------------------------------- */

static BaseTerm *free_base(Bases *bases)
{
    return ARENA_NEW(bases->c->arena, BaseTerm);
}

static BaseTerm *known_base(Bases *bases, TailBaseKind kind)
{
    BaseTerm *term = free_base(bases);
    term->known = true;
    term->kind = kind;
    return term;
}

/* Shortens the way on the way. */
static BaseTerm *find_base(BaseTerm *term)
{
    while (term->link) {
        if (term->link->link)
            term->link = term->link->link;
        term = term->link;
    }
    return term;
}

static Skeleton *find(Skeleton *skeleton)
{
    while (skeleton->link) {
        if (skeleton->link->link)
            skeleton->link = skeleton->link->link;
        skeleton = skeleton->link;
    }
    return skeleton;
}

static Skeleton *make(Bases *bases, SkeletonKind kind, size_t count)
{
    Skeleton *skeleton = ARENA_NEW(bases->c->arena, Skeleton);
    skeleton->kind = kind;
    skeleton->count = count;
    if (count > 0)
        skeleton->items = ARENA_ARRAY(bases->c->arena, Skeleton *, count);
    return skeleton;
}

static Skeleton *array_of(Bases *bases, BaseTerm *base)
{
    Skeleton *skeleton = make(bases, SKELETON_ARRAY, 0);
    skeleton->base = base;
    return skeleton;
}

/* ---- unification ----------------------------------------------------------------------------- */

static void unify_bases(BaseTerm *a, BaseTerm *b)
{
    a = find_base(a);
    b = find_base(b);
    if (a == b || (a->known && b->known))
        return;
    if (a->known) {
        b->link = a;
    } else {
        a->link = b;
    }
}

/* No skeleton comes to hold itself: only those that are free are linked, and tuples and functions
   are made of the annotations and schemes, whose parts are older. */
static void unify(Skeleton *a, Skeleton *b)
{
    a = find(a);
    b = find(b);
    if (a == b)
        return;
    if (a->kind == SKELETON_FREE) {
        a->link = b;
    } else if (b->kind == SKELETON_FREE) {
        b->link = a;
    } else if (a->kind == SKELETON_ARRAY && b->kind == SKELETON_ARRAY) {
        unify_bases(a->base, b->base);
    } else if (a->kind == b->kind && a->count == b->count) {
        for (size_t i = 0; i < a->count; i++)
            unify(a->items[i], b->items[i]);
    }
}

/* ---- types and schemes ----------------------------------------------------------------------- */

static Skeleton *skeleton_of_type(Bases *bases, const TailType *type)
{
    if (tail_is_array(type)) {
        bool is_variable = type->base.kind == TAIL_BASE_VARIABLE;
        return array_of(bases, is_variable ? bases->variables[type->base.variable]
                                           : known_base(bases, type->base.kind));
    }
    bool is_tuple = type->kind == TAIL_TUPLE;
    Skeleton *skeleton = make(bases, is_tuple ? SKELETON_TUPLE : SKELETON_FUNCTION, type->count);
    for (size_t i = 0; i < type->count; i++)
        skeleton->items[i] = skeleton_of_type(bases, type->items[i]);
    return skeleton;
}

/* The letters of one scheme. */
typedef struct Letters {
    BaseTerm *bases[SCHEME_LETTERS];
    Skeleton *whole;
} Letters;

static Skeleton *skeleton_of_pattern(Bases *bases, Letters *letters, const SchemePattern *pattern)
{
    if (pattern->whole || pattern->lifted) {
        if (!letters->whole)
            letters->whole = make(bases, SKELETON_FREE, 0);
        return letters->whole;
    }
    if (pattern->base_variable < 0)
        return array_of(bases, known_base(bases, pattern->base));
    BaseTerm **base = &letters->bases[pattern->base_variable];
    if (!*base)
        *base = free_base(bases);
    return array_of(bases, *base);
}

static Skeleton *skeleton_of_item(Bases *bases, Letters *letters, const SchemeItem *item)
{
    if (!item->function)
        return skeleton_of_pattern(bases, letters, &item->patterns[0]);
    Skeleton *skeleton = make(bases, SKELETON_FUNCTION, (size_t)item->count);
    for (int i = 0; i < item->count; i++)
        skeleton->items[i] = skeleton_of_pattern(bases, letters, &item->patterns[i]);
    return skeleton;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static Skeleton *infer(Bases *bases, RawExp *exp);

static Skeleton *infer_items(Bases *bases, const RawExp *exp)
{
    const RawList *items = &exp->as.items;
    Skeleton *tuple = make(bases, SKELETON_TUPLE, items->count);
    for (size_t i = 0; i < items->count; i++)
        tuple->items[i] = infer(bases, items->items[i]);
    if (exp->kind == RAW_TUPLE)
        return tuple;
    Skeleton *vector = array_of(bases, free_base(bases));
    for (size_t i = 0; exp->kind == RAW_VECTOR && i < items->count; i++)
        unify(vector, tuple->items[i]);
    return exp->kind == RAW_VECTOR ? vector : make(bases, SKELETON_FREE, 0);
}

static void bind(Bases *bases, RawVariable *variable)
{
    variable->skeleton = variable->annotation != NULL
                             ? skeleton_of_type(bases, variable->annotation)
                             : make(bases, SKELETON_FREE, 0);
}

/* fn x => fn y => e is a function of two parameters. */
static Skeleton *infer_lambda(Bases *bases, RawExp *exp)
{
    VEC(Skeleton *) items = {0};
    for (; exp->kind == RAW_LAMBDA; exp = exp->as.lambda.body) {
        bind(bases, exp->as.lambda.parameter);
        vec_push(bases->c->arena, &items, exp->as.lambda.parameter->skeleton);
    }
    vec_push(bases->c->arena, &items, infer(bases, exp));
    Skeleton *function = make(bases, SKELETON_FUNCTION, 0);
    function->count = items.count;
    function->items = items.items;
    return function;
}

static Skeleton *infer_chain(Bases *bases, RawExp *exp)
{
    for (size_t i = 0; i < exp->as.chain.lets.count; i++) {
        const RawLet *let = &exp->as.chain.lets.items[i];
        Skeleton *value = let->value ? infer(bases, let->value) : NULL;
        bind(bases, let->variable);
        if (value)
            unify(value, let->variable->skeleton);
    }
    return infer(bases, exp->as.chain.body);
}

static Skeleton *infer_project(Bases *bases, const RawExp *exp)
{
    Skeleton *tuple = find(infer(bases, exp->as.project.tuple));
    int64_t index = exp->as.project.index;
    if (tuple->kind == SKELETON_TUPLE && index >= 0 && (size_t)index < tuple->count)
        return tuple->items[index];
    return make(bases, SKELETON_FREE, 0);
}

/* An operator as function: its scheme's parameters and result. */
static Skeleton *infer_operator(Bases *bases, RawExp *exp)
{
    Letters letters = {0};
    const Scheme *scheme = tail_general_scheme(bases->c, exp->as.call.builtin);
    Skeleton *function = make(bases, SKELETON_FUNCTION, (size_t)scheme->count);
    for (int i = 0; i < scheme->count; i++)
        function->items[i] = skeleton_of_item(bases, &letters, &scheme->items[i]);
    exp->as.call.skeleton = function;
    return function;
}

/* What schemes do not say: the element type of zilde() where an instance list gives it, and of what
   is printed. */
static void use_other_facts(Bases *bases, const RawExp *exp, Skeleton *result)
{
    TailBaseKind printed;
    if (tail_prints(exp->as.call.builtin, &printed))
        unify(result, array_of(bases, known_base(bases, printed)));
    if (exp->as.call.builtin == TAIL_OP_ZILDE && exp->as.call.has_instance &&
        exp->as.call.instance.base_count == 1 &&
        exp->as.call.instance.bases[0] != TAIL_BASE_VARIABLE) {
        unify(result, array_of(bases, known_base(bases, exp->as.call.instance.bases[0])));
    }
}

static Skeleton *infer_call(Bases *bases, RawExp *exp)
{
    Letters letters = {0};
    const Scheme *scheme = tail_general_scheme(bases->c, exp->as.call.builtin);
    const RawList *arguments = &exp->as.call.arguments;
    for (size_t i = 0; i < arguments->count; i++) {
        Skeleton *argument = infer(bases, arguments->items[i]);
        if (i + 1 < (size_t)scheme->count)
            unify(argument, skeleton_of_item(bases, &letters, &scheme->items[i]));
    }
    Skeleton *result =
        skeleton_of_pattern(bases, &letters, &scheme->items[scheme->count - 1].patterns[0]);
    use_other_facts(bases, exp, result);
    exp->as.call.skeleton = result;
    return result;
}

static Skeleton *infer_apply(Bases *bases, const RawExp *exp)
{
    const RawList *arguments = &exp->as.apply.arguments;
    RawVariable *variable = exp->as.apply.function;
    if (!variable->skeleton)
        bind(bases, variable);
    Skeleton *function = find(variable->skeleton);
    bool fits = function->kind == SKELETON_FUNCTION && function->count == arguments->count + 1;
    for (size_t i = 0; i < arguments->count; i++) {
        Skeleton *argument = infer(bases, arguments->items[i]);
        if (fits)
            unify(argument, function->items[i]);
    }
    return fits ? function->items[arguments->count] : make(bases, SKELETON_FREE, 0);
}

static Skeleton *infer_if(Bases *bases, const RawExp *exp)
{
    infer(bases, exp->as.conditional.condition);
    Skeleton *result = infer(bases, exp->as.conditional.then_case);
    unify(result, infer(bases, exp->as.conditional.else_case));
    return result;
}

static Skeleton *infer(Bases *bases, RawExp *exp)
{
    switch (exp->kind) {
    case RAW_VALUE: return skeleton_of_type(bases, exp->as.value->type);
    case RAW_VARIABLE:
        if (!exp->as.variable->skeleton) /* bound in what an error left out */
            bind(bases, exp->as.variable);
        return exp->as.variable->skeleton;
    case RAW_OPERATOR: return infer_operator(bases, exp);
    case RAW_BAD:
    case RAW_VECTOR:
    case RAW_TUPLE: return infer_items(bases, exp);
    case RAW_PROJECT: return infer_project(bases, exp);
    case RAW_LAMBDA: return infer_lambda(bases, exp);
    case RAW_LETS: return infer_chain(bases, exp);
    case RAW_CALL: return infer_call(bases, exp);
    case RAW_APPLY: return infer_apply(bases, exp);
    case RAW_IF: return infer_if(bases, exp);
    }
    return NULL;
}

Bases *tail_infer_bases(TailParser *p, RawExp *program)
{
    Bases *bases = ARENA_NEW(p->c->arena, Bases);
    bases->c = p->c;
    bases->variables = ARENA_ARRAY(p->c->arena, BaseTerm *, p->type_variable_count + 1);
    for (size_t i = 0; i < p->type_variable_count; i++)
        bases->variables[i] = free_base(bases);
    infer(bases, program);
    return bases;
}

/* ---- what was found -------------------------------------------------------------------------- */

static TailBaseKind found(BaseTerm *term)
{
    term = find_base(term);
    return term->known ? term->kind : TAIL_INT;
}

TailBaseKind tail_inferred_variable(const Bases *bases, unsigned variable)
{
    return found(bases->variables[variable]);
}

TailBaseKind tail_inferred_base(Skeleton *skeleton)
{
    skeleton = find(skeleton);
    return skeleton->kind == SKELETON_ARRAY ? found(skeleton->base) : TAIL_INT;
}

Skeleton *tail_inferred_parameter(Skeleton *skeleton, size_t i)
{
    return find(skeleton)->items[i];
}
