/* What the parts of the generator of random core programs share (see generate.c). */
#ifndef TESTS_RANDOM_RANDOM_H
#define TESTS_RANDOM_RANDOM_H

#include "core/core.h"

enum { MAX_RANK = 4, MAX_SCOPE = 4096, MAX_ROOTS = 16384, MAX_PARTS = 4, UNKNOWN = -1 };
enum { MAX_FUNCTIONS = 16, MAX_PARAMETERS = 8 };

/* A name that may be used here, and what the generator knows of its extents. */
typedef struct Value {
    CoreAtom atom;
    int rank;
    int64_t extent[MAX_RANK]; /* UNKNOWN: only run time knows */
    int root;                 /* of arrays: those with the same find_root may share elements */
    bool consumed;
} Value;

/* A function that may be called: the parameters' extents are as when it was made. */
typedef struct Callee {
    const char *name;
    size_t parameter_count;
    Value parameters[MAX_PARAMETERS];
    size_t result_count;
    Value results[MAX_PARAMETERS];
    bool has_effect;
    const CoreFunction *function;
} Callee;

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
    struct {
        int parent;
        int level;     /* of the body that may consume it */
        bool borrowed; /* nobody may */
    } roots[MAX_ROOTS];
    int root_count;
    Callee functions[MAX_FUNCTIONS];
    size_t function_count; /* of this program */
    int function_number;   /* of the last one in the file */
    VEC(const CoreFunction *) made;
    Text entries;    /* comments: how to run them */
    bool inside;     /* a function or a body: no program arguments */
    bool pure;       /* a function of a SOAC: no effects */
    bool has_effect; /* the function that is made */
    int level;       /* of bodies that run many times */
    int depth;       /* of bodies */
    int64_t runs;    /* how often the body runs, about */
    bool may_fail;   /* assertions may be false */
    int arguments;
    CoreAtom certificates[8]; /* that may guard statements here */
    size_t certificate_count;
} Generator;

/* What a body hides when it ends. */
typedef struct Mark {
    size_t count, size_count, certificate_count;
    bool inside, pure;
    int level, depth;
    int64_t runs;
} Mark;

typedef enum OperatorKind { SINGLE, MATRIX, LAST_NOT_ZERO, PLACE_OF_LARGEST } OperatorKind;

/* An associative operator with its neutral elements. */
typedef struct Operator {
    OperatorKind kind;
    size_t parts;
    CorePrim prim;
    CoreAtom neutral[MAX_PARTS];
    bool commutative;
    CoreOperator op; /* SINGLE */
} Operator;

/* ---- values.c: what is in scope, and what shares elements ---- */
int64_t below(Generator *g, int64_t limit); /* 0 .. limit-1 */
bool chance(Generator *g, int in);          /* one in `in` */
Mark enter(Generator *g, int64_t width);    /* a body that runs many times */
Mark enter_branch(Generator *g);            /* one that runs at most once */
void leave(Generator *g, Mark mark);
CoreName *fresh(Generator *g, CoreType type);
void keep(Generator *g, CoreAtom atom, int rank, const int64_t *extent); /* shares with none */
void keep_like(Generator *g, CoreAtom atom, Value like);
void keep_scalar(Generator *g, CoreAtom atom);
void keep_view(Generator *g, CoreAtom atom, int rank, const int64_t *extent, const Value *of);
void keep_view_like(Generator *g, CoreAtom atom, Value like, const Value *of);
void keep_borrowed(Generator *g, CoreAtom atom, Value like);
void keep_size(Generator *g, CoreAtom atom, int64_t extent);
void share(Generator *g, const Value *a, const Value *b);
bool may_consume(Generator *g, const Value *v);
bool may_share(Generator *g, const Value *a, const Value *b);
void consume(Generator *g, const Value *v);
void lend(Generator *g, const Value *v);                   /* it is never consumed */
int64_t elements(const Value *v);                          /* UNKNOWN where an extent is */
bool pick(Generator *g, int prim, int rank, Value *found); /* -1: any; rank -1: any array */
/* ---- atoms.c: scalars, sizes and arrays to begin with ---- */
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
/* ---- operators.c ---- */
CoreAtom combine(Generator *g, CoreBuilder *b, CorePrim prim);
void make_scalar(Generator *g, CoreBuilder *b);
Operator some_operator(Generator *g);
const CoreLambda *operator_lambda(Generator *g, const Operator *o);
CoreAtom tame(CoreBuilder *b, CoreAtom x); /* reals that operators treat exactly */
/* ---- statements.c ---- */
void some_statement(Generator *g, CoreBuilder *b);
void some_statements(Generator *g, CoreBuilder *b);
CoreSlice some_slice(Generator *g, CoreBuilder *b, int64_t extent, int64_t *count);
/* ---- views.c ---- */
void make_view(Generator *g, CoreBuilder *b);
void make_replicate(Generator *g, CoreBuilder *b);
void make_literal(Generator *g, CoreBuilder *b);
/* ---- parts.c ---- */
CoreAtom made_of_parts(Generator *g, CoreBuilder *b, CoreAtom x); /* x: ints or reals */
/* ---- control.c ---- */
void make_if(Generator *g, CoreBuilder *b);
void make_loop(Generator *g, CoreBuilder *b);
void make_assertion(Generator *g, CoreBuilder *b);
CoreAtom guard(Generator *g, CoreBuilder *b, CoreAtom holds, const CoreAtom *values, size_t count);
/* ---- functions.c ---- */
void make_function(Generator *g);
void make_call(Generator *g, CoreBuilder *b);
/* ---- soacs.c ---- */
void make_soac(Generator *g, CoreBuilder *b);
void make_reduction_of_rows(Generator *g, CoreBuilder *b);
void make_filter(Generator *g, CoreBuilder *b);
void make_row_update(Generator *g, CoreBuilder *b);
void make_varying(Generator *g, CoreBuilder *b);
/* ---- chains.c ---- */
void make_chain(Generator *g, CoreBuilder *b);
/* ---- nests.c ---- */
void make_nest(Generator *g, CoreBuilder *b);
/* ---- scatters.c ---- */
void make_scatter(Generator *g, CoreBuilder *b);
void make_kept_scatter(Generator *g, CoreBuilder *b);
void make_order(Generator *g, CoreBuilder *b);
void make_digit_sort(Generator *g, CoreBuilder *b);
void make_hist(Generator *g, CoreBuilder *b);
void make_hist_of_rows(Generator *g, CoreBuilder *b);
/* ---- streams.c ---- */
void make_stream(Generator *g, CoreBuilder *b);
void make_counting_stream(Generator *g, CoreBuilder *b);

#endif
