/* Rows that a work-item reads several at a time: 16 bytes of each input by one access, where rows lie
   side by side in memory.

       t + a[start + i] * x[i]     for i = first ... first + 3     ==>

       a0, a1, a2, a3 = a[start + first ...]          one load each, where start + first and first
       x0, x1, x2, x3 = x[first ...]                  are multiples of 4
       t + a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3

   A quarter of the accesses ask for the same memory, so that more of it is on its way at a time. How
   many rows: as many as 16 bytes hold of the widest input; of narrower ones fewer bytes are read.
   Whether first rows are such multiples is found out in the kernel, once a segment: reading row by
   row stays beside this. Inputs that are numbers of rows, or the same for all rows, are in no memory. */
#include "backend/lower/reduce.h"

enum {
    BYTES = 16,          /* the most that one access of a work-item reads */
    MOST_STATEMENTS = 96 /* of all rows that are read at a time: each is written out */
};

/* In memory, a row beside the next one, or the same place for all rows: which, the step says. */
static bool is_beside(Lower *L, const Reader *input)
{
    return input->kind == READER_STORED && input->rank == 1 && input->guard == NULL &&
           input->buffer->space == KERNEL_GLOBAL && !kernel_is_i64(input->strides[0], 0) &&
           lower_is_bit(L, input->strides[0]);
}

static bool is_computed(const Reader *input)
{
    return input->rank == 1 &&
           (input->kind == READER_IOTA || (input->kind == READER_REPLICATE && !input->child));
}

static bool is_same(const KernelExp *x, const KernelExp *y)
{
    return x->kind == KERNEL_VARIABLE
               ? y->kind == KERNEL_VARIABLE && x->as.variable == y->as.variable
               : x->kind == KERNEL_CONSTANT && kernel_is_i64(y, x->as.constant.as.integer);
}

WideRows lower_wide_rows(Lower *L, const CoreSoac *soac)
{
    WideRows wide = {.soac = soac, .rows = 1};
    unsigned widest = 0;
    for (size_t k = 0; k < soac->input_count; k++) {
        const Reader *input = lower_array(L, soac->inputs[k]);
        if (is_beside(L, input)) {
            unsigned bytes = kernel_bytes(input->prim);
            widest = widest > bytes ? widest : bytes;
        } else if (!is_computed(input)) {
            return wide;
        }
    }
    RowWork work = lower_row_work(L, soac->map);
    if (widest == 0 || work.reads > 0 || !lower_reads_ahead(L, soac)) {
        return wide;
    }
    wide.rows = BYTES / widest;
    while (wide.rows > 1 && wide.rows * (work.statements + 1) > MOST_STATEMENTS) {
        wide.rows /= 2;
    }
    wide.loaded = ARENA_ARRAY(L->c->arena, KernelVariable *, soac->input_count * wide.rows + 1);
    return wide;
}

const KernelExp *lower_wide_fits(Lower *L, const WideRows *wide, const KernelExp *first)
{
    const KernelExp *fits = kernel_constant(L->c, core_bool(true));
    const KernelExp *mask = lower_number(L, (int64_t)wide->rows - 1), *zero = lower_number(L, 0);
    for (size_t k = 0; k < wide->soac->input_count; k++) {
        const Reader *input = lower_array(L, wide->soac->inputs[k]);
        bool met = is_computed(input);
        for (size_t j = 0; j < k && !met; j++) {
            const Reader *other = lower_array(L, wide->soac->inputs[j]);
            met = !is_computed(other) && is_same(input->offset, other->offset) &&
                  is_same(input->strides[0], other->strides[0]);
        }
        if (!met) {
            const KernelExp *at = lower_op(L, CORE_ADD, input->offset, first);
            const KernelExp *one = lower_op(L, CORE_EQ, lower_op(L, CORE_AND, at, mask), zero);
            fits = lower_op(L, CORE_AND, fits, one);
            fits = lower_op(L, CORE_AND, fits,
                            lower_op(L, CORE_EQ, input->strides[0], lower_number(L, 1)));
        }
    }
    return lower_let(L, "fits", fits);
}

void lower_wide_load(Lower *L, WideRows *wide, const KernelExp *first)
{
    wide->first = first;
    for (size_t k = 0; k < wide->soac->input_count; k++) {
        const Reader *input = lower_array(L, wide->soac->inputs[k]);
        if (is_computed(input)) {
            continue;
        }
        KernelVariable **loaded = wide->loaded + k * wide->rows;
        for (size_t j = 0; j < wide->rows; j++) {
            loaded[j] = kernel_variable(L->c, wide->soac->map->parameters[k]->text,
                                        lower_prim(input->prim), KERNEL_SCALAR, L->b->span);
        }
        kernel_declare_wide(L->b, wide->rows, loaded, input->buffer,
                            lower_op(L, CORE_ADD, input->offset, first));
    }
}

void lower_wide_bind(Lower *L, const WideRows *wide, size_t number)
{
    const KernelExp *row = lower_op(L, CORE_ADD, wide->first, lower_number(L, (int64_t)number));
    for (size_t k = 0; k < wide->soac->input_count; k++) {
        const Reader *input = lower_array(L, wide->soac->inputs[k]);
        const KernelExp *value = is_computed(input)
                                     ? lower_read(L, input, &row)
                                     : kernel_use(L->c, wide->loaded[k * wide->rows + number]);
        lower_bind_scalar(L, wide->soac->map->parameters[k], value);
    }
}
