/* Scalars as arrays of one element: memory of the device, which the host need not know. */
#include "core/locality/device.h"

void device_store(CoreBuilder *b, size_t count, const bool *moves, CoreAtom *atoms)
{
    CoreAtom *scalars = ARENA_ARRAY(b->c->arena, CoreAtom, count);
    CoreAtom *arrays = ARENA_ARRAY(b->c->arena, CoreAtom, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            scalars[found++] = atoms[i];
        }
    }
    if (found == 0) {
        return;
    }
    CoreAtom row = core_let_iota(b, "row", core_i64(1));
    CoreName *index = core_name(b->c, "j", core_scalar(CORE_I64), b->span);
    CoreBuilder inner = core_builder(b->c, b->span);
    core_let_map(b, "state", core_i64(1), 1, &row,
                 core_lambda(b->c, 1, &index, core_body(&inner, found, scalars)), arrays);
    found = 0;
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            atoms[i] = arrays[found++];
        }
    }
}

CoreName *device_array(Compilation *c, const CoreName *scalar)
{
    CoreType type = core_array_of(c, core_i64(1), scalar->type);
    return core_name(c, scalar->text, type, scalar->span);
}

void device_load(CoreBuilder *b, CoreName *x, CoreName *array)
{
    CoreAtom *zero = ARENA_NEW(b->c->arena, CoreAtom);
    CoreExp *exp = ARENA_NEW(b->c->arena, CoreExp);
    *zero = core_i64(0);
    *exp = (CoreExp){.kind = CORE_EXP_INDEX,
                     .as.index = {.array = core_use(array), .count = 1, .indices = zero}};
    core_bind(b, 1, &x, exp);
}
