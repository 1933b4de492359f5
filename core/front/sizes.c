/* Scalar arithmetic of the front form: i64 and bool operations are numbered by value, so that equal
   sizes are the same atom, and the checks that the form leaves implicit ([L0] 4.2):

       xs[1:] and ys[1:] of [n]f64     both extents are n-1: one statement, one name, so that
                                       zipping them needs no check

       map (*) xs ys                   let (t : bool) = n == m
                                       let (c : cert) = assert t "LENGTH ERROR" "{} and {}" (n, m)
                                       let (ys' : [n]f64) = <c> reshape [n] ys

   A number is good as long as the frame in which it was computed is open. Of folding there is only
   what makes sizes constant; the simplifier does the rest. */
#include "core/front/elaborate.h"

/* ---- the tables ------------------------------------------------------------------------------ */

typedef struct Key {
    int kind; /* CoreExpKind: UNARY, BINARY, CONVERT, ASSERT */
    int code; /* CoreOperator, CorePrim, CoreErrorKind */
    CoreAtom x, y;
} Key;

typedef struct Entry {
    Key key;
    CoreAtom result;
    const Frame *frame; /* NULL: a free place */
} Entry;

typedef struct Sign {
    const Frame *nonnegative; /* while this frame is open */
    bool is_extent;           /* not negative wherever it is in scope */
} Sign;

struct Numbering {
    size_t capacity, count;
    Entry *entries;
    Sign *signs; /* by the core name's number */
    unsigned sign_count;
};

Numbering *front_numbering(Elaborator *e)
{
    Numbering *numbering = ARENA_NEW(e->c->arena, Numbering);
    numbering->capacity = 256;
    numbering->entries = ARENA_ARRAY(e->c->arena, Entry, numbering->capacity);
    return numbering;
}

static uint64_t hash_atom(uint64_t hash, CoreAtom atom)
{
    uint64_t bits = atom.name ? atom.name->number : 0;
    if (!atom.name) {
        memcpy(&bits, &atom.as, sizeof bits);
    }
    hash = (hash ^ bits ^ (atom.name ? 0x9E37 : (uint64_t)atom.prim)) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static Entry *find_place(Entry *entries, size_t capacity, const Key *key)
{
    uint64_t hash =
        hash_atom(hash_atom((uint64_t)key->kind * 64 + (uint64_t)key->code, key->x), key->y);
    size_t place = (size_t)hash & (capacity - 1);
    for (; entries[place].frame; place = (place + 1) & (capacity - 1)) {
        const Key *other = &entries[place].key;
        if (other->kind == key->kind && other->code == key->code &&
            core_atom_equal(other->x, key->x) && core_atom_equal(other->y, key->y)) {
            break;
        }
    }
    return &entries[place];
}

static void grow(Elaborator *e, Numbering *numbering)
{
    size_t capacity = numbering->capacity * 2;
    Entry *entries = ARENA_ARRAY(e->c->arena, Entry, capacity);
    numbering->count = 0;
    for (size_t i = 0; i < numbering->capacity; i++) {
        const Entry *entry = &numbering->entries[i];
        if (entry->frame && entry->frame->open) {
            *find_place(entries, capacity, &entry->key) = *entry;
            numbering->count++;
        }
    }
    numbering->entries = entries;
    numbering->capacity = capacity;
}

static bool recall(Elaborator *e, const Key *key, CoreAtom *result)
{
    Numbering *numbering = e->numbering;
    const Entry *entry = find_place(numbering->entries, numbering->capacity, key);
    if (!entry->frame || !entry->frame->open) {
        return false;
    }
    *result = entry->result;
    return true;
}

/* What is built under a guard has a meaning only there. */
static void remember(Elaborator *e, const Key *key, CoreAtom result)
{
    Numbering *numbering = e->numbering;
    if (BUILDER(e)->certificates.count > 0) {
        return;
    }
    if (numbering->count * 2 >= numbering->capacity) {
        grow(e, numbering);
    }
    Entry *entry = find_place(numbering->entries, numbering->capacity, key);
    numbering->count += entry->frame == NULL;
    *entry = (Entry){*key, result, e->frame};
}

/* ---- facts ----------------------------------------------------------------------------------- */

static Sign *sign_of(Elaborator *e, const CoreName *name)
{
    Numbering *numbering = e->numbering;
    unsigned index = name->number - e->first_number;
    if (index >= numbering->sign_count) {
        unsigned count = numbering->sign_count ? numbering->sign_count : 256;
        while (count <= index) {
            count *= 2;
        }
        Sign *longer = ARENA_ARRAY(e->c->arena, Sign, count);
        if (numbering->sign_count > 0) {
            memcpy(longer, numbering->signs, numbering->sign_count * sizeof *longer);
        }
        numbering->signs = longer;
        numbering->sign_count = count;
    }
    return &numbering->signs[index];
}

void front_note_extent(Elaborator *e, CoreAtom x)
{
    if (x.name) {
        sign_of(e, x.name)->is_extent = true;
    }
}

bool front_is_extent(Elaborator *e, CoreAtom x)
{
    return x.name ? sign_of(e, x.name)->is_extent : x.as.integer >= 0;
}

bool front_known_nonnegative(Elaborator *e, CoreAtom x)
{
    if (!x.name) {
        return core_is_int(x.prim) && x.as.integer >= 0;
    }
    const Sign *sign = sign_of(e, x.name);
    return sign->is_extent || (sign->nonnegative && sign->nonnegative->open);
}

void front_assume_nonnegative(Elaborator *e, CoreAtom x)
{
    if (x.name && !front_known_nonnegative(e, x)) {
        sign_of(e, x.name)->nonnegative = e->frame;
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

bool front_is_constant(CoreAtom x, int64_t value)
{
    return !x.name && !core_is_real(x.prim) && x.as.integer == value;
}

/* Two constants of i64 or bool. */
static bool fold_constants(CoreOperator op, CoreAtom a, CoreAtom b, CoreAtom *result)
{
    int64_t x = a.as.integer, y = b.as.integer;
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    bool is_int = a.prim == CORE_I64;
    if (op == CORE_EQ) {
        *result = core_bool(x == y);
    } else if (op == CORE_NE) {
        *result = core_bool(x != y);
    } else if (op == CORE_LE) {
        *result = core_bool(x <= y);
    } else if (op == CORE_LT) {
        *result = core_bool(x < y);
    } else if (op == CORE_AND && !is_int) {
        *result = core_bool(x && y);
    } else if (op == CORE_ADD && is_int) {
        *result = core_i64((int64_t)(ux + uy));
    } else if (op == CORE_SUB && is_int) {
        *result = core_i64((int64_t)(ux - uy));
    } else if (op == CORE_MUL && is_int) {
        *result = core_i64((int64_t)(ux * uy));
    } else if (op == CORE_MAX && is_int) {
        *result = core_i64(x > y ? x : y);
    } else if (op == CORE_MIN && is_int) {
        *result = core_i64(x < y ? x : y);
    } else if (op == CORE_DIV && is_int && x >= 0 && y > 0) {
        *result = core_i64(x / y);
    } else {
        return false;
    }
    return true;
}

/* Operations of i64 and bool whose result is an operand or a constant. */
static bool fold(Elaborator *e, CoreOperator op, CoreAtom x, CoreAtom y, CoreAtom *result)
{
    if (!x.name && !y.name) {
        return fold_constants(op, x, y, result);
    }
    bool same = core_atom_equal(x, y);
    if (core_atom_type(x).prim == CORE_BOOL) {
        *result = front_is_constant(x, 1) ? y : x;
        return op == CORE_AND && (same || front_is_constant(x, 1) || front_is_constant(y, 1));
    }
    if (op == CORE_ADD && front_is_constant(x, 0)) {
        *result = y;
    } else if ((op == CORE_ADD || op == CORE_SUB) && front_is_constant(y, 0)) {
        *result = x;
    } else if (op == CORE_SUB && same) {
        *result = core_i64(0);
    } else if (op == CORE_MUL && front_is_constant(x, 1)) {
        *result = y;
    } else if ((op == CORE_MUL || op == CORE_DIV) && front_is_constant(y, 1)) {
        *result = x;
    } else if (same && (op == CORE_EQ || op == CORE_LE)) {
        *result = core_bool(true);
    } else if (op == CORE_LE && front_is_constant(x, 0) && front_known_nonnegative(e, y)) {
        *result = core_bool(true);
    } else if ((op == CORE_MIN || op == CORE_MAX) && front_is_constant(x, 0) &&
               front_known_nonnegative(e, y)) {
        *result = op == CORE_MIN ? x : y;
    } else {
        return false;
    }
    return true;
}

static void note_sign(Elaborator *e, CoreOperator op, CoreAtom x, CoreAtom y, CoreAtom result)
{
    bool left = front_known_nonnegative(e, x), right = front_known_nonnegative(e, y);
    if (((op == CORE_MIN || op == CORE_DIV || op == CORE_MOD) && left && right) ||
        (op == CORE_MAX && (left || right))) {
        front_assume_nonnegative(e, result);
    }
}

CoreAtom front_binary(Elaborator *e, const char *text, CoreOperator op, CoreAtom x, CoreAtom y)
{
    CorePrim prim = core_atom_type(x).prim;
    CoreAtom result;
    text = text ? text : "t";
    if (prim != CORE_I64 && prim != CORE_BOOL) {
        return core_let_binary(BUILDER(e), text, op, x, y);
    }
    if (op == CORE_EQ && x.name && y.name && x.name->number > y.name->number) {
        CoreAtom first = y; /* one condition for both orders */
        y = x;
        x = first;
    }
    Key key = {CORE_EXP_BINARY, (int)op, x, y};
    if (fold(e, op, x, y, &result) || recall(e, &key, &result)) {
        return result;
    }
    result = core_let_binary(BUILDER(e), text, op, x, y);
    remember(e, &key, result);
    if (prim == CORE_I64) {
        note_sign(e, op, x, y, result);
    }
    return result;
}

CoreAtom front_unary(Elaborator *e, const char *text, CoreOperator op, CoreAtom x)
{
    CorePrim prim = core_atom_type(x).prim;
    if (!x.name && op == CORE_NEG && core_is_int(prim)) {
        return core_int(prim, (int64_t)(0 - (uint64_t)x.as.integer));
    }
    if (!x.name && op == CORE_NEG && core_is_real(prim)) {
        return core_real(prim, -x.as.real);
    }
    Key key = {CORE_EXP_UNARY, (int)op, x, core_bool(false)};
    CoreAtom result;
    bool numbered = prim == CORE_I64 || prim == CORE_BOOL;
    if (numbered && recall(e, &key, &result)) {
        return result;
    }
    result = core_let_unary(BUILDER(e), text ? text : "t", op, x);
    if (numbered) {
        remember(e, &key, result);
    }
    return result;
}

CoreAtom front_convert(Elaborator *e, const char *text, CorePrim to, CoreAtom x)
{
    if (core_atom_type(x).prim == to) {
        return x;
    }
    return core_let_convert(BUILDER(e), text ? text : "t", to, x);
}

CoreAtom front_product(Elaborator *e, size_t count, const CoreAtom *sizes)
{
    CoreAtom product = core_i64(1);
    for (size_t i = 0; i < count; i++) {
        product = front_binary(e, NULL, CORE_MUL, product, sizes[i]);
    }
    return product;
}

/* ---- assertions ------------------------------------------------------------------------------ */

CoreAtom front_require(Elaborator *e, CoreAtom condition, CoreErrorKind error, const char *message,
                       size_t count, const CoreAtom *values)
{
    CoreAtom certificate = {.name = NULL, .prim = CORE_CERT};
    if (front_is_constant(condition, 1)) {
        return certificate;
    }
    Key key = {CORE_EXP_ASSERT, (int)error, condition, core_bool(false)};
    if (condition.name && recall(e, &key, &certificate)) {
        return certificate;
    }
    certificate = core_let_assert(BUILDER(e), condition, error, message, count, values);
    if (condition.name) {
        remember(e, &key, certificate);
    }
    return certificate;
}

CoreAtom front_require_equal(Elaborator *e, CoreAtom expected, CoreAtom found)
{
    CoreAtom pair[2] = {expected, found};
    CoreAtom equal = front_binary(e, NULL, CORE_EQ, expected, found);
    return front_require(e, equal, CORE_LENGTH_ERROR, "{} and {}", 2, pair);
}

CoreAtom front_require_nonnegative(Elaborator *e, CoreAtom *size)
{
    CoreAtom condition = front_binary(e, NULL, CORE_LE, core_i64(0), *size);
    CoreAtom certificate = front_require(e, condition, CORE_DOMAIN_ERROR, "{}", 1, size);
    if (!size->name && size->as.integer < 0) {
        *size = core_let_atom(BUILDER(e), "n", *size);
    }
    front_assume_nonnegative(e, *size);
    return certificate;
}

size_t front_guard(Elaborator *e, CoreAtom certificate)
{
    CoreBuilder *b = BUILDER(e);
    size_t mark = b->certificates.count;
    for (size_t i = 0; certificate.name && i < b->certificates.count; i++) {
        if (b->certificates.items[i].name == certificate.name) {
            return mark;
        }
    }
    if (certificate.name) {
        vec_push(e->c->arena, &b->certificates, certificate);
    }
    return mark;
}

void front_unguard(Elaborator *e, size_t mark)
{
    BUILDER(e)->certificates.count = mark;
}

/* ---- changes of size names ------------------------------------------------------------------- */

/* Each leaf guarded by what is asserted of its own sizes. */
static CoreAtom coerce_leaf(Elaborator *e, CoreAtom leaf, CoreType to)
{
    CoreType from = core_atom_type(leaf);
    CoreAtom *certificates = ARENA_ARRAY(e->c->arena, CoreAtom, to.rank);
    bool same = true;
    for (int i = 0; i < to.rank; i++) {
        bool equal = core_atom_equal(from.sizes[i], to.sizes[i]);
        same = same && equal;
        certificates[i] = equal ? (CoreAtom){.prim = CORE_CERT}
                                : front_require_equal(e, to.sizes[i], from.sizes[i]);
    }
    if (same) {
        return leaf;
    }
    size_t mark = BUILDER(e)->certificates.count;
    for (int i = 0; i < to.rank; i++) {
        front_guard(e, certificates[i]);
    }
    leaf = core_let_reshape(BUILDER(e), leaf.name->text, leaf, (size_t)to.rank, to.sizes);
    front_unguard(e, mark);
    return leaf;
}

Value front_coerce(Elaborator *e, Value value, const Type *to)
{
    const CoreType *types = front_type_leaves(e, to);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, to->leaf_count);
    for (size_t i = 0; i < to->leaf_count; i++) {
        leaves[i] = coerce_leaf(e, value.leaves[i], types[i]);
    }
    return front_value(to, leaves);
}
