/* Which loops are sums whose rows lie across, or scans of columns, and whether strips of them pay (products.c): loops over
   columns, perhaps in one over rows, that have a loop over numbers in them, which adds up what it reads, or stores it on
   the way. */
#include "backend/sequential/products.h"

enum {
    FEW_COLUMNS = 8,
    FEW_SUMS = 5, /* the same, of columns alone */
    MOST_COMMANDS = 64,
    SEVERAL_OPERATIONS = 3, /* take longer than to load what they give from a tile */
    FEWEST_COMPUTED = 32    /* numbers that make tiles of what is computed worth while */
};

/* ---- which loops ------------------------------------------------------------------------------ */

static bool is_loop(const KernelCmd *command)
{
    return command->kind == KERNEL_FOR && command->level == KERNEL_SEQ;
}

static bool declares_scalar(const KernelCmd *command)
{
    return command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_SCALAR &&
           command->value != NULL;
}

/* Declarations before the last command, which is a loop. */
static const KernelCmd *loop_at_end(const KernelCmd *loop)
{
    KernelBlock body = loop->body;
    for (size_t i = 0; i + 1 < body.count; i++) {
        if (!declares_scalar(body.commands[i])) {
            return NULL;
        }
    }
    return body.count > 0 && is_loop(body.commands[body.count - 1]) ? body.commands[body.count - 1]
                                                                    : NULL;
}

/* The count of an inner loop is known before the loop, and the same in all its iterations. */
static bool is_outside(const KernelExp *count, const KernelCmd *loop)
{
    if (count->kind == KERNEL_CONSTANT) {
        return true;
    }
    bool outside = count->kind == KERNEL_VARIABLE && count->as.variable != loop->variable;
    for (size_t i = 0; i < loop->body.count; i++) {
        outside = outside && loop->body.commands[i]->variable != count->as.variable;
    }
    return outside;
}

static bool is_plain_count(const KernelExp *count, int64_t least)
{
    return count->kind == KERNEL_VARIABLE ||
           (count->kind == KERNEL_CONSTANT && count->as.constant.as.integer >= least);
}

bool products_is_few(const Products *p)
{
    const KernelExp *count = p->columns->count;
    return p->rows == NULL && !p->is_shared && count->kind == KERNEL_CONSTANT &&
           count->as.constant.as.integer >= 2 && count->as.constant.as.integer < FEW_SUMS;
}

int64_t products_fewest_columns(const Products *p)
{
    return p->rows ? FEW_COLUMNS : FEW_SUMS;
}

/* What goes on from column to column takes the sums in the columns' order: in columns alone, by one thread, and nothing
   before it there reads it. */
static bool is_carried(const Products *p, const KernelCmd *command)
{
    KernelBlock before = {p->at + 1, p->columns->body.commands};
    bool carried = command->kind == KERNEL_ASSIGN && p->rows == NULL && !p->is_shared &&
                   !kernel_reads(before, command->variable);
    for (size_t i = 0; i < p->columns->body.count; i++) {
        const KernelCmd *other = p->columns->body.commands[i];
        carried =
            carried && !(other->kind == KERNEL_DECLARE && other->variable == command->variable);
    }
    return carried;
}

/* Declarations, a loop of declarations and assignments, for columns alone also of stores, and declarations and stores; there
   also what is carried on. */
static bool find_numbers(Products *p)
{
    KernelBlock body = p->columns->body;
    p->numbers = NULL;
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        if (is_loop(command) && p->numbers == NULL) {
            p->numbers = command;
            p->at = i;
        } else if (!declares_scalar(command) &&
                   (p->numbers == NULL ||
                    (command->kind != KERNEL_STORE && !is_carried(p, command)))) {
            return false;
        }
    }
    if (p->numbers == NULL || !is_plain_count(p->numbers->count, FEW_COLUMNS) ||
        (!products_is_few(p) && !is_plain_count(p->columns->count, products_fewest_columns(p))) ||
        !is_outside(p->numbers->count, p->columns) ||
        body.count + p->numbers->body.count > MOST_COMMANDS) {
        return false;
    }
    for (size_t i = 0; i < p->numbers->body.count; i++) {
        const KernelCmd *command = p->numbers->body.commands[i];
        bool scans = command->kind == KERNEL_STORE && p->rows == NULL;
        if (!declares_scalar(command) && command->kind != KERNEL_ASSIGN && !scans) {
            return false;
        }
    }
    return true;
}

static bool is_total(const Products *p, const KernelVariable *variable)
{
    for (size_t k = 0; k < p->total_count; k++) {
        if (p->totals[k] == variable) {
            return true;
        }
    }
    return false;
}

/* What the loop over k assigns is declared just around it. */
static bool find_totals(Products *p)
{
    p->total_count = 0;
    for (size_t i = 0; i < p->numbers->body.count; i++) {
        const KernelCmd *command = p->numbers->body.commands[i];
        if (command->kind != KERNEL_ASSIGN || is_total(p, command->variable)) {
            continue;
        }
        if (p->total_count == PRODUCTS_MOST_TOTALS) {
            return false;
        }
        p->neutral[p->total_count] = NULL;
        for (size_t k = 0; k < p->at; k++) {
            if (p->columns->body.commands[k]->variable == command->variable) {
                p->neutral[p->total_count] = p->columns->body.commands[k]->value;
            }
        }
        if (p->neutral[p->total_count] == NULL) {
            return false;
        }
        p->totals[p->total_count++] = command->variable;
    }
    return p->total_count > 0;
}

/* ---- whether it pays -------------------------------------------------------------------------- */

typedef struct Loads {
    const Products *p;
    bool across; /* one is of neighbours by the column, and far away by k */
    bool far;    /* one is far away by the column */
    size_t rows; /* how many are another one for each k */
} Loads;

static void look_at_loads(Loads *loads, const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    if (exp->kind == KERNEL_LOAD) {
        SlicesStep column =
            slices_step(&loads->p->slices, exp->as.load.index, loads->p->columns->variable);
        SlicesStep number =
            slices_step(&loads->p->slices, exp->as.load.index, loads->p->numbers->variable);
        loads->far = loads->far || column == STEP_FAR;
        loads->rows += number != STEP_NONE;
        loads->across = loads->across || (column == STEP_ONE && number == STEP_FAR);
    }
    for (size_t k = 0; k < count; k++) {
        look_at_loads(loads, operands[k]);
    }
}

static bool pays(const Products *p)
{
    Loads loads = {.p = p};
    for (size_t i = 0; i < p->numbers->body.count; i++) {
        const KernelCmd *command = p->numbers->body.commands[i];
        look_at_loads(&loads, command->value);
        loads.across = loads.across || command->kind == KERNEL_STORE; /* as stores_on_way says */
    }
    return (products_is_few(p) ? loads.rows >= 2 : loads.across) && !loads.far;
}

/* ---- what each iteration over k does ----------------------------------------------------------- */

KernelBlock products_work(const Products *p, bool same, bool is_tiled)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    const KernelBlock body = p->numbers->body;
    const KernelExp **values = ARENA_ARRAY(p->c->arena, const KernelExp *, 2 * body.count + 1);
    PointerMap inside = {0}; /* commands of the body -> themselves, where they are needed */
    KernelCopier tiled = {.c = p->c};
    size_t count = 0;
    for (size_t k = 0; is_tiled && k < p->tiled_count; k++) {
        kernel_replace(&tiled, p->tiled[k], kernel_i64(p->c, 0));
    }
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        if (command->kind == KERNEL_ASSIGN || command->kind == KERNEL_STORE) {
            values[count++] = command->value;
        }
        if (command->kind == KERNEL_STORE) {
            values[count++] = command->index;
        }
        pointer_map_set(p->c->arena, &inside, command, p->c);
    }
    KernelBlock needed = slices_of(p->c, &p->slices, &tiled, count, values);
    PointerMap wanted = {0};
    for (size_t i = 0; i < needed.count; i++) {
        const KernelCmd *command = needed.commands[i];
        IndexSet set = slices_depends_on(&p->slices, kernel_use(p->c, command->variable));
        if ((!(set & PRODUCTS_COLUMN) && set < PRODUCTS_TOTAL) == same) {
            if (pointer_map_get(&inside, command) == NULL) {
                kernel_add(&b, command);
            }
            pointer_map_set(p->c->arena, &wanted, command, p->c);
        }
    }
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        if (command->kind == KERNEL_DECLARE ? pointer_map_get(&wanted, command) != NULL : !same) {
            kernel_add(&b, command);
        }
    }
    return kernel_block(&b);
}

/* ---- tiles ------------------------------------------------------------------------------------ */

static const IndexSet own = PRODUCTS_COLUMN | PRODUCTS_NUMBER; /* the same for all rows */

/* A load of each column's and number's own, whose neighbours are far from each other. */
static bool is_far_load(const Products *p, const KernelCmd *command)
{
    if (command->value->kind != KERNEL_LOAD) {
        return false;
    }
    const KernelExp *index = command->value->as.load.index;
    SlicesStep column = slices_step(&p->slices, index, p->columns->variable);
    return slices_depends_on(&p->slices, command->value) == own &&
           (column == STEP_FAR ||
            (column == STEP_ONE &&
             slices_step(&p->slices, index, p->numbers->variable) == STEP_FAR));
}

/* How many operations of vectors the expression takes for each column's and number's own, about. */
static size_t operations_of(const Products *p, const KernelExp *exp)
{
    if (slices_depends_on(&p->slices, exp) != own) {
        return 0;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands), operations = 1;
    if (exp->kind == KERNEL_VARIABLE || exp->kind == KERNEL_LOAD) {
        return 0;
    }
    if (exp->kind == KERNEL_CONVERT ||
        ((exp->kind == KERNEL_BINARY || exp->kind == KERNEL_UNARY) &&
         (exp->as.scalar.op == CORE_DIV || exp->as.scalar.op == CORE_MOD ||
          exp->as.scalar.op == CORE_POW || exp->as.scalar.op == CORE_SQRT ||
          core_is_dear(exp->as.scalar.op)))) {
        operations = SEVERAL_OPERATIONS;
    }
    for (size_t k = 0; k < count; k++) {
        operations += operations_of(p, operands[k]);
    }
    return operations;
}

/* What is made of far loads, or, if `computed`, by several operations, and is the last of its own columns and numbers alone:
   other things are made of it, and these are more than loads there. */
static bool is_worth_tile(const Products *p, const KernelCmd *command, bool computed)
{
    if (command->kind != KERNEL_DECLARE || slices_depends_on(&p->slices, command->value) != own) {
        return false;
    }
    const KernelExp *use = kernel_use(p->c, command->variable);
    KernelBlock body = p->numbers->body, made = slices_of(p->c, &p->slices, NULL, 1, &use);
    bool is_last = false, is_far = false, is_place = false;
    size_t operations = 0;
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *other = body.commands[i];
        bool reads = kernel_reads((KernelBlock){1, &other}, command->variable);
        bool goes_on =
            other->kind == KERNEL_ASSIGN || slices_depends_on(&p->slices, other->value) != own;
        is_last = is_last || (reads && goes_on);
        is_place = is_place || (reads && other->value->kind == KERNEL_LOAD);
    }
    for (size_t i = 0; i < made.count; i++) {
        is_far = is_far || is_far_load(p, made.commands[i]);
        operations += operations_of(p, made.commands[i]->value);
    }
    return is_last && (is_far || (computed && !is_place && operations >= SEVERAL_OPERATIONS));
}

/* What may not be done with zeros in place of elements: where a load is, or a quotient of integers, needs these. */
static bool needs_elements(const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool divides = exp->kind == KERNEL_BINARY && !core_is_real(exp->as.scalar.prim) &&
                   (exp->as.scalar.op == CORE_DIV || exp->as.scalar.op == CORE_MOD);
    bool needs = exp->kind == KERNEL_LOAD || divides;
    for (size_t k = 0; k < count && !needs; k++) {
        needs = needs_elements(operands[k]);
    }
    return needs;
}

/* False: there is more of it than tiles. */
static bool choose_tiled(Products *p, bool computed)
{
    KernelBlock body = p->numbers->body;
    size_t count = 0;
    for (size_t i = 0; p->rows != NULL && i < body.count; i++) {
        if (is_worth_tile(p, body.commands[i], computed)) {
            if (count == PRODUCTS_MOST_TILED || p->total_count > PRODUCTS_MOST_TILED) {
                return false;
            }
            p->tiled[count++] = body.commands[i]->variable;
        }
    }
    p->tiled_count = count;
    return true;
}

/* A condition of the column, and not of the number alone besides: loops over columns are split there (backend/split/). */
static bool chooses_by_column(const Products *p, const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool chooses = false;
    if (exp->kind == KERNEL_SELECT) {
        IndexSet set = slices_depends_on(&p->slices, exp->as.select.condition);
        chooses = (set & PRODUCTS_COLUMN) && set != own;
    }
    for (size_t k = 0; k < count && !chooses; k++) {
        chooses = chooses_by_column(p, operands[k]);
    }
    return chooses;
}

/* Computed elements are worth tiles for sums of reals of numbers enough. Those of integers are no quicker: C compilers may take
   them in any order, and integers of 64 bits are more work to multiply than to compute; of few numbers, as windows have, other passes
   make vectors. */
static bool wants_computed(const Products *p)
{
    KernelBlock body = p->numbers->body;
    bool wants = is_plain_count(p->numbers->count, FEWEST_COMPUTED);
    for (size_t k = 0; k < p->total_count; k++) {
        wants = wants && core_is_real(p->totals[k]->prim);
    }
    for (size_t i = 0; i < body.count; i++) {
        wants = wants && !chooses_by_column(p, body.commands[i]->value);
    }
    return wants;
}

/* What goes by tiles: all that is worth it, if no other load is far from its neighbours by the column. */
static void find_tiled(Products *p)
{
    p->tiled_count = 0;
    if (!(wants_computed(p) && choose_tiled(p, true)) && !choose_tiled(p, false)) {
        return;
    }
    if (p->tiled_count == 0) {
        return;
    }
    KernelBlock lanes = products_work(p, false, true);
    Loads loads = {.p = p};
    p->pads = true;
    for (size_t i = 0; i < lanes.count; i++) {
        look_at_loads(&loads, lanes.commands[i]->value);
        p->pads = p->pads && !needs_elements(lanes.commands[i]->value);
    }
    for (size_t k = 0; k < p->total_count; k++) {
        p->pads = p->pads && p->neutral[k]->kind == KERNEL_CONSTANT;
    }
    p->tiled_count = loads.far ? 0 : p->tiled_count;
}

/* An index as a sum: column + number * columns, and what is the same in both loops. */
typedef struct OwnPlace {
    const Slices *slices;
    const KernelCmd *columns;
    const KernelVariable *of_number;
    bool column, number;
    bool fails;
} OwnPlace;

static const KernelExp *resolved(const OwnPlace *place, const KernelExp *exp)
{
    const KernelCmd *declaration =
        exp->kind == KERNEL_VARIABLE ? slices_declaration(place->slices, exp->as.variable) : NULL;
    return declaration != NULL ? resolved(place, declaration->value) : exp;
}

/* m >= columns ? m - columns : m, where m is the column and what is the same in both loops: the columns turned round. */
static bool is_turned(const OwnPlace *place, const KernelExp *exp)
{
    const KernelExp *moved = exp->as.select.y, *past = resolved(place, exp->as.select.x);
    return past->kind == KERNEL_BINARY && past->as.scalar.op == CORE_SUB &&
           kernel_is_same(past->as.scalar.x, moved) &&
           kernel_is_same(past->as.scalar.y, place->columns->count) &&
           slices_step(place->slices, moved, place->columns->variable) == STEP_ONE &&
           slices_step(place->slices, moved, place->of_number) == STEP_NONE;
}

static void take_apart(OwnPlace *place, const KernelExp *exp)
{
    if ((exp->kind == KERNEL_VARIABLE && exp->as.variable == place->columns->variable) ||
        (exp->kind == KERNEL_SELECT && is_turned(place, exp))) {
        place->fails = place->fails || place->column;
        place->column = true;
        return;
    }
    const KernelExp *value = resolved(place, exp);
    if (value != exp) {
        take_apart(place, value);
        return;
    }
    if (exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_ADD) {
        take_apart(place, exp->as.scalar.x);
        take_apart(place, exp->as.scalar.y);
        return;
    }
    if (exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_MUL) {
        const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
        for (int turn = 0; turn < 2; turn++) {
            bool number = x->kind == KERNEL_VARIABLE && x->as.variable == place->of_number;
            if (number && kernel_is_same(y, place->columns->count)) {
                place->fails = place->fails || place->number;
                place->number = true;
                return;
            }
            x = y;
            y = exp->as.scalar.x;
        }
    }
    place->fails = place->fails || slices_depends_on(place->slices, exp) != 0;
}

bool products_is_own_place(const Slices *slices, const KernelCmd *columns,
                           const KernelVariable *number, const KernelExp *index)
{
    OwnPlace place = {.slices = slices, .columns = columns, .of_number = number};
    take_apart(&place, index);
    return !place.fails && place.column && place.number;
}

/* Each column has elements of its own, and so has each number. */
static bool stores_on_way(const Products *p)
{
    KernelBlock body = p->numbers->body;
    for (size_t i = 0; i < body.count; i++) {
        if (body.commands[i]->kind != KERNEL_STORE) {
            continue;
        }
        if (!products_is_own_place(&p->slices, p->columns, p->numbers->variable,
                                   body.commands[i]->index)) {
            return false;
        }
        for (size_t k = 0; k < i; k++) {
            if (body.commands[k]->kind == KERNEL_STORE &&
                body.commands[k]->variable == body.commands[i]->variable) {
                return false;
            }
        }
    }
    return true;
}

/* What is stored is not read, under no name, and each element but once. */
static bool stores_apart(const Products *p, KernelBlock block, const KernelCmd *whole)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind != KERNEL_STORE) {
            continue;
        }
        if (command->variable->space != KERNEL_GLOBAL ||
            (pointer_map_get(&p->aliased, command->variable) != NULL &&
             pointer_map_get(&p->fresh, command->variable) == NULL) ||
            kernel_reads((KernelBlock){1, &whole}, command->variable)) {
            return false;
        }
    }
    return true;
}

/* Two stores, on the way and behind the sums, are to different memory. */
static bool stores_twice(const Products *p)
{
    KernelBlock body = p->numbers->body, all = p->columns->body;
    for (size_t i = 0; i < body.count; i++) {
        for (size_t k = p->at + 1; body.commands[i]->kind == KERNEL_STORE && k < all.count; k++) {
            if (all.commands[k]->kind == KERNEL_STORE &&
                all.commands[k]->variable == body.commands[i]->variable) {
                return true;
            }
        }
    }
    return false;
}

/* All declarations, but those of sums. */
static KernelBlock declarations(const Products *p)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    const KernelBlock blocks[] = {
        p->rows != NULL ? (KernelBlock){p->rows->body.count - 1, p->rows->body.commands}
                        : (KernelBlock){0},
        {p->at, p->columns->body.commands},
        p->numbers->body};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        for (size_t i = 0; i < blocks[k].count; i++) {
            const KernelCmd *command = blocks[k].commands[i];
            if (command->kind == KERNEL_DECLARE && !is_total(p, command->variable)) {
                kernel_add(&b, command);
            }
        }
    }
    return kernel_block(&b);
}

static bool may_pay(Products *p)
{
    p->in_strips = pays(p);
    find_tiled(p);
    return p->in_strips || p->tiled_count > 0;
}

/* Whether these loops are to be taken in strips; rows: NULL, or the loop around that over columns. */
static bool study_nest(Products *p, const KernelCmd *rows, const KernelCmd *columns)
{
    const KernelCmd *whole = rows != NULL ? rows : columns;
    p->rows = rows;
    p->columns = columns;
    if ((rows != NULL && !is_outside(columns->count, rows)) || !find_numbers(p) ||
        !find_totals(p) || (rows != NULL && !is_outside(p->numbers->count, rows))) {
        return false;
    }
    KernelVariable *none = kernel_variable(p->c, "i", CORE_I64, KERNEL_SCALAR, whole->span);
    KernelVariable *indices[3 + PRODUCTS_MOST_TOTALS] = {rows != NULL ? rows->variable : none,
                                                         columns->variable, p->numbers->variable};
    for (size_t k = 0; k < p->total_count; k++) {
        indices[3 + k] = p->totals[k];
    }
    return slices_find(p->c, declarations(p), 3 + p->total_count, indices, &p->slices) &&
           stores_on_way(p) && may_pay(p) && !stores_twice(p) &&
           stores_apart(p, p->numbers->body, whole) && stores_apart(p, columns->body, whole);
}

bool products_study(Products *p, const KernelCmd *loop)
{
    if (!is_loop(loop)) {
        return false;
    }
    const KernelCmd *inner = loop_at_end(loop);
    bool has_rows = inner != NULL && loop_at_end(inner) == NULL;
    return (has_rows && study_nest(p, loop, inner)) || study_nest(p, NULL, loop);
}
