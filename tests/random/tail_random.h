/* What the parts of the generator of random TAIL programs share (see tail_generate.c). */
#ifndef TESTS_RANDOM_TAIL_RANDOM_H
#define TESTS_RANDOM_TAIL_RANDOM_H

#include "tail/tail.h"

enum { TAIL_MAX_RANK = 4, TAIL_MAX_SCOPE = 2048, TAIL_UNKNOWN = -1 };

typedef const TailExp *Exp;

/* A variable that may be used here, and what the generator knows of its extents. */
typedef struct TailValue {
    TailVariable *variable;
    TailBaseKind base;
    int rank;
    int64_t extent[TAIL_MAX_RANK]; /* TAIL_UNKNOWN: only run time knows */
} TailValue;

/* A chain of lets that is being made. */
typedef struct Let {
    TailVariable *variable;
    Exp value;
} Let;
typedef struct Block {
    VEC(Let) lets;
} Block;

/* A function that may be called here. */
typedef struct TailFunction {
    TailVariable *variable;
    size_t count;
    TailValue parameters[2], result;
    bool pure; /* without effects */
} TailFunction;

typedef struct TailGenerator {
    Compilation *c;
    uint64_t state;
    TailValue scope[TAIL_MAX_SCOPE];
    size_t count;
    VEC(TailFunction) functions;
    bool pure;     /* a function that is applied to many items: no effects */
    int depth;     /* of functions */
    int64_t runs;  /* how often the body runs, about */
    bool may_fail; /* LENGTH, INDEX and DOMAIN ERROR may come */
    int arguments;
} TailGenerator;

/* ---- tail_values.c ---- */
int64_t tail_below(TailGenerator *g, int64_t limit);
bool tail_chance(TailGenerator *g, int in);
TailVariable *tail_fresh(TailGenerator *g, const TailType *type);
Exp tail_use_of(TailGenerator *g, TailVariable *variable);
/* A call, or NULL where the arguments do not fit (or one of them is NULL). */
Exp tail_try(TailGenerator *g, TailBuiltin builtin, size_t count, const Exp *arguments);
#define CALL(builtin, ...)                                                                         \
    tail_try(g, TAIL_OP_##builtin, sizeof((Exp[]){__VA_ARGS__}) / sizeof(Exp), (Exp[]){__VA_ARGS__})
Exp tail_number(TailGenerator *g, int64_t value);
/* Binds exp (NULL: nothing happens) in the block and keeps it in scope. */
void tail_keep(TailGenerator *g, Block *block, Exp exp, int rank, const int64_t *extent);
void tail_keep_parameter(TailGenerator *g, TailVariable *variable, const int64_t *extent);
Exp tail_finish(TailGenerator *g, const Block *block, Exp result);
int64_t tail_elements(const TailValue *v);
bool tail_pick(TailGenerator *g, int base, int rank, TailValue *found); /* -1: any; any array */
TailBaseKind tail_some_base(TailGenerator *g);
Exp tail_some_constant(TailGenerator *g, TailBaseKind base);
int64_t tail_some_extent(TailGenerator *g);
/* An expression of rank 0. */
Exp tail_some_scalar(TailGenerator *g, TailBaseKind base);
TailValue tail_some_array(TailGenerator *g, Block *block, int base, int rank);
/* ---- tail_scalars.c ---- */
Exp tail_some_operation(TailGenerator *g, TailBaseKind base);
Exp tail_tame(TailGenerator *g, Exp x);
Exp tail_whole_in(TailGenerator *g, int64_t low, int64_t count);
/* ---- tail_arrays.c ---- */
void tail_make_structure(TailGenerator *g, Block *block);
void tail_make_shape(TailGenerator *g, Block *block);
void tail_make_join(TailGenerator *g, Block *block);
void tail_make_index(TailGenerator *g, Block *block);
void tail_make_update(TailGenerator *g, Block *block);
/* ---- tail_functions.c ---- */
void tail_make_each(TailGenerator *g, Block *block);
void tail_make_zip(TailGenerator *g, Block *block);
void tail_make_cells(TailGenerator *g, Block *block);
void tail_make_fold(TailGenerator *g, Block *block);
void tail_make_accum(TailGenerator *g, Block *block);
void tail_make_selection(TailGenerator *g, Block *block);
void tail_make_power(TailGenerator *g, Block *block);
void tail_make_while(TailGenerator *g, Block *block);
void tail_make_if(TailGenerator *g, Block *block);
/* ---- tail_calls.c ---- */
void tail_make_function(TailGenerator *g, Block *block);
void tail_make_call(TailGenerator *g, Block *block);
/* ---- tail_generate.c ---- */
void tail_some_statement(TailGenerator *g, Block *block);
void tail_some_statements(TailGenerator *g, Block *block);

#endif
