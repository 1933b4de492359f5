/* Strips: several neighbouring elements of a map by one work-item, which share what they have in
   common.

       map n (iota n) (\i -> { let x = if i < 1 then 0.0 else sin (i - 1)
                               let y = sin i
                               in (y - x) })

   computes each sine twice. A strip of four elements, where there are so many left, computes five in
   place of eight, and asks once whether it is at the beginning:

       \first -> { let whole = first + 4 <= n
                   if whole then { let x0 = if first < 1 then 0.0 else sin (first - 1)
                                   let y0 = sin first
                                   let y1 = sin (first + 1)
                                   ...
                                   in (y0 - x0, y1 - y0, y2 - y1, y3 - y2) } }

   This is the simplifier's work: the function is written down once for each element, at first,
   first + 1, ..., in a function of its own, with the views that it reads and what is known of
   `first`; common subexpressions and tests whose outcome is proven go [L0 6.1, 6.2]. What is left is
   weighed against as many single elements; where that saves little, there is no strip.

   Folds over bits of the index are written down in parts: what the strip has in common once, the rest
   for each element (bits.c).

   Before: the innermost function of a nest of maps, scalar operations, reads and such folds alone,
   with nothing that may fail. backend/lower/strips.c makes kernels of it. */
#include "core/locality/strips.h"

enum {
    MOST_STATEMENTS = 160, /* of the function */
    MOST_VIEWS = 48
};

/* About what an operation costs, in additions. Neighbours in memory are one access of work-items
   side by side; those of wide elements that are a strip apart are several. */
enum {
    COST_READ = 4,
    COST_APART = 8,
    MOST_BESIDE = 4, /* bytes of a strip; of neighbouring strips they are one access */
    COST_DIVISION = 12,
    COST_FUNCTION = 40,
    COST_LONG_FUNCTION = 80
};

/* ---- what may be written out ----------------------------------------------------------------- */

typedef struct Survey {
    size_t statements, bytes; /* bytes: reads of single ones */
    unsigned functions[CORE_OPERATOR_COUNT];
    bool refused;
} Survey;

static bool is_byte(CoreType type)
{
    return type.rank == 0 && type.prim == CORE_BOOL;
}

static void survey(void *context, const CoreBody *body)
{
    Survey *s = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        const CoreExp *exp = stm->exp;
        s->statements++;
        s->refused = s->refused || stm->certificate_count > 0 || stm->pattern_count != 1;
        if (exp->kind == CORE_EXP_INDEX) {
            s->bytes += is_byte(stm->pattern[0]->type);
        } else if (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) {
            s->functions[exp->as.scalar.op] += core_is_dear(exp->as.scalar.op);
        } else if (exp->kind == CORE_EXP_IF) {
            core_each_body(exp, survey, s);
        } else {
            s->refused = s->refused || (exp->kind != CORE_EXP_ATOM &&
                                        exp->kind != CORE_EXP_CONVERT && !core_is_view(exp->kind));
        }
    }
}

/* Something in the function may be the same in neighbours: a function, a byte that is read, or bits
   of the index, which are noted. */
static bool may_share(Strips *strips, const CoreSoac *soac)
{
    Survey s = {0};
    bool shares = false;
    for (size_t i = 0; i < soac->map->body->stm_count && !s.refused; i++) {
        if (strips_note_fold(strips, soac, soac->map->body->stms[i])) {
            s.statements += soac->map->body->stms[i]->exp->as.soac.map->body->stm_count;
            shares = true;
        } else {
            const CoreBody alone = {.stm_count = 1, .stms = soac->map->body->stms + i};
            survey(&s, &alone);
        }
    }
    for (size_t k = 0; k < soac->input_count; k++) {
        CoreType row = core_row(core_atom_type(soac->inputs[k]));
        s.refused = s.refused || row.rank > 0;
        s.bytes += is_byte(row);
    }
    for (size_t op = 0; op < CORE_OPERATOR_COUNT; op++) {
        shares = shares || s.functions[op] > 1;
    }
    for (size_t k = 0; k < soac->map->body->result_count; k++) {
        s.refused = s.refused || soac->map->result_types[k].rank > 0;
    }
    shares = shares || (s.bytes > 2 && strips->width <= MOST_BESIDE);
    return shares && !s.refused && s.statements <= MOST_STATEMENTS;
}

static bool may_be_around(const CoreBody *body)
{
    CoreBody beside = *body;
    beside.stm_count--; /* the map inside is the last */
    Survey s = {0};
    survey(&s, &beside);
    return !s.refused && s.statements <= MOST_STATEMENTS;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static unsigned scalar_cost(const CoreExp *exp)
{
    CoreOperator op = exp->as.scalar.op;
    bool constant = exp->kind == CORE_EXP_BINARY && exp->as.scalar.y.name == NULL;
    if (core_is_dear(op)) {
        return op == CORE_POW || op == CORE_BINOM || op == CORE_FACT ? COST_LONG_FUNCTION
                                                                     : COST_FUNCTION;
    }
    if (op == CORE_SQRT || ((op == CORE_DIV || op == CORE_MOD) && !constant)) {
        return COST_DIVISION;
    }
    return 1;
}

static unsigned cost_of(const CoreBody *body, unsigned width)
{
    unsigned cost = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        CoreType type = body->stms[i]->pattern[0]->type;
        cost += 1;
        if (exp->kind == CORE_EXP_IF) {
            cost += cost_of(exp->as.conditional.then_body, width) +
                    cost_of(exp->as.conditional.else_body, width);
        } else if (exp->kind == CORE_EXP_SOAC) { /* a fold, of a width that is a number */
            cost += (unsigned)exp->as.soac.width.as.integer *
                    (cost_of(exp->as.soac.map->body, 1) + (unsigned)exp->as.soac.reduction_count);
        } else if (exp->kind == CORE_EXP_INDEX && type.rank == 0) {
            bool apart = width > (is_byte(type) ? MOST_BESIDE : 1);
            cost += apart ? COST_APART : COST_READ;
        } else if (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) {
            cost += scalar_cost(exp) - 1;
        }
    }
    return cost;
}

/* ---- the function, written out --------------------------------------------------------------- */

static void bind_row(Strips *s, const CoreSoac *soac, CoreAtom index, CoreBuilder *b)
{
    for (size_t k = 0; k < soac->input_count; k++) {
        CoreType row = core_row(core_atom_type(soac->inputs[k]));
        core_rename(s->renaming, soac->map->parameters[k],
                    fuse_demand(s->fuse, b, soac->inputs[k], 1, &index, row));
    }
}

void strips_write_statement(Strips *s, const CoreStm *stm, CoreBuilder *b)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_INDEX || stm->pattern[0]->type.rank > 0) {
        core_add(b, core_rename_stm(s->renaming, stm));
        fuse_note_stm(s->fuse, b->stms.items[b->stms.count - 1], 0);
        return;
    }
    const CoreAtom *indices =
        core_map_atoms(s->c, exp->as.index.count, exp->as.index.indices, core_renamed, s->renaming);
    CoreAtom array = core_renamed(s->renaming, exp->as.index.array);
    core_rename(
        s->renaming, stm->pattern[0],
        fuse_demand(s->fuse, b, array, exp->as.index.count, indices, stm->pattern[0]->type));
}

/* Inputs of inner maps may be rows of outer ones. */
static CoreSoac renamed_inputs(Strips *s, const CoreSoac *old)
{
    CoreSoac soac = *old;
    soac.inputs = core_map_atoms(s->c, old->input_count, old->inputs, core_renamed, s->renaming);
    return soac;
}

static void write_element(Strips *s, const CoreSoac *soac, unsigned number, CoreBuilder *b,
                          CoreAtom *results)
{
    const CoreBody *body = soac->map->body;
    CoreAtom index = core_use(s->first);
    if (number > 0) {
        index = core_let_binary(b, "i", CORE_ADD, index, core_i64(number));
    }
    bind_row(s, soac, index, b);
    for (size_t i = 0; i < body->stm_count; i++) {
        if (!strips_write_fold(s, body->stms[i], number, b)) {
            strips_write_statement(s, body->stms[i], b);
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        results[k] = core_renamed(s->renaming, body->results[k]);
    }
}

/* \first -> { if first + width <= n then { all elements } else { nothing of interest } } */
static const CoreLambda *strip_lambda(Strips *s, const CoreSoac *soac)
{
    size_t each = soac->map->body->result_count, total = each * s->width;
    CoreAtom *results = ARENA_ARRAY(s->c->arena, CoreAtom, total + 1);
    CoreBuilder outer = core_builder(s->c, s->b.span), inner = core_builder(s->c, s->b.span);
    s->first = core_name(s->c, "first", core_scalar(CORE_I64), s->b.span);
    CoreBuilder *b = s->width > 1 ? &inner : &outer;
    for (unsigned number = 0; number < s->width; number++) {
        write_element(s, soac, number, b, results + number * each);
    }
    if (s->width > 1) {
        CoreAtom *zeros = ARENA_ARRAY(s->c->arena, CoreAtom, total + 1);
        CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, total + 1);
        for (size_t k = 0; k < total; k++) {
            CoreType type = soac->map->result_types[k % each];
            pattern[k] = core_name(s->c, "element", type, s->b.span);
            zeros[k] = core_zero(type.prim);
        }
        CoreBuilder none = core_builder(s->c, s->b.span);
        const CoreBody *then_body = core_body(&inner, total, results);
        const CoreBody *else_body = core_body(&none, total, zeros);
        CoreAtom next =
            core_let_binary(&outer, "next", CORE_ADD, core_use(s->first), core_i64(s->width));
        CoreAtom whole = core_let_binary(&outer, "whole", CORE_LE, next, soac->width);
        core_bind(&outer, total, pattern, core_exp_if(s->c, whole, then_body, else_body));
        for (size_t k = 0; k < total; k++) {
            results[k] = core_use(pattern[k]);
        }
    }
    return core_lambda(s->c, 1, &s->first, core_body(&outer, total, results));
}

/* ---- what it mentions ------------------------------------------------------------------------ */

static void note_name(void *context, CoreName *name);

static void note_type(Strips *s, CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        if (type.sizes[axis].name) {
            note_name(s, type.sizes[axis].name);
        }
    }
}

static void note_bound(Strips *s, const CoreStm *stm);

static void note_body(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        note_bound(context, body->stms[i]);
    }
}

static void note_bound(Strips *s, const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        pointer_map_set(s->c->arena, &s->bound, stm->pattern[k], s);
    }
    core_each_body(stm->exp, note_body, s);
}

static void note_sizes(void *context, const CoreBody *body)
{
    Strips *s = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            note_type(s, body->stms[i]->pattern[k]->type);
        }
        core_each_body(body->stms[i]->exp, note_sizes, s);
    }
}

/* A name from outside: a view of the host goes inside, anything else becomes a parameter. */
static void note_name(void *context, CoreName *name)
{
    Strips *s = context;
    if (pointer_map_get(&s->bound, name) || pointer_map_get(&s->noted, name)) {
        return;
    }
    pointer_map_set(s->c->arena, &s->noted, name, s);
    note_type(s, name->type);
    const CoreStm *view = pointer_map_get(s->views, name);
    if (!view) {
        vec_push(s->c->arena, &s->outside, name);
        return;
    }
    s->too_large = s->too_large || s->needed.count >= MOST_VIEWS;
    if (s->too_large) {
        return;
    }
    CoreStm *certain = arena_copy(s->c->arena, view, sizeof *view);
    certain->certificate_count = 0;
    core_each_free(certain, note_name, s);
    vec_push(s->c->arena, &s->needed, certain);
}

static void note_statement(Strips *s, const CoreStm *stm)
{
    core_each_free(stm, note_name, s);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        note_type(s, stm->pattern[k]->type);
    }
    core_each_body(stm->exp, note_sizes, s);
}

/* The definitions of views that the nest mentions, for fuse_demand to go through. */
static void note_views(Strips *s, const CoreSoac *nest)
{
    CoreExp exp = {.kind = CORE_EXP_SOAC, .as.soac = *nest};
    CoreStm stm = {.exp = &exp};
    core_each_free(&stm, note_name, s);
    s->fuse = ARENA_NEW(s->c->arena, Fuse);
    s->fuse->c = s->c;
    s->fuse->arena = s->c->arena;
    for (size_t i = 0; i < s->needed.count; i++) {
        fuse_note_stm(s->fuse, s->needed.items[i], 0);
        fuse_name(s->fuse, s->needed.items[i]->pattern[0])->uses.reaches = true;
    }
}

/* ---- the function and what the simplifier makes of it ----------------------------------------- */

/* The statements of the nest, with a map over the first elements of strips as the last. */
static void write_nest(Strips *s, size_t count, const CoreSoac *const *soacs)
{
    Compilation *c = s->c;
    for (size_t v = 0; v + 1 < count; v++) {
        CoreSoac soac = renamed_inputs(s, soacs[v]);
        bind_row(s, &soac, core_use(s->rows.items[v]), &s->b);
        for (size_t i = 0; i + 1 < soac.map->body->stm_count; i++) {
            strips_write_statement(s, soac.map->body->stms[i], &s->b);
        }
    }
    CoreSoac last = renamed_inputs(s, soacs[count - 1]);
    const CoreLambda *lambda = strip_lambda(s, &last);
    CoreAtom positions = core_let_iota(&s->b, "positions", last.width);
    size_t total = lambda->body->result_count;
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, total + 1);
    for (size_t k = 0; k < total; k++) {
        CoreType type = core_array_of(c, last.width, lambda->result_types[k]);
        pattern[k] = core_name(c, "elements", type, s->b.span);
    }
    core_bind(&s->b, total, pattern, core_exp_map(c, last.width, 1, &positions, lambda));
}

static void note_mentioned(Strips *s)
{
    for (size_t i = 0; i < s->b.stms.count; i++) {
        note_bound(s, s->b.stms.items[i]);
    }
    pointer_map_set(s->c->arena, &s->bound, s->first, s);
    for (size_t i = 0; i < s->b.stms.count; i++) {
        note_statement(s, s->b.stms.items[i]);
    }
}

/* fun strip (what is mentioned) = { views; the nest }. Its parameters have names of their own, so
   that nothing is concluded for the names outside. */
static CoreFunction *closed_function(Strips *s)
{
    Compilation *c = s->c;
    Renaming *renaming = core_renaming(c);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, s->outside.count + 1);
    for (size_t k = 0; k < s->outside.count; k++) {
        CoreName *name = s->outside.items[k];
        CoreType type = core_map_type(c, name->type, core_renamed, renaming);
        type.unique = false;
        parameters[k] = core_name(c, name->text, type, name->span);
        core_rename(renaming, name, core_use(parameters[k]));
    }
    CoreBuilder b = core_builder(c, s->b.span);
    for (size_t i = 0; i < s->needed.count; i++) {
        core_add(&b, core_rename_stm(renaming, s->needed.items[i]));
    }
    for (size_t i = 0; i < s->b.stms.count; i++) {
        core_add(&b, core_rename_stm(renaming, s->b.stms.items[i]));
    }
    const CoreStm *map = b.stms.items[b.stms.count - 1];
    CoreType *types = ARENA_ARRAY(c->arena, CoreType, map->pattern_count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, map->pattern_count + 1);
    for (size_t k = 0; k < map->pattern_count; k++) {
        types[k] = map->pattern[k]->type;
        results[k] = core_use(map->pattern[k]);
    }
    CoreFunction *function = ARENA_NEW(c->arena, CoreFunction);
    *function = (CoreFunction){.name = "strip",
                               .parameter_count = s->outside.count,
                               .parameters = parameters,
                               .result_count = map->pattern_count,
                               .result_types = types,
                               .body = core_body(&b, map->pattern_count, results),
                               .is_entry = true,
                               .span = s->b.span};
    return function;
}

/* The function, simplified; NULL where it mentions too much. */
static const CoreFunction *strip_function(Strips *s, size_t count, const CoreSoac *const *soacs)
{
    s->renaming = core_renaming(s->c);
    note_views(s, soacs[0]);
    write_nest(s, count, soacs);
    note_mentioned(s);
    if (s->too_large) {
        return NULL;
    }
    const CoreFunction *functions[] = {closed_function(s)};
    CoreProgram program = {1, arena_copy(s->c->arena, functions, sizeof functions)};
    const CoreProgram *simple = core_simplify(s->c, &program);
    return simple ? simple->functions[0] : NULL;
}

/* The atom that result k of a body with one statement for all results stands for, inside it. */
static bool inner_result(const CoreStm *stm, CoreAtom result, const CoreBody *inner,
                         CoreAtom *found)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k] == result.name) {
            *found = inner->results[k];
            return true;
        }
    }
    return false;
}

static const CoreBody *statements(Compilation *c, const CoreBody *body, size_t count,
                                  size_t result_count, const CoreAtom *results)
{
    CoreBody *part = ARENA_NEW(c->arena, CoreBody);
    *part = (CoreBody){count, body->stms, result_count, results};
    return part;
}

/* Takes the simplified function apart; NULL where it is no such map any more. */
static const CoreStrip *take_apart(Strips *s, const CoreFunction *function)
{
    Compilation *c = s->c;
    const CoreBody *all = function->body;
    if (all->stm_count == 0 || function->parameter_count != s->outside.count) {
        return NULL;
    }
    const CoreStm *map = all->stms[all->stm_count - 1];
    if (map->exp->kind != CORE_EXP_SOAC || map->exp->as.soac.reduction_count > 0 ||
        map->exp->as.soac.scan_count > 0 || map->exp->as.soac.map->parameter_count != 1 ||
        core_atom_type(map->exp->as.soac.inputs[0]).prim != CORE_I64) {
        return NULL;
    }
    const CoreLambda *lambda = map->exp->as.soac.map;
    const CoreBody *body = lambda->body;
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, all->result_count + 1);
    for (size_t k = 0; k < all->result_count; k++) {
        if (!inner_result(map, all->results[k], body, &results[k])) {
            return NULL;
        }
    }
    CoreStrip *strip = ARENA_NEW(c->arena, CoreStrip);
    *strip = (CoreStrip){.width = s->width,
                         .offsets = {s->offsets[0], s->offsets[1]},
                         .parameter_count = s->outside.count,
                         .outside = s->outside.items,
                         .parameters = function->parameters,
                         .rows = s->rows.items,
                         .first = lambda->parameters[0],
                         .before = statements(c, all, all->stm_count - 1, 0, NULL)};
    if (s->width == 1) {
        strip->body = statements(c, body, body->stm_count, all->result_count, results);
        return strip;
    }
    const CoreStm *choice = body->stm_count > 0 ? body->stms[body->stm_count - 1] : NULL;
    if (!choice || choice->exp->kind != CORE_EXP_IF) {
        return NULL;
    }
    const CoreBody *inner = choice->exp->as.conditional.then_body;
    for (size_t k = 0; k < all->result_count; k++) {
        inner_result(choice, results[k], inner, &results[k]);
    }
    CoreAtom *condition = arena_copy(c->arena, &choice->exp->as.conditional.condition,
                                     sizeof choice->exp->as.conditional.condition);
    strip->test = statements(c, body, body->stm_count - 1, 1, condition);
    strip->body = statements(c, inner, inner->stm_count, all->result_count, results);
    return strip;
}

/* With what `found` has noted of the innermost function. */
static const CoreStrip *strip_of(const Strips *found, size_t count, const CoreSoac *const *soacs,
                                 unsigned width)
{
    Compilation *c = found->c;
    Strips s = {.c = c, .views = found->views, .width = width};
    s.offsets[0] = s.offsets[1] = core_i64(0);
    for (size_t i = 0; width > 1 && i < found->folds.count; i++) {
        memcpy(s.offsets, found->offsets, sizeof s.offsets);
        vec_push(c->arena, &s.folds, found->folds.items[i]);
    }
    s.b = core_builder(c, soacs[count - 1]->map->parameter_count > 0
                              ? soacs[count - 1]->map->parameters[0]->span
                              : NO_SPAN);
    for (size_t v = 0; v + 1 < count; v++) {
        CoreName *row = core_name(c, "row", core_scalar(CORE_I64), s.b.span);
        vec_push(c->arena, &s.rows, row);
    }
    const CoreFunction *function = strip_function(&s, count, soacs);
    return function ? take_apart(&s, function) : NULL;
}

/* One of the outer functions binds the name. */
static bool binds(size_t count, const CoreSoac *const *soacs, const CoreName *name)
{
    for (size_t v = 0; name && v < count; v++) {
        const CoreLambda *function = soacs[v]->map;
        for (size_t k = 0; k < function->parameter_count; k++) {
            if (function->parameters[k] == name) {
                return true;
            }
        }
        for (size_t i = 0; i < function->body->stm_count; i++) {
            if (function->body->stms[i]->pattern[0] == name) {
                return true;
            }
        }
    }
    return false;
}

const CoreStrip *core_strip(Compilation *c, size_t count, const CoreSoac *const *soacs,
                            const PointerMap *views, unsigned width)
{
    for (size_t v = 0; v + 1 < count; v++) {
        if (!may_be_around(soacs[v]->map->body)) {
            return NULL;
        }
    }
    Strips found = {.c = c, .views = views, .width = width};
    if (!may_share(&found, soacs[count - 1]) || binds(count - 1, soacs, found.offsets[0].name)) {
        return NULL;
    }
    const CoreStrip *one = strip_of(&found, count, soacs, 1);
    const CoreStrip *strip = one ? strip_of(&found, count, soacs, width) : NULL;
    if (!strip) {
        return NULL;
    }
    unsigned single = cost_of(one->body, 1);
    unsigned all = cost_of(strip->test, width) + cost_of(strip->body, width);
    return 4 * all <= 3 * width * single ? strip : NULL;
}
