/* Types of the front form as trees, with the sizes as core atoms, and their leaves in internal core
   ([L0] 4.1, the tuple transformation):

       [n](f64, [3]i64)        leaves  [n]f64, [n][3]i64 */
#include "core/front/elaborate.h"

/* ---- making ---------------------------------------------------------------------------------- */

const Type *front_type_scalar(Elaborator *e, CorePrim prim)
{
    Type *type = ARENA_NEW(e->c->arena, Type);
    *type = (Type){.kind = TYPE_SCALAR, .prim = prim, .leaf_count = 1};
    return type;
}

const Type *front_type_array(Elaborator *e, CoreAtom size, const Type *row)
{
    Type *type = ARENA_NEW(e->c->arena, Type);
    *type = (Type){.kind = TYPE_ARRAY, .size = size, .row = row, .leaf_count = row->leaf_count};
    return type;
}

const Type *front_type_tuple(Elaborator *e, size_t count, const Type *const *items)
{
    Type *type = ARENA_NEW(e->c->arena, Type);
    *type = (Type){.kind = TYPE_TUPLE, .count = count};
    if (count > 0) {
        type->items = arena_copy(e->c->arena, items, count * sizeof(const Type *));
    }
    for (size_t i = 0; i < count; i++) {
        type->leaf_count += items[i]->leaf_count;
    }
    return type;
}

const Type *front_type_map(Elaborator *e, const Type *type,
                           CoreAtom (*map)(void *context, CoreAtom size), void *context)
{
    if (type->kind == TYPE_SCALAR) {
        return type;
    }
    if (type->kind == TYPE_ARRAY) {
        CoreAtom size = map(context, type->size);
        return front_type_array(e, size, front_type_map(e, type->row, map, context));
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, type->count);
    for (size_t i = 0; i < type->count; i++) {
        items[i] = front_type_map(e, type->items[i], map, context);
    }
    return front_type_tuple(e, type->count, items);
}

static CoreAtom zero_size(void *context, CoreAtom size)
{
    (void)context;
    (void)size;
    return core_i64(0);
}

const Type *front_type_unsized(Elaborator *e, const Type *type)
{
    return front_type_map(e, type, zero_size, NULL);
}

void front_type_each_size(const Type *type, void (*visit)(void *context, CoreAtom size),
                          void *context)
{
    for (; type->kind == TYPE_ARRAY; type = type->row) {
        visit(context, type->size);
    }
    for (size_t i = 0; type->kind == TYPE_TUPLE && i < type->count; i++) {
        front_type_each_size(type->items[i], visit, context);
    }
}

const Type *front_type_wanted(Elaborator *e, const FrontType *written)
{
    if (!written) {
        return NULL;
    }
    if (written->kind == FRONT_TYPE_SCALAR) {
        return front_type_scalar(e, written->prim);
    }
    if (written->kind == FRONT_TYPE_ARRAY) {
        return front_type_array(e, core_i64(0), front_type_wanted(e, written->row));
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, written->count);
    for (size_t i = 0; i < written->count; i++) {
        items[i] = front_type_wanted(e, written->items[i]);
    }
    return front_type_tuple(e, written->count, items);
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool front_type_alike(const Type *a, const Type *b)
{
    for (; a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY; b = b->row) {
        a = a->row;
    }
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == TYPE_SCALAR) {
        return a->prim == b->prim;
    }
    bool alike = a->count == b->count;
    for (size_t i = 0; alike && i < a->count; i++) {
        alike = front_type_alike(a->items[i], b->items[i]);
    }
    return alike;
}

bool front_type_is(const Type *type, CorePrim prim)
{
    return type->kind == TYPE_SCALAR && type->prim == prim;
}

size_t front_type_depth(const Type *type)
{
    size_t depth = 0;
    for (; type->kind == TYPE_ARRAY; type = type->row) {
        depth++;
    }
    return depth;
}

const Type *front_type_below(const Type *type, size_t layers)
{
    for (; layers > 0; layers--) {
        type = type->row;
    }
    return type;
}

const Type *front_type_resized(Elaborator *e, const Type *type, size_t layers, size_t count,
                               const CoreAtom *sizes)
{
    type = front_type_below(type, layers);
    while (count > 0) {
        type = front_type_array(e, sizes[--count], type);
    }
    return type;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

typedef struct LeafWalk {
    Elaborator *e;
    VEC(CoreAtom) sizes; /* around us */
    CoreType *next;
} LeafWalk;

static void list_leaves(LeafWalk *walk, const Type *type)
{
    size_t outer = walk->sizes.count;
    for (; type->kind == TYPE_ARRAY; type = type->row) {
        vec_push(walk->e->c->arena, &walk->sizes, type->size);
    }
    if (type->kind == TYPE_SCALAR) {
        *walk->next++ =
            core_array(walk->e->c, type->prim, (int)walk->sizes.count, walk->sizes.items);
    }
    for (size_t i = 0; type->kind == TYPE_TUPLE && i < type->count; i++) {
        list_leaves(walk, type->items[i]);
    }
    walk->sizes.count = outer;
}

const CoreType *front_type_leaves(Elaborator *e, const Type *type)
{
    CoreType *leaves = ARENA_ARRAY(e->c->arena, CoreType, type->leaf_count);
    LeafWalk walk = {.e = e, .next = leaves};
    list_leaves(&walk, type);
    return leaves;
}

void front_type_unique(const FrontType *written, const Type *type, bool inside, bool **next)
{
    inside = inside || (written && written->unique);
    if (type->kind == TYPE_SCALAR) {
        *(*next)++ = inside;
    } else if (type->kind == TYPE_ARRAY) {
        bool known = written && written->kind == FRONT_TYPE_ARRAY;
        front_type_unique(known ? written->row : NULL, type->row, inside, next);
    } else {
        bool known = written && written->kind == FRONT_TYPE_TUPLE && written->count == type->count;
        for (size_t i = 0; i < type->count; i++) {
            front_type_unique(known ? written->items[i] : NULL, type->items[i], inside, next);
        }
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void append_type(Text *text, const Type *type)
{
    for (; type->kind == TYPE_ARRAY; type = type->row) {
        if (type->size.name) {
            text_printf(text, "[%s]", type->size.name->text);
        } else {
            text_printf(text, "[%lld]", (long long)type->size.as.integer);
        }
    }
    if (type->kind == TYPE_SCALAR) {
        text_string(text, core_prim_text(type->prim));
        return;
    }
    for (size_t i = 0; i < type->count; i++) {
        text_string(text, i == 0 ? "(" : ", ");
        append_type(text, type->items[i]);
    }
    text_string(text, type->count == 0 ? "()" : ")");
}

const char *front_type_text(Elaborator *e, const Type *type)
{
    Text text = text_create(e->c->arena);
    append_type(&text, type);
    return text_get(&text);
}

static void append_written(Text *text, const FrontType *type)
{
    if (type->kind == FRONT_TYPE_SCALAR) {
        text_string(text, core_prim_text(type->prim));
    } else if (type->kind == FRONT_TYPE_ARRAY) {
        if (type->size.kind == FRONT_SIZE_NAME) {
            text_printf(text, "[%s]", type->size.name);
        } else if (type->size.kind == FRONT_SIZE_CONSTANT) {
            text_printf(text, "[%lld]", (long long)type->size.constant);
        } else {
            text_string(text, "[]");
        }
        append_written(text, type->row);
    } else {
        for (size_t i = 0; i < type->count; i++) {
            text_string(text, i == 0 ? "(" : ", ");
            append_written(text, type->items[i]);
        }
        text_string(text, type->count == 0 ? "()" : ")");
    }
}

const char *front_written_text(Elaborator *e, const FrontType *written)
{
    Text text = text_create(e->c->arena);
    append_written(&text, written);
    return text_get(&text);
}
