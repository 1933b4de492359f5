/* Elaboration: from APL syntax to typed TAIL. */
#ifndef APL_ELABORATE_H
#define APL_ELABORATE_H

#include "apl/syntax.h"
#include "tail/tail.h"

/* Parses the prelude and the program, binds and elaborates statement by statement. Reports every
   error it finds (a statement in error makes the names it assigns unusable, quietly) and returns
   NULL where there was one. */
const TailExp *apl_elaborate(Compilation *c, const SourceFile *source);

#endif
