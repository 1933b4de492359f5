/* What every stage is handed: one compilation's memory, names, options and diagnostics. */
#ifndef BASE_COMPILATION_H
#define BASE_COMPILATION_H

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/names.h"
#include "base/pointer_map.h"
#include "base/source.h"
#include "base/text.h"
#include "base/vec.h"

typedef struct Options {
    int int_bits;     /* 64, or 32 with --int=32 */
    int real_bits;    /* 64, or 32 with --real=32 */
    bool verify_each; /* re-check the program after every pass */
    bool flatten_all; /* nests are flattened whatever their sizes may be */
    bool group_all;   /* groups do rows wherever they can, whatever sizes may be */
    bool keep_calls;  /* calls of functions stay wherever they can, however small these are */
    bool prove_races; /* verify_each: a kernel that is not proven to have no race is a fault */
    bool processors;  /* kernel programs are printed with the kernels for processors, too */
    bool sequential;  /* a program for one processor is made */
    bool gives_value; /* the value of a TAIL program is its entry's result */
} Options;

typedef struct Compilation {
    Arena *arena;
    Arena *scratch; /* what is there between arena_mark and arena_release only */
    NameTable *names;
    Diagnostics *diagnostics;
    Options options;
    const char *pass;                 /* the pass that runs now, for internal faults */
    unsigned last_number;             /* source of unique numbers for variables */
    int index_origin;                 /* of the source at hand, which its errors speak of: 0 or 1 */
    PointerMap settled;               /* of core/simplify/: functions that have no more to give */
    struct TailSchemes *tail_schemes; /* of tail/: those read so far; NULL: none */
} Compilation;

/* A fresh compilation with default options (64-bit numbers). */
Compilation *compilation_create(void);
void compilation_destroy(Compilation *compilation);

static inline const char *intern(Compilation *c, const char *text)
{
    return names_intern(c->names, text, strlen(text));
}
static inline unsigned fresh_number(Compilation *c)
{
    return ++c->last_number;
}

/* An impossible state: says which pass failed and why, exit code 70. */
_Noreturn void internal_error(const Compilation *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Nesting deeper than this, in any language, is a LIMIT ERROR of the program. */
enum { NESTING_LIMIT = 1000 };

#endif
