/* What an entry looks like from outside: the names, types and sizes that who runs it has to know.
   The interpreter's driver and the backends take it from here, so that all describe it alike. */
#ifndef CORE_ENTRIES_H
#define CORE_ENTRIES_H

#include "core/core.h"

/* An extent of a parameter: the value of another one, or a constant. */
typedef struct CoreExtent {
    int parameter; /* its position among all parameters; -1: the constant */
    int64_t constant;
} CoreExtent;

typedef struct CoreEntryParameter {
    const char *name; /* "xs", or "xs_2" where another one has that name */
    const char *type; /* "[n]f64" */
    CorePrim prim;
    int rank;
    const CoreExtent *extents; /* rank of them */
} CoreEntryParameter;

typedef struct CoreEntryResult {
    const char *type; /* "[n]f64"; "[]f64" where only run time knows */
    CorePrim prim;
    int rank;
} CoreEntryResult;

typedef struct CoreEntry {
    const char *name;
    const char *signature;              /* "(xs : [n]f64) : (f64)" */
    size_t parameter_count, size_count; /* the first size_count are not given from outside */
    const CoreEntryParameter *parameters;
    size_t result_count;   /* of those that are shown */
    const size_t *results; /* their positions among the function's results */
    const CoreEntryResult *result_types;
} CoreEntry;

const CoreEntry *core_entry(Compilation *c, const CoreFunction *function);

#endif
