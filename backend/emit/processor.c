/* Loops of kernels for processors (backend/lower/processor.c): what lets LLVM, which OpenCL on
   processors is compiled with, make vectors of them.

   Where a vector's length is left to it, it takes half of what a processor with 512 bits has, and it
   never changes the order of a sum unless a length is asked for. So loops that vectors can compute say
   one. Those over the lanes of a strip (backend/strips/) have all of it in one go:

       #pragma clang loop vectorize(enable) vectorize_width(8) interleave_count(4)
       for (int64_t lane_7 = 0; lane_7 < 32; lane_7++) { ... }

   Lanes that branch, or count, as those of a while loop do, are left as they are unless vectors are asked for; how
   long these are is up to LLVM then.

   LLVM takes no greatest or least real for a reduction, since it minds what NaN does there. So such
   accumulators have eight lanes, and iterations are taken in blocks of eight:

       double x_3_lanes[8], y_4_lanes[8];                   x_3 in each, y_4 in one and 0 in the rest
       for (int64_t block = 0; block < n / 8; block++) {
           #pragma clang loop vectorize(enable) vectorize_width(8)
           for (int64_t lane = 0; lane < 8; lane++) {
               const int64_t i_5 = 8 * block + lane;
               double x_3 = x_3_lanes[lane], y_4 = y_4_lanes[lane];
               ... as before ...
               x_3_lanes[lane] = x_3; y_4_lanes[lane] = y_4;
           }
       }
       x_3 = the greatest of the lanes; y_4 = their sum
       for (int64_t i_5 = n / 8 * 8; i_5 < n; i_5++) { ... as before ... }

   Its library's sine is no vector function, since it reduces large arguments in another way. Ours
   (runtime/opencl_near.c) is right for those that are not far from 0, and says where one was far;
   then the loop runs once more with the library's. A power is far where its base is not a positive
   normal number, or its exponent very large, a remainder where its quotient is; that one is so in sequential C as well, and so
   is a real that becomes an integer, where it is beyond 2^51 (runtime/vector.h):

       int64_t far_7 = 0;
       for (...) { t_9[lane_7] = tl_sin_near(t_8, &far_7); }
       if (far_7 != 0) { for (...) { t_9[lane_7] = tl_sin_f64(t_8); } }

   Accumulators begin again with what they were; what the loop stores it does not read, and what may be far says neither
   where it reads and stores nor whether it fails. */
#include "backend/emit/emit.h"

enum { LANES = 32, LANES_OF_VECTOR = 8 };

static bool computes_reals(const KernelExp *exp)
{
    if (!exp) {
        return false;
    }
    if ((exp->kind == KERNEL_BINARY || exp->kind == KERNEL_UNARY) &&
        exp->as.scalar.prim == CORE_F64) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        if (computes_reals(operands[i])) {
            return true;
        }
    }
    return false;
}

bool emit_computes_reals(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (computes_reals(command->value) || emit_computes_reals(command->body) ||
            emit_computes_reals(command->otherwise)) {
            return true;
        }
    }
    return false;
}

static bool declares(KernelBlock block, const KernelVariable *variable)
{
    for (size_t i = 0; i < block.count; i++) {
        if (block.commands[i]->kind == KERNEL_DECLARE && block.commands[i]->variable == variable) {
            return true;
        }
    }
    return false;
}

/* A straight line of scalars and elements, of which none is the next iteration's. */
static bool is_map(const KernelCmd *loop)
{
    bool has_reals = false;
    for (size_t i = 0; i < loop->body.count; i++) {
        const KernelCmd *command = loop->body.commands[i];
        bool is_own =
            command->kind == KERNEL_DECLARE
                ? command->variable->space == KERNEL_SCALAR
                : command->kind == KERNEL_STORE ||
                      (command->kind == KERNEL_ASSIGN && declares(loop->body, command->variable));
        if (!is_own || !kernel_is_vector(command->value) || !kernel_is_vector(command->index)) {
            return false;
        }
        has_reals = has_reals || computes_reals(command->value);
    }
    return has_reals;
}

/* Operations of vectors on what stands at the lane's place. */
static bool is_of_lane(const KernelExp *exp, const KernelVariable *lane)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = exp ? kernel_operands(exp, operands) : 0;
    const KernelExp *index = exp && exp->kind == KERNEL_LOAD ? exp->as.load.index : NULL;
    bool good = kernel_is_vector(exp) &&
                (!index || (index->kind == KERNEL_VARIABLE && index->as.variable == lane));
    for (size_t i = 0; i < count && good; i++) {
        good = is_of_lane(operands[i], lane);
    }
    return good;
}

/* Such, and branches; whether there is any choice is noted. */
static bool are_branches(KernelBlock block, const KernelVariable *lane, bool *choose)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_plain =
            command->kind == KERNEL_ASSIGN || command->kind == KERNEL_STORE ||
            command->kind == KERNEL_IF ||
            (command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_SCALAR);
        if (!is_plain || !is_of_lane(command->value, lane) || !is_of_lane(command->index, lane) ||
            !are_branches(command->body, lane, choose) ||
            !are_branches(command->otherwise, lane, choose)) {
            return false;
        }
        *choose = *choose || command->kind == KERNEL_IF ||
                  (command->value && command->value->kind == KERNEL_SELECT);
    }
    return true;
}

const char *emit_vector_loop(Emit *e, const KernelCmd *loop)
{
    bool is_strip =
        loop->count->kind == KERNEL_CONSTANT && loop->count->as.constant.as.integer == LANES;
    bool choose = false;
    if (!is_map(loop)) {
        return is_strip && are_branches(loop->body, loop->variable, &choose) && choose
                   ? "#pragma clang loop vectorize(enable)"
                   : NULL;
    }
    return arena_printf(
        e->c->arena, "#pragma clang loop vectorize(enable) vectorize_width(%d)%s", LANES_OF_VECTOR,
        is_strip ? arena_printf(e->c->arena, " interleave_count(%d)", LANES / LANES_OF_VECTOR)
                 : "");
}

/* ---- accumulators in lanes ------------------------------------------------------------------ */

/* x op x is x. */
static bool is_idempotent(CoreOperator op)
{
    return op == CORE_MAX || op == CORE_MIN || op == CORE_AND || op == CORE_OR;
}

bool emit_has_lanes(Emit *e, const KernelCmd *loop)
{
    EmitTotal totals[EMIT_MOST_TOTALS];
    size_t count = emit_totals(e, loop, totals);
    bool helps = false;
    if (loop->count->kind == KERNEL_CONSTANT &&
        loop->count->as.constant.as.integer < LANES_OF_VECTOR) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        CorePrim prim = totals[i].variable->prim;
        helps =
            helps || (core_is_real(prim) && (totals[i].op == CORE_MAX || totals[i].op == CORE_MIN));
        if (prim == CORE_BOOL || (e->narrow && e->narrow[totals[i].variable->number])) {
            return false;
        }
    }
    return helps;
}

static const char *joined(Emit *e, EmitTotal total, const char *x, const char *y)
{
    static const char *const functions[] = {
        [CORE_ADD] = "add", [CORE_MUL] = "mul", [CORE_MAX] = "max", [CORE_MIN] = "min"};
    CorePrim prim = total.variable->prim;
    bool is_plain = core_is_real(prim)
                        ? total.op == CORE_ADD || total.op == CORE_MUL
                        : total.op == CORE_AND || total.op == CORE_OR || total.op == CORE_XOR;
    return is_plain ? arena_printf(e->c->arena, "%s %s %s", x, core_operator_text(total.op), y)
                    : arena_printf(e->c->arena, "tl_%s_%s(%s, %s)", functions[total.op],
                                   core_prim_text(prim), x, y);
}

/* Declares the lanes and gives them what they begin with. */
static void begin_lanes(Emit *e, size_t count, const EmitTotal *totals, const char *i)
{
    for (size_t k = 0; k < count; k++) {
        const char *x = emit_name(e, totals[k].variable);
        emit_line(e, "%s %s_lanes_%s[%d];", emit_variable_type(e, totals[k].variable), x, i,
                  LANES_OF_VECTOR);
    }
    emit_line(e, "for (int64_t lane_%s = 0; lane_%s < %d; lane_%s++) {", i, i, LANES_OF_VECTOR, i);
    for (size_t k = 0; k < count; k++) {
        const char *x = emit_name(e, totals[k].variable);
        const char *neutral = totals[k].op == CORE_MUL ? "1" : "0";
        emit_line(e, "    %s_lanes_%s[lane_%s] = %s%s%s;", x, i, i,
                  is_idempotent(totals[k].op) ? "" : arena_printf(e->c->arena, "lane_%s > 0 ? ", i),
                  is_idempotent(totals[k].op) ? "" : arena_printf(e->c->arena, "%s : ", neutral),
                  x);
    }
    emit_line(e, "}");
}

static void end_lanes(Emit *e, size_t count, const EmitTotal *totals, const char *i)
{
    for (size_t k = 0; k < count; k++) {
        const char *x = emit_name(e, totals[k].variable);
        emit_line(e, "%s = %s_lanes_%s[0];", x, x, i);
    }
    emit_line(e, "for (int64_t lane_%s = 1; lane_%s < %d; lane_%s++) {", i, i, LANES_OF_VECTOR, i);
    for (size_t k = 0; k < count; k++) {
        const char *x = emit_name(e, totals[k].variable);
        emit_line(
            e, "    %s = %s;", x,
            joined(e, totals[k], x, arena_printf(e->c->arena, "%s_lanes_%s[lane_%s]", x, i, i)));
    }
    emit_line(e, "}");
}

void emit_lanes(Emit *e, const KernelCmd *loop, const char *bound, const char *pragma,
                void (*print)(Emit *e, KernelBlock body))
{
    EmitTotal totals[EMIT_MOST_TOTALS];
    size_t count = emit_totals(e, loop, totals);
    const char *i = emit_name(e, loop->variable);
    begin_lanes(e, count, totals, i);
    emit_line(e, "for (int64_t block_%s = 0; block_%s < %s / %d; block_%s++) {", i, i, bound,
              LANES_OF_VECTOR, i);
    e->indent++;
    emit_line(e, "%s", pragma);
    emit_line(e, "for (int64_t lane_%s = 0; lane_%s < %d; lane_%s++) {", i, i, LANES_OF_VECTOR, i);
    e->indent++;
    emit_line(e, "const int64_t %s = %d * block_%s + lane_%s;", i, LANES_OF_VECTOR, i, i);
    for (size_t k = 0; k < count; k++) {
        const char *x = emit_name(e, totals[k].variable);
        emit_line(e, "%s %s = %s_lanes_%s[lane_%s];", emit_variable_type(e, totals[k].variable), x,
                  x, i, i);
    }
    e->indent--;
    print(e, loop->body);
    e->indent++;
    for (size_t k = 0; k < count; k++) {
        const char *x = emit_name(e, totals[k].variable);
        emit_line(e, "%s_lanes_%s[lane_%s] = %s;", x, i, i, x);
    }
    e->indent--;
    emit_line(e, "}");
    e->indent--;
    emit_line(e, "}");
    end_lanes(e, count, totals, i);
    emit_line(e, "for (int64_t %s = %s / %d * %d; %s < %s; %s++) {", i, bound, LANES_OF_VECTOR,
              LANES_OF_VECTOR, i, bound, i);
    print(e, loop->body);
    emit_line(e, "}");
}

/* ---- what may be far ------------------------------------------------------------------------ */

bool emit_is_to_integer(const KernelExp *exp)
{
    return exp->kind == KERNEL_CONVERT && exp->prim == CORE_I64 &&
           core_is_real(exp->as.convert->prim);
}

static bool is_far(const Emit *e, const KernelExp *exp)
{
    return kernel_is_residue(exp) || (e->on_processor && emit_may_be_far(exp)) ||
           (e->near_integers && emit_is_to_integer(exp));
}

static bool has_far(const Emit *e, const KernelExp *exp)
{
    if (!exp) {
        return false;
    }
    if (is_far(e, exp)) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        if (has_far(e, operands[i])) {
            return true;
        }
    }
    return false;
}

bool emit_may_be_far(const KernelExp *exp)
{
    return kernel_is_power(exp) ||
           (exp->kind == KERNEL_UNARY && exp->as.scalar.prim == CORE_F64 &&
            (exp->as.scalar.op == CORE_SIN || exp->as.scalar.op == CORE_COS));
}

static bool have_far(const Emit *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (has_far(e, command->value) || have_far(e, command->body) ||
            have_far(e, command->otherwise)) {
            return true;
        }
    }
    return false;
}

/* What may be wrong the first time that a loop runs: what is far, and what is made of that. */
typedef struct Wrong {
    const Emit *e;
    PointerMap variables; /* scalars and buffers */
    bool more;            /* than before */
    bool decides;         /* where the loop reads or writes, or whether it fails */
} Wrong;

static bool is_wrong(const Wrong *w, const KernelExp *exp)
{
    if (!exp) {
        return false;
    }
    const KernelVariable *variable = exp->kind == KERNEL_VARIABLE ? exp->as.variable
                                     : exp->kind == KERNEL_LOAD   ? exp->as.load.buffer
                                                                  : NULL;
    if (is_far(w->e, exp) || (variable && pointer_map_get(&w->variables, variable))) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        if (is_wrong(w, operands[i])) {
            return true;
        }
    }
    return false;
}

static void note_wrong(Wrong *w, const KernelVariable *variable)
{
    if (!pointer_map_get(&w->variables, variable)) {
        pointer_map_set(w->e->c->arena, &w->variables, variable, w);
        w->more = true;
    }
}

static void look_loads(Wrong *w, const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = exp ? kernel_operands(exp, operands) : 0;
    w->decides = w->decides || (exp && exp->kind == KERNEL_LOAD && is_wrong(w, exp->as.load.index));
    for (size_t i = 0; i < count; i++) {
        look_loads(w, operands[i]);
    }
}

static void look_wrong(Wrong *w, KernelBlock block, bool in_wrong)
{
    for (size_t i = 0; i < block.count && !w->decides; i++) {
        const KernelCmd *command = block.commands[i];
        bool wrong = is_wrong(w, command->value);
        look_loads(w, command->value);
        switch ((int)command->kind) {
        case KERNEL_COMMENT: break;
        case KERNEL_DECLARE:
        case KERNEL_ASSIGN:
            if (wrong || in_wrong) {
                note_wrong(w, command->variable);
            }
            break;
        case KERNEL_STORE:
            look_loads(w, command->index);
            w->decides = w->decides || in_wrong || is_wrong(w, command->index);
            if (wrong) {
                note_wrong(w, command->variable);
            }
            break;
        case KERNEL_IF:
            look_wrong(w, command->body, in_wrong || wrong);
            look_wrong(w, command->otherwise, in_wrong || wrong);
            break;
        case KERNEL_FOR:
            look_loads(w, command->count);
            w->decides = w->decides || is_wrong(w, command->count);
            look_wrong(w, command->body, in_wrong);
            break;
        case KERNEL_CHECK:
            w->decides = w->decides || wrong || in_wrong;
            for (size_t k = 0; k < command->value_count; k++) {
                w->decides = w->decides || is_wrong(w, command->values[k]);
            }
            break;
        default: w->decides = true; break;
        }
    }
}

/* The loop writes the same elements the second time, reads no others and fails as it should, and has no other effect. */
static bool is_safe(const Emit *e, const KernelCmd *loop)
{
    Wrong w = {.e = e, .more = true};
    while (w.more && !w.decides) {
        w.more = false;
        look_wrong(&w, loop->body, false);
    }
    return !w.decides;
}

static bool may_repeat(const Emit *e, const KernelCmd *loop)
{
    if (!have_far(e, loop->body) || !is_safe(e, loop)) {
        return false;
    }
    KernelFreeVec used = kernel_free(e->c, (KernelBlock){1, &loop});
    for (size_t i = 0; i < used.count; i++) {
        const KernelFree *item = &used.items[i];
        bool is_buffer = item->variable->space != KERNEL_SCALAR;
        if (is_buffer && item->written &&
            ((item->variable->space == KERNEL_GLOBAL && !e->writes_alone) ||
             kernel_reads(loop->body, item->variable))) {
            return false;
        }
    }
    return true;
}

/* Nothing in it keeps a C compiler from vectors. */
static bool is_of_vectors(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_CHECK || !kernel_is_vector(command->value) ||
            !is_of_vectors(command->body) || !is_of_vectors(command->otherwise)) {
            return false;
        }
    }
    return true;
}

/* Integers of reals are near in vectors alone: others are quicker converted one by one. */
bool emit_may_repeat(Emit *e, const KernelCmd *loop)
{
    e->near_integers = is_of_vectors(loop->body);
    if (may_repeat(e, loop)) {
        return true;
    }
    e->near_integers = false;
    return may_repeat(e, loop);
}

void emit_twice_around(Emit *e, const KernelCmd *loop,
                       void (*print)(Emit *e, const KernelCmd *loop))
{
    KernelFreeVec used = kernel_free(e->c, (KernelBlock){1, &loop});
    const char *i = emit_name(e, loop->variable);
    e->far = arena_printf(e->c->arena, "far_%s", i);
    emit_line(e, "int64_t %s = 0;", e->far);
    for (size_t k = 0; k < used.count; k++) {
        const KernelFree *item = &used.items[k];
        if (item->variable->space == KERNEL_SCALAR && item->written) {
            emit_line(e, "const %s %s_before_%s = %s;", emit_variable_type(e, item->variable),
                      emit_name(e, item->variable), i, emit_name(e, item->variable));
        }
    }
    const char *far = e->far;
    print(e, loop);
    e->far = NULL;
    emit_line(e, "if (%s != 0) {", far);
    e->indent++;
    for (size_t k = 0; k < used.count; k++) {
        const KernelFree *item = &used.items[k];
        if (item->variable->space == KERNEL_SCALAR && item->written) {
            emit_line(e, "%s = %s_before_%s;", emit_name(e, item->variable),
                      emit_name(e, item->variable), i);
        }
    }
    print(e, loop);
    e->indent--;
    emit_line(e, "}");
}
