/* Orders: how the stable order of int keys is found. Few keys are compared each with each; of many, digits are sorted by,
   the least one first (radix sort). A digit is a byte; there are as many passes as the difference of the greatest key and
   the least has digits.

       let order = order keys      ==>      let order = if n <= few then { each with each } else { digit after digit }

   Each with each: the place of a key is how many come before it.

       let places = map (\x i -> redomap (\y j -> y < x || y == x && j < i) (+) 0 keys (iota n)) keys (iota n)
       let order = scatter (iota n) places (iota n)

   By digits: what is sorted are items of 8 bytes: the number of a key in the last ones, as many as the number of keys
   needs, and in front of it as many of the last bytes of the key, counted from the least one, as there is room for.

       let items = map (\key i -> (key - least) << 8 * b | i) keys (iota n)
       loop d = b while there are more digits {
           let items, d = if d < 8 then items, d
                          else map (\x -> ((keys[i] - least) >>> those that were) << 8 * b | i, where i = x & mask) items, b
           in digit_sort d items, d + 1 }
       let order = map (& mask) items

   By exchanges: up to nine keys of a known number, in the function of a map (exchanges.c).

   Rows of a matrix, or of an array of higher rank as one, are sorted beside each other: maps have a map around them, the
   least key and the greatest are those of all rows, and digit_sort takes rows.

   Before: any program. After the pass over the host's statements: fusion takes what is made, and orders of rows, in the
   functions of maps, are left for flattening, but for exchanges; where there is none, for sequential programs, they are done, too. After the
   pass over all: there is no order. */
#include "core/locality/exchanges.h"
#include "core/simplify/simplify.h"

/* Up to so many keys are compared each with each: */
enum {
    FEW_OF_ITEM = 64, /* by a work-item that sorts alone */
    FEW_OF_PROCESSOR = 100,
    FEW_OF_ROWS = 256,  /* where work-items work in lanes */
    FEW_OF_DEVICE = 500 /* the same, of a vector */
};

/* An order is long: in programs with more of them, the further ones are calls of a function. */
enum { MOST_WRITTEN_OUT = 16 };

typedef struct Orders {
    Compilation *c;
    const CoreProgram *program;
    CoreWhichOrders which;
    int lambdas;                  /* functions of SOACs around, or one that is called there */
    size_t count;                 /* that have been written out */
    const CoreFunction *function; /* NULL: not called yet */
    PointerMap exchanged;         /* CoreName -> Exchanged */
    const CoreBody *body;         /* at work */
    bool changed;
} Orders;

typedef struct Order {
    CoreBuilder *b;
    CoreAtom keys; /* [n] or [m][n] */
    bool of_rows;
    CoreAtom m, n;
    CoreAtom total; /* of keys */
    CoreAtom least;
    CoreAtom digits, bits, mask; /* of numbers in items */
} Order;

static CoreAtom by(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x, int64_t k)
{
    return core_let_binary(b, text, op, x, core_i64(k));
}

static CoreName *named_int(CoreBuilder *b, const char *text)
{
    return core_name(b->c, text, core_scalar(CORE_I64), b->span);
}

static CoreBuilder inside(const Order *order)
{
    return core_builder(order->b->c, order->b->span);
}

/* A few keys of a known number are exchanged by a work-item, or an iteration, that sorts alone. */
static bool are_exchanged(const Orders *orders, CoreAtom keys)
{
    CoreType type = core_atom_type(keys);
    return orders->lambdas > 0 && type.rank == 1 && !type.sizes[0].name &&
           type.sizes[0].as.integer > 0 && type.sizes[0].as.integer <= EXCHANGES_MOST_KEYS &&
           !orders->c->options.flatten_all;
}

/* ---- all keys ------------------------------------------------------------------------------- */

/* One of a row: */
typedef struct Element {
    CoreBuilder *b;
    CoreAtom keys;        /* of the row: [n] */
    CoreAtom start;       /* how many are in the rows before */
    CoreAtom key, number; /* in the row */
    CoreAtom item;
} Element;

typedef CoreAtom OfElement(const Order *order, const Element *element, const void *context);

/* map (\key number item -> ..) keys (iota n) items, in a row */
static CoreAtom map_row(const Order *order, Element *row, const char *text, const CoreAtom *items,
                        OfElement *of, const void *context)
{
    CoreName *parameters[3] = {named_int(row->b, "key"), named_int(row->b, "i"), NULL};
    CoreAtom inputs[3] = {row->keys, core_let_iota(row->b, "numbers", order->n)}, mapped;
    CoreBuilder b = inside(order);
    Element element = *row;
    element.b = &b;
    element.key = core_use(parameters[0]);
    element.number = core_use(parameters[1]);
    if (items) {
        parameters[2] = named_int(row->b, "x");
        inputs[2] = *items;
        element.item = core_use(parameters[2]);
    }
    CoreAtom result = of(order, &element, context);
    size_t count = items ? 3 : 2;
    core_let_map(row->b, text, order->n, count, inputs,
                 core_lambda(b.c, count, parameters, core_body(&b, 1, &result)), &mapped);
    return mapped;
}

/* The same in all rows, items being of the shape of keys, or NULL. */
static CoreAtom map_all(const Order *order, const char *text, const CoreAtom *items, OfElement *of,
                        const void *context)
{
    CoreBuilder b = inside(order);
    Element row = {.b = order->b, .keys = order->keys, .start = core_i64(0)};
    if (!order->of_rows) {
        return map_row(order, &row, text, items, of, context);
    }
    CoreName *parameters[3] = {
        named_int(order->b, "r"),
        core_name(b.c, "keys", core_row(core_atom_type(order->keys)), b.span), NULL};
    CoreAtom inputs[3] = {core_let_iota(order->b, "rows", order->m), order->keys}, mapped;
    CoreAtom row_items = core_i64(0);
    row.b = &b;
    row.keys = core_use(parameters[1]);
    row.start = core_let_binary(&b, "start", CORE_MUL, core_use(parameters[0]), order->n);
    if (items) {
        parameters[2] = core_name(b.c, "items", core_row(core_atom_type(*items)), b.span);
        inputs[2] = *items;
        row_items = core_use(parameters[2]);
    }
    CoreAtom result = map_row(order, &row, text, items ? &row_items : NULL, of, context);
    size_t count = items ? 3 : 2;
    core_let_map(order->b, text, order->m, count, inputs,
                 core_lambda(b.c, count, parameters, core_body(&b, 1, &result)), &mapped);
    return mapped;
}

/* As a vector. */
static CoreAtom flat(const Order *order, CoreAtom rows)
{
    return order->of_rows ? core_let_reshape(order->b, rows.name->text, rows, 1, &order->total)
                          : rows;
}

/* ---- each with each ------------------------------------------------------------------------- */

/* \y j -> 1 where y comes before x, or is the same and j < i; else 0. */
static const CoreLambda *comes_before(const Element *x)
{
    CoreBuilder b = core_builder(x->b->c, x->b->span);
    CoreName *parameters[2] = {named_int(&b, "y"), named_int(&b, "j")};
    CoreAtom y = core_use(parameters[0]), j = core_use(parameters[1]);
    CoreAtom same = core_let_binary(&b, "same", CORE_EQ, y, x->key);
    CoreAtom earlier = core_let_binary(&b, "earlier", CORE_LT, j, x->number);
    same = core_let_binary(&b, "same", CORE_AND, same, earlier);
    CoreAtom before = core_let_binary(&b, "less", CORE_LT, y, x->key);
    before = core_let_binary(&b, "before", CORE_OR, before, same);
    before = core_let_convert(&b, "before", CORE_I64, before);
    return core_lambda(b.c, 2, parameters, core_body(&b, 1, &before));
}

/* How many come before it, counted by one work-item: they are few. */
static CoreAtom place_of(const Order *order, const Element *x, const void *context)
{
    CoreBuilder *b = x->b;
    CoreAtom inputs[2] = {x->keys, core_let_iota(b, "numbers", order->n)}, neutral = core_i64(0);
    CoreReduction sum = {.function = core_operator_lambda(b->c, CORE_ADD, CORE_I64, b->span),
                         .neutral = &neutral,
                         .commutative = true};
    const CoreExp *count =
        core_exp_soac(b->c, order->n, 2, inputs, comes_before(x), 1, &sum, 0, NULL);
    (void)context;
    CoreAtom place = core_let(b, "place", core_scalar(CORE_I64),
                              core_exp_placed(b->c, count, CORE_SEQ, CORE_SPACE_AUTO));
    return core_let_binary(b, "place", CORE_ADD, x->start, place);
}

static CoreAtom number_of(const Order *order, const Element *x, const void *context)
{
    (void)order;
    (void)context;
    return x->number;
}

static CoreAtom order_by_pairs(const Order *order)
{
    CoreBuilder *b = order->b;
    CoreAtom places = flat(order, map_all(order, "places", NULL, place_of, NULL));
    CoreAtom numbers = flat(order, map_all(order, "numbers", NULL, number_of, NULL));
    CoreAtom room = core_let_scratch(b, "order", CORE_I64, 1, &order->total);
    CoreAtom sorted = core_let(b, "order", core_atom_type(numbers),
                               core_exp_scatter(b->c, order->total, 1, &room, places, &numbers));
    CoreAtom sizes[2] = {order->m, order->n};
    return order->of_rows ? core_let_reshape(b, "order", sorted, 2, sizes) : sorted;
}

/* ---- by digits ------------------------------------------------------------------------------ */

/* The state of the loop over digits. */
enum { MORE, REST, DIGIT, DONE, ITEMS, STATE };

/* The least key and the greatest, of all rows. */
static void find_bounds(const Order *order, CoreAtom bounds[2])
{
    CoreBuilder *b = order->b, inner = inside(order);
    CoreName *key = named_int(b, "key"), *pattern[2];
    CoreAtom neutral[2], twice[2] = {core_use(key), core_use(key)};
    CoreAtom keys = flat(order, order->keys);
    CoreReduction reductions[2];
    for (size_t i = 0; i < 2; i++) {
        CoreOperator op = i == 0 ? CORE_MIN : CORE_MAX;
        core_operator_identity(op, CORE_I64, &neutral[i]);
        reductions[i] =
            (CoreReduction){.function = core_operator_lambda(b->c, op, CORE_I64, b->span),
                            .neutral = &neutral[i],
                            .commutative = true};
        pattern[i] = named_int(b, i == 0 ? "least" : "greatest");
        bounds[i] = core_use(pattern[i]);
    }
    const CoreLambda *both = core_lambda(b->c, 1, &key, core_body(&inner, 2, twice));
    core_bind(b, 2, pattern,
              core_exp_soac(b->c, order->total, 1, &keys, both, 2, reductions, 0, NULL));
}

static CoreAtom digits_of_numbers(const Order *order)
{
    CoreBuilder *b = order->b;
    CoreAtom digits = core_i64(1);
    for (int bits = CORE_DIGIT_BITS; (INT64_C(1) << bits) < CORE_MOST_ELEMENTS;
         bits += CORE_DIGIT_BITS) {
        CoreAtom is_more = by(b, "more", CORE_GT, order->n, INT64_C(1) << bits);
        digits = core_let_binary(b, "digits", CORE_ADD, digits,
                                 core_let_convert(b, "more", CORE_I64, is_more));
    }
    return digits;
}

/* The key without its last digits, so many, and its number. */
static CoreAtom item_of(const Order *order, CoreBuilder *b, CoreAtom key, CoreAtom without,
                        CoreAtom number)
{
    CoreAtom rest = core_let_binary(b, "rest", CORE_SUB, key, order->least);
    CoreAtom gone = by(b, "gone", CORE_MUL, without, CORE_DIGIT_BITS);
    rest = core_let_binary(b, "rest", CORE_SHR, rest, gone);
    rest = core_let_binary(b, "rest", CORE_SHL, rest, order->bits);
    return core_let_binary(b, "item", CORE_OR, rest, number);
}

static CoreAtom first_item(const Order *order, const Element *x, const void *context)
{
    (void)context;
    return item_of(order, x->b, x->key, core_i64(0), x->number);
}

static CoreAtom number_in(const Order *order, const Element *x)
{
    return core_let_binary(x->b, "number", CORE_AND, x->item, order->mask);
}

/* The item with what of the key there is still to be sorted by, behind so many digits. */
static CoreAtom next_item(const Order *order, const Element *x, const void *context)
{
    CoreAtom number = number_in(order, x), done = *(const CoreAtom *)context;
    CoreAtom key = core_let_index(x->b, "key", x->keys, 1, &number);
    return item_of(order, x->b, key, done, number);
}

static CoreAtom number_of_item(const Order *order, const Element *x, const void *context)
{
    (void)context;
    return number_in(order, x);
}

/* Where items have been sorted by all their digits, they become those with the next ones of the keys. */
static void renew_items(const Order *order, CoreAtom state[STATE])
{
    CoreBuilder *outer = order->b, then_builder = inside(order), else_builder = inside(order);
    CoreAtom has_more = by(outer, "fits", CORE_LT, state[DIGIT], CORE_I64_DIGITS);
    CoreAtom others[3], same[3] = {state[DIGIT], state[DONE], state[ITEMS]};
    CoreName *results[3] = {
        named_int(outer, "digit"), named_int(outer, "done"),
        core_name(outer->c, "items", core_atom_type(state[ITEMS]), outer->span)};
    Order other = *order;
    other.b = &else_builder;
    CoreAtom were =
        core_let_binary(&else_builder, "were", CORE_SUB, core_i64(CORE_I64_DIGITS), order->digits);
    others[0] = order->digits;
    others[1] = core_let_binary(&else_builder, "done", CORE_ADD, state[DONE], were);
    others[2] = map_all(&other, "items", &state[ITEMS], next_item, &others[1]);
    core_bind(outer, 3, results,
              core_exp_if(outer->c, has_more, core_body(&then_builder, 3, same),
                          core_body(&else_builder, 3, others)));
    for (size_t i = 0; i < 3; i++) {
        state[DIGIT + i] = core_use(results[i]);
    }
}

static void sort_by_next_digit(const Order *order, CoreAtom state[STATE])
{
    CoreBuilder *b = order->b;
    renew_items(order, state);
    state[ITEMS] = core_let_digit_sort(b, "items", state[ITEMS], state[DIGIT]);
    state[DIGIT] = by(b, "digit", CORE_ADD, state[DIGIT], 1);
    state[REST] = by(b, "rest", CORE_SHR, state[REST], CORE_DIGIT_BITS);
    state[MORE] = by(b, "more", CORE_NE, state[REST], 0);
}

static CoreName *name_of_state(const Order *order, size_t i)
{
    static const char *const texts[] = {"more", "rest", "digit", "done", "items"};
    CoreType type = i == MORE    ? core_scalar(CORE_BOOL)
                    : i == ITEMS ? core_atom_type(order->keys)
                                 : core_scalar(CORE_I64);
    return core_name(order->b->c, texts[i], type, order->b->span);
}

static CoreAtom order_by_digits(Order *order)
{
    CoreBuilder *b = order->b, step = inside(order);
    CoreAtom bounds[2], start[STATE], next[STATE];
    CoreName *state[STATE], *results[STATE];
    find_bounds(order, bounds);
    order->least = bounds[0];
    order->digits = digits_of_numbers(order);
    order->bits = by(b, "bits", CORE_MUL, order->digits, CORE_DIGIT_BITS);
    CoreAtom power = core_let_binary(b, "power", CORE_SHL, core_i64(1), order->bits);
    order->mask = by(b, "mask", CORE_SUB, power, 1);
    start[REST] = core_let_binary(b, "rest", CORE_SUB, bounds[1], bounds[0]);
    start[MORE] = by(b, "more", CORE_NE, start[REST], 0);
    start[DIGIT] = order->digits;
    start[DONE] = core_i64(0);
    start[ITEMS] = map_all(order, "items", NULL, first_item, NULL);
    for (size_t i = 0; i < STATE; i++) {
        state[i] = name_of_state(order, i);
        results[i] = name_of_state(order, i);
        next[i] = core_use(state[i]);
    }
    Order in_step = *order;
    in_step.b = &step;
    sort_by_next_digit(&in_step, next);
    core_bind(
        b, STATE, results,
        core_exp_while(b->c, STATE, state, start, state[MORE], core_body(&step, STATE, next)));
    CoreAtom items = core_use(results[ITEMS]);
    return map_all(order, "order", &items, number_of_item, NULL);
}

/* ---- one order ------------------------------------------------------------------------------ */

/* Whether these are few; with flatten_all hardly any are, so that tests see all ways. */
static CoreAtom are_few(const Orders *orders, const Order *order)
{
    CoreBuilder *b = order->b;
    bool sequential = orders->which == CORE_ORDERS_SEQUENTIAL;
    bool by_item = orders->lambdas > 0 && !sequential;
    int64_t most = b->c->options.flatten_all ? 1 : by_item ? FEW_OF_ITEM : FEW_OF_PROCESSOR;
    int64_t most_in_lanes = order->of_rows ? FEW_OF_ROWS : FEW_OF_DEVICE;
    CoreAtom few = by(b, "few", CORE_LE, order->n, most);
    bool is_same =
        !order->n.name && (order->n.as.integer <= most || order->n.as.integer > most_in_lanes);
    if (by_item || sequential || is_same || b->c->options.flatten_all) {
        return few;
    }
    CoreAtom lanes = core_let_device(b, CORE_DEVICE_LANES);
    CoreAtom in_lanes = by(b, "in_lanes", CORE_GT, lanes, 1);
    CoreAtom other = by(b, "few", CORE_LE, order->n, most_in_lanes);
    other = core_let_binary(b, "few", CORE_AND, in_lanes, other);
    return core_let_binary(b, "few", CORE_OR, few, other);
}

static CoreAtom order_of_keys(const Orders *orders, CoreBuilder *b, CoreAtom keys)
{
    CoreType type = core_atom_type(keys);
    int last = type.rank - 1;
    Order order = {.b = b, .of_rows = type.rank > 1, .n = type.sizes[last], .m = core_i64(1)};
    for (int axis = 0; axis < last; axis++) {
        order.m = axis == 0 ? type.sizes[0]
                            : core_let_binary(b, "rows", CORE_MUL, order.m, type.sizes[axis]);
    }
    CoreAtom sizes[2] = {order.m, order.n};
    order.keys = type.rank > 2 ? core_let_reshape(b, "keys", keys, 2, sizes) : keys;
    order.total = order.of_rows ? core_let_binary(b, "total", CORE_MUL, order.m, order.n) : order.n;
    CoreBuilder pairs_builder = inside(&order), digits_builder = inside(&order);
    CoreAtom is_few = are_few(orders, &order);
    Order by_pairs = order, digits = order;
    by_pairs.b = &pairs_builder;
    digits.b = &digits_builder;
    CoreAtom pairs = order_by_pairs(&by_pairs), sorted = order_by_digits(&digits);
    CoreAtom found = core_let(b, "order", core_atom_type(order.keys),
                              core_exp_if(b->c, is_few, core_body(&pairs_builder, 1, &pairs),
                                          core_body(&digits_builder, 1, &sorted)));
    return type.rank > 2 ? core_let_reshape(b, "order", found, (size_t)type.rank, type.sizes)
                         : found;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* That no other function has. */
static const char *free_name(const Orders *orders)
{
    const char *name = "order_of_keys";
    for (size_t i = 0; i < orders->program->function_count; i++) {
        if (strcmp(orders->program->functions[i]->name, name) == 0) {
            name = arena_printf(orders->c->arena, "%s_", name);
            i = SIZE_MAX; /* from the first one on */
        }
    }
    return intern(orders->c, name);
}

/* fun order_of_keys (n : i64) (keys : [n]i64) : ([n]i64) = order keys */
static const CoreFunction *function_of_orders(const Orders *orders, Span span)
{
    Compilation *c = orders->c;
    CoreFunction *function = ARENA_NEW(c->arena, CoreFunction);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, 2);
    CoreType *type = ARENA_NEW(c->arena, CoreType);
    CoreBuilder b = core_builder(c, span);
    parameters[0] = named_int(&b, "n");
    *type = core_array_of(c, core_use(parameters[0]), core_scalar(CORE_I64));
    parameters[1] = core_name(c, "keys", *type, span);
    CoreAtom order = order_of_keys(orders, &b, core_use(parameters[1]));
    *function = (CoreFunction){.name = free_name(orders),
                               .parameter_count = 2,
                               .parameters = parameters,
                               .size_count = 1,
                               .result_count = 1,
                               .result_types = type,
                               .size_results = ARENA_ARRAY(c->arena, bool, 1),
                               .body = core_body(&b, 1, &order),
                               .span = span};
    return function;
}

static CoreAtom call_for_order(Orders *orders, CoreBuilder *b, CoreAtom keys)
{
    CoreType type = core_atom_type(keys);
    CoreAtom arguments[2] = {type.sizes[0], keys};
    if (!orders->function) {
        orders->function = function_of_orders(orders, b->span);
    }
    return core_let(b, "order", type,
                    core_exp_apply(orders->c, orders->function->name, 2, arguments));
}

/* ---- the pass ------------------------------------------------------------------------------- */

static CoreAtom order_by_exchanges(Orders *orders, CoreBuilder *b, const CoreStm *stm)
{
    Exchanges *exchanges = ARENA_NEW(b->c->arena, Exchanges);
    CoreAtom order = exchanges_of_keys(b, stm->exp->as.array, exchanges);
    Exchanged numbers = exchanges_numbers(exchanges, orders->body);
    pointer_map_set(b->c->arena, &orders->exchanged, stm->pattern[0],
                    arena_copy(b->c->arena, &numbers, sizeof numbers));
    return order;
}

static void find_order(Orders *orders, CoreBuilder *b, const CoreStm *stm)
{
    CoreAtom keys = stm->exp->as.array;
    bool is_call = orders->lambdas == 0 && core_atom_type(keys).rank == 1 &&
                   ++orders->count > MOST_WRITTEN_OUT;
    b->span = stm->span;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(orders->c->arena, &b->certificates, stm->certificates[i]);
    }
    CoreAtom order = are_exchanged(orders, keys) ? order_by_exchanges(orders, b, stm)
                     : is_call                   ? call_for_order(orders, b, keys)
                                                 : order_of_keys(orders, b, keys);
    core_bind(b, 1, stm->pattern, core_atom_exp(orders->c, order));
    b->certificates.count = 0;
    orders->changed = true;
}

static const CoreBody *orders_in(void *context, const CoreBody *body)
{
    Orders *orders = context;
    const CoreBody *around = orders->body;
    CoreBuilder b = core_builder(orders->c, (Span){0});
    orders->body = body;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        bool deeper = core_has_bodies(stm->exp->kind) && stm->exp->kind != CORE_EXP_IF &&
                      stm->exp->kind != CORE_EXP_LOOP;
        if (stm->exp->kind == CORE_EXP_ORDER &&
            (orders->lambdas == 0 || orders->which != CORE_ORDERS_OF_HOST ||
             are_exchanged(orders, stm->exp->as.array))) {
            find_order(orders, &b, stm);
            continue;
        }
        if (exchanges_map(&b, stm, body, &orders->exchanged) ||
            exchanges_item(&b, stm, body, &orders->exchanged)) {
            continue;
        }
        orders->lambdas += deeper;
        core_add(&b, core_map_stm(orders->c, stm, orders_in, orders));
        orders->lambdas -= deeper;
    }
    orders->body = around;
    return core_with_stms(orders->c, body, b.stms.count, b.stms.items);
}

CoreProgram *core_find_orders(Compilation *c, const CoreProgram *program, CoreWhichOrders which,
                              size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Orders orders = {.c = c, .program = program, .which = which};
    CoreProgram *found = arena_copy(c->arena, program, sizeof *found);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 2);
    const bool *are_of_elements = core_are_of_elements(c, program);
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        orders.lambdas = are_of_elements[i];
        functions[1 + i] = core_with_body(c, function, orders_in(&orders, function->body));
    }
    found->functions = functions + 1;
    if (orders.function) {
        functions[0] = orders.function;
        found->functions = functions;
        found->function_count++;
    }
    return orders.changed ? core_simplify_counted(c, found, counts ? counts : ignored) : found;
}
