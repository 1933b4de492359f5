/* Borders split from interiors, in sequential programs.

   Rotations, concatenations, paddings and drops that are fused into a loop (core/fuse/demand.c)
   compare its variable with the places where one part ends and the next begins. Such comparisons
   are decided in nearly all iterations, but a compiler that meets them in the loop does not
   vectorise it. So the loop becomes up to three: the first iterations, the interior, where every
   comparison is known, and the last:

       for (i < n) {
           var moved = i - 1
           var x = moved < 0 ? n + moved : moved
           var next = i + 1
           var y = next >= n ? next - n : next
           r[i] = v[x] + v[y]
       }

   becomes

       low = min(1, n)
       high = max(low, min(n - 1, n))
       for (i < low) { as it was, but moved < 0 }
       for (t < high - low) { r[t + 1] = v[t] + v[t + 2] }
       for (t < n - high) { as it was for i = high + t, but 0 <= moved and next >= n }

   A comparison with i is brought to the form "i is below T". T is a constant (it counts from the
   front: a low border), or an invariant and a constant (from the back: a high border). low is the
   greatest of the low borders, high the least of the high ones, and both are clamped such that 0 <=
   low <= high <= n whatever n and the borders are; where n is not positive, no loop runs. In the
   interior low <= i < high, which decides all. In the first part i < low, which decides the
   greatest low border; in the last i >= high, which decides the high one if there is but one, and
   all low ones, since i >= low there, too. The order of the iterations is what it was.

   Of two nested loops the outer one is split for what its inner loop asks in every iteration, and
   then the inner loop of its interior. Deeper nests and long bodies stay as they are: a split
   copies the body twice. */
#include "backend/kernel.h"

/* The most that is copied, in commands and nodes of expressions; the most distinct high borders;
   offsets and bounds stay so small that sums with them do not wrap. */
enum { MOST_INNER = 600, MOST_OUTER = 300, MOST_BORDERS = 8, MOST_OFFSET = 1 << 30, FEW = 8 };
static const int64_t far = INT64_C(1) << 62;

/* "i is below base + shift", base NULL: a low border. */
typedef struct Border {
    KernelVariable *base;
    int64_t shift;
} Border;

/* Of a variable declared in the loop at work. */
typedef struct Fact {
    bool is_linear, is_comparison;
    int64_t offset;               /* linear: it is the loop's variable and that */
    Border border;                /* a comparison with the loop's variable */
    unsigned depth;               /* loops around its declaration */
    const KernelExp *replacement; /* in the copy being made */
} Fact;

typedef struct Known {
    bool assigned;   /* written after its declaration */
    bool used;       /* in a copy */
    unsigned inside; /* the stamp of the last loop in which it was found declared or assigned */
    Fact *fact;      /* declared in that loop; or NULL */
} Known;

/* What is known of i in the part being copied. */
typedef struct Part {
    bool below_low, from_low, below_high, from_high;
} Part;

typedef struct Split {
    Compilation *c;
    Known *known; /* by number of variable */
    size_t capacity;
    unsigned stamp;
    /* of the loop at work: */
    const KernelCmd *loop;
    bool is_outer;             /* it has loops inside */
    int64_t low;               /* the greatest low border; 0: none */
    Border high[MOST_BORDERS]; /* distinct */
    size_t high_count;
    bool gives_up; /* more of them */
    Part part;
} Split;

static Known *known(Split *s, const KernelVariable *variable)
{
    if (variable->number >= s->capacity) {
        size_t capacity = variable->number + s->capacity / 2 + 64;
        Known *grown = ARENA_ARRAY(s->c->arena, Known, capacity);
        memset(grown, 0, capacity * sizeof *grown);
        if (s->capacity > 0) {
            memcpy(grown, s->known, s->capacity * sizeof *grown);
        }
        s->known = grown;
        s->capacity = capacity;
    }
    return &s->known[variable->number];
}

/* NULL: it was not declared in the loop at work. */
static Fact *fact_of(Split *s, const KernelVariable *variable)
{
    const Known *found = known(s, variable);
    return found->inside == s->stamp ? found->fact : NULL;
}

/* ---- what is copied, and how much --------------------------------------------------------------
 */

static void take(size_t *budget, size_t size)
{
    *budget = size < *budget ? *budget - size : 0;
}

static void take_exp(size_t *budget, const KernelExp *exp)
{
    take(budget, exp ? exp->nodes : 0);
}

/* Whether the block has only commands that can be copied, and not more than the budget. */
static bool can_copy(KernelBlock block, size_t *budget)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        switch (command->kind) {
        case KERNEL_DECLARE:
            if (command->variable->space != KERNEL_SCALAR) {
                return false;
            }
            break;
        case KERNEL_FOR:
            if (command->level != KERNEL_SEQ) {
                return false;
            }
            break;
        case KERNEL_ASSIGN:
        case KERNEL_STORE:
        case KERNEL_WHILE:
        case KERNEL_IF:
        case KERNEL_CHECK:
        case KERNEL_COMMENT: break;
        case KERNEL_ALLOCATE:
        case KERNEL_ALIAS:
        case KERNEL_RELEASE:
        case KERNEL_CONSTANTS:
        case KERNEL_ATOMIC:
        case KERNEL_EXCHANGE:
        case KERNEL_RETRY:
        case KERNEL_COPY:
        case KERNEL_BARRIER:
        case KERNEL_ARRIVE:
        case KERNEL_EFFECT: return false;
        }
        take(budget, 1);
        take_exp(budget, command->value);
        take_exp(budget, command->index);
        take_exp(budget, command->count);
        for (size_t k = 0; k < command->value_count; k++) {
            take_exp(budget, command->values[k]);
        }
        if (*budget == 0 || !can_copy(command->body, budget) ||
            !can_copy(command->otherwise, budget)) {
            return false;
        }
    }
    return true;
}

/* Loops inside loops: 0 where there is none. */
static int height(KernelBlock block)
{
    int most = 0;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_loop = command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE;
        int body = height(command->body), otherwise = height(command->otherwise);
        int here = (body > otherwise ? body : otherwise) + is_loop;
        most = here > most ? here : most;
    }
    return most;
}

/* ---- comparisons with the loop's variable -------------------------------------------------------
 */

/* exp = i + offset for the loop's variable i? */
static bool is_linear(Split *s, const KernelExp *exp, int64_t *offset)
{
    if (exp->prim != CORE_I64) {
        return false;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        const Fact *fact = fact_of(s, exp->as.variable);
        *offset = fact ? fact->offset : 0;
        return fact && fact->is_linear;
    }
    if (exp->kind != KERNEL_BINARY ||
        (exp->as.scalar.op != CORE_ADD && exp->as.scalar.op != CORE_SUB)) {
        return false;
    }
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    if (x->kind == KERNEL_CONSTANT && exp->as.scalar.op == CORE_ADD) {
        x = exp->as.scalar.y;
        y = exp->as.scalar.x;
    }
    if (y->kind != KERNEL_CONSTANT || y->as.constant.as.integer > MOST_OFFSET ||
        y->as.constant.as.integer < -MOST_OFFSET || !is_linear(s, x, offset)) {
        return false;
    }
    int64_t change = y->as.constant.as.integer;
    *offset += exp->as.scalar.op == CORE_ADD ? change : -change;
    return *offset <= MOST_OFFSET && *offset >= -MOST_OFFSET;
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
    int64_t offset = 0;
    if (!is_linear(s, x, &offset)) {
        x = exp->as.scalar.y;
        bound = exp->as.scalar.x;
        op = turned(op);
        if (!is_linear(s, x, &offset)) {
            return false;
        }
    }
    *is_below = op == CORE_LT || op == CORE_LE;
    *border = (Border){.shift = -offset + (op == CORE_LE || op == CORE_GT)};
    if (bound->kind == KERNEL_CONSTANT) {
        border->shift += bound->as.constant.as.integer;
        return bound->as.constant.as.integer > -far && bound->as.constant.as.integer < far;
    }
    border->base = bound->kind == KERNEL_VARIABLE ? bound->as.variable : NULL;
    return border->base && known(s, border->base)->inside != s->stamp;
}

/* A constant border in the second half of a constant number of iterations counts as a high one. */
static bool is_low(const Split *s, Border border)
{
    const KernelExp *count = s->loop->count;
    return !border.base &&
           !(count->kind == KERNEL_CONSTANT && border.shift > count->as.constant.as.integer / 2);
}

static bool same_border(Border a, Border b)
{
    return a.base == b.base && a.shift == b.shift;
}

static void add_border(Split *s, Border border)
{
    if (is_low(s, border)) {
        s->low = border.shift > s->low ? border.shift : s->low;
        return;
    }
    for (size_t i = 0; i < s->high_count; i++) {
        if (same_border(s->high[i], border)) {
            return;
        }
    }
    if (s->high_count == MOST_BORDERS) {
        s->gives_up = true;
        return;
    }
    s->high[s->high_count++] = border;
}

/* ---- what the loop asks ------------------------------------------------------------------------
 */

static void find_inside(Split *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->variable && command->variable->space == KERNEL_SCALAR) {
            Known *found = known(s, command->variable);
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
    switch (exp->kind) {
    case KERNEL_CONSTANT: return;
    case KERNEL_VARIABLE: {
        const Fact *fact = fact_of(s, exp->as.variable);
        if (fact && fact->is_comparison && depth > fact->depth) {
            add_border(s, fact->border);
        }
        return;
    }
    case KERNEL_UNARY: find_in_exp(s, exp->as.scalar.x, depth); return;
    case KERNEL_BINARY:
        find_in_exp(s, exp->as.scalar.x, depth);
        find_in_exp(s, exp->as.scalar.y, depth);
        return;
    case KERNEL_CONVERT: find_in_exp(s, exp->as.convert, depth); return;
    case KERNEL_SELECT:
        find_in_exp(s, exp->as.select.condition, depth);
        find_in_exp(s, exp->as.select.x, depth);
        find_in_exp(s, exp->as.select.y, depth);
        return;
    case KERNEL_LOAD: find_in_exp(s, exp->as.load.index, depth); return;
    }
}

static void note_declaration(Split *s, const KernelCmd *command, unsigned depth)
{
    Fact *fact = fact_of(s, command->variable);
    bool is_below, is_steady = command->value && !known(s, command->variable)->assigned;
    fact->depth = depth;
    fact->is_linear = is_steady && is_linear(s, command->value, &fact->offset);
    fact->is_comparison = is_steady && is_border(s, command->value, &fact->border, &is_below);
}

static void find_borders(Split *s, KernelBlock block, unsigned depth)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE) {
            note_declaration(s, command, depth);
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

/* ---- copies ------------------------------------------------------------------------------------
 */

/* -1: not known in the part being copied; else the comparison's value. */
static int decided(Split *s, const KernelExp *exp)
{
    Border border;
    bool is_below;
    if (!is_border(s, exp, &border, &is_below)) {
        return -1;
    }
    const Part *part = &s->part;
    if (is_low(s, border)) {
        bool below = part->below_low && border.shift >= s->low;
        bool from = border.shift <= 0 || (part->from_low && border.shift <= s->low);
        return below ? is_below : from ? !is_below : -1;
    }
    for (size_t i = 0; i < s->high_count; i++) {
        if (same_border(s->high[i], border)) {
            return part->below_high ? is_below : part->from_high ? !is_below : -1;
        }
    }
    return -1;
}

static KernelVariable *renamed(Split *s, const KernelVariable *variable)
{
    KernelVariable *fresh =
        kernel_variable(s->c, variable->text, variable->prim, variable->space, variable->span);
    fresh->is_row = variable->is_row;
    bool assigned = known(s, variable)->assigned;
    known(s, fresh)->assigned = assigned;
    fact_of(s, variable)->replacement = kernel_use(s->c, fresh);
    return fresh;
}

static const KernelExp *copy_exp(Split *s, const KernelExp *exp)
{
    Compilation *c = s->c;
    if (!exp) {
        return NULL;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return exp;
    case KERNEL_VARIABLE: {
        const Fact *fact = fact_of(s, exp->as.variable);
        return fact ? fact->replacement : exp;
    }
    case KERNEL_UNARY: return kernel_unary(c, exp->as.scalar.op, copy_exp(s, exp->as.scalar.x));
    case KERNEL_BINARY: {
        int value = decided(s, exp);
        if (value >= 0) {
            return kernel_constant(c, (CoreAtom){.prim = CORE_BOOL, .as.integer = value});
        }
        const KernelExp *x = copy_exp(s, exp->as.scalar.x), *y = copy_exp(s, exp->as.scalar.y);
        if (exp->natural) {
            return exp->as.scalar.op == CORE_DIV ? kernel_divide(c, x, y) : kernel_modulo(c, x, y);
        }
        return kernel_binary(c, exp->as.scalar.op, x, y);
    }
    case KERNEL_CONVERT: return kernel_convert(c, exp->prim, copy_exp(s, exp->as.convert));
    case KERNEL_SELECT: {
        const KernelExp *condition = copy_exp(s, exp->as.select.condition);
        return kernel_select(c, condition, copy_exp(s, exp->as.select.x),
                             copy_exp(s, exp->as.select.y));
    }
    case KERNEL_LOAD: return kernel_load(c, exp->as.load.buffer, copy_exp(s, exp->as.load.index));
    }
    return exp;
}

static KernelVariable *copy_variable(Split *s, KernelVariable *variable)
{
    if (!variable || variable->space != KERNEL_SCALAR) {
        return variable;
    }
    const Fact *fact = fact_of(s, variable);
    return fact ? fact->replacement->as.variable : variable;
}

/* A constant or another variable's value needs no variable of its own. */
static bool is_plain(Split *s, const KernelExp *value)
{
    return value->kind == KERNEL_CONSTANT ||
           (value->kind == KERNEL_VARIABLE && !known(s, value->as.variable)->assigned);
}

static KernelBlock copy_block(Split *s, KernelBlock block);

static void copy_command(Split *s, KernelBuilder *b, const KernelCmd *command)
{
    const KernelExp *value = copy_exp(s, command->value);
    b->span = command->span;
    if (command->kind == KERNEL_DECLARE) {
        if (value && !known(s, command->variable)->assigned && is_plain(s, value)) {
            fact_of(s, command->variable)->replacement = value;
        } else {
            kernel_declare(b, renamed(s, command->variable), value);
        }
        return;
    }
    if (command->kind == KERNEL_IF) {
        bool is_known = value->kind == KERNEL_CONSTANT;
        bool truth = is_known && value->as.constant.as.integer != 0;
        KernelBlock none = {0};
        KernelBlock body = is_known && !truth ? none : copy_block(s, command->body);
        KernelBlock otherwise = is_known && truth ? none : copy_block(s, command->otherwise);
        kernel_if(b, value, body, otherwise);
        return;
    }
    KernelCmd *copy = ARENA_NEW(s->c->arena, KernelCmd);
    *copy = *command;
    copy->value = value;
    copy->index = copy_exp(s, command->index);
    copy->count = copy_exp(s, command->count);
    if (command->kind == KERNEL_FOR) {
        copy->variable = renamed(s, command->variable);
        copy->text = NULL;
    } else {
        copy->variable = copy_variable(s, command->variable);
    }
    if (command->value_count > 0) {
        const KernelExp **values =
            ARENA_ARRAY(s->c->arena, const KernelExp *, command->value_count);
        for (size_t k = 0; k < command->value_count; k++) {
            values[k] = copy_exp(s, command->values[k]);
        }
        copy->values = values;
    }
    copy->body = copy_block(s, command->body);
    copy->otherwise = copy_block(s, command->otherwise);
    kernel_add(b, copy);
}

static KernelBlock copy_block(Split *s, KernelBlock block)
{
    KernelBuilder b = kernel_builder(s->c, s->loop->span);
    for (size_t i = 0; i < block.count; i++) {
        copy_command(s, &b, block.commands[i]);
    }
    return kernel_block(&b);
}

/* ---- what a copy does not use ------------------------------------------------------------------
 */

static void use(Split *s, const KernelExp *exp)
{
    if (!exp) {
        return;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return;
    case KERNEL_VARIABLE: known(s, exp->as.variable)->used = true; return;
    case KERNEL_UNARY: use(s, exp->as.scalar.x); return;
    case KERNEL_BINARY:
        use(s, exp->as.scalar.x);
        use(s, exp->as.scalar.y);
        return;
    case KERNEL_CONVERT: use(s, exp->as.convert); return;
    case KERNEL_SELECT:
        use(s, exp->as.select.condition);
        use(s, exp->as.select.x);
        use(s, exp->as.select.y);
        return;
    case KERNEL_LOAD: use(s, exp->as.load.index); return;
    }
}

/* Without declarations whose values nobody asks for any more; from the end, since uses follow. */
static KernelBlock pruned(Split *s, KernelBlock block)
{
    const KernelCmd **kept = ARENA_ARRAY(s->c->arena, const KernelCmd *, block.count + 1);
    size_t first = block.count;
    for (size_t i = block.count; i-- > 0;) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && !known(s, command->variable)->assigned &&
            !known(s, command->variable)->used) {
            continue;
        }
        if (command->body.count + command->otherwise.count > 0) {
            KernelCmd *copy = ARENA_NEW(s->c->arena, KernelCmd);
            *copy = *command;
            copy->body = pruned(s, command->body);
            copy->otherwise = pruned(s, command->otherwise);
            command = copy;
        }
        use(s, command->value);
        use(s, command->index);
        use(s, command->count);
        for (size_t k = 0; k < command->value_count; k++) {
            use(s, command->values[k]);
        }
        kept[--first] = command;
    }
    return (KernelBlock){block.count - first, kept + first};
}

/* ---- the three loops ---------------------------------------------------------------------------
 */

static const KernelExp *declared(Split *s, KernelBuilder *b, const char *name,
                                 const KernelExp *value)
{
    if (value->kind == KERNEL_CONSTANT) {
        return value;
    }
    KernelVariable *variable = kernel_variable(s->c, name, CORE_I64, KERNEL_SCALAR, b->span);
    kernel_declare(b, variable, value);
    return kernel_use(s->c, variable);
}

static const KernelExp *shifted(Compilation *c, const KernelExp *base, int64_t shift)
{
    return shift < 0 ? kernel_binary(c, CORE_SUB, base, kernel_i64(c, -shift))
                     : kernel_binary(c, CORE_ADD, base, kernel_i64(c, shift));
}

/* T. Where base is the number of iterations, n + shift wraps for no n that is positive; else base
   is brought into a range where it does not, which is far beyond all that a loop reaches. */
static const KernelExp *place_of(Split *s, Border border)
{
    Compilation *c = s->c;
    const KernelExp *count = s->loop->count;
    if (!border.base) {
        return kernel_i64(c, border.shift);
    }
    const KernelExp *base = kernel_use(c, border.base);
    if (count->kind == KERNEL_VARIABLE && count->as.variable == border.base) {
        return border.shift >= 0 ? base : shifted(c, base, border.shift);
    }
    if (border.shift == 0) {
        return base;
    }
    base = kernel_binary(c, CORE_MIN, base, kernel_i64(c, far));
    base = kernel_binary(c, CORE_MAX, base, kernel_i64(c, -far));
    return shifted(c, base, border.shift);
}

/* A loop of `count` iterations from `start`. */
static const KernelCmd *part_of(Split *s, KernelBuilder *b, const KernelExp *count,
                                const KernelExp *start, Part part)
{
    KernelVariable *i = s->loop->variable;
    KernelVariable *step = kernel_variable(s->c, i->text, CORE_I64, KERNEL_SCALAR, i->span);
    const KernelExp *place = kernel_binary(s->c, CORE_ADD, kernel_use(s->c, step), start);
    KernelBuilder body = kernel_builder(s->c, s->loop->span);
    Fact *fact = fact_of(s, i);
    s->part = part;
    fact->replacement = place;
    if (start->kind != KERNEL_CONSTANT) {
        kernel_declare(&body, renamed(s, i), place);
    }
    KernelBlock rest = copy_block(s, s->loop->body);
    for (size_t k = 0; k < rest.count; k++) {
        kernel_add(&body, rest.commands[k]);
    }
    b->span = s->loop->span;
    kernel_for(b, KERNEL_SEQ, NULL, step, count, pruned(s, kernel_block(&body)));
    return b->commands.items[b->commands.count - 1];
}

/* Puts the parts where the loop stood; returns the place of the interior among the commands. */
static size_t put_parts(Split *s, KernelBuilder *b)
{
    Compilation *c = s->c;
    const KernelExp *none = kernel_i64(c, 0), *count = s->loop->count, *low = none, *end = count;
    b->span = s->loop->span;
    if (count->kind != KERNEL_VARIABLE) {
        count = end = declared(s, b, "count", count);
    }
    if (s->low > 0) {
        low = declared(s, b, "low", kernel_binary(c, CORE_MIN, kernel_i64(c, s->low), count));
    }
    for (size_t k = 0; k < s->high_count; k++) {
        end = kernel_binary(c, CORE_MIN, place_of(s, s->high[k]), end);
    }
    if (s->high_count > 0) {
        end = declared(s, b, "high", kernel_binary(c, CORE_MAX, low, end));
    }
    const KernelExp *inner = declared(s, b, "inner", kernel_binary(c, CORE_SUB, end, low)),
                    *last = NULL;
    if (s->high_count > 0) {
        last = declared(s, b, "last", kernel_binary(c, CORE_SUB, count, end));
    }
    if (s->low > 0) {
        part_of(s, b, low, none, (Part){.below_low = true});
    }
    part_of(s, b, inner, kernel_i64(c, s->low), (Part){.from_low = true, .below_high = true});
    size_t interior = b->commands.count - 1;
    if (s->high_count > 0) {
        part_of(s, b, last, end, (Part){.from_low = true, .from_high = s->high_count == 1});
    }
    return interior;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

/* Whether it is a loop to be split; then all about it is in `s`. */
static bool study(Split *s, const KernelCmd *loop)
{
    if (loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ ||
        (loop->count->kind == KERNEL_CONSTANT && loop->count->as.constant.as.integer < FEW)) {
        return false;
    }
    size_t budget = MOST_INNER;
    if (!can_copy(loop->body, &budget)) {
        return false;
    }
    int loops = height(loop->body);
    if (loops > 1 || (loops == 1 && MOST_INNER - budget > MOST_OUTER)) {
        return false;
    }
    s->stamp++;
    s->loop = loop;
    s->is_outer = loops == 1;
    s->low = 0;
    s->high_count = 0;
    s->gives_up = false;
    find_inside(s, (KernelBlock){1, &loop});
    fact_of(s, loop->variable)->is_linear = true;
    find_borders(s, loop->body, 0);
    return !s->gives_up && (s->low > 0 || s->high_count > 0);
}

static KernelBlock split_block(Split *s, KernelBlock block);

static const KernelCmd *split_bodies(Split *s, const KernelCmd *command)
{
    KernelBlock body = split_block(s, command->body),
                otherwise = split_block(s, command->otherwise);
    if (body.commands == command->body.commands &&
        otherwise.commands == command->otherwise.commands) {
        return command;
    }
    KernelCmd *copy = ARENA_NEW(s->c->arena, KernelCmd);
    *copy = *command;
    copy->body = body;
    copy->otherwise = otherwise;
    return copy;
}

static KernelBlock split_block(Split *s, KernelBlock block)
{
    KernelBuilder b = kernel_builder(s->c, (Span){0});
    bool changed = false;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i], *same = command;
        if (study(s, command)) {
            size_t interior = put_parts(s, &b);
            b.commands.items[interior] = split_bodies(s, b.commands.items[interior]);
            changed = true;
            continue;
        }
        command = split_bodies(s, command);
        changed = changed || command != same;
        kernel_add(&b, command);
    }
    return changed ? kernel_block(&b) : block;
}

static void find_assigned(Split *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->variable && command->kind != KERNEL_DECLARE && command->kind != KERNEL_FOR) {
            known(s, command->variable)->assigned = true; /* of a WHILE: it stays a variable */
        }
        if (command->effect.result) {
            known(s, command->effect.result)->assigned = true;
        }
        for (int k = 0; command->effect.extents && k < command->effect.rank; k++) {
            known(s, command->effect.extents[k])->assigned = true;
        }
        find_assigned(s, command->body);
        find_assigned(s, command->otherwise);
    }
}

KernelProgram *kernel_split_borders(Compilation *c, const KernelProgram *program)
{
    Split s = {.c = c};
    KernelProgram *split = ARENA_NEW(c->arena, KernelProgram);
    KernelEntry *entries = ARENA_ARRAY(c->arena, KernelEntry, program->entry_count);
    for (size_t i = 0; i < program->entry_count; i++) {
        find_assigned(&s, program->entries[i].body);
        entries[i] = program->entries[i];
        entries[i].body = split_block(&s, program->entries[i].body);
    }
    *split = *program;
    split->entries = entries;
    split->variable_count = c->last_number + 1;
    return split;
}
