/* Calls that are remembered: those of trials, for the types of results alone, and those with the
   very same arguments.

   Some forms elaborate a body more than once. A loop's state widens until the body keeps it; a
   reduction's items do; ¨ first asks whether the function gives scalars. Were each of these
   attempts an elaboration in full, a chain of nested calls would double, or triple, at every level.
   So the attempts are trials: blocks that are thrown away, in which a call of a dfn with the same
   signature as an earlier one costs nothing:

       f0←{⍵+0.5} ⋄ f1←{(f0⍣n)⍵} ⋄ f2←{(f1⍣n)⍵} ⋄ ... ⋄ f40 1

       trial of f40 at int, which tries f39 at int, ..., f0 at int: double; f1 at double; ...
       then every body once more, for the loop that is written

   The signature of a call is the function and what is known of the arguments. A function's is its
   text (the dfn's node), its operands, and the signatures of the names that it may use from
   outside: what they are is looked up when the function is called. Signatures are interned texts;
   those of functions are kept until a name is assigned anew that some signature has asked for.

   Outside of trials a signature is exact: it names the variables that the arguments are, too. A
   call without effects that has the exact signature of an earlier one is that one's result, where
   that is still in scope, so that such a chain is a line a function, not 2*40 of them:

       f0←{⍵+1} ⋄ f1←{(f0 ⍵)×f0 ⍵} ⋄ f2←{(f1 ⍵)×f1 ⍵} ⋄ ... ⋄ f40 n
       ==>  let v1 = addi(n,1) in let v2 = muli(v1,v1) in ... let v41 = muli(v40,v40) in v41 */
#include "apl/elaborate/internal.h"

/* Parts that a signature may have: what is larger is not remembered. */
enum {
    LARGEST_SIGNATURE = 20000,
    LARGEST_EXACT = 2000, /* made at every call */
    DEEPEST_SIGNATURE = 2000,
    LONGEST_LITERAL = 64
};
/* What a trial weighs at most, so that sums of weights do not overflow. */
#define HEAVIEST INT64_C(1000000000000)

/* ---- names that a dfn may use from outside --------------------------------------------------- */

typedef VEC(const char *) Names;

typedef struct Remembered {
    Value *value; /* NULL: the call failed */
    int64_t weight;
    const Block *block; /* of an exact signature: where the result is; and NULL */
    int64_t effects;    /* up to then */
} Remembered;

/* A let that sorts, and where it stands. */
typedef struct Sort {
    TailVariable *variable;
    const Block *block;
} Sort;

struct Memo {
    PointerMap names;                /* of dfns */
    PointerMap results;              /* of signatures of calls */
    PointerMap values;               /* of texts of lets: the first variable */
    PointerMap firsts;               /* of variables, where another is the first */
    PointerMap sorts;                /* of texts of lets that sort: Sort */
    PointerMap shared;               /* of signatures of calls: Shared */
    VEC(const TailVariable *) bound; /* by the lambdas around what is signed */
    Compilation *c;
    bool exact;   /* the signature that is being made */
    bool own;     /* and exact: a variable is itself, though another one is the same */
    size_t parts; /* of it */
    int depth;
    bool cyclic; /* it has met a function that it is inside of */
};

static void collect(Elaboration *e, const AplNode *node, PointerMap *seen, Names *names)
{
    if (node == NULL) {
        return;
    }
    bool own = node->kind == APL_NAME &&
               (node->as.text == e->alpha || node->as.text == e->omega ||
                node->as.text == e->alpha_alpha || node->as.text == e->omega_omega);
    if (node->kind == APL_NAME && !own && pointer_map_get(seen, node->as.text) == NULL) {
        pointer_map_set(e->c->arena, seen, node->as.text, seen);
        vec_push(e->c->arena, names, node->as.text);
    }
    for (size_t i = 0; i < node->count; i++) {
        collect(e, node->items[i], seen, names);
    }
}

static const Names *names_of(Elaboration *e, const AplNode *dfn)
{
    Names *names = pointer_map_get(&e->memo->names, dfn);
    if (names == NULL) {
        PointerMap seen = {0};
        names = ARENA_NEW(e->c->arena, Names);
        collect(e, dfn, &seen, names);
        pointer_map_set(e->c->arena, &e->memo->names, dfn, names);
    }
    return names;
}

/* ---- signatures ------------------------------------------------------------------------------ */

static const char *sign_function(Elaboration *e, Function *function);

static void sign_exp(Memo *memo, Text *text, const TailExp *exp);

static void sign_variable(const Memo *memo, Text *text, const TailVariable *variable)
{
    for (size_t i = 0; i < memo->bound.count; i++) {
        if (memo->bound.items[i] == variable) {
            text_printf(text, "x%zu", i);
            return;
        }
    }
    const TailVariable *first = memo->own ? NULL : pointer_map_get(&memo->firsts, variable);
    text_printf(text, "v%p", (const void *)(first != NULL ? first : variable));
}

/* fn x => addi(x,y): the parameter is x0, whatever its name is. */
static void sign_lambda(Memo *memo, Text *text, const TailExp *lambda)
{
    size_t before = memo->bound.count, count = lambda->as.lambda.count;
    text_printf(text, "\\%zu", count);
    for (size_t i = 0; i < count; i++) {
        text_string(text, tail_type_text(memo->c, lambda->as.lambda.parameters[i]->type));
        vec_push(memo->c->arena, &memo->bound, lambda->as.lambda.parameters[i]);
    }
    sign_exp(memo, text, lambda->as.lambda.body);
    memo->bound.count = before;
}

static void sign_call(Memo *memo, Text *text, const TailExp *call)
{
    text_printf(text, "%d:%s(", (int)call->as.call.builtin, tail_type_text(memo->c, call->type));
    for (size_t i = 0; i < call->as.call.count; i++) {
        sign_exp(memo, text, call->as.call.arguments[i]);
    }
    text_char(text, ')');
}

static bool has_effect(TailBuiltin builtin)
{
    return builtin >= TAIL_OP_PRARRI; /* the last rows of the table */
}

static void sign_let(Memo *memo, Text *text, const TailExp *let)
{
    text_string(text, "let");
    sign_exp(memo, text, let->as.let.value);
    vec_push(memo->c->arena, &memo->bound, let->as.let.variable);
    sign_exp(memo, text, let->as.let.body);
    memo->bound.count--;
}

static void sign_if(Memo *memo, Text *text, const TailExp *conditional)
{
    text_string(text, "if");
    sign_exp(memo, text, conditional->as.conditional.condition);
    sign_exp(memo, text, conditional->as.conditional.then_case);
    sign_exp(memo, text, conditional->as.conditional.else_case);
}

/* What is computed: exactly, or its type. */
static void sign_computed(Memo *memo, Text *text, const TailExp *exp)
{
    bool effect = exp->kind == TAIL_EXP_CALL && has_effect(exp->as.call.builtin);
    if (!memo->exact) {
        text_printf(text, "t%d", (int)exp->type->kind);
    } else if (++memo->parts > LARGEST_EXACT || effect) {
        text_printf(text, "@%p", (const void *)exp);
    } else if (exp->kind == TAIL_EXP_VARIABLE) {
        sign_variable(memo, text, exp->as.variable);
    } else if (exp->kind == TAIL_EXP_LAMBDA) {
        sign_lambda(memo, text, exp);
    } else if (exp->kind == TAIL_EXP_CALL) {
        sign_call(memo, text, exp);
    } else if (exp->kind == TAIL_EXP_LET) {
        sign_let(memo, text, exp);
    } else if (exp->kind == TAIL_EXP_IF) {
        sign_if(memo, text, exp);
    } else {
        text_printf(text, "@%p", (const void *)exp);
    }
}

/* Literals are known to the functions that they are given to. */
static void sign_exp(Memo *memo, Text *text, const TailExp *exp)
{
    switch (exp->kind) {
    case TAIL_EXP_BOOL: text_printf(text, "b%d", exp->as.boolean); return;
    case TAIL_EXP_INT: text_printf(text, "i%lld", (long long)exp->as.integer); return;
    case TAIL_EXP_DOUBLE: text_printf(text, "d%a", exp->as.real); return;
    case TAIL_EXP_CHAR: text_printf(text, "c%lu", (unsigned long)exp->as.character); return;
    case TAIL_EXP_VECTOR:
        if (exp->as.items.count > LONGEST_LITERAL) {
            text_printf(text, "@%p", (const void *)exp);
            return;
        }
        text_char(text, '[');
        for (size_t i = 0; i < exp->as.items.count; i++) {
            sign_exp(memo, text, exp->as.items.items[i]);
        }
        text_char(text, ']');
        return;
    case TAIL_EXP_COMPLEX: text_printf(text, "@%p", (const void *)exp); return;
    case TAIL_EXP_VARIABLE:
    case TAIL_EXP_CALL:
    case TAIL_EXP_TUPLE:
    case TAIL_EXP_PROJECT:
    case TAIL_EXP_LAMBDA:
    case TAIL_EXP_LET:
    case TAIL_EXP_APPLY:
    case TAIL_EXP_IF: sign_computed(memo, text, exp); return;
    }
}

static bool sign_value(Elaboration *e, Text *text, const Value *value);

static bool sign_array(Elaboration *e, Text *text, const Value *value)
{
    text_printf(text, "A%d", (int)value->base);
    for (int64_t i = 0; i < value->rank; i++) {
        text_printf(text, ",%lld", (long long)value->extents[i]);
    }
    const int64_t *numbers = value->known != NULL ? value->known : value->contents;
    int64_t count = numbers != NULL ? elab_count(value) : 0;
    if (e->memo->exact && count > LONGEST_LITERAL) {
        text_printf(text, "@%p", (const void *)numbers);
    } else if (numbers != NULL) {
        for (int64_t i = 0; i < count; i++) {
            text_printf(text, "k%lld", (long long)numbers[i]);
        }
    } else if (value->uniform) {
        text_printf(text, "u%lld", (long long)value->uniform_value);
    }
    sign_exp(e->memo, text, value->literal != NULL ? value->literal : value->exp);
    for (int64_t i = 0; value->elements != NULL && i < value->extents[0]; i++) {
        if (!sign_value(e, text, value->elements[i])) {
            return false;
        }
    }
    text_char(text, ';');
    return true;
}

static size_t largest(const Memo *memo)
{
    return memo->exact ? LARGEST_EXACT : LARGEST_SIGNATURE;
}

/* False where it is too large. */
static bool sign_value(Elaboration *e, Text *text, const Value *value)
{
    if (value == NULL) {
        text_char(text, '-');
        return true;
    }
    if (++e->memo->parts > largest(e->memo)) {
        return false;
    }
    switch (value->kind) {
    case VALUE_ARRAY: return sign_array(e, text, value);
    case VALUE_TUPLE:
        text_printf(text, "T%zu", value->count);
        for (int64_t i = 0; i < value->rank; i++) {
            text_printf(text, ",%lld", (long long)value->extents[i]);
        }
        for (size_t i = 0; i < value->count + (value->count == 0); i++) { /* or the prototype */
            if (!sign_value(e, text, value->items[i])) {
                return false;
            }
        }
        text_char(text, ';');
        return true;
    case VALUE_FUNCTION:
    case VALUE_OPERATOR: {
        const char *signature = sign_function(e, value->function);
        text_printf(text, "F%p", (const void *)signature);
        return signature != NULL;
    }
    case VALUE_POISON: text_char(text, 'P'); return true;
    }
    return false;
}

static bool sign_parts(Elaboration *e, Text *text, Function *function)
{
    text_printf(text, "%d,%d,%d,%p", (int)function->kind, (int)function->primitive,
                (int)function->origin, (const void *)function->dfn);
    if (function->quad != NULL) {
        text_string(text, function->quad);
    }
    const Value *values[] = {function->left, function->right, function->axis};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        text_char(text, '.');
        if (!sign_value(e, text, values[i])) {
            return false;
        }
    }
    if (function->middle != NULL) {
        const char *middle = sign_function(e, function->middle);
        text_printf(text, ".%p", (const void *)middle);
        if (middle == NULL) {
            return false;
        }
    }
    if (function->kind != FUNCTION_CLOSURE) {
        return true;
    }
    const Names *names = names_of(e, function->dfn);
    for (size_t i = 0; i < names->count; i++) {
        text_char(text, ' ');
        if (!sign_value(e, text, elab_watch(e->c, function->frame, names->items[i]))) {
            return false;
        }
    }
    return true;
}

/* NULL where it is too large. */
static const char *sign_function(Elaboration *e, Function *function)
{
    Memo *memo = e->memo;
    Signature *known = &function->signatures[memo->own ? 2 : memo->exact];
    if (known->text != NULL && known->at == e->program->clock->now) {
        return known->text;
    }
    if (function->signing) {
        memo->cyclic = true;
        return intern(e->c, arena_printf(e->c->arena, "inside %p", (const void *)function->dfn));
    }
    if (++memo->parts > largest(memo) || memo->depth >= DEEPEST_SIGNATURE) {
        return NULL;
    }
    Text text = text_create(e->c->arena);
    function->signing = true;
    memo->depth++;
    bool whole = sign_parts(e, &text, function);
    memo->depth--;
    function->signing = false;
    if (!whole) {
        return NULL;
    }
    const char *signature = intern(e->c, text_get(&text));
    if (!memo->cyclic || memo->depth == 0) {
        *known = (Signature){signature, e->program->clock->now};
    }
    return signature;
}

/* ---- equal values ------------------------------------------------------------------------------ */

static void make_memo(Elaboration *e)
{
    if (e->memo == NULL) {
        e->memo = ARENA_NEW(e->c->arena, Memo);
        e->memo->c = e->c;
    }
}

void elab_forget(Elaboration *e)
{
    e->memo = NULL;
}

static bool is_open(const Elaboration *e, const Block *wanted)
{
    const Block *block = e->block;
    while (block != NULL && block != wanted) {
        block = block->outer;
    }
    return block != NULL;
}

static const char *exact_text(Elaboration *e, const TailExp *call)
{
    make_memo(e);
    e->memo->exact = true;
    e->memo->parts = 0;
    Text text = text_create(e->c->arena);
    sign_call(e->memo, &text, call);
    return intern(e->c, text_get(&text));
}

static bool sorts(const TailExp *value)
{
    return value->kind == TAIL_EXP_CALL && (value->as.call.builtin == TAIL_OP_GRADEUP ||
                                            value->as.call.builtin == TAIL_OP_GRADEDOWN);
}

TailVariable *elab_same_sort(Elaboration *e, const TailExp *value)
{
    const Sort *sort = NULL;
    if (sorts(value) && !e->trying) {
        const char *key = exact_text(e, value);
        sort = pointer_map_get(&e->memo->sorts, key);
    }
    return sort != NULL && is_open(e, sort->block) ? sort->variable : NULL;
}

static void note_sort(Elaboration *e, TailVariable *variable, const TailExp *value)
{
    const char *key = exact_text(e, value);
    Sort *sort = ARENA_NEW(e->c->arena, Sort);
    *sort = (Sort){variable, e->block};
    pointer_map_set(e->c->arena, &e->memo->sorts, key, sort);
}

void elab_note_let(Elaboration *e, TailVariable *variable, const TailExp *value)
{
    if (sorts(value) && !e->trying) {
        note_sort(e, variable, value);
    }
    if (e->trying || e->active.count == 0 || value->kind != TAIL_EXP_CALL ||
        has_effect(value->as.call.builtin)) {
        return;
    }
    const char *key = exact_text(e, value);
    TailVariable *first = pointer_map_get(&e->memo->values, key);
    if (first == NULL) {
        pointer_map_set(e->c->arena, &e->memo->values, key, variable);
    } else {
        pointer_map_set(e->c->arena, &e->memo->firsts, variable, first);
    }
}

/* ---- trials ---------------------------------------------------------------------------------- */

bool elab_begin_trial(Elaboration *e)
{
    if (e->trying) {
        return false;
    }
    e->trying = true;
    e->number_before = e->c->last_number;
    elab_open(e);
    return true;
}

void elab_end_trial(Elaboration *e)
{
    elab_pop(e);
    e->trying = false;
    e->c->last_number = e->number_before; /* names are numbered as if it had not been */
}

const char *elab_signature(Elaboration *e, Function *function, const Value *left,
                           const Value *right)
{
    if (!e->trying && function->dfn->span.file->is_prelude) {
        return NULL; /* the simplifier finds these */
    }
    Text text = text_create(e->c->arena);
    make_memo(e);
    e->memo->exact = !e->trying;
    e->memo->parts = 0;
    e->memo->cyclic = false;
    const char *signature = sign_function(e, function);
    if (signature == NULL) {
        return NULL;
    }
    text_printf(&text, "%p%c%c", (const void *)signature, e->parallel > 0 ? 'p' : 's',
                e->trying ? 't' : 'x');
    if (!sign_value(e, &text, left) || !sign_value(e, &text, right)) {
        return NULL;
    }
    return intern(e->c, text_get(&text));
}

const char *elab_shared_signature(Elaboration *e, Function *function, const Value *left,
                                  const Value *right, const char *types)
{
    Text text = text_create(e->c->arena);
    make_memo(e);
    Memo *memo = e->memo;
    memo->exact = memo->own = true;
    memo->parts = 0;
    memo->cyclic = false;
    const char *signature = sign_function(e, function);
    memo->exact = memo->own = false;
    if (signature == NULL) {
        return NULL;
    }
    text_printf(&text, "%p%c %s", (const void *)signature, e->parallel > 0 ? 'p' : 's', types);
    if (!sign_value(e, &text, left) || !sign_value(e, &text, right)) {
        return NULL;
    }
    return intern(e->c, text_get(&text));
}

Shared *elab_shared_of(Elaboration *e, const char *signature, size_t size)
{
    return signature == NULL ? NULL
                             : pointer_map_make(e->c->arena, &e->memo->shared, signature, size);
}

/* Facts of an array are improved where they stand: what is remembered keeps its own. */
static Value *copy_of(Elaboration *e, const Value *value)
{
    Value *copy = arena_copy(e->c->arena, value, sizeof *value);
    if (value->rank > 0) {
        copy->extents =
            arena_copy(e->c->arena, value->extents, sizeof(int64_t) * (size_t)value->rank);
    }
    return copy;
}

void elab_forget_signatures(Function *function)
{
    memset(function->signatures, 0, sizeof function->signatures);
}

Value *elab_remembered(Elaboration *e, const char *signature)
{
    const Remembered *found =
        signature == NULL ? NULL : pointer_map_get(&e->memo->results, signature);
    if (found != NULL && found->value == NULL) {
        elab_abandon(e);
    }
    if (found == NULL ||
        (!e->trying && (!is_open(e, found->block) || found->effects != e->effects))) {
        return NULL;
    }
    elab_weigh(e, e->trying ? found->weight : 0);
    return copy_of(e, found->value);
}

void elab_remember(Elaboration *e, const char *signature, const Value *value, int64_t weight,
                   int64_t effects)
{
    if (signature == NULL || (!e->trying && effects != e->effects)) {
        return;
    }
    Remembered *result = ARENA_NEW(e->c->arena, Remembered);
    *result = (Remembered){copy_of(e, value), weight, e->block, effects};
    pointer_map_set(e->c->arena, &e->memo->results, signature, result);
}

/* What the prelude says of a call is said at the place of the call, so of each. */
void elab_remember_failure(Elaboration *e, const Activation *activation)
{
    if (activation->signature != NULL && !activation->function->dfn->span.file->is_prelude) {
        pointer_map_set(e->c->arena, &e->memo->results, activation->signature,
                        ARENA_NEW(e->c->arena, Remembered));
    }
}

void elab_weigh(Elaboration *e, int64_t weight)
{
    e->weight = e->weight > HEAVIEST - weight ? HEAVIEST : e->weight + weight;
}

int64_t elab_weight_of_call(Elaboration *e, Function *function, Value *left, Value *right,
                            Span span, Value **result)
{
    int64_t before = e->weight;
    e->weight = 0;
    bool begun = elab_begin_trial(e);
    *result = elab_apply(e, function, left, right, span);
    if (begun) {
        elab_end_trial(e);
    }
    int64_t weight = e->weight;
    e->weight = before;
    elab_weigh(e, begun ? 0 : weight);
    return weight;
}
