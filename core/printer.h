/* What the files of core's printer share (private to core/print*.c). */
#ifndef CORE_PRINTER_H
#define CORE_PRINTER_H

#include "core/core.h"

typedef struct Printer {
    Compilation *c;
    Text *out;
    int indent;
} Printer;

void core_print_text(Printer *p, const char *string);
void core_print_name(Printer *p, const CoreName *name);
void core_print_atom(Printer *p, CoreAtom atom);
void core_print_size(Printer *p, CoreAtom atom);
void core_print_type(Printer *p, CoreType type);
void core_print_atoms(Printer *p, const char *open, size_t count, const CoreAtom *atoms,
                      const char *close);
void core_print_sizes(Printer *p, size_t count, const CoreAtom *sizes);
void core_print_parameters(Printer *p, size_t count, CoreName *const *names);
void core_print_types(Printer *p, size_t count, const CoreType *types);
/* A function's result types. */
void core_print_results(Printer *p, const CoreFunction *function);
void core_print_string(Printer *p, const char *string);
void core_print_function_name(Printer *p, const char *name);

#endif
