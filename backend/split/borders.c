/* The borders of a loop: comparisons of its variable with invariants, in the form "i is below T".
 */
#include "backend/split/split.h"

enum { MOST_OFFSET = 1 << 30 };

/* ---- comparisons with the loop's variable ---------------------------------------------------- */

/* Whether it is x mod n, of n rows that the loop has, or of so many: not negative, and where the loop has any iteration,
   less than n. */
static bool is_turn(Split *s, const KernelVariable *variable)
{
    const Known *known = split_known(s, variable);
    const KernelExp *value = known->value, *count = s->loop->count;
    if (!value || known->assigned || known->is_ambiguous || known->inside == s->stamp ||
        pointer_map_get(&s->on_device, variable) || value->kind != KERNEL_BINARY ||
        value->prim != CORE_I64 || value->as.scalar.op != CORE_MOD) {
        return false;
    }
    const KernelExp *rows = value->as.scalar.y;
    return rows->kind == KERNEL_CONSTANT
               ? rows->as.constant.as.integer > 0 && rows->as.constant.as.integer <= MOST_OFFSET
               : rows->kind == KERNEL_VARIABLE && count->kind == KERNEL_VARIABLE &&
                     rows->as.variable == count->as.variable &&
                     !split_known(s, rows->as.variable)->assigned;
}

/* exp = i + offset + turn for the loop's variable i, in the part at work? */
static bool is_linear(Split *s, const KernelExp *exp, Linear *linear);

/* The value of a condition in the part at work; -1: it is not known. */
static int truth_of(Split *s, const KernelExp *condition)
{
    const Fact *fact =
        condition->kind == KERNEL_VARIABLE ? split_fact(s, condition->as.variable) : NULL;
    return split_decided(s, fact && fact->value ? fact->value : condition);
}

static bool is_turned(Split *s, const KernelExp *x, const KernelExp *y, Linear *linear)
{
    if (y->kind != KERNEL_VARIABLE || !is_turn(s, y->as.variable) || !is_linear(s, x, linear) ||
        linear->turn) {
        return false;
    }
    linear->turn = y->as.variable;
    return true;
}

static bool is_linear(Split *s, const KernelExp *exp, Linear *linear)
{
    if (exp->prim != CORE_I64) {
        return false;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        const Fact *fact = split_fact(s, exp->as.variable);
        *linear = fact ? fact->linear : (Linear){0};
        return fact && fact->is_linear;
    }
    if (exp->kind == KERNEL_SELECT) {
        int chosen = truth_of(s, exp->as.select.condition);
        return chosen >= 0 && is_linear(s, chosen ? exp->as.select.x : exp->as.select.y, linear);
    }
    if (exp->kind != KERNEL_BINARY ||
        (exp->as.scalar.op != CORE_ADD && exp->as.scalar.op != CORE_SUB)) {
        return false;
    }
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    bool adds = exp->as.scalar.op == CORE_ADD;
    if (adds && (is_turned(s, x, y, linear) || is_turned(s, y, x, linear))) {
        return true;
    }
    if (x->kind == KERNEL_CONSTANT && adds) {
        x = exp->as.scalar.y;
        y = exp->as.scalar.x;
    }
    if (y->kind != KERNEL_CONSTANT || y->as.constant.as.integer > MOST_OFFSET ||
        y->as.constant.as.integer < -MOST_OFFSET || !is_linear(s, x, linear)) {
        return false;
    }
    int64_t change = y->as.constant.as.integer;
    linear->offset += adds ? change : -change;
    return linear->offset <= MOST_OFFSET && linear->offset >= -MOST_OFFSET;
}

static CoreOperator turned(CoreOperator op)
{
    return op == CORE_LT ? CORE_GT : op == CORE_GT ? CORE_LT : op == CORE_LE ? CORE_GE : CORE_LE;
}

/*  i + k < b  is  "i below b - k";  i + k <= b  is  "i below b - k + 1";  >= and > are their
 * negations */
static bool is_border(Split *s, const KernelExp *exp, Border *border, bool *is_below)
{
    if (exp->kind != KERNEL_BINARY || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    CoreOperator op = exp->as.scalar.op;
    if (op != CORE_LT && op != CORE_LE && op != CORE_GT && op != CORE_GE) {
        return false;
    }
    const KernelExp *x = exp->as.scalar.x, *bound = exp->as.scalar.y;
    Linear linear = {0};
    if (!is_linear(s, x, &linear)) {
        x = exp->as.scalar.y;
        bound = exp->as.scalar.x;
        op = turned(op);
        if (!is_linear(s, x, &linear)) {
            return false;
        }
    }
    *is_below = op == CORE_LT || op == CORE_LE;
    *border =
        (Border){.turn = linear.turn, .shift = -linear.offset + (op == CORE_LE || op == CORE_GT)};
    if (bound->kind == KERNEL_CONSTANT) {
        border->shift += bound->as.constant.as.integer;
        return bound->as.constant.as.integer > -SPLIT_FAR &&
               bound->as.constant.as.integer < SPLIT_FAR;
    }
    border->base = bound->kind == KERNEL_VARIABLE ? bound->as.variable : NULL;
    const KernelExp *count = s->loop->count;
    bool is_count = count->kind == KERNEL_VARIABLE && count->as.variable == border->base;
    return border->base && (is_count || !border->turn) &&
           split_known(s, border->base)->inside != s->stamp &&
           !pointer_map_get(&s->on_device, border->base);
}

bool split_is_low(const Split *s, Border border)
{
    const KernelExp *count = s->loop->count;
    return !border.base && !border.turn &&
           !(count->kind == KERNEL_CONSTANT && border.shift > count->as.constant.as.integer / 2);
}

static bool same_border(Border a, Border b)
{
    return a.base == b.base && a.turn == b.turn && a.shift == b.shift;
}

/* How many bases the borders have with this one. */
static size_t bases_with(const Split *s, Border border)
{
    size_t bases = 1;
    for (size_t i = 0; i < s->high_count; i++) {
        bool is_new = s->high[i].base != border.base;
        for (size_t k = 0; k < i; k++) {
            is_new = is_new && s->high[k].base != s->high[i].base;
        }
        bases += is_new;
    }
    return bases;
}

static void add_border(Split *s, Border border)
{
    if (split_is_low(s, border)) {
        s->low = border.shift > s->low ? border.shift : s->low;
        return;
    }
    for (size_t i = 0; i < s->high_count; i++) {
        if (same_border(s->high[i], border)) {
            return;
        }
    }
    if (s->high_count == SPLIT_MOST_BORDERS || bases_with(s, border) > SPLIT_MOST_BASES) {
        s->gives_up = true;
        return;
    }
    s->high[s->high_count++] = border;
}

/* ---- what the loop asks ---------------------------------------------------------------------- */

static void find_inside(Split *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->variable && command->variable->space == KERNEL_SCALAR) {
            Known *found = split_known(s, command->variable);
            bool declares = command->kind == KERNEL_DECLARE || command->kind == KERNEL_FOR;
            if (declares || found->inside != s->stamp) {
                found->fact = declares ? ARENA_NEW(s->c->arena, Fact) : NULL;
            }
            found->inside = s->stamp;
        }
        find_inside(s, command->body);
        find_inside(s, command->otherwise);
    }
}

/* `depth`: loops around it inside the loop at work. A loop with loops inside is split for what is
   asked in those. */
static void find_in_exp(Split *s, const KernelExp *exp, unsigned depth)
{
    Border border;
    bool is_below;
    if (!exp) {
        return;
    }
    if (is_border(s, exp, &border, &is_below)) {
        if (depth > 0 || !s->is_outer) {
            add_border(s, border);
        }
        return;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        const Fact *fact = split_fact(s, exp->as.variable);
        if (fact && fact->is_comparison && depth > fact->depth) {
            add_border(s, fact->border);
        }
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        find_in_exp(s, operands[k], depth);
    }
}

void split_note(Split *s, const KernelCmd *declaration)
{
    Fact *fact = split_fact(s, declaration->variable);
    const KernelExp *value = declaration->value;
    bool is_below, is_steady = value && !split_known(s, declaration->variable)->assigned;
    fact->value = is_steady ? value : NULL;
    fact->is_linear = is_steady && is_linear(s, value, &fact->linear);
    fact->is_comparison = is_steady && is_border(s, value, &fact->border, &is_below);
}

static void find_borders(Split *s, KernelBlock block, unsigned depth)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE) {
            split_fact(s, command->variable)->depth = depth;
            split_note(s, command);
        }
        find_in_exp(s, command->value, depth);
        find_in_exp(s, command->index, depth);
        find_in_exp(s, command->count, depth);
        for (size_t k = 0; k < command->value_count; k++) {
            find_in_exp(s, command->values[k], depth);
        }
        bool is_loop = command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE;
        find_borders(s, command->body, depth + is_loop);
        find_borders(s, command->otherwise, depth);
    }
}

bool split_has_turn(const Split *s)
{
    bool found = false;
    for (size_t k = 0; k < s->high_count; k++) {
        found = found || s->high[k].turn;
    }
    return found;
}

/* In a part in which nothing is known, or in one where all borders that are found are. */
static void find_borders_in(Split *s, Part part)
{
    s->low = 0;
    s->high_count = 0;
    s->gives_up = false;
    s->part = part;
    find_borders(s, s->loop->body, 0);
}

bool split_find_borders(Split *s)
{
    enum { MOST_WITH_TURN = 2 }; /* of which all parts are loops of their own (split.c) */
    find_inside(s, (KernelBlock){1, &s->loop});
    split_fact(s, s->loop->variable)->is_linear = true;
    find_borders_in(s, (Part){.is_any_interior = true});
    if (s->gives_up || (split_has_turn(s) && s->high_count > MOST_WITH_TURN)) {
        find_borders_in(s, (Part){0});
    }
    return !s->gives_up && (s->low > 0 || s->high_count > 0);
}

int split_decided(Split *s, const KernelExp *exp)
{
    Border border;
    bool is_below;
    if (!is_border(s, exp, &border, &is_below)) {
        return -1;
    }
    const Part *part = &s->part;
    if (part->is_any_interior) {
        return split_is_low(s, border) ? !is_below : is_below;
    }
    if (split_is_low(s, border)) {
        bool below = part->below_low && border.shift >= s->low;
        bool from = border.shift <= 0 || (part->from_low && border.shift <= s->low);
        return below ? is_below : from ? !is_below : -1;
    }
    for (size_t i = 0; i < s->high_count; i++) {
        if (same_border(s->high[i], border)) {
            bool below = part->below_high >> i & 1, from = part->from_high >> i & 1;
            return below ? is_below : from ? !is_below : -1;
        }
    }
    return -1;
}
