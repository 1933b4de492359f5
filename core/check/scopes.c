/* Names in core's checker: each is bound once and used only in scope; sizes are equal when they are
   the same atom, looking through `let (m) = n`.

       let (m_2 : i64) = n_1
       let (ys_3 : [m_2]f64) = copy xs_1        -- xs_1 : [n_1]f64, the same size

   All tables are hash tables, so that long programs take linear time. */
#include "core/check/check.h"

#include <stdint.h>

/* ---- tables ---------------------------------------------------------------------------------- */

NameInfo *core_check_name(Check *k, const CoreName *name)
{
    NameInfo *info = pointer_map_make(k->c->arena, &k->names, name, sizeof *info);
    if (!info->name) {
        info->name = name;
        info->equal = core_use((CoreName *)name);
    }
    return info;
}

FunctionInfo *core_check_function_info(Check *k, const char *name)
{
    name = intern(k->c, name);
    return pointer_map_make(k->c->arena, &k->functions, name, sizeof(FunctionInfo));
}

/* ---- scopes ---------------------------------------------------------------------------------- */

size_t core_check_scope(const Check *k)
{
    return k->open.count;
}

void core_check_close(Check *k, size_t mark)
{
    while (k->open.count > mark) {
        core_check_name(k, k->open.items[--k->open.count])->in_scope = false;
    }
}

void core_check_use(Check *k, CoreAtom atom)
{
    if (!atom.name) {
        return;
    }
    const NameInfo *info = core_check_name(k, atom.name);
    if (!info->in_scope) {
        core_check_error(
            k, info->bound ? "%s is used outside its scope" : "%s is used before it is bound",
            core_check_text(k, atom));
    }
}

void core_check_type(Check *k, CoreType type, const char *what)
{
    if (type.rank > 0 && type.prim == CORE_CERT) {
        core_check_error(k, "%s is an array of certificates", what);
    }
    for (int i = 0; i < type.rank; i++) {
        CoreType size = core_atom_type(type.sizes[i]);
        core_check_use(k, type.sizes[i]);
        if (size.rank != 0 || size.prim != CORE_I64) {
            core_check_error(k, "%s has a size %s that is not an i64", what,
                             core_check_text(k, type.sizes[i]));
        } else if (!type.sizes[i].name && type.sizes[i].as.integer < 0 && !k->lenient) {
            core_check_error(k, "%s has the negative size %lld", what,
                             (long long)type.sizes[i].as.integer);
        }
    }
}

void core_check_bind(Check *k, CoreName *name)
{
    if (name->type.rank > 0) {
        core_check_type(k, name->type, core_check_text(k, core_use(name)));
    }
    NameInfo *info = core_check_name(k, name);
    if (info->bound) {
        core_check_error(k, "%s is bound twice", core_check_text(k, core_use(name)));
    }
    info->bound = true;
    info->in_scope = true;
    vec_push(k->c->arena, &k->open, name);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static CoreAtom behind(Check *k, CoreAtom atom)
{
    return atom.name ? core_check_name(k, atom.name)->equal : atom;
}

bool core_check_same_size(Check *k, CoreAtom a, CoreAtom b)
{
    return core_atom_equal(a, b) || core_atom_equal(behind(k, a), behind(k, b));
}

bool core_check_same(Check *k, CoreType expected, CoreType found, const char *what)
{
    bool same = expected.prim == found.prim && expected.rank == found.rank;
    for (int i = 0; same && !k->lenient && i < expected.rank; i++) {
        same = core_check_same_size(k, expected.sizes[i], found.sizes[i]);
    }
    if (!same) {
        const char *texts[2];
        core_check_type_texts(k, expected, found, texts);
        core_check_error(k, "%s: expected %s, found %s", what, texts[0], texts[1]);
    }
    return same;
}

bool core_check_scalar(Check *k, CoreAtom atom, CorePrim prim, const char *what)
{
    core_check_use(k, atom);
    CoreType type = core_atom_type(atom);
    if (type.rank != 0 || type.prim != prim) {
        type.unique = false;
        core_check_error(k, "%s must be %s, not %s", what, core_prim_text(prim),
                         core_check_type_text(k, type));
        return false;
    }
    return true;
}

bool core_check_array(Check *k, CoreAtom atom, const char *what, CoreType *type)
{
    core_check_use(k, atom);
    *type = core_atom_type(atom);
    type->unique = false;
    if (type->rank == 0) {
        core_check_error(k, "%s must be an array, not %s", what, core_check_type_text(k, *type));
        return false;
    }
    return true;
}
