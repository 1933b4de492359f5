/* What flattening leaves as two, for `tailor explain`: SOACs of one function that become kernels behind each other.

   The fuser has noted why they are two statements of the function (core/fuse/log.c), which did not matter as long as one
   work-item did both; of nests that are kept, that reason is said. What was one statement, and is parted here, is noted with
   the rule that parts it. Where nobody asks there is no log. */
#include "core/flatten/flatten.h"

void flatten_note_apart(Flatten *f, const CoreStm *producer, const CoreStm *consumer,
                        const CoreName *array, CoreReason reason)
{
    CoreFusion fusion = {.producer = producer,
                         .consumer = consumer,
                         .array = array,
                         .rows = reason,
                         .elements = reason,
                         .beside = reason == CORE_REASON_SPLIT};
    if (f->log) {
        vec_push(f->c->arena, &f->apart, fusion);
    }
}

static bool is_same_pair(const CoreFusion *x, const CoreFusion *y)
{
    return x->beside == y->beside && span_is_same(x->producer->span, y->producer->span) &&
           span_is_same(x->consumer->span, y->consumer->span);
}

void flatten_log(const Flatten *f, const Flatten *nest)
{
    for (size_t i = 0; i < nest->apart.count; i++) {
        const CoreFusion *pair = &nest->apart.items[i];
        bool known = false;
        for (size_t k = 0; k < f->log->left.count && !known; k++) {
            CoreFusion *left = &f->log->left.items[k];
            known = is_same_pair(left, pair);
            left->inner = left->inner && !known;
        }
        if (!known) {
            vec_push(f->c->arena, &f->log->left, *pair);
        }
    }
}
