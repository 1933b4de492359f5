/* Programs that print, as functions that take and give values. */
#ifndef CORE_LIBRARY_H
#define CORE_LIBRARY_H

#include "core/core.h"

/* Which results an entry has where it both prints and gives values. */
typedef enum CoreLibraryResults {
    CORE_LIBRARY_GIVEN,  /* those that it gives; what it prints, where it gives none */
    CORE_LIBRARY_PRINTED /* what it prints; those that it gives, where it prints nothing */
} CoreLibraryResults;

/* [TAIL 4.1] Top-level reads become parameters and top-level prints results, in program order, in
   every entry of a program without calls (core_inline). NULL after a diagnostic where a program
   argument stands in a loop or branch. */
CoreProgram *core_library(Compilation *c, const CoreProgram *program, CoreLibraryResults results);

#endif
