/* The front form of core as a tree: what its grammar reads and its elaborator turns into internal
   core (docs/core.md, "The form for people").

       def dot (xs : [n]f64) (ys : [n]f64) : f64 = reduce (+) 0 (map (*) xs ys)

   Nodes are immutable once parsed and live in the compilation's arena. Names are interned texts;
   what they mean (a variable, a function, a built-in word) is the elaborator's business. */
#ifndef CORE_FRONT_SYNTAX_H
#define CORE_FRONT_SYNTAX_H

#include "core/core.h"

/* ---- types and patterns -------------------------------------------------------------------- */

typedef enum FrontSizeKind { FRONT_SIZE_ANY, FRONT_SIZE_NAME, FRONT_SIZE_CONSTANT } FrontSizeKind;

typedef struct FrontSize {
    FrontSizeKind kind; /* [] [n] [3] */
    Span span;
    const char *name;
    int64_t constant;
} FrontSize;

typedef enum FrontTypeKind { FRONT_TYPE_SCALAR, FRONT_TYPE_ARRAY, FRONT_TYPE_TUPLE } FrontTypeKind;

typedef struct FrontType {
    FrontTypeKind kind;
    Span span;
    bool unique; /* *t; also inside a tuple's items */
    CorePrim prim;
    FrontSize size;              /* ARRAY */
    const struct FrontType *row; /* ARRAY */
    size_t count;                /* TUPLE: 0 or at least 2 */
    const struct FrontType *const *items;
} FrontType;

typedef enum FrontPatternKind {
    FRONT_PATTERN_NAME,
    FRONT_PATTERN_ANY, /* _ */
    FRONT_PATTERN_TUPLE
} FrontPatternKind;

typedef struct FrontPattern {
    FrontPatternKind kind;
    Span span;
    const char *name;
    size_t count; /* TUPLE: 0 or at least 2 */
    const struct FrontPattern *const *items;
    const FrontType *type; /* written after a colon, or NULL */
} FrontPattern;

/* ---- expressions --------------------------------------------------------------------------- */

typedef struct FrontExp FrontExp;

/* Parameters and body of a definition, a local function or \x y -> e. */
typedef struct FrontFunction {
    Span span;        /* of the head */
    const char *name; /* NULL: a lambda */
    Span name_span;
    size_t parameter_count;
    const FrontPattern *const *parameters;
    const FrontType *result; /* written, or NULL */
    const FrontExp *body;
    bool is_entry;
} FrontFunction;

/* One part of an index: a position, or from:to:step with any of them left out (NULL). */
typedef struct FrontIndex {
    Span span;
    bool is_range;
    const FrontExp *position;
    const FrontExp *from, *to, *step;
} FrontIndex;

typedef enum FrontBindingKind {
    FRONT_LET,         /* let pattern = value */
    FRONT_LET_UPDATE,  /* let name[indices] = value */
    FRONT_LET_FUNCTION /* let f x y = e */
} FrontBindingKind;

typedef struct FrontBinding {
    FrontBindingKind kind;
    Span span; /* of the whole binding */
    const FrontPattern *pattern;
    const char *name; /* of an update */
    Span name_span;
    size_t index_count;
    const FrontIndex *indices;
    const FrontExp *value;
    const FrontFunction *function;
} FrontBinding;

typedef enum FrontExpKind {
    FRONT_NAME,      /* x, f, map, map@group@local */
    FRONT_PRIM,      /* i64: the conversion */
    FRONT_CONSTANT,  /* 3 3i32 2.5 true 'a' */
    FRONT_STRING,    /* "text" */
    FRONT_TUPLE,     /* (), (a, b) */
    FRONT_ARRAY,     /* [a, b] */
    FRONT_INDEX,     /* a[i, lo:hi] */
    FRONT_COMPONENT, /* t.0 */
    FRONT_APPLY,     /* f x y; x |> f is f x */
    FRONT_UNARY,     /* -x, !x */
    FRONT_BINARY,    /* x op y */
    FRONT_AND,       /* x && y */
    FRONT_OR,        /* x || y */
    FRONT_APPEND,    /* xs ++ ys */
    FRONT_SECTION,   /* (op) (op y) (x op): an operand that is missing is NULL */
    FRONT_LAMBDA,
    FRONT_BLOCK, /* let ... let ... in e */
    FRONT_UPDATE,
    FRONT_IF,
    FRONT_LOOP,
    FRONT_ASSERT /* assert condition value */
} FrontExpKind;

/* What stands between the operands of a section. */
typedef enum FrontInfix {
    FRONT_INFIX_OPERATOR,
    FRONT_INFIX_AND,
    FRONT_INFIX_OR,
    FRONT_INFIX_APPEND
} FrontInfix;

typedef enum FrontLoopKind { FRONT_FOR_LESS, FRONT_FOR_IN, FRONT_WHILE } FrontLoopKind;

struct FrontExp {
    FrontExpKind kind;
    Span span;
    unsigned depth; /* of the tree below: at most NESTING_LIMIT, which the parser sees to */
    union {
        struct {
            const char *text;
            CoreLevel level;
            CoreSpace space;
        } name;
        CorePrim prim;
        struct {
            CoreAtom atom;    /* without a suffix: I64 or F64 as written */
            bool is_adaptive; /* without a suffix: takes the type that its context wants */
        } constant;
        struct {
            size_t count; /* code points */
            const uint32_t *points;
        } string;
        struct {
            size_t count;
            const FrontExp *const *items;
        } items; /* TUPLE, ARRAY */
        struct {
            const FrontExp *array;
            size_t count;
            const FrontIndex *indices;
            const FrontExp *value; /* UPDATE */
        } index;                   /* INDEX, UPDATE */
        struct {
            const FrontExp *tuple;
            size_t position; /* from 0 */
        } component;
        struct {
            const FrontExp *function;
            size_t count; /* at least 1; `f ()` has the argument () */
            const FrontExp *const *arguments;
        } apply;
        struct {
            FrontInfix infix; /* SECTION */
            CoreOperator op;
            const FrontExp *x, *y; /* UNARY has x only */
        } operation;               /* UNARY, BINARY, AND, OR, APPEND, SECTION */
        const FrontFunction *lambda;
        struct {
            size_t count; /* at least 1 */
            const FrontBinding *const *bindings;
            const FrontExp *result;
        } block;
        struct {
            const FrontExp *condition, *then_exp, *else_exp;
        } conditional;
        struct {
            FrontLoopKind kind;
            size_t parameter_count; /* at least 1: loop (a = 1, b = xs); one tuple pattern counts as
                                       one */
            const FrontPattern *const *parameters;
            const FrontExp *const
                *initial;                /* NULL in it: the value that the pattern's names have */
            const FrontPattern *element; /* FOR_LESS: a name; FOR_IN: any pattern */
            const FrontExp
                *limit; /* FOR_LESS: the bound; FOR_IN: the array; WHILE: the condition */
            const FrontExp *body;
        } loop;
        struct {
            const FrontExp *condition, *value;
        } assertion;
    } as;
};

typedef struct FrontProgram {
    size_t count;
    const FrontFunction *const *definitions; /* in the order of the file; may call earlier ones */
} FrontProgram;

/* ---- stages --------------------------------------------------------------------------------- */

/* Whether the first words of the file say that it is in the front form. */
bool front_is(const SourceFile *source);
/* Characters to tree; NULL after reporting SYNTAX ERROR and LIMIT ERROR diagnostics. */
const FrontProgram *front_parse(Compilation *c, const SourceFile *source);
/* Tree to text with as few parentheses as there can be; reads back as the same tree. */
void front_print(Compilation *c, Text *out, const FrontProgram *program);
/* Tree to internal core, every implicit check explicit; NULL after reporting TYPE ERROR, NAME ERROR
   and LIMIT ERROR diagnostics. Uniqueness is core_check's business. */
CoreProgram *front_elaborate(Compilation *c, const FrontProgram *program);

#endif
