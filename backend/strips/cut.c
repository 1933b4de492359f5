/* Strips: a loop's parts as loops over lanes, and the iterations that are left over. */
#include "backend/strips/strips.h"

/* With fewer lanes than these, vectors gain nothing over one lane after the other. */
enum { ENOUGH = 4 };

typedef VEC(KernelVariable *) Variables;

typedef struct Cut {
    Strips *s;
    const KernelCmd *loop;
    const KernelExp *first; /* of the strip's iterations, or of those that are left over */
    KernelVariable *lane;
    KernelCopier copier;
    Variables fetched; /* by the part at work: declared in an earlier one */
    Variables kept;    /* that the part gives a value, for a later one */
} Cut;

static StripVariable *find(const Cut *cut, const KernelVariable *variable)
{
    return pointer_map_get(&cut->s->variables, variable);
}

/* ---- arrays of lanes ----------------------------------------------------------------------- */

/* Bools are as wide as what is computed beside them: vectors of as many lanes. */
static CorePrim lane_prim(CorePrim prim)
{
    return prim == CORE_BOOL ? CORE_I64 : prim;
}

static const KernelExp *load_lane(const Cut *cut, const StripVariable *known, CorePrim prim)
{
    Compilation *c = cut->s->c;
    return kernel_convert(c, prim, kernel_load(c, known->lanes, kernel_use(c, cut->lane)));
}

static void store_lane(const Cut *cut, KernelBuilder *b, const StripVariable *known,
                       const KernelExp *value)
{
    Compilation *c = cut->s->c;
    kernel_store(b, known->lanes, kernel_use(c, cut->lane),
                 kernel_convert(c, known->lanes->prim, value));
}

/* Sums and products of the loop's number, of what is the same for all lanes, and of such. */
static bool is_index(const Cut *cut, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        const StripVariable *known = find(cut, exp->as.variable);
        return exp->as.variable == cut->loop->variable || known == NULL || known->index != NULL ||
               (!known->is_inside && !known->assigned);
    }
    bool is_sum = exp->kind == KERNEL_BINARY && exp->prim == CORE_I64 &&
                  (exp->as.scalar.op == CORE_ADD || exp->as.scalar.op == CORE_SUB ||
                   exp->as.scalar.op == CORE_MUL);
    return exp->kind == KERNEL_CONSTANT ||
           (is_sum && is_index(cut, exp->as.scalar.x) && is_index(cut, exp->as.scalar.y));
}

/* How often a loop inside goes: of all lanes' numbers the largest is looked for. */
static bool is_count(const Cut *cut, const KernelVariable *variable)
{
    for (size_t i = 0; i < cut->loop->body.count; i++) {
        const KernelCmd *command = cut->loop->body.commands[i];
        if (command->kind == KERNEL_FOR && command->count->kind == KERNEL_VARIABLE &&
            command->count->as.variable == variable) {
            return true;
        }
    }
    return false;
}

static void declare_lanes(Cut *cut, KernelBuilder *b)
{
    Strips *s = cut->s;
    for (size_t i = 0; i < cut->loop->body.count; i++) {
        const KernelCmd *command = cut->loop->body.commands[i];
        if (command->kind != KERNEL_DECLARE) {
            continue;
        }
        const KernelVariable *variable = command->variable;
        StripVariable *known = strip_variable(s, variable);
        bool is_place = !known->assigned && variable->prim == CORE_I64 && command->value != NULL &&
                        is_index(cut, command->value);
        known->index = is_place ? command->value : NULL;
        if (known->elsewhere && (!is_place || is_count(cut, variable))) {
            known->lanes = kernel_variable(s->c, variable->text, lane_prim(variable->prim),
                                           KERNEL_PRIVATE, variable->span);
            kernel_declare_buffer(b, known->lanes, LANES);
        }
    }
}

/* ---- what a part needs and gives ----------------------------------------------------------- */

static void add_once(Cut *cut, Variables *variables, KernelVariable *variable)
{
    for (size_t i = 0; i < variables->count; i++) {
        if (variables->items[i] == variable) {
            return;
        }
    }
    vec_push(cut->s->c->arena, variables, variable);
}

static void need_exp(Cut *cut, const KernelExp *exp);

static void need(Cut *cut, KernelVariable *variable)
{
    const StripVariable *known = find(cut, variable);
    if (known && known->index && known->part != cut->s->part) {
        need_exp(cut, known->index); /* before it */
    }
    if (variable == cut->loop->variable ||
        (known && (known->lanes || known->index) && known->part != cut->s->part)) {
        add_once(cut, &cut->fetched, variable);
    }
}

static void need_exp(Cut *cut, const KernelExp *exp)
{
    if (!exp) {
        return;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        need(cut, exp->as.variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        need_exp(cut, operands[i]);
    }
}

static void need_block(Cut *cut, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        need_exp(cut, command->value);
        need_exp(cut, command->index);
        need_exp(cut, command->count);
        bool sets = command->kind == KERNEL_ASSIGN || command->kind == KERNEL_WHILE;
        if (sets) {
            need(cut, command->variable);
        }
        const StripVariable *known = command->variable ? find(cut, command->variable) : NULL;
        if ((sets || command->kind == KERNEL_DECLARE) && known && known->lanes) {
            add_once(cut, &cut->kept, command->variable);
        }
        need_block(cut, command->body);
        need_block(cut, command->otherwise);
    }
}

/* ---- a part -------------------------------------------------------------------------------- */

/* Begins a loop over lanes that has what the part needs in scalars of its own. */
static KernelBuilder begin_part(Cut *cut, KernelBlock block)
{
    Compilation *c = cut->s->c;
    KernelBuilder b = kernel_builder(c, cut->loop->span);
    cut->copier = (KernelCopier){.c = c};
    cut->lane = kernel_variable(c, "lane", CORE_I64, KERNEL_SCALAR, cut->loop->span);
    cut->fetched.count = cut->kept.count = 0;
    need_block(cut, block);
    for (size_t i = 0; i < cut->fetched.count; i++) {
        KernelVariable *variable = cut->fetched.items[i];
        const StripVariable *known = find(cut, variable);
        const KernelExp *value = variable == cut->loop->variable
                                     ? kernel_exact_sum(c, cut->first, kernel_use(c, cut->lane))
                                 : known->index ? kernel_duplicate_exp(&cut->copier, known->index)
                                                : load_lane(cut, known, variable->prim);
        kernel_declare(&b, kernel_rename(&cut->copier, variable), value);
    }
    return b;
}

/* Stores what later parts need; where the mask is false, lanes keep what they have. */
static void end_part(Cut *cut, KernelBuilder *b, KernelBuilder *around, const KernelExp *mask)
{
    Compilation *c = cut->s->c;
    for (size_t i = 0; i < cut->kept.count; i++) {
        const KernelVariable *variable = cut->kept.items[i];
        const StripVariable *known = find(cut, variable);
        const KernelExp *value = kernel_replacement(&cut->copier, variable);
        if (mask) {
            value = kernel_select(c, mask, value, load_lane(cut, known, variable->prim));
        }
        store_lane(cut, b, known, value);
    }
    kernel_for(around, KERNEL_SEQ, NULL, cut->lane, kernel_i64(c, LANES), kernel_block(b));
}

static void straight_part(Cut *cut, KernelBuilder *around, KernelBlock block)
{
    if (block.count == 0) {
        return;
    }
    KernelBuilder b = begin_part(cut, block);
    kernel_duplicate(&cut->copier, &b, block);
    end_part(cut, &b, around, NULL);
}

/* total = total op the variable's lanes, in a loop of its own. */
static void fold_lanes(Cut *cut, KernelBuilder *around, KernelVariable *total, CoreOperator op,
                       const KernelVariable *variable)
{
    Compilation *c = cut->s->c;
    KernelBuilder b = kernel_builder(c, cut->loop->span);
    cut->lane = kernel_variable(c, "lane", CORE_I64, KERNEL_SCALAR, cut->loop->span);
    const StripVariable *known = find(cut, variable);
    const KernelExp *value = kernel_load(c, known->lanes, kernel_use(c, cut->lane));
    kernel_assign(&b, total, kernel_binary(c, op, kernel_use(c, total), value));
    kernel_for(around, KERNEL_SEQ, NULL, cut->lane, kernel_i64(c, LANES), kernel_block(&b));
}

static KernelVariable *declare_zero(Cut *cut, KernelBuilder *b, const char *text)
{
    Compilation *c = cut->s->c;
    KernelVariable *variable = kernel_variable(c, text, CORE_I64, KERNEL_SCALAR, cut->loop->span);
    kernel_declare(b, variable, kernel_i64(c, 0));
    return variable;
}

/* The loop as it was, for the few lanes that are not done. */
static void finish_lanes(Cut *cut, KernelBuilder *around, const KernelCmd *loop,
                         const KernelExp *any)
{
    KernelBuilder tail = kernel_builder(cut->s->c, loop->span);
    KernelBlock block = {1, &loop};
    KernelBuilder b = begin_part(cut, block);
    kernel_duplicate(&cut->copier, &b, block);
    end_part(cut, &b, &tail, NULL);
    kernel_if(around, any, kernel_block(&tail), (KernelBlock){0});
}

static void while_part(Cut *cut, KernelBuilder *around, const KernelCmd *loop)
{
    Compilation *c = cut->s->c;
    KernelVariable *going = kernel_variable(c, "going", CORE_BOOL, KERNEL_SCALAR, loop->span);
    KernelVariable *active = declare_zero(cut, around, "active");
    const KernelExp *lanes = kernel_use(c, active), *none = kernel_i64(c, 0);
    const KernelExp *enough = kernel_binary(c, CORE_GE, lanes, kernel_i64(c, ENOUGH));
    fold_lanes(cut, around, active, CORE_ADD, loop->variable);
    kernel_declare(around, going, enough);
    KernelBuilder inner = kernel_builder(c, loop->span);
    kernel_assign(&inner, active, none);
    KernelBuilder b = begin_part(cut, (KernelBlock){1, &loop});
    KernelVariable *mask = kernel_variable(c, "mask", CORE_BOOL, KERNEL_SCALAR, loop->span);
    kernel_declare(&b, mask, kernel_replacement(&cut->copier, loop->variable));
    kernel_duplicate(&cut->copier, &b, loop->body);
    KernelVariable *still = kernel_variable(c, "still", CORE_BOOL, KERNEL_SCALAR, loop->span);
    kernel_declare(&b, still,
                   kernel_binary(c, CORE_AND, kernel_use(c, mask),
                                 kernel_replacement(&cut->copier, loop->variable)));
    const KernelExp *one = kernel_convert(c, CORE_I64, kernel_use(c, still));
    kernel_assign(&b, active, kernel_binary(c, CORE_ADD, lanes, one));
    end_part(cut, &b, &inner, kernel_use(c, mask));
    kernel_assign(&inner, going, enough);
    kernel_while(around, going, kernel_block(&inner));
    finish_lanes(cut, around, loop, kernel_binary(c, CORE_NE, lanes, none));
}

static void for_part(Cut *cut, KernelBuilder *around, const KernelCmd *loop)
{
    Compilation *c = cut->s->c;
    bool masked = strip_is_masked(cut->s, loop);
    const KernelExp *count = loop->count;
    KernelVariable *step =
        kernel_variable(c, loop->variable->text, CORE_I64, KERNEL_SCALAR, loop->span);
    if (masked && loop->count->as.variable == cut->loop->variable) { /* the last lane has most */
        count = kernel_exact_sum(c, cut->first, kernel_i64(c, LANES - 1));
    } else if (masked) {
        KernelVariable *most = declare_zero(cut, around, "most");
        fold_lanes(cut, around, most, CORE_MAX, loop->count->as.variable);
        count = kernel_use(c, most);
    }
    KernelBuilder inner = kernel_builder(c, loop->span);
    KernelBuilder b = begin_part(cut, (KernelBlock){1, &loop});
    kernel_replace(&cut->copier, loop->variable, kernel_use(c, step));
    const KernelExp *mask = NULL;
    if (masked) {
        KernelVariable *is_on = kernel_variable(c, "mask", CORE_BOOL, KERNEL_SCALAR, loop->span);
        kernel_declare(&b, is_on,
                       kernel_binary(c, CORE_LT, kernel_use(c, step),
                                     kernel_duplicate_exp(&cut->copier, loop->count)));
        mask = kernel_use(c, is_on);
    }
    kernel_duplicate(&cut->copier, &b, loop->body);
    end_part(cut, &b, &inner, mask);
    kernel_for(around, KERNEL_SEQ, NULL, step, count, kernel_block(&inner));
}

/* ---- the strips ---------------------------------------------------------------------------- */

static KernelBlock strip_of(void *context, const KernelExp *strip)
{
    Cut *cut = context;
    Compilation *c = cut->s->c;
    KernelBlock body = cut->loop->body;
    KernelBuilder b = kernel_builder(c, cut->loop->span);
    KernelVariable *first = kernel_variable(c, "first", CORE_I64, KERNEL_SCALAR, cut->loop->span);
    kernel_declare(&b, first, kernel_binary(c, CORE_MUL, strip, kernel_i64(c, LANES)));
    cut->first = kernel_use(c, first);
    cut->s->part = 0;
    declare_lanes(cut, &b);
    size_t begin = 0;
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        if (command->kind != KERNEL_FOR && command->kind != KERNEL_WHILE) {
            continue;
        }
        straight_part(cut, &b, (KernelBlock){i - begin, body.commands + begin});
        cut->s->part++;
        if (command->kind == KERNEL_WHILE) {
            while_part(cut, &b, command);
        } else {
            for_part(cut, &b, command);
        }
        cut->s->part++;
        begin = i + 1;
    }
    straight_part(cut, &b, (KernelBlock){body.count - begin, body.commands + begin});
    return kernel_block(&b);
}

void strip_around(Compilation *c, KernelBuilder *b, const KernelCmd *loop,
                  KernelBlock (*strip_of)(void *context, const KernelExp *strip), void *context)
{
    KernelCopier copier = {.c = c};
    b->span = loop->span;
    const KernelExp *none = kernel_i64(c, 0), *lanes = kernel_i64(c, LANES);
    const KernelExp *count =
        kernel_declared(b, "count", kernel_binary(c, CORE_MAX, loop->count, none));
    const KernelExp *strips = kernel_declared(b, "strips", kernel_divide(c, count, lanes));
    KernelVariable *strip = kernel_variable(c, "strip", CORE_I64, KERNEL_SCALAR, loop->span);
    kernel_for(b, KERNEL_SEQ, NULL, strip, strips, strip_of(context, kernel_use(c, strip)));
    const KernelExp *start = kernel_declared(b, "start", kernel_binary(c, CORE_MUL, strips, lanes));
    const KernelExp *rest = kernel_declared(b, "rest", kernel_binary(c, CORE_SUB, count, start));
    KernelVariable *r =
        kernel_variable(c, loop->variable->text, CORE_I64, KERNEL_SCALAR, loop->span);
    KernelBuilder body = kernel_builder(c, loop->span);
    kernel_declare(&body, kernel_rename(&copier, loop->variable),
                   kernel_exact_sum(c, start, kernel_use(c, r)));
    kernel_duplicate(&copier, &body, loop->body);
    kernel_for(b, KERNEL_SEQ, NULL, r, rest, kernel_block(&body));
}

void strip_loop(Strips *s, KernelBuilder *b, const KernelCmd *loop)
{
    Cut cut = {.s = s, .loop = loop};
    strip_around(s->c, b, loop, strip_of, &cut);
}
