/* Orders of rows, which become one of all rows: whoever finds it sorts them beside each other (core/locality/orders.c).

       map n (\.. -> { let o = order ks in (o) }) ..      ==>      order kss */
#include "core/flatten/flatten.h"

bool flatten_is_order(const MapContext *m, const CoreStm *stm)
{
    if (stm->exp->kind != CORE_EXP_ORDER || !flatten_is_certain(m, stm)) {
        return false;
    }
    CoreType type = core_atom_type(stm->exp->as.array);
    return flatten_is_regular(m, type) && flatten_is_long(m, type.sizes[type.rank - 1]);
}

/* S, M x xs |- order ks  ==>  S |- order kss */
void flatten_order(MapContext *m, CoreBuilder *b, size_t number)
{
    const CoreStm *stm = m->stms[number];
    CoreAtom keys = stm->exp->as.array;
    size_t binding;
    if (flatten_binding(m, keys, &binding) == BOUND_STATEMENT) {
        const CoreName *name = keys.name;
        flatten_expand(m, b, 1, &name);
    }
    CoreName *rows = flatten_rows_name(m, stm->pattern[0]);
    flatten_push_certificates(b, stm);
    b->span = stm->span;
    CoreAtom all = core_let_order(b, rows->text, flatten_all_rows(m, b, "keys", keys));
    core_bind(b, 1, &rows, core_atom_exp(b->c, all));
    b->certificates.count -= stm->certificate_count;
    core_rename(m->expanded, stm->pattern[0], core_use(rows));
    m->f->sorts = true;
    m->f->counts[CORE_RULE_FLATTEN_ORDER]++;
}
