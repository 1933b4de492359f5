/* The front lexer's entry points: front_lex as the grammar calls it. */
#ifndef CORE_FRONT_LEXER_H
#define CORE_FRONT_LEXER_H

#include "core/front/parse.h"
#include "core/front/grammar.h"

/* The next token, its value and its span. Reports what is no token. */
int front_lex(FRONT_YYSTYPE *value, Span *span, FrontParser *p);

#endif
