/* Kept rows that are wanted from the last to the first, and in no other way, are kept in that order:

       let (m, ys) = filter n p xs               let rs = reverse 0 xs
       let zs = reverse 0 ys              ==>    let (m, zs) = filter n p rs

   Where a kept row goes is known when those before it are counted, so that the view could not be its place: what is
   printed, given back or handed to a loop would be a copy. The rows of a scan, of which a filter keeps some in the scan's
   kernel, stay in its order, and so do predicates that can fail: the first row that does is told of. */
#include "core/fuse/fuse.h"

typedef struct Backwards {
    Fuse *f;
    const CoreBody *body;
    PointerMap uses;   /* CoreName -> size_t: operands, and results, that it is */
    PointerMap turned; /* CoreName -> CoreStm, the reverse that alone takes it */
} Backwards;

static void learn(Backwards *b)
{
    for (size_t i = 0; i < b->body->stm_count; i++) {
        const CoreStm *stm = b->body->stms[i];
        if (stm->exp->kind == CORE_EXP_REVERSE && stm->exp->as.reverse.axis == 0 &&
            stm->certificate_count == 0 && !stm->pattern[0]->type.unique) {
            pointer_map_set(b->f->arena, &b->turned, stm->exp->as.reverse.array.name,
                            (void *)(uintptr_t)stm);
        }
    }
    core_count_all_uses(b->f->arena, b->body, &b->uses);
}

/* The reverse that is all that takes the array; NULL: it is not so. */
static const CoreStm *only_reverse(const Backwards *b, const CoreName *rows)
{
    return core_uses_of(&b->uses, rows) == 1 ? pointer_map_get(&b->turned, rows) : NULL;
}

static bool is_scanned(const Backwards *b, CoreAtom rows)
{
    const CoreStm *maker = rows.name ? core_binder(b->body, rows.name) : NULL;
    return maker && maker->exp->kind == CORE_EXP_SOAC && maker->exp->as.soac.scan_count > 0;
}

static bool is_wanted_backwards(const Backwards *b, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    bool any = false;
    if (exp->kind != CORE_EXP_FILTER || exp->level != CORE_LEVEL_AUTO ||
        exp->space != CORE_SPACE_AUTO || core_may_fail(stm)) {
        return false;
    }
    for (size_t k = 0; k < exp->as.filter.input_count; k++) {
        if (is_scanned(b, exp->as.filter.inputs[k])) {
            return false;
        }
    }
    for (size_t k = 1; k < stm->pattern_count; k++) {
        bool turned = only_reverse(b, stm->pattern[k]) != NULL;
        if (!turned && core_uses_of(&b->uses, stm->pattern[k]) > 0) {
            return false;
        }
        any = any || turned;
    }
    return any;
}

static void add_backwards(Backwards *b, CoreBuilder *builder, const CoreStm *stm)
{
    Compilation *c = b->f->c;
    const CoreExp *exp = stm->exp;
    size_t count = exp->as.filter.input_count;
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    builder->span = stm->span;
    for (size_t k = 0; k < count; k++) {
        inputs[k] = core_let_reverse(builder, "turned", exp->as.filter.inputs[k], 0);
    }
    CoreStm *filter = arena_copy(c->arena, stm, sizeof *stm);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const CoreStm *reverse = only_reverse(b, stm->pattern[k]);
        pattern[k] = reverse ? reverse->pattern[0] : stm->pattern[k];
    }
    filter->pattern = pattern;
    filter->exp = core_exp_filter(c, exp->as.filter.width, count, inputs, exp->as.filter.predicate);
    core_add(builder, filter);
    fuse_fired(b->f, CORE_RULE_FUSE_BACKWARDS);
}

static const CoreBody *host_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    Backwards b = {.f = f, .body = old};
    CoreBuilder builder = core_builder(f->c, (Span){0});
    PointerMap done = {0}; /* reverses whose names filters bind */
    learn(&b);
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        CoreExpKind kind = stm->exp->kind;
        if (is_wanted_backwards(&b, stm)) {
            add_backwards(&b, &builder, stm);
            for (size_t k = 1; k < stm->pattern_count; k++) {
                const CoreStm *reverse = only_reverse(&b, stm->pattern[k]);
                if (reverse) {
                    pointer_map_set(f->arena, &done, reverse, f);
                }
            }
        } else if (kind == CORE_EXP_IF || kind == CORE_EXP_LOOP) {
            core_add(&builder, core_map_stm(f->c, stm, host_body, f));
        } else if (!pointer_map_get(&done, stm)) {
            core_add(&builder, stm);
        }
    }
    return core_with_stms(f->c, old, builder.stms.count, builder.stms.items);
}

const CoreFunction *fuse_backwards(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, host_body(f, function->body));
}
