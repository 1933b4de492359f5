/* Private to tail/: the instance list of a call whose types are known. */
#ifndef TAIL_INSTANCES_H
#define TAIL_INSTANCES_H

#include "tail/tail.h"

/* Where the result is sized, the list is that of the name with V, under which the call is printed.
 */
void tail_find_instance(Compilation *c, TailBuiltin builtin, const TailExp *const *arguments,
                        const TailType *result, TailInstance *instance);

/* The call itself, its type and instance list known from tail_infer_call. (build.c) */
const TailExp *tail_typed_call(Compilation *c, TailBuiltin builtin, size_t count,
                               const TailExp *const *arguments, const TailType *type,
                               TailInstance instance, Span span);

#endif
