/* Scalar arithmetic on the way to core: constants fold, and what was computed once is not computed
   again (value numbering), so that equal extents become the same atom:

       (1↓v) - ¯1↓v        both extents are max(0, n-1): one statement, one name, and so the
                           difference needs no length check

   A computed name may be reused as long as the scope in which it was computed is open; entries of
   closed scopes are dead and are replaced. Facts (a name is not negative) are scoped likewise.
   Integer arithmetic wraps, so that n+1-1 is n for every n; reals are folded not at all. */
#include "tail/to_core/to_core.h"

/* ---- the tables ---------------------------------------------------------------------------- */

typedef struct Key {
    int kind; /* CoreExpKind: UNARY, BINARY, CONVERT, ASSERT */
    int code; /* CoreOperator, CorePrim, CoreErrorKind */
    CoreAtom x, y;
} Key;

typedef struct Entry {
    Key key;
    CoreAtom result;
    const Scope *scope; /* NULL: a free place */
} Entry;

/* What is known about a core name. */
typedef struct Fact {
    const Scope *nonnegative; /* valid while this scope is open */
    CoreAtom base;            /* the name is base + offset */
    int64_t offset;
    bool is_sum;
} Fact;

struct Numbering {
    size_t capacity, count;
    Entry *entries;
    unsigned fact_count, first_number;
    Fact *facts; /* by the core name's number - first_number */
};

Numbering *to_core_numbering_create(ToCore *t)
{
    Numbering *numbering = ARENA_NEW(t->c->arena, Numbering);
    numbering->capacity = 256;
    numbering->entries = ARENA_ARRAY(t->c->arena, Entry, numbering->capacity);
    numbering->first_number = t->c->last_number;
    return numbering;
}

static uint64_t hash_atom(uint64_t hash, CoreAtom atom)
{
    uint64_t bits = atom.name ? atom.name->number : 0;
    if (!atom.name)
        memcpy(&bits, &atom.as, sizeof bits);
    hash = (hash ^ bits ^ (atom.name ? 0x9E37 : (uint64_t)atom.prim)) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static bool key_equal(const Key *a, const Key *b)
{
    return a->kind == b->kind && a->code == b->code && core_atom_equal(a->x, b->x) &&
           core_atom_equal(a->y, b->y);
}

static Entry *find_place(Entry *entries, size_t capacity, const Key *key)
{
    uint64_t hash =
        hash_atom(hash_atom((uint64_t)key->kind * 64 + (uint64_t)key->code, key->x), key->y);
    size_t place = (size_t)hash & (capacity - 1);
    while (entries[place].scope && !key_equal(&entries[place].key, key)) {
        place = (place + 1) & (capacity - 1);
    }
    return &entries[place];
}

static void grow(ToCore *t, Numbering *numbering)
{
    size_t capacity = numbering->capacity * 2;
    Entry *entries = ARENA_ARRAY(t->c->arena, Entry, capacity);
    numbering->count = 0;
    for (size_t i = 0; i < numbering->capacity; i++) {
        const Entry *entry = &numbering->entries[i];
        if (!entry->scope || !entry->scope->open)
            continue;
        *find_place(entries, capacity, &entry->key) = *entry;
        numbering->count++;
    }
    numbering->entries = entries;
    numbering->capacity = capacity;
}

static bool recall(ToCore *t, const Key *key, CoreAtom *result)
{
    Numbering *numbering = t->numbering;
    const Entry *entry = find_place(numbering->entries, numbering->capacity, key);
    if (!entry->scope || !entry->scope->open)
        return false;
    *result = entry->result;
    return true;
}

static void remember(ToCore *t, const Key *key, CoreAtom result)
{
    Numbering *numbering = t->numbering;
    if (numbering->count * 2 >= numbering->capacity)
        grow(t, numbering);
    Entry *entry = find_place(numbering->entries, numbering->capacity, key);
    if (!entry->scope)
        numbering->count++;
    *entry = (Entry){*key, result, t->scope};
}

/* ---- facts --------------------------------------------------------------------------------- */

static Fact *fact_of(ToCore *t, const CoreName *name)
{
    Numbering *numbering = t->numbering;
    unsigned index = name->number - numbering->first_number;
    if (index >= numbering->fact_count) {
        unsigned count = numbering->fact_count ? numbering->fact_count : 256;
        while (count <= index)
            count *= 2;
        Fact *facts = ARENA_ARRAY(t->c->arena, Fact, count);
        if (numbering->fact_count)
            memcpy(facts, numbering->facts, numbering->fact_count * sizeof *facts);
        numbering->facts = facts;
        numbering->fact_count = count;
    }
    return &numbering->facts[index];
}

bool to_core_known_nonnegative(ToCore *t, CoreAtom x)
{
    if (!x.name)
        return !core_is_real(x.prim) && x.as.integer >= 0;
    const Scope *scope = fact_of(t, x.name)->nonnegative;
    return scope && scope->open;
}

void to_core_assume_nonnegative(ToCore *t, CoreAtom x)
{
    if (!x.name)
        return;
    Fact *fact = fact_of(t, x.name);
    if (!fact->nonnegative || !fact->nonnegative->open)
        fact->nonnegative = t->scope;
}

/* x = base + offset. */
static void split_sum(ToCore *t, CoreAtom x, CoreAtom *base, int64_t *offset)
{
    *base = x;
    *offset = 0;
    if (!x.name)
        return;
    const Fact *fact = fact_of(t, x.name);
    if (!fact->is_sum)
        return;
    *base = fact->base;
    *offset = fact->offset;
}

/* ---- folding ------------------------------------------------------------------------------- */

static bool is_int_prim(CoreAtom x)
{
    return core_is_int(core_atom_type(x).prim);
}

static int64_t floor_divide(int64_t x, int64_t y)
{
    if (y == 0)
        return 0;
    if (y == -1)
        return (int64_t)(0 - (uint64_t)x);
    int64_t quotient = x / y;
    return quotient * y != x && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}

/* Two constant ints (or bools, chars for comparisons). */
static bool fold_constants(CoreOperator op, CoreAtom a, CoreAtom b, CoreAtom *result)
{
    if (a.name || b.name || core_is_real(a.prim))
        return false;
    int64_t x = a.as.integer, y = b.as.integer;
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    bool is_int = core_is_int(a.prim);
    if (op == CORE_EQ)
        *result = core_bool(x == y);
    else if (op == CORE_NE)
        *result = core_bool(x != y);
    else if (op == CORE_LT)
        *result = core_bool(x < y);
    else if (op == CORE_LE)
        *result = core_bool(x <= y);
    else if (op == CORE_GT)
        *result = core_bool(x > y);
    else if (op == CORE_GE)
        *result = core_bool(x >= y);
    else if (!is_int)
        return false;
    else if (op == CORE_ADD)
        *result = core_int(a.prim, (int64_t)(ux + uy));
    else if (op == CORE_SUB)
        *result = core_int(a.prim, (int64_t)(ux - uy));
    else if (op == CORE_MUL)
        *result = core_int(a.prim, (int64_t)(ux * uy));
    else if (op == CORE_MAX)
        *result = core_int(a.prim, x > y ? x : y);
    else if (op == CORE_MIN)
        *result = core_int(a.prim, x < y ? x : y);
    else if (op == CORE_DIV)
        *result = core_int(a.prim, floor_divide(x, y));
    else if (op == CORE_MOD)
        *result = core_int(a.prim, (int64_t)(ux - uy * (uint64_t)floor_divide(x, y)));
    else
        return false;
    return true;
}

/* x op x, on ints and bools. */
static bool fold_same(CoreOperator op, CoreAtom x, CoreAtom *result)
{
    CorePrim prim = core_atom_type(x).prim;
    if (core_is_real(prim))
        return false;
    if (op == CORE_EQ || op == CORE_LE || op == CORE_GE)
        *result = core_bool(true);
    else if (op == CORE_NE || op == CORE_LT || op == CORE_GT)
        *result = core_bool(false);
    else if (op == CORE_MAX || op == CORE_MIN || op == CORE_AND || op == CORE_OR)
        *result = x;
    else if (op == CORE_SUB)
        *result = core_int(prim, 0);
    else
        return false;
    return true;
}

/* x op constant, where that is known whatever x is. */
static bool fold_right(ToCore *t, CoreOperator op, CoreAtom x, CoreAtom y, CoreAtom *result)
{
    if (y.name || core_is_real(y.prim))
        return false;
    int64_t k = y.as.integer;
    bool is_bool = y.prim == CORE_BOOL, nonnegative = !is_bool && to_core_known_nonnegative(t, x);
    if (is_bool && (op == CORE_AND || op == CORE_OR)) {
        *result = (op == CORE_AND) == (k != 0) ? x : y;
    } else if (is_bool && op == CORE_EQ && k)
        *result = x;
    else if (is_bool)
        return false;
    else if (k == 0 && (op == CORE_ADD || op == CORE_SUB))
        *result = x;
    else if (k == 0 && op == CORE_MUL)
        *result = y;
    else if (k == 1 && (op == CORE_MUL || op == CORE_DIV))
        *result = x;
    else if (!nonnegative)
        return false;
    else if (k <= 0 && op == CORE_MAX)
        *result = x;
    else if (k <= 0 && op == CORE_MIN)
        *result = y;
    else if ((k <= 0 && op == CORE_GE) || (k < 0 && (op == CORE_GT || op == CORE_NE))) {
        *result = core_bool(true);
    } else if ((k <= 0 && op == CORE_LT) || (k < 0 && (op == CORE_LE || op == CORE_EQ))) {
        *result = core_bool(false);
    } else
        return false;
    return true;
}

/* base + offset, one way of writing it for every way of computing it. */
static CoreAtom emit_binary(ToCore *t, CoreOperator op, CoreAtom x, CoreAtom y);

static CoreAtom make_sum(ToCore *t, CoreAtom base, int64_t offset)
{
    CorePrim prim = core_atom_type(base).prim;
    if (prim == CORE_I32)
        offset = (int32_t)(uint32_t)(uint64_t)offset;
    if (!base.name)
        return core_int(prim, (int64_t)((uint64_t)base.as.integer + (uint64_t)offset));
    if (offset == 0)
        return base;
    bool negative = offset < 0 && offset != INT64_MIN;
    CoreAtom result = negative ? emit_binary(t, CORE_SUB, base, core_int(prim, -offset))
                               : emit_binary(t, CORE_ADD, base, core_int(prim, offset));
    Fact *fact = fact_of(t, result.name);
    *fact = (Fact){fact->nonnegative, base, offset, true};
    if (!negative && to_core_known_nonnegative(t, base))
        to_core_assume_nonnegative(t, result);
    return result;
}

/* Sums and differences with a constant, and differences and comparisons of such. */
static bool fold_sums(ToCore *t, CoreOperator op, CoreAtom x, CoreAtom y, CoreAtom *result)
{
    CoreAtom x_base, y_base;
    int64_t x_offset, y_offset;
    if (!is_int_prim(x) || (op != CORE_ADD && op != CORE_SUB && op != CORE_EQ && op != CORE_NE)) {
        return false;
    }
    split_sum(t, x, &x_base, &x_offset);
    split_sum(t, y, &y_base, &y_offset);
    if (!y.name && (op == CORE_ADD || op == CORE_SUB)) {
        uint64_t k = (uint64_t)y.as.integer;
        *result = make_sum(t, x_base, (int64_t)((uint64_t)x_offset + (op == CORE_ADD ? k : 0 - k)));
        return true;
    }
    if (op == CORE_ADD || !x.name || !core_atom_equal(x_base, y_base))
        return false;
    CorePrim prim = core_atom_type(x).prim;
    CoreAtom difference = core_int(prim, (int64_t)((uint64_t)x_offset - (uint64_t)y_offset));
    if (op == CORE_SUB)
        *result = difference;
    else
        *result = core_bool((difference.as.integer == 0) == (op == CORE_EQ));
    return true;
}

static bool is_commutative(CoreOperator op, CorePrim prim)
{
    if (op == CORE_EQ || op == CORE_NE)
        return true;
    return !core_is_real(prim) && core_operator_associative(op, prim);
}

/* Whether a belongs to the left of b: names by age, constants last. */
static bool in_order(CoreAtom a, CoreAtom b)
{
    if (!a.name || !b.name)
        return b.name == NULL;
    return a.name->number <= b.name->number;
}

/* ---- statements ---------------------------------------------------------------------------- */

static void note_sign(ToCore *t, CoreOperator op, CoreAtom x, CoreAtom y, CoreAtom result)
{
    bool left = to_core_known_nonnegative(t, x), right = to_core_known_nonnegative(t, y);
    bool both = op == CORE_ADD || op == CORE_MUL || op == CORE_MIN || op == CORE_DIV;
    if ((both && left && right) || (op == CORE_MAX && (left || right)) ||
        (op == CORE_MOD && left && right)) {
        to_core_assume_nonnegative(t, result);
    }
}

static const char *scalar_text(const ToCore *t)
{
    return t->text ? t->text : "t";
}

static CoreAtom emit_binary(ToCore *t, CoreOperator op, CoreAtom x, CoreAtom y)
{
    Key key = {CORE_EXP_BINARY, (int)op, x, y};
    CoreAtom result;
    if (recall(t, &key, &result))
        return result;
    result = core_let_binary(BUILDER(t), scalar_text(t), op, x, y);
    remember(t, &key, result);
    if (is_int_prim(x))
        note_sign(t, op, x, y, result);
    return result;
}

CoreAtom to_core_binary(ToCore *t, CoreOperator op, CoreAtom x, CoreAtom y)
{
    CoreAtom result;
    if (fold_constants(op, x, y, &result))
        return result;
    if (is_commutative(op, core_atom_type(x).prim) && !in_order(x, y)) {
        CoreAtom swapped = x;
        x = y;
        y = swapped;
    }
    if (core_atom_equal(x, y) && fold_same(op, x, &result))
        return result;
    if (fold_right(t, op, x, y, &result) || fold_sums(t, op, x, y, &result))
        return result;
    if (op == CORE_LE && is_constant(x, 0) && is_int_prim(y) && to_core_known_nonnegative(t, y)) {
        return core_bool(true);
    }
    return emit_binary(t, op, x, y);
}

CoreAtom to_core_unary(ToCore *t, CoreOperator op, CoreAtom x)
{
    CorePrim prim = core_atom_type(x).prim;
    bool is_int = core_is_int(prim);
    if (is_int && op == CORE_ABS && to_core_known_nonnegative(t, x))
        return x;
    if (!x.name && is_int && op == CORE_NEG)
        return core_int(prim, (int64_t)(0 - (uint64_t)x.as.integer));
    if (!x.name && is_int && op == CORE_ABS)
        return core_int(prim, (int64_t)(0 - (uint64_t)x.as.integer));
    if (!x.name && is_int && op == CORE_SIGN)
        return core_int(prim, x.as.integer > 0 ? 1 : x.as.integer < 0 ? -1 : 0);
    if (!x.name && prim == CORE_BOOL && op == CORE_NOT)
        return core_bool(!x.as.integer);
    if (!x.name && core_is_real(prim) && op == CORE_NEG)
        return core_real(prim, -x.as.real);
    Key key = {CORE_EXP_UNARY, (int)op, x, core_bool(false)};
    CoreAtom result;
    if (recall(t, &key, &result))
        return result;
    result = core_let_unary(BUILDER(t), scalar_text(t), op, x);
    remember(t, &key, result);
    return result;
}

/* |k| of an i64, not negative even for the least one: that is as good as the greatest. */
CoreAtom to_core_magnitude_of(ToCore *t, CoreAtom k)
{
    if (!to_core_known_nonnegative(t, k)) {
        k = to_core_binary(t, CORE_MAX, k, core_i64(-INT64_MAX));
    }
    k = to_core_unary(t, CORE_ABS, k);
    to_core_assume_nonnegative(t, k);
    return k;
}

static bool fold_convert(CorePrim to, CoreAtom x, CoreAtom *result)
{
    if (x.name || core_is_real(x.prim))
        return false;
    if (core_is_int(to))
        *result = core_int(to, x.as.integer);
    else if (core_is_real(to))
        *result = core_real(to, (double)x.as.integer);
    else if (to == CORE_BOOL)
        *result = core_bool(x.as.integer != 0);
    else
        return false;
    return true;
}

CoreAtom to_core_convert(ToCore *t, CorePrim to, CoreAtom x)
{
    CorePrim from = core_atom_type(x).prim;
    CoreAtom result;
    if (from == to)
        return x;
    if (fold_convert(to, x, &result))
        return result;
    Key key = {CORE_EXP_CONVERT, (int)to, x, core_bool(false)};
    if (recall(t, &key, &result))
        return result;
    result = core_let_convert(BUILDER(t), scalar_text(t), to, x);
    remember(t, &key, result);
    if (!core_is_int(to))
        return result;
    if (from == CORE_BOOL || (core_is_int(from) && to_core_known_nonnegative(t, x)))
        to_core_assume_nonnegative(t, result);
    /* An extent that was narrowed to an int of the program is that extent again when it is widened:
       extents beyond the narrow type have no meaning in such a program. */
    if (from == CORE_I64 && to_core_known_nonnegative(t, x)) {
        Key back = {CORE_EXP_CONVERT, CORE_I64, result, core_bool(false)};
        remember(t, &back, x);
    }
    return result;
}

/* ---- assertions ---------------------------------------------------------------------------- */

CoreAtom to_core_require(ToCore *t, CoreAtom condition, CoreErrorKind error, const char *message,
                         size_t value_count, const CoreAtom *values)
{
    CoreAtom certificate = {.name = NULL, .prim = CORE_CERT};
    if (is_constant(condition, 1))
        return certificate;
    Key key = {CORE_EXP_ASSERT, 0, condition, core_bool(false)};
    if (condition.name && recall(t, &key, &certificate))
        return certificate;
    certificate = core_let_assert(BUILDER(t), condition, error, message, value_count, values);
    if (condition.name)
        remember(t, &key, certificate);
    return certificate;
}

size_t to_core_guard(ToCore *t, CoreAtom certificate)
{
    CoreBuilder *b = BUILDER(t);
    size_t mark = b->certificates.count;
    if (certificate.name)
        vec_push(t->c->arena, &b->certificates, certificate);
    return mark;
}

void to_core_unguard(ToCore *t, size_t mark)
{
    BUILDER(t)->certificates.count = mark;
}
