/* Files as the commands read and write them. */
#ifndef DRIVER_FILES_H
#define DRIVER_FILES_H

#include "base/compilation.h"

/* A source file larger than this is refused: its places would not fit and nobody writes one. */
enum { SOURCE_LIMIT = 1 << 28 };

/* The whole file as a source ("-" is standard input); NULL after one message on standard error. */
SourceFile *files_read_source(Compilation *c, const char *file);
/* The whole file, NUL-terminated; NULL with errno set (EFBIG where it is larger than `limit`). */
char *files_read(Arena *arena, const char *file, size_t limit, size_t *length);

/* A name for a file that will become `path` by files_finish once it is complete; made empty, in the
   same folder. NULL after a message. Where `path` is something other than a plain file (/dev/null),
   it is `path` itself. */
const char *files_begin(Compilation *c, const char *path);
/* Gives the temporary file its real name; `executable` decides its permissions. */
bool files_finish(const char *temporary, const char *path, bool executable);
/* Removes a temporary file after a failure. */
void files_abandon(const char *temporary, const char *path);

/* Writes text to a file at once (all of it or nothing), or to standard output where path is NULL.
   False after a message. */
bool files_write(Compilation *c, const char *path, const char *text, size_t length);
/* Whether it is a folder, or is written as one ("out/"). */
bool files_is_folder(const char *path);
/* Makes the folder unless it is there; false after a message. */
bool files_make_folder(const char *path);
/* Whether both names are one existing file. */
bool files_same(const char *a, const char *b);

#endif
