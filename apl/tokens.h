/* Tokens: what the lexer hands to the grammar. Only apl/ includes this.

   The whole file is read into an array of tokens first, so that brackets can be matched before the
   grammar sees them (nesting.c): an unclosed bracket is reported where it opens, and a statement in
   error can be left exactly at its end. */
#ifndef APL_TOKENS_H
#define APL_TOKENS_H

#include "apl/syntax.h"

typedef struct AplToken {
    int kind;            /* apl_tokentype of the grammar */
    uint32_t start, end; /* bytes */
    uint32_t partner;    /* of a matched bracket: the index of the other one */
    bool reported; /* begins a statement that has been reported as a whole: the grammar skips it */
    AplNode *leaf; /* of a LEAF: its node */
} AplToken;

typedef VEC(AplToken) AplTokens;
typedef VEC(AplNode *) AplNodeVec;

/* The tokens of a file, the last one an END. Characters and words that cannot be used are reported
   and become INVALID tokens. */
AplTokens apl_tokenise(Compilation *c, const SourceFile *source);
/* Matches brackets. Reports lone closers and unclosed openers (they become INVALID; an unclosed
   brace is closed before the END) and nesting deeper than NESTING_LIMIT. */
void apl_match_brackets(Compilation *c, const SourceFile *source, AplTokens *tokens);

/* The value of a number as written; NULL where it is too large, with the reason in `*fault`. */
AplNode *apl_number(Compilation *c, Span span, const char **fault);
/* The node of a string as written, quotes included. */
AplNode *apl_string(Compilation *c, Span span);

/* Node constructors. */
AplNode *apl_node(Compilation *c, AplKind kind, Span span);
AplNode *apl_node_of(Compilation *c, AplKind kind, Span span, size_t count, AplNode *const *items);

#endif
