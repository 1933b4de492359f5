/* Shared by products.c, which says what it is all for, and product_loops.c. */
#ifndef BACKEND_SEQUENTIAL_PRODUCTS_H
#define BACKEND_SEQUENTIAL_PRODUCTS_H

#include "backend/slices.h"

enum { PRODUCTS_MOST_TOTALS = 4, PRODUCTS_MOST_TILED = 2 };

/* Indices of the loops' slices. */
enum {
    PRODUCTS_ROW = 1,
    PRODUCTS_COLUMN = 2,
    PRODUCTS_NUMBER = 4,
    PRODUCTS_TOTAL = 8 /* and above: sums */
};

typedef struct Products {
    Compilation *c;
    bool is_shared;     /* work-items of a processor share the strips */
    PointerMap aliased; /* buffers that may be the memory of others somewhere */
    PointerMap
        fresh; /* of these, those that have been allocated, and are nobody else's memory since */
    /* the loops at hand; `rows` may be NULL */
    const KernelCmd *rows, *columns, *numbers;
    size_t at;     /* number of the loop over k among the commands of that over j */
    Slices slices; /* of all declarations up to the end of the loop over k, without sums */
    KernelVariable *totals[PRODUCTS_MOST_TOTALS];
    const KernelExp *neutral[PRODUCTS_MOST_TOTALS];
    size_t total_count;
    bool in_strips; /* strips of columns pay as what they load lies */
    /* What the loop over k declares of far loads, or computes, the same for all rows, and is worth a tile; none: that does not
       pay. */
    size_t tiled_count;
    KernelVariable *tiled[PRODUCTS_MOST_TILED];
    bool pads; /* lanes may go on with zeros behind the last column */
} Products;

/* product_loops.c. Whether the loop is one, or two, that are to be taken in strips; then all about it is in `p`. */
bool products_study(Products *p, const KernelCmd *loop);
/* The commands that the sums' new values and what is stored on the way need: those that are the same for all columns, or the
   others with the assignments and stores, in their order. is_tiled: but not what tiles have. */
KernelBlock products_work(const Products *p, bool same, bool is_tiled);
/* Whether the index is one of the column's and the number's own: column + number * how many columns there are, and what is the
   same for all. */
bool products_is_own_place(const Slices *slices, const KernelCmd *columns,
                           const KernelVariable *number, const KernelExp *index);
/* A loop of a few columns, which are known, that is to be written out. */
bool products_is_few(const Products *p);
/* Fewer columns stay as they are. */
int64_t products_fewest_columns(const Products *p);
#endif
