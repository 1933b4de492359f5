/* The system's C compiler and the runtime that generated programs link with. */
#ifndef DRIVER_TOOLCHAIN_H
#define DRIVER_TOOLCHAIN_H

#include "driver/command.h"

typedef struct Toolchain {
    const char *headers;        /* folder of tailor.h */
    const char *libraries;      /* folder of libtailor.a and libtailor_opencl.a */
    VEC(const char *) compiler; /* the compiler's command, split at blanks */
    VEC(const char *) flags;    /* before the files */
    VEC(const char *) links;    /* after them */
} Toolchain;

/* Finds everything for this program and the command's backend; false after a message that says what
   was looked for. */
bool toolchain_find(const Command *command, const KernelProgram *program, Toolchain *toolchain);
/* Compiles a C file to an executable. False after a message. */
bool toolchain_compile(const Command *command, const Toolchain *toolchain, const char *source,
                       const char *executable);
/* Compiles the text of a library to a shared library and, unless `archive` is NULL, to an archive.
   Only symbols that begin with PREFIX_ are visible in them. False after a message. */
bool toolchain_library(const Command *command, const Toolchain *toolchain, const Text *text,
                       const char *prefix, const char *shared, const char *archive);
/* 32 hexadecimal digits that change whenever the program built from this text would: by the text,
   the flags, the compiler, the processor, and the runtime's headers and libraries. */
const char *toolchain_key(const Command *command, const Toolchain *toolchain, const char *text,
                          size_t length);

#endif
