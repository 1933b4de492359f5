/* Few rows or columns of an array, each asked for by its place alone, are so many copies (part of unroll.c):

       let rows = map 2 (\k -> a[k]) [j, i]                    let x = copy a[j]
       let x = rows[0]                                   ==>   let y = copy a[i]
       let y = rows[1]

       let columns = map n (\row -> map 2 (\k -> row[k]) ks) a        let x = copy a[0 :+ n * 1, ks[0]]
       let x = columns[0 :+ n * 1, 0]                           ==>   let y = copy a[0 :+ n * 1, ks[1]]
       let y = columns[0 :+ n * 1, 1]

   The numbers of columns are checked before, once, by a map of their own, `ks`. Where nothing else asks for its
   rows, these are scalars. */
#include "core/flatten/unroll.h"
#include "core/rewrite.h"

enum { MOST_COPIES = 8 /* rows of a map, or columns */ };

/* A map alone, of which the compiler chooses everything. */
static bool is_map(const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    return stm->exp->kind == CORE_EXP_SOAC && stm->exp->level == CORE_LEVEL_AUTO &&
           stm->exp->space == CORE_SPACE_AUTO && stm->certificate_count == 0 &&
           soac->scan_count + soac->reduction_count == 0 && stm->pattern_count == 1;
}

static bool is_few(const CoreStm *stm)
{
    const CoreAtom width = stm->exp->as.soac.width;
    return is_map(stm) && !width.name && width.as.integer >= 1 && width.as.integer <= MOST_COPIES;
}

static bool takes_numbers(const Unroll *u, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    for (size_t i = 0; i < soac->input_count; i++) {
        if (unroll_definition(u, soac->inputs[i]) == NULL) {
            return false;
        }
    }
    return true;
}

/* Numbers and checks. */
static bool is_number(const CoreStm *stm)
{
    switch ((int)stm->exp->kind) {
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_ATOM: return stm->pattern[0]->type.rank == 0;
    }
    return false;
}

static bool is_small(CoreAtom number, CoreAtom below)
{
    return !number.name && number.as.integer < below.as.integer;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Its result is a row of an array from outside, which numbers and checks alone say. */
static bool finds_row(const CoreLambda *map)
{
    const CoreBody *body = map->body;
    const CoreName *row = body->results[0].name;
    bool found = false;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        bool is_row = stm->pattern_count == 1 && stm->pattern[0] == row;
        if (is_row ? stm->exp->kind != CORE_EXP_INDEX : !is_number(stm)) {
            return false;
        }
        found = found || is_row;
    }
    return found;
}

static bool asks_for_row(const CoreStm *stm, const CoreName *rows, CoreAtom count)
{
    const CoreExp *exp = stm->exp;
    return exp->kind == CORE_EXP_INDEX && exp->as.index.array.name == rows &&
           is_small(exp->as.index.indices[0], count);
}

static bool is_few_rows(const Unroll *u, const CoreBody *body, const CoreStm *stm)
{
    if (!is_few(stm) || stm->pattern[0]->type.rank < 2 || !takes_numbers(u, stm) ||
        !finds_row(stm->exp->as.soac.map)) {
        return false;
    }
    const CoreName *rows = stm->pattern[0];
    size_t asked = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        asked += asks_for_row(body->stms[i], rows, stm->exp->as.soac.width);
    }
    return asked == core_count_uses(body, rows);
}

/* ---- columns --------------------------------------------------------------------------------- */

// \row -> { let items = map 2 (ks) (\k -> { let item = row[k] in (item) }) in (items) }:    the map over ks, else NULL
static const CoreSoac *map_of_columns(const CoreStm *stm)
{
    const CoreSoac *rows = &stm->exp->as.soac;
    if (!is_map(stm) || rows->input_count != 1 || rows->map->body->stm_count != 1) {
        return NULL;
    }
    const CoreStm *inner = rows->map->body->stms[0];
    const CoreSoac *few = &inner->exp->as.soac;
    if (!is_few(inner) || few->input_count != 1 ||
        few->inputs[0].name == rows->map->parameters[0] ||
        inner->pattern[0] != rows->map->body->results[0].name || few->map->body->stm_count != 1) {
        return NULL;
    }
    const CoreStm *item = few->map->body->stms[0];
    const CoreExp *exp = item->exp;
    bool finds = exp->kind == CORE_EXP_INDEX && item->certificate_count == 0 &&
                 item->pattern[0] == few->map->body->results[0].name && exp->as.index.count == 1 &&
                 exp->as.index.array.name == rows->map->parameters[0] &&
                 exp->as.index.indices[0].name == few->map->parameters[0];
    return finds ? few : NULL;
}

static bool asks_for_column(const CoreStm *stm, const CoreName *columns, CoreAtom count)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_INDEX) {
        return exp->as.index.array.name == columns && exp->as.index.count >= 2 &&
               is_small(exp->as.index.indices[1], count);
    }
    return exp->kind == CORE_EXP_SLICE && exp->as.slice.array.name == columns &&
           exp->as.slice.slices[1].fixed && is_small(exp->as.slice.slices[1].offset, count);
}

/* The map over the numbers of the columns, where each of these is asked for by its place; else NULL. */
static const CoreSoac *few_columns(const CoreBody *body, const CoreStm *stm)
{
    const CoreSoac *few = map_of_columns(stm);
    size_t asked = 0;
    for (size_t i = 0; few && i < body->stm_count; i++) {
        asked += asks_for_column(body->stms[i], stm->pattern[0], few->width);
    }
    return few && asked == core_count_uses(body, stm->pattern[0]) ? few : NULL;
}

/* Numbers that say columns, and nothing else, found by few operations each. */
static bool is_few_numbers(const Unroll *u, const CoreBody *body, const CoreStm *stm)
{
    if (!is_few(stm) || stm->pattern[0]->type.rank != 1 || !takes_numbers(u, stm)) {
        return false;
    }
    const CoreName *numbers = stm->pattern[0];
    const CoreBody *number = stm->exp->as.soac.map->body;
    for (size_t i = 0; i < number->stm_count; i++) {
        if (!is_number(number->stms[i])) {
            return false;
        }
    }
    size_t asked = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreSoac *few = few_columns(body, body->stms[i]);
        asked += few && few->inputs[0].name == numbers;
    }
    return asked > 0 && asked == core_count_uses(body, numbers);
}

static CoreAtom column(CoreBuilder *b, CoreAtom array, const char *text, CoreAtom number)
{
    CoreType type = core_atom_type(array);
    CoreSlice *slices = ARENA_ARRAY(b->c->arena, CoreSlice, (size_t)type.rank);
    for (int axis = 0; axis < type.rank; axis++) {
        slices[axis] = axis == 1 ? (CoreSlice){.fixed = true, .offset = number}
                                 : (CoreSlice){.offset = core_i64(0),
                                               .count = type.sizes[axis],
                                               .stride = core_i64(1)};
    }
    return core_let_slice(b, text, array, slices);
}

/* ---- in their place ---------------------------------------------------------------------------- */

bool unroll_copies(Unroll *u, CoreBuilder *b, const CoreBody *body, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreSoac *columns = few_columns(body, stm);
    const CoreAtom *numbers = columns ? pointer_map_get(&u->rows, columns->inputs[0].name) : NULL;
    bool are_numbers = is_few_numbers(u, body, stm);
    columns = columns && (numbers || unroll_definition(u, columns->inputs[0])) ? columns : NULL;
    if (!columns && !are_numbers && !is_few_rows(u, body, stm)) {
        return false;
    }
    int64_t count = (columns ? columns : soac)->width.as.integer;
    CoreAtom *copies = ARENA_ARRAY(u->c->arena, CoreAtom, (size_t)count);
    const char *text = stm->pattern[0]->text;
    b->span = stm->span;
    for (int64_t i = 0; i < count; i++) {
        const CoreAtom at = core_i64(i);
        if (columns) {
            CoreAtom number =
                numbers ? numbers[i] : core_let_index(b, "x", columns->inputs[0], 1, &at);
            copies[i] = column(b, soac->inputs[0], text, number);
        } else {
            unroll_row(u, b, soac, i, &copies[i]);
        }
        copies[i] = are_numbers ? copies[i] : core_let_copy(b, text, copies[i]);
    }
    pointer_map_set(u->c->arena, columns ? &u->columns : &u->rows, stm->pattern[0], copies);
    u->counts[CORE_RULE_UNROLL]++;
    u->changed = true;
    return true;
}

// columns[i, 2]  ==>  copy[i]
static const CoreExp *of_column(Unroll *u, const CoreExp *old, const CoreAtom *copies)
{
    CoreExp *exp = core_exp_copy(u->c, old);
    if (old->kind == CORE_EXP_SLICE) {
        size_t count = --exp->as.slice.count;
        CoreSlice *slices =
            arena_copy(u->c->arena, old->as.slice.slices, (count + 1) * sizeof *slices);
        memmove(slices + 1, slices + 2, (count - 1) * sizeof *slices);
        exp->as.slice.array = copies[old->as.slice.slices[1].offset.as.integer];
        exp->as.slice.slices = slices;
        return exp;
    }
    size_t count = --exp->as.index.count;
    CoreAtom *indices =
        arena_copy(u->c->arena, old->as.index.indices, (count + 1) * sizeof *indices);
    memmove(indices + 1, indices + 2, (count - 1) * sizeof *indices);
    exp->as.index.array = copies[old->as.index.indices[1].as.integer];
    exp->as.index.indices = indices;
    return exp;
}

// rows[2, i]  ==>  copy[i]
static const CoreExp *of_row(Unroll *u, const CoreExp *old, const CoreAtom *copies)
{
    const CoreAtom copy = copies[old->as.index.indices[0].as.integer];
    if (old->as.index.count == 1) {
        return core_atom_exp(u->c, copy);
    }
    CoreExp *exp = core_exp_copy(u->c, old);
    exp->as.index.array = copy;
    exp->as.index.count--;
    exp->as.index.indices++;
    return exp;
}

const CoreStm *unroll_of_copy(Unroll *u, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const CoreName *array = exp->kind == CORE_EXP_SLICE   ? exp->as.slice.array.name
                            : exp->kind == CORE_EXP_INDEX ? exp->as.index.array.name
                                                          : NULL;
    const CoreAtom *rows = array ? pointer_map_get(&u->rows, array) : NULL;
    const CoreAtom *columns = array ? pointer_map_get(&u->columns, array) : NULL;
    if (!rows && !columns) {
        return stm;
    }
    CoreStm *other = arena_copy(u->c->arena, stm, sizeof *stm);
    other->exp = rows ? of_row(u, exp, rows) : of_column(u, exp, columns);
    return other;
}
