/* Inside the lowering of digit_sort: digit_sort.c, and digit_tiles.c for devices whose work-items work in lanes. */
#ifndef BACKEND_LOWER_DIGIT_SORT_H
#define BACKEND_LOWER_DIGIT_SORT_H

#include "backend/lower/scan.h"

enum {
    DIGIT_ROWS = 8,                             /* elements of a work-item in a tile */
    DIGIT_TILE = KERNEL_GROUP_SIZE * DIGIT_ROWS /* of all */
};

typedef struct DigitSort {
    const CoreStm *stm;
    const char *text;
    const KernelExp *rows; /* NULL: it is a vector */
    const KernelExp *width, *digit;
    const Reader *array, *place;
    const KernelExp *parts;      /* host: how many, of a row */
    const KernelExp *share;      /* on processors: elements of a part at most */
    const Reader *counts, *sums; /* digit d of part p of row r is at (r * 256 + d) * parts + p */
    const KernelExp *row;        /* that is sorted */
    const CoreBody *sum;         /* makes the sums: the last statement is the scan */
    /* of a tile's kernel */
    LowerKernel *kernel;
    const KernelExp *part, *first,
        *is_full;               /* its number, its first element; all of them are there */
    KernelVariable *bins;       /* local: how many of each digit */
    KernelVariable *tile, *own; /* local; private: a work-item's elements */
    KernelVariable *starts,
        *firsts;     /* local, of each digit: where the tile's go, and where they begin in it */
    GroupScan words; /* one of each work-item */
} DigitSort;

/* ---- digit_sort.c ------------------------------------------------------------------------------- */

/* The digit of an element; its first bit. */
const KernelExp *digit_of(Lower *L, const DigitSort *sort, const KernelExp *element);
const KernelExp *digit_shift_of(Lower *L, const DigitSort *sort);
/* Element i of the row that is sorted. */
const KernelExp *digit_read(Lower *L, const DigitSort *sort, const KernelExp *i);
void digit_store(Lower *L, const DigitSort *sort, const KernelExp *i, const KernelExp *element);
/* Where a digit of the part of the row has its count. */
const KernelExp *digit_slot(Lower *L, const DigitSort *sort, const KernelExp *digit,
                            const KernelExp *part);
/* Where the first element with that digit of the part goes in its row. */
const KernelExp *digit_start_of(Lower *L, const DigitSort *sort, const KernelExp *digit,
                                const KernelExp *part);
/* Which part of which row the kernel's row is: notes the row. */
const KernelExp *digit_find_part(Lower *L, DigitSort *sort, const LowerKernel *kernel);
/* All parts have been gone through. */
void digit_end_kernel(Lower *L, const DigitSort *sort, LowerKernel *kernel, const char *kind);

/* ---- digit_tiles.c: kernels, a tile a group ------------------------------------------------------- */

/* The tiles' counts. */
void digit_count_tiles(Lower *L, DigitSort *sort);
/* Tiles in the order of the digit, moved to where the sums say. */
void digit_move_tiles(Lower *L, DigitSort *sort);
/* The same where a row is a tile. */
void digit_sort_rows_in_tiles(Lower *L, DigitSort *sort);

#endif
