/* Inside of irregular nests (private to core/flatten): irregular.c says what they are, elements.c has what is done for all
   rows and for all their elements. */
#ifndef CORE_FLATTEN_IRREGULAR_H
#define CORE_FLATTEN_IRREGULAR_H

#include "core/flatten/flatten.h"

typedef enum RowKind {
    ROW_SCALAR, /* numbers: computed for all rows by a map */
    ROW_VIEW,   /* done again wherever it is read */
    ROW_SOAC
} RowKind;

/* The elements of all rows, where a row has as many as the width says. */
typedef struct Layout {
    CoreAtom width; /* in the row */
    CoreAtom sums;  /* of all rows: up to the row's end */
    CoreAtom total, longest;
    CoreAtom rows; /* of all elements: the row of each */
} Layout;

typedef struct Irregular {
    Compilation *c;
    MapContext m;
    CoreBuilder *b; /* where the host's statements go */
    CoreAtom n;     /* rows */
    RowKind *kinds;
    bool *later;      /* of each statement: it depends on a SOAC, or is one */
    Renaming *stored; /* number of a row -> the array of all rows */
    Renaming *flat;   /* array of a row -> that of all elements */
    VEC(size_t) pending;
    VEC(Layout) layouts;
} Irregular;

/* A function of all rows, or of all elements, that is being built. */
typedef struct Inside {
    Irregular *g;
    CoreBuilder builder;
    Renaming *renaming;
    CoreAtom row; /* its number */
} Inside;

Inside irregular_inside(Irregular *g, Span span, CoreAtom row);
CoreName *irregular_row_name(Irregular *g, Span span);
/* A statement of the row with what it needs. */
void irregular_put(Inside *in, const CoreStm *stm);
/* The atom of a row as one in this function. */
CoreAtom irregular_bring(Inside *in, CoreAtom atom);
/* All pending statements, of all rows. */
void irregular_flush(Irregular *g);
/* NULL: there is none of this width. */
const Layout *irregular_layout(const Irregular *g, CoreAtom width);
void irregular_add_layout(Irregular *g, CoreAtom width);
/* The row of each element. */
void irregular_find_rows(Irregular *g, Layout *layout);
/* A SOAC of the row as one of all elements. */
void irregular_spread(Irregular *g, const CoreStm *stm);

#endif
