/* Between program.c, which understands the command line, and entries.c. Private to the runtime. */
#ifndef RUNTIME_ENTRIES_H
#define RUNTIME_ENTRIES_H

#include "runtime/context.h"

/* Reads the values of the entry's parameters: the words (no more of them than it takes), then
   standard input. `output`: where results go; NULL is standard output. */
void tl_entry_values(const tl_entry *entry, int count, char **words, const char *output);
/* As messages begin. */
const char *tl_program_name(void);
/* Random numbers and the precision of printing as they are when a program starts. */
void tl_start_over(void);

#endif
