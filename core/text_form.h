/* What the printer, the lexer, the parser and the checker know in common of core's text form. */
#ifndef CORE_TEXT_FORM_H
#define CORE_TEXT_FORM_H

#include "core/core.h"

/* Whether a word is a keyword, a prim or an operator, so that it cannot be a name. */
bool core_is_reserved(const char *word);
const char *core_level_text(CoreLevel level); /* auto seq thread group grid */
const char *core_space_text(CoreSpace space); /* auto private local global */
/* Sets the level or the space that the word names; false where it names neither. */
bool core_place_named(const char *word, CoreLevel *level, CoreSpace *space);
/* "1 name", "2 names". */
const char *core_counted(Compilation *c, size_t count, const char *noun);
/* Same prim, rank, uniqueness, and sizes that are the same atoms. */
bool core_type_equal(CoreType a, CoreType b);

#endif
