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

   A failing CHECK records its number and values (tl_failed, of the runtime: the first row that
   fails wins, so that the report is the same each time, and on each backend), and the work-item goes on under its
   guards. Kernels started afterwards find in *failure the launch that it was, and do nothing, since
   what they would read may be meaningless. A kernel that checks knows its own launch and goes on:
   the test is uniform, though work-items of that kernel may write the word meanwhile.

   A grid that may be launched for nothing strides: not many work-items find that out (TL_ITEMS). */
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

static const KernelFree *find_used(const KernelFreeVec *used, const KernelVariable *variable)
{
    for (size_t i = 0; i < used->count; i++) {
        if (used->items[i].variable == variable)
            return &used->items[i];
    }
    return NULL;
}

static bool is_parameter(const KernelVariable *variable, const KernelFreeVec *used)
{
    const KernelFree *item = find_used(used, variable);
    return item && !item->written;
}

typedef struct Divisors {
    Emit *e;
    const KernelFreeVec *used;
    void (*note)(const struct Divisors *found, const KernelExp *exp);
} Divisors;

/* All that the expression divides by, as `note` understands it. */
static void find_divisors_of(void *context, const KernelExp *exp)
{
    const Divisors *found = context;
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++)
        find_divisors_of(context, operands[k]);
    found->note(found, exp);
}

/* By which doubles that the host knows something is divided. */
static void note_real_divisor(const Divisors *found, const KernelExp *exp)
{
    const KernelVariable *divisor = emit_real_divisor(exp);
    if (divisor && !emit_has_reciprocal(found->e, divisor) && is_parameter(divisor, found->used))
        vec_push(found->e->c->arena, &found->e->real_divisors, divisor);
}

static void find_real_divisors_in(Divisors *found, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        emit_each_exp(block.commands[i], find_divisors_of, found);
        find_real_divisors_in(found, block.commands[i]->body);
        find_real_divisors_in(found, block.commands[i]->otherwise);
    }
}

static void note_divisor(const Divisors *found, const KernelExp *exp)
{
    const KernelVariable *divisor =
        emit_divides_by_variable(exp) ? exp->as.scalar.y->as.variable : NULL;
    if (divisor && !emit_has_inverse(found->e, exp) && is_parameter(divisor, found->used) &&
        strcmp(emit_variable_type(found->e, divisor), "tl_index") == 0)
        vec_push(found->e->c->arena, &found->e->divisors, divisor);
}

/* By which extents numbers of iterations become indices, again and again: a division by a number that the host
   knows is a multiplication. */
static void find_divisors(Divisors *found, KernelBlock block, bool again)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool loops = command->kind == KERNEL_WHILE ||
                     (command->kind == KERNEL_FOR && command->level == KERNEL_SEQ);
        if (again && command->kind == KERNEL_DECLARE && command->value &&
            strcmp(emit_variable_type(found->e, command->variable), "tl_index") == 0)
            find_divisors_of(found, command->value);
        find_divisors(found, command->body, again || loops);
        find_divisors(found, command->otherwise, again);
    }
}

/* PoCL 3.1 makes vectors of accesses to an array that a kernel for processors reads and writes in turn, where it is told
   that no other name is the same memory: some read what was there before. */
static bool is_mistaken(const Emit *e, const KernelCmd *loop, const KernelFree *item)
{
    return e->on_processor && item->written && kernel_reads(loop->body, item->variable);
}

/* The body's free names but the loop's own, as parameters and, for the host, as arguments; word: 1 + the number of
   what `ahead` is, 0 where there is none. */
static size_t kernel_parameters(Emit *e, const KernelCmd *loop, Text *parameters, Text *arguments,
                                size_t *word)
{
    KernelFreeVec used = kernel_free(e->c, loop->body);
    size_t count = 0;
    *word = 0;
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
        if (item->variable == loop->ahead)
            *word = count;
        if (item->variable->space == KERNEL_GLOBAL) {
            e->writes_alone = e->writes_alone && (!item->written || emit_is_alone(e, &used, item));
            bool is_alone = emit_is_alone(e, &used, item) &&
                            !kernel_swaps(loop->body, item->variable) &&
                            !is_mistaken(e, loop, item);
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
    find_divisors(&(Divisors){e, &used, note_divisor}, loop->body,
                  loop->level == KERNEL_GRID || kernel_has(loop->body, KERNEL_MEET));
    for (size_t i = 0; i < e->divisors.count; i++, count++) {
        const char *name = emit_name(e, e->divisors.items[i]);
        text_printf(parameters, ", const ulong by_%s", name);
        text_printf(arguments, "%sTL_INVERSE(%s)", count ? ", " : "", name);
    }
    e->real_divisors.count = 0;
    find_real_divisors_in(&(Divisors){e, &used, note_real_divisor}, loop->body);
    for (size_t i = 0; i < e->real_divisors.count; i++, count += 2) {
        const char *name = emit_name(e, e->real_divisors.items[i]);
        text_printf(parameters, ", const double by_%s, const double low_%s", name, name);
        text_printf(arguments, ", TL_RECIPROCAL(%s), TL_RECIPROCAL_LOW(%s)", name, name);
    }
    if (loop->ahead && !find_used(&used, loop->ahead)) {
        const char *name = emit_name(e, loop->ahead);
        text_printf(parameters, "%sconst global long *%s", parameters->length ? ", " : "", name);
        text_printf(arguments, "%sTL_READS(%s)", count++ ? ", " : "", name);
        *word = count;
    }
    if (emit_has_arrival(loop->body)) {
        text_printf(parameters, "%svolatile global int *arrived", parameters->length ? ", " : "");
    }
    if (loop->groups) {
        text_printf(parameters, "%svolatile global int *shares", parameters->length ? ", " : "");
    }
    if (emit_status_words(loop->body) > 0) {
        text_printf(parameters, "%svolatile global ulong *statuses, const uint launch",
                    parameters->length ? ", " : "");
    }
    if (e->survey.device_checks) {
        bool checks = kernel_has(loop->body, KERNEL_CHECK);
        text_printf(parameters, "%s%sglobal int *failure%s", parameters->length ? ", " : "",
                    checks ? "" : "const ",
                    checks ? ", global long *failure_values, const int own" : "");
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

/* aligned: neighbours in them are read together. */
static void emit_local_buffer(Emit *e, const KernelCmd *declare, bool aligned, bool swaps)
{
    long long count = (long long)declare->count->as.constant.as.integer;
    const char *type = emit_element_type(EMIT_DEVICE, declare->variable->prim);
    const char *name = emit_name(e, declare->variable), *memory = swaps ? "_memory" : "";
    emit_line(e, "local %s %s%s[%lld]%s;", type, name, memory, count > 0 ? count : 1,
              aligned ? " __attribute__((aligned(16)))" : "");
    if (swaps)
        emit_line(e, "local %s *TL_EXCHANGED %s = %s%s;", type, name, name, memory);
}

static void emit_local_buffers(Emit *e, KernelBlock kernel, KernelBlock block, bool aligned)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_LOCAL)
            emit_local_buffer(e, command, aligned, kernel_swaps(kernel, command->variable));
        emit_local_buffers(e, kernel, command->body, aligned);
        emit_local_buffers(e, kernel, command->otherwise, aligned);
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
    const char *number = command->index ? emit_exp(e, command->index)
                         : ce->item     ? ce->item
                                        : "get_global_id(0)";
    const unsigned stage = e->program->failures[command->failure].stage;
    if (stage > 0) /* rows are fewer than 2^48 */
        number = arena_printf(e->c->arena, "(ulong)%u << 48 | (ulong)(%s)", stage, number);
    emit_line(e, "if (!(%s)) tl_failed(failure, failure_values, own, %s, %zu%s);", condition,
              number, command->failure + 1, text_get(&values));
}

/* ---- device commands ------------------------------------------------------------------------ */

/* A LOCAL loop: this work-item's iteration, where nothing has failed before this kernel. */
static void emit_local_loop(Emit *e, const KernelCmd *command)
{
    emit_line(e, e->may_rest ? "if (alive) {" : "{");
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
    if (!ce->in_group || !e->may_rest || !command->value)
        return false;
    bool declares = command->kind == KERNEL_DECLARE;
    const char *type = declares ? emit_variable_type(e, command->variable) : "";
    bool is_const = declares && !e->survey.assigned[command->variable->number];
    emit_line(e, "%s%s%s%s = alive ? %s : 0;", is_const ? "const " : "", type, declares ? " " : "",
              emit_name(e, command->variable), emit_operand(e, command->value));
    return true;
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
        if (command->product && !e->in_product) {
            emit_product(e, command);
            return true;
        }
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
    case KERNEL_ATOMIC: emit_device_atomic(ce, command); return true;
    case KERNEL_EXCHANGE: emit_device_exchange(e, command); return true;
    case KERNEL_RETRY: emit_device_retry(e, command); return true;
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
    case KERNEL_STORE:
    case KERNEL_COPY:
    case KERNEL_WHILE:
    case KERNEL_IF:
    case KERNEL_EFFECT:
    case KERNEL_RESERVE:
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_COMMENT: return false;
    }
    return false;
}

/* When the kernel has something to do; NULL: always. */
static const char *when_alive(Emit *e, const KernelCmd *loop)
{
    const char *checks = !e->survey.device_checks               ? NULL
                         : kernel_has(loop->body, KERNEL_CHECK) ? "tl_goes_on(*failure, own)"
                                                                : "*failure == 0";
    if (!loop->ahead)
        return checks;
    return arena_printf(e->c->arena, "%s%s*%s >= 0", checks ? checks : "", checks ? " && " : "",
                        emit_name(e, loop->ahead));
}

static void emit_grid_body(Emit *e, const KernelCmd *loop)
{
    const char *i = emit_name(e, loop->variable), *alive = when_alive(e, loop);
    if (loop->ahead) {
        emit_line(e, "if (%s) {", alive);
        e->indent++;
        emit_line(e, "TL_ITEMS(%s, count) {", i);
        emit_inner(e, loop->body);
        emit_line(e, "}");
        e->indent--;
        emit_line(e, "}");
        return;
    }
    emit_line(e, "const tl_index %s = get_global_id(0);", i);
    emit_line(e, "if (%s < count%s%s) {", i, alive ? " && " : "", alive ? alive : "");
    emit_inner(e, loop->body);
    emit_line(e, "}");
}

static void emit_group_body(EmitOpencl *ce, const KernelCmd *loop)
{
    Emit *e = &ce->e;
    emit_local_buffers(e, loop->body, loop->body, loop->tile[0] > 0);
    const char *alive = when_alive(e, loop);
    e->may_rest = alive != NULL;
    if (alive)
        emit_line(e, "TL_ALIVE alive = %s;", alive);
    emit_line(e, "const tl_index %s = %s;", emit_name(e, loop->variable),
              loop->groups ? "tl_take_share(shares)" : "get_group_id(0)");
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
    e->in_tiles = loop->tile[0] > 0;
    size_t count = kernel_parameters(e, loop, &parameters, &arguments, &ce->word);
    const char *place = emit_place_comment(e->c, loop->span);
    ce->group_size = group_size(loop->body);
    ce->item = loop->level == KERNEL_GRID ? emit_name(e, loop->variable) : NULL;
    ce->status_words = emit_status_words(loop->body);
    ce->arguments = count ? arena_printf(e->c->arena, "%zu, (const tl_argument[]){%s}", count,
                                         text_get(&arguments))
                          : "0, NULL";
    e->out = &text;
    e->indent = 0;
    e->special = emit_device_command;
    emit_blank(e);
    const char *needs = on_processor                          ? "TL_ON_PROCESSOR"
                        : kernel_find_product(loop->body)     ? "TL_MULTIPLIES"
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
    e->on_processor = e->in_tiles = false;
    ce->kernel_start = ce->kernels.length;
    text_append(&ce->kernels, text_get(&text), text.length);
    e->out = host.out;
    e->indent = host.indent;
    e->dialect = host.dialect;
    e->special = host.special;
}
