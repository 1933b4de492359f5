/* Bits of an index that a strip has in common.

       map n (iota n) (\i -> { let k = i + 1
                               let x = reduce (^) 0 (map2 (\b d -> d & neg (k >>> b & 1)) (iota 30) ds)
                               in (.. x ..) })

   folds the elements of ds that the bits of a number select, for each number anew. But numbers beside
   each other have most bits in common. Let a strip be 2^l elements whose first k is a multiple of
   2^l; then, for the j-th of them, 0 <= j < 2^l,

       (k + j) >>> b  =  k >>> b     for b >= l:  k ends in l zeros, so that adding j carries nowhere
       (k + j) >>> b & m  =  j >>> b & m     where m << b has its bits below 2^l

   The first holds for every k that is a multiple of 2^l modulo 2^64, negative ones included, for
   arithmetic shifts as for logical ones, and for b of 64 and more. So the rows b >= l of the fold are
   the same for the whole strip, whatever its function does with the shifted number; they are folded
   once. The rows b < l are written out for each element, where the second makes constants of bits:
   what they select is known, and has not to do with the strip at all:

       \first -> { let k = first + 1
                   let high = reduce (^) 0 (map (\r -> { let b = r + 4; ds[b] & neg (k >>> b & 1) }) (iota 26))
                   let x0 = high
                   let x1 = ds[0] ^ high
                   let x2 = ds[1] ^ high
                   let x3 = ds[0] ^ ds[1] ^ high
                   ... }

   A fold may be taken apart so where its operator is associative and has its neutral element; low
   rows come first, as they did, so that it need not commute. Sums of reals are rounded, and stay
   whole. That a strip begins at such a number is what CoreStrip's offsets say. */
#include "core/locality/strips.h"

enum {
    MOST_STEPS = 8, /* from the index to the number */
    MOST_ROWS = 128 /* of a fold: there are no more bits, and little work is left in two */
};

typedef struct Bits {
    Strips *s;
    const CoreSoac *element; /* its function */
    const CoreSoac *fold;
    PointerMap inside;    /* names bound in the element's function: they differ from row to row */
    const CoreName *bit;  /* the fold's parameter that is the number of the row */
    const CoreStm *shift; /* the statement at work, where it is number >>> bit */
    CoreAtom number;
    bool refused;
} Bits;

/* ---- recognising ----------------------------------------------------------------------------- */

static unsigned log_of(unsigned width)
{
    unsigned log = 0;
    while (1u << (log + 1) <= width) {
        log++;
    }
    return log;
}

static bool is_iota(const Strips *s, CoreAtom array)
{
    const CoreStm *stm = array.name ? pointer_map_get(s->views, array.name) : NULL;
    return stm && stm->exp->kind == CORE_EXP_IOTA;
}

/* \x y -> x op y, with the neutral element given, and the same however it is bracketed. */
static bool splits(const CoreReduction *reduction)
{
    const CoreLambda *function = reduction->function;
    const CoreBody *body = function->body;
    CoreAtom identity;
    if (function->parameter_count != 2 || body->stm_count != 1 || body->result_count != 1 ||
        body->stms[0]->exp->kind != CORE_EXP_BINARY ||
        body->results[0].name != body->stms[0]->pattern[0]) {
        return false;
    }
    const CoreExp *exp = body->stms[0]->exp;
    return exp->as.scalar.x.name == function->parameters[0] &&
           exp->as.scalar.y.name == function->parameters[1] && !core_is_real(exp->as.scalar.prim) &&
           core_operator_identity(exp->as.scalar.op, exp->as.scalar.prim, &identity) &&
           core_atom_equal(identity, reduction->neutral[0]);
}

static void mark(Bits *bits, CoreName *name)
{
    pointer_map_set(bits->s->c->arena, &bits->inside, name, bits);
}

static void find_inside(void *context, CoreName *name)
{
    Bits *bits = context;
    bits->refused = bits->refused || pointer_map_get(&bits->inside, name) != NULL;
}

/* A view of what is outside is as good as outside. */
static bool is_outer_view(Bits *bits, const CoreStm *stm)
{
    bits->refused = !core_is_view(stm->exp->kind) || stm->pattern[0]->type.rank == 0;
    core_each_free(stm, find_inside, bits);
    bool is_outer = !bits->refused;
    bits->refused = false;
    return is_outer;
}

static void mark_inside(Bits *bits)
{
    const CoreLambda *function = bits->element->map;
    for (size_t k = 0; k < function->parameter_count; k++) {
        mark(bits, function->parameters[k]);
    }
    for (size_t i = 0; i < function->body->stm_count; i++) {
        const CoreStm *stm = function->body->stms[i];
        for (size_t k = 0; k < stm->pattern_count && !is_outer_view(bits, stm); k++) {
            mark(bits, stm->pattern[k]);
        }
    }
}

/* A name that the fold's function mentions, and that differs from row to row: the number that is
   shifted, and nothing else. */
static void look_at(void *context, CoreName *name)
{
    Bits *bits = context;
    if (pointer_map_get(&bits->inside, name) == NULL) {
        return;
    }
    bool is_shifted = bits->shift != NULL && bits->shift->exp->as.scalar.x.name == name &&
                      (bits->number.name == NULL || bits->number.name == name);
    bits->refused = bits->refused || !is_shifted;
    bits->number = core_use(name);
}

static bool is_shift(const Bits *bits, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    return exp->kind == CORE_EXP_BINARY &&
           (exp->as.scalar.op == CORE_SHR || exp->as.scalar.op == CORE_SAR) &&
           exp->as.scalar.y.name == bits->bit && exp->as.scalar.prim == CORE_I64;
}

/* Scalar operations, and reads of arrays from outside. */
static bool is_plain(const CoreStm *stm)
{
    CoreExpKind kind = stm->exp->kind;
    return stm->certificate_count == 0 && stm->pattern_count == 1 &&
           stm->pattern[0]->type.rank == 0 &&
           (kind == CORE_EXP_ATOM || kind == CORE_EXP_UNARY || kind == CORE_EXP_BINARY ||
            kind == CORE_EXP_CONVERT || kind == CORE_EXP_INDEX);
}

/* The fold's function knows of the element by its number, shifted by the row's, alone. */
static bool sees_bits_alone(Bits *bits)
{
    const CoreLambda *function = bits->fold->map;
    for (size_t i = 0; i < function->body->stm_count && !bits->refused; i++) {
        const CoreStm *stm = function->body->stms[i];
        bits->shift = is_shift(bits, stm) ? stm : NULL;
        bits->refused = bits->refused || !is_plain(stm);
        core_each_free(stm, look_at, bits);
    }
    for (size_t k = 0; k < function->body->result_count; k++) {
        CoreName *name = function->body->results[k].name;
        bits->refused =
            bits->refused || (name != NULL && pointer_map_get(&bits->inside, name) != NULL);
    }
    return !bits->refused && bits->number.name != NULL;
}

/* Rows are scalars of arrays from outside, one of them the row's number. */
static bool finds_rows(Bits *bits)
{
    const CoreSoac *fold = bits->fold;
    for (size_t k = 0; k < fold->input_count; k++) {
        CoreAtom input = fold->inputs[k];
        if (fold->map->parameters[k]->type.rank > 0 ||
            (input.name && pointer_map_get(&bits->inside, input.name) != NULL)) {
            return false;
        }
        bits->bit = is_iota(bits->s, input) ? fold->map->parameters[k] : bits->bit;
    }
    return bits->bit != NULL;
}

static const CoreStm *definition(const CoreBody *body, const CoreName *name)
{
    for (size_t i = 0; name && i < body->stm_count; i++) {
        if (body->stms[i]->pattern[0] == name) {
            return body->stms[i];
        }
    }
    return NULL;
}

static bool is_index(const Bits *bits, const CoreName *name)
{
    for (size_t k = 0; k < bits->element->input_count; k++) {
        if (bits->element->map->parameters[k] == name) {
            return is_iota(bits->s, bits->element->inputs[k]);
        }
    }
    return false;
}

/* x + c, c + x, x - c: one step from the number towards the index. */
static bool take_step(const Bits *bits, const CoreStm *stm, CoreAtom *number, CoreAtom *offsets)
{
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->certificate_count > 0 ||
        (stm->exp->as.scalar.op != CORE_ADD && stm->exp->as.scalar.op != CORE_SUB)) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    bool is_sum = stm->exp->as.scalar.op == CORE_ADD;
    bool x_inside = x.name && pointer_map_get(&bits->inside, x.name) != NULL;
    bool y_inside = y.name && pointer_map_get(&bits->inside, y.name) != NULL;
    if (x_inside == y_inside || (y_inside && !is_sum)) {
        return false;
    }
    CoreAtom by = x_inside ? y : x;
    if (by.name) {
        if (!is_sum || offsets[0].name) {
            return false;
        }
        offsets[0] = by;
    } else {
        uint64_t sum = (uint64_t)offsets[1].as.integer;
        uint64_t more = (uint64_t)by.as.integer;
        offsets[1] = core_i64((int64_t)(is_sum ? sum + more : sum - more));
    }
    *number = x_inside ? x : y;
    return true;
}

/* number = index + offsets[0] + offsets[1] */
static bool find_offsets(const Bits *bits, CoreAtom *offsets)
{
    CoreAtom number = bits->number;
    offsets[0] = offsets[1] = core_i64(0);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (is_index(bits, number.name)) {
            return true;
        }
        if (!take_step(bits, definition(bits->element->map->body, number.name), &number, offsets)) {
            return false;
        }
    }
    return false;
}

static bool is_fold(const Bits *bits, const CoreStm *stm)
{
    const CoreSoac *fold = &stm->exp->as.soac;
    bool good = stm->exp->kind == CORE_EXP_SOAC && stm->exp->level == CORE_LEVEL_AUTO &&
                stm->certificate_count == 0 && fold->width.name == NULL &&
                fold->width.as.integer > (int64_t)log_of(bits->s->width) &&
                fold->width.as.integer <= MOST_ROWS && fold->scan_count == 0 &&
                fold->reduction_count > 0 && stm->pattern_count == fold->reduction_count &&
                fold->map->body->result_count == fold->reduction_count;
    for (size_t r = 0; good && r < fold->reduction_count; r++) {
        good = splits(&fold->reductions[r]);
    }
    return good;
}

/* number, where it is found; a strip may begin there. */
static bool recognise(Bits *bits, const CoreStm *stm, CoreAtom *offsets)
{
    if (!is_fold(bits, stm)) {
        return false;
    }
    bits->fold = &stm->exp->as.soac;
    mark_inside(bits);
    return finds_rows(bits) && sees_bits_alone(bits) && find_offsets(bits, offsets);
}

typedef struct Mention {
    const CoreName *name;
    bool found;
} Mention;

static void mentions(void *context, CoreAtom atom)
{
    Mention *mention = context;
    mention->found = mention->found || atom.name == mention->name;
}

/* The statement mentions a shifted number otherwise than as its last bit. */
static bool uses_more(const CoreBody *body, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *shift = body->stms[i]->exp;
        if (shift->kind != CORE_EXP_BINARY ||
            (shift->as.scalar.op != CORE_SHR && shift->as.scalar.op != CORE_SAR)) {
            continue;
        }
        Mention mention = {body->stms[i]->pattern[0], false};
        core_each_operand(exp, mentions, &mention);
        bool last_bit = exp->kind == CORE_EXP_BINARY && exp->as.scalar.op == CORE_AND &&
                        (core_atom_equal(exp->as.scalar.x, core_i64(1)) ||
                         core_atom_equal(exp->as.scalar.y, core_i64(1)));
        if (mention.found && !last_bit) {
            return true;
        }
    }
    return false;
}

bool strips_sees_single_bits(const CoreSoac *fold)
{
    const CoreBody *body = fold->map->body;
    bool more = false;
    for (size_t i = 0; i < body->stm_count; i++) {
        more = more || uses_more(body, body->stms[i]);
        for (size_t k = 0; k < body->result_count; k++) {
            bool is_shifted = body->stms[i]->exp->kind == CORE_EXP_BINARY &&
                              (body->stms[i]->exp->as.scalar.op == CORE_SHR ||
                               body->stms[i]->exp->as.scalar.op == CORE_SAR);
            more = more || (is_shifted && body->results[k].name == body->stms[i]->pattern[0]);
        }
    }
    return !more;
}

bool strips_note_fold(Strips *s, const CoreSoac *element, const CoreStm *stm)
{
    Bits bits = {.s = s, .element = element};
    CoreAtom offsets[2];
    if (!recognise(&bits, stm, offsets)) {
        return false;
    }
    if (s->folds.count == 0) {
        memcpy(s->offsets, offsets, sizeof offsets);
    }
    uint64_t apart = (uint64_t)offsets[1].as.integer - (uint64_t)s->offsets[1].as.integer;
    if (!core_atom_equal(offsets[0], s->offsets[0]) || apart % s->width != 0) {
        return false;
    }
    vec_push(s->c->arena, &s->folds, ((BitFold){stm, bits.number.name, bits.bit, NULL}));
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The rows' scalars: elements of the fold's inputs. */
static void bind_row(Strips *s, const CoreSoac *fold, CoreAtom row, CoreBuilder *b)
{
    for (size_t k = 0; k < fold->input_count; k++) {
        CoreName *parameter = fold->map->parameters[k];
        CoreAtom input = core_renamed(s->renaming, fold->inputs[k]);
        core_rename(s->renaming, parameter,
                    fuse_demand(s->fuse, b, input, 1, &row, parameter->type));
    }
}

CoreOperator strips_operator(const CoreReduction *reduction)
{
    return reduction->function->body->stms[0]->exp->as.scalar.op;
}

const CoreAtom *strips_write_high(Strips *s, const CoreStm *stm, CoreBuilder *b)
{
    Compilation *c = s->c;
    unsigned log = log_of(s->width);
    const CoreSoac *fold = &stm->exp->as.soac;
    size_t count = fold->reduction_count;
    CoreName *row = core_name(c, "r", core_scalar(CORE_I64), stm->span);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count);
    CoreAtom *operands = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreAtom *totals = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreReduction *reductions = arena_copy(c->arena, fold->reductions, count * sizeof *reductions);
    CoreBuilder inner = core_builder(c, stm->span);
    bind_row(s, fold, core_let_binary(&inner, "bit", CORE_ADD, core_use(row), core_i64(log)),
             &inner);
    for (size_t i = 0; i < fold->map->body->stm_count; i++) {
        strips_write_statement(s, fold->map->body->stms[i], &inner);
    }
    for (size_t r = 0; r < count; r++) {
        CoreType type = fold->map->result_types[r];
        operands[r] = core_renamed(s->renaming, fold->map->body->results[r]);
        reductions[r].function =
            core_operator_lambda(c, strips_operator(&fold->reductions[r]), type.prim, stm->span);
        pattern[r] = core_name(c, "high", type, stm->span);
        totals[r] = core_use(pattern[r]);
    }
    const CoreLambda *function = core_lambda(c, 1, &row, core_body(&inner, count, operands));
    CoreAtom width = core_i64(fold->width.as.integer - log);
    CoreAtom rows = core_let_iota(b, "rows", width);
    core_bind(b, count, pattern,
              core_exp_soac(c, width, 1, &rows, function, count, reductions, 0, NULL));
    return totals;
}

/* let u = t & m, t the number shifted by `row`: the bits are those of `number`, the element's place in
   its strip, where m leaves no others. */
static bool is_known(const Strips *s, const BitFold *fold, const CoreStm *stm, unsigned row,
                     unsigned number, CoreAtom *known)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_BINARY || exp->as.scalar.op != CORE_AND ||
        exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    bool left = exp->as.scalar.x.name == NULL;
    CoreAtom mask = left ? exp->as.scalar.x : exp->as.scalar.y;
    CoreAtom shifted = left ? exp->as.scalar.y : exp->as.scalar.x;
    const CoreStm *shift = definition(fold->stm->exp->as.soac.map->body, shifted.name);
    if (mask.name || mask.as.integer < 0 || mask.as.integer >= (int64_t)(s->width >> row) ||
        !shift || shift->exp->kind != CORE_EXP_BINARY ||
        (shift->exp->as.scalar.op != CORE_SHR && shift->exp->as.scalar.op != CORE_SAR) ||
        shift->exp->as.scalar.x.name != fold->number || shift->exp->as.scalar.y.name != fold->bit) {
        return false;
    }
    *known = core_i64((int64_t)(number >> row) & mask.as.integer);
    return true;
}

/* The rows before `log`, one after the other. */
static const CoreAtom *write_low(Strips *s, const BitFold *bit_fold, unsigned log, unsigned number,
                                 CoreBuilder *b)
{
    const CoreSoac *fold = &bit_fold->stm->exp->as.soac;
    const CoreBody *body = fold->map->body;
    CoreAtom *totals = ARENA_ARRAY(s->c->arena, CoreAtom, fold->reduction_count), known;
    for (unsigned row = 0; row < log; row++) {
        bind_row(s, fold, core_i64(row), b);
        for (size_t i = 0; i < body->stm_count; i++) {
            if (is_known(s, bit_fold, body->stms[i], row, number, &known)) {
                core_rename(s->renaming, body->stms[i]->pattern[0], known);
            } else {
                strips_write_statement(s, body->stms[i], b);
            }
        }
        for (size_t r = 0; r < fold->reduction_count; r++) {
            CoreAtom operand = core_renamed(s->renaming, body->results[r]);
            totals[r] = row == 0 ? operand
                                 : core_let_binary(b, "low", strips_operator(&fold->reductions[r]),
                                                   totals[r], operand);
        }
    }
    return totals;
}

bool strips_write_fold(Strips *s, const CoreStm *stm, unsigned number, CoreBuilder *b)
{
    BitFold *fold = NULL;
    for (size_t i = 0; i < s->folds.count; i++) {
        fold = s->folds.items[i].stm == stm ? &s->folds.items[i] : fold;
    }
    if (!fold) {
        return false;
    }
    unsigned log = log_of(s->width);
    if (number == 0) {
        fold->high = strips_write_high(s, stm, b);
    }
    const CoreAtom *low = write_low(s, fold, log, number, b);
    for (size_t r = 0; r < stm->pattern_count; r++) {
        CoreAtom total = core_let_binary(b, stm->pattern[r]->text,
                                         strips_operator(&stm->exp->as.soac.reductions[r]), low[r],
                                         fold->high[r]);
        core_rename(s->renaming, stm->pattern[r], total);
    }
    return true;
}
