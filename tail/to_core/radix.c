/* Sorting by digits in the functions of maps, where SOACs become those of all rows: the stable order of int keys, least
   digit first (radix sort).

   A pass sorts by four bits of the keys. Rows of 128 keys count their digits in parallel: a key is
   a one in one of 16 fields of 8 bits, in two words, so that a sum of words is a histogram, and a
   scan of words numbers the keys of a row that have the same digit. A scan over the histograms, digit
   by digit and for each of them row by row, says where those of each row begin:

       let (lows, highs) = map (\row -> reduce (+, +) (0, 0) (map one row)) rows
       let starts = scan (+) 0 (map (\i -> field (i / r) (lows[i % r], highs[i % r])) (iota (16 * r)))
       let places = map (\b row -> map (\k sums -> starts[d * r + b - 1] + field d sums - 1)
                                       row (scan (+, +) (0, 0) (map one row))) (iota r) rows
       let (keys, numbers) = scatter places (map (>>> 4) keys, numbers)

   where r is the number of rows and d the digit k & 15. Keys are differences to the least one,
   without sign, and there are as many passes as the greatest has digits: n times the digits, all
   steps in parallel. The last row is filled with keys of ones, which stay behind all others. */
#include "tail/to_core/radix.h"

enum {
    DIGIT_BITS = 4,
    DIGITS = 1 << DIGIT_BITS,
    ROW = 128,     /* at most 255: what a field counts */
    FIELD_LOG = 3, /* a field has 8 bits */
    FIELD_MASK = 255,
    WORD = 64,
    WORDS = 2
};

typedef struct Radix {
    ToCore *t;
    CoreAtom rows, total; /* how many rows, and keys in them: i64 */
} Radix;

static CoreName *named(ToCore *t, const char *text, CoreType type)
{
    return core_name(t->c, text, type, BUILDER(t)->span);
}

CoreName *to_core_named_int(ToCore *t, const char *text)
{
    return named(t, text, core_scalar(CORE_I64));
}

CoreAtom to_core_by(ToCore *t, CoreOperator op, CoreAtom x, int64_t k)
{
    return to_core_binary(t, op, x, core_i64(k));
}

static CoreAtom digit_of(ToCore *t, CoreAtom key)
{
    return to_core_by(t, CORE_AND, key, DIGITS - 1);
}

/* Where the field of a digit begins in a word, counted from that word's first bit: negative or
   beyond its end in the other. */
static CoreAtom field_start(ToCore *t, CoreAtom digit, size_t word)
{
    return to_core_by(t, CORE_SUB, to_core_by(t, CORE_SHL, digit, FIELD_LOG), (int64_t)word * WORD);
}

/* A key as a one in the field of its digit; shifts out of a word give 0. */
static void one_of(ToCore *t, CoreAtom key, CoreAtom words[WORDS])
{
    CoreAtom digit = digit_of(t, key);
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = to_core_binary(t, CORE_SHL, core_i64(1), field_start(t, digit, i));
    }
}

/* How many ones the field of a digit has. */
static CoreAtom field_of(ToCore *t, CoreAtom digit, const CoreAtom words[WORDS])
{
    CoreAtom parts[WORDS];
    for (size_t i = 0; i < WORDS; i++) {
        parts[i] = to_core_binary(t, CORE_SHR, words[i], field_start(t, digit, i));
    }
    return to_core_by(t, CORE_AND, to_core_binary(t, CORE_OR, parts[0], parts[1]), FIELD_MASK);
}

/* \(x, y, z, u) -> (x + z, y + u), with zeros: how words are summed. */
static CoreReduction sum_of_words(ToCore *t)
{
    CoreName *parameters[2 * WORDS];
    for (size_t i = 0; i < 2 * WORDS; i++) {
        parameters[i] = to_core_named_int(t, i < WORDS ? "x" : "y");
    }
    Scope *scope = to_core_enter_scope(t);
    CoreAtom sums[WORDS];
    for (size_t i = 0; i < WORDS; i++) {
        sums[i] =
            to_core_binary(t, CORE_ADD, core_use(parameters[i]), core_use(parameters[WORDS + i]));
    }
    to_core_leave_scope(t);
    CoreAtom *zeros = ARENA_ARRAY(t->c->arena, CoreAtom, WORDS);
    zeros[0] = zeros[1] = core_i64(0);
    return (CoreReduction){.function = core_lambda(t->c, 2 * WORDS, parameters,
                                                   to_core_scope_body(scope, WORDS, sums)),
                           .neutral = zeros,
                           .commutative = true};
}

/* The sums of a row's words, of all, or of all up to each (scan). */
static void sum_row(ToCore *t, CoreName *row, bool scan, CoreAtom sums[WORDS])
{
    CoreName *key = to_core_named_int(t, "key");
    CoreAtom words[WORDS], input = core_use(row);
    Scope *scope = to_core_enter_scope(t);
    one_of(t, core_use(key), words);
    to_core_leave_scope(t);
    const CoreLambda *one = core_lambda(t->c, 1, &key, to_core_scope_body(scope, WORDS, words));
    CoreReduction sum = sum_of_words(t);
    CoreName *pattern[WORDS];
    for (size_t i = 0; i < WORDS; i++) {
        CoreType word = core_scalar(CORE_I64);
        pattern[i] = named(t, "sum", scan ? core_array_of(t->c, core_i64(ROW), word) : word);
        sums[i] = core_use(pattern[i]);
    }
    core_bind(BUILDER(t), WORDS, pattern,
              core_exp_soac(t->c, core_i64(ROW), 1, &input, one, !scan, &sum, scan, &sum));
}

/* The histograms of all rows. */
static void count_rows(const Radix *radix, CoreAtom rows, CoreAtom counts[WORDS])
{
    ToCore *t = radix->t;
    CoreName *row = named(t, "row", core_row(core_atom_type(rows)));
    CoreAtom sums[WORDS];
    Scope *scope = to_core_enter_scope(t);
    sum_row(t, row, false, sums);
    to_core_leave_scope(t);
    core_let_map(BUILDER(t), "counts", radix->rows, 1, &rows,
                 core_lambda(t->c, 1, &row, to_core_scope_body(scope, WORDS, sums)), counts);
}

/* For each digit and in it for each row: how many keys there are up to and with it. */
static CoreAtom row_ends(const Radix *radix, const CoreAtom counts[WORDS])
{
    ToCore *t = radix->t;
    CoreAtom slots = to_core_by(t, CORE_MUL, radix->rows, DIGITS), zero = core_i64(0), count;
    CoreAtom numbers = core_let_iota(BUILDER(t), "slots", slots), words[WORDS];
    CoreName *slot = to_core_named_int(t, "slot");
    Scope *scope = to_core_enter_scope(t);
    CoreAtom digit = to_core_binary(t, CORE_DIV, core_use(slot), radix->rows);
    CoreAtom row = to_core_binary(t, CORE_MOD, core_use(slot), radix->rows);
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = to_core_element(t, "word", counts[i], row);
    }
    CoreAtom found = field_of(t, digit, words);
    to_core_leave_scope(t);
    core_let_map(BUILDER(t), "count", slots, 1, &numbers,
                 core_lambda(t->c, 1, &slot, to_core_scope_body(scope, 1, &found)), &count);
    const CoreLambda *sum = core_operator_lambda(t->c, CORE_ADD, CORE_I64, BUILDER(t)->span);
    return core_let(BUILDER(t), "ends", core_atom_type(count),
                    core_exp_scan(t->c, slots, 1, &count, sum, &zero));
}

/* \key sums -> where the key goes, if it is in row `b`. */
static const CoreLambda *place_of_key(const Radix *radix, CoreAtom ends, CoreAtom b)
{
    ToCore *t = radix->t;
    CoreName *parameters[1 + WORDS] = {to_core_named_int(t, "key"), to_core_named_int(t, "sum"),
                                       to_core_named_int(t, "sum")};
    CoreAtom words[WORDS] = {core_use(parameters[1]), core_use(parameters[2])};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom digit = digit_of(t, core_use(parameters[0]));
    CoreAtom slot = to_core_binary(t, CORE_ADD, to_core_binary(t, CORE_MUL, digit, radix->rows), b);
    CoreAtom is_later = to_core_convert(t, CORE_I64, to_core_by(t, CORE_GT, slot, 0));
    CoreAtom end = to_core_element(t, "end", ends, to_core_binary(t, CORE_SUB, slot, is_later));
    CoreAtom before = to_core_binary(t, CORE_MUL, end, is_later);
    CoreAtom own = to_core_by(t, CORE_SUB, field_of(t, digit, words), 1);
    CoreAtom place = to_core_binary(t, CORE_ADD, before, own);
    to_core_leave_scope(t);
    return core_lambda(t->c, 1 + WORDS, parameters, to_core_scope_body(scope, 1, &place));
}

/* Where each key goes: behind those of smaller digits, those of earlier rows, and those before it. */
static CoreAtom places_of(const Radix *radix, CoreAtom rows, CoreAtom ends)
{
    ToCore *t = radix->t;
    CoreName *parameters[2] = {to_core_named_int(t, "b"),
                               named(t, "row", core_row(core_atom_type(rows)))};
    CoreAtom inputs[2] = {core_let_iota(BUILDER(t), "rows", radix->rows), rows};
    CoreAtom keys[1 + WORDS] = {core_use(parameters[1])}, places, in_row;
    Scope *scope = to_core_enter_scope(t);
    sum_row(t, parameters[1], true, keys + 1);
    core_let_map(BUILDER(t), "places", core_i64(ROW), 1 + WORDS, keys,
                 place_of_key(radix, ends, core_use(parameters[0])), &in_row);
    to_core_leave_scope(t);
    core_let_map(BUILDER(t), "places", radix->rows, 2, inputs,
                 core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &in_row)), &places);
    return core_let_reshape(BUILDER(t), "places", places, 1, &radix->total);
}

/* One pass: the keys without their last digit, and their numbers, in the order of that digit. */
static void sort_by_digit(const Radix *radix, CoreAtom sorted[2])
{
    ToCore *t = radix->t;
    CoreAtom sizes[2] = {radix->rows, core_i64(ROW)}, counts[WORDS], values[2], room[2];
    CoreAtom rows = core_let_reshape(BUILDER(t), "rows", sorted[0], 2, sizes);
    count_rows(radix, rows, counts);
    CoreAtom places = places_of(radix, rows, row_ends(radix, counts));
    CoreName *key = to_core_named_int(t, "key"), *moved[2];
    Scope *scope = to_core_enter_scope(t);
    CoreAtom rest = to_core_by(t, CORE_SHR, core_use(key), DIGIT_BITS);
    to_core_leave_scope(t);
    core_let_map(BUILDER(t), "rest", radix->total, 1, sorted,
                 core_lambda(t->c, 1, &key, to_core_scope_body(scope, 1, &rest)), &values[0]);
    values[1] = sorted[1];
    for (size_t i = 0; i < 2; i++) {
        moved[i] = named(t, i == 0 ? "keys" : "order", core_atom_type(sorted[i]));
        room[i] = core_let_scratch(BUILDER(t), "room", CORE_I64, 1, &radix->total);
    }
    core_bind(BUILDER(t), 2, moved, core_exp_scatter(t->c, radix->total, 2, room, places, values));
    sorted[0] = core_use(moved[0]);
    sorted[1] = core_use(moved[1]);
}

void to_core_find_bounds(ToCore *t, CoreAtom keys, CoreAtom n, CoreAtom bounds[2])
{
    CoreName *key = to_core_named_int(t, "key"), *pattern[2];
    CoreAtom neutral[2], twice[2] = {core_use(key), core_use(key)};
    CoreReduction reductions[2];
    for (size_t i = 0; i < 2; i++) {
        CoreOperator op = i == 0 ? CORE_MIN : CORE_MAX;
        core_operator_identity(op, CORE_I64, &neutral[i]);
        reductions[i] =
            (CoreReduction){.function = core_operator_lambda(t->c, op, CORE_I64, BUILDER(t)->span),
                            .neutral = &neutral[i],
                            .commutative = true};
        pattern[i] = to_core_named_int(t, i == 0 ? "least" : "greatest");
        bounds[i] = core_use(pattern[i]);
    }
    Scope *scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    const CoreLambda *both = core_lambda(t->c, 1, &key, to_core_scope_body(scope, 2, twice));
    core_bind(BUILDER(t), 2, pattern,
              core_exp_soac(t->c, n, 1, &keys, both, 2, reductions, 0, NULL));
}

/* What the keys have more than the least of them; ones in the rest of the last row. */
static CoreAtom differences(const Radix *radix, CoreAtom keys, CoreAtom n, CoreAtom least,
                            CoreAtom numbers)
{
    ToCore *t = radix->t;
    CoreAtom last = to_core_by(t, CORE_SUB, n, 1), filled;
    CoreName *number = to_core_named_int(t, "i");
    Scope *scope = to_core_enter_scope(t);
    CoreAtom i = core_use(number);
    CoreAtom key = to_core_element(t, "key", keys, to_core_binary(t, CORE_MIN, i, last));
    CoreAtom is_beyond = to_core_convert(t, CORE_I64, to_core_binary(t, CORE_GE, i, n));
    CoreAtom difference = to_core_binary(t, CORE_OR, to_core_binary(t, CORE_SUB, key, least),
                                         to_core_binary(t, CORE_SUB, core_i64(0), is_beyond));
    to_core_leave_scope(t);
    core_let_map(BUILDER(t), "keys", radix->total, 1, &numbers,
                 core_lambda(t->c, 1, &number, to_core_scope_body(scope, 1, &difference)), &filled);
    return filled;
}

static CoreName *name_of_state(const Radix *radix, size_t i)
{
    static const char *const texts[] = {"more", "rest", "keys", "order"};
    CoreType key = core_scalar(CORE_I64);
    return named(radix->t, texts[i],
                 i == 0   ? core_scalar(CORE_BOOL)
                 : i == 1 ? key
                          : core_array_of(radix->t->c, radix->total, key));
}

CoreAtom to_core_radix_order_of_row(ToCore *t, CoreAtom keys, CoreAtom n)
{
    enum { MORE, REST, KEYS, ORDER, STATE };
    CoreAtom rows = to_core_by(t, CORE_DIV, to_core_by(t, CORE_ADD, n, ROW - 1), ROW), bounds[2];
    Radix radix = {t, rows, to_core_by(t, CORE_MUL, rows, ROW)};
    to_core_find_bounds(t, keys, n, bounds);
    CoreName *state[STATE], *results[STATE];
    for (size_t i = 0; i < STATE; i++) {
        state[i] = name_of_state(&radix, i);
        results[i] = name_of_state(&radix, i);
    }
    CoreAtom start[STATE], next[STATE];
    start[REST] = to_core_binary(t, CORE_SUB, bounds[1], bounds[0]);
    start[MORE] = to_core_by(t, CORE_NE, start[REST], 0);
    start[ORDER] = core_let_iota(BUILDER(t), "order", radix.total);
    start[KEYS] = differences(&radix, keys, n, bounds[0], start[ORDER]);
    Scope *step = to_core_enter_scope(t);
    next[KEYS] = core_use(state[KEYS]);
    next[ORDER] = core_use(state[ORDER]);
    sort_by_digit(&radix, &next[KEYS]);
    next[REST] = to_core_by(t, CORE_SHR, core_use(state[REST]), DIGIT_BITS);
    next[MORE] = to_core_by(t, CORE_NE, next[REST], 0);
    to_core_leave_scope(t);
    core_bind(BUILDER(t), STATE, results,
              core_exp_while(t->c, STATE, state, start, state[MORE],
                             to_core_scope_body(step, STATE, next)));
    CoreSlice first = {.offset = core_i64(0), .count = n, .stride = core_i64(1)};
    return core_let_slice(BUILDER(t), "order", core_use(results[ORDER]), &first);
}
