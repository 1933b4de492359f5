/* The lexer's entry point, as the grammar calls it. */
#ifndef CORE_LEXER_H
#define CORE_LEXER_H

#include "core/parse.h"
#include "core/grammar.h"

/* The next token, its value and its span. Reports what is no token. */
int core_lex(CORE_YYSTYPE *value, Span *span, CoreParser *p);

#endif
