/* What the front form's lexer, grammar and parser actions share (private to lexer.re, grammar.y,
   parse.c).

   The grammar calls one front_parse_* action a rule. Actions build nodes as they are written; what
   names mean and whether types fit is the elaborator's business. What a node cannot even represent
   (a parameter of a definition without a type) is reported here. */
#ifndef CORE_FRONT_PARSE_H
#define CORE_FRONT_PARSE_H

#include "core/front/syntax.h"

typedef VEC(const FrontExp *) FrontExpList;
typedef VEC(const FrontPattern *) FrontPatternList;
typedef VEC(FrontIndex) FrontIndexList;
typedef VEC(const FrontBinding *) FrontBindingList;

/* Types carry how deep they are, since they may be as deep as an expression. */
typedef struct FrontDeepType {
    const FrontType *type;
    unsigned depth;
} FrontDeepType;
typedef VEC(FrontDeepType) FrontTypeList;
typedef VEC(FrontSize) FrontSizeList;

typedef struct FrontLiteral {
    CoreAtom atom;
    bool is_adaptive;
} FrontLiteral;

/* What stands between two operands. */
typedef struct FrontOperator {
    FrontInfix infix;
    CoreOperator op;
} FrontOperator;

typedef struct FrontPlace {
    const char *text;
    CoreLevel level;
    CoreSpace space;
} FrontPlace;

/* pattern [= initial], of a loop. */
typedef struct FrontLoopItem {
    const FrontPattern *pattern;
    const FrontExp *initial;
} FrontLoopItem;
typedef VEC(FrontLoopItem) FrontLoopItemList;

typedef struct FrontParser {
    Compilation *c;
    const SourceFile *source;
    /* the lexer */
    const char *cursor, *limit;
    Span token; /* the token that was read last, and its kind */
    int last;
    int depth; /* of open brackets */
    bool stopped;
    uint32_t resumed_at; /* where parsing went on after an error */
    bool has_resumed;
    VEC(const FrontFunction *) definitions;
    size_t errors;
} FrontParser;

void front_parse_error(FrontParser *p, Span span, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* NESTING_LIMIT is exceeded: says so and ends the reading. */
void front_parse_too_deep(FrontParser *p, Span span);

/* ---- types and patterns -------------------------------------------------------------------- */
FrontSize front_parse_size(FrontParser *p, FrontLiteral literal, Span span);
FrontDeepType front_parse_scalar_type(FrontParser *p, CorePrim prim, Span span);
/* One of them is itself; else a tuple. */
FrontDeepType front_parse_tuple_type(FrontParser *p, const FrontTypeList *items, Span span);
FrontDeepType front_parse_array_type(FrontParser *p, bool unique, const FrontSizeList *sizes,
                                     FrontDeepType row, Span span);
const FrontPattern *front_parse_name_pattern(FrontParser *p, const char *name, Span span);
const FrontPattern *front_parse_tuple_pattern(FrontParser *p, const FrontPatternList *items,
                                              Span span);
const FrontPattern *front_parse_typed(FrontParser *p, const FrontPattern *pattern,
                                      const FrontType *type, Span span);

/* ---- functions and bindings ------------------------------------------------------------------ */
void front_parse_definition(FrontParser *p, const FrontFunction *function);
const FrontFunction *front_parse_function(FrontParser *p, const char *name, Span name_span,
                                          const FrontPatternList *parameters,
                                          const FrontType *result, const FrontExp *body, Span span);
const FrontBinding *front_parse_binding(FrontParser *p, FrontBinding binding);

/* ---- expressions ----------------------------------------------------------------------------- */
const FrontExp *front_parse_name(FrontParser *p, const char *name, Span span);
const FrontExp *front_parse_placed(FrontParser *p, FrontPlace place, Span span);
/* Adds one more @word to a place. */
FrontPlace front_parse_place(FrontParser *p, FrontPlace place, const char *word, Span span);
const FrontExp *front_parse_prim(FrontParser *p, CorePrim prim, Span span);
const FrontExp *front_parse_literal(FrontParser *p, FrontLiteral literal, Span span);
const FrontExp *front_parse_string(FrontParser *p, const char *text, Span span);
const FrontExp *front_parse_items(FrontParser *p, FrontExpKind kind, const FrontExpList *items,
                                  Span span);
const FrontExp *front_parse_tuple(FrontParser *p, const FrontExp *first, const FrontExpList *others,
                                  Span span);
const FrontExp *front_parse_index(FrontParser *p, const FrontExp *array,
                                  const FrontIndexList *indices, const FrontExp *value, Span span);
const FrontExp *front_parse_component(FrontParser *p, const FrontExp *tuple, int64_t position,
                                      Span span);
/* The first item applied to the others. */
const FrontExp *front_parse_apply(FrontParser *p, const FrontExpList *items, Span span);
/* x |> f: one more argument. */
const FrontExp *front_parse_pipe(FrontParser *p, const FrontExp *x, const FrontExp *f, Span span);
const FrontExp *front_parse_unary(FrontParser *p, CoreOperator op, const FrontExp *x, Span span);
const FrontExp *front_parse_binary(FrontParser *p, FrontOperator infix, const FrontExp *x,
                                   const FrontExp *y, Span span);
const FrontExp *front_parse_section(FrontParser *p, FrontOperator infix, const FrontExp *x,
                                    const FrontExp *y, Span span);
const FrontExp *front_parse_lambda(FrontParser *p, const FrontPatternList *parameters,
                                   const FrontType *result, const FrontExp *body, Span head,
                                   Span span);
const FrontExp *front_parse_block(FrontParser *p, const FrontBindingList *bindings,
                                  const FrontExp *result, Span span);
const FrontExp *front_parse_if(FrontParser *p, const FrontExp *condition, const FrontExp *yes,
                               const FrontExp *no, Span span);
/* The parameters of (a = 1, b = xs), or of the tuple pattern (a, b) [= initial]. */
FrontLoopItemList *front_parse_loop_head(FrontParser *p, const FrontLoopItemList *items,
                                         const FrontExp *initial, Span span);
const FrontExp *front_parse_loop(FrontParser *p, FrontLoopKind kind,
                                 const FrontLoopItemList *parameters, const FrontPattern *element,
                                 const FrontExp *limit, const FrontExp *body, Span span);
const FrontExp *front_parse_assert(FrontParser *p, const FrontExp *condition, const FrontExp *value,
                                   Span span);

#endif
