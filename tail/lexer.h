/* The lexer's entry point, as the grammar calls it. */
#ifndef TAIL_LEXER_H
#define TAIL_LEXER_H

#include "tail/parse.h"
#include "tail/grammar.h"

/* The next token, its value and its span. Reports what is no token. */
int tail_lex(TAIL_YYSTYPE *value, Span *span, TailParser *p);
/* After an error inside the let at `mark`: drops what was opened in it. */
void tail_lex_restart(TailParser *p, LetMark mark);

#endif
