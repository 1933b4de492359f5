/* The cache of built programs. */
#ifndef DRIVER_CACHE_H
#define DRIVER_CACHE_H

#include "base/compilation.h"

/* The cache's folder, made where it is not there yet: $TAILOR_CACHE, $XDG_CACHE_HOME/tailor or
   ~/.cache/tailor. NULL where there is none to write to. */
const char *cache_folder(Compilation *c);
/* Where the program of this key is or will be. */
const char *cache_path(Compilation *c, const char *folder, const char *key);
/* Marks a program as used now. */
void cache_touch(const char *path);
/* Removes the programs used longest ago where there are too many, and what builds that were
   interrupted left. */
void cache_trim(Compilation *c, const char *folder);

#endif
