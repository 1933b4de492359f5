/* Entries called from C: what the functions of a generated library (`tailor build --lib`) are made
   of.

       int stats_mean(stats_context *context, const double *v, const int64_t v_shape[1],
                      double *result)
       {
           const tl_given given[] = {{v, v_shape}};
           const tl_taken taken[] = {{result, NULL}};
           return tl_library_call((tl_context *)context, &entries[0], entry_1_mean, given, taken);
       }

   Nothing here ends the process: what fails gives a status, and its text stays with the context.
   Contexts share nothing; each is for one thread at a time. */
#ifndef RUNTIME_TAILOR_LIBRARY_H
#define RUNTIME_TAILOR_LIBRARY_H

#include "tailor.h"

typedef struct tl_context tl_context;

/* As NAME_status in generated headers. */
enum {
    TL_OK,
    TL_LENGTH_ERROR,
    TL_RANK_ERROR,
    TL_INDEX_ERROR,
    TL_DOMAIN_ERROR,
    TL_LIMIT_ERROR,
    TL_VALUE_ERROR, /* of the call itself: no data, no place for a result */
    TL_WS_FULL,
    TL_DEVICE_ERROR,
    TL_OTHER_ERROR
};

/* As NAME_options. */
typedef struct tl_library_options {
    const char
        *device;  /* OpenCL: as --device; NULL: $TAILOR_DEVICE, or the first GPU, or the first */
    int64_t seed; /* of random numbers; 0: 16807, as programs begin */
    bool profile; /* OpenCL: closing reports on standard error how long each kernel ran */
} tl_library_options;

/* The value of a parameter: row-major elements, and the extents of an array. */
typedef struct tl_given {
    const void *data;
    const int64_t *shape; /* NULL: a scalar */
} tl_given;

/* Where a result goes: for a scalar where it is stored; for an array where the pointer to its
   malloc'ed elements is stored, and its extents. */
typedef struct tl_taken {
    void *place;
    int64_t *shape; /* NULL: a scalar */
} tl_taken;

/* What a device does for a library (tl_cl_functions); each may fail by tl_fatal, except close. */
typedef struct tl_device_functions {
    void (*open)(const void *program);
    void (*wait)(void);    /* at the end of a call */
    void (*recover)(void); /* after a call that failed: as if it had not been */
    void (*close)(void);
} tl_device_functions;

/* A context; device and program are NULL without a device. NULL where memory ran out. Where the
   device cannot be opened, every call fails with that error. */
tl_context *tl_library_open(const tl_library_options *options, const tl_device_functions *device,
                            const void *program);
void tl_library_close(tl_context *context);
/* Runs the entry in the context. `given` has one item a parameter beyond the sizes, `taken` one a
   result; where the call fails, every result is NULL or 0. */
int tl_library_call(tl_context *context, const tl_entry *entry, void (*run)(void),
                    const tl_given *given, const tl_taken *taken);
/* The text of the last error of the context, "" before there is one; never NULL. */
const char *tl_library_error(const tl_context *context);
/* "LENGTH ERROR" */
const char *tl_library_status_name(int status);

#endif
