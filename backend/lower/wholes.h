/* Results that are wholes of several parts: wholes.c finds them, parts.c makes the parts where they belong (private to these
   two). */
#ifndef BACKEND_LOWER_WHOLES_H
#define BACKEND_LOWER_WHOLES_H

#include "backend/lower/lower.h"

/* How the elements of a whole, or of a part of it, lie. */
typedef enum Layout {
    LAYOUT_DENSE,   /* one after the other */
    LAYOUT_STRIDES, /* at equal distances along each axis */
    LAYOUT_PLACES   /* each where a view of them says: turned round, or some outside */
} Layout;

/* One array of several that are behind each other. */
typedef struct Part {
    CoreName *name;
    bool is_made; /* by a map, which may store it there */
} Part;

/* A result of a body that is one array of several parts. */
typedef struct Whole {
    CoreName *name;
    bool is_result;       /* of the body; or a view of what one nest makes */
    const Reader *wanted; /* where it is wanted; NULL: anywhere, as memory of its own */
    bool has_concat, has_scan;
    bool has_twice;     /* one of the parts at two places */
    bool is_large;      /* a part that is made is not of few elements */
    size_t others, few; /* parts that no map makes; those of few elements */
    size_t first;       /* the statement that makes the first part */
    VEC(CoreName *) views;
    VEC(Part) parts;
    PointerMap
        places; /* CoreName -> Reader: where views and parts belong; none before the first is made */
} Whole;

struct Wholes {
    const CoreBody *body;
    PointerMap numbers; /* CoreName -> 1 + the statement that binds it */
    PointerMap uses;    /* CoreName -> size_t: how often */
    VEC(Whole) items;
};

/* The number of the statement that binds it; SIZE_MAX: none of the body does. */
size_t whole_binder(const Wholes *wholes, const CoreName *name);
/* The first axis from that one on whose extent is not 1; the rank: there is none. */
int whole_next_axis(CoreType type, int axis);
/* The array that a view of one array is of, if its acceptor follows from the view's; NULL: there is none. What is under
   that lies as *layout says in the end. */
CoreName *whole_operand(const CoreStm *stm, Layout *layout);
/* NULL: it is no part. */
const Part *whole_part(const Whole *whole, const CoreName *name);

#endif
