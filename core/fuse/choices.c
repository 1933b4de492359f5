/* [L0 7.4] Where rows are chosen by an `if`, in the function of a SOAC, elements are:

       let y = if c then {                               let y = map m (\i ->
         let a = map m f x  in (a)                         let e = if c then { let u = x[i]  F } else { x[m-1-i] }
       } else { let b = reverse 0 x  in (b) }     ==>      in (e))

   The nest is one of maps then, which flattening takes apart and which becomes one with what takes its rows: an `if`
   with SOACs in it is work of one work-item, which stores its row. Branches have maps, views and scalars, of which
   nothing may fail or be written in place; one may give what is there already. (On the host an `if` stays, and its
   branches take what goes over its results: behind.c.) */
#include "core/fuse/fuse.h"

/* Views and scalars that are computed for each element. */
enum { MOST_BESIDE = 8 };

/* What a map of the branch makes is what the branch gives, and nothing else. */
typedef struct Inner {
    const CoreBody *branch;
    bool used;
} Inner;

static void find_made(void *context, CoreName *name)
{
    Inner *inner = context;
    const CoreStm *maker = fuse_maker_in(inner->branch, core_use(name));
    inner->used = inner->used || (maker != NULL && maker->exp->kind == CORE_EXP_SOAC);
}

static bool has_elements(Fuse *f, const CoreBody *branch, CoreAtom width, size_t *makers)
{
    size_t beside = 0;
    Inner inner = {branch, false};
    bool good = true;
    for (size_t i = 0; i < branch->stm_count && good; i++) {
        const CoreStm *stm = branch->stms[i];
        bool is_map = fuse_is_map(stm);
        core_each_free(stm, find_made, &inner);
        *makers += is_map || (core_is_view(stm->exp->kind) && !fuse_is_part(stm));
        beside += !is_map;
        good = stm->certificate_count == 0 && fuse_may_move(f, stm) &&
               !fuse_may_consume(stm->exp) &&
               (is_map ? core_atom_equal(stm->exp->as.soac.width, width) : fuse_is_companion(stm));
    }
    return good && !inner.used && beside <= MOST_BESIDE;
}

/* All results are arrays of one width, and some branch makes one, or a view that would be stored; or it is stored as a row
   of what the SOAC makes. */
static bool may_choose(Fuse *f, const CoreStm *stm, bool is_row)
{
    size_t makers = 0;
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_IF || stm->pattern_count == 0 || stm->pattern[0]->type.rank == 0) {
        return false;
    }
    CoreAtom width = stm->pattern[0]->type.sizes[0];
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        if (type.rank == 0 || type.unique || !core_atom_equal(type.sizes[0], width) ||
            simplify_consumed(f->s, core_use(stm->pattern[k]))) {
            return false;
        }
    }
    return has_elements(f, exp->as.conditional.then_body, width, &makers) &&
           has_elements(f, exp->as.conditional.else_body, width, &makers) && (makers > 0 || is_row);
}

/* Element i of what the branch gives. */
static const CoreBody *element_of(Fuse *f, const CoreStm *stm, const CoreBody *branch, CoreAtom i)
{
    Compilation *c = f->c;
    CoreBuilder b = core_builder(c, stm->span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, branch->result_count + 1);
    for (size_t s = 0; s < branch->stm_count; s++) {
        const CoreStm *old = branch->stms[s];
        if (!fuse_is_map(old)) {
            core_add(&b, old);
            continue;
        }
        const CoreSoac *soac = &old->exp->as.soac;
        b.span = old->span;
        for (size_t k = 0; k < soac->input_count; k++) {
            CoreName *parameter = soac->map->parameters[k];
            CoreAtom x = core_let_index(&b, parameter->text, soac->inputs[k], 1, &i);
            core_bind(&b, 1, &parameter, core_atom_exp(c, x));
        }
        for (size_t k = 0; k < soac->map->body->stm_count; k++) {
            core_add(&b, soac->map->body->stms[k]);
        }
    }
    for (size_t k = 0; k < branch->result_count; k++) {
        const CoreStm *maker = fuse_maker_in(branch, branch->results[k]);
        if (maker == NULL || !fuse_is_map(maker)) {
            results[k] = core_let_index(&b, stm->pattern[k]->text, branch->results[k], 1, &i);
            continue;
        }
        size_t place = fuse_handed_over(maker, branch->results[k]);
        results[k] = maker->exp->as.soac.map->body->results[place];
    }
    return core_body(&b, branch->result_count, results);
}

static const CoreStm *choose_elements(Fuse *f, CoreBuilder *b, const CoreStm *old)
{
    Compilation *c = f->c;
    size_t count = old->pattern_count;
    CoreAtom width = old->pattern[0]->type.sizes[0];
    CoreName *i = core_name(c, "i", core_scalar(CORE_I64), old->span);
    CoreName **elements = ARENA_ARRAY(c->arena, CoreName *, count);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreBuilder inner = core_builder(c, old->span);
    for (size_t k = 0; k < count; k++) {
        const CoreName *name = old->pattern[k];
        elements[k] = core_name(c, name->text, core_row(name->type), name->span);
        results[k] = core_use(elements[k]);
    }
    const CoreExp *conditional = old->exp;
    const CoreBody *then_body =
        element_of(f, old, conditional->as.conditional.then_body, core_use(i));
    const CoreBody *else_body =
        element_of(f, old, conditional->as.conditional.else_body, core_use(i));
    core_bind(&inner, count, elements,
              core_exp_if(c, conditional->as.conditional.condition, then_body, else_body));
    b->span = old->span;
    CoreAtom positions = core_let_iota(b, "positions", width);
    CoreStm *stm = arena_copy(c->arena, old, sizeof *stm);
    stm->exp = core_exp_map(c, width, 1, &positions,
                            core_lambda(c, 1, &i, core_body(&inner, count, results)));
    fuse_fired(f, CORE_RULE_FUSE_CHOICE);
    return stm;
}

/* ---- the step ------------------------------------------------------------------------------ */

typedef struct Around {
    Fuse *f;
    bool in_function;     /* of a SOAC, somewhere */
    const CoreBody *rows; /* whose results are rows of what a SOAC makes */
} Around;

static const CoreBody *choose_in(void *context, const CoreBody *old)
{
    const Around *around = context;
    Fuse *f = around->f;
    CoreBuilder b = core_builder(f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool is_soac = stm->exp->kind == CORE_EXP_SOAC;
        Around inner = {f, around->in_function || is_soac,
                        is_soac ? stm->exp->as.soac.map->body : NULL};
        if (is_soac || stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF) {
            stm = core_map_stm(f->c, stm, choose_in, &inner);
        }
        bool is_row =
            old == around->rows && stm->pattern_count == 1 && fuse_is_result(old, stm->pattern[0]);
        if (around->in_function && may_choose(f, stm, is_row)) {
            stm = choose_elements(f, &b, stm);
        }
        core_add(&b, stm);
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_choices(Fuse *f, const CoreFunction *function)
{
    Around around = {.f = f};
    return core_with_body(f->c, function, choose_in(&around, function->body));
}
