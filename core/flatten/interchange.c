/* Interchange: a map comes out of a reduction [PLDI G5].

       reduce n (\a b -> map k op a b) (ns) xss
   ==> map k (\xs e -> reduce n op e xs) (transpose xss) ns

   and likewise a scan, whose result is transposed back (ISWIM, [L0 8.3]). */
#include "core/flatten/flatten.h"

/* ---- reductions and scans of rows -------------------------------------------------------- */

/* The operator is one map over its accumulators and operands, each an input once, in their order,
   and its results are the map's. */
static const CoreSoac *map_of_operator(const CoreLambda *function)
{
    const CoreBody *body = function->body;
    if (body->stm_count != 1 || !fuse_is_map(body->stms[0])) {
        return NULL;
    }
    const CoreStm *stm = body->stms[0];
    const CoreSoac *map = &stm->exp->as.soac;
    if (map->input_count != function->parameter_count || stm->certificate_count > 0 ||
        stm->pattern_count != body->result_count) {
        return NULL;
    }
    for (size_t k = 0; k < map->input_count; k++) {
        if (map->inputs[k].name != function->parameters[k]) {
            return NULL;
        }
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (body->results[k].name != stm->pattern[k]) {
            return NULL;
        }
    }
    return map;
}

typedef struct ParameterWalk {
    const CoreLambda *function;
    bool found;
} ParameterWalk;

static void find_parameter(void *context, CoreName *name)
{
    ParameterWalk *walk = context;
    for (size_t k = 0; k < walk->function->parameter_count; k++) {
        walk->found = walk->found || walk->function->parameters[k] == name;
    }
}

/* Of the operator's own map, nothing but its inputs names what the operator is given. */
static bool uses_rows_alone(const CoreLambda *function)
{
    const CoreLambda *inner = function->body->stms[0]->exp->as.soac.map;
    ParameterWalk walk = {function, false};
    for (size_t i = 0; i < inner->body->stm_count; i++) {
        core_each_free(inner->body->stms[i], find_parameter, &walk);
    }
    return !walk.found;
}

static CoreAtom transposed(CoreBuilder *b, CoreAtom array)
{
    int rank = array.name->type.rank;
    int *permutation = ARENA_ARRAY(b->c->arena, int, (size_t)rank);
    for (int axis = 0; axis < rank; axis++) {
        permutation[axis] = axis < 2 ? 1 - axis : axis;
    }
    return core_let_rearrange(b, array.name->text, array, permutation);
}

static size_t parameter_number(const CoreLambda *lambda, CoreAtom atom)
{
    size_t k = 0;
    while (k < lambda->parameter_count && lambda->parameters[k] != atom.name) {
        k++;
    }
    return k;
}

/* soac f reduce op  ==>  map f, whose results op then reduces; a scan likewise. Gives the arrays of operands: inputs
   where f passes their rows on. */
static void map_operands(Flatten *f, CoreBuilder *b, const CoreStm *stm, size_t width,
                         CoreAtom *operands)
{
    Compilation *c = f->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreBody *body = soac->map->body;
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, body->result_count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, body->result_count + 1);
    size_t count = 0;
    for (size_t k = 0; k < body->result_count; k++) {
        size_t input = parameter_number(soac->map, body->results[k]);
        if (k < width && input < soac->input_count) {
            operands[k] = soac->inputs[input];
            continue;
        }
        CoreType row = soac->map->result_types[k];
        row.unique = false;
        results[count] = body->results[k];
        pattern[count] = k >= width ? stm->pattern[k]
                                    : core_name(c, stm->pattern[k]->text,
                                                core_array_of(c, soac->width, row), stm->span);
        if (k < width) {
            operands[k] = core_use(pattern[count]);
        }
        count++;
    }
    if (count > 0) {
        CoreBody *rest = arena_copy(c->arena, body, sizeof *rest);
        rest->results = results;
        rest->result_count = count;
        const CoreLambda *lambda =
            core_lambda(c, soac->map->parameter_count, soac->map->parameters, rest);
        core_bind(b, count, pattern,
                  core_exp_map(c, soac->width, soac->input_count, soac->inputs, lambda));
        flatten_note_apart(f, b->stms.items[b->stms.count - 1], stm, pattern[0],
                           CORE_REASON_PARTED);
    }
}

/* So few accumulators of a reduction are kept by each work-item. */
enum { FEW_COLUMNS = 8 };

/* The one reduction of the SOAC, or its one scan, of which there is no other; NULL. */
static const CoreReduction *only_fold(const CoreSoac *soac)
{
    if (soac->reduction_count + soac->scan_count != 1) {
        return NULL;
    }
    return soac->reduction_count == 1 ? soac->reductions : soac->scans;
}

/* The map that the operator is; NULL where it is none, or not worth it. */
static const CoreSoac *rows_folded(const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || stm->certificate_count > 0 || !only_fold(&stm->exp->as.soac)) {
        return NULL;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreLambda *function = only_fold(soac)->function;
    const CoreSoac *map = map_of_operator(function);
    if (!map || !uses_rows_alone(function) || core_may_fail(stm) ||
        (soac->scan_count == 0 && !map->width.name && map->width.as.integer < FEW_COLUMNS)) {
        return NULL;
    }
    for (size_t k = 0; k < function->body->result_count; k++) {
        if (!soac->map->body->results[k].name) {
            return NULL;
        }
    }
    return map;
}

/* What one column of operands gives: its reduction, or its scan. */
static CoreType column_result(Compilation *c, const CoreSoac *soac, CoreType element)
{
    return soac->scan_count > 0 ? core_array_of(c, soac->width, element) : element;
}

/* The map's results: those of the statement, or of a scan their transpositions. */
static void bind_columns(CoreBuilder *b, const CoreStm *stm, CoreAtom columns, size_t width,
                         const CoreExp *map)
{
    Compilation *c = b->c;
    if (stm->exp->as.soac.scan_count == 0) {
        core_bind(b, width, stm->pattern, map);
        return;
    }
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, width + 1);
    for (size_t k = 0; k < width; k++) {
        CoreType element = core_row(core_row(stm->pattern[k]->type));
        CoreType column = core_array_of(c, stm->exp->as.soac.width, element);
        pattern[k] =
            core_name(c, stm->pattern[k]->text, core_array_of(c, columns, column), stm->span);
    }
    core_bind(b, width, pattern, map);
    for (size_t k = 0; k < width; k++) {
        CoreAtom rows = transposed(b, core_use(pattern[k]));
        core_bind(b, 1, &stm->pattern[k], core_atom_exp(c, rows));
    }
}

/* [PLDI G5]        reduce (map op) (ns) (zss)  ==>  map (\zs n -> reduce op n zs) (transpose zss) ns
   ISWIM [L0 8.3]   scan (map op) (ns) (zss)    ==>  transpose (map (\zs n -> scan op n zs)
                                                                    (transpose zss) ns)
   The neutral elements may be any rows, not just replicated ones: they are inputs, too. What is
   mapped before the reduction or the scan, or out of it, is a map of its own. */
bool flatten_reduce(Flatten *f, const CoreStm *stm, CoreBuilder *b)
{
    Compilation *c = f->c;
    const CoreSoac *soac = &stm->exp->as.soac, *map = rows_folded(stm);
    if (!map) {
        return false;
    }
    CoreReduction *inner = arena_copy(c->arena, only_fold(soac), sizeof *inner);
    size_t width = inner->function->body->result_count;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, 2 * width + 1);
    CoreAtom *arrays = ARENA_ARRAY(c->arena, CoreAtom, 2 * width + 1);
    CoreAtom *operands = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreAtom *columns = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreAtom *neutral = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, width + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    map_operands(f, b, stm, width, operands);
    for (size_t k = 0; k < width; k++) {
        CoreType element = core_row(inner->function->result_types[k]);
        element.unique = false;
        arrays[k] = transposed(b, operands[k]);
        parameters[k] = core_name(c, "column", core_array_of(c, soac->width, element), stm->span);
        columns[k] = core_use(parameters[k]);
        arrays[width + k] = inner->neutral[k];
        parameters[width + k] = core_name(c, "neutral", element, stm->span);
        neutral[k] = core_use(parameters[width + k]);
        pattern[k] =
            core_name(c, stm->pattern[k]->text, column_result(c, soac, element), stm->span);
        results[k] = core_use(pattern[k]);
    }
    inner->function = map->map;
    inner->neutral = neutral;
    CoreBuilder body = core_builder(c, stm->span);
    core_bind(&body, width, pattern,
              core_exp_soac(c, soac->width, width, columns, NULL, soac->reduction_count, inner,
                            soac->scan_count, inner));
    const CoreLambda *lambda =
        core_lambda(c, 2 * width, parameters, core_body(&body, width, results));
    bind_columns(b, stm, map->width, width, core_exp_map(c, map->width, 2 * width, arrays, lambda));
    f->counts[soac->scan_count > 0 ? CORE_RULE_FLATTEN_SCAN : CORE_RULE_FLATTEN_REDUCE]++;
    return true;
}

/* ---- fission ----------------------------------------------------------------------------- */

/* `count` results of the SOAC's function from `first` on, with what `like` says is done with them.
 */
static void add_share(CoreBuilder *b, const CoreStm *stm, size_t first, size_t count,
                      const CoreExp *like)
{
    Compilation *c = b->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreLambda *lambda = arena_copy(c->arena, soac->map, sizeof *lambda);
    CoreBody *body = arena_copy(c->arena, soac->map->body, sizeof *body);
    body->results += first;
    body->result_count = count;
    lambda->result_types += first;
    lambda->body = body;
    CoreExp *exp = core_exp_copy(c, like);
    exp->as.soac.map = lambda;
    CoreStm *share = arena_copy(c->arena, stm, sizeof *stm);
    share->exp = exp;
    share->pattern = stm->pattern + first;
    share->pattern_count = count;
    /* Its function's names are bound twice otherwise; those of the pattern stay. */
    Renaming *renaming = core_renaming(c);
    CoreStm *renamed = arena_copy(c->arena, core_rename_stm(renaming, share), sizeof *renamed);
    renamed->pattern = share->pattern;
    core_add(b, renamed);
}

/* soac n f reduce op  ==>  map n f, then reduce n op */
void flatten_apart(Flatten *f, const CoreStm *stm, CoreBuilder *b)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t width = fuse_total_width(soac->reduction_count, soac->reductions) +
                   fuse_total_width(soac->scan_count, soac->scans);
    CoreAtom *operands = ARENA_ARRAY(f->c->arena, CoreAtom, width + 1);
    flatten_push_certificates(b, stm);
    map_operands(f, b, stm, width, operands);
    core_bind(b, width, stm->pattern,
              core_exp_soac(f->c, soac->width, width, operands, NULL, soac->reduction_count,
                            soac->reductions, soac->scan_count, soac->scans));
    b->certificates.count -= stm->certificate_count;
    f->counts[CORE_RULE_FLATTEN_PART]++;
}

/* The map of it can be attempted without its checks. */
static bool can_attempt(const Flatten *f, const CoreStm *stm)
{
    size_t counts[CORE_RULE_COUNT] = {0};
    Flatten trial = flatten_nest(f);
    CoreBuilder parts = core_builder(f->c, stm->span), again = parts;
    trial.counts = counts;
    flatten_apart(&trial, stm, &parts);
    return flatten_attempt(&trial, parts.stms.items[0], &again) != NULL;
}

/* The same, where f has parallelism of its own.
   A reduction alone has a work-item a row at most, and goes through what is in it one by one. */
bool flatten_part(Flatten *f, const CoreStm *stm, CoreBuilder *b)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    MapContext m = flatten_context(f, NULL, stm, soac->map->body);
    flatten_classify(&m);
    bool parallel = false;
    for (size_t i = 0; i < m.count; i++) {
        parallel = parallel || (m.kinds[i] != PART_CHEAP && m.kinds[i] != PART_SEQUENTIAL);
    }
    for (size_t k = 0; k < m.result_count; k++) {
        parallel = parallel && flatten_is_regular(&m, soac->map->result_types[k]);
    }
    if (!parallel || flatten_operators_have_checks(soac) ||
        (!flatten_keeps_errors(&m) && !can_attempt(f, stm))) {
        return false;
    }
    flatten_apart(f, stm, b);
    return true;
}

/* The same in a map's function: segments that go through others one by one are not enough work-items where there are few
   of them. */
bool flatten_part_in(Flatten *f, const MapContext *outer, const CoreStm *stm, CoreBuilder *b)
{
    if (!f->parting || f->parted.count > 0 || !flatten_is_parallel(outer, stm) ||
        fuse_is_map(stm) || core_may_fail(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    MapContext m = flatten_context(f, outer, stm, soac->map->body);
    const CoreStm *inner = NULL;
    bool regular = true;
    for (size_t i = 0; i < m.count && !inner; i++) {
        inner = flatten_is_parallel(&m, m.stms[i]) ? m.stms[i] : NULL;
    }
    for (size_t k = 0; k < m.result_count; k++) {
        regular = regular && flatten_is_regular(&m, soac->map->result_types[k]);
    }
    if (!inner || !regular) {
        return false;
    }
    for (const MapContext *around = &m; around; around = around->outer) {
        vec_push(f->c->arena, &f->parted, around->soac->width);
    }
    vec_push(f->c->arena, &f->parted, inner->exp->as.soac.width);
    flatten_apart(f, stm, b);
    return true;
}

/* Scans that one kernel of the backend does at once. */
enum { MOST_SCANNED = 2 };

/* soac f reduce op scan op'  ==>  redomap f op; soac f scan op'
   in a nest, whose kernels do one or the other; f is computed twice, where that is cheap. Many
   scans are parted, too. */
bool flatten_split(Flatten *f, const MapContext *m, const CoreStm *stm, CoreBuilder *b)
{
    if (!fuse_is_soac(stm) || !flatten_is_invariant(m, stm->exp->as.soac.width)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t reduced = fuse_total_width(soac->reduction_count, soac->reductions);
    bool all =
        fuse_total_width(soac->scan_count, soac->scans) <= MOST_SCANNED || soac->scan_count == 1;
    if (soac->scan_count == 0 || (reduced == 0 && all) || fuse_cost(soac->map->body) >= FUSE_DEAR) {
        return false;
    }
    if (reduced > 0) {
        CoreExp *reduces = core_exp_copy(f->c, stm->exp);
        reduces->as.soac.scan_count = 0;
        add_share(b, stm, 0, reduced, reduces);
    }
    size_t first = reduced;
    for (size_t k = 0; k < soac->scan_count; k += all ? soac->scan_count : 1) {
        CoreExp *scans = core_exp_copy(f->c, stm->exp);
        scans->as.soac.reduction_count = 0;
        scans->as.soac.scans += k;
        scans->as.soac.scan_count = all ? soac->scan_count : 1;
        size_t count = fuse_total_width(scans->as.soac.scan_count, scans->as.soac.scans);
        bool last = k + scans->as.soac.scan_count == soac->scan_count;
        add_share(b, stm, first, last ? stm->pattern_count - first : count, scans);
        first += count;
    }
    for (size_t i = 1; i < b->stms.count; i++) {
        flatten_note_apart(f, b->stms.items[0], b->stms.items[i], soac->inputs[0].name,
                           CORE_REASON_SPLIT);
    }
    f->counts[CORE_RULE_FLATTEN_SPLIT]++;
    return true;
}
