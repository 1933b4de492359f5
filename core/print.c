/* Prints core programs in the text form that core_parse reads back ([PLDI] figure 1; docs/core.md
   has the grammar). A-normal form, one statement a line, sizes in the types:

       entry fun main (n_1 : i64, xs_2 : [n_1]f64) : ([n_1]f64) =
         let (ys_3 : [n_1]f64) = map n_1 (xs_2) (\(x_4 : f64) -> { in (x_4) })
         in (ys_3)

   SOACs of the familiar shapes print as map, reduce, reduce_comm, scan, redomap; any other fusion
   as `soac` with its map function, reductions and scans. */
#include "core/printer.h"
#include "core/text_form.h"

#include <ctype.h>

/* ---- bodies and functions -------------------------------------------------------------------- */

static void put_stm(Printer *p, const CoreStm *stm);
static void put_exp(Printer *p, const CoreExp *exp);

static void put_lines(Printer *p, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        text_spaces(p->out, p->indent);
        put_stm(p, body->stms[i]);
        core_print_text(p, "\n");
    }
    text_spaces(p->out, p->indent);
    core_print_atoms(p, "in (", body->result_count, body->results, ")");
}

static void found_body(void *context, const CoreBody *body)
{
    (void)body;
    *(bool *)context = true;
}

/* { ... }: on one line when there is at most one statement and nothing inside it. */
static void put_block(Printer *p, const CoreBody *body)
{
    bool nested = body->stm_count > 1;
    if (body->stm_count == 1) {
        core_each_body(body->stms[0]->exp, found_body, &nested);
    }
    if (nested) {
        core_print_text(p, "{\n");
        p->indent += 2;
        put_lines(p, body);
        p->indent -= 2;
        core_print_text(p, "\n");
        text_spaces(p->out, p->indent);
        core_print_text(p, "}");
        return;
    }
    core_print_text(p, "{ ");
    if (body->stm_count == 1) {
        put_stm(p, body->stms[0]);
        core_print_text(p, " ");
    }
    core_print_atoms(p, "in (", body->result_count, body->results, ") }");
}

/* Whether the result types say no more than the results themselves. */
static bool types_follow(const CoreLambda *lambda)
{
    for (size_t i = 0; i < lambda->body->result_count; i++) {
        CoreType type = core_atom_type(lambda->body->results[i]);
        type.unique = false;
        if (!core_type_equal(type, lambda->result_types[i])) {
            return false;
        }
    }
    return true;
}

static void put_lambda(Printer *p, const CoreLambda *lambda)
{
    core_print_text(p, " (\\");
    core_print_parameters(p, lambda->parameter_count, lambda->parameters);
    if (!types_follow(lambda)) {
        core_print_text(p, " : ");
        core_print_types(p, lambda->body->result_count, lambda->result_types);
    }
    core_print_text(p, " -> ");
    put_block(p, lambda->body);
    core_print_text(p, ")");
}

static void put_stm(Printer *p, const CoreStm *stm)
{
    core_print_text(p, "let ");
    core_print_parameters(p, stm->pattern_count, stm->pattern);
    core_print_text(p, " = ");
    if (stm->certificate_count > 0) {
        core_print_atoms(p, "<", stm->certificate_count, stm->certificates, "> ");
    }
    put_exp(p, stm->exp);
}

/* [n_1, m_2] */
static void put_size_names(Printer *p, const CoreFunction *function)
{
    for (size_t i = 0; i < function->size_count; i++) {
        core_print_text(p, i == 0 ? "[" : ", ");
        core_print_name(p, function->parameters[i]);
    }
    core_print_text(p, function->size_count > 0 ? "] " : "");
}

static void put_function(Printer *p, const CoreFunction *function)
{
    core_print_text(p, function->is_entry ? "entry fun " : "fun ");
    core_print_function_name(p, function->name);
    core_print_text(p, " ");
    put_size_names(p, function);
    size_t sizes = function->size_count; /* there may be no parameters at all */
    core_print_parameters(p, function->parameter_count - sizes,
                          sizes > 0 ? function->parameters + sizes : function->parameters);
    core_print_text(p, " : ");
    core_print_results(p, function);
    core_print_text(p, " =\n");
    p->indent = 2;
    put_lines(p, function->body);
    core_print_text(p, "\n");
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* @grid, @local, ...: nothing for what is the compiler's to choose. */
static void put_place(Printer *p, const CoreExp *exp)
{
    if (exp->level != CORE_LEVEL_AUTO) {
        text_printf(p->out, " @%s", core_level_text(exp->level));
    }
    if (exp->space != CORE_SPACE_AUTO) {
        text_printf(p->out, " @%s", core_space_text(exp->space));
    }
}

/* Symbols stand between their operands, words before them. */
static void put_scalar(Printer *p, const CoreExp *exp)
{
    const char *text = core_operator_text(exp->as.scalar.op);
    bool binary = exp->kind == CORE_EXP_BINARY;
    if (binary && !isalpha((unsigned char)text[0])) {
        core_print_atom(p, exp->as.scalar.x);
        text_printf(p->out, " %s ", text);
        core_print_atom(p, exp->as.scalar.y);
        return;
    }
    text_printf(p->out, "%s ", text);
    core_print_atom(p, exp->as.scalar.x);
    if (binary) {
        core_print_text(p, " ");
        core_print_atom(p, exp->as.scalar.y);
    }
}

static void put_loop(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "loop (");
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        core_print_text(p, i ? ", " : "");
        core_print_name(p, exp->as.loop.parameters[i]);
        core_print_text(p, " : ");
        core_print_type(p, exp->as.loop.parameters[i]->type);
        core_print_text(p, " = ");
        core_print_atom(p, exp->as.loop.initial[i]);
    }
    if (exp->as.loop.index) {
        core_print_text(p, ") for ");
        core_print_name(p, exp->as.loop.index);
        core_print_text(p, " < ");
        core_print_size(p, exp->as.loop.bound);
    } else {
        core_print_text(p, ") while ");
        core_print_name(p, exp->as.loop.condition);
    }
    core_print_text(p, " do ");
    put_block(p, exp->as.loop.body);
}

static void put_slices(Printer *p, size_t count, const CoreSlice *slices)
{
    core_print_text(p, "[");
    for (size_t i = 0; i < count; i++) {
        core_print_text(p, i ? ", " : "");
        core_print_size(p, slices[i].offset);
        if (!slices[i].fixed) {
            core_print_text(p, " :+ ");
            core_print_size(p, slices[i].count);
            core_print_text(p, " * ");
            core_print_size(p, slices[i].stride);
        }
    }
    core_print_text(p, "]");
}

/* Keyword, place, width and the inputs of a SOAC. */
static void put_soac_head(Printer *p, const char *keyword, const CoreExp *exp, CoreAtom width,
                          size_t count, const CoreAtom *inputs)
{
    core_print_text(p, keyword);
    put_place(p, exp);
    core_print_text(p, " ");
    core_print_size(p, width);
    core_print_atoms(p, " (", count, inputs, ")");
}

/* \x ... -> x ... on rows of exactly the inputs' types. */
static bool is_identity(const CoreSoac *soac)
{
    const CoreLambda *map = soac->map;
    bool same = map->body->stm_count == 0 && map->parameter_count == soac->input_count &&
                map->body->result_count == soac->input_count && types_follow(map);
    for (size_t i = 0; same && i < soac->input_count; i++) {
        CoreType type = core_atom_type(soac->inputs[i]);
        same = map->body->results[i].name == map->parameters[i] && type.rank > 0 &&
               core_type_equal(map->parameters[i]->type, core_row(type));
    }
    return same;
}

static void put_operator(Printer *p, const CoreReduction *reduction)
{
    put_lambda(p, reduction->function);
    core_print_atoms(p, " (", reduction->function->body->result_count, reduction->neutral, ")");
}

static void put_soac(Printer *p, const CoreExp *exp)
{
    const CoreSoac *soac = &exp->as.soac;
    size_t reductions = soac->reduction_count, scans = soac->scan_count;
    const CoreReduction *only = reductions + scans != 1 ? NULL
                                : reductions == 1       ? soac->reductions
                                                        : soac->scans;
    size_t taken = only ? only->function->body->result_count : 0;
    bool comm = only && only->commutative;
    if (!only) {
        put_soac_head(p, reductions + scans ? "soac" : "map", exp, soac->width, soac->input_count,
                      soac->inputs);
        put_lambda(p, soac->map);
    } else if (is_identity(soac) && taken == soac->input_count && !(scans && comm)) {
        put_soac_head(p,
                      scans  ? "scan"
                      : comm ? "reduce_comm"
                             : "reduce",
                      exp, soac->width, soac->input_count, soac->inputs);
        put_operator(p, only);
        return;
    } else if (reductions == 1) {
        put_soac_head(p, comm ? "redomap_comm" : "redomap", exp, soac->width, soac->input_count,
                      soac->inputs);
        put_lambda(p, soac->map);
        put_operator(p, only);
        return;
    } else {
        put_soac_head(p, "soac", exp, soac->width, soac->input_count, soac->inputs);
        put_lambda(p, soac->map);
    }
    for (size_t i = 0; i < reductions; i++) {
        core_print_text(p, soac->reductions[i].commutative ? " reduce_comm" : " reduce");
        put_operator(p, &soac->reductions[i]);
    }
    for (size_t i = 0; i < scans; i++) {
        core_print_text(p, soac->scans[i].commutative ? " scan_comm" : " scan");
        put_operator(p, &soac->scans[i]);
    }
}

static void put_digit_sort(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "digit_sort ");
    core_print_size(p, exp->as.digit_sort.digit);
    core_print_text(p, " ");
    core_print_atom(p, exp->as.digit_sort.array);
}

static void put_scatter(Printer *p, const CoreExp *exp)
{
    bool hist = exp->kind == CORE_EXP_HIST;
    put_soac_head(p, hist ? "hist" : "scatter", exp, exp->as.scatter.width, exp->as.scatter.count,
                  exp->as.scatter.destinations);
    core_print_text(p, " ");
    core_print_atom(p, exp->as.scatter.indices);
    core_print_atoms(p, " (", exp->as.scatter.count, exp->as.scatter.values, ")");
    if (hist) {
        put_lambda(p, exp->as.scatter.op);
        core_print_atoms(p, " (", exp->as.scatter.count, exp->as.scatter.neutral, ")");
    }
}

static void put_stream(Printer *p, const CoreExp *exp)
{
    bool comm = exp->as.stream.commutative;
    const char *keyword = exp->kind == CORE_EXP_STREAM_MAP ? comm ? "stream_map_comm" : "stream_map"
                          : exp->kind == CORE_EXP_STREAM_RED
                              ? comm ? "stream_red_comm" : "stream_red"
                              : "stream_seq";
    put_soac_head(p, keyword, exp, exp->as.stream.width, exp->as.stream.input_count,
                  exp->as.stream.inputs);
    if (exp->as.stream.reduce) {
        put_lambda(p, exp->as.stream.reduce);
    }
    put_lambda(p, exp->as.stream.fold);
    if (exp->kind != CORE_EXP_STREAM_MAP) {
        core_print_atoms(p, " (", exp->as.stream.accumulator_count, exp->as.stream.neutral, ")");
    }
}

static void put_rearrange(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "rearrange (");
    int rank = core_atom_type(exp->as.rearrange.array).rank;
    for (int i = 0; i < rank; i++) {
        text_printf(p->out, "%s%d", i ? ", " : "", exp->as.rearrange.permutation[i]);
    }
    core_print_text(p, ") ");
    core_print_atom(p, exp->as.rearrange.array);
}

static void put_assertion(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "assert ");
    core_print_atom(p, exp->as.assertion.condition);
    text_printf(p->out, " \"%s\" ", core_error_text(exp->as.assertion.error));
    core_print_string(p, exp->as.assertion.message);
    core_print_atoms(p, " (", exp->as.assertion.value_count, exp->as.assertion.values, ")");
    if (exp->as.assertion.stage > 0) {
        text_printf(p->out, " stage %u", exp->as.assertion.stage);
    }
}

/* keyword x y ... */
static void put_plain(Printer *p, const char *keyword, size_t count, const CoreAtom *atoms)
{
    core_print_text(p, keyword);
    for (size_t i = 0; i < count; i++) {
        core_print_text(p, " ");
        core_print_atom(p, atoms[i]);
    }
}

static void put_convert(Printer *p, const CoreExp *exp)
{
    text_printf(p->out, "convert %s ", core_prim_text(exp->as.convert.to));
    core_print_atom(p, exp->as.convert.x);
}

static void put_if(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "if");
    put_place(p, exp);
    core_print_text(p, " ");
    core_print_atom(p, exp->as.conditional.condition);
    core_print_text(p, " then ");
    put_block(p, exp->as.conditional.then_body);
    core_print_text(p, " else ");
    put_block(p, exp->as.conditional.else_body);
}

static void put_apply(Printer *p, const CoreExp *exp)
{
    core_print_function_name(p, exp->as.apply.function);
    core_print_atoms(p, "(", exp->as.apply.count, exp->as.apply.arguments, ")");
}

static void put_conjoin(Printer *p, const CoreExp *exp)
{
    core_print_atoms(p, "conjoin (", exp->as.items.count, exp->as.items.items, ")");
}

static void put_index(Printer *p, const CoreExp *exp)
{
    core_print_atom(p, exp->as.index.array);
    core_print_sizes(p, exp->as.index.count, exp->as.index.indices);
}

static void put_update(Printer *p, const CoreExp *exp)
{
    core_print_atom(p, exp->as.update.array);
    core_print_text(p, " with ");
    put_slices(p, exp->as.update.count, exp->as.update.slices);
    core_print_text(p, " <- ");
    core_print_atom(p, exp->as.update.value);
}

static void put_literal(Printer *p, const CoreExp *exp)
{
    core_print_atoms(p, "[", exp->as.items.count, exp->as.items.items, "]");
}

static void put_iota(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "iota ");
    core_print_size(p, exp->as.count);
}

static void put_replicate(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "replicate");
    put_place(p, exp);
    core_print_text(p, " ");
    core_print_sizes(p, exp->as.replicate.count, exp->as.replicate.sizes);
    put_plain(p, "", 1, &exp->as.replicate.value);
}

static void put_scratch(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "scratch");
    put_place(p, exp);
    core_print_text(p, " ");
    core_print_sizes(p, exp->as.scratch.count, exp->as.scratch.sizes);
    text_printf(p->out, " %s", core_prim_text(exp->as.scratch.prim));
}

static void put_copy(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "copy");
    put_place(p, exp);
    put_plain(p, "", 1, &exp->as.array);
}

static void put_reshape(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "reshape ");
    core_print_sizes(p, exp->as.reshape.count, exp->as.reshape.sizes);
    put_plain(p, "", 1, &exp->as.reshape.array);
}

static void put_cycle(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "cycle ");
    core_print_size(p, exp->as.cycle.count);
    put_plain(p, "", 1, &exp->as.cycle.fill);
    put_plain(p, "", 1, &exp->as.cycle.array);
}

static void put_rotate(Printer *p, const CoreExp *exp)
{
    text_printf(p->out, "rotate %d ", exp->as.rotate.axis);
    core_print_size(p, exp->as.rotate.amount);
    put_plain(p, "", 1, &exp->as.rotate.array);
}

static void put_reverse(Printer *p, const CoreExp *exp)
{
    text_printf(p->out, "reverse %d ", exp->as.reverse.axis);
    core_print_atom(p, exp->as.reverse.array);
}

static void put_slice(Printer *p, const CoreExp *exp)
{
    core_print_atom(p, exp->as.slice.array);
    put_slices(p, exp->as.slice.count, exp->as.slice.slices);
}

static void put_concat(Printer *p, const CoreExp *exp)
{
    text_printf(p->out, "concat %d", exp->as.concat.axis);
    core_print_atoms(p, " (", exp->as.concat.count, exp->as.concat.arrays, ")");
}

static void put_pad(Printer *p, const CoreExp *exp)
{
    text_printf(p->out, "pad %d ", exp->as.pad.axis);
    core_print_size(p, exp->as.pad.before);
    core_print_text(p, " ");
    core_print_size(p, exp->as.pad.after);
    put_plain(p, "", 1, &exp->as.pad.fill);
    put_plain(p, "", 1, &exp->as.pad.array);
}

static void put_filter(Printer *p, const CoreExp *exp)
{
    put_soac_head(p, exp->kind == CORE_EXP_FILTER ? "filter" : "compact", exp, exp->as.filter.width,
                  exp->as.filter.input_count, exp->as.filter.inputs);
    put_lambda(p, exp->as.filter.predicate);
}

static void put_format(Printer *p, const CoreExp *exp)
{
    CoreAtom operands[2] = {exp->as.format.how, exp->as.format.array};
    put_plain(p, exp->as.format.is_complex ? "format_complex" : "format", 2, operands);
}

static void put_read(Printer *p, const CoreExp *exp)
{
    static const char *const words[] = {"read", "read_csv", "read_npy"};
    text_printf(p->out, "%s %s ", words[exp->as.read.format], core_prim_text(exp->as.read.prim));
    if (exp->as.read.format == CORE_FILE_NPY) {
        text_printf(p->out, "%d ", exp->as.read.rank);
    }
    core_print_atom(p, exp->as.read.file);
}

static void put_argument(Printer *p, const CoreExp *exp)
{
    text_printf(p->out, "argument %s ", core_prim_text(exp->as.argument.prim));
    core_print_string(p, exp->as.argument.name);
    put_plain(p, "", 1, &exp->as.argument.fallback);
}

static void put_device(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "device ");
    core_print_string(p, exp->as.device);
}

static void put_bench(Printer *p, const CoreExp *exp)
{
    core_print_text(p, "bench ");
    core_print_size(p, exp->as.bench.iterations);
    core_print_text(p, " ");
    core_print_size(p, exp->as.bench.milliseconds);
    core_print_atoms(p, " (", exp->as.bench.count, exp->as.bench.timed, ")");
}

static void put_exp(Printer *p, const CoreExp *exp)
{
    switch (exp->kind) {
    case CORE_EXP_ATOM: core_print_atom(p, exp->as.atom); return;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY: put_scalar(p, exp); return;
    case CORE_EXP_CONVERT: put_convert(p, exp); return;
    case CORE_EXP_IF: put_if(p, exp); return;
    case CORE_EXP_LOOP: put_loop(p, exp); return;
    case CORE_EXP_APPLY: put_apply(p, exp); return;
    case CORE_EXP_ASSERT: put_assertion(p, exp); return;
    case CORE_EXP_CONJOIN: put_conjoin(p, exp); return;
    case CORE_EXP_INDEX: put_index(p, exp); return;
    case CORE_EXP_UPDATE: put_update(p, exp); return;
    case CORE_EXP_LITERAL: put_literal(p, exp); return;
    case CORE_EXP_IOTA: put_iota(p, exp); return;
    case CORE_EXP_REPLICATE: put_replicate(p, exp); return;
    case CORE_EXP_SCRATCH: put_scratch(p, exp); return;
    case CORE_EXP_COPY: put_copy(p, exp); return;
    case CORE_EXP_REARRANGE: put_rearrange(p, exp); return;
    case CORE_EXP_RESHAPE: put_reshape(p, exp); return;
    case CORE_EXP_CYCLE: put_cycle(p, exp); return;
    case CORE_EXP_ROTATE: put_rotate(p, exp); return;
    case CORE_EXP_REVERSE: put_reverse(p, exp); return;
    case CORE_EXP_SLICE: put_slice(p, exp); return;
    case CORE_EXP_CONCAT: put_concat(p, exp); return;
    case CORE_EXP_PAD: put_pad(p, exp); return;
    case CORE_EXP_SOAC: put_soac(p, exp); return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: put_filter(p, exp); return;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: put_scatter(p, exp); return;
    case CORE_EXP_ORDER: put_plain(p, "order", 1, &exp->as.array); return;
    case CORE_EXP_DIGIT_SORT: put_digit_sort(p, exp); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: put_stream(p, exp); return;
    case CORE_EXP_PRINT: put_plain(p, "print", 1, &exp->as.atom); return;
    case CORE_EXP_PRINT_COMPLEX: put_plain(p, "print_complex", 1, &exp->as.atom); return;
    case CORE_EXP_READ: put_read(p, exp); return;
    case CORE_EXP_ARGUMENT: put_argument(p, exp); return;
    case CORE_EXP_NOW: core_print_text(p, "now"); return;
    case CORE_EXP_DRAWS: put_plain(p, "draws", 1, &exp->as.atom); return;
    case CORE_EXP_SEED: put_plain(p, "seed", 1, &exp->as.atom); return;
    case CORE_EXP_SEED_NOW: core_print_text(p, "seed_now"); return;
    case CORE_EXP_BENCH: put_bench(p, exp); return;
    case CORE_EXP_PRECISION: put_plain(p, "precision", 1, &exp->as.atom); return;
    case CORE_EXP_PRECISION_NOW: core_print_text(p, "precision_now"); return;
    case CORE_EXP_DEVICE: put_device(p, exp); return;
    case CORE_EXP_FORMAT: put_format(p, exp); return;
    }
}

/* ---- what core.h declares -------------------------------------------------------------------- */

void core_print(Compilation *c, Text *out, const CoreProgram *program)
{
    Printer p = {.c = c, .out = out};
    for (size_t i = 0; i < program->function_count; i++) {
        core_print_text(&p, i ? "\n" : "");
        put_function(&p, program->functions[i]);
    }
}

void core_print_stm(Compilation *c, Text *out, const CoreStm *stm, int indent)
{
    Printer p = {.c = c, .out = out, .indent = indent};
    text_spaces(out, indent);
    put_stm(&p, stm);
    core_print_text(&p, "\n");
}
