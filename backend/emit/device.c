/* Kernels as OpenCL C text.

       grid map_5 (i < n) { y[i] = x[i] * 2.0 }

   becomes

       kernel void map_5(const long count, const global double *restrict x_2,
                         global double *restrict y_3)
       {
           const long i_4 = get_global_id(0);
           if (i_4 < count) {
               y_3[i_4] = x_2[i_4] * 2.0;
           }
       }

   A GROUP loop is one work-group an iteration: its LOCAL loops are straight code, barriers stand
   between them at the top level or in uniform loops ([DPIA 4.3]; backend/kernel.h), and local
   memory is declared at kernel scope.

   A failing CHECK records its number and values (tl_failed, of the runtime: the first work-item
   that fails wins, so that the report is the same each time), and the work-item goes on under its
   guards. Kernels started afterwards find *stopped set and do nothing, since what they would read
   may be meaningless; no kernel writes that word, so its test is uniform. */
#include "backend/emit/emit.h"

/* ---- kernels: parameters and arguments ------------------------------------------------------- */

static const char *argument_macro(CorePrim prim)
{
    switch (prim) {
    case CORE_BOOL: return "TL_BOOLEAN";
    case CORE_CHAR: return "TL_CHARACTER";
    case CORE_I32: return "TL_INT32";
    case CORE_I64: return "TL_INDEX";
    case CORE_F32: return "TL_FLOAT32";
    case CORE_F64: return "TL_FLOAT64";
    case CORE_CERT: break;
    }
    return "TL_BOOLEAN";
}

static bool is_parameter(const KernelVariable *variable, const KernelFreeVec *used)
{
    for (size_t i = 0; i < used->count; i++) {
        if (used->items[i].variable == variable)
            return !used->items[i].written;
    }
    return false;
}

static void add_divisor(Emit *e, const KernelVariable *divisor, const KernelFreeVec *used)
{
    for (size_t i = 0; i < e->divisors.count; i++) {
        if (e->divisors.items[i] == divisor)
            return;
    }
    if (is_parameter(divisor, used) && strcmp(emit_variable_type(e, divisor), "tl_index") == 0)
        vec_push(e->c->arena, &e->divisors, divisor);
}

typedef struct RealDivisors {
    Emit *e;
    const KernelFreeVec *used;
} RealDivisors;

/* By which doubles that the host knows something is divided. */
static void find_real_divisors(void *context, const KernelExp *exp)
{
    RealDivisors *found = context;
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++)
        find_real_divisors(found, operands[k]);
    const KernelVariable *divisor = emit_real_divisor(exp);
    if (divisor && !emit_has_reciprocal(found->e, divisor) && is_parameter(divisor, found->used))
        vec_push(found->e->c->arena, &found->e->real_divisors, divisor);
}

static void find_real_divisors_in(RealDivisors *found, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        emit_each_exp(block.commands[i], find_real_divisors, found);
        find_real_divisors_in(found, block.commands[i]->body);
        find_real_divisors_in(found, block.commands[i]->otherwise);
    }
}

/* By which extents the number of an iteration becomes indices: a division by a number that the host
   knows is a multiplication. */
static void find_divisors(Emit *e, KernelBlock block, const KernelFreeVec *used)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        const KernelExp *value = command->kind == KERNEL_DECLARE ? command->value : NULL;
        if (value && value->kind == KERNEL_BINARY && value->natural &&
            value->as.scalar.y->kind == KERNEL_VARIABLE)
            add_divisor(e, value->as.scalar.y->as.variable, used);
        find_divisors(e, command->body, used);
    }
}

/* The body's free names but the loop's own, as parameters and, for the host, as arguments. */
static size_t kernel_parameters(Emit *e, const KernelCmd *loop, Text *parameters, Text *arguments)
{
    KernelFreeVec used = kernel_free(e->c, loop->body);
    size_t count = 0;
    e->writes_alone = true;
    if (loop->level == KERNEL_GRID)
        text_string(parameters, "const tl_index count");
    for (size_t i = 0; i < used.count; i++) {
        const KernelFree *item = &used.items[i];
        if (item->variable == loop->variable || item->variable == loop->groups)
            continue;
        const char *name = emit_name(e, item->variable);
        const char *type = emit_element_type(EMIT_DEVICE, item->variable->prim);
        if (parameters->length)
            text_string(parameters, ", ");
        if (count++)
            text_string(arguments, ", ");
        if (item->variable->space == KERNEL_GLOBAL) {
            e->writes_alone = e->writes_alone && (!item->written || emit_is_alone(e, &used, item));
            bool is_alone =
                emit_is_alone(e, &used, item) && !kernel_swaps(loop->body, item->variable);
            text_printf(parameters, "%sglobal %s *%s%s", item->written ? "" : "const ", type,
                        is_alone ? "restrict " : "", name);
            text_printf(arguments, "%s(%s)", item->written ? "TL_WRITES" : "TL_READS", name);
        } else {
            bool is_index = item->variable->prim == CORE_I64; /* bools are bytes there */
            text_printf(parameters, "const %s %s",
                        is_index ? emit_variable_type(e, item->variable) : type, name);
            text_printf(arguments, "%s(%s)", argument_macro(item->variable->prim), name);
        }
    }
    e->divisors.count = 0;
    if (loop->level == KERNEL_GRID || kernel_has(loop->body, KERNEL_MEET))
        find_divisors(e, loop->body, &used);
    for (size_t i = 0; i < e->divisors.count; i++, count++) {
        const char *name = emit_name(e, e->divisors.items[i]);
        text_printf(parameters, ", const ulong by_%s", name);
        text_printf(arguments, "%sTL_INVERSE(%s)", count ? ", " : "", name);
    }
    e->real_divisors.count = 0;
    find_real_divisors_in(&(RealDivisors){e, &used}, loop->body);
    for (size_t i = 0; i < e->real_divisors.count; i++, count += 2) {
        const char *name = emit_name(e, e->real_divisors.items[i]);
        text_printf(parameters, ", const double by_%s, const double low_%s", name, name);
        text_printf(arguments, ", TL_RECIPROCAL(%s), TL_RECIPROCAL_LOW(%s)", name, name);
    }
    if (emit_has_arrival(loop->body)) {
        text_printf(parameters, "%svolatile global int *arrived", parameters->length ? ", " : "");
    }
    if (emit_status_words(loop->body) > 0) {
        text_printf(parameters, "%svolatile global ulong *statuses, const uint launch",
                    parameters->length ? ", " : "");
    }
    if (e->survey.device_checks) {
        text_printf(parameters, "%sconst global int *stopped", parameters->length ? ", " : "");
        if (kernel_has(loop->body, KERNEL_CHECK)) {
            text_string(parameters, ", global int *failure, global long *failure_values");
        }
    }
    if (!parameters->length)
        text_string(parameters, "void");
    return count;
}

/* ---- kernels: bodies ------------------------------------------------------------------------ */

/* Work-items of a group: the LOCAL loops' common count, 1 where there is none. */
static size_t group_size(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_FOR && command->level == KERNEL_LOCAL_LOOP) {
            return (size_t)command->count->as.constant.as.integer;
        }
        size_t inside = group_size(command->body);
        if (inside <= 1)
            inside = group_size(command->otherwise);
        if (inside > 1)
            return inside;
    }
    return 1;
}

static void emit_local_buffers(Emit *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_LOCAL) {
            long long count = (long long)command->count->as.constant.as.integer;
            emit_line(e, "local %s %s[%lld];",
                      emit_element_type(EMIT_DEVICE, command->variable->prim),
                      emit_name(e, command->variable), count > 0 ? count : 1);
        }
        emit_local_buffers(e, command->body);
        emit_local_buffers(e, command->otherwise);
    }
}

static void emit_inner(Emit *e, KernelBlock block)
{
    e->indent++;
    emit_block(e, block);
    e->indent--;
}

/* Value number i of a failure, as the 64 bits that the host decodes by the table's type. */
static const char *failure_bits(Emit *e, const KernelExp *value)
{
    const char *text = emit_exp(e, value);
    switch (value->prim) {
    case CORE_F64: return arena_printf(e->c->arena, "as_long((double)(%s))", text);
    case CORE_F32: return arena_printf(e->c->arena, "(long)as_int((float)(%s))", text);
    case CORE_BOOL:
    case CORE_CHAR:
    case CORE_I32:
    case CORE_I64:
    case CORE_CERT: break;
    }
    return text;
}

static void emit_device_check(EmitOpencl *ce, const KernelCmd *command)
{
    Emit *e = &ce->e;
    const char *condition = emit_exp(e, command->value);
    /* at the top level of a group nothing else guards it */
    if (ce->in_group)
        condition = arena_printf(e->c->arena, "!alive || (%s)", condition);
    if (command->variable) {
        emit_line(e, "%s = %s;", emit_name(e, command->variable), condition);
        condition = emit_name(e, command->variable);
    }
    Text values = text_create(e->c->arena);
    for (size_t first = 0; first < CORE_MOST_VALUES; first += 4) {
        text_string(&values, ", (long4)(");
        for (size_t i = first; i < first + 4 && (i == first || first < command->value_count); i++) {
            text_printf(&values, "%s%s", i == first ? "" : ", ",
                        i < command->value_count ? failure_bits(e, command->values[i]) : "0");
        }
        text_char(&values, ')');
    }
    emit_line(e, "if (!(%s)) tl_failed(failure, failure_values, %zu%s);", condition,
              command->failure + 1, text_get(&values));
}

/* ---- atomic updates ------------------------------------------------------------------------- */

/* OpenCL's own function where it has one for this operator and type, else NULL. */
static const char *native_atomic(CoreOperator op, CorePrim prim)
{
    if (prim == CORE_I64)
        return op == CORE_ADD ? "atom_add" : NULL;
    if (prim != CORE_I32)
        return NULL;
    switch ((int)op) {
    case CORE_ADD: return "atomic_add";
    case CORE_MAX: return "atomic_max";
    case CORE_MIN: return "atomic_min";
    case CORE_AND: return "atomic_and";
    case CORE_OR: return "atomic_or";
    case CORE_XOR: return "atomic_xor";
    }
    return NULL;
}

/* An operator without an atomic of its own: read, compute, and exchange if nobody came between. A
   bool is a byte of a 32-bit word (buffers are whole words). */
static void define_atomic(EmitOpencl *ce, const char *name, CoreOperator op, KernelVariable *buffer)
{
    Compilation *c = ce->e.c;
    for (size_t i = 0; i < ce->atomics.count; i++) {
        if (strcmp(ce->atomics.items[i], name) == 0)
            return;
    }
    vec_push(c->arena, &ce->atomics, name);
    Text definition = text_create(c->arena);
    Emit inner = ce->e;
    const char *space = buffer->space == KERNEL_LOCAL ? "local" : "global";
    const char *type = emit_scalar_type(EMIT_DEVICE, buffer->prim);
    bool wide = buffer->prim == CORE_I64 || buffer->prim == CORE_F64;
    const char *word = wide ? "long" : "int", *exchange = wide ? "atom_cmpxchg" : "atomic_cmpxchg";
    KernelVariable *old = kernel_variable(c, "old", buffer->prim, KERNEL_SCALAR, NO_SPAN);
    KernelVariable *value = kernel_variable(c, "value", buffer->prim, KERNEL_SCALAR, NO_SPAN);
    inner.names = ARENA_ARRAY(c->arena, const char *,
                              (old->number > value->number ? old->number : value->number) + 1);
    inner.names[old->number] = "old";
    inner.names[value->number] = "value";
    const char *updated =
        emit_exp(&inner, kernel_binary(c, op, kernel_use(c, old), kernel_use(c, value)));
    text_printf(&definition, "\nstatic void %s(volatile %s %s *target, const %s value)\n{\n", name,
                space, emit_element_type(EMIT_DEVICE, buffer->prim), type);
    if (buffer->prim == CORE_BOOL) {
        text_printf(&definition,
                    "    const uint shift = 8 * (uint)((ulong)target & 3);\n"
                    "    volatile %s int *word = (volatile %s int *)((ulong)target & ~(ulong)3);\n",
                    space, space);
    } else {
        text_printf(&definition, "    volatile %s %s *word = (volatile %s %s *)target;\n", space,
                    word, space, word);
    }
    text_printf(&definition,
                "    %s seen = %s(word, 0, 0), before;\n    do {\n        before = seen;\n", word,
                exchange);
    if (buffer->prim == CORE_BOOL) {
        text_printf(&definition,
                    "        const bool old = ((uint)before >> shift & 1) != 0;\n"
                    "        const int next = (int)(((uint)before & ~(1u << shift)) | (uint)(%s) "
                    "<< shift);\n",
                    updated);
    } else {
        text_printf(
            &definition,
            "        const %s old = as_%s(before);\n        const %s next = as_%s((%s)(%s));\n",
            type, type, word, word, type, updated);
    }
    text_printf(&definition,
                "        seen = %s(word, before, next);\n    } while (seen != before);\n}\n",
                exchange);
    text_append(&ce->kernels, text_get(&definition), definition.length);
}

static void emit_atomic(EmitOpencl *ce, const KernelCmd *command)
{
    Emit *e = &ce->e;
    KernelVariable *buffer = command->variable;
    const char *function = native_atomic(command->op, buffer->prim);
    if (!function) {
        static const char *const operators[] = {
#define CORE_OPERATOR(enumerator, text, arity, domain, result, meaning)                            \
    [CORE_##enumerator] = #enumerator,
#include "core/operators.def"
#undef CORE_OPERATOR
        };
        function = arena_printf(e->c->arena, "atomic_%s_%s_%s", operators[command->op],
                                core_prim_text(buffer->prim),
                                buffer->space == KERNEL_LOCAL ? "local" : "global");
        define_atomic(ce, function, command->op, buffer);
    }
    emit_line(e, "%s(&%s[%s], %s);", function, emit_name(e, buffer), emit_index(e, command->index),
              emit_exp(e, command->value));
}

static bool is_wide(CorePrim prim)
{
    return prim == CORE_I64 || prim == CORE_F64;
}

static void emit_exchange(Emit *e, const KernelCmd *command)
{
    emit_line(e, "%s = %s(&%s[%s], %s);", emit_name(e, command->variable),
              is_wide(command->source->prim) ? "atom_xchg" : "atomic_xchg",
              emit_name(e, command->source), emit_index(e, command->index),
              emit_exp(e, command->value));
}

/* The element is exchanged if nobody came between its reading and its writing, else all is done
   again. */
static void emit_retry(Emit *e, const KernelCmd *command)
{
    bool wide = is_wide(command->source->prim);
    const char *word = wide ? "long" : "int", *exchange = wide ? "atom_cmpxchg" : "atomic_cmpxchg";
    const char *type = emit_scalar_type(EMIT_DEVICE, command->source->prim);
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "volatile global %s *word = (volatile global %s *)&%s[%s];", word, word,
              emit_name(e, command->source), emit_index(e, command->index));
    emit_line(e, "%s seen = %s(word, 0, 0), before;", word, exchange);
    emit_line(e, "do {");
    e->indent++;
    emit_line(e, "before = seen;");
    emit_line(e, "const %s %s = as_%s(before);", type, emit_name(e, command->variable), type);
    emit_block(e, command->body);
    emit_line(e, "seen = %s(word, before, as_%s((%s)(%s)));", exchange, word, type,
              emit_exp(e, command->value));
    e->indent--;
    emit_line(e, "} while (seen != before);");
    e->indent--;
    emit_line(e, "}");
}

/* ---- device commands ------------------------------------------------------------------------ */

/* A LOCAL loop: this work-item's iteration, where nothing has failed before this kernel. */
static void emit_local_loop(Emit *e, const KernelCmd *command)
{
    emit_line(e, e->survey.device_checks ? "if (alive) {" : "{");
    emit_line(e, "    const %s %s = get_local_id(0);", emit_variable_type(e, command->variable),
              emit_name(e, command->variable));
    emit_inner(e, command->body);
    emit_line(e, "}");
}

/* A scalar of a whole group is computed by each work-item; after a failure its buffers may be
   meaningless, so it is 0 then. */
static bool emit_group_scalar(EmitOpencl *ce, const KernelCmd *command)
{
    Emit *e = &ce->e;
    if (!ce->in_group || !e->survey.device_checks || !command->value)
        return false;
    bool declares = command->kind == KERNEL_DECLARE;
    const char *type = declares ? emit_variable_type(e, command->variable) : "";
    bool is_const = declares && !e->survey.assigned[command->variable->number];
    emit_line(e, "%s%s%s%s = alive ? %s : 0;", is_const ? "const " : "", type, declares ? " " : "",
              emit_name(e, command->variable), emit_operand(e, command->value));
    return true;
}

/* The group counts itself; who counts last finds what all others stored before. The fences order
   the stores before the counting and the readings after it. */
static void emit_arrive(Emit *e, const KernelCmd *command)
{
    const char *last = emit_name(e, command->variable), *counter = "arrived";
    const char *groups = "(int)get_num_groups(0)";
    if (command->index) {
        counter = arena_printf(e->c->arena, "&arrived[%s]", emit_index(e, command->index));
        groups = arena_printf(e->c->arena, "(int)(%s)", emit_exp(e, command->value));
    }
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
    emit_line(e, "if (get_local_id(0) == 0%s) {", e->survey.device_checks ? " && alive" : "");
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "    %s[0] = atomic_inc(%s) == %s - 1;", last, counter, groups);
    emit_line(e, "    if (%s[0]) *(%s) = 0;", last, counter);
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "}");
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
}

/* `meetings` counts the groups that are to have come. */
static void emit_meet(Emit *e)
{
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
    emit_line(e, "meetings += (uint)get_num_groups(0);");
    emit_line(e, "if (get_local_id(0) == 0) {");
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "    atomic_inc(arrived);");
    emit_line(e, "    while ((int)((uint)arrived[0] - meetings) < 0) {}");
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "}");
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
}

/* Who leaves last sets the counters back. */
static void emit_parting(Emit *e)
{
    emit_line(
        e, "if (get_local_id(0) == 0 && atomic_inc(&arrived[1]) == (int)get_num_groups(0) - 1) {");
    emit_line(e, "    arrived[0] = 0;");
    emit_line(e, "    arrived[1] = 0;");
    emit_line(e, "}");
}

static void emit_swap(Emit *e, const KernelCmd *command)
{
    const char *x = emit_name(e, command->variable), *y = emit_name(e, command->source);
    const char *type = emit_element_type(EMIT_DEVICE, command->variable->prim);
    emit_line(e, "{");
    emit_line(e, "    global %s *const other = %s;", type, x);
    emit_line(e, "    %s = %s;", x, y);
    emit_line(e, "    %s = other;", y);
    emit_line(e, "}");
}

/* The group takes the next number; who takes the last one sets the counter back. */
static void emit_ticket(Emit *e, const KernelCmd *command)
{
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
    emit_line(e, "if (get_local_id(0) == 0%s) {", e->survey.device_checks ? " && alive" : "");
    emit_line(e, "    const int ticket = atomic_inc((volatile global int *)statuses);");
    emit_line(e, "    %s[0] = ticket;", emit_name(e, command->variable));
    emit_line(e, "    if (ticket == (int)get_num_groups(0) - 1) statuses[0] = 0;");
    emit_line(e, "}");
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
}

static bool is_two_words(CorePrim prim)
{
    return prim == CORE_I64 || prim == CORE_F64;
}

static const char *bits_of(Emit *e, const KernelExp *value)
{
    const char *text = emit_exp(e, value);
    switch (value->prim) {
    case CORE_F32: return arena_printf(e->c->arena, "as_uint((float)(%s))", text);
    case CORE_F64: return arena_printf(e->c->arena, "as_ulong((double)(%s))", text);
    case CORE_I64: return arena_printf(e->c->arena, "(ulong)(%s)", text);
    case CORE_BOOL:
    case CORE_I32:
    case CORE_CHAR:
    case CORE_CERT: break;
    }
    return arena_printf(e->c->arena, "(uint)(%s)", text);
}

/* A line for each word: 32 bits of a scalar and the number of the launch. */
static void emit_publish(EmitOpencl *ce, const KernelCmd *command)
{
    Emit *e = &ce->e;
    const char *index = emit_index(e, command->index), *whole = emit_exp(e, command->value);
    size_t word = 0;
    for (size_t k = 0; k < command->value_count; k++) {
        const char *bits = bits_of(e, command->values[k]);
        bool two = is_two_words(command->values[k]->prim);
        emit_line(e, "tl_publish(&statuses[1 + %zu * (%s) + %zu], launch, %s, %s%s);",
                  ce->status_words, index, word, whole, two ? "(uint)" : "", bits);
        if (two) {
            emit_line(e,
                      "tl_publish(&statuses[1 + %zu * (%s) + %zu], launch, %s, (uint)(%s >> 32));",
                      ce->status_words, index, word + 1, whole, bits);
        }
        word += two ? 2 : 1;
    }
}

/* What was published in one or two words. */
static const char *payload_of(Emit *e, CorePrim prim, const char *seen, size_t word)
{
    const char *low = arena_printf(e->c->arena, "(uint)%s_%zu", seen, word);
    const char *both = arena_printf(e->c->arena, "(%s_%zu & 0xffffffff) | %s_%zu << 32", seen, word,
                                    seen, word + 1);
    switch (prim) {
    case CORE_F32: return arena_printf(e->c->arena, "as_float(%s)", low);
    case CORE_BOOL: return arena_printf(e->c->arena, "%s != 0", low);
    case CORE_I64: return arena_printf(e->c->arena, "(long)(%s)", both);
    case CORE_F64: return arena_printf(e->c->arena, "as_double(%s)", both);
    case CORE_I32:
    case CORE_CHAR:
    case CORE_CERT: break;
    }
    return low;
}

/* All words of a status are read until they are of one time. */
static void emit_await(EmitOpencl *ce, const KernelCmd *command)
{
    Emit *e = &ce->e;
    const char *whole = emit_name(e, command->variable);
    const char *seen = arena_printf(e->c->arena, "%s_seen", whole);
    const char *index = emit_index(e, command->index);
    Text differs = text_create(e->c->arena);
    for (size_t k = 0; k < ce->status_words; k++) {
        emit_line(e, "ulong %s_%zu;", seen, k);
        if (k > 0)
            text_printf(&differs, " || (%s_%zu ^ %s_0) >> 32 != 0", seen, k, seen);
    }
    emit_line(e, "do {");
    for (size_t k = 0; k < ce->status_words; k++) {
        emit_line(e, "    %s_%zu = tl_status_get(&statuses[1 + %zu * (%s) + %zu]);", seen, k,
                  ce->status_words, index, k);
    }
    emit_line(e, "} while (!tl_is_published(%s_0, launch)%s);", seen, text_get(&differs));
    emit_line(e, "const bool %s = (%s_0 >> 32 & 1) != 0;", whole, seen);
    for (size_t k = 0, word = 0; k < command->payload_count; k++) {
        const KernelVariable *variable = command->payload[k];
        emit_line(e, "const %s %s = %s;", emit_scalar_type(EMIT_DEVICE, variable->prim),
                  emit_name(e, variable), payload_of(e, variable->prim, seen, word));
        word += is_two_words(variable->prim) ? 2 : 1;
    }
}

static bool emit_device_command(Emit *e, const KernelCmd *command)
{
    EmitOpencl *ce = (EmitOpencl *)e;
    switch (command->kind) {
    case KERNEL_DECLARE:
        if (command->variable->space == KERNEL_LOCAL)
            return true; /* stands at kernel scope already */
        return command->variable->space == KERNEL_SCALAR && emit_group_scalar(ce, command);
    case KERNEL_FOR:
        if (command->level != KERNEL_LOCAL_LOOP)
            return false;
        ce->in_group = false;
        emit_local_loop(e, command);
        ce->in_group = true;
        return true;
    case KERNEL_ASSIGN: return emit_group_scalar(ce, command);
    case KERNEL_BARRIER:
        emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
        return true;
    case KERNEL_ARRIVE: emit_arrive(e, command); return true;
    case KERNEL_TICKET: emit_ticket(e, command); return true;
    case KERNEL_MEET: emit_meet(e); return true;
    case KERNEL_SWAP: emit_swap(e, command); return true;
    case KERNEL_PUBLISH: emit_publish(ce, command); return true;
    case KERNEL_AWAIT: emit_await(ce, command); return true;
    case KERNEL_CHECK: emit_device_check(ce, command); return true;
    case KERNEL_ATOMIC: emit_atomic(ce, command); return true;
    case KERNEL_EXCHANGE: emit_exchange(e, command); return true;
    case KERNEL_RETRY: emit_retry(e, command); return true;
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
    case KERNEL_STORE:
    case KERNEL_COPY:
    case KERNEL_WHILE:
    case KERNEL_IF:
    case KERNEL_EFFECT:
    case KERNEL_COMMENT: return false;
    }
    return false;
}

static void emit_grid_body(Emit *e, const KernelCmd *loop)
{
    const char *i = emit_name(e, loop->variable);
    emit_line(e, "const tl_index %s = get_global_id(0);", i);
    emit_line(e, "if (%s < count%s) {", i, e->survey.device_checks ? " && *stopped == 0" : "");
    emit_inner(e, loop->body);
    emit_line(e, "}");
}

static void emit_group_body(EmitOpencl *ce, const KernelCmd *loop)
{
    Emit *e = &ce->e;
    emit_local_buffers(e, loop->body);
    if (e->survey.device_checks)
        emit_line(e, "const bool alive = *stopped == 0;");
    emit_line(e, "const tl_index %s = get_group_id(0);", emit_name(e, loop->variable));
    bool meets = kernel_has(loop->body, KERNEL_MEET);
    if (meets)
        emit_line(e, "uint meetings = 0;");
    if (loop->groups)
        emit_line(e, "const tl_index %s = get_num_groups(0);", emit_name(e, loop->groups));
    ce->in_group = true;
    emit_block(e, loop->body);
    ce->in_group = false;
    if (meets)
        emit_parting(e);
}

void emit_kernel_text(EmitOpencl *ce, const KernelCmd *loop)
{
    Emit *e = &ce->e;
    Emit host = *e;
    Text text = text_create(e->c->arena);
    Text parameters = text_create(e->c->arena), arguments = text_create(e->c->arena);
    bool on_processor = loop->groups != NULL;
    if (on_processor) {
        emit_narrow_sums(e, loop);
    } else {
        emit_narrow(e, loop);
    }
    e->dialect = on_processor ? EMIT_C : EMIT_DEVICE;
    e->on_processor = on_processor;
    size_t count = kernel_parameters(e, loop, &parameters, &arguments);
    const char *place = emit_place_comment(e->c, loop->span);
    ce->group_size = group_size(loop->body);
    ce->status_words = emit_status_words(loop->body);
    ce->arguments = count ? arena_printf(e->c->arena, "%zu, (const tl_argument[]){%s}", count,
                                         text_get(&arguments))
                          : "0, NULL";
    e->out = &text;
    e->indent = 0;
    e->special = emit_device_command;
    emit_blank(e);
    const char *needs = on_processor                          ? "TL_ON_PROCESSOR"
                        : ce->status_words > 0                ? "TL_LOOKS_BACK"
                        : kernel_has(loop->body, KERNEL_MEET) ? "TL_MEETS"
                                                              : NULL;
    if (needs) /* it may not even compile elsewhere */
        emit_line(e, "#ifdef %s", needs);
    if (place)
        emit_line(e, "/* %s */", place);
    if (loop->level == KERNEL_GROUP) {
        emit_line(e, "__attribute__((reqd_work_group_size(%zu, 1, 1)))", ce->group_size);
    }
    emit_line(e, "kernel void %s(%s)", emit_identifier(e->c, loop->text), text_get(&parameters));
    emit_line(e, "{");
    e->indent = 1;
    if (loop->level == KERNEL_GRID) {
        emit_grid_body(e, loop);
    } else {
        emit_group_body(ce, loop);
    }
    e->indent = 0;
    emit_line(e, "}");
    if (needs)
        emit_line(e, "#endif");
    e->on_processor = false;
    text_append(&ce->kernels, text_get(&text), text.length);
    e->out = host.out;
    e->indent = host.indent;
    e->dialect = host.dialect;
    e->special = host.special;
}
