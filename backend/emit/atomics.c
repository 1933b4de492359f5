/* Atomic updates of elements as OpenCL C text: OpenCL's own function where there is one, else an
   element is read, computed, and exchanged if nobody came between, and if it is another one. What is read first need not be
   up to date.
   Sums of reals in global memory are one instruction of NVIDIA's devices, for which OpenCL C has no function. */
#include "backend/emit/emit.h"

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

/* Elements go in one direction: one that stays as it is read stays so whatever others have made of it since. */
static bool settles(CoreOperator op)
{
    return op == CORE_MIN || op == CORE_MAX || op == CORE_AND || op == CORE_OR;
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
    /* Its variables are not the program's, of which alone more is known; it is the same for kernels for processors. */
    Emit inner = {.c = c, .program = ce->e.program, .dialect = EMIT_DEVICE};
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
    bool instruction =
        op == CORE_ADD && core_is_real(buffer->prim) && buffer->space != KERNEL_LOCAL;
    if (instruction) {
        text_printf(
            &definition,
            "#ifdef __NV_CL_C_VERSION\n"
            "    asm volatile(\"red.global.add.%s [%%0], %%1;\" : : \"l\"(target), \"%s\"(value) : "
            "\"memory\");\n}\n#else\n",
            wide ? "f64" : "f32", wide ? "d" : "f");
    }
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
                "    %s seen = tl_seen(%s, word), before;\n    do {\n        before = seen;\n",
                word, exchange);
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
                "%s        seen = %s(word, before, next);\n    } while (seen != before);\n}\n%s",
                settles(op) ? "        if (next == before) {\n            return;\n        }\n"
                            : "",
                exchange, instruction ? "#endif\n" : "");
    text_append(&ce->kernels, text_get(&definition), definition.length);
}

void emit_device_atomic(EmitOpencl *ce, const KernelCmd *command)
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

void emit_device_exchange(Emit *e, const KernelCmd *command)
{
    emit_line(e, "%s = %s(&%s[%s], %s);", emit_name(e, command->variable),
              is_wide(command->source->prim) ? "atom_xchg" : "atomic_xchg",
              emit_name(e, command->source), emit_index(e, command->index),
              emit_exp(e, command->value));
}

/* The element is exchanged if nobody came between its reading and its writing, else all is done
   again. */
void emit_device_retry(Emit *e, const KernelCmd *command)
{
    bool wide = is_wide(command->source->prim);
    const char *word = wide ? "long" : "int", *exchange = wide ? "atom_cmpxchg" : "atomic_cmpxchg";
    const char *type = emit_scalar_type(EMIT_DEVICE, command->source->prim);
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "volatile global %s *word = (volatile global %s *)&%s[%s];", word, word,
              emit_name(e, command->source), emit_index(e, command->index));
    emit_line(e, "%s seen = tl_seen(%s, word), before;", word, exchange);
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
