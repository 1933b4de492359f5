/* Random scatters and histograms: into copies, and into arrays that nobody uses any more; of what a filter
   keeps, too. Passes of radix sorts. */
#include "tests/random/random.h"

/* Values, and as many distinct positions in an iota that may reach beyond the destination. */
void make_scatter(Generator *g, CoreBuilder *b)
{
    Value dest = some_array(g, b), v;
    CorePrim prim = dest.atom.prim;
    if (!pick(g, (int)prim, dest.rank, &v)) {
        return;
    }
    CoreType type = core_atom_type(v.atom), into = core_atom_type(dest.atom);
    CoreAtom sizes[MAX_RANK] = {type.sizes[0]};
    for (int i = 1; i < dest.rank; i++) {
        if (v.extent[i] == UNKNOWN || v.extent[i] != dest.extent[i]) {
            return;
        }
        sizes[i] = into.sizes[i];
    }
    CoreAtom values = with_sizes(b, v.atom, v.rank, sizes);
    CoreAtom is = core_let_iota(b, "is", type.sizes[0]);
    if (chance(g, 2)) {
        is = core_let_reverse(b, "is", is, 0);
    }
    if (chance(g, 2)) {
        is = core_let_rotate(b, "is", is, 0, some_scalar(g, b, CORE_I64));
    }
    CoreName *i = fresh(g, core_scalar(CORE_I64));
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom scaled =
        core_let_binary(&inner, "i", CORE_MUL, core_use(i), core_i64(1 + below(g, 2)));
    scaled = core_let_binary(&inner, "i", CORE_SUB, scaled, core_i64(below(g, 3)));
    const CoreLambda *f = core_lambda(g->c, 1, &i, core_body(&inner, 1, &scaled));
    CoreAtom places, copy = dest.atom;
    if (may_consume(g, &dest) && !may_share(g, &dest, &v) && chance(g, 2)) {
        consume(g, &dest);
    } else {
        copy = core_let_copy(b, "to", dest.atom);
    }
    core_let_map(b, "is", type.sizes[0], 1, &is, f, &places);
    CoreAtom result =
        core_let(b, "to", into, core_exp_scatter(g->c, type.sizes[0], 1, &copy, places, &values));
    keep_like(g, result, dest);
}

void make_order(Generator *g, CoreBuilder *b)
{
    Value v;
    if (pick(g, (int)CORE_I64, 1 + below(g, 3), &v)) {
        keep_like(g, core_let_order(b, "order", v.atom), v);
    }
}

/* By a digit of the least ones, or any. */
void make_digit_sort(Generator *g, CoreBuilder *b)
{
    Value v;
    if (!pick(g, (int)CORE_I64, 1 + below(g, 2), &v)) {
        return;
    }
    CoreAtom digit = chance(g, 2) ? core_i64(below(g, 2)) : some_scalar(g, b, CORE_I64);
    keep_like(g, core_let_digit_sort(b, "sorted", v.atom, digit), v);
}

/* Something about a row and its number. */
static CoreAtom some_condition(Generator *g, CoreBuilder *b, CoreAtom x, CoreAtom i)
{
    CorePrim prim = core_atom_type(x).prim;
    CoreAtom bit = core_let_binary(b, "p", CORE_AND, i, core_i64(1 + below(g, 3)));
    if (prim == CORE_BOOL) {
        return chance(g, 2) ? x : core_let_binary(b, "p", CORE_LT, core_i64(0), bit);
    }
    if (core_is_real(prim)) {
        return core_let_binary(b, "p", CORE_LT, x, some_constant(g, prim));
    }
    return prim == CORE_CHAR || chance(g, 3)
               ? core_let_binary(b, "p", CORE_LT, core_i64(0), bit)
               : core_let_binary(b, "p", CORE_LT, some_constant(g, prim), x);
}

/* A number for each row that is kept, from its number among all. */
static CoreAtom some_places(Generator *g, CoreBuilder *b, CoreAtom width, CoreAtom is)
{
    CoreName *i = fresh(g, core_scalar(CORE_I64));
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom place = core_use(i), places;
    if (chance(g, 4)) {
        place = core_let_binary(&inner, "i", CORE_MUL, place, core_i64(2));
    }
    place = core_let_binary(&inner, "i", CORE_SUB, place, core_i64(below(g, 3)));
    const CoreLambda *f = core_lambda(g->c, 1, &i, core_body(&inner, 1, &place));
    core_let_map(b, "is", width, 1, &is, f, &places);
    return places;
}

/* The elements at these places, which are positions of the array. */
static CoreAtom elements_at(Generator *g, CoreBuilder *b, CoreAtom array, CoreAtom width,
                            CoreAtom is)
{
    CoreName *i = fresh(g, core_scalar(CORE_I64));
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom at = core_use(i), element = core_let_index(&inner, "x", array, 1, &at), all;
    const CoreLambda *f = core_lambda(g->c, 1, &i, core_body(&inner, 1, &element));
    core_let_map(b, "xs", width, 1, &is, f, &all);
    return all;
}

/* A filter of an array and its numbers; `numbers` and `kept` have a row for each of the m that it keeps. */
static CoreAtom keep_some(Generator *g, CoreBuilder *b, CoreAtom xs, CoreAtom is, CoreAtom *kept,
                          CoreAtom *numbers)
{
    CoreType type = core_atom_type(xs);
    CoreName *row[2] = {fresh(g, core_row(type)), fresh(g, core_scalar(CORE_I64))};
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom inputs[2] = {xs, is}, results[3];
    results[0] = some_condition(g, &inner, core_use(row[0]), core_use(row[1]));
    results[1] = core_use(row[0]);
    results[2] = core_use(row[1]);
    const CoreLambda *f =
        core_lambda(g->c, 2, row, core_body(&inner, chance(g, 4) ? 3 : 1, results));
    CoreName *pattern[3] = {fresh(g, core_scalar(CORE_I64))};
    CoreAtom m = core_use(pattern[0]);
    pattern[1] = fresh(g, core_array(g->c, type.prim, 1, &m));
    pattern[2] = fresh(g, core_array(g->c, CORE_I64, 1, &m));
    core_bind(b, 3, pattern, core_exp_filter(g->c, type.sizes[0], 2, inputs, f));
    *kept = core_use(pattern[1]);
    *numbers = core_use(pattern[2]);
    return m;
}

/* What flags keep of an array. */
static CoreAtom kept_by(Generator *g, CoreBuilder *b, CoreAtom flags, CoreAtom xs)
{
    CoreType type = core_atom_type(xs);
    CoreName *row[2] = {fresh(g, core_scalar(CORE_BOOL)), fresh(g, core_row(type))};
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom inputs[2] = {flags, xs}, keep = core_use(row[0]);
    CoreName *pattern[3] = {fresh(g, core_scalar(CORE_I64))};
    CoreAtom m = core_use(pattern[0]);
    pattern[1] = fresh(g, core_array(g->c, CORE_BOOL, 1, &m));
    pattern[2] = fresh(g, core_array(g->c, type.prim, 1, &m));
    core_bind(b, 3, pattern,
              core_exp_filter(g->c, type.sizes[0], 2, inputs,
                              core_lambda(g->c, 2, row, core_body(&inner, 1, &keep))));
    return core_use(pattern[2]);
}

/* The same by two filters, which have one array of flags. */
static CoreAtom keep_by_flags(Generator *g, CoreBuilder *b, CoreAtom xs, CoreAtom is,
                              CoreAtom *kept, CoreAtom *numbers)
{
    CoreType type = core_atom_type(xs);
    CoreName *row[2] = {fresh(g, core_row(type)), fresh(g, core_scalar(CORE_I64))};
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom flag = some_condition(g, &inner, core_use(row[0]), core_use(row[1])), flags;
    CoreAtom inputs[2] = {xs, is};
    core_let_map(b, "flags", type.sizes[0], 2, inputs,
                 core_lambda(g->c, 2, row, core_body(&inner, 1, &flag)), &flags);
    *kept = kept_by(g, b, flags, xs);
    if (chance(g, 2)) {
        is = core_let_iota(b, "is", type.sizes[0]);
    }
    *numbers = kept_by(g, b, flags, is);
    CoreAtom m = core_atom_type(*numbers).sizes[0];
    *kept = with_sizes(b, *kept, 1, &m);
    return m;
}

/* What a filter keeps of an array, with its numbers in an iota, to places that are these numbers or near them. */
void make_kept_scatter(Generator *g, CoreBuilder *b)
{
    Value dest, xs;
    if (!pick(g, -1, 1, &dest) || !pick(g, -1, 1, &xs)) {
        return;
    }
    bool own = chance(g, 2);
    xs = own ? dest : xs;
    CoreType into = core_atom_type(dest.atom);
    CoreAtom is = core_let_iota(b, "is", core_atom_type(xs.atom).sizes[0]), kept, numbers, values;
    CoreAtom m = chance(g, 3) ? keep_by_flags(g, b, xs.atom, is, &kept, &numbers)
                              : keep_some(g, b, xs.atom, is, &kept, &numbers);
    CoreAtom places = chance(g, 3) ? numbers : some_places(g, b, m, numbers);
    if (own && chance(g, 2)) {
        values = elements_at(g, b, dest.atom, m, numbers);
    } else if (core_atom_type(xs.atom).prim == into.prim && chance(g, 2)) {
        values = kept;
    } else {
        CoreAtom value = into.prim == CORE_I64 && chance(g, 3) ? m : some_constant(g, into.prim);
        values = core_let_replicate(b, "vs", 1, &m, value);
    }
    CoreAtom to = dest.atom;
    if (may_consume(g, &dest) && chance(g, 2)) {
        consume(g, &dest);
    } else {
        to = core_let_copy(b, "to", dest.atom);
    }
    CoreAtom result = core_let(b, "to", into, core_exp_scatter(g->c, m, 1, &to, places, &values));
    keep_like(g, result, dest);
    if (chance(g, 3)) {
        keep_scalar(g, m);
    }
    if (chance(g, 4)) {
        keep_size(g, m, UNKNOWN);
        keep(g, chance(g, 2) ? kept : places, 1, (int64_t[]){UNKNOWN});
    }
}

/* Reals as small whole numbers, whose sums are exact. */
static CoreAtom tame_all(Generator *g, CoreBuilder *b, CoreAtom xs, CoreAtom width)
{
    CorePrim prim = core_atom_type(xs).prim;
    if (!core_is_real(prim)) {
        return xs;
    }
    CoreName *x = fresh(g, core_scalar(prim));
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom y = tame(&inner, core_use(x)), ys;
    core_let_map(b, "tame", width, 1, &xs, core_lambda(g->c, 1, &x, core_body(&inner, 1, &y)), &ys);
    return ys;
}

void make_hist(Generator *g, CoreBuilder *b)
{
    Operator op;
    do {
        op = some_operator(g);
    } while (!op.commutative);
    Value is = some_vector(g, b, CORE_I64, UNKNOWN);
    CoreAtom width = core_atom_type(is.atom).sizes[0], values[MAX_PARTS], dest[MAX_PARTS];
    if (is.extent[0] == UNKNOWN) {
        return;
    }
    int64_t buckets = some_extent(g);
    CoreAtom n = some_size(g, b, buckets);
    CoreName *pattern[MAX_PARTS];
    for (size_t k = 0; k < op.parts; k++) {
        Value v = some_vector(g, b, op.prim, is.extent[0]);
        values[k] = tame_all(g, b, with_sizes(b, v.atom, 1, &width), width);
        CoreAtom filled = core_let_replicate(b, "to", 1, &n, op.neutral[k]);
        dest[k] = core_let_copy(b, "to", filled);
        pattern[k] = fresh(g, core_array(g->c, op.prim, 1, &n));
    }
    core_bind(b, op.parts, pattern,
              core_exp_hist(g->c, width, op.parts, dest, is.atom, values, operator_lambda(g, &op),
                            op.neutral));
    for (size_t k = 0; k < op.parts; k++) {
        keep(g, core_use(pattern[k]), 1, &buckets);
    }
}

/* Rows of a matrix added up, or the least of each column, by the place that each row belongs to. */
void make_hist_of_rows(Generator *g, CoreBuilder *b)
{
    Value v;
    if (!pick(g, (int)CORE_I64, 2, &v) && !pick(g, (int)CORE_I32, 2, &v)) {
        return;
    }
    CoreType type = core_atom_type(v.atom), row = core_row(type);
    CoreName *p[2] = {fresh(g, row), fresh(g, row)};
    CoreAtom operands[2] = {core_use(p[0]), core_use(p[1])}, sum;
    CoreBuilder inner = core_builder(g->c, b->span);
    bool least = chance(g, 2);
    core_let_map(&inner, "s", row.sizes[0], 2, operands,
                 core_operator_lambda(g->c, least ? CORE_MIN : CORE_ADD, type.prim, b->span), &sum);
    const CoreLambda *op = core_lambda(g->c, 2, p, core_body(&inner, 1, &sum));
    CoreAtom zero = core_int(type.prim, !least ? 0 : type.prim == CORE_I32 ? INT32_MAX : INT64_MAX);
    CoreAtom neutral = core_let_replicate(b, "e", 1, row.sizes, zero);
    int64_t extents[2] = {below(g, 4), v.extent[1]};
    CoreAtom sizes[2] = {some_size(g, b, extents[0]), row.sizes[0]};
    CoreAtom filled = core_let_replicate(b, "to", 2, sizes, zero);
    CoreAtom dest = core_let_copy(b, "to", filled);
    Value is = some_vector(g, b, CORE_I64, v.extent[0]);
    CoreAtom places = v.extent[0] == UNKNOWN ? core_let_iota(b, "is", type.sizes[0])
                                             : with_sizes(b, is.atom, 1, &type.sizes[0]);
    CoreAtom result =
        core_let(b, "sums", core_array(g->c, type.prim, 2, sizes),
                 core_exp_hist(g->c, type.sizes[0], 1, &dest, places, &v.atom, op, &neutral));
    keep(g, result, 2, extents);
}
