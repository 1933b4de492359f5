/* Uniqueness, [PLDI figure 6], [L0 3]: an array may be changed in place where nobody uses it
   afterwards.

       let (b : [n]f64) = reverse 0 a
       let (c : [n]f64) = a with [0] <- 1.0      -- consumes a
       let (s : f64) = b[0]                      -- error: b shares elements with a

   Consumed are: what UPDATE, SCATTER and HIST write into, arguments of unique parameters, initial
   values of unique loop parameters, and the input of a SOAC whose function consumes its parameter.
   Consuming an array consumes its roots. Where the rules are:

       OCCURRENCE-SEQ, SAFE-LETPAT  unique_body takes statements in order; what is consumed stays so
       SAFE-VAR, SAFE-CONST         observe: no use of an array with a consumed root [L0, rule 1]
       SAFE-IF                      unique_if: both branches begin with what was consumed before
       SAFE-UPDATE                  unique_update
       SAFE-MAP, OBSERVE-*          unique_lambda, unique_soac, consume
       functions [L0, rules 2, 3]   check_unique_results, unique_apply
       loops                        unique_loop: functions that call themselves

   A body that runs many times (of a loop, or a SOAC's function) consumes what is bound outside of
   it only through its parameters. Parameters that are not unique are borrowed: never consumed.
   Beyond the figures, no operand of a statement, and nothing that its functions read, may share
   elements with what the statement consumes: map f as as would update rows that it also reads. */
#include "core/check/check.h"

static void unique_body(Check *k, const CoreBody *body);

/* ---- observing and consuming ----------------------------------------------------------------- */

/* "b (which may share elements with a)". */
static const char *shared(Check *k, CoreAtom atom, const CoreName *with)
{
    const char *text = core_check_text(k, atom);
    const char *other = core_check_text(k, core_use((CoreName *)with));
    if (atom.name == with) {
        return text;
    }
    if (strcmp(text, other) == 0 && with->span.file) {
        other = arena_printf(k->c->arena, "the %s of line %u", other,
                             source_place(k->c->arena, with->span).line);
    }
    return arena_printf(k->c->arena, "%s (which may share elements with %s)", text, other);
}

static void observe(void *context, CoreAtom atom)
{
    Check *k = context;
    Roots *roots = core_alias_roots(k, atom);
    if (roots && k->watching > 0) {
        vec_push(k->c->arena, &k->observed, roots);
    }
    const Root *consumed = core_alias_consumed(k, roots);
    if (consumed) {
        core_check_error(k, "%s is used after its consumption by the statement at %s",
                         shared(k, atom, consumed->consumed_as),
                         core_check_place(k, consumed->consumer));
    }
}

static void mark_consumed(Check *k, Root *root, const CoreName *name)
{
    root->consumer = k->stm;
    root->consumed_as = name;
    k->epoch++;
    vec_push(k->c->arena, &k->consumed, root);
}

/* Consumes what `atom` shares elements with. It has been observed by this statement already. */
static void consume(Check *k, CoreAtom atom)
{
    for (Roots *r = core_alias_roots(k, atom); r; r = r->rest) {
        Root *root = r->root;
        if (root->consumer == k->stm) {
            core_check_error(k, "%s is consumed twice by this statement", core_check_text(k, atom));
        } else if (root->consumer) {
            return; /* observing it has reported this */
        } else if (root->borrowed) {
            core_check_error(k, "%s cannot be consumed: parameter %s is not unique",
                             core_check_text(k, atom),
                             core_check_text(k, core_use((CoreName *)root->name)));
        } else if (root->level < k->level) {
            core_check_error(
                k, "%s cannot be consumed: it is bound outside of a body that runs many times",
                shared(k, atom, root->name));
        } else {
            mark_consumed(k, root, atom.name);
        }
    }
}

/* What is read while `target` is consumed must not share elements with it. */
static void require_apart(Check *k, CoreAtom target, CoreAtom read)
{
    Roots *other = core_alias_roots(k, read);
    for (Roots *r = core_alias_roots(k, target); r && other; r = r->rest) {
        if (!core_alias_has(other, r->root)) {
            continue;
        }
        if (target.name == read.name) {
            core_check_error(k, "%s is both consumed and read by this statement",
                             core_check_text(k, target));
        } else {
            core_check_error(k, "%s is consumed and may share elements with %s, which is read here",
                             core_check_text(k, target), core_check_text(k, read));
        }
        return;
    }
}

/* Neither may the statement's functions read it, which have observed what is behind `since`. */
static void require_unread(Check *k, CoreAtom target, size_t since)
{
    size_t mark = ++k->mark;
    for (Roots *r = core_alias_roots(k, target); r; r = r->rest) {
        r->root->mark = mark;
    }
    for (size_t i = since; i < k->observed.count; i++) {
        for (Roots *r = k->observed.items[i]; r && r->mark != mark; r = r->rest) {
            r->mark = mark;
            if (r->root->mark == mark) {
                core_check_error(k,
                                 "%s is consumed by this statement and also read by its function, "
                                 "which runs many times",
                                 core_check_text(k, target));
                return;
            }
        }
    }
}

/* One statement's operands: those that it consumes and those that it only reads. A sequence point
   lies between statements, not within them ([L0] 3.2): what one of them consumes, none of the
   others may share. */
static void consume_operands(Check *k, size_t count, const CoreAtom *operands, const bool *consumed)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; consumed[i] && j < count; j++) {
            if (!consumed[j]) {
                require_apart(k, operands[i], operands[j]);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (consumed[i]) {
            consume(k, operands[i]);
        }
    }
}

/* ---- results --------------------------------------------------------------------------------- */

/* Every result of the statement is an array of its own. */
static void fresh_results(Check *k)
{
    for (size_t i = 0; i < k->stm->pattern_count; i++) {
        if (k->stm->pattern[i]->type.rank > 0) {
            core_alias_fresh(k, k->stm->pattern[i], false);
        }
    }
}

static void report_shared_results(Check *k, CoreAtom first, CoreAtom second, const char *what)
{
    if (first.name == second.name) {
        core_check_error(k, "%s %s is given twice and once declared unique", what,
                         core_check_text(k, second));
    } else {
        core_check_error(k, "%s %s may share elements with %s, and one is declared unique", what,
                         core_check_text(k, second), core_check_text(k, first));
    }
}

/* The unique ones among the results must not share elements with each other, with another result,
   or with borrowed arrays. `outer`: the level outside of the body. */
static void check_unique_results(Check *k, size_t count, const CoreAtom *results,
                                 const bool *unique, int outer, const char *what)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || unique[i];
    }
    for (size_t i = 0; any && i < count; i++) {
        for (Roots *r = core_alias_roots(k, results[i]); r; r = r->rest) {
            r->root->stamp = 0;
        }
    }
    for (size_t i = 0; any && i < count; i++) {
        for (Roots *r = core_alias_roots(k, results[i]); r; r = r->rest) {
            Root *root = r->root;
            if (unique[i] && (root->borrowed || root->level <= outer)) {
                core_check_error(k, "%s %s is declared unique, but is not this body's own", what,
                                 shared(k, results[i], root->name));
            } else if (root->stamp && (unique[i] || unique[root->stamp - 1])) {
                report_shared_results(k, results[root->stamp - 1], results[i], what);
            }
            root->stamp = i + 1;
        }
    }
}

/* ---- SOAC functions -------------------------------------------------------------------------- */

/* The function's body, whose parameters have roots of their own; a parameter i with an input
   (inputs[i] is a name) stands for its rows, or chunks. Says which inputs the body consumes. Other
   parameters may be consumed where they are unique. */
static void unique_lambda(Check *k, const CoreLambda *lambda, const CoreAtom *inputs,
                          bool *consumed)
{
    size_t count = lambda->parameter_count;
    Root **roots = ARENA_ARRAY(k->c->arena, Root *, count);
    k->watching++;
    k->level++;
    for (size_t i = 0; i < count; i++) {
        const CoreName *parameter = lambda->parameters[i];
        if (parameter->type.rank > 0) {
            bool borrowed = (!inputs || !inputs[i].name) && !parameter->type.unique;
            roots[i] = core_alias_fresh(k, parameter, borrowed);
        }
    }
    unique_body(k, lambda->body);
    k->level--;
    for (size_t i = 0; inputs && i < count; i++) {
        bool is_row = roots[i] && inputs[i].name;
        consumed[i] = is_row && roots[i]->consumer;
        if (is_row) {
            roots[i]->borrowed = true; /* to whoever asks what the results are */
        }
    }
    k->watching--;
}

/* [PLDI fig. 6 SAFE-MAP]: a function that consumes its parameter consumes the input as a whole
   (OBSERVE-PARAM); what it reads from outside is read by the statement (OBSERVE-NONPARAM); what it
   consumes from outside is refused by `consume`. */
static void unique_soac(Check *k, const CoreSoac *soac)
{
    size_t count = soac->input_count, since = k->observed.count;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        count += soac->reductions[i].function->body->result_count;
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        count += soac->scans[i].function->body->result_count;
    }
    CoreAtom *operands = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    bool *consumed = ARENA_ARRAY(k->c->arena, bool, count);
    size_t at = soac->input_count;
    for (size_t i = 0; i < at; i++) {
        operands[i] = soac->inputs[i];
    }
    unique_lambda(k, soac->map, soac->inputs, consumed);
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        const CoreReduction *r = i < soac->reduction_count
                                     ? &soac->reductions[i]
                                     : &soac->scans[i - soac->reduction_count];
        unique_lambda(k, r->function, NULL, NULL);
        for (size_t j = 0; j < r->function->body->result_count; j++) {
            operands[at++] = r->neutral[j];
        }
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        if (consumed[i]) {
            require_unread(k, operands[i], since);
        }
    }
    consume_operands(k, count, operands, consumed);
    fresh_results(k);
}

/* Destinations are consumed; indices, values, and a histogram's neutral elements and function are
   read while that happens. */
static void unique_scatter(Check *k, const CoreExp *exp)
{
    bool hist = exp->kind == CORE_EXP_HIST;
    size_t destinations = exp->as.scatter.count, count = (hist ? 3 : 2) * destinations + 1;
    size_t since = k->observed.count;
    CoreAtom *operands = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    bool *consumed = ARENA_ARRAY(k->c->arena, bool, count);
    operands[count - 1] = exp->as.scatter.indices;
    for (size_t i = 0; i < destinations; i++) {
        operands[i] = exp->as.scatter.destinations[i];
        operands[destinations + i] = exp->as.scatter.values[i];
        if (hist) {
            operands[2 * destinations + i] = exp->as.scatter.neutral[i];
        }
        consumed[i] = true;
    }
    if (hist) {
        unique_lambda(k, exp->as.scatter.op, NULL, NULL);
    }
    for (size_t i = 0; i < destinations; i++) {
        require_unread(k, operands[i], since);
    }
    consume_operands(k, count, operands, consumed);
    fresh_results(k);
}

/* [PLDI 2.4]: a stream's function may consume its chunks, as a map's its rows, and its unique
   accumulators, whose next values must then be unique as in a loop. Each chunk of stream_red has a
   new accumulator; stream_seq's first one is the initial value itself, which a unique accumulator
   consumes. */
static void unique_stream(Check *k, const CoreExp *exp)
{
    const CoreLambda *fold = exp->as.stream.fold;
    size_t accumulators = exp->as.stream.accumulator_count, count = fold->parameter_count;
    size_t since = k->observed.count;
    CoreAtom *operands = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    bool *consumed = ARENA_ARRAY(k->c->arena, bool, count);
    bool *unique = ARENA_ARRAY(k->c->arena, bool, fold->body->result_count);
    for (size_t i = 0; i < count; i++) {
        operands[i] = i > accumulators ? exp->as.stream.inputs[i - accumulators - 1] : core_i64(0);
    }
    unique_lambda(k, fold, operands, consumed);
    for (size_t i = 0; i < accumulators; i++) {
        CoreType type = fold->parameters[1 + i]->type;
        unique[i] = type.unique && type.rank > 0;
        operands[1 + i] = exp->as.stream.neutral[i];
        consumed[1 + i] = unique[i] && exp->kind == CORE_EXP_STREAM_SEQ;
    }
    check_unique_results(k, fold->body->result_count, fold->body->results, unique, k->level,
                         "the fold's accumulator");
    if (exp->as.stream.reduce) {
        unique_lambda(k, exp->as.stream.reduce, NULL, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        if (consumed[i]) {
            require_unread(k, operands[i], since);
        }
    }
    consume_operands(k, count, operands, consumed);
    fresh_results(k);
}

/* ---- control --------------------------------------------------------------------------------- */

/* A root that one branch consumed and the other returns: after the if only the result can name its
   storage, which therefore is a new root (the same one for all results that share it). */
static Roots *renewed(Check *k, Roots *roots, size_t count, Root *const *consumed,
                      Root **replacements)
{
    Roots *result = NULL;
    for (; roots; roots = roots->rest) {
        Root *root = roots->root;
        for (size_t i = 0; root->consumer && i < count; i++) {
            if (consumed[i] == root) {
                replacements[i] =
                    replacements[i] ? replacements[i] : core_alias_new_root(k, root->name, false);
                root = replacements[i];
                break;
            }
        }
        result = core_alias_add(k, root, result);
    }
    return result;
}

/* SAFE-IF: both branches begin with the same consumed roots; afterwards those of both are consumed.
 */
static void unique_if(Check *k, const CoreExp *exp)
{
    const CoreBody *yes = exp->as.conditional.then_body, *no = exp->as.conditional.else_body;
    size_t mark = k->consumed.count;
    unique_body(k, yes);
    size_t count = k->consumed.count - mark;
    Root *copies = ARENA_ARRAY(k->c->arena, Root, count);
    Root **roots = ARENA_ARRAY(k->c->arena, Root *, count);
    for (size_t i = 0; i < count; i++) {
        roots[i] = k->consumed.items[mark + i];
        copies[i] = *roots[i];
        roots[i]->consumer = NULL;
    }
    k->consumed.count = mark;
    unique_body(k, no);
    for (size_t i = 0; i < count; i++) {
        if (!roots[i]->consumer) {
            roots[i]->consumer = copies[i].consumer;
            roots[i]->consumed_as = copies[i].consumed_as;
            k->epoch++;
            vec_push(k->c->arena, &k->consumed, roots[i]);
        }
    }
    size_t consumed = k->consumed.count - mark;
    Root **replacements = ARENA_ARRAY(k->c->arena, Root *, consumed);
    for (size_t i = 0; i < k->stm->pattern_count; i++) {
        Roots *all = core_alias_union(k, core_alias_roots(k, yes->results[i]),
                                      core_alias_roots(k, no->results[i]));
        if (core_alias_consumed(k, all)) {
            all = renewed(k, all, consumed, k->consumed.items + mark, replacements);
        }
        core_alias_set(k, k->stm->pattern[i], all);
    }
}

/* What parameter i of a loop (not a unique one) may share elements with after it: the roots of its
   initial value and of its next values, where a parameter's root stands for the roots of that
   parameter in turn. The values that a unique parameter had are `former`: by then no other name
   can mean them. */
static Roots *loop_roots(Check *k, const CoreExp *exp, Root *const *parameter_roots, Root *former,
                         size_t i)
{
    size_t count = exp->as.loop.parameter_count, waiting = 0;
    bool *seen = ARENA_ARRAY(k->c->arena, bool, count);
    size_t *list = ARENA_ARRAY(k->c->arena, size_t, count);
    Roots *all = NULL;
    seen[i] = true;
    list[waiting++] = i;
    while (waiting > 0) {
        size_t at = list[--waiting];
        all = core_alias_union(k, all, core_alias_roots(k, exp->as.loop.initial[at]));
        for (Roots *r = core_alias_roots(k, exp->as.loop.body->results[at]); r; r = r->rest) {
            size_t j = r->root->stamp;
            r->root->level = r->root->level < k->level ? r->root->level : k->level;
            if (j == 0 || j > count || parameter_roots[j - 1] != r->root) {
                all = core_alias_add(k, r->root, all);
            } else if (exp->as.loop.parameters[j - 1]->type.unique) {
                all = core_alias_add(k, former, all);
            } else if (!seen[j - 1]) {
                seen[j - 1] = true;
                list[waiting++] = j - 1;
            }
        }
    }
    return all;
}

/* A loop is a function that calls itself: unique parameters consume their initial values, and their
   next values must be unique. */
static void unique_loop(Check *k, const CoreExp *exp)
{
    size_t count = exp->as.loop.parameter_count;
    CoreName *const *parameters = exp->as.loop.parameters;
    const CoreBody *body = exp->as.loop.body;
    Root **roots = ARENA_ARRAY(k->c->arena, Root *, count), *former = NULL;
    bool *unique = ARENA_ARRAY(k->c->arena, bool, count);
    for (size_t i = 0; i < count; i++) {
        unique[i] = parameters[i]->type.unique && parameters[i]->type.rank > 0;
    }
    consume_operands(k, count, exp->as.loop.initial, unique);
    k->level++;
    for (size_t i = 0; i < count; i++) {
        if (parameters[i]->type.rank > 0) {
            roots[i] = core_alias_fresh(k, parameters[i], !unique[i]);
        }
    }
    unique_body(k, body);
    check_unique_results(k, count, body->results, unique, k->level - 1, "the loop's next value");
    k->level--;
    for (size_t i = 0; i < count; i++) {
        for (Roots *r = core_alias_roots(k, body->results[i]); r; r = r->rest) {
            r->root->stamp = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (roots[i]) {
            roots[i]->stamp = i + 1;
        }
    }
    for (size_t i = 0; i < k->stm->pattern_count; i++) {
        if (!roots[i] || unique[i]) {
            core_alias_fresh(k, k->stm->pattern[i],
                             false); /* nothing else can name what is unique */
            continue;
        }
        former = former ? former : core_alias_new_root(k, parameters[i], false);
        core_alias_set(k, k->stm->pattern[i], loop_roots(k, exp, roots, former, i));
    }
}

/* ALIAS-APPLY-*: a unique result is fresh, any other may share with every argument that is not
 * consumed. */
static void unique_apply(Check *k, const CoreExp *exp)
{
    const CoreFunction *callee = core_check_function_info(k, exp->as.apply.function)->function;
    const CoreAtom *arguments = exp->as.apply.arguments;
    Roots *shared = NULL;
    bool *unique = ARENA_ARRAY(k->c->arena, bool, exp->as.apply.count);
    for (size_t i = 0; i < exp->as.apply.count; i++) {
        unique[i] = callee->parameters[i]->type.unique;
        if (!unique[i]) {
            shared = core_alias_union(k, shared, core_alias_roots(k, arguments[i]));
        }
    }
    consume_operands(k, exp->as.apply.count, arguments, unique);
    Root *own = NULL;
    for (size_t i = 0; i < k->stm->pattern_count; i++) {
        const CoreName *name = k->stm->pattern[i];
        if (name->type.rank > 0 && callee->result_types[i].unique) {
            core_alias_fresh(k, name, false);
        } else if (name->type.rank > 0) {
            own = own ? own : core_alias_new_root(k, name, false);
            core_alias_set(k, name, core_alias_add(k, own, shared));
        }
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void unique_update(Check *k, const CoreExp *exp)
{
    require_apart(k, exp->as.update.array, exp->as.update.value);
    consume(k, exp->as.update.array);
    fresh_results(k);
}

/* Expressions without bodies that consume nothing. */
static void unique_plain(Check *k, const CoreExp *exp)
{
    Roots *roots = core_alias_of_exp(k, exp);
    if (roots) {
        core_alias_set(k, k->stm->pattern[0], roots);
    } else {
        fresh_results(k);
    }
}

static void unique_stm(Check *k, const CoreStm *stm)
{
    const CoreStm *outer = k->stm;
    k->stm = stm;
    k->observed.count = k->watching > 0 ? k->observed.count : 0;
    core_each_operand(stm->exp, observe, k);
    switch (stm->exp->kind) {
    case CORE_EXP_UPDATE: unique_update(k, stm->exp); break;
    case CORE_EXP_IF: unique_if(k, stm->exp); break;
    case CORE_EXP_LOOP: unique_loop(k, stm->exp); break;
    case CORE_EXP_APPLY: unique_apply(k, stm->exp); break;
    case CORE_EXP_SOAC: unique_soac(k, &stm->exp->as.soac); break;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
        unique_lambda(k, stm->exp->as.filter.predicate, NULL, NULL);
        fresh_results(k);
        break;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: unique_scatter(k, stm->exp); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: unique_stream(k, stm->exp); break;
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_INDEX:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_COPY:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_READ:
    case CORE_EXP_ARGUMENT:
    case CORE_EXP_NOW:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE:
    case CORE_EXP_BENCH:
    case CORE_EXP_FORMAT: unique_plain(k, stm->exp); break;
    }
    k->stm = outer;
}

static void unique_body(Check *k, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        unique_stm(k, body->stms[i]);
    }
    for (size_t i = 0; i < body->result_count; i++) {
        observe(k, body->results[i]);
    }
}

void core_check_uniqueness(Check *k, const CoreFunction *function)
{
    bool *unique = ARENA_ARRAY(k->c->arena, bool, function->result_count);
    k->level = 1;
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i]->type.rank > 0) {
            core_alias_fresh(k, function->parameters[i], !function->parameters[i]->type.unique);
        }
    }
    unique_body(k, function->body);
    for (size_t i = 0; i < function->result_count; i++) {
        unique[i] = function->result_types[i].unique && function->result_types[i].rank > 0;
    }
    check_unique_results(k, function->result_count, function->body->results, unique, 0, "result");
    k->consumed.count = 0;
}
