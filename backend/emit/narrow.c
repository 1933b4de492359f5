/* Which 64-bit integers of a kernel may be 32-bit ones, which GPUs compute several times faster.

   Each kernel is one text with a type tl_index, and is compiled with int for it, or with long. With
   int it runs where the launch is small (runtime/opencl.c): fewer than EMIT_SMALL iterations, every
   integer argument below that in magnitude, every buffer of less than 2^31 bytes (of groups fewer
   than EMIT_SMALL_GROUPS). Under these
   assumptions a variable is tl_index where

   - an interval that it lies in fits (backend/ranges.h, slopes.h), and all that it is computed from
     does:

         const tl_index moved_9 = tl_sub_index(i_4, 1);         i_4 < 2^29

   - or it is used in indices alone, and computed by + - * alone: an index is below 2^31, and these
     operators are right modulo 2^32 whatever happens on the way.

         const tl_index start_7 = tl_mul_index(i_4, n_2);       x[start_7 + j_5],  start_7 & 3

   - or it is the number of a row (is_row), which is below the width, an argument or a small number.

   Variables that are assigned again stay 64 bits wide, and so does what comes from memory.

   Doubles that are sums of squares are found on the way: whether one is below 4.0 its upper half
   says, which the units for integers find out.

       const bool inside_5 = (uint)(as_ulong(length_4) >> 32) < 0x40100000u;      4.0 > length_4

   In sequential C the same intervals find integers that are as narrow as bools, so that loops over arrays of
   bytes are vectorised with many of them in a register: sums, differences, products and selections of
   converted bools and constants. Indices stay 64 bits wide, as addresses are.

         const uint8_t t_7 = (uint8_t)((uint8_t)t_5 + (uint8_t)t_6);    0 <= t_7 <= 2

   Bools from memory, and what & | ^ make of them, are bytes for the same reason; results of
   comparisons alone stay bools, which are masks of vectors.

   What a loop accumulates of bools is an integer, of which GCC makes vectors and of bools not, as wide as the narrowest
   elements that the loop reads: wider ones would be unpacked, and narrower than all are packed.

         int64_t x_3 = false;
         for (...) { const bool t_5 = v_2[i_4] > 9; const int64_t z_6 = x_3 | t_5; x_3 = z_6; } */
#include "backend/emit/emit.h"

typedef struct Walk {
    Emit *e;
    bool changed;
} Walk;

static bool fits(KernelRange r)
{
    return kernel_is_within(r, INT32_MAX);
}

static KernelRange range_of(const Emit *e, const KernelExp *exp);

/* x / y and x % y where neither is negative; 0 and x itself where y is 0. */
bool emit_divides_naturally(const Emit *e, const KernelExp *exp)
{
    return exp->natural ||
           (range_of(e, exp->as.scalar.x).low >= 0 && range_of(e, exp->as.scalar.y).low >= 0);
}

static KernelRange range_of(const Emit *e, const KernelExp *exp)
{
    if (exp->prim == CORE_BOOL) {
        return kernel_range(0, 1);
    }
    if (exp->prim != CORE_I64) {
        return kernel_everything;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT:
        return kernel_range(exp->as.constant.as.integer, exp->as.constant.as.integer);
    case KERNEL_VARIABLE: return e->ranges[exp->as.variable->number];
    case KERNEL_BINARY:
        return kernel_range_of_binary(exp->as.scalar.op, range_of(e, exp->as.scalar.x),
                                      range_of(e, exp->as.scalar.y), exp->natural);
    case KERNEL_CONVERT: return range_of(e, exp->as.convert);
    case KERNEL_SELECT:
        return kernel_range_either(range_of(e, exp->as.select.x), range_of(e, exp->as.select.y));
    case KERNEL_UNARY:
        return kernel_range_of_unary(exp->as.scalar.op, range_of(e, exp->as.scalar.x));
    case KERNEL_LOAD:
        return exp->as.load.buffer->most > 0 ? kernel_range(0, exp->as.load.buffer->most)
                                             : kernel_everything;
    }
    return kernel_everything;
}

/* x & 3: of x its lowest bits are enough, whatever it is modulo. */
static bool is_low_bits(const KernelExp *exp)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_AND &&
           exp->as.scalar.prim == CORE_I64 && exp->as.scalar.y->kind == KERNEL_CONSTANT &&
           exp->as.scalar.y->as.constant.as.integer >= 0 &&
           exp->as.scalar.y->as.constant.as.integer <= INT32_MAX;
}

/* Every 64-bit integer that it is computed from, and itself, fits; or it is the lowest bits of any, which & has as a
   value of 64 bits. */
static bool is_small(const Emit *e, const KernelExp *exp)
{
    if (exp->prim == CORE_BOOL) {
        return true;
    }
    if (exp->prim != CORE_I64 || !fits(range_of(e, exp))) {
        return false;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return true;
    case KERNEL_VARIABLE: return e->narrow[exp->as.variable->number];
    case KERNEL_BINARY:
        return is_low_bits(exp) || (is_small(e, exp->as.scalar.x) && is_small(e, exp->as.scalar.y));
    case KERNEL_CONVERT: return exp->as.convert->prim == CORE_BOOL;
    case KERNEL_SELECT: return is_small(e, exp->as.select.x) && is_small(e, exp->as.select.y);
    case KERNEL_UNARY: return is_small(e, exp->as.scalar.x);
    case KERNEL_LOAD: break;
    }
    return false;
}

bool emit_fits_index(const Emit *e, const KernelExp *exp)
{
    return fits(range_of(e, exp));
}

/* ---- first kind: intervals --------------------------------------------------------------- */

static void set(Emit *e, const KernelVariable *variable, KernelRange r)
{
    e->ranges[variable->number] = r;
    e->narrow[variable->number] = fits(r);
    vec_push(e->c->arena, &e->ranged, variable->number);
}

static bool is_square_sum(const Emit *e, const KernelExp *exp)
{
    if (exp->prim != CORE_F64) {
        return false;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        return e->squares[exp->as.variable->number];
    }
    if (exp->kind != KERNEL_BINARY) {
        return false;
    }
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    return exp->as.scalar.op == CORE_MUL
               ? x->kind == KERNEL_VARIABLE && y->kind == KERNEL_VARIABLE &&
                     x->as.variable == y->as.variable
           : exp->as.scalar.op == CORE_ADD ? is_square_sum(e, x) && is_square_sum(e, y)
                                           : false;
}

bool emit_compares_high_word(const Emit *e, const KernelExp *exp, const KernelExp **sum,
                             uint32_t *high)
{
    if (exp->as.scalar.prim != CORE_F64 ||
        (exp->as.scalar.op != CORE_LT && exp->as.scalar.op != CORE_GT)) {
        return false;
    }
    bool is_less = exp->as.scalar.op == CORE_LT;
    const KernelExp *limit = is_less ? exp->as.scalar.y : exp->as.scalar.x;
    uint64_t bits;
    *sum = is_less ? exp->as.scalar.x : exp->as.scalar.y;
    if (limit->kind != KERNEL_CONSTANT || !(limit->as.constant.as.real > 0) ||
        !is_square_sum(e, *sum)) {
        return false;
    }
    memcpy(&bits, &limit->as.constant.as.real, sizeof bits);
    *high = (uint32_t)(bits >> 32);
    return (uint32_t)bits == 0;
}

static void find_ranges(Emit *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_SCALAR &&
            command->variable->prim == CORE_I64) {
            bool steady = command->value && !e->survey.assigned[command->variable->number];
            KernelRange found = steady && is_small(e, command->value) ? range_of(e, command->value)
                                                                      : kernel_everything;
            if (fits(found)) {
                KernelSlopes slopes = {.of = e->slopes, .ranges = e->ranges};
                found = kernel_slope_range(&slopes, command->variable, command->value, found);
            }
            set(e, command->variable,
                command->variable->is_row ? kernel_range(0, EMIT_SMALL) : found);
        }
        if (command->kind == KERNEL_DECLARE && command->variable->prim == CORE_F64 &&
            command->value && !e->survey.assigned[command->variable->number]) {
            e->squares[command->variable->number] = is_square_sum(e, command->value);
        }
        if (command->kind == KERNEL_FOR) {
            KernelRange count = range_of(e, command->count);
            set(e, command->variable,
                fits(count) ? kernel_range(0, count.high > 0 ? count.high - 1 : 0)
                            : kernel_everything);
        }
        find_ranges(e, command->body);
        find_ranges(e, command->otherwise);
    }
}

/* ---- second kind: indices alone ---------------------------------------------------------- */

static bool is_ring(const Walk *walk, const KernelExp *exp)
{
    if (exp->prim != CORE_I64) {
        return false;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return true;
    case KERNEL_VARIABLE:
        return walk->e->narrow[exp->as.variable->number] ||
               walk->e->index_only[exp->as.variable->number];
    case KERNEL_BINARY:
        return (exp->as.scalar.op == CORE_ADD || exp->as.scalar.op == CORE_SUB ||
                exp->as.scalar.op == CORE_MUL) &&
               is_ring(walk, exp->as.scalar.x) && is_ring(walk, exp->as.scalar.y);
    case KERNEL_UNARY:
    case KERNEL_CONVERT:
    case KERNEL_SELECT:
    case KERNEL_LOAD: break;
    }
    return false;
}

static void find_candidates(Walk *walk, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_SCALAR &&
            command->variable->prim == CORE_I64 && command->value &&
            !walk->e->survey.assigned[command->variable->number] &&
            !walk->e->narrow[command->variable->number]) {
            walk->e->index_only[command->variable->number] = is_ring(walk, command->value);
        }
        find_candidates(walk, command->body);
        find_candidates(walk, command->otherwise);
    }
}

/* In an index only its sums and products may be modulo 2^32; all else wants whole values. */
static void use(Walk *walk, const KernelExp *exp, bool in_index)
{
    if (!exp) {
        return;
    }
    bool ring = exp->kind == KERNEL_BINARY && in_index &&
                (exp->as.scalar.op == CORE_ADD || exp->as.scalar.op == CORE_SUB ||
                 exp->as.scalar.op == CORE_MUL);
    if (exp->kind == KERNEL_VARIABLE && !in_index &&
        walk->e->index_only[exp->as.variable->number]) {
        walk->e->index_only[exp->as.variable->number] = false;
        walk->changed = true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        use(walk, operands[k], ring || exp->kind == KERNEL_LOAD || is_low_bits(exp));
    }
}

static void find_uses(Walk *walk, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool own = command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_SCALAR &&
                   walk->e->index_only[command->variable->number];
        use(walk, command->value, own);
        use(walk, command->index, true);
        use(walk, command->source_index, true);
        use(walk, command->count, false);
        for (size_t k = 0; k < command->value_count; k++) {
            use(walk, command->values[k], false);
        }
        find_uses(walk, command->body);
        find_uses(walk, command->otherwise);
    }
}

/* ---- a kernel ---------------------------------------------------------------------------- */

static void begin(Emit *e)
{
    size_t count = e->program->variable_count + 1;
    if (!e->ranges) {
        e->narrow = ARENA_ARRAY(e->c->arena, bool, count);
        e->index_only = ARENA_ARRAY(e->c->arena, bool, count);
        e->squares = ARENA_ARRAY(e->c->arena, bool, count);
        e->ranges = ARENA_ARRAY(e->c->arena, KernelRange, count);
        e->slopes = ARENA_ARRAY(e->c->arena, KernelSlope, count);
        memset(e->slopes, 0, count * sizeof *e->slopes);
        e->bool_bytes = ARENA_ARRAY(e->c->arena, uint8_t, count);
        memset(e->narrow, 0, count * sizeof *e->narrow);
        memset(e->bool_bytes, 0, count * sizeof *e->bool_bytes);
        memset(e->index_only, 0, count * sizeof *e->index_only);
        for (size_t i = 0; i < count; i++) {
            e->ranges[i] = kernel_everything;
        }
    }
    for (size_t i = 0; i < e->ranged.count; i++) { /* of the kernel before */
        e->narrow[e->ranged.items[i]] = e->index_only[e->ranged.items[i]] = false;
        e->ranges[e->ranged.items[i]] = kernel_everything;
        e->bool_bytes[e->ranged.items[i]] = 0;
    }
    e->ranged.count = 0;
}

void emit_narrow(Emit *e, const KernelCmd *kernel)
{
    Walk walk = {.e = e, .changed = true};
    KernelFreeVec used = kernel_free(e->c, kernel->body);
    begin(e);
    for (size_t i = 0; i < used.count; i++) {
        const KernelVariable *variable = used.items[i].variable;
        if (variable->space == KERNEL_SCALAR && variable->prim == CORE_I64) {
            set(e, variable,
                variable->most > 0 ? kernel_range(0, variable->most)
                                   : kernel_range(-EMIT_SMALL, EMIT_SMALL));
        }
    }
    set(e, kernel->variable,
        kernel_range(0, kernel->level == KERNEL_GROUP ? EMIT_SMALL_GROUPS : EMIT_SMALL));
    find_ranges(e, kernel->body);
    find_candidates(&walk, kernel->body);
    while (walk.changed) {
        walk.changed = false;
        find_uses(&walk, kernel->body);
    }
    for (size_t i = 0; i < e->ranged.count; i++) {
        size_t number = e->ranged.items[i];
        e->narrow[number] = e->narrow[number] || e->index_only[number];
    }
}

/* ---- sequential loops -------------------------------------------------------------------- */

/* Made of converted bools and constants alone, and nothing on the way leaves 32 bits. */
static bool is_of_bools(const Emit *e, const KernelExp *exp)
{
    if (exp->prim != CORE_I64 || !fits(range_of(e, exp))) {
        return false;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return true;
    case KERNEL_VARIABLE: return true; /* others have no interval here */
    case KERNEL_CONVERT: return exp->as.convert->prim == CORE_BOOL;
    case KERNEL_SELECT: return is_of_bools(e, exp->as.select.x) && is_of_bools(e, exp->as.select.y);
    case KERNEL_BINARY:
        return (exp->as.scalar.op == CORE_ADD || exp->as.scalar.op == CORE_SUB ||
                exp->as.scalar.op == CORE_MUL) &&
               is_of_bools(e, exp->as.scalar.x) && is_of_bools(e, exp->as.scalar.y);
    case KERNEL_LOAD: return exp->as.load.buffer->most > 0;
    case KERNEL_UNARY: break;
    }
    return false;
}

static bool is_bool_total(const Emit *e, const KernelExp *exp)
{
    return exp->kind == KERNEL_VARIABLE && exp->as.variable->is_total &&
           exp->as.variable->prim == CORE_BOOL && e->bool_bytes &&
           e->bool_bytes[exp->as.variable->number] > 0;
}

bool emit_adds_equality(const Emit *e, const KernelExp *exp)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_EQ &&
           (is_bool_total(e, exp->as.scalar.x) || is_bool_total(e, exp->as.scalar.y));
}

/* A bool from memory is a byte, a total as wide as it has been made, and what is made of them and others as the wider
   of two; 0: it is a bool. */
static unsigned bool_bytes(const Emit *e, const KernelExp *exp)
{
    if (exp->prim != CORE_BOOL) {
        return 0;
    }
    switch (exp->kind) {
    case KERNEL_LOAD: return 1;
    case KERNEL_VARIABLE: return e->bool_bytes[exp->as.variable->number];
    case KERNEL_BINARY:
        if ((exp->as.scalar.prim == CORE_BOOL &&
             (exp->as.scalar.op == CORE_AND || exp->as.scalar.op == CORE_OR ||
              exp->as.scalar.op == CORE_XOR)) ||
            emit_adds_equality(e, exp)) {
            unsigned x = bool_bytes(e, exp->as.scalar.x), y = bool_bytes(e, exp->as.scalar.y);
            return x > y ? x : y;
        }
        break;
    case KERNEL_CONSTANT:
    case KERNEL_UNARY:
    case KERNEL_CONVERT:
    case KERNEL_SELECT: break;
    }
    return 0;
}

static void set_bool(Emit *e, const KernelVariable *variable, unsigned bytes)
{
    set(e, variable, kernel_range(0, 1));
    e->bool_bytes[variable->number] = (uint8_t)bytes;
}

/* Values that are narrow: bools, and sums of such where the loop has arrays of bytes. */
static void find_sums(Emit *e, KernelBlock block, bool with_sums)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_scalar = command->kind == KERNEL_DECLARE && command->value &&
                         command->variable->space == KERNEL_SCALAR;
        bool is_steady = is_scalar && !e->survey.assigned[command->variable->number];
        if (is_scalar && bool_bytes(e, command->value) > 0) {
            set_bool(e, command->variable, bool_bytes(e, command->value));
        } else if (is_steady && with_sums && is_of_bools(e, command->value)) {
            set(e, command->variable, range_of(e, command->value));
            e->narrow[command->variable->number] = command->value->kind == KERNEL_BINARY;
        }
        find_sums(e, command->body, with_sums);
        find_sums(e, command->otherwise, with_sums);
    }
}

/* Else vectors of comparisons have lanes as wide as what is compared, and would be packed and unpacked. */
static bool has_bytes(Emit *e, KernelBlock block)
{
    KernelFreeVec free = kernel_free(e->c, block);
    for (size_t i = 0; i < free.count; i++) {
        const KernelVariable *variable = free.items[i].variable;
        if (variable->space != KERNEL_SCALAR && core_prim_bytes(variable->prim) == 1) {
            return true;
        }
    }
    return false;
}

/* ---- bools that loops accumulate --------------------------------------------------------- */

static void note_width(void *context, const KernelExp *exp)
{
    unsigned *narrowest = context;
    if (exp->kind == KERNEL_LOAD) {
        const KernelVariable *buffer = exp->as.load.buffer;
        unsigned bytes = buffer->most > 0 ? 1 : core_prim_bytes(buffer->prim);
        *narrowest = bytes < *narrowest ? bytes : *narrowest;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        note_width(context, operands[k]);
    }
}

static void find_narrowest(KernelBlock block, unsigned *bytes)
{
    for (size_t i = 0; i < block.count; i++) {
        emit_each_exp(block.commands[i], note_width, bytes);
        find_narrowest(block.commands[i]->body, bytes);
        find_narrowest(block.commands[i]->otherwise, bytes);
    }
}

/* bytes: of the narrowest element that the loop around the block reads; 0: there is no loop. */
static void find_bool_totals(Emit *e, KernelBlock block, unsigned bytes)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        unsigned inside = command->kind == KERNEL_FOR ? sizeof(int64_t) : bytes;
        if (command->kind == KERNEL_FOR) {
            find_narrowest(command->body, &inside);
        }
        if (command->kind == KERNEL_ASSIGN && command->variable->is_total &&
            command->variable->space == KERNEL_SCALAR && command->variable->prim == CORE_BOOL &&
            bytes > 0) {
            set_bool(e, command->variable, bytes);
        }
        find_bool_totals(e, command->body, inside);
        find_bool_totals(e, command->otherwise, inside);
    }
}

void emit_narrow_sums(Emit *e, const KernelCmd *loop)
{
    begin(e);
    find_bool_totals(e, (KernelBlock){1, &loop}, 0);
    find_sums(e, loop->body, has_bytes(e, loop->body));
}

const char *emit_narrow_type(const Emit *e, const KernelVariable *variable)
{
    KernelRange r = e->ranges[variable->number];
    switch (e->bool_bytes[variable->number]) {
    case sizeof(int32_t): return "int32_t";
    case sizeof(int64_t): return "int64_t";
    }
    return r.low >= 0 && r.high <= UINT8_MAX           ? "uint8_t"
           : r.low >= INT16_MIN && r.high <= INT16_MAX ? "int16_t"
                                                       : "int32_t";
}
