/* [L0 6.3] A cyclic reshape to rows that are one item shorter than what is repeated, as the unit matrix n n⍴1,n⍴0, needs no
   division: row i begins i places before the vector's first item, going round.

       let ys = cycle (n * n) fill xs         xs : [n + 1]t
       let m = reshape [n, n] ys
   ==>
       let m = map n (\i -> map n (\j -> {
         let d = j - i
         let at = if d < 0 then d + (n + 1) else d
         in xs[at]
       }) (iota n)) (iota n)

   as n * i + j = (n + 1) * i + (j - i). There are n + 1 rows at most, so that going round once is enough. */
#include "core/fuse/fuse.h"

// size = n + 1
static bool is_one_more(Fuse *f, CoreAtom size, CoreAtom n)
{
    if (!size.name || !n.name) {
        return !size.name && !n.name && size.as.integer == n.as.integer + 1;
    }
    const CoreStm *stm = fuse_definition(f, size);
    const CoreExp *exp = stm ? stm->exp : NULL;
    return exp && exp->kind == CORE_EXP_BINARY && exp->as.scalar.op == CORE_ADD &&
           core_atom_equal(exp->as.scalar.x, n) && core_atom_equal(exp->as.scalar.y, core_i64(1));
}

// rows = n, or constants that are no more than n + 1, or rows = n + 1
static bool go_round_once(Fuse *f, CoreAtom rows, CoreAtom n)
{
    bool constant = !rows.name && !n.name;
    return core_atom_equal(rows, n) || is_one_more(f, rows, n) ||
           (constant && rows.as.integer <= n.as.integer);
}

/* xs, where the statement is such a reshape; else no name. */
static CoreAtom find_repeated(Fuse *f, const CoreStm *stm)
{
    const CoreAtom none = {0};
    const CoreExp *exp = stm->exp;
    const CoreStm *cycle =
        exp->kind == CORE_EXP_RESHAPE ? fuse_definition(f, exp->as.reshape.array) : NULL;
    if (!cycle || cycle->exp->kind != CORE_EXP_CYCLE || exp->as.reshape.count != 2 ||
        stm->certificate_count + cycle->certificate_count > 0 ||
        simplify_consumed(f->s, core_use(stm->pattern[0]))) {
        return none;
    }
    const CoreAtom array = cycle->exp->as.cycle.array, *sizes = exp->as.reshape.sizes;
    const CoreType type = core_atom_type(array);
    if (type.rank != 1 || !is_one_more(f, type.sizes[0], sizes[1]) ||
        !go_round_once(f, sizes[0], sizes[1])) {
        return none;
    }
    return array;
}

static const CoreBody *atom_body(Fuse *f, CoreAtom atom)
{
    CoreBuilder b = core_builder(f->c, atom.name ? atom.name->span : (Span){0});
    return core_body(&b, 1, &atom);
}

/* \j -> xs[j - i], going round */
static const CoreLambda *item_of(Fuse *f, Span span, CoreAtom xs, CoreAtom i)
{
    Compilation *c = f->c;
    CoreType number = core_scalar(CORE_I64);
    CoreName *j = core_name(c, "j", number, span);
    CoreBuilder b = core_builder(c, span), inner = core_builder(c, span);
    CoreAtom distance = core_let_binary(&b, "d", CORE_SUB, core_use(j), i);
    CoreAtom before = core_let_binary(&b, "before", CORE_LT, distance, core_i64(0));
    CoreAtom round =
        core_let_binary(&inner, "round", CORE_ADD, distance, core_atom_type(xs).sizes[0]);
    CoreAtom at =
        core_let(&b, "at", number,
                 core_exp_if(c, before, core_body(&inner, 1, &round), atom_body(f, distance)));
    CoreAtom item = core_let_index(&b, "x", xs, 1, &at);
    return core_lambda(c, 1, &j, core_body(&b, 1, &item));
}

static const CoreStm *by_position(Fuse *f, CoreBuilder *b, const CoreStm *stm, CoreAtom xs)
{
    const CoreAtom *sizes = stm->exp->as.reshape.sizes;
    const CoreName *name = stm->pattern[0];
    CoreName *i = core_name(f->c, "i", core_scalar(CORE_I64), stm->span);
    b->span = stm->span;
    CoreAtom rows = core_let_iota(b, "positions", sizes[0]);
    CoreBuilder inner = core_builder(f->c, stm->span);
    CoreAtom columns = core_let_iota(&inner, "positions", sizes[1]);
    CoreAtom row =
        core_let(&inner, name->text, core_row(name->type),
                 core_exp_map(f->c, sizes[1], 1, &columns, item_of(f, stm->span, xs, core_use(i))));
    CoreStm *map = arena_copy(f->c->arena, stm, sizeof *map);
    map->exp = core_exp_map(f->c, sizes[0], 1, &rows,
                            core_lambda(f->c, 1, &i, core_body(&inner, 1, &row)));
    fuse_fired(f, CORE_RULE_FUSE_DIAGONALS);
    return map;
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    CoreBuilder b = core_builder(f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = core_map_stm(f->c, old->stms[i], in_body, f);
        CoreAtom xs = find_repeated(f, stm);
        core_add(&b, xs.name ? by_position(f, &b, stm, xs) : stm);
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_diagonals(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, in_body(f, function->body));
}
