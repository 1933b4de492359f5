/* Sums over a window of neighbours, as those of Life, by columns.

       area = v[north + i - 1] + v[north + i] + v[north + i + 1]
            + v[here + i - 1]  + v[here + i]  + v[here + i + 1]
            + v[south + i - 1] + v[south + i] + v[south + i + 1]

   has sums of columns in it that neighbouring iterations share. The integers of a sum may be added
   in any order:

       left  = v[north + i - 1] + v[here + i - 1] + v[south + i - 1]
       mid   = v[north + i]     + v[here + i]     + v[south + i]
       right = v[north + i + 1] + v[here + i + 1] + v[south + i + 1]
       area  = left + mid + right

   and the three are a chain for neighbours.c, which makes one sum of a column for each place.
   Bools are added in bytes. Terms are elements, all of each row at the same distances from i; what
   the loop stores is other memory. */
#include "backend/sequential/neighbours.h"

enum { MOST_TERMS = 32, MOST_PARTS = 4 };

/* buffer[parts + i + shift] */
typedef struct Term {
    const KernelExp *exp; /* as it stands in the sum */
    KernelVariable *buffer;
    size_t part_count, row;
    const KernelExp *parts[MOST_PARTS];
    int64_t shift;
    bool is_bool;
} Term;

typedef struct Window {
    Neighbours *s;
    Term terms[MOST_TERMS];
    size_t count, row_count, shift_count;
    int64_t shifts[MOST_TERMS];
} Window;

/* ---- terms ---------------------------------------------------------------------------------- */

static const KernelExp *resolve(const Window *w, const KernelExp *exp)
{
    while (exp->kind == KERNEL_VARIABLE) {
        const Definition *known = neighbours_definition(w->s, exp->as.variable);
        if (!known) {
            break;
        }
        exp = known->value;
    }
    return exp;
}

static bool is_invariant(const Window *w, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        return neighbours_is_invariant(w->s, exp->as.variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool invariant = exp->kind != KERNEL_LOAD;
    for (size_t i = 0; i < count; i++) {
        invariant = invariant && is_invariant(w, operands[i]);
    }
    return invariant;
}

/* An index as a sum; how often the loop's variable is in it, or -1. */
static int add_parts(const Window *w, Term *term, const KernelExp *exp)
{
    int64_t offset;
    if (neighbours_is_linear(w->s, exp, &offset)) {
        term->shift += offset;
        return 1;
    }
    if (exp->kind == KERNEL_CONSTANT) {
        term->shift += exp->as.constant.as.integer;
        return 0;
    }
    if (is_invariant(w, exp)) {
        if (term->part_count == MOST_PARTS) {
            return -1;
        }
        term->parts[term->part_count++] = exp;
        return 0;
    }
    const KernelExp *value = resolve(w, exp);
    if (value->kind != KERNEL_BINARY || value->as.scalar.op != CORE_ADD) {
        return -1;
    }
    int x = add_parts(w, term, value->as.scalar.x), y = add_parts(w, term, value->as.scalar.y);
    return x < 0 || y < 0 ? -1 : x + y;
}

static bool add_term(Window *w, const KernelExp *exp)
{
    const KernelExp *value = resolve(w, exp);
    if (value->kind == KERNEL_BINARY && value->as.scalar.op == CORE_ADD) {
        return add_term(w, value->as.scalar.x) && add_term(w, value->as.scalar.y);
    }
    Term term = {.exp = exp};
    if (value->kind == KERNEL_CONVERT && value->as.convert->prim == CORE_BOOL) {
        value = resolve(w, value->as.convert);
        term.is_bool = true;
    }
    if (value->kind != KERNEL_LOAD || w->count == MOST_TERMS ||
        add_parts(w, &term, value->as.load.index) != 1) {
        return false;
    }
    term.buffer = value->as.load.buffer;
    w->terms[w->count++] = term;
    return true;
}

/* ---- rows and columns ----------------------------------------------------------------------- */

static bool same_exp(const KernelExp *x, const KernelExp *y)
{
    if (x->kind != y->kind || x->prim != y->prim) {
        return false;
    }
    if (x->kind == KERNEL_VARIABLE) {
        return x->as.variable == y->as.variable;
    }
    if (x->kind == KERNEL_CONSTANT) {
        return !core_is_real(x->prim) && x->as.constant.as.integer == y->as.constant.as.integer;
    }
    bool scalar = x->kind == KERNEL_UNARY || x->kind == KERNEL_BINARY;
    const KernelExp *of_x[KERNEL_MOST_OPERANDS], *of_y[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(x, of_x);
    bool same = kernel_operands(y, of_y) == count &&
                (!scalar || (x->as.scalar.op == y->as.scalar.op && x->natural == y->natural));
    for (size_t i = 0; i < count && same; i++) {
        same = same_exp(of_x[i], of_y[i]);
    }
    return same;
}

static bool same_row(const Term *x, const Term *y)
{
    bool same =
        x->buffer == y->buffer && x->part_count == y->part_count && x->is_bool == y->is_bool;
    bool taken[MOST_PARTS] = {false};
    for (size_t i = 0; i < x->part_count && same; i++) {
        same = false;
        for (size_t k = 0; k < y->part_count && !same; k++) {
            same = !taken[k] && same_exp(x->parts[i], y->parts[k]);
            taken[k] = taken[k] || same;
        }
    }
    return same;
}

static void find_rows(Window *w)
{
    for (size_t i = 0; i < w->count; i++) {
        size_t k = 0;
        while (!same_row(&w->terms[k], &w->terms[i])) {
            k++; /* up to itself */
        }
        w->terms[i].row = k < i ? w->terms[k].row : w->row_count++;
        for (k = 0; k < w->shift_count && w->shifts[k] != w->terms[i].shift; k++) {
        }
        if (k == w->shift_count) {
            w->shifts[w->shift_count++] = w->terms[i].shift;
        }
    }
}

/* All rows at all distances, each once. */
static bool is_full(const Window *w)
{
    for (size_t i = 0; i < w->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (w->terms[i].row == w->terms[k].row && w->terms[i].shift == w->terms[k].shift) {
                return false;
            }
        }
    }
    return w->count == w->row_count * w->shift_count;
}

static bool is_worth(const Window *w)
{
    int64_t least = w->shifts[0], most = w->shifts[0];
    for (size_t i = 1; i < w->shift_count; i++) {
        least = w->shifts[i] < least ? w->shifts[i] : least;
        most = w->shifts[i] > most ? w->shifts[i] : most;
    }
    return w->shift_count >= 2 && w->row_count >= 2 && most - least <= MOST_SHIFT &&
           w->count > w->row_count + w->shift_count + 1;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static bool stores_elsewhere(const Window *w, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_STORE) {
            bool other = pointer_map_get(&w->s->fresh, command->variable) != NULL;
            for (size_t k = 0; k < w->count; k++) {
                other = other && command->variable != w->terms[k].buffer;
            }
            if (!other) {
                return false;
            }
        }
        if (!stores_elsewhere(w, command->body) || !stores_elsewhere(w, command->otherwise)) {
            return false;
        }
    }
    return true;
}

/* Declares the sum of a column and notes it as part of the chain. */
static KernelVariable *add_column(Window *w, KernelBuilder *b, Chain *chain, int64_t shift)
{
    Neighbours *s = w->s;
    const KernelExp *sum = NULL;
    for (size_t i = 0; i < w->count; i++) {
        const Term *term = &w->terms[i];
        if (term->shift == shift) {
            sum = sum ? kernel_binary(s->c, CORE_ADD, sum, term->exp) : term->exp;
        }
    }
    KernelVariable *column =
        kernel_variable(s->c, "column", CORE_I64, KERNEL_SCALAR, s->loop->span);
    kernel_declare(b, column, sum);
    Definition *known = pointer_map_make(s->c->arena, &s->definitions, column, sizeof(Definition));
    known->value = sum;
    if (!chain->base || shift < chain->least) {
        chain->base = column;
        chain->least = shift;
    }
    chain->most = s->dear_count == 0 || shift > chain->most ? shift : chain->most;
    s->dear[s->dear_count++] = (Dear){column, 1, shift};
    return column;
}

static void rewrite(Window *w, size_t root)
{
    Neighbours *s = w->s;
    const KernelCmd *loop = s->loop;
    KernelBuilder b = kernel_builder(s->c, loop->span);
    Chain chain = {.bytes = w->row_count < 256 ? (unsigned)w->row_count : 0};
    s->dear_count = 0;
    for (size_t i = 0; i < w->count; i++) {
        chain.bytes = w->terms[i].is_bool ? chain.bytes : 0;
    }
    for (size_t i = 0; i < loop->body.count; i++) {
        const KernelCmd *command = loop->body.commands[i];
        if (i == root) {
            const KernelExp *sum = NULL;
            for (size_t k = 0; k < w->shift_count; k++) {
                const KernelExp *column = kernel_use(s->c, add_column(w, &b, &chain, w->shifts[k]));
                sum = sum ? kernel_binary(s->c, CORE_ADD, sum, column) : column;
            }
            KernelCmd *copy = ARENA_NEW(s->c->arena, KernelCmd);
            *copy = *command;
            copy->value = sum;
            neighbours_definition(s, command->variable)->value = sum;
            command = copy;
        }
        kernel_add(&b, command);
    }
    KernelCmd *other = ARENA_NEW(s->c->arena, KernelCmd);
    *other = *loop;
    other->body = kernel_block(&b);
    s->loop = other;
    s->chains[0] = chain;
    s->chain_count = 1;
}

/* From the end, so that the largest sum is found first. */
void neighbours_find_columns(Neighbours *s)
{
    for (size_t i = s->loop->body.count; i-- > 0;) {
        const KernelCmd *command = s->loop->body.commands[i];
        if (command->kind != KERNEL_DECLARE || !command->value ||
            command->value->prim != CORE_I64 || command->value->kind != KERNEL_BINARY ||
            command->value->as.scalar.op != CORE_ADD ||
            !neighbours_definition(s, command->variable)) {
            continue;
        }
        Window w = {.s = s};
        if (!add_term(&w, command->value)) {
            continue;
        }
        find_rows(&w);
        if (is_full(&w) && is_worth(&w) && w.shift_count <= MOST_DEAR &&
            stores_elsewhere(&w, s->loop->body)) {
            rewrite(&w, i);
            return;
        }
    }
}
