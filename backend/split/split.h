/* Shared by the files of backend/split/; split.c says what it is all for. */
#ifndef BACKEND_SPLIT_SPLIT_H
#define BACKEND_SPLIT_SPLIT_H

#include "backend/copy.h"

/* Distinct high ones, and what they are so many places from: a window has many of one extent. */
enum { SPLIT_MOST_BORDERS = 32, SPLIT_MOST_BASES = 8 };
/* Bounds and places stay within these, so that sums with offsets do not wrap. */
#define SPLIT_FAR (INT64_C(1) << 62)

/* The loop's variable, that, and that. */
typedef struct Linear {
    int64_t offset;
    KernelVariable *turn; /* or NULL */
} Linear;

/* "i is below base - turn + shift"; without base and turn: a low border. */
typedef struct Border {
    KernelVariable *base; /* NULL: 0 */
    KernelVariable *turn; /* by so many places an array is rotated; NULL: 0 */
    int64_t shift;
} Border;

/* Of a variable declared in the loop at work. */
typedef struct Fact {
    const KernelExp *value;        /* as it is declared; NULL: it is assigned later */
    bool is_linear, is_comparison; /* in the part at work */
    Linear linear;
    Border border;                /* a comparison with the loop's variable */
    unsigned depth;               /* loops around its declaration */
    const KernelExp *replacement; /* in the copy being made */
} Fact;

typedef struct Known {
    bool assigned;          /* written after its declaration */
    const KernelExp *value; /* as it was declared; or NULL */
    bool is_ambiguous;      /* in two blocks, as different values */
    unsigned inside; /* the stamp of the last loop in which it was found declared or assigned */
    Fact *fact;      /* declared in that loop; or NULL */
} Known;

/* What is known of i in the part being copied; of the high borders a bit each. */
typedef struct Part {
    bool
        is_any_interior; /* borders are being looked for: what is asked where all that are found are decided */
    bool below_low, from_low;
    uint64_t below_high, from_high;
} Part;

typedef struct Split {
    Compilation *c;
    Known *known; /* by number of variable */
    size_t capacity;
    unsigned stamp;
    /* Scalars of the host's that are made of elements on the device: kernels may read these themselves, as long as they do
       not say how often a loop goes (backend/device_scalars.c). */
    PointerMap on_device;
    /* of the loop at work: */
    const KernelCmd *loop;
    bool is_outer;                   /* it has loops inside */
    int64_t low;                     /* the greatest low border; 0: none */
    Border high[SPLIT_MOST_BORDERS]; /* distinct */
    size_t high_count;
    bool gives_up; /* more of them */
    Part part;
} Split;

/* What is known of the variable. */
Known *split_known(Split *s, const KernelVariable *variable);
/* Of a variable declared in the loop at work; else NULL. */
Fact *split_fact(Split *s, const KernelVariable *variable);

/* borders.c. Finds low and high of the loop at work, whose facts are new; says whether there are
   any, and not too many. */
bool split_find_borders(Split *s);
/* What its declaration says of a variable in the part at work. */
void split_note(Split *s, const KernelCmd *declaration);
/* Whether one of the high borders is a rotation's by a number that only run time knows. */
bool split_has_turn(const Split *s);
/* A constant border in the second half of a constant number of iterations counts as a high one. */
bool split_is_low(const Split *s, Border border);
/* The value of a comparison in the part being copied: 0 or 1; -1 where it is not known there. */
int split_decided(Split *s, const KernelExp *exp);

/* copy.c. A copy of the block as it is in s->part, with names of its own. */
KernelBlock split_copy(Split *s, KernelBlock block);
/* A variable of its own for a copy's declaration. */
KernelVariable *split_rename(Split *s, const KernelVariable *variable);
#endif
