/* Sequential C: reductions of reals as loops of vectors.

   The operands of a reduction whose operator commutes may be taken in any order, which is what
   makes it parallel on devices. A C compiler may not do that with sums of reals by itself, since
   their last digits differ; so it is told:

       #pragma omp simd reduction(+ : x_59)
       for (int64_t i_58 = 0; i_58 < n_53; i_58++) {
           ...
           const double z_66 = x_59 + t_65;
           x_59 = z_66;
       }

   The pragma says also that iterations do not depend on each other, and so it stands only where
   that can be seen: what the loop assigns are variables of its own and accumulators, which nothing
   else reads, and what it stores goes into arrays that it does not read, one element after the
   other. Short inner loops of constant length are written out, so that vectors of the outer loop go
   through them; they may read memory at places that are the same in all iterations of the outer
   one. What cannot be vectors anyway, such as quotients of integers, stays without the pragma, which
   would put its accumulators into memory.

   A loop that fills an array of bytes for a strip of neighbours has vectors of 32: rows are short,
   and what is left of them at the end, one by one, costs more than longer vectors gain. */
#include "backend/emit/emit.h"

enum { MOST_LINKS = 4 /* of variables that an index is computed by */ };

typedef struct Total {
    const KernelVariable *variable, *next; /* next: what it is assigned, where that is a variable */
    CoreOperator op;
    size_t uses, next_uses, assignments;
} Total;

typedef struct Look {
    Emit *e;
    Total totals[EMIT_MOST_TOTALS];
    size_t count;
    PointerMap varies;             /* variables of the loop: declared in it */
    const KernelCmd *loop;         /* that is looked at */
    const KernelVariable *counter; /* of the inner loop at hand */
    bool has_loop;
    bool has_quotient; /* by reals */
    bool fails;
} Look;

/* ---- what is used -------------------------------------------------------------------------- */

static void look_exp(Look *look, const KernelExp *exp, bool in_index)
{
    if (!exp) {
        return;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        const KernelVariable *variable = exp->as.variable;
        if (in_index && look->counter && variable != look->counter &&
            pointer_map_get(&look->varies, variable)) {
            look->fails = true;
        }
        for (size_t i = 0; i < look->count; i++) {
            look->totals[i].uses += variable == look->totals[i].variable;
            look->totals[i].next_uses += variable == look->totals[i].next;
        }
    }
    look->has_quotient = look->has_quotient || (exp->kind == KERNEL_BINARY && exp->by_reals);
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        look_exp(look, operands[i], in_index || exp->kind == KERNEL_LOAD);
    }
}

/* ---- accumulators -------------------------------------------------------------------------- */

/* "+", "TL_LEAST", ...; NULL: OpenMP has none such. Of bools GCC 12 writes such loops past the end of what it keeps of them;
   they are integers there (narrow.c), of which only the type is a bool's. */
static const char *reduction_text(const Emit *e, CoreOperator op, const KernelVariable *variable)
{
    CorePrim prim = variable->prim;
    if (prim == CORE_BOOL && (!e->bool_bytes || e->bool_bytes[variable->number] == 0)) {
        return NULL;
    }
    switch ((int)op) {
    case CORE_ADD: return core_is_real(prim) ? "+" : "tl_sum";
    case CORE_MUL: return core_is_real(prim) ? "*" : "tl_product";
    case CORE_MAX: return core_is_real(prim) ? "TL_GREATEST" : "max";
    case CORE_MIN: return core_is_real(prim) ? "TL_LEAST" : "min";
    case CORE_AND: return "&";
    case CORE_OR: return "|";
    case CORE_XOR: return "^";
    case CORE_EQ: return prim == CORE_BOOL ? "^" : NULL; /* see emit_adds_equality */
    }
    return NULL;
}

static bool is_variable(const KernelExp *exp, const KernelVariable *variable)
{
    return exp->kind == KERNEL_VARIABLE && exp->as.variable == variable;
}

/* x = x op y, or next = x op y and x = next. */
static bool find_total(Look *look, KernelBlock block, size_t at)
{
    const KernelCmd *assign = block.commands[at];
    Total total = {.variable = assign->variable, .assignments = 1};
    const KernelExp *value = assign->value;
    if (value->kind == KERNEL_VARIABLE) {
        total.next = value->as.variable;
        for (value = NULL; at-- > 0 && !value;) {
            const KernelCmd *command = block.commands[at];
            if (command->kind == KERNEL_DECLARE && command->variable == total.next) {
                value = command->value;
            }
        }
    }
    if (!value || value->kind != KERNEL_BINARY || look->count == EMIT_MOST_TOTALS ||
        !total.variable->is_total || total.variable->space != KERNEL_SCALAR) {
        return false;
    }
    total.op = value->as.scalar.op;
    look->totals[look->count++] = total;
    return reduction_text(look->e, total.op, total.variable) &&
           (is_variable(value->as.scalar.x, total.variable) ||
            is_variable(value->as.scalar.y, total.variable));
}

static void note(Look *look, const KernelVariable *variable)
{
    pointer_map_set(look->e->c->arena, &look->varies, variable, look);
}

/* The variables that the loop declares. */
static void find_variables(Look *look, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE || command->kind == KERNEL_FOR) {
            note(look, command->variable);
        }
        find_variables(look, command->body);
        find_variables(look, command->otherwise);
    }
}

static void find_totals(Look *look, KernelBlock block)
{
    for (size_t i = 0; i < block.count && !look->fails; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ASSIGN && !pointer_map_get(&look->varies, command->variable)) {
            look->fails = !find_total(look, block, i);
        }
    }
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* How much the index grows from one iteration to the next, through so many variables: 0, 1, or -1,
   which is not known. */
static int step_of(const Look *look, const KernelExp *exp, int links)
{
    if (exp->kind == KERNEL_CONSTANT) {
        return 0;
    }
    if (exp->kind == KERNEL_BINARY &&
        (exp->as.scalar.op == CORE_ADD || exp->as.scalar.op == CORE_SUB)) {
        int x = step_of(look, exp->as.scalar.x, links), y = step_of(look, exp->as.scalar.y, links);
        bool known = x >= 0 && y >= 0 && x + y <= 1 && (exp->as.scalar.op == CORE_ADD || y == 0);
        return known ? x + y : -1;
    }
    if (exp->kind != KERNEL_VARIABLE || links == 0 ||
        look->e->survey.assigned[exp->as.variable->number]) {
        return -1;
    }
    if (!pointer_map_get(&look->varies, exp->as.variable)) {
        return 0;
    }
    const KernelExp *value = NULL;
    for (size_t i = 0; i < look->loop->body.count && !value; i++) {
        const KernelCmd *command = look->loop->body.commands[i];
        bool declares = command->kind == KERNEL_DECLARE && command->variable == exp->as.variable;
        value = declares ? command->value : NULL;
    }
    return exp->as.variable == look->loop->variable ? 1
           : value                                  ? step_of(look, value, links - 1)
                                                    : -1;
}

/* Of the loop's stores no other goes into the same array. */
static bool is_only_store(const Look *look, const KernelCmd *store)
{
    for (size_t i = 0; i < look->loop->body.count; i++) {
        const KernelCmd *command = look->loop->body.commands[i];
        if (command != store && command->kind == KERNEL_STORE &&
            command->variable == store->variable) {
            return false;
        }
    }
    return true;
}

static void look_block(Look *look, KernelBlock block, bool is_top)
{
    for (size_t i = 0; i < block.count && !look->fails; i++) {
        const KernelCmd *command = block.commands[i];
        switch ((int)command->kind) {
        case KERNEL_DECLARE: look->fails = command->variable->space != KERNEL_SCALAR; break;
        case KERNEL_ASSIGN:
            look->fails = !is_top && !pointer_map_get(&look->varies, command->variable);
            break;
        case KERNEL_FOR:
            look->fails = !is_top || !kernel_is_written_out(command);
            look->has_loop = true;
            look->counter = command->variable;
            break;
        case KERNEL_STORE:
            look->fails = !is_top || !look->e->writes_alone || !is_only_store(look, command) ||
                          step_of(look, command->index, MOST_LINKS) != 1 ||
                          kernel_reads(look->loop->body, command->variable);
            break;
        case KERNEL_IF:
        case KERNEL_COMMENT: break;
        default: look->fails = true; break;
        }
        look->fails = look->fails || !kernel_is_vector(command->value);
        look_exp(look, command->value, false);
        look_block(look, command->body, false);
        look_block(look, command->otherwise, false);
        look->counter = command->kind == KERNEL_FOR ? NULL : look->counter;
    }
}

/* v[i] = f(i) for bytes of the loop's own array (backend/sequential/columns.c). */
static bool fills_bytes(const KernelCmd *loop)
{
    for (size_t i = 0; i + 1 < loop->body.count; i++) {
        if (loop->body.commands[i]->kind != KERNEL_DECLARE) {
            return false;
        }
    }
    const KernelCmd *last = loop->body.count > 0 ? loop->body.commands[loop->body.count - 1] : loop;
    return last->kind == KERNEL_STORE && last->variable->most > 0 &&
           is_variable(last->index, loop->variable);
}

/* What the loop makes of one of its numbers it makes another from. */
static bool makes_another(Emit *e, const KernelCmd *loop, KernelVariable *number)
{
    PointerMap made = {0};
    pointer_map_set(e->c->arena, &made, number, number);
    for (size_t i = 0; i < loop->body.count; i++) {
        const KernelCmd *command = loop->body.commands[i];
        if (!command->value || !kernel_mentions_any(&made, command->value)) {
            continue;
        }
        if (command->kind == KERNEL_ASSIGN && command->variable != number) {
            return true;
        }
        pointer_map_set(e->c->arena, &made, command->variable, number);
    }
    return false;
}

/* GCC makes no vectors of such a loop, but of the one around where it is written out there. */
bool emit_folds_together(Emit *e, const KernelCmd *loop)
{
    KernelFreeVec names = kernel_free(e->c, (KernelBlock){1, &loop});
    for (size_t i = 0; i < names.count && kernel_is_written_out(loop); i++) {
        if (names.items[i].written && makes_another(e, loop, names.items[i].variable)) {
            return true;
        }
    }
    return false;
}

static bool has_fold(const Look *look, const KernelCmd *loop)
{
    for (size_t i = 0; i < loop->body.count && !look->e->on_processor; i++) {
        if (emit_folds_together(look->e, loop->body.commands[i])) {
            return true;
        }
    }
    return false;
}

/* Whether vectors can compute the loop and help; then its accumulators are in `look`. */
static bool study(Look *look, const KernelCmd *loop)
{
    look->loop = loop;
    note(look, loop->variable);
    find_variables(look, loop->body);
    find_totals(look, loop->body);
    if (look->fails || (look->count == 0 && !has_fold(look, loop))) {
        return false;
    }
    look_block(look, loop->body, true);
    bool has_real = false;
    for (size_t i = 0; i < look->count && !look->fails; i++) {
        const Total *total = &look->totals[i];
        has_real = has_real || core_is_real(total->variable->prim);
        look->fails = total->uses != 1 || (total->next && total->next_uses != 1);
        for (size_t k = 0; k < i; k++) {
            look->fails = look->fails || look->totals[k].variable == total->variable;
        }
    }
    /* of whole numbers that are found by reals, too, where LLVM's own choice is half of a vector */
    bool by_reals = look->e->on_processor && emit_computes_reals(loop->body);
    return !look->fails && (has_real || look->has_loop || look->has_quotient || by_reals);
}

const char *emit_simd(Emit *e, const KernelCmd *loop)
{
    Look look = {.e = e};
    if (fills_bytes(loop)) {
        return e->on_processor ? "#pragma clang loop vectorize(enable) vectorize_width(32)"
                               : "#pragma omp simd simdlen(32)";
    }
    if (!study(&look, loop)) {
        return NULL;
    }
    if (e->on_processor) {
        return "#pragma clang loop vectorize(enable) vectorize_width(8)";
    }
    Text pragma = text_create(e->c->arena);
    text_string(&pragma, "#pragma omp simd");
    for (size_t i = 0; i < look.count; i++) {
        const Total *total = &look.totals[i];
        text_printf(&pragma, " reduction(%s : %s)", reduction_text(e, total->op, total->variable),
                    emit_name(e, total->variable));
    }
    if (e->far) {
        text_printf(&pragma, " reduction(| : %s)", e->far);
    }
    return text_get(&pragma);
}

size_t emit_totals(Emit *e, const KernelCmd *loop, EmitTotal totals[EMIT_MOST_TOTALS])
{
    Look look = {.e = e};
    if (fills_bytes(loop) || !study(&look, loop)) {
        return 0;
    }
    for (size_t i = 0; i < look.count; i++) {
        totals[i] = (EmitTotal){look.totals[i].variable, look.totals[i].op};
    }
    return look.count;
}
