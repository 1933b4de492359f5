/* A product of tiles (KernelProduct), for devices with matrix units:

       #ifdef TL_ADD_PRODUCT
       TL_ADD_PRODUCT(2, 4, 16, x_554, a_550, down_586, 20, 1, b_552, ..., 1, 132);
       #else
       for (d_589 = 0; d_589 < 16; d_589++) { ... }
       #endif

   The runtime has the macro where there are such units (runtime/opencl_program.c); else, in tests, the loop
   does the same. */
#include "backend/emit/emit.h"

static const char *tile_text(Emit *e, const KernelCmd *loop, int axis)
{
    const KernelProduct *product = loop->product;
    return arena_printf(e->c->arena, "%s, %s, %lld, %lld", emit_name(e, product->tiles[axis]),
                        emit_exp(e, loop->values[axis]), (long long)product->place_step[axis],
                        (long long)product->deep_step[axis]);
}

void emit_product(Emit *e, const KernelCmd *loop)
{
    const KernelProduct *product = loop->product;
    emit_line(e, "#ifdef TL_ADD_PRODUCT");
    emit_line(e, "TL_ADD_PRODUCT(%lld, %lld, %lld, %s, %s, %s);", (long long)product->each[0] / 2,
              (long long)product->each[1] / 2, (long long)product->depth,
              emit_name(e, product->totals), tile_text(e, loop, 0), tile_text(e, loop, 1));
    emit_line(e, "#else");
    e->in_product = true;
    emit_command(e, loop);
    e->in_product = false;
    emit_line(e, "#endif");
}
