/* APL syntax: one tree for the parser and the binder.

   apl_parse knows statements and nesting only: an expression is an APL_SEQUENCE of items. What a
   name is (array, function, operator) decides how a sequence reads, so apl_bind rewrites one
   statement at a time, asking its caller for the classes of names, into applications. */
#ifndef APL_SYNTAX_H
#define APL_SYNTAX_H

#include "base/compilation.h"

/* One enumerator a row of primitives.def: APL_PLUS, APL_RHO, APL_SLASH, ... */
typedef enum AplPrimitive {
#define APL_PRIMITIVE(enumerator, glyph, name, class, one, two) APL_##enumerator,
#include "apl/primitives.def"
#undef APL_PRIMITIVE
    APL_PRIMITIVE_COUNT
} AplPrimitive;

typedef enum AplClass {
    APL_CLASS_UNKNOWN, /* no such name (yet) */
    APL_CLASS_ARRAY,
    APL_CLASS_FUNCTION,
    APL_CLASS_MONADIC_OPERATOR,
    APL_CLASS_DYADIC_OPERATOR,
    APL_CLASS_HYBRID, /* / ⌿ \ ⍀: operator after a function, function after an array; in
                         primitives.def only */
    APL_CLASS_ERROR   /* from an AplClassOf only: assigned by a statement in error, quietly unusable
                       */
} AplClass;

const char *apl_primitive_glyph(AplPrimitive primitive); /* UTF-8 */
const char *apl_primitive_name(AplPrimitive primitive);  /* "reshape", for messages */
AplClass apl_primitive_class(AplPrimitive primitive);
/* The class of a quad name ("⎕IO": an array, "⎕ReadFile": a function, "⎕BENCH": an operator);
   APL_CLASS_UNKNOWN where there is none of this name. */
AplClass apl_quad_class(const char *name);
/* The system name that someone may have meant, or NULL. */
const char *apl_quad_suggestion(const char *name);

typedef enum AplKind {
    /* leaves: in both trees */
    APL_BOOL, /* 0 and 1 */
    APL_INT,
    APL_DOUBLE,
    APL_COMPLEX,
    APL_CHAR,   /* 'x': a scalar */
    APL_STRING, /* '' or two characters and more; "..." also with one */
    APL_ZILDE,
    APL_NAME,      /* also ⍺ ⍵ ⍺⍺ ⍵⍵ (text "⍺" and so on) */
    APL_QUAD,      /* ⎕ alone */
    APL_QUAD_NAME, /* ⎕IO, ⎕ReadIntVecFile: text with the ⎕ */
    APL_GLYPH,     /* a primitive */
    APL_SELF,      /* ∇ */
    APL_DFN,       /* {...}: not bound until it is called; items are its statements, raw */
    /* only in the raw tree */
    APL_SEQUENCE,     /* items as written */
    APL_PAREN,        /* ( expression ): items[0] */
    APL_BRACKETS,     /* [i;;j]: an index or an axis by what stands before it; items may be NULL
                         (elided) */
    APL_ASSIGN_ARROW, /* ← as an item of a sequence */
    /* only in the bound tree: arrays */
    APL_STRAND,  /* items: arrays, two or more */
    APL_MONADIC, /* items: function, right */
    APL_DYADIC,  /* items: left, function, right */
    APL_INDEX,   /* items: array, then one per axis (NULL: elided) */
    APL_ASSIGN,  /* items: target, value. Target: NAME, QUAD, QUAD_NAME, STRAND of NAMEs, INDEX of a
                   NAME, or a selection: MONADIC and DYADIC of functions that select, at whose right
                   end stands a NAME or INDEX of one; the value's class is in `class` (an array, a
                   function or an operator) */
    APL_MODIFY,  /* a f← e, a[i] f← e, (2↑a) f← e: items: target, function, value */
    /* only in the bound tree: functions and operators */
    APL_DERIVED, /* items: operator (GLYPH, NAME or DFN), left operand, right operand or NULL */
    APL_AXIS,    /* f[k]: items: function (or DERIVED), axis expression */
    APL_FORK,    /* items: left (function or array), middle, right */
    APL_ATOP,    /* (f g): items: f, g */
    /* statements, in both trees (parts raw or bound) */
    APL_GUARD,   /* items: condition, value */
    APL_DEFAULT, /* ⍺←e: items: value */
    APL_ERROR    /* raw: a statement that could not be read (reported already): items are the NAMEs
                    that it would assign. apl_bind returns NULL for it, quietly */
} AplKind;

typedef struct AplNode {
    AplKind kind;
    AplClass class; /* bound tree: what the node denotes */
    Span span;
    size_t count;
    struct AplNode *const *items;
    union {
        int64_t integer; /* BOOL, INT */
        double real;     /* DOUBLE */
        struct {
            double real, imaginary;
        } complex;
        uint32_t character;
        struct {
            const uint32_t *codepoints;
            size_t length;
        } string;
        const char *text; /* NAME, QUAD_NAME: interned */
        AplPrimitive primitive;
        struct {
            bool uses_alpha, uses_omega, uses_alpha_alpha, uses_omega_omega,
                uses_self; /* outside nested braces */
        } dfn;
    } as;
} AplNode;

typedef struct AplProgram {
    size_t count;
    AplNode *const *statements; /* raw: SEQUENCE or ERROR (GUARD and DEFAULT inside dfns only) */
} AplProgram;

/* Parses a whole file; reports every syntax error it can find as a diagnostic and leaves an ERROR
   node in the place of each statement in error. Never NULL. */
AplProgram *apl_parse(Compilation *c, const SourceFile *source);
/* Asks for the class of a name (NAME or QUAD_NAME text, or ⍺ ⍵ ⍺⍺ ⍵⍵ ∇). */
typedef AplClass (*AplClassOf)(void *context, const char *name);
/* Asks for a known name that is spelled like this unknown one; NULL where none is. */
typedef const char *(*AplSuggest)(void *context, const char *name);
/* Binds one statement (top-level or of a dfn's items). Functions and operators are applied right to
   left by name class; names that the statement itself assigns are known to what is evaluated later,
   to their left (in a guard: the condition's names to the value). NULL after reporting diagnostics,
   or quietly for an ERROR or where class_of says APL_CLASS_ERROR. A DFN's class follows from its
   use of ⍺⍺ and ⍵⍵; it is there in the raw tree too. No node has parentheses left; a hybrid GLYPH
   has the class that it is used with. `suggest` may be NULL. A bound statement makes at most 10 *
   NESTING_LIMIT applications (LIMIT ERROR beyond), so that it is no deeper than that. */
AplNode *apl_bind(Compilation *c, const AplNode *statement, AplClassOf class_of, AplSuggest suggest,
                  void *context);
/* The name whose array a target of the bound tree changes, or NULL where that is none: NAME, INDEX of
   it, or the selections above (whatever their functions). */
const AplNode *apl_target_name(const AplNode *target);
/* Whether a raw sequence is made of names, and of lists of them: what stands in (a (b c))←. */
bool apl_all_names(const AplNode *sequence);
/* Of a raw sequence, that of a selection: the name at its right end, or NULL. */
const AplNode *apl_selected_name(const AplNode *sequence);
/* Visits the names that a raw statement assigns at its own level (in parentheses and brackets too,
   in nested dfns not), and the one that it begins to modify, as a+←1 does: what becomes unusable when
   apl_bind returns NULL. */
void apl_assigned_names(const AplNode *statement, void (*visit)(void *context, const char *name),
                        void *context);
/* For tests: tokens one a line (line:col kind text), raw trees and bound trees as S-expressions. */
void apl_print_tokens(Compilation *c, Text *out, const SourceFile *source);
void apl_print_tree(Compilation *c, Text *out, const AplNode *node);
/* `emit --to=tree`: parses and binds a program by itself (no prelude) and prints the bound trees,
   one a line. Dfns are printed raw: they are bound when they are called. Reports as apl_parse and
   apl_bind. */
void apl_print_program(Compilation *c, Text *out, const SourceFile *source);

#endif
