/* The pipeline: which passes run, in which order. Read the table `passes` from top to bottom and
   you know the compiler:

       life.apl -> TAIL -> core -> kernel program -> C | C with OpenCL kernels

   A pass takes the program from one form to the next; a check takes a form to itself. A pass runs
   when the program has the form that it takes and the goal lies behind it, so that the same table
   serves `tailor run`, `emit --to=...` and `check`. A transformation takes core to core on the way
   to kernels; what is interpreted or printed as core is the program before it. `tailor opt` runs
   those it is asked for, in the order that it is asked (pipeline_transform). */
#include "driver/pipeline.h"
#include "apl/elaborate.h"
#include "core/front/syntax.h"
#include "core/library.h"

#include <stdlib.h>
#include <time.h>

static bool run_tokens(Pipeline *p)
{
    apl_print_tokens(p->c, &p->text, p->source);
    return true;
}

static bool run_tree(Pipeline *p)
{
    apl_print_program(p->c, &p->text, p->source);
    return true;
}

static bool run_elaborate(Pipeline *p)
{
    p->tail = apl_elaborate(p->c, p->source);
    return p->tail != NULL;
}

static bool run_parse_tail(Pipeline *p)
{
    p->tail = tail_parse(p->c, p->source);
    return p->tail != NULL;
}

static bool run_check_tail(Pipeline *p)
{
    return tail_check(p->c, p->tail);
}

static bool run_to_core(Pipeline *p)
{
    p->core = tail_to_core(p->c, p->tail);
    return p->core != NULL;
}

static bool run_parse_core(Pipeline *p)
{
    p->core = core_parse(p->c, p->source);
    return p->core != NULL;
}

static bool run_front_tree(Pipeline *p)
{
    const FrontProgram *program = front_parse(p->c, p->source);
    if (program) {
        front_print(p->c, &p->text, program);
    }
    return program != NULL;
}

static bool run_check_core(Pipeline *p)
{
    return core_check(p->c, p->core);
}

static bool run_lower(Pipeline *p)
{
    bool is_opencl =
        p->target == KERNEL_PARALLEL && (p->goal == FORM_OPENCL || p->c->options.processors);
    p->kernels = kernel_lower(p->c, p->core, is_opencl ? KERNEL_DEVICES : p->target);
    if (p->kernels && (p->target == KERNEL_SEQUENTIAL || is_opencl)) {
        p->kernels = kernel_block_products(p->c, p->kernels, is_opencl);
        p->kernels = kernel_assume_plain(p->c, p->kernels);
        p->kernels = kernel_go_by_rows(p->c, p->kernels);
        p->kernels = kernel_go_by_blocks(p->c, p->kernels);
        p->kernels = kernel_split_borders(p->c, p->kernels);
        p->kernels = kernel_share_neighbours(p->c, p->kernels);
        p->kernels = kernel_shorten_quotients(p->c, p->kernels);
        p->kernels = kernel_cut_strips(p->c, p->kernels);
    }
    if (p->kernels && p->target == KERNEL_SEQUENTIAL) {
        p->kernels = kernel_block_extremes(p->c, p->kernels);
        p->kernels = kernel_strip_dear(p->c, p->kernels);
    }
    if (p->kernels && p->target == KERNEL_PARALLEL) {
        p->kernels = kernel_spare_items(p->c, kernel_run_ahead(p->c, p->kernels));
        p->kernels = kernel_keep_resident(p->c, p->kernels);
        p->kernels = kernel_reserve_memory(p->c, p->kernels);
    }
    if (p->kernels && is_opencl) {
        p->kernels = kernel_share_loops(p->c, p->kernels);
    }
    if (p->kernels && (p->target == KERNEL_SEQUENTIAL || is_opencl)) {
        p->kernels = kernel_leave_early(p->c, p->kernels);
    }
    return p->kernels != NULL;
}

static bool run_emit_c(Pipeline *p)
{
    if (p->library) {
        emit_c_library(p->c, &p->text, p->kernels, p->library);
    } else {
        emit_c(p->c, &p->text, p->kernels, p->program_name);
    }
    return true;
}

static bool run_emit_opencl(Pipeline *p)
{
    if (p->library) {
        emit_opencl_library(p->c, &p->text, p->kernels, p->library);
    } else {
        emit_opencl(p->c, &p->text, p->kernels, p->program_name);
    }
    return true;
}

static bool run_inline(Pipeline *p)
{
    p->core = core_inline(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

/* A check of what is written, after calls are gone and before anything else is. */
static bool run_check_strategy(Pipeline *p)
{
    return kernel_check_strategy(p->c, p->core);
}

static bool run_in_turn(Pipeline *p)
{
    p->core = core_assign_in_turn(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_limits(Pipeline *p)
{
    p->core = core_limit_extents(p->c, p->core);
    return p->core != NULL;
}

static bool run_simplify(Pipeline *p)
{
    p->core = core_simplify_counted(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_lengths(Pipeline *p)
{
    p->core = core_assume_lengths(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool find_orders(Pipeline *p, CoreWhichOrders which)
{
    p->core = core_find_orders(p->c, p->core, which, p->rule_counts);
    return p->core != NULL;
}

static bool run_orders(Pipeline *p)
{
    return find_orders(p, p->target == KERNEL_SEQUENTIAL ? CORE_ORDERS_SEQUENTIAL
                                                         : CORE_ORDERS_OF_HOST);
}

static bool run_row_orders(Pipeline *p)
{
    return find_orders(p, CORE_ORDERS_ALL);
}

static bool run_updates(Pipeline *p)
{
    p->core = core_choose_updates(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_fuse(Pipeline *p)
{
    p->before_fusion = p->core;
    p->core = core_fuse_logged(p->c, p->core, p->rule_counts, p->fusion);
    p->after_fusion = p->core;
    return p->core != NULL;
}

static bool run_unroll(Pipeline *p)
{
    p->core = core_unroll(p->c, p->core, p->target == KERNEL_SEQUENTIAL, p->rule_counts);
    return p->core != NULL;
}

static bool run_stream(Pipeline *p)
{
    p->core = core_stream(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_stream_items(Pipeline *p)
{
    p->core = core_stream_items(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_pair(Pipeline *p)
{
    p->core = core_pair(p->c, p->core, true, p->rule_counts, p->fusion);
    return p->core != NULL;
}

static bool run_pair_scatters(Pipeline *p)
{
    p->core = core_pair(p->c, p->core, false, p->rule_counts, p->fusion);
    return p->core != NULL;
}

static bool run_in_place(Pipeline *p)
{
    p->core = core_write_in_place(p->c, p->core, p->target == KERNEL_PARALLEL, p->rule_counts);
    return p->core != NULL;
}

static bool run_bits(Pipeline *p)
{
    p->core = core_tabulate_bits(p->c, p->core);
    return p->core != NULL;
}

static bool run_flatten(Pipeline *p)
{
    p->core = core_flatten(p->c, p->core, p->rule_counts, p->fusion);
    return p->core != NULL;
}

static bool run_capacities(Pipeline *p)
{
    p->core = core_bound_sizes(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_loop_scalars(Pipeline *p)
{
    p->core = core_keep_loop_scalars(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_device_branches(Pipeline *p)
{
    p->core = core_choose_on_device(p->c, p->core, p->rule_counts);
    return p->core != NULL;
}

static bool run_library(Pipeline *p)
{
    p->core = core_library(p->c, p->core, p->tail ? CORE_LIBRARY_PRINTED : CORE_LIBRARY_GIVEN);
    return p->core != NULL;
}

typedef enum PassKind {
    PASS_STEP,                      /* from one form to the next */
    PASS_CHECK,                     /* a form to itself, unchanged */
    PASS_TRANSFORMATION,            /* on the way to kernels */
    PASS_TRANSFORMATION_PARALLEL,   /* the same, for programs with kernels */
    PASS_TRANSFORMATION_SEQUENTIAL, /* the same, for programs without */
    PASS_TRANSFORMATION_ON_REQUEST
} PassKind;

typedef struct Pass {
    const char *name;
    Form from, to;
    bool (*run)(Pipeline *p);
    PassKind kind;
} Pass;

static const Pass passes[] = {
    {"tokens", FORM_APL, FORM_TOKENS, run_tokens, PASS_STEP},
    {"tree", FORM_APL, FORM_TREE, run_tree, PASS_STEP},
    {"elaborate", FORM_APL, FORM_TAIL, run_elaborate, PASS_STEP},
    {"parse-tail", FORM_TAIL_SOURCE, FORM_TAIL, run_parse_tail, PASS_STEP},
    {"check-tail", FORM_TAIL, FORM_TAIL, run_check_tail, PASS_CHECK},
    {"to-core", FORM_TAIL, FORM_CORE, run_to_core, PASS_STEP},
    {"front-tree", FORM_SOURCE, FORM_TREE, run_front_tree, PASS_STEP},
    {"parse-core", FORM_SOURCE, FORM_CORE, run_parse_core, PASS_STEP},
    {"check-core", FORM_CORE, FORM_CORE, run_check_core, PASS_CHECK},
    {"inline", FORM_CORE, FORM_CORE, run_inline, PASS_TRANSFORMATION},
    {"strategy", FORM_CORE, FORM_CORE, run_check_strategy, PASS_TRANSFORMATION},
    {"in-turn", FORM_CORE, FORM_CORE, run_in_turn, PASS_TRANSFORMATION_SEQUENTIAL},
    {"limits", FORM_CORE, FORM_CORE, run_limits, PASS_TRANSFORMATION},
    {"simplify", FORM_CORE, FORM_CORE, run_simplify, PASS_TRANSFORMATION},
    {"lengths", FORM_CORE, FORM_CORE, run_lengths, PASS_TRANSFORMATION},
    {"updates", FORM_CORE, FORM_CORE, run_updates, PASS_TRANSFORMATION_PARALLEL},
    {"orders", FORM_CORE, FORM_CORE, run_orders, PASS_TRANSFORMATION},
    {"fuse", FORM_CORE, FORM_CORE, run_fuse, PASS_TRANSFORMATION},
    {"unroll", FORM_CORE, FORM_CORE, run_unroll, PASS_TRANSFORMATION},
    {"stream", FORM_CORE, FORM_CORE, run_stream, PASS_TRANSFORMATION_SEQUENTIAL},
    {"bits", FORM_CORE, FORM_CORE, run_bits, PASS_TRANSFORMATION_SEQUENTIAL},
    {"flatten", FORM_CORE, FORM_CORE, run_flatten, PASS_TRANSFORMATION_PARALLEL},
    {"row-orders", FORM_CORE, FORM_CORE, run_row_orders, PASS_TRANSFORMATION_PARALLEL},
    {"capacities", FORM_CORE, FORM_CORE, run_capacities, PASS_TRANSFORMATION_PARALLEL},
    {"stream-items", FORM_CORE, FORM_CORE, run_stream_items, PASS_TRANSFORMATION_PARALLEL},
    {"pair", FORM_CORE, FORM_CORE, run_pair, PASS_TRANSFORMATION_PARALLEL},
    {"loop-scalars", FORM_CORE, FORM_CORE, run_loop_scalars, PASS_TRANSFORMATION_PARALLEL},
    {"device-branches", FORM_CORE, FORM_CORE, run_device_branches, PASS_TRANSFORMATION_PARALLEL},
    {"pair-scatters", FORM_CORE, FORM_CORE, run_pair_scatters, PASS_TRANSFORMATION_SEQUENTIAL},
    {"in-place", FORM_CORE, FORM_CORE, run_in_place, PASS_TRANSFORMATION},
    {"library", FORM_CORE, FORM_CORE, run_library, PASS_TRANSFORMATION_ON_REQUEST},
    {"lower", FORM_CORE, FORM_KERNELS, run_lower, PASS_STEP},
    {"emit-c", FORM_KERNELS, FORM_C, run_emit_c, PASS_STEP},
    {"emit-opencl", FORM_KERNELS, FORM_OPENCL, run_emit_opencl, PASS_STEP},
};
enum { PASS_COUNT = sizeof passes / sizeof passes[0] };

/* Forms that later passes start from; the others are ends of the way. */
static bool is_on_the_way(Form form)
{
    return form == FORM_TAIL || form == FORM_CORE || form == FORM_KERNELS;
}

static bool should_run(const Pipeline *p, const Pass *pass)
{
    if (pass->from != p->form) {
        return false;
    }
    switch (pass->kind) {
    case PASS_CHECK: return true;
    case PASS_TRANSFORMATION: return p->form != p->goal;
    case PASS_TRANSFORMATION_SEQUENTIAL:
        return p->form != p->goal && p->target == KERNEL_SEQUENTIAL;
    case PASS_TRANSFORMATION_PARALLEL: return p->form != p->goal && p->target == KERNEL_PARALLEL;
    case PASS_TRANSFORMATION_ON_REQUEST: return false;
    case PASS_STEP: break;
    }
    return p->form != p->goal && (is_on_the_way(pass->to) || pass->to == p->goal);
}

static double milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void dump(Pipeline *p, const Pass *pass)
{
    Text text = text_create(p->c->arena);
    pipeline_print(p, &text);
    fprintf(stderr, "---- after %s\n%s", pass->name, text_get(&text));
}

/* Those that have none by all cases that were tried are faults, too. */
static void require_proofs(const Pipeline *p, const KernelProofVec *proofs)
{
    for (size_t i = 0; i < proofs->count; i++) {
        const KernelProof *proof = &proofs->items[i];
        if (proof->open != NULL) {
            internal_error(p->c, "the kernel %s is not proven to have no race: %s",
                           proof->kernel->text, proof->open);
        }
    }
}

/* A kernel program is the compiler's own work, whoever wrote the source. */
static void check_races(Pipeline *p)
{
    KernelProofVec proofs = {0};
    const char *race = p->skip_races ? NULL : kernel_find_race(p->c, p->kernels, &proofs);
    if (race) {
        internal_error(p->c, "%s", race);
    }
    if (p->c->options.prove_races) {
        require_proofs(p, &proofs);
    }
}

/* --verify-each: the present form checked once more, by the checker that it has. */
static bool verify(Pipeline *p)
{
    switch (p->form) {
    case FORM_TAIL: return tail_check(p->c, p->tail);
    case FORM_CORE: return core_check(p->c, p->core);
    case FORM_KERNELS:
        kernel_check_scopes(p->c, p->kernels);
        check_races(p);
        return true;
    case FORM_APL:
    case FORM_TAIL_SOURCE:
    case FORM_SOURCE:
    case FORM_TOKENS:
    case FORM_TREE:
    case FORM_C:
    case FORM_OPENCL: return true;
    }
    return true;
}

/* A check that fails on what the compiler itself made is a fault of the pass before it, unless it is too deep: the nesting is
   the source's. */
static bool failed_check(Pipeline *p, const char *maker)
{
    if (p->from_apl && !diagnostics_all_are(p->c->diagnostics, "LIMIT ERROR")) {
        diagnostics_print(p->c->diagnostics, stderr);
        p->c->pass = maker;
        internal_error(p->c, "it made a program that does not pass its checker");
    }
    return false;
}

/* One pass, timed, dumped and verified as asked for. */
static bool run_pass(Pipeline *p, const Pass *pass, const char **maker)
{
    bool is_check = pass->kind == PASS_CHECK;
    p->c->pass = pass->name;
    double start = milliseconds_now();
    bool ok = pass->run(p);
    vec_push(p->c->arena, &p->times, ((PassTime){pass->name, milliseconds_now() - start}));
    if (is_check && !ok) {
        return failed_check(p, *maker);
    }
    if (!ok) {
        return false;
    }
    p->form = pass->to;
    if (diagnostics_count(p->c->diagnostics) > p->errors_before) {
        return false;
    }
    *maker = is_check ? *maker : pass->name;
    if (p->dump_after && strcmp(p->dump_after, pass->name) == 0) {
        dump(p, pass);
    }
    return !p->c->options.verify_each || is_check || verify(p) || failed_check(p, *maker);
}

bool pipeline_leads_to(const Pipeline *p, Form goal)
{
    switch (goal) {
    case FORM_TOKENS: return p->form == FORM_APL;
    case FORM_TREE: return p->form == FORM_APL || (p->form == FORM_SOURCE && front_is(p->source));
    case FORM_TAIL: return p->form != FORM_SOURCE;
    case FORM_APL:
    case FORM_TAIL_SOURCE:
    case FORM_SOURCE:
    case FORM_CORE:
    case FORM_KERNELS:
    case FORM_C:
    case FORM_OPENCL: return true;
    }
    return true;
}

bool pipeline_run(Pipeline *p)
{
    const char *maker = "parse";
    p->c->options.sequential = p->target == KERNEL_SEQUENTIAL && p->goal >= FORM_KERNELS;
    for (size_t i = 0; i < PASS_COUNT; i++) {
        if (should_run(p, &passes[i]) && !run_pass(p, &passes[i], &maker)) {
            return false;
        }
    }
    if (p->form != p->goal) {
        internal_error(p->c, "no pass leads to the form that was asked for");
    }
    return true;
}

static const Pass *transformation(const char *name)
{
    for (size_t i = 0; i < PASS_COUNT; i++) {
        if (passes[i].kind >= PASS_TRANSFORMATION && strcmp(passes[i].name, name) == 0) {
            return &passes[i];
        }
    }
    return NULL;
}

bool pipeline_is_transformation(const char *name)
{
    return transformation(name) != NULL;
}

bool pipeline_transform(Pipeline *p, const char *name)
{
    const char *maker = name;
    p->from_apl = true; /* whatever the checker finds now, the pass made it */
    p->c->options.verify_each = true;
    return run_pass(p, transformation(name), &maker);
}

const char *pipeline_transformation_names(Compilation *c)
{
    Text text = text_create(c->arena);
    for (size_t i = 0; i < PASS_COUNT; i++) {
        if (passes[i].kind >= PASS_TRANSFORMATION) {
            text_printf(&text, "%s%s", text.length > 0 ? ", " : "", passes[i].name);
        }
    }
    return text_get(&text);
}

void pipeline_print(Pipeline *p, Text *out)
{
    switch (p->form) {
    case FORM_APL:
    case FORM_TAIL_SOURCE:
    case FORM_SOURCE: text_append(out, p->source->text, p->source->length); return;
    case FORM_TAIL: tail_print(p->c, out, p->tail, p->with_instances); return;
    case FORM_CORE: core_print(p->c, out, p->core); return;
    case FORM_KERNELS: kernel_print(p->c, out, p->kernels); return;
    case FORM_TOKENS:
    case FORM_TREE:
    case FORM_C:
    case FORM_OPENCL: text_append(out, text_get(&p->text), p->text.length); return;
    }
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

const char *pipeline_program_name(Compilation *c, const char *file)
{
    if (strcmp(file, "-") == 0) {
        return "program";
    }
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    return arena_text(c->arena, base, length);
}

Form pipeline_language_of(const char *file)
{
    return ends_with(file, ".core")   ? FORM_SOURCE
           : ends_with(file, ".tail") ? FORM_TAIL_SOURCE
                                      : FORM_APL;
}

bool pipeline_language_named(const char *name, Form *language)
{
    static const struct {
        const char *name;
        Form language;
    } names[] = {{"apl", FORM_APL}, {"tail", FORM_TAIL_SOURCE}, {"core", FORM_SOURCE}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i].name) == 0) {
            *language = names[i].language;
            return true;
        }
    }
    return false;
}

Pipeline pipeline_create(Compilation *c, const SourceFile *source, Form language)
{
    return (Pipeline){
        .c = c,
        .source = source,
        .program_name = pipeline_program_name(c, source->name),
        .form = language,
        .goal = FORM_CORE,
        .target = KERNEL_SEQUENTIAL,
        .with_instances = true,
        .from_apl = language != FORM_SOURCE,
        .errors_before = diagnostics_count(c->diagnostics),
        .text = text_create(c->arena),
    };
}

Pipeline pipeline_of_core(Compilation *c, const CoreProgram *program, const KernelLibrary *library)
{
    return (Pipeline){
        .c = c,
        .program_name = library->name,
        .form = FORM_CORE,
        .goal = FORM_CORE,
        .target = KERNEL_SEQUENTIAL,
        .from_apl = true, /* what the checker finds now, the compiler made */
        .core = program,
        .library = library,
        .text = text_create(c->arena),
    };
}

bool pipeline_form_named(const char *name, Form *form)
{
    static const struct {
        const char *name;
        Form form;
    } names[] = {
        {"tokens", FORM_TOKENS}, {"tree", FORM_TREE},       {"tail", FORM_TAIL},
        {"core", FORM_CORE},     {"kernels", FORM_KERNELS}, {"c", FORM_C},
        {"opencl", FORM_OPENCL},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i].name) == 0) {
            *form = names[i].form;
            return true;
        }
    }
    return false;
}

bool pipeline_has_pass(const char *name)
{
    for (size_t i = 0; i < PASS_COUNT; i++) {
        if (strcmp(name, passes[i].name) == 0) {
            return true;
        }
    }
    return false;
}

const char *pipeline_pass_names(Compilation *c)
{
    Text text = text_create(c->arena);
    for (size_t i = 0; i < PASS_COUNT; i++) {
        text_printf(&text, "%s%s", i > 0 ? ", " : "", passes[i].name);
    }
    return text_get(&text);
}
