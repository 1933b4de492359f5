/* Single items of arrays as text: shared by printing, formatting and messages. Private to the
   runtime. */
#ifndef RUNTIME_SPELL_H
#define RUNTIME_SPELL_H

#include "runtime/tailor.h"

enum { TL_ITEM_SIZE = 64 };

/* Row-major elements and how many significant digits their reals show. `data` may be unaligned. */
typedef struct tl_items {
    tl_type type;
    const void *data, *imaginary; /* imaginary parts of complex numbers; else NULL */
    int digits;
} tl_items;

/* One item and a NUL, at most TL_ITEM_SIZE bytes; returns where the NUL is. UTF-8. */
char *tl_put_item(char *at, const tl_items *items, int64_t index);
/* The significant digits of an item's magnitude, as many as its type tells apart but without zeros
   at the end, at most 20 of them: 0.0125 is "125" and -2, 0 is "0" and 0; returns how many. *most
   is how many a type of this kind has (whole numbers are exact: INT_MAX). Numbers only; finite. */
int tl_item_digits(const tl_items *items, int64_t index, char *digits, int *exponent, int *most);
/* An item that is a number, as a double, for its sign and whether it is finite. */
double tl_item_real(const tl_items *items, int64_t index);

#endif
