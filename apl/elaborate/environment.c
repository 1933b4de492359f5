/* Frames: the names of a file (a hash table: files may be long) and of a dfn's activation (a list,
   so that what the branch of a guard assigned can be taken back). A name is looked up when it is
   used, so a free name of a dfn has the value it has at the call. */
#include "apl/elaborate/internal.h"

enum { FIRST_SIZE = 64 };

Frame *elab_frame(Compilation *c, Frame *outer, bool whole_file)
{
    Frame *frame = ARENA_NEW(c->arena, Frame);
    frame->outer = outer;
    frame->clock = outer != NULL ? outer->clock : ARENA_NEW(c->arena, Clock);
    if (whole_file) {
        frame->table_size = FIRST_SIZE;
        frame->table = ARENA_ARRAY(c->arena, Binding *, FIRST_SIZE);
    } else {
        frame->changes = ARENA_NEW(c->arena, Changes);
    }
    return frame;
}

static size_t slot_of(const char *name, size_t size)
{
    uint64_t hash = (uint64_t)(uintptr_t)name * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash >> 32) & (size - 1);
}

static Binding *find(const Frame *frame, const char *name)
{
    Binding *binding =
        frame->table != NULL ? frame->table[slot_of(name, frame->table_size)] : frame->bindings;
    while (binding != NULL && binding->name != name) {
        binding = binding->next;
    }
    return binding;
}

static void grow(Compilation *c, Frame *frame)
{
    size_t size = frame->table_size * 2;
    Binding **table = ARENA_ARRAY(c->arena, Binding *, size);
    for (size_t i = 0; i < frame->table_size; i++) {
        for (Binding *binding = frame->table[i], *next; binding != NULL; binding = next) {
            next = binding->next;
            binding->next = table[slot_of(binding->name, size)];
            table[slot_of(binding->name, size)] = binding;
        }
    }
    frame->table = table;
    frame->table_size = size;
}

static void change(Frame *frame, Binding *binding, Value *value)
{
    frame->clock->now += frame->table != NULL ? binding->watched : frame->watched;
    binding->value = value;
}

void elab_bind_name(Compilation *c, Frame *frame, const char *name, Value *value)
{
    Binding *binding = find(frame, name);
    if (frame->changes != NULL) {
        Change before = {name, binding == NULL ? NULL : binding->value};
        vec_push(c->arena, &frame->changes->list, before);
    }
    if (binding != NULL) {
        change(frame, binding, value);
        return;
    }
    frame->clock->now += frame->watched;
    Binding **slot = &frame->bindings;
    if (frame->table != NULL) {
        if (++frame->table_count > frame->table_size) {
            grow(c, frame);
        }
        slot = &frame->table[slot_of(name, frame->table_size)];
    }
    binding = ARENA_NEW(c->arena, Binding);
    *binding = (Binding){name, value, false, *slot};
    *slot = binding;
}

Value *elab_lookup_local(const Frame *frame, const char *name)
{
    const Binding *binding = find(frame, name);
    return binding == NULL ? NULL : binding->value;
}

Value *elab_lookup(const Frame *frame, const char *name)
{
    for (; frame != NULL; frame = frame->outer) {
        const Binding *binding = find(frame, name);
        if (binding != NULL && binding->value != NULL) {
            return binding->value;
        }
        if (frame->prelude != NULL && binding == NULL) {
            return elab_define_prelude(frame->prelude, name);
        }
    }
    return NULL;
}

void elab_restore_names(Frame *frame, size_t count)
{
    Changes *changes = frame->changes;
    while (changes->list.count > count) {
        const Change *before = &changes->list.items[--changes->list.count];
        change(frame, find(frame, before->name), before->value);
    }
}

static void consider(const Binding *binding, Spelling *spelling)
{
    for (; binding != NULL; binding = binding->next) {
        if (binding->value != NULL) {
            spelling_consider(spelling, binding->name);
        }
    }
}

void elab_consider_names(const Frame *frame, Spelling *spelling)
{
    consider(frame->bindings, spelling);
    for (size_t i = 0; i < frame->table_size; i++) {
        consider(frame->table[i], spelling);
    }
}

Value *elab_watch(Compilation *c, Frame *frame, const char *name)
{
    for (; frame != NULL; frame = frame->outer) {
        if (frame->table == NULL) {
            frame->watched = true;
        } else if (find(frame, name) == NULL &&
                   (frame->prelude == NULL || elab_define_prelude(frame->prelude, name) == NULL)) {
            elab_bind_name(c, frame, name, NULL); /* not there: notice when it will be */
        }
        Binding *binding = find(frame, name);
        if (binding == NULL) {
            continue;
        }
        binding->watched = true;
        if (binding->value != NULL) {
            return binding->value;
        }
    }
    return NULL;
}
