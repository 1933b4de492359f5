/* The lexer's entry point, as the grammar calls it. */
#ifndef TAIL_LEXER_H
#define TAIL_LEXER_H

#include "tail/parse.h"
#include "tail/grammar.h"

/* The next token, its value and its span. Reports what is no token. */
int tail_lex(TAIL_YYSTYPE *value, Span *span, TailParser *p);
/* The let at `mark` has no `in`, and `next` was read behind it: drops what was opened in between. */
void tail_lex_restart(TailParser *p, LetMark mark, LetMark *next);
/* The `in` that was read did not end a let. */
void tail_lex_reopen(TailParser *p);

#endif
