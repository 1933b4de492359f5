/* What the parts of the generator of random core programs share (see generate.c). */
#ifndef TESTS_RANDOM_RANDOM_H
#define TESTS_RANDOM_RANDOM_H

#include "core/core.h"

enum { MAX_RANK = 3, MAX_SCOPE = 4096, MAX_PARTS = 4, UNKNOWN = -1 };

/* A name that may be used here, and what the generator knows of its extents. */
typedef struct Value {
    CoreAtom atom;
    int rank;
    int64_t extent[MAX_RANK]; /* UNKNOWN: only run time knows */
} Value;

typedef struct Generator {
    Compilation *c;
    uint64_t state;
    Value scope[MAX_SCOPE];
    size_t count;      /* of the scope */
    size_t size_count; /* of the sizes */
    struct {
        CoreAtom atom;
        int64_t extent;
    } sizes[MAX_SCOPE]; /* names that may be used as sizes */
    bool inside;        /* in a body: no effects */
    int depth;          /* of bodies */
    int64_t runs;       /* how often the body runs, about */
    bool may_fail;      /* assertions may be false */
    int arguments;
} Generator;

/* What a body hides when it ends. */
typedef struct Mark {
    size_t count, size_count;
    bool inside;
    int depth;
    int64_t runs;
} Mark;

/* An associative operator with its neutral elements. */
typedef struct Operator {
    size_t parts;
    CorePrim prim;
    CoreAtom neutral[MAX_PARTS];
    bool commutative;
    bool is_single; /* one core operator */
    CoreOperator op;
    const CoreLambda *function;
} Operator;

/* ---- values.c ---- */
int64_t below(Generator *g, int64_t limit); /* 0 .. limit-1 */
bool chance(Generator *g, int in);          /* one in `in` */
Mark enter(Generator *g, int64_t width);
void leave(Generator *g, Mark mark);
void keep(Generator *g, CoreAtom atom, int rank, const int64_t *extent);
void keep_like(Generator *g, CoreAtom atom, Value like);
void keep_scalar(Generator *g, CoreAtom atom);
void keep_size(Generator *g, CoreAtom atom, int64_t extent);
int64_t elements(const Value *v);                          /* UNKNOWN where an extent is */
bool pick(Generator *g, int prim, int rank, Value *found); /* -1: any; rank -1: any array */
CorePrim some_prim(Generator *g);
CorePrim some_int(Generator *g);
CoreAtom some_constant(Generator *g, CorePrim prim);
CoreAtom some_scalar(Generator *g, CoreBuilder *b, CorePrim prim);
CoreAtom some_size(Generator *g, CoreBuilder *b, int64_t extent);
int64_t some_extent(Generator *g);
Value some_vector(Generator *g, CoreBuilder *b, CorePrim prim, int64_t extent);
Value some_array(Generator *g, CoreBuilder *b);
CoreAtom with_sizes(CoreBuilder *b, CoreAtom array, int rank, const CoreAtom *sizes);
CoreAtom index_in(Generator *g, CoreBuilder *b, const Value *v, int axis);
CoreAtom combine(Generator *g, CoreBuilder *b, CorePrim prim);
/* ---- operators.c ---- */
Operator some_operator(Generator *g);
/* ---- statements.c ---- */
void some_statement(Generator *g, CoreBuilder *b);
/* ---- soacs.c ---- */
void make_soac(Generator *g, CoreBuilder *b);
void make_reduction_of_rows(Generator *g, CoreBuilder *b);
void make_filter(Generator *g, CoreBuilder *b);
void make_scatter(Generator *g, CoreBuilder *b);
void make_hist(Generator *g, CoreBuilder *b);
void make_stream(Generator *g, CoreBuilder *b);
CoreName *fresh(Generator *g, CoreType type);

#endif
