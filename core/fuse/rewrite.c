/* Consumers of arrays that are not stored (delay.c). A SOAC takes positions instead of rows of such
   an array, and its function computes them; indexing computes the element.

       let c = map n (\x -> { G }) (b)    ==>   let i = iota n
                                                let c = map n (\i -> { let x = b[i]; G }) (i)

   where b[i] then is what demand.c makes of it. */
#include "core/fuse/fuse.h"

static bool reaches(Fuse *f, CoreAtom atom)
{
    return atom.name && atom.name->type.rank > 0 && fuse_name(f, atom.name)->uses.reaches;
}

static void bind_as(Fuse *f, CoreBuilder *b, CoreName *name, CoreAtom value)
{
    size_t guards = b->certificates.count;
    b->certificates.count = 0; /* what it names has them */
    core_bind(b, 1, (CoreName *const[]){name}, core_atom_exp(f->c, value));
    b->certificates.count = guards;
    fuse_note_stm(f, b->stms.items[b->stms.count - 1], f->level);
    fuse_name(f, name)->uses.reaches = reaches(f, value);
}

static bool is_arithmetic(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY ||
           exp->kind == CORE_EXP_CONVERT || exp->kind == CORE_EXP_ATOM;
}

/* With the builder's guards beside its own; arithmetic needs none. */
static void add(Fuse *f, CoreBuilder *b, const CoreStm *stm)
{
    if (b->certificates.count == 0 || is_arithmetic(stm->exp)) {
        core_add(b, stm);
        return;
    }
    CoreStm *guarded = arena_copy(f->c->arena, stm, sizeof *stm);
    CoreAtom *all =
        ARENA_ARRAY(f->c->arena, CoreAtom, stm->certificate_count + b->certificates.count);
    size_t count = 0;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        all[count++] = stm->certificates[i];
    }
    for (size_t i = 0; i < b->certificates.count; i++) {
        all[count++] = b->certificates.items[i];
    }
    guarded->certificates = all;
    guarded->certificate_count = count;
    core_add(b, guarded);
}

static void add_statements(Fuse *f, CoreBuilder *b, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        fuse_rewrite(f, b, body->stms[i]);
    }
}

const CoreBody *fuse_rewrite_body(Fuse *f, const CoreBody *old)
{
    CoreBuilder b = core_builder(f->c, (Span){0});
    add_statements(f, &b, old);
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

static const CoreBody *map_body(void *context, const CoreBody *body)
{
    return fuse_rewrite_body(context, body);
}

static const CoreReduction *map_operators(Fuse *f, size_t count, const CoreReduction *old)
{
    CoreReduction *mapped = arena_copy(f->c->arena, old, count * sizeof *old);
    for (size_t i = 0; i < count; i++) {
        CoreLambda *function = arena_copy(f->c->arena, old[i].function, sizeof *function);
        function->body = fuse_rewrite_body(f, old[i].function->body);
        mapped[i].function = function;
    }
    return mapped;
}

/* The SOAC's function with positions for the rows that are computed. */
static const CoreLambda *with_positions(Fuse *f, const CoreStm *stm, CoreName *position,
                                        size_t *input_count, CoreAtom *inputs)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreName **parameters = ARENA_ARRAY(f->c->arena, CoreName *, soac->input_count + 1);
    CoreBuilder b = core_builder(f->c, stm->span);
    const CoreAtom index = core_use(position);
    f->level++;
    fuse_name(f, position)->level = f->level;
    parameters[0] = position;
    size_t count = 1;
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreName *parameter = soac->map->parameters[i];
        if (reaches(f, soac->inputs[i])) {
            CoreType row = core_row(core_atom_type(soac->inputs[i]));
            bind_as(f, &b, parameter, fuse_demand(f, &b, soac->inputs[i], 1, &index, row));
        } else {
            inputs[count] = soac->inputs[i];
            parameters[count++] = parameter;
        }
    }
    add_statements(f, &b, soac->map->body);
    f->level--;
    *input_count = count;
    const CoreBody *body = core_body(&b, soac->map->body->result_count, soac->map->body->results);
    CoreLambda *lambda =
        arena_copy(f->c->arena, core_lambda(f->c, count, parameters, body), sizeof *lambda);
    lambda->result_types = soac->map->result_types;
    return lambda;
}

/* What is built from now on has the statement's guards, too; the number to set back to. */
static size_t guard_with(Fuse *f, CoreBuilder *b, const CoreStm *stm)
{
    size_t guards = b->certificates.count;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(f->c->arena, &b->certificates, stm->certificates[i]);
    }
    return guards;
}

static void rewrite_soac(Fuse *f, CoreBuilder *b, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool takes = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        takes = takes || reaches(f, soac->inputs[i]);
    }
    if (!takes) {
        f->level++;
        const CoreStm *mapped = core_map_stm(f->c, stm, map_body, f);
        f->level--;
        add(f, b, mapped);
        return;
    }
    CoreExp *exp = core_exp_copy(f->c, stm->exp);
    CoreAtom *inputs = ARENA_ARRAY(f->c->arena, CoreAtom, soac->input_count + 1);
    CoreName *position = core_name(f->c, "i", core_scalar(CORE_I64), stm->span);
    b->span = stm->span;
    size_t guards = guard_with(f, b, stm);
    inputs[0] = core_let_iota(b, "positions", soac->width);
    b->certificates.count = guards;
    fuse_note_stm(f, b->stms.items[b->stms.count - 1], f->level);
    CoreSoac *fresh = &exp->as.soac;
    fresh->map = with_positions(f, stm, position, &fresh->input_count, inputs);
    fresh->inputs = inputs;
    fresh->reductions = map_operators(f, soac->reduction_count, soac->reductions);
    fresh->scans = map_operators(f, soac->scan_count, soac->scans);
    CoreStm *copy = arena_copy(f->c->arena, stm, sizeof *stm);
    copy->exp = exp;
    add(f, b, copy);
}

static bool all_delayed(Fuse *f, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (!fuse_name(f, stm->pattern[i])->uses.delayed) {
            return false;
        }
    }
    return stm->pattern_count > 0;
}

/* Names and levels of what a branch has. */
static const CoreBody *noted_body(Fuse *f, CoreBuilder *b, CoreAtom result)
{
    for (size_t i = 0; i < b->stms.count; i++) {
        fuse_note_stm(f, b->stms.items[i], f->level);
    }
    return core_body(b, 1, &result);
}

/* A cyclic view that is read again and again. What it is a view of is long enough, as a rule, and
   then its first elements are what is wanted: nothing is stored, and no reading divides. Else the
   view is stored once, empty arrays with their fill included.

       let v = cycle n fill a, a : [m]   ==>   let enough = m >= n
                                               let v = if enough then { a[0 :+ n * 1] }
                                                       else { copy @global (cycle n fill a) }

   The result may share a's memory, as the view did. */
static void store_cycle(Fuse *f, CoreBuilder *b, const CoreStm *stm)
{
    CoreAtom array = stm->exp->as.cycle.array, count = stm->exp->as.cycle.count;
    CoreName *view = core_name(f->c, stm->pattern[0]->text, stm->pattern[0]->type, stm->span);
    CoreBuilder slice = core_builder(f->c, stm->span), copy = core_builder(f->c, stm->span);
    CoreSlice first = {.offset = core_i64(0), .count = count, .stride = core_i64(1)};
    CoreExp *exp = ARENA_NEW(f->c->arena, CoreExp);
    size_t outer = b->certificates.count;
    b->span = stm->span;
    b->certificates.count = 0; /* arithmetic needs none */
    CoreAtom enough = core_let_binary(b, "enough", CORE_GE, core_atom_type(array).sizes[0], count);
    b->certificates.count = outer;
    size_t guards = guard_with(f, b, stm);
    CoreAtom part = core_let_slice(&slice, view->text, array, &first);
    core_bind(&copy, 1, (CoreName *const[]){view}, stm->exp);
    exp->kind = CORE_EXP_COPY;
    exp->space = CORE_GLOBAL;
    exp->as.array = core_use(view);
    CoreAtom stored = core_let(&copy, view->text, view->type, exp);
    core_bind(b, 1, stm->pattern,
              core_exp_if(f->c, enough, noted_body(f, &slice, part), noted_body(f, &copy, stored)));
    fuse_note_stm(f, b->stms.items[b->stms.count - 1], f->level);
    b->certificates.count = guards;
}

/* The rows of a view at these indices, computed element by element. */
static CoreAtom computed(Fuse *f, CoreBuilder *b, const CoreStm *view, size_t count,
                         CoreAtom *indices, CoreType type);

/* map n (\i -> row i of the view) (iota n) */
static const CoreExp *computed_rows(Fuse *f, CoreBuilder *b, const CoreStm *view, size_t count,
                                    CoreAtom *indices, CoreType type)
{
    CoreName *position = core_name(f->c, "i", core_scalar(CORE_I64), view->span);
    CoreBuilder row = core_builder(f->c, view->span);
    CoreAtom positions = core_let_iota(b, "positions", type.sizes[0]);
    fuse_note_stm(f, b->stms.items[b->stms.count - 1], f->level);
    f->level++;
    fuse_name(f, position)->level = f->level;
    indices[count] = core_use(position);
    CoreAtom result = computed(f, &row, view, count + 1, indices, core_row(type));
    f->level--;
    return core_exp_map(f->c, type.sizes[0], 1, &positions,
                        core_lambda(f->c, 1, &position, core_body(&row, 1, &result)));
}

static CoreAtom computed(Fuse *f, CoreBuilder *b, const CoreStm *view, size_t count,
                         CoreAtom *indices, CoreType type)
{
    CoreName *name = view->pattern[0];
    if (type.rank == 0) {
        return fuse_demand(f, b, core_use(name), count, indices, type);
    }
    CoreAtom rows = core_let(b, name->text, type, computed_rows(f, b, view, count, indices, type));
    fuse_note_stm(f, b->stms.items[b->stms.count - 1], f->level);
    return rows;
}

/* A view that is needed whole, of what is computed.

       let a = map n f xs                       let v = map n (\i -> f (xs[n - 1 - i])) (iota n)
       let v = reverse 0 a             ==>      print v
       print v                                                                                 */
static void store_view(Fuse *f, CoreBuilder *b, const CoreStm *stm)
{
    CoreName *name = stm->pattern[0];
    FuseUses *uses = &fuse_name(f, name)->uses;
    CoreAtom *indices = ARENA_ARRAY(f->c->arena, CoreAtom, name->type.rank);
    const CoreStm *outer = f->consumer;
    f->consumer_level = outer ? f->consumer_level : f->level;
    f->consumer = outer ? outer : stm;
    b->span = stm->span;
    uses->reaches = true;
    const CoreExp *rows = computed_rows(f, b, stm, 0, indices, name->type);
    uses->reaches = false;
    size_t guards = guard_with(f, b, stm);
    core_bind(b, 1, stm->pattern, rows);
    fuse_note_stm(f, b->stms.items[b->stms.count - 1], f->level);
    b->certificates.count = guards;
    f->consumer = outer;
}

typedef struct Reached {
    Fuse *f;
    bool any;
} Reached;

static void note_reached(void *context, CoreAtom atom)
{
    Reached *reached = context;
    reached->any = reached->any || reaches(reached->f, atom);
}

/* A view of what is computed is computed: in a body that demand.c has copied, too, where delay.c
   has not seen the names. */
static void pass_on(Fuse *f, const CoreStm *stm)
{
    if (stm->pattern_count == 1 && stm->pattern[0]->type.rank > 0 &&
        (core_is_view(stm->exp->kind) || stm->exp->kind == CORE_EXP_ATOM)) {
        Reached reached = {.f = f};
        core_each_operand(stm->exp, note_reached, &reached);
        FuseName *name = fuse_name(f, stm->pattern[0]);
        name->uses.reaches = name->uses.reaches || reached.any;
    }
}

void fuse_rewrite(Fuse *f, CoreBuilder *b, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (stm->pattern_count == 1 && fuse_name(f, stm->pattern[0])->uses.stored) {
        (fuse_is_dear_view(f, stm, fuse_name(f, stm->pattern[0])) ? store_cycle : store_view)(f, b,
                                                                                              stm);
        return;
    }
    pass_on(f, stm);
    if (exp->kind == CORE_EXP_SOAC) {
        if (!all_delayed(f, stm)) {
            const CoreStm *outer = f->consumer;
            f->consumer_level = outer ? f->consumer_level : f->level;
            f->consumer = outer ? outer : stm;
            rewrite_soac(f, b, stm);
            f->consumer = outer;
        }
        return;
    }
    if (exp->kind == CORE_EXP_INDEX && stm->pattern[0]->type.rank == 0 &&
        reaches(f, exp->as.index.array)) {
        size_t guards = guard_with(f, b, stm);
        b->span = stm->span;
        CoreAtom value = fuse_demand(f, b, exp->as.index.array, exp->as.index.count,
                                     exp->as.index.indices, stm->pattern[0]->type);
        bind_as(f, b, stm->pattern[0], value);
        b->certificates.count = guards;
        return;
    }
    if (!core_has_bodies(exp->kind)) {
        add(f, b, stm);
        return;
    }
    int deeper = exp->kind != CORE_EXP_IF;
    f->level += deeper;
    const CoreStm *mapped = core_map_stm(f->c, stm, map_body, f);
    f->level -= deeper;
    add(f, b, mapped);
}
