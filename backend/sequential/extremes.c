/* Folds that find the least or greatest of some keys, and with it a place, in sequential programs.

   Each iteration of such a fold waits for the one before it, and C compilers make no vectors of two numbers that are
   chosen together. A block of iterations at a time has its least key found alone, which vectors do; where that is not
   above what there is, its place is looked for among the keys of the block, which vectors do, too; and the operator
   itself then joins the two with what there is:

       for (i < n) {                     for (strip < ceiling(n / 256)) {
           l = f(i)                          first = strip * 256
           less = l < k                      lanes = min(n - first, 256)
           k = less ? l : k                  private keys[256]
           p = less ? i : p     ==>          least = inf
       }                                     for (lane < lanes) { l = f(first + lane); keys[lane] = l; least = min(l, least) }
                                             if (least <= k) {
                                                 found = lanes
                                                 for (lane < lanes) { found = min(found, keys[lane] == least ? lane : lanes) }
                                                 if (found < lanes) {
                                                     less = keys[found] < k
                                                     k = less ? keys[found] : k; p = less ? first + found : p
                                                 }
                                             }
                                         }

   Loops that may have but a few items stay beside it, and are chosen where there are.

   Where the place is not the loop's own number but another one (greatest where the item is no number, say), it is kept in
   an array beside the keys; of equal keys the operator then has to take that with the least place.

   What the operator does is found by trying it (operator.c): of keys and places it may only see how they compare, so that there are
   nine cases, and three more where a key is NaN. In each it has to give both of one side. Results are those of the loop as
   it was: a key that is NaN loses there, too. Only of several zeros, where places are kept in an array, the least key may
   be another one, which is nobody's concern where operands may come in any order (`is_total`). */
#include "backend/sequential/extremes.h"

/* Loops of fewer items stay; of fewer than SHORT where only run time knows. */
enum { LANES = 256, FEW = 24, SHORT = 8, MOST_COMMANDS = 200 };

/* ---- what accumulators are made of ----------------------------------------------------------------- */

static unsigned bits_of(const Extremes *e, const KernelVariable *variable)
{
    return (unsigned)(uintptr_t)pointer_map_get(&e->depends, variable);
}

static unsigned bits_in(const Extremes *e, const KernelExp *exp)
{
    if (!exp) {
        return 0;
    }
    unsigned bits = exp->kind == KERNEL_VARIABLE ? bits_of(e, exp->as.variable) : 0;
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        bits |= bits_in(e, operands[i]);
    }
    return bits;
}

/* Commands that a loop of vectors may have; notes what they assign. */
static bool note_block(Extremes *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        KernelVariable *variable = command->variable;
        switch ((int)command->kind) {
        case KERNEL_DECLARE:
            if (variable->space != KERNEL_SCALAR) {
                return false;
            }
            break;
        case KERNEL_ASSIGN: pointer_map_set(e->c->arena, &e->assigned, variable, variable); break;
        case KERNEL_FOR:
            if (!kernel_is_written_out(command)) {
                return false;
            }
            break;
        case KERNEL_STORE:
        case KERNEL_IF:
        case KERNEL_COMMENT: break;
        default: return false;
        }
        if (!note_block(e, command->body) || !note_block(e, command->otherwise)) {
            return false;
        }
    }
    return true;
}

static void note_accumulator(Extremes *e, KernelVariable *variable)
{
    unsigned bit = 1u << e->accumulator_count;
    pointer_map_set(e->c->arena, &e->depends, variable, (void *)(uintptr_t)bit);
    e->accumulators[e->accumulator_count++] = variable;
}

/* The accumulators: what is assigned at the top of the body and declared outside. */
static bool note_accumulators(Extremes *e)
{
    PointerMap declared = {0};
    for (size_t i = 0; i < e->loop->body.count; i++) {
        const KernelCmd *command = e->loop->body.commands[i];
        if (command->kind == KERNEL_DECLARE) {
            pointer_map_set(e->c->arena, &declared, command->variable, e);
        } else if (command->kind == KERNEL_ASSIGN &&
                   !pointer_map_get(&declared, command->variable) &&
                   bits_of(e, command->variable) == 0) {
            if (e->accumulator_count == MOST_ACCUMULATORS) {
                return false;
            }
            note_accumulator(e, command->variable);
        }
    }
    return e->accumulator_count >= 2;
}

/* A command that is no fold's: accumulators that it has anything to do with are spoilt. */
static void spoil(Extremes *e, const KernelCmd *command)
{
    KernelFreeVec used = kernel_free(e->c, (KernelBlock){1, &command});
    for (size_t i = 0; i < used.count; i++) {
        e->spoilt |= bits_of(e, used.items[i].variable);
    }
}

/* accumulator = variable that is declared before: its next value. A second one spoils it. */
static void note_next(Extremes *e, const KernelCmd *assign)
{
    const KernelExp *value = assign->value;
    for (size_t k = 0; k < e->accumulator_count; k++) {
        if (e->accumulators[k] != assign->variable) {
            continue;
        }
        const KernelExp *next =
            value->kind == KERNEL_VARIABLE ? pointer_map_get(&e->values, value->as.variable) : NULL;
        if (!next || e->next[k]) {
            spoil(e, assign);
        } else {
            e->next[k] = value;
        }
    }
}

/* What each command of the body has of the accumulators. They are read before any of them is assigned. */
static void note_dependences(Extremes *e)
{
    unsigned done = 0;
    for (size_t i = 0; i < e->loop->body.count; i++) {
        const KernelCmd *command = e->loop->body.commands[i];
        KernelVariable *variable = command->variable;
        bool is_assigned = variable && pointer_map_get(&e->assigned, variable);
        if (command->kind == KERNEL_DECLARE && command->value && !is_assigned) {
            unsigned bits = bits_in(e, command->value);
            e->spoilt |= bits & done;
            pointer_map_set(e->c->arena, &e->values, variable, (void *)(uintptr_t)command->value);
            pointer_map_set(e->c->arena, &e->depends, variable, (void *)(uintptr_t)bits);
        } else if (command->kind == KERNEL_ASSIGN && bits_of(e, variable) != 0) {
            note_next(e, command);
            done |= bits_of(e, variable);
        } else {
            spoil(e, command);
        }
    }
}

/* ---- which folds ----------------------------------------------------------------------------------- */

typedef VEC(const KernelVariable *) Operands;

/* The variables that it is made of, besides accumulators and what is made of them; false: something else is, too. */
static bool find_operands(const Extremes *e, const KernelExp *exp, Operands *operands)
{
    if (exp->kind == KERNEL_VARIABLE && bits_of(e, exp->as.variable) == 0) {
        for (size_t i = 0; i < operands->count; i++) {
            if (operands->items[i] == exp->as.variable) {
                return true;
            }
        }
        vec_push(e->c->arena, operands, exp->as.variable);
        return operands->count <= 2 && !pointer_map_get(&e->assigned, exp->as.variable);
    }
    const KernelExp *parts[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, parts);
    for (size_t i = 0; i < count; i++) {
        if (!find_operands(e, parts[i], operands)) {
            return false;
        }
    }
    return exp->kind != KERNEL_LOAD;
}

/* The key and the place of the iteration, in some order: the commands of the fold use nothing else. */
static bool find_own(const Extremes *e, const Fold *fold, Operands *operands)
{
    for (size_t i = 0; i < e->loop->body.count; i++) {
        const KernelCmd *command = e->loop->body.commands[i];
        if (command->kind == KERNEL_DECLARE && (bits_of(e, command->variable) & fold->bits) != 0 &&
            !find_operands(e, command->value, operands)) {
            return false;
        }
    }
    return operands->count == 2;
}

static bool is_number_prim(CorePrim prim)
{
    return core_is_int(prim) || core_is_real(prim);
}

/* The accumulators are a key and its place, and each is used for the next of the two alone. */
static bool find_fold(const Extremes *e, size_t key, size_t place, Fold *fold)
{
    const KernelExp *const next[2] = {e->next[key], e->next[place]};
    Operands operands = {0};
    *fold = (Fold){.key = e->accumulators[key],
                   .place = e->accumulators[place],
                   .bits = 1u << key | 1u << place};
    if (!next[0] || !next[1] || (fold->bits & e->spoilt) != 0 ||
        (bits_in(e, next[0]) | bits_in(e, next[1])) != fold->bits ||
        !is_number_prim(fold->key->prim) || !core_is_int(fold->place->prim)) {
        return false;
    }
    for (size_t k = 0; k < e->accumulator_count; k++) {
        if (k != key && k != place && e->next[k] && (bits_in(e, e->next[k]) & fold->bits) != 0) {
            return false;
        }
    }
    if (!find_own(e, fold, &operands)) {
        return false;
    }
    for (size_t k = 0; k < 2; k++) {
        fold->own_key = operands.items[k];
        fold->own_place = operands.items[1 - k];
        bool is_counter = fold->own_place == e->loop->variable;
        if (fold->own_key->prim == fold->key->prim && fold->own_place->prim == fold->place->prim &&
            extremes_try_operator(e, fold, next) &&
            (is_counter || (extremes_is_any_equal(fold) && !fold->is_first))) {
            return true;
        }
    }
    return false;
}

/* All that the loop finds is found by folds, or from itself alone. */
static bool find_folds(Extremes *e)
{
    unsigned found = 0;
    for (size_t key = 0; key < e->accumulator_count; key++) {
        for (size_t place = 0; place < e->accumulator_count; place++) {
            Fold fold;
            if (key != place && e->fold_count < MOST_FOLDS && find_fold(e, key, place, &fold)) {
                e->folds[e->fold_count++] = fold;
                e->spoilt |= fold.bits;
                found |= fold.bits;
            }
        }
    }
    for (size_t k = 0; k < e->accumulator_count; k++) {
        unsigned bit = 1u << k;
        if ((found & bit) == 0 && (!e->next[k] || bits_in(e, e->next[k]) != bit)) {
            return false;
        }
    }
    return found != 0;
}

/* It reads the same elements whichever row it is done for, if for any. */
static bool reads_alike(const KernelCmd *loop, const KernelExp *exp, bool in_index)
{
    if (!exp) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool alike = !in_index || exp->kind != KERNEL_VARIABLE || exp->as.variable == loop->variable;
    for (size_t i = 0; i < count && alike; i++) {
        alike = reads_alike(loop, operands[i], in_index || exp->kind == KERNEL_LOAD);
    }
    return alike;
}

/* Few items, as of a table: the printer makes vectors of rows of them (emit/simd.c), which are quicker. */
static bool is_for_vectors_of_rows(const KernelCmd *loop)
{
    bool alike = kernel_is_written_out(loop);
    for (size_t i = 0; i < loop->body.count && alike; i++) {
        alike = reads_alike(loop, loop->body.commands[i]->value, false);
    }
    return alike;
}

static bool study(Extremes *e, const KernelCmd *loop)
{
    if (loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ || loop->product ||
        loop->body.count > MOST_COMMANDS ||
        (loop->count->kind == KERNEL_CONSTANT && loop->count->as.constant.as.integer < FEW)) {
        return false;
    }
    *e = (Extremes){.c = e->c, .loop = loop};
    if (is_for_vectors_of_rows(loop) || !note_block(e, loop->body) || !note_accumulators(e)) {
        return false;
    }
    note_dependences(e);
    return find_folds(e) && !kernel_mentions_any(&e->assigned, loop->count);
}

/* ---- the blocks ------------------------------------------------------------------------------------ */

static KernelVariable *new_variable(const Extremes *e, const char *text, CorePrim prim,
                                    KernelSpace space)
{
    return kernel_variable(e->c, text, prim, space, e->loop->span);
}

/* What is worse than all else, or no better. */
static const KernelExp *worst(const Extremes *e, CoreOperator op, CorePrim prim)
{
    CoreAtom identity;
    core_operator_identity(op, prim, &identity);
    return kernel_constant(e->c, identity);
}

/* The fold that the command is of; NULL: it stays in the loop of keys. */
static const Fold *fold_of(const Extremes *e, const KernelCmd *command)
{
    bool is_one = command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN;
    unsigned bits = is_one ? bits_of(e, command->variable) : 0;
    for (size_t k = 0; k < e->fold_count && bits != 0; k++) {
        if ((bits & e->folds[k].bits) != 0) {
            return &e->folds[k];
        }
    }
    return NULL;
}

static void declare_arrays(Extremes *e, KernelBuilder *b)
{
    for (size_t k = 0; k < e->fold_count; k++) {
        Fold *fold = &e->folds[k];
        CorePrim prim = fold->key->prim;
        fold->keys = new_variable(e, "keys", prim, KERNEL_PRIVATE);
        kernel_declare_buffer(b, fold->keys, LANES);
        if (fold->own_place != e->loop->variable) {
            fold->places = new_variable(e, "places", fold->place->prim, KERNEL_PRIVATE);
            kernel_declare_buffer(b, fold->places, LANES);
        }
        fold->extreme =
            new_variable(e, fold->best == CORE_MIN ? "least" : "greatest", prim, KERNEL_SCALAR);
        fold->extreme->is_total = true;
        kernel_declare(b, fold->extreme, worst(e, fold->best, prim));
    }
}

/* The loop of keys: all that the loop was but the folds. */
static void find_keys(const Extremes *e, KernelBuilder *b, const KernelExp *first,
                      const KernelExp *lanes)
{
    Compilation *c = e->c;
    KernelVariable *lane = new_variable(e, "lane", CORE_I64, KERNEL_SCALAR);
    KernelBuilder body = kernel_builder(c, e->loop->span);
    kernel_declare(&body, e->loop->variable, kernel_exact_sum(c, first, kernel_use(c, lane)));
    for (size_t i = 0; i < e->loop->body.count; i++) {
        if (!fold_of(e, e->loop->body.commands[i])) {
            kernel_add(&body, e->loop->body.commands[i]);
        }
    }
    for (size_t k = 0; k < e->fold_count; k++) {
        const Fold *fold = &e->folds[k];
        const KernelExp *key = kernel_use(c, (KernelVariable *)(uintptr_t)fold->own_key);
        kernel_store(&body, fold->keys, kernel_use(c, lane), key);
        if (fold->places) {
            kernel_store(&body, fold->places, kernel_use(c, lane),
                         kernel_use(c, (KernelVariable *)(uintptr_t)fold->own_place));
        }
        kernel_assign(&body, fold->extreme,
                      kernel_binary(c, fold->best, key, kernel_use(c, fold->extreme)));
    }
    kernel_for(b, KERNEL_SEQ, NULL, lane, lanes, kernel_block(&body));
}

/* The operator, of what there is and this. */
static void apply(const Extremes *e, KernelBuilder *b, const Fold *fold, const KernelExp *key,
                  const KernelExp *place)
{
    KernelCopier copier = {.c = e->c};
    kernel_replace(&copier, fold->own_key, key);
    kernel_replace(&copier, fold->own_place, place);
    for (size_t i = 0; i < e->loop->body.count; i++) {
        if (fold_of(e, e->loop->body.commands[i]) == fold) {
            kernel_duplicate(&copier, b, (KernelBlock){1, &e->loop->body.commands[i]});
        }
    }
}

/* Looks for the place of the block's best key, and joins both with what there is. */
static void find_place(const Extremes *e, KernelBuilder *b, const Fold *fold,
                       const KernelExp *first, const KernelExp *lanes)
{
    Compilation *c = e->c;
    CorePrim prim = fold->places ? fold->place->prim : CORE_I64;
    KernelVariable *lane = new_variable(e, "lane", CORE_I64, KERNEL_SCALAR);
    KernelVariable *found = new_variable(e, "found", prim, KERNEL_SCALAR);
    const KernelExp *at = kernel_use(c, lane), *use = kernel_use(c, found),
                    *best = kernel_use(c, fold->extreme);
    found->is_total = true;
    kernel_declare(b, found, fold->places ? worst(e, CORE_MIN, prim) : lanes);
    KernelBuilder body = kernel_builder(c, e->loop->span);
    const KernelExp *key = kernel_load(c, fold->keys, at), *place;
    if (fold->places) { /* GCC 12 makes no vectors of a choice between the place and the greatest number */
        const KernelExp *other = kernel_convert(c, prim, kernel_binary(c, CORE_NE, key, best));
        const KernelExp *mask =
            kernel_binary(c, CORE_SUB, kernel_constant(c, core_int(prim, 0)), other);
        place =
            kernel_binary(c, CORE_OR, kernel_load(c, fold->places, at),
                          kernel_binary(c, CORE_SHR, mask, kernel_constant(c, core_int(prim, 1))));
    } else {
        place = kernel_select(c, kernel_binary(c, CORE_EQ, key, best), at, lanes);
    }
    kernel_assign(&body, found, kernel_binary(c, CORE_MIN, use, place));
    kernel_for(b, KERNEL_SEQ, NULL, lane, lanes, kernel_block(&body));
    if (fold->places) { /* where all keys were NaN, these two change nothing */
        apply(e, b, fold, best, use);
        return;
    }
    KernelBuilder join = kernel_builder(c, e->loop->span);
    key = kernel_declared(&join, "key", kernel_load(c, fold->keys, use));
    const KernelExp *number = kernel_declared(&join, "place", kernel_exact_sum(c, first, use));
    apply(e, &join, fold, key, number);
    const KernelExp *is_some = kernel_binary(c, CORE_LT, use, lanes);
    kernel_if(b, is_some, kernel_block(&join), (KernelBlock){0});
}

static void put_blocks(Extremes *e, KernelBuilder *b, const KernelExp *count)
{
    Compilation *c = e->c;
    const KernelExp *length = kernel_i64(c, LANES);
    const KernelExp *more =
        kernel_binary(c, CORE_GT, kernel_modulo(c, count, length), kernel_i64(c, 0));
    const KernelExp *strips = kernel_declared(
        b, "strips",
        kernel_exact_sum(c, kernel_divide(c, count, length), kernel_convert(c, CORE_I64, more)));
    KernelVariable *strip = new_variable(e, "strip", CORE_I64, KERNEL_SCALAR);
    KernelBuilder body = kernel_builder(c, e->loop->span);
    const KernelExp *first =
        kernel_declared(&body, "first", kernel_binary(c, CORE_MUL, kernel_use(c, strip), length));
    bool is_one = count->kind == KERNEL_CONSTANT && count->as.constant.as.integer <= LANES;
    const KernelExp *lanes = count;
    if (!is_one) {
        const KernelExp *left = kernel_binary(c, CORE_SUB, count, first);
        KernelVariable *some = new_variable(e, "lanes", CORE_I64, KERNEL_SCALAR);
        some->most = LANES;
        kernel_declare(&body, some, kernel_binary(c, CORE_MIN, left, length));
        lanes = kernel_use(c, some);
    }
    declare_arrays(e, &body);
    find_keys(e, &body, first, lanes);
    for (size_t k = 0; k < e->fold_count; k++) {
        const Fold *fold = &e->folds[k];
        KernelBuilder place = kernel_builder(c, e->loop->span);
        find_place(e, &place, fold, first, lanes);
        const KernelExp *is_near =
            kernel_binary(c, fold->best == CORE_MIN ? CORE_LE : CORE_GE,
                          kernel_use(c, fold->extreme), kernel_use(c, fold->key));
        kernel_if(&body, is_near, kernel_block(&place), (KernelBlock){0});
    }
    kernel_for(b, KERNEL_SEQ, NULL, strip, strips, kernel_block(&body));
}

/* ---- the program ----------------------------------------------------------------------------------- */

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    const Extremes *outer = context;
    Extremes e = {.c = outer->c};
    if (!study(&e, command)) {
        return false;
    }
    b->span = command->span;
    const KernelExp *count = command->count;
    if (count->kind == KERNEL_CONSTANT) {
        put_blocks(&e, b, count);
        return true;
    }
    if (count->kind != KERNEL_VARIABLE) {
        count = kernel_declared(b, "count", count);
    }
    KernelBuilder blocks = kernel_builder(e.c, b->span), same = blocks;
    KernelCopier copier = {.c = e.c};
    kernel_duplicate(&copier, &same, (KernelBlock){1, &command});
    put_blocks(&e, &blocks, count);
    kernel_if(b, kernel_binary(e.c, CORE_GE, count, kernel_i64(e.c, SHORT)), kernel_block(&blocks),
              kernel_block(&same));
    return true;
}

KernelProgram *kernel_block_extremes(Compilation *c, const KernelProgram *program)
{
    Extremes extremes = {.c = c};
    KernelRewrite rewrite = {.c = c, .context = &extremes, .put = put};
    return kernel_rewrite_program(&rewrite, program);
}
