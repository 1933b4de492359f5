/* Exchanges: up to nine keys of a known number are sorted as scalars, and what is made of their order is exchanged as they
   are.

   A key goes to the front, by exchanges with what is before it, while that is greater: equal keys are never exchanged.
   Nothing branches and nothing is stored, so that lanes do it beside each other, and exchanges that what is asked for does
   not need are dead.

       let order = order keys      ==>      let less = keys[1] < keys[0]
                                            let number, number' = if less then 1, 0 else 0, 1 ..
                                            let order = [number, number' ..]

   An order has each number once. So a map of it makes what it makes of the numbers as they were, and these results are
   exchanged: items that are read at known places, in place of places that are found, where each lane would read elsewhere.

       let sorted = map (\i -> xs[i]) order      ==>      let x, x' = if less then xs[1], xs[0] else xs[0], xs[1] ..
                                                          let sorted = [x, x' ..]

   So is what one item of the order is read by, where all places are there: v[(⍋v)[5]]. */
#include "core/locality/exchanges.h"
#include "core/simplify/simplify.h"

static CoreAtom chosen(CoreBuilder *b, const char *text, CoreAtom condition, CoreAtom x, CoreAtom y)
{
    CoreBuilder yes = core_builder(b->c, b->span), no = core_builder(b->c, b->span);
    return core_let(b, text, core_atom_type(x),
                    core_exp_if(b->c, condition, core_body(&yes, 1, &x), core_body(&no, 1, &y)));
}

static void exchange(CoreBuilder *b, const char *text, int64_t at, CoreAtom less, CoreAtom *items)
{
    CoreAtom x = items[at - 1], y = items[at];
    items[at - 1] = chosen(b, text, less, y, x);
    items[at] = chosen(b, text, less, x, y);
}

static void exchange_all(CoreBuilder *b, const Exchanges *exchanges, CoreAtom *items)
{
    for (size_t i = 0; i < exchanges->count; i++) {
        exchange(b, "item", exchanges->steps[i].at, exchanges->steps[i].less, items);
    }
}

CoreAtom exchanges_of_keys(CoreBuilder *b, CoreAtom keys, Exchanges *exchanges)
{
    CoreAtom key[EXCHANGES_MOST_KEYS], number[EXCHANGES_MOST_KEYS];
    int64_t n = core_atom_type(keys).sizes[0].as.integer;
    *exchanges = (Exchanges){.items = n};
    for (int64_t i = 0; i < n; i++) {
        number[i] = core_i64(i);
        key[i] = core_let_index(b, "key", keys, 1, &number[i]);
    }
    for (int64_t last = 1; last < n; last++) {
        for (int64_t i = last; i > 0; i--) {
            CoreAtom x = key[i - 1], y = key[i];
            CoreAtom less = core_let_binary(b, "less", CORE_LT, y, x);
            key[i - 1] = core_let_binary(b, "key", CORE_MIN, x, y);
            key[i] = core_let_binary(b, "key", CORE_MAX, x, y);
            exchange(b, "number", i, less, number);
            exchanges->steps[exchanges->count].at = i;
            exchanges->steps[exchanges->count++].less = less;
        }
    }
    return core_let_literal(b, "order", (size_t)n, number);
}

Exchanged exchanges_numbers(const Exchanges *exchanges, const CoreBody *body)
{
    Exchanged numbers = {.exchanges = exchanges, .body = body};
    for (int64_t i = 0; i < exchanges->items; i++) {
        numbers.before[i] = core_i64(i);
    }
    return numbers;
}

/* ---- maps of an order ------------------------------------------------------------------------ */

/* Whether the function has a few scalar statements that are soon written out, and reads. */
static bool is_plain(const CoreLambda *function)
{
    enum { MOST_STATEMENTS = 24 };
    for (size_t i = 0; i < function->body->stm_count; i++) {
        const CoreStm *stm = function->body->stms[i];
        CoreExpKind kind = stm->exp->kind;
        if (stm->pattern_count != 1 || stm->pattern[0]->type.rank > 0 ||
            (kind != CORE_EXP_ATOM && kind != CORE_EXP_UNARY && kind != CORE_EXP_BINARY &&
             kind != CORE_EXP_CONVERT && kind != CORE_EXP_INDEX && kind != CORE_EXP_ASSERT)) {
            return false;
        }
    }
    return function->body->stm_count <= MOST_STATEMENTS;
}

/* Without the certificates of assertions that hold. */
static const CoreStm *without_certificates(Compilation *c, const CoreStm *stm,
                                           const PointerMap *holding)
{
    CoreAtom *left = ARENA_ARRAY(c->arena, CoreAtom, stm->certificate_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        left[count] = stm->certificates[i];
        count += !pointer_map_get(holding, left[count].name);
    }
    CoreStm *copy = arena_copy(c->arena, stm, sizeof *copy);
    copy->certificates = left;
    copy->certificate_count = count;
    return copy;
}

/* What the function makes of the item. False: an assertion in it may fail, which then has to be the one that fails first. */
static bool apply(CoreBuilder *b, const CoreLambda *function, CoreAtom item, CoreAtom *results)
{
    Compilation *c = b->c;
    Renaming *renaming = core_renaming(c);
    PointerMap holding = {0};
    core_rename(renaming, function->parameters[0], item);
    for (size_t i = 0; i < function->body->stm_count; i++) {
        const CoreStm *old = function->body->stms[i];
        const CoreStm *stm = without_certificates(c, core_rename_stm(renaming, old), &holding);
        CoreAtom value;
        if (stm->exp->kind == CORE_EXP_ASSERT) {
            CoreAtom condition = stm->exp->as.assertion.condition;
            if (condition.name || condition.as.integer == 0) {
                return false;
            }
            pointer_map_set(c->arena, &holding, stm->pattern[0], (void *)(uintptr_t)stm);
        } else if (stm->exp->kind == CORE_EXP_ATOM && !stm->exp->as.atom.name) {
            core_rename(renaming, old->pattern[0], stm->exp->as.atom);
        } else if (simplify_constant(stm->exp, &value)) {
            core_rename(renaming, old->pattern[0], value);
        } else {
            core_add(b, stm);
        }
    }
    for (size_t k = 0; k < function->body->result_count; k++) {
        results[k] = core_renamed(renaming, function->body->results[k]);
    }
    return true;
}

static bool is_map_of_order(const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    return stm->exp->kind == CORE_EXP_SOAC && stm->exp->level == CORE_LEVEL_AUTO &&
           stm->certificate_count == 0 && soac->reduction_count == 0 && soac->scan_count == 0 &&
           soac->input_count == 1 && soac->inputs[0].name != NULL && is_plain(soac->map);
}

bool exchanges_map(CoreBuilder *b, const CoreStm *stm, const CoreBody *body, PointerMap *all)
{
    if (!is_map_of_order(stm)) {
        return false;
    }
    Compilation *c = b->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    const Exchanged *order = pointer_map_get(all, soac->inputs[0].name);
    if (order == NULL || order->body != body) {
        return false;
    }
    const Exchanges *exchanges = order->exchanges;
    b->span = stm->span;
    CoreBuilder rows = core_builder(c, stm->span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1);
    Exchanged *mapped = ARENA_ARRAY(c->arena, Exchanged, stm->pattern_count + 1);
    for (int64_t i = 0; i < exchanges->items; i++) {
        if (!apply(&rows, soac->map, order->before[i], results)) {
            return false;
        }
        for (size_t k = 0; k < stm->pattern_count; k++) {
            mapped[k].before[i] = results[k];
        }
    }
    for (size_t i = 0; i < rows.stms.count; i++) {
        core_add(b, rows.stms.items[i]);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreAtom items[EXCHANGES_MOST_KEYS];
        mapped[k].exchanges = exchanges;
        mapped[k].body = body;
        memcpy(items, mapped[k].before, sizeof items);
        exchange_all(b, exchanges, items);
        CoreAtom sorted =
            core_let_literal(b, stm->pattern[k]->text, (size_t)exchanges->items, items);
        core_bind(b, 1, &stm->pattern[k], core_atom_exp(c, sorted));
        pointer_map_set(c->arena, all, stm->pattern[k], &mapped[k]);
    }
    return true;
}

/* ---- single items ---------------------------------------------------------------------------- */

/* Operands of an expression, of which those that are made of one item of an order are known for each number there may be. */
typedef struct Operands {
    const PointerMap *all;
    const CoreBody *body;
    const Exchanged *item; /* NULL: none has been met */
    int64_t number;
    bool differ; /* they are made of different items */
} Operands;

static CoreAtom operand_for(void *context, CoreAtom atom)
{
    Operands *o = context;
    const Exchanged *item = atom.name ? pointer_map_get(o->all, atom.name) : NULL;
    if (!item || !item->is_item || item->body != o->body) {
        return atom;
    }
    o->differ = o->differ ||
                (o->item && (o->item->exchanges != item->exchanges || o->item->at != item->at));
    o->item = item;
    return item->before[o->number];
}

/* Whether the array has the place by its type. */
static bool is_there(const CoreExp *index)
{
    CoreType type = core_atom_type(index->as.index.array);
    bool good = index->as.index.count == (size_t)type.rank;
    for (size_t k = 0; good && k < index->as.index.count; k++) {
        CoreAtom at = index->as.index.indices[k];
        good = !at.name && !type.sizes[k].name && at.as.integer >= 0 &&
               at.as.integer < type.sizes[k].as.integer;
    }
    return good;
}

/* An item of what is known as exchanged. */
static bool note_item(Compilation *c, const CoreStm *stm, const CoreBody *body, PointerMap *all)
{
    const CoreExp *exp = stm->exp;
    const Exchanged *order =
        exp->kind == CORE_EXP_INDEX ? pointer_map_get(all, exp->as.index.array.name) : NULL;
    if (!order || order->body != body || exp->as.index.count != 1 ||
        exp->as.index.indices[0].name) {
        return false;
    }
    Exchanged item = *order;
    item.is_item = true;
    item.at = exp->as.index.indices[0].as.integer;
    bool good = item.at >= 0 && item.at < item.exchanges->items;
    for (int64_t i = 0; i < item.exchanges->items; i++) {
        good = good && !item.before[i].name;
    }
    if (good) {
        pointer_map_set(c->arena, all, stm->pattern[0], arena_copy(c->arena, &item, sizeof item));
    }
    return true;
}

bool exchanges_item(CoreBuilder *b, const CoreStm *stm, const CoreBody *body, PointerMap *all)
{
    Compilation *c = b->c;
    CoreExpKind kind = stm->exp->kind;
    bool reads = kind == CORE_EXP_INDEX;
    if (stm->pattern_count != 1 || stm->pattern[0]->type.rank > 0 || stm->certificate_count > 0 ||
        (!reads && kind != CORE_EXP_UNARY && kind != CORE_EXP_BINARY && kind != CORE_EXP_CONVERT) ||
        note_item(c, stm, body, all)) {
        return false;
    }
    Operands operands = {.all = all, .body = body};
    const CoreExp *rows[EXCHANGES_MOST_KEYS];
    rows[0] = core_map_operands(c, stm->exp, operand_for, &operands);
    if (!operands.item || operands.differ) {
        return false;
    }
    Exchanged made = *operands.item;
    bool good = true;
    for (int64_t i = 0; good && i < made.exchanges->items; i++) {
        operands.number = i;
        rows[i] = core_map_operands(c, stm->exp, operand_for, &operands);
        good = reads ? is_there(rows[i]) : simplify_constant(rows[i], &made.before[i]);
    }
    if (good && !reads) {
        pointer_map_set(c->arena, all, stm->pattern[0], arena_copy(c->arena, &made, sizeof made));
    }
    if (!good || !reads) {
        return false;
    }
    b->span = stm->span;
    for (int64_t i = 0; i < made.exchanges->items; i++) {
        made.before[i] = core_let(b, "x", stm->pattern[0]->type, rows[i]);
    }
    exchange_all(b, made.exchanges, made.before);
    core_bind(b, 1, stm->pattern, core_atom_exp(c, made.before[made.at]));
    return true;
}
