/* What core's lexer, grammar and parser actions share (private to lexer.re, grammar.y, parse.c).

   The grammar calls one core_parse_* action a rule. Actions build nodes as they are written, right
   or wrong: types are the checker's business. What a node cannot even represent (two neutral
   elements for three results) is reported here. */
#ifndef CORE_PARSE_H
#define CORE_PARSE_H

#include "core/core.h"

typedef VEC(CoreAtom) AtomList;
typedef VEC(CoreSlice) SliceList;
typedef VEC(int) AxisList;
typedef VEC(const CoreStm *) StmList;
typedef VEC(CoreReduction) ReductionList;

/* A size as written; names are looked up when the binding takes effect. */
typedef struct RawSize {
    const char *lexeme; /* NULL: constant */
    CoreAtom constant;
    Span span;
} RawSize;
typedef VEC(RawSize) RawSizeList;

typedef struct RawType {
    CorePrim prim;
    bool unique;
    bool is_size; /* ?i64: a result that is only a size of later ones */
    RawSizeList sizes;
} RawType;
typedef VEC(RawType) RawTypeList;

typedef struct RawBinding {
    const char *lexeme;
    Span span;
    RawType type;
    CoreAtom initial; /* of a loop parameter */
} RawBinding;
typedef VEC(RawBinding) RawBindingList;

typedef struct NameList {
    size_t count;
    CoreName **names;
} NameList;

/* Keyword's place, width and inputs. */
typedef struct CorePlace {
    CoreLevel level;
    CoreSpace space;
} CorePlace;
typedef struct SoacHead {
    CorePlace place;
    CoreAtom width;
    AtomList *inputs;
} SoacHead;

/* Where a scope begins. */
typedef struct ParseMark {
    size_t undo;
    int depth; /* of open braces */
} ParseMark;

typedef struct Bound {
    const char *lexeme;
    CoreName *name; /* NULL: not in scope now */
} Bound;

typedef struct CoreParser {
    Compilation *c;
    const SourceFile *source;
    /* the lexer */
    const char *cursor, *limit;
    Span token; /* the token that was read last */
    int depth;  /* of open braces */
    bool stopped;
    /* scopes: the innermost binding of each lexeme, and what to put back */
    PointerMap bound; /* lexeme -> CoreName */
    VEC(Bound) undo;
    PointerMap numbered;   /* written number + 1 -> CoreName that has it */
    unsigned first_number; /* written numbers count from here: a file before may have used them */
    VEC(const CoreFunction *) functions;
    size_t errors;
} CoreParser;

void core_parse_error(CoreParser *p, Span span, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- scopes ---------------------------------------------------------------------------------- */
ParseMark core_parse_scope(const CoreParser *p);      /* a mark */
void core_parse_close(CoreParser *p, ParseMark mark); /* forgets what was bound since */
void core_parse_close_all(CoreParser *p);
CoreAtom core_parse_name(CoreParser *p, const char *lexeme, Span span);
CoreName *core_parse_bind(CoreParser *p, const RawBinding *binding);
NameList core_parse_bind_all(CoreParser *p, const RawBindingList *bindings);
/* The sizes in brackets, then the parameters in parentheses. */
NameList core_parse_bind_parameters(CoreParser *p, const RawBindingList *sizes,
                                    const RawBindingList *others);
CoreName *core_parse_bind_index(CoreParser *p, const char *lexeme, Span span);
CoreType core_parse_type(CoreParser *p, const RawType *raw);
CoreType *core_parse_types(CoreParser *p, const RawTypeList *raw);

/* ---- statements and functions ---------------------------------------------------------------- */
const CoreBody *core_parse_body(CoreParser *p, const StmList *stms, const AtomList *results);
const CoreStm *core_parse_stm(CoreParser *p, const RawBindingList *pattern,
                              const AtomList *certificates, const CoreExp *exp, Span span);
const CoreLambda *core_parse_lambda(CoreParser *p, NameList parameters, const RawTypeList *types,
                                    const CoreBody *body, Span span);
/* ?prim: an i64, else an error. */
RawType core_parse_size_result(CoreParser *p, CorePrim prim, Span span);
void core_parse_function(CoreParser *p, bool is_entry, const char *name, size_t size_count,
                         NameList parameters, const RawTypeList *types, const CoreBody *body,
                         Span span);

/* ---- expressions ----------------------------------------------------------------------------- */
CoreExp *core_parse_exp(CoreParser *p, CoreExpKind kind);
const CoreExp *core_parse_atom(CoreParser *p, CoreExpKind kind, CoreAtom atom);
const CoreExp *core_parse_scalar(CoreParser *p, CoreOperator op, CoreAtom x, CoreAtom y);
const CoreExp *core_parse_convert(CoreParser *p, CorePrim to, CoreAtom x);
const CoreExp *core_parse_if(CoreParser *p, CorePlace place, CoreAtom condition,
                             const CoreBody *yes, const CoreBody *no);
const CoreExp *core_parse_loop(CoreParser *p, const RawBindingList *bindings, NameList parameters,
                               const CoreBody *body);
const CoreExp *core_parse_for(CoreParser *p, const RawBindingList *bindings, NameList parameters,
                              CoreName *index, CoreAtom bound, const CoreBody *body);
const CoreExp *core_parse_while(CoreParser *p, const RawBindingList *bindings, NameList parameters,
                                CoreAtom condition, const CoreBody *body);
const CoreExp *core_parse_apply(CoreParser *p, const char *function, const AtomList *arguments);
const CoreExp *core_parse_assert(CoreParser *p, CoreAtom condition, const char *error,
                                 Span error_span, const char *message, const AtomList *values);
/* The same assertion in a later stage. */
const CoreExp *core_parse_stage(CoreParser *p, const CoreExp *assertion, CoreAtom stage, Span span);
const CoreExp *core_parse_items(CoreParser *p, CoreExpKind kind, const AtomList *items);
const CoreExp *core_parse_slice(CoreParser *p, CoreAtom array, const SliceList *slices);
const CoreExp *core_parse_update(CoreParser *p, CoreAtom array, const SliceList *slices,
                                 CoreAtom value);
const CoreExp *core_parse_replicate(CoreParser *p, CorePlace place, const AtomList *sizes,
                                    CoreAtom value);
const CoreExp *core_parse_scratch(CoreParser *p, CorePlace place, const AtomList *sizes,
                                  CorePrim prim);
const CoreExp *core_parse_copy(CoreParser *p, CorePlace place, CoreAtom array);
int core_parse_axis(CoreParser *p, int64_t axis, Span span);
const CoreExp *core_parse_rearrange(CoreParser *p, const AxisList *permutation, CoreAtom array,
                                    Span span);
const CoreExp *core_parse_reshape(CoreParser *p, const AtomList *sizes, CoreAtom array);
const CoreExp *core_parse_cycle(CoreParser *p, CoreAtom count, CoreAtom fill, CoreAtom array);
const CoreExp *core_parse_rotate(CoreParser *p, int axis, CoreAtom amount, CoreAtom array);
const CoreExp *core_parse_reverse(CoreParser *p, int axis, CoreAtom array);
const CoreExp *core_parse_concat(CoreParser *p, int axis, const AtomList *arrays);
const CoreExp *core_parse_pad(CoreParser *p, int axis, CoreAtom before, CoreAtom after,
                              CoreAtom fill, CoreAtom array);
CoreReduction core_parse_operator(CoreParser *p, const CoreLambda *function,
                                  const AtomList *neutral, bool commutative, Span span);
/* map NULL: the identity on the rows of the inputs. */
const CoreExp *core_parse_soac(CoreParser *p, SoacHead head, const CoreLambda *map,
                               const ReductionList *reductions, const ReductionList *scans,
                               Span span);
const CoreExp *core_parse_order(CoreParser *p, CoreAtom keys);
const CoreExp *core_parse_digit_sort(CoreParser *p, CoreAtom digit, CoreAtom array);
/* kind: CORE_EXP_FILTER or CORE_EXP_COMPACT. */
const CoreExp *core_parse_filter(CoreParser *p, CoreExpKind kind, SoacHead head,
                                 const CoreLambda *predicate);
const CoreExp *core_parse_scatter(CoreParser *p, SoacHead head, CoreAtom indices,
                                  const AtomList *values, const CoreLambda *op,
                                  const AtomList *neutral, Span span);
const CoreExp *core_parse_stream(CoreParser *p, CoreExpKind kind, bool commutative, SoacHead head,
                                 const CoreLambda *reduce, const CoreLambda *fold,
                                 const AtomList *neutral, Span span);
const CoreExp *core_parse_read(CoreParser *p, CoreFileFormat format, CorePrim prim, int rank,
                               CoreAtom file);
const CoreExp *core_parse_argument(CoreParser *p, CorePrim prim, const char *name,
                                   CoreAtom fallback);
const CoreExp *core_parse_device(CoreParser *p, const char *name);
const CoreExp *core_parse_format(CoreParser *p, CoreAtom how, CoreAtom array, bool is_complex);
const CoreExp *core_parse_bench(CoreParser *p, CoreAtom iterations, CoreAtom milliseconds,
                                const AtomList *timed);
CorePlace core_parse_place(CoreParser *p, CorePlace place, const char *word, Span span);

#endif
