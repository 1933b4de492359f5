/* Sorting by digits: the stable order of int keys, least digit first (radix sort). A digit is a byte; there are as many
   passes as the difference of the greatest key and the least has digits.

   What is sorted are items of 8 bytes: the number of a key in the last ones, as many as the number of keys needs, and in
   front of it as many of the last bytes of the key, counted from the least one, as there is room for.

       let items = map (\key i -> (key - least) << 8 * b | i) keys (iota n)
       loop d = b while there are more digits {
           let items, d = if d < 8 then items, d
                          else map (\x -> ((keys[i] - least) >>> those that were) << 8 * b | i, where i = x & mask) items, b
           in digit_sort d items, d + 1 }
       let order = map (& mask) items */
#include "tail/to_core/radix.h"

/* The state of the loop over digits. */
enum { MORE, REST, DIGIT, DONE, ITEMS, STATE };

typedef struct DigitOrder {
    ToCore *t;
    CoreAtom keys, n, least;
    CoreAtom digits, bits, mask; /* of numbers in items */
} DigitOrder;

static CoreAtom digits_of_numbers(ToCore *t, CoreAtom n)
{
    CoreAtom digits = core_i64(1);
    for (int bits = CORE_DIGIT_BITS; (INT64_C(1) << bits) < CORE_MOST_ELEMENTS;
         bits += CORE_DIGIT_BITS) {
        CoreAtom is_more = to_core_by(t, CORE_GT, n, INT64_C(1) << bits);
        digits = to_core_binary(t, CORE_ADD, digits, to_core_convert(t, CORE_I64, is_more));
    }
    return digits;
}

/* The key without its last digits, so many, and its number. */
static CoreAtom item_of(const DigitOrder *order, CoreAtom key, CoreAtom without, CoreAtom number)
{
    ToCore *t = order->t;
    CoreAtom rest = to_core_binary(t, CORE_SUB, key, order->least);
    rest = to_core_binary(t, CORE_SHR, rest, to_core_by(t, CORE_MUL, without, CORE_DIGIT_BITS));
    return to_core_binary(t, CORE_OR, to_core_binary(t, CORE_SHL, rest, order->bits), number);
}

static CoreAtom first_items(const DigitOrder *order)
{
    ToCore *t = order->t;
    CoreName *parameters[2] = {to_core_named_int(t, "key"), to_core_named_int(t, "i")};
    CoreAtom inputs[2] = {order->keys, core_let_iota(BUILDER(t), "numbers", order->n)}, items;
    Scope *scope = to_core_enter_scope(t);
    CoreAtom item = item_of(order, core_use(parameters[0]), core_i64(0), core_use(parameters[1]));
    to_core_leave_scope(t);
    core_let_map(BUILDER(t), "items", order->n, 2, inputs,
                 core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &item)), &items);
    return items;
}

/* The number of each item's key, or (done) its item with what of the key there is still to be sorted by. */
static CoreAtom numbers_of(const DigitOrder *order, const char *text, CoreAtom items,
                           const CoreAtom *done)
{
    ToCore *t = order->t;
    CoreName *item = to_core_named_int(t, "x");
    CoreAtom all;
    Scope *scope = to_core_enter_scope(t);
    CoreAtom number = to_core_binary(t, CORE_AND, core_use(item), order->mask);
    if (done) {
        CoreAtom key = to_core_element(t, "key", order->keys, number);
        number = item_of(order, key, *done, number);
    }
    to_core_leave_scope(t);
    core_let_map(BUILDER(t), text, order->n, 1, &items,
                 core_lambda(t->c, 1, &item, to_core_scope_body(scope, 1, &number)), &all);
    return all;
}

/* Where items have been sorted by all their digits, they become those with the next ones of the keys. */
static void renew_items(const DigitOrder *order, CoreAtom state[STATE])
{
    ToCore *t = order->t;
    CoreAtom has_more = to_core_by(t, CORE_LT, state[DIGIT], CORE_I64_DIGITS);
    CoreAtom others[3], same[3] = {state[DIGIT], state[DONE], state[ITEMS]};
    CoreName *results[3] = {
        to_core_named_int(t, "digit"), to_core_named_int(t, "done"),
        core_name(t->c, "items", core_atom_type(state[ITEMS]), BUILDER(t)->span)};
    Scope *then_scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    Scope *else_scope = to_core_enter_scope(t);
    CoreAtom were = to_core_binary(t, CORE_SUB, core_i64(CORE_I64_DIGITS), order->digits);
    others[0] = order->digits;
    others[1] = to_core_binary(t, CORE_ADD, state[DONE], were);
    others[2] = numbers_of(order, "items", state[ITEMS], &others[1]);
    to_core_leave_scope(t);
    core_bind(BUILDER(t), 3, results,
              core_exp_if(t->c, has_more, to_core_scope_body(then_scope, 3, same),
                          to_core_scope_body(else_scope, 3, others)));
    for (size_t i = 0; i < 3; i++) {
        state[DIGIT + i] = core_use(results[i]);
    }
}

static void sort_by_next_digit(const DigitOrder *order, CoreAtom state[STATE])
{
    ToCore *t = order->t;
    renew_items(order, state);
    state[ITEMS] = core_let_digit_sort(BUILDER(t), "items", state[ITEMS], state[DIGIT]);
    state[DIGIT] = to_core_by(t, CORE_ADD, state[DIGIT], 1);
    state[REST] = to_core_by(t, CORE_SHR, state[REST], CORE_DIGIT_BITS);
    state[MORE] = to_core_by(t, CORE_NE, state[REST], 0);
}

static CoreName *name_of_state(const DigitOrder *order, size_t i)
{
    static const char *const texts[] = {"more", "rest", "digit", "done", "items"};
    CoreType type = i == MORE    ? core_scalar(CORE_BOOL)
                    : i == ITEMS ? core_atom_type(order->keys)
                                 : core_scalar(CORE_I64);
    return core_name(order->t->c, texts[i], type, BUILDER(order->t)->span);
}

CoreAtom to_core_radix_order(ToCore *t, CoreAtom keys, CoreAtom n)
{
    if (t->parallel > 0) {
        return to_core_radix_order_of_row(t, keys, n);
    }
    CoreAtom bounds[2], start[STATE], next[STATE];
    CoreName *state[STATE], *results[STATE];
    to_core_find_bounds(t, keys, n, bounds);
    DigitOrder order = {
        .t = t, .keys = keys, .n = n, .least = bounds[0], .digits = digits_of_numbers(t, n)};
    order.bits = to_core_by(t, CORE_MUL, order.digits, CORE_DIGIT_BITS);
    order.mask = to_core_by(t, CORE_SUB, to_core_binary(t, CORE_SHL, core_i64(1), order.bits), 1);
    start[REST] = to_core_binary(t, CORE_SUB, bounds[1], bounds[0]);
    start[MORE] = to_core_by(t, CORE_NE, start[REST], 0);
    start[DIGIT] = order.digits;
    start[DONE] = core_i64(0);
    start[ITEMS] = first_items(&order);
    for (size_t i = 0; i < STATE; i++) {
        state[i] = name_of_state(&order, i);
        results[i] = name_of_state(&order, i);
        next[i] = core_use(state[i]);
    }
    Scope *step = to_core_enter_scope(t);
    sort_by_next_digit(&order, next);
    to_core_leave_scope(t);
    core_bind(BUILDER(t), STATE, results,
              core_exp_while(t->c, STATE, state, start, state[MORE],
                             to_core_scope_body(step, STATE, next)));
    return numbers_of(&order, "order", core_use(results[ITEMS]), NULL);
}
