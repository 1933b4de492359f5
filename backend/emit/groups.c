/* What the groups of a kernel tell each other, as OpenCL C text: that they have come (ARRIVE, MEET),
   in which order they started (TICKET), and what they have computed (PUBLISH, AWAIT). */
#include "backend/emit/emit.h"

/* The group counts itself; who counts last finds what all others stored before. The fences order
   the stores before the counting and the readings after it. */
void emit_arrive(Emit *e, const KernelCmd *command)
{
    const char *last = emit_name(e, command->variable), *counter = "arrived";
    const char *groups = "(int)get_num_groups(0)";
    if (command->index) {
        counter = arena_printf(e->c->arena, "&arrived[%s]", emit_index(e, command->index));
        groups = arena_printf(e->c->arena, "(int)(%s)", emit_exp(e, command->value));
    }
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
    emit_line(e, "if (get_local_id(0) == 0%s) {", e->may_rest ? " && alive" : "");
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "    %s[0] = atomic_inc(%s) == %s - 1;", last, counter, groups);
    emit_line(e, "    if (%s[0]) *(%s) = 0;", last, counter);
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "}");
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
}

/* `meetings` counts the groups that are to have come. */
void emit_meet(Emit *e)
{
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
    emit_line(e, "meetings += (uint)get_num_groups(0);");
    emit_line(e, "if (get_local_id(0) == 0%s) {", e->may_rest ? " && alive" : "");
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "    atomic_inc(arrived);");
    emit_line(e, "    while ((int)((uint)arrived[0] - meetings) < 0) {}");
    emit_line(e, "    tl_device_fence();");
    emit_line(e, "}");
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
}

/* Who leaves last sets the counters back. */
void emit_parting(Emit *e)
{
    emit_line(
        e, "if (get_local_id(0) == 0 && atomic_inc(&arrived[1]) == (int)get_num_groups(0) - 1) {");
    emit_line(e, "    arrived[0] = 0;");
    emit_line(e, "    arrived[1] = 0;");
    emit_line(e, "}");
}

void emit_swap(Emit *e, const KernelCmd *command)
{
    const char *x = emit_name(e, command->variable), *y = emit_name(e, command->source);
    const char *type = emit_element_type(EMIT_DEVICE, command->variable->prim);
    emit_line(e, "{");
    emit_line(e, "    %s %s *const other = %s;",
              command->variable->space == KERNEL_LOCAL ? "local" : "global", type, x);
    emit_line(e, "    %s = %s;", x, y);
    emit_line(e, "    %s = other;", y);
    emit_line(e, "}");
}

/* The group takes the next number; who takes the last one sets the counter back. */
void emit_ticket(Emit *e, const KernelCmd *command)
{
    emit_line(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
    emit_line(e, "if (get_local_id(0) == 0%s) {", e->may_rest ? " && alive" : "");
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
void emit_publish(EmitOpencl *ce, const KernelCmd *command)
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
void emit_await(EmitOpencl *ce, const KernelCmd *command)
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
