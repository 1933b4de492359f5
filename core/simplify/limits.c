/* Limits of extents: no vector or matrix, however virtual, has more than CORE_MOST_ELEMENTS elements, 2^48, and no
   array of more axes has more than 2^56 (in a product of matrices n * m * k are on their way to a sum), or few times
   that where it is made of others that have not: so that sums and products of extents do not wrap.

       let v : [n][m]f64 = replicate [n, m] 1.0   ==>   let others : i64 = max n 1
                                                        let most : i64 = 2^48 / others
                                                        let fits : bool = m <= most
                                                        let c : cert = assert fits "LIMIT ERROR" ...
                                                        let v : [n][m]f64 = <c> replicate [n, m] 1.0

   A statement is checked where its result may be larger than the arrays before it. Parts of an array are not,
   nor is what is read from a file, nor what a branch, loop or function gives, whose statements are looked at. In
   functions of SOACs vectors are not checked: that would be done for each of them, and no room is left for long
   ones.

   Before: anything. After: the same values, or a LIMIT ERROR where there was none. */
#include "core/simplify/simplify.h"

enum {
    MOST_BITS = 48,         /* CORE_MOST_ELEMENTS is this power of two */
    MOST_BITS_OF_MANY = 56, /* with more than two axes */
    ENOUGH_BITS = 4,    /* so much more needs no check: elements and their bytes can be counted */
    TOO_MANY_BITS = 64, /* nothing is known */
    MOST_STEPS = 8      /* of definitions that are looked through */
};

/* Names whose product, each taken as 1 where it is 0, is at most 2^bits. */
typedef struct Extents {
    size_t count;
    const CoreAtom *names;
    int bits;
} Extents;

/* What is known of an i64. */
typedef struct Size {
    const CoreExp *exp;           /* how it is computed, by BINARY or CONVERT; or NULL */
    VEC(const Extents *) extents; /* that it is one of */
} Size;

typedef struct Limits {
    Compilation *c;
    CoreNameMap sizes;   /* Size */
    VEC(Size *) learned; /* whose last extents have been learnt, in order: a body's go with it */
    int lambdas;         /* SOACs around us */
} Limits;

/* ---- what is known ------------------------------------------------------------------------- */

/* The least power of two that is not below. */
static int bits_of(uint64_t value)
{
    int bits = 0;
    while (bits < TOO_MANY_BITS && (value - 1) >> bits > 0) {
        bits++;
    }
    return value ? bits : 0;
}

static const Size *size_of(const Limits *l, CoreAtom atom)
{
    static const Size nothing = {0};
    const Size *found = atom.name ? core_name_map_get(&l->sizes, atom.name) : NULL;
    return found ? found : &nothing;
}

static bool is_whole(CoreAtom atom)
{
    return !atom.name && atom.as.integer >= 0;
}

static bool is_not_negative(const Limits *l, CoreAtom atom)
{
    return is_whole(atom) || size_of(l, atom)->extents.count > 0;
}

/* Replaces a name by one of its operands: where that is at least 1, the name is at most 2^bits times
   as large. False where there is none. */
static bool step(const Limits *l, CoreAtom *name, int *bits)
{
    const CoreExp *exp = size_of(l, *name)->exp;
    if (!exp || exp->kind != CORE_EXP_BINARY) {
        return false;
    }
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y;
    switch ((int)exp->as.scalar.op) {
    case CORE_ADD:
    case CORE_MAX: {
        CoreAtom constant = is_whole(x) ? x : y;
        if (!is_whole(constant)) {
            return false;
        }
        *name = is_whole(x) ? y : x;
        *bits += bits_of((uint64_t)constant.as.integer + 1);
        return true;
    }
    case CORE_SUB: *name = x; return is_not_negative(l, y);
    case CORE_DIV: *name = x; return is_whole(y);
    case CORE_MIN: *name = is_not_negative(l, x) ? x : y; return true;
    }
    return false;
}

static bool reduces_to(const Limits *l, CoreAtom name, CoreAtom factor, int *bits)
{
    int more = 0;
    for (int i = 0; i < MOST_STEPS && name.name; i++) {
        if (core_atom_equal(name, factor)) {
            *bits += more;
            return true;
        }
        if (!step(l, &name, &more)) {
            return false;
        }
    }
    return false;
}

enum { MOST_FACTORS = 16 };

/* Whether the names are, each by itself, among the extents; how much larger their product may be. */
static bool are_among(const Limits *l, size_t count, const CoreAtom *names, const Extents *extents,
                      int *bits)
{
    bool taken[MOST_FACTORS] = {false};
    if (extents->count > MOST_FACTORS) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < extents->count &&
               (taken[k] || !reduces_to(l, names[i], extents->names[k], bits))) {
            k++;
        }
        if (k == extents->count) {
            return false;
        }
        taken[k] = true;
    }
    return true;
}

static int product_bits(const Limits *l, size_t count, const CoreAtom *sizes, int depth);

/* What is at most 2^bits, divided by a constant, and taken as 1 where it is 0. */
static int quotient_bits(int bits, CoreAtom by)
{
    uint64_t divisor = (uint64_t)by.as.integer;
    while (bits > 0 && bits < TOO_MANY_BITS && divisor > 1) {
        divisor /= 2;
        bits--;
    }
    return bits;
}

static int binary_bits(const Limits *l, const CoreExp *exp, int depth)
{
    CoreAtom operands[2] = {exp->as.scalar.x, exp->as.scalar.y};
    int x = product_bits(l, 1, operands, depth), y = product_bits(l, 1, operands + 1, depth);
    int least = x < y ? x : y, most = x < y ? y : x;
    switch ((int)exp->as.scalar.op) {
    case CORE_ADD: return most + 1;
    case CORE_SUB: return is_not_negative(l, operands[1]) ? x : TOO_MANY_BITS;
    case CORE_DIV: return is_whole(operands[1]) ? quotient_bits(x, operands[1]) : TOO_MANY_BITS;
    case CORE_MIN: return least;
    case CORE_MAX: return most;
    case CORE_MUL:
        if (is_not_negative(l, operands[0]) && is_not_negative(l, operands[1])) {
            return product_bits(l, 2, operands, depth);
        }
    }
    return TOO_MANY_BITS;
}

/* A name is at most 2^this. */
static int name_bits(const Limits *l, CoreAtom name, int depth)
{
    const Size *size = size_of(l, name);
    int least = TOO_MANY_BITS;
    for (size_t i = 0; i < size->extents.count; i++) {
        int bits = size->extents.items[i]->bits;
        least = bits < least ? bits : least;
    }
    if (least <= MOST_BITS || !size->exp || depth == 0) {
        return least;
    }
    if (size->exp->kind == CORE_EXP_BINARY) {
        int bits = binary_bits(l, size->exp, depth - 1);
        return bits < least ? bits : least;
    }
    CorePrim from = core_atom_type(size->exp->as.convert.x).prim;
    return from == CORE_BOOL ? 0 : from == CORE_I32 ? 31 : least;
}

/* The product of the sizes, which are not negative, each taken as 1 where it is 0, is at most 2^this. */
static int product_bits(const Limits *l, size_t count, const CoreAtom *sizes, int depth)
{
    CoreAtom names[MOST_FACTORS];
    size_t name_count = 0;
    int constants = 0, least = 0, more = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_whole(sizes[i])) {
            constants += bits_of((uint64_t)sizes[i].as.integer);
        } else if (sizes[i].name && name_count < MOST_FACTORS) {
            names[name_count++] = sizes[i];
        } else {
            return TOO_MANY_BITS;
        }
    }
    for (size_t i = 0; i < name_count; i++) {
        least += name_bits(l, names[i], depth);
    }
    CoreAtom first = name_count > 1 ? names[0] : core_i64(0);
    for (int steps = 0; steps < MOST_STEPS && first.name; steps++) {
        const Size *size = size_of(l, first);
        for (size_t i = 0; i < size->extents.count; i++) {
            int bits = size->extents.items[i]->bits;
            if (are_among(l, name_count, names, size->extents.items[i], &bits) && bits < least) {
                least = bits;
            }
        }
        if (!step(l, &first, &more)) {
            break;
        }
    }
    return least + constants < TOO_MANY_BITS ? least + constants : TOO_MANY_BITS;
}

static int array_bits(const Limits *l, CoreType type)
{
    return product_bits(l, (size_t)type.rank, type.sizes, MOST_STEPS);
}

/* ---- what is learnt ------------------------------------------------------------------------ */

static void learn(Limits *l, CoreType type, int bits)
{
    if (array_bits(l, type) <= bits) {
        return;
    }
    Extents *extents = ARENA_NEW(l->c->scratch, Extents);
    CoreAtom *names = ARENA_ARRAY(l->c->scratch, CoreAtom, type.rank);
    *extents = (Extents){.names = names, .bits = bits};
    for (int i = 0; i < type.rank; i++) {
        if (type.sizes[i].name) {
            names[extents->count++] = type.sizes[i];
        }
    }
    for (size_t i = 0; i < extents->count; i++) {
        Size *size = core_name_map_make(l->c->scratch, &l->sizes, names[i].name, sizeof *size);
        vec_push(l->c->scratch, &size->extents, extents);
        vec_push(l->c->scratch, &l->learned, size);
    }
}

static void learn_all(Limits *l, size_t count, CoreName *const *names)
{
    for (size_t i = 0; i < count; i++) {
        learn(l, names[i]->type, MOST_BITS);
    }
}

static void forget(Limits *l, size_t mark)
{
    while (l->learned.count > mark) {
        l->learned.items[--l->learned.count]->extents.count--;
    }
}

static void define(Limits *l, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    bool is_size = stm->pattern_count == 1 && stm->pattern[0]->type.rank == 0 &&
                   stm->pattern[0]->type.prim == CORE_I64 &&
                   (exp->kind == CORE_EXP_BINARY || exp->kind == CORE_EXP_CONVERT);
    if (is_size) {
        Size *size = core_name_map_make(l->c->scratch, &l->sizes, stm->pattern[0], sizeof *size);
        size->exp = exp;
    }
}

/* ---- checks -------------------------------------------------------------------------------- */

static CoreAtom check(CoreBuilder *b, int bits, CoreAtom before, CoreAtom size)
{
    CoreAtom most = core_i64(INT64_C(1) << bits);
    if (before.name) {
        CoreAtom others = core_let_binary(b, "others", CORE_MAX, before, core_i64(1));
        most = core_let_binary(b, "most", CORE_DIV, most, others);
    } else if (before.as.integer > 1) {
        most.as.integer /= before.as.integer;
    }
    CoreAtom fits = core_let_binary(b, "fits", CORE_LE, size, most);
    return core_let_assert(b, fits, CORE_LIMIT_ERROR, "too many elements", 0, NULL);
}

static CoreAtom product(CoreBuilder *b, size_t count, const CoreAtom *sizes)
{
    CoreAtom product = core_i64(1);
    for (size_t i = 0; i < count; i++) {
        if (!product.name && !sizes[i].name) {
            int64_t both;
            bool wraps = __builtin_mul_overflow(product.as.integer, sizes[i].as.integer, &both);
            product.as.integer = wraps ? INT64_MAX : both;
        } else if (!product.name && product.as.integer == 1) {
            product = sizes[i];
        } else {
            product = core_let_binary(b, "others", CORE_MUL, product, sizes[i]);
        }
    }
    return product;
}

typedef VEC(CoreAtom) AtomVec;

/* n of n + 1, which may wrap where n does not. */
static CoreAtom without_constant(const Limits *l, CoreAtom size)
{
    const CoreExp *exp = size_of(l, size)->exp;
    bool is_sum = exp && exp->kind == CORE_EXP_BINARY && exp->as.scalar.op == CORE_ADD;
    bool is_little = is_sum && is_whole(exp->as.scalar.y) && exp->as.scalar.y.as.integer <= 2;
    return is_little ? exp->as.scalar.x : size;
}

static int most_bits(size_t rank)
{
    return rank > 2 ? MOST_BITS_OF_MANY : MOST_BITS;
}

/* The last of these extents with those before it, if it has to be. */
static void check_last(Limits *l, CoreBuilder *b, size_t count, const CoreAtom *sizes,
                       AtomVec *certificates)
{
    int bits = most_bits(count);
    if (product_bits(l, count, sizes, MOST_STEPS) > bits + ENOUGH_BITS) {
        CoreAtom certificate = check(b, bits, product(b, count - 1, sizes), sizes[count - 1]);
        vec_push(l->c->scratch, certificates, certificate);
        learn(l, core_array(l->c, CORE_BOOL, (int)count, sizes), bits);
    }
}

/* Each extent by itself, and with those before it. */
static void check_array(Limits *l, CoreBuilder *b, CoreType type, AtomVec *certificates)
{
    CoreAtom *sizes = ARENA_ARRAY(l->c->arena, CoreAtom, type.rank + 1);
    for (size_t i = 0; i < (size_t)type.rank; i++) {
        sizes[i] = without_constant(l, type.sizes[i]);
        if (l->lambdas == 0 && (i == 0 || i > 1)) {
            check_last(l, b, 1, sizes + i, certificates);
        }
        if (i > 0) {
            check_last(l, b, i + 1, sizes, certificates);
        }
    }
}

/* Whether an array of it may be larger than those it is made of. */
static bool may_grow(CoreExpKind kind)
{
    switch ((int)kind) {
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_LITERAL:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_SOAC:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: return true;
    }
    return false;
}

typedef struct Operands {
    const Limits *l;
    int bits;
} Operands;

static void see_operand(void *context, CoreAtom atom)
{
    Operands *operands = context;
    CoreType type = core_atom_type(atom);
    int bits = type.rank > 0 ? array_bits(operands->l, type) : 0;
    operands->bits = bits > operands->bits ? bits : operands->bits;
}

/* All arrays that the expression takes have at most 2^this elements. */
static int operand_bits(const Limits *l, const CoreExp *exp)
{
    Operands operands = {l, 0};
    core_each_operand(exp, see_operand, &operands);
    return operands.bits;
}

static void check_results(Limits *l, CoreBuilder *b, const CoreStm *stm, AtomVec *certificates)
{
    bool is_sum = stm->exp->kind == CORE_EXP_CONCAT;
    int bits = operand_bits(l, stm->exp) + (is_sum ? bits_of(stm->exp->as.concat.count) : 0);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreType type = stm->pattern[i]->type;
        int most = most_bits((size_t)type.rank), enough = most + ENOUGH_BITS;
        if (may_grow(stm->exp->kind) && !(is_sum && bits <= enough)) {
            check_array(l, b, type, certificates);
        } else if (type.rank > 0) {
            learn(l, type, bits > most && bits <= enough ? bits : most);
        }
    }
}

/* ---- the pass ------------------------------------------------------------------------------ */

static const CoreStm *with_certificates(Limits *l, const CoreStm *old, const AtomVec *more)
{
    CoreStm *stm = arena_copy(l->c->arena, old, sizeof *stm);
    size_t count = old->certificate_count + more->count;
    CoreAtom *all = ARENA_ARRAY(l->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        all[i] = i < more->count ? more->items[i] : old->certificates[i - more->count];
    }
    stm->certificates = all;
    stm->certificate_count = count;
    return stm;
}

/* What bodies inside may rely on. */
static void learn_parameters(Limits *l, const CoreExp *exp)
{
    switch ((int)exp->kind) {
    case CORE_EXP_LOOP: learn_all(l, exp->as.loop.parameter_count, exp->as.loop.parameters); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: {
        const CoreLambda *fold = exp->as.stream.fold;
        learn_all(l, fold->parameter_count, fold->parameters);
        break;
    }
    }
}

static const CoreBody *limit_body(void *context, const CoreBody *body);

static const CoreStm *limit_inside(Limits *l, const CoreStm *stm, bool is_function)
{
    learn_parameters(l, stm->exp);
    l->lambdas += is_function;
    stm = core_map_stm(l->c, stm, limit_body, l);
    l->lambdas -= is_function;
    return stm;
}

static const CoreBody *limit_body(void *context, const CoreBody *body)
{
    Limits *l = context;
    size_t mark = l->learned.count;
    CoreBuilder b = core_builder(l->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        bool is_control = stm->exp->kind == CORE_EXP_IF || stm->exp->kind == CORE_EXP_LOOP;
        AtomVec certificates = {0};
        b.span = stm->span;
        define(l, stm);
        /* What branches give is known when they have been looked at; functions know what their SOAC's result is. */
        stm = is_control ? limit_inside(l, stm, false) : stm;
        check_results(l, &b, stm, &certificates);
        if (!is_control && core_has_bodies(stm->exp->kind)) {
            stm = limit_inside(l, stm, true);
        }
        core_add(&b, certificates.count > 0 ? with_certificates(l, stm, &certificates) : stm);
    }
    forget(l, mark);
    return core_with_stms(l->c, body, b.stms.count, b.stms.items);
}

CoreProgram *core_limit_extents(Compilation *c, const CoreProgram *program)
{
    CoreProgram *limited = arena_copy(c->arena, program, sizeof *program);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    for (size_t i = 0; i < program->function_count; i++) {
        Limits l = {.c = c};
        CoreFunction *function = arena_copy(c->arena, program->functions[i], sizeof *function);
        learn_all(&l, function->parameter_count, function->parameters);
        function->body = limit_body(&l, function->body);
        functions[i] = function;
    }
    limited->functions = functions;
    return limited;
}
