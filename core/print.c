/* Prints core programs in the text form that core_parse reads back ([PLDI] figure 1; docs/core.md
   has the grammar). A-normal form, one statement a line, sizes in the types:

       entry main (n_1 : i64, xs_2 : *[n_1]f64) : ([n_1]f64) =
         let (ys_3 : [n_1]f64) = map n_1 (xs_2) (\(x_4 : f64) -> { let (y_5 : f64) = x_4 * 2.0f64 in
   (y_5) }) in (ys_3)

   SOACs of the familiar shapes print as map, reduce, reduce_comm, scan, redomap; any other fusion
   as `soac` with its map function, reductions and scans. */
#include "core/core.h"
#include "core/text_form.h"

#include <ctype.h>
#include <math.h>

typedef struct Printer {
    Compilation *c;
    Text *out;
    int indent;
} Printer;

static void put(Printer *p, const char *string)
{
    text_string(p->out, string);
}

/* ---- names, constants, types ----------------------------------------------------------------- */

static void put_name(Printer *p, const CoreName *name)
{
    text_printf(p->out, "%s_%u", name->text, name->number);
}

/* 2.0f64, f64.inf, -f64.inf, f64.nan; a nan of other bits f64.nan(0x...). */
static void put_real(Printer *p, CorePrim prim, double value)
{
    const char *suffix = core_prim_text(prim);
    if (isinf(value)) {
        text_printf(p->out, "%s%s.inf", value < 0 ? "-" : "", suffix);
    } else if (isnan(value)) {
        double plain = (double)NAN;
        uint64_t bits, plain_bits;
        memcpy(&bits, &value, sizeof bits);
        memcpy(&plain_bits, &plain, sizeof plain_bits);
        text_printf(p->out, "%s.nan", suffix);
        if (bits != plain_bits) {
            text_printf(p->out, "(0x%llx)", (unsigned long long)bits);
        }
    } else {
        put(p, text_of_double(p->c->arena, value));
        put(p, suffix);
    }
}

static void put_char(Printer *p, int64_t codepoint)
{
    if (codepoint >= ' ' && codepoint < 127 && codepoint != '\'' && codepoint != '\\') {
        text_printf(p->out, "'%c'", (char)codepoint);
    } else {
        text_printf(p->out, "'\\u{%llx}'", (unsigned long long)codepoint);
    }
}

static void put_atom(Printer *p, CoreAtom atom)
{
    if (atom.name) {
        put_name(p, atom.name);
        return;
    }
    switch (atom.prim) {
    case CORE_BOOL: put(p, atom.as.integer ? "true" : "false"); return;
    case CORE_CHAR: put_char(p, atom.as.integer); return;
    case CORE_I32:
    case CORE_I64:
        text_printf(p->out, "%lld%s", (long long)atom.as.integer, core_prim_text(atom.prim));
        return;
    case CORE_F32:
    case CORE_F64: put_real(p, atom.prim, atom.as.real); return;
    case CORE_CERT: put(p, "certain"); return; /* a certificate that always holds */
    }
}

/* Sizes, widths, counts: an i64 constant needs no suffix. */
static void put_size(Printer *p, CoreAtom atom)
{
    if (!atom.name && atom.prim == CORE_I64) {
        text_printf(p->out, "%lld", (long long)atom.as.integer);
    } else {
        put_atom(p, atom);
    }
}

static void put_type(Printer *p, CoreType type)
{
    put(p, type.unique ? "*" : "");
    for (int i = 0; i < type.rank; i++) {
        put(p, "[");
        put_size(p, type.sizes[i]);
        put(p, "]");
    }
    put(p, core_prim_text(type.prim));
}

/* (a, b) with these brackets. */
static void put_atoms(Printer *p, const char *open, size_t count, const CoreAtom *atoms,
                      const char *close)
{
    put(p, open);
    for (size_t i = 0; i < count; i++) {
        put(p, i ? ", " : "");
        put_atom(p, atoms[i]);
    }
    put(p, close);
}

static void put_sizes(Printer *p, size_t count, const CoreAtom *sizes)
{
    put(p, "[");
    for (size_t i = 0; i < count; i++) {
        put(p, i ? ", " : "");
        put_size(p, sizes[i]);
    }
    put(p, "]");
}

static void put_parameters(Printer *p, size_t count, CoreName *const *names)
{
    put(p, "(");
    for (size_t i = 0; i < count; i++) {
        put(p, i ? ", " : "");
        put_name(p, names[i]);
        put(p, " : ");
        put_type(p, names[i]->type);
    }
    put(p, ")");
}

static void put_types(Printer *p, size_t count, const CoreType *types)
{
    put(p, "(");
    for (size_t i = 0; i < count; i++) {
        put(p, i ? ", " : "");
        put_type(p, types[i]);
    }
    put(p, ")");
}

static void put_string(Printer *p, const char *string)
{
    put(p, "\"");
    for (const char *s = string; *s; s++) {
        unsigned char byte = (unsigned char)*s;
        if (byte == '"' || byte == '\\') {
            text_printf(p->out, "\\%c", *s);
        } else if (byte == '\n') {
            put(p, "\\n");
        } else if (byte < ' ' || byte == 127) {
            text_printf(p->out, "\\u{%x}", byte);
        } else {
            text_char(p->out, *s);
        }
    }
    put(p, "\"");
}

/* As it is where it reads as a name, else as a string. */
static void put_function_name(Printer *p, const char *name)
{
    bool plain = isalpha((unsigned char)name[0]) && !core_is_reserved(name);
    for (const char *s = name; *s; s++) {
        plain = plain && (unsigned char)*s < 128 && (isalnum((unsigned char)*s) || *s == '_');
    }
    if (plain) {
        put(p, name);
    } else {
        put_string(p, name);
    }
}

/* ---- bodies and functions -------------------------------------------------------------------- */

static void put_stm(Printer *p, const CoreStm *stm);
static void put_exp(Printer *p, const CoreExp *exp);

static void put_lines(Printer *p, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        text_spaces(p->out, p->indent);
        put_stm(p, body->stms[i]);
        put(p, "\n");
    }
    text_spaces(p->out, p->indent);
    put_atoms(p, "in (", body->result_count, body->results, ")");
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
        put(p, "{\n");
        p->indent += 2;
        put_lines(p, body);
        p->indent -= 2;
        put(p, "\n");
        text_spaces(p->out, p->indent);
        put(p, "}");
        return;
    }
    put(p, "{ ");
    if (body->stm_count == 1) {
        put_stm(p, body->stms[0]);
        put(p, " ");
    }
    put_atoms(p, "in (", body->result_count, body->results, ") }");
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
    put(p, " (\\");
    put_parameters(p, lambda->parameter_count, lambda->parameters);
    if (!types_follow(lambda)) {
        put(p, " : ");
        put_types(p, lambda->body->result_count, lambda->result_types);
    }
    put(p, " -> ");
    put_block(p, lambda->body);
    put(p, ")");
}

static void put_stm(Printer *p, const CoreStm *stm)
{
    put(p, "let ");
    put_parameters(p, stm->pattern_count, stm->pattern);
    put(p, " = ");
    if (stm->certificate_count > 0) {
        put_atoms(p, "<", stm->certificate_count, stm->certificates, "> ");
    }
    put_exp(p, stm->exp);
}

static void put_function(Printer *p, const CoreFunction *function)
{
    put(p, function->is_entry ? "entry " : "fun ");
    put_function_name(p, function->name);
    put(p, " ");
    put_parameters(p, function->parameter_count, function->parameters);
    put(p, " : ");
    put_types(p, function->result_count, function->result_types);
    put(p, " =\n");
    p->indent = 2;
    put_lines(p, function->body);
    put(p, "\n");
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
        put_atom(p, exp->as.scalar.x);
        text_printf(p->out, " %s ", text);
        put_atom(p, exp->as.scalar.y);
        return;
    }
    text_printf(p->out, "%s ", text);
    put_atom(p, exp->as.scalar.x);
    if (binary) {
        put(p, " ");
        put_atom(p, exp->as.scalar.y);
    }
}

static void put_loop(Printer *p, const CoreExp *exp)
{
    put(p, "loop (");
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        put(p, i ? ", " : "");
        put_name(p, exp->as.loop.parameters[i]);
        put(p, " : ");
        put_type(p, exp->as.loop.parameters[i]->type);
        put(p, " = ");
        put_atom(p, exp->as.loop.initial[i]);
    }
    if (exp->as.loop.index) {
        put(p, ") for ");
        put_name(p, exp->as.loop.index);
        put(p, " < ");
        put_size(p, exp->as.loop.bound);
    } else {
        put(p, ") while ");
        put_name(p, exp->as.loop.condition);
    }
    put(p, " do ");
    put_block(p, exp->as.loop.body);
}

static void put_slices(Printer *p, size_t count, const CoreSlice *slices)
{
    put(p, "[");
    for (size_t i = 0; i < count; i++) {
        put(p, i ? ", " : "");
        put_size(p, slices[i].offset);
        if (!slices[i].fixed) {
            put(p, " :+ ");
            put_size(p, slices[i].count);
            put(p, " * ");
            put_size(p, slices[i].stride);
        }
    }
    put(p, "]");
}

/* Keyword, place, width and the inputs of a SOAC. */
static void put_soac_head(Printer *p, const char *keyword, const CoreExp *exp, CoreAtom width,
                          size_t count, const CoreAtom *inputs)
{
    put(p, keyword);
    put_place(p, exp);
    put(p, " ");
    put_size(p, width);
    put_atoms(p, " (", count, inputs, ")");
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
    put_atoms(p, " (", reduction->function->body->result_count, reduction->neutral, ")");
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
        put(p, soac->reductions[i].commutative ? " reduce_comm" : " reduce");
        put_operator(p, &soac->reductions[i]);
    }
    for (size_t i = 0; i < scans; i++) {
        put(p, soac->scans[i].commutative ? " scan_comm" : " scan");
        put_operator(p, &soac->scans[i]);
    }
}

static void put_scatter(Printer *p, const CoreExp *exp)
{
    bool hist = exp->kind == CORE_EXP_HIST;
    put_soac_head(p, hist ? "hist" : "scatter", exp, exp->as.scatter.width, exp->as.scatter.count,
                  exp->as.scatter.destinations);
    put(p, " ");
    put_atom(p, exp->as.scatter.indices);
    put_atoms(p, " (", exp->as.scatter.count, exp->as.scatter.values, ")");
    if (hist) {
        put_lambda(p, exp->as.scatter.op);
        put_atoms(p, " (", exp->as.scatter.count, exp->as.scatter.neutral, ")");
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
        put_atoms(p, " (", exp->as.stream.accumulator_count, exp->as.stream.neutral, ")");
    }
}

static void put_rearrange(Printer *p, const CoreExp *exp)
{
    put(p, "rearrange (");
    int rank = core_atom_type(exp->as.rearrange.array).rank;
    for (int i = 0; i < rank; i++) {
        text_printf(p->out, "%s%d", i ? ", " : "", exp->as.rearrange.permutation[i]);
    }
    put(p, ") ");
    put_atom(p, exp->as.rearrange.array);
}

static void put_assertion(Printer *p, const CoreExp *exp)
{
    put(p, "assert ");
    put_atom(p, exp->as.assertion.condition);
    text_printf(p->out, " \"%s\" ", core_error_text(exp->as.assertion.error));
    put_string(p, exp->as.assertion.message);
    put_atoms(p, " (", exp->as.assertion.value_count, exp->as.assertion.values, ")");
}

/* keyword x y ... */
static void put_plain(Printer *p, const char *keyword, size_t count, const CoreAtom *atoms)
{
    put(p, keyword);
    for (size_t i = 0; i < count; i++) {
        put(p, " ");
        put_atom(p, atoms[i]);
    }
}

static void put_exp(Printer *p, const CoreExp *exp)
{
    switch (exp->kind) {
    case CORE_EXP_ATOM: put_atom(p, exp->as.atom); return;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY: put_scalar(p, exp); return;
    case CORE_EXP_CONVERT:
        text_printf(p->out, "convert %s ", core_prim_text(exp->as.convert.to));
        put_atom(p, exp->as.convert.x);
        return;
    case CORE_EXP_IF:
        put(p, "if ");
        put_atom(p, exp->as.conditional.condition);
        put(p, " then ");
        put_block(p, exp->as.conditional.then_body);
        put(p, " else ");
        put_block(p, exp->as.conditional.else_body);
        return;
    case CORE_EXP_LOOP: put_loop(p, exp); return;
    case CORE_EXP_APPLY:
        put_function_name(p, exp->as.apply.function);
        put_atoms(p, "(", exp->as.apply.count, exp->as.apply.arguments, ")");
        return;
    case CORE_EXP_ASSERT: put_assertion(p, exp); return;
    case CORE_EXP_CONJOIN:
        put_atoms(p, "conjoin (", exp->as.items.count, exp->as.items.items, ")");
        return;
    case CORE_EXP_INDEX:
        put_atom(p, exp->as.index.array);
        put_sizes(p, exp->as.index.count, exp->as.index.indices);
        return;
    case CORE_EXP_UPDATE:
        put_atom(p, exp->as.update.array);
        put(p, " with ");
        put_slices(p, exp->as.update.count, exp->as.update.slices);
        put(p, " <- ");
        put_atom(p, exp->as.update.value);
        return;
    case CORE_EXP_LITERAL: put_atoms(p, "[", exp->as.items.count, exp->as.items.items, "]"); return;
    case CORE_EXP_IOTA:
        put(p, "iota ");
        put_size(p, exp->as.count);
        return;
    case CORE_EXP_REPLICATE:
        put(p, "replicate");
        put_place(p, exp);
        put(p, " ");
        put_sizes(p, exp->as.replicate.count, exp->as.replicate.sizes);
        put_plain(p, "", 1, &exp->as.replicate.value);
        return;
    case CORE_EXP_SCRATCH:
        put(p, "scratch");
        put_place(p, exp);
        put(p, " ");
        put_sizes(p, exp->as.scratch.count, exp->as.scratch.sizes);
        text_printf(p->out, " %s", core_prim_text(exp->as.scratch.prim));
        return;
    case CORE_EXP_COPY:
        put(p, "copy");
        put_place(p, exp);
        put_plain(p, "", 1, &exp->as.array);
        return;
    case CORE_EXP_REARRANGE: put_rearrange(p, exp); return;
    case CORE_EXP_RESHAPE:
        put(p, "reshape ");
        put_sizes(p, exp->as.reshape.count, exp->as.reshape.sizes);
        put_plain(p, "", 1, &exp->as.reshape.array);
        return;
    case CORE_EXP_CYCLE:
        put(p, "cycle ");
        put_size(p, exp->as.cycle.count);
        put_plain(p, "", 1, &exp->as.cycle.fill);
        put_plain(p, "", 1, &exp->as.cycle.array);
        return;
    case CORE_EXP_ROTATE:
        text_printf(p->out, "rotate %d ", exp->as.rotate.axis);
        put_size(p, exp->as.rotate.amount);
        put_plain(p, "", 1, &exp->as.rotate.array);
        return;
    case CORE_EXP_REVERSE:
        text_printf(p->out, "reverse %d ", exp->as.reverse.axis);
        put_atom(p, exp->as.reverse.array);
        return;
    case CORE_EXP_SLICE:
        put_atom(p, exp->as.slice.array);
        put_slices(p, exp->as.slice.count, exp->as.slice.slices);
        return;
    case CORE_EXP_CONCAT:
        text_printf(p->out, "concat %d", exp->as.concat.axis);
        put_atoms(p, " (", exp->as.concat.count, exp->as.concat.arrays, ")");
        return;
    case CORE_EXP_PAD:
        text_printf(p->out, "pad %d ", exp->as.pad.axis);
        put_size(p, exp->as.pad.before);
        put(p, " ");
        put_size(p, exp->as.pad.after);
        put_plain(p, "", 1, &exp->as.pad.fill);
        put_plain(p, "", 1, &exp->as.pad.array);
        return;
    case CORE_EXP_SOAC: put_soac(p, exp); return;
    case CORE_EXP_FILTER:
        put_soac_head(p, "filter", exp, exp->as.filter.width, exp->as.filter.input_count,
                      exp->as.filter.inputs);
        put_lambda(p, exp->as.filter.predicate);
        return;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: put_scatter(p, exp); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: put_stream(p, exp); return;
    case CORE_EXP_PRINT: put_plain(p, "print", 1, &exp->as.atom); return;
    case CORE_EXP_READ:
        text_printf(p->out, "read %s ", core_prim_text(exp->as.read.prim));
        put_atom(p, exp->as.read.file);
        return;
    case CORE_EXP_ARGUMENT:
        text_printf(p->out, "argument %s ", core_prim_text(exp->as.argument.prim));
        put_string(p, exp->as.argument.name);
        put_plain(p, "", 1, &exp->as.argument.fallback);
        return;
    case CORE_EXP_NOW: put(p, "now"); return;
    case CORE_EXP_DRAWS: put_plain(p, "draws", 1, &exp->as.atom); return;
    case CORE_EXP_SEED: put_plain(p, "seed", 1, &exp->as.atom); return;
    case CORE_EXP_SEED_NOW: put(p, "seed_now"); return;
    case CORE_EXP_BENCH:
        put(p, "bench ");
        put_size(p, exp->as.bench.iterations);
        put(p, " ");
        put_size(p, exp->as.bench.milliseconds);
        return;
    case CORE_EXP_FORMAT: put_plain(p, "format", 1, &exp->as.atom); return;
    }
}

/* ---- what core.h declares -------------------------------------------------------------------- */

void core_print(Compilation *c, Text *out, const CoreProgram *program)
{
    Printer p = {.c = c, .out = out};
    for (size_t i = 0; i < program->function_count; i++) {
        put(&p, i ? "\n" : "");
        put_function(&p, program->functions[i]);
    }
}

void core_print_stm(Compilation *c, Text *out, const CoreStm *stm, int indent)
{
    Printer p = {.c = c, .out = out, .indent = indent};
    text_spaces(out, indent);
    put_stm(&p, stm);
    put(&p, "\n");
}

char *core_type_text(Compilation *c, CoreType type)
{
    Text out = text_create(c->arena);
    Printer p = {.c = c, .out = &out};
    put_type(&p, type);
    return out.bytes;
}

char *core_atom_text(Compilation *c, CoreAtom atom)
{
    Text out = text_create(c->arena);
    Printer p = {.c = c, .out = &out};
    put_atom(&p, atom);
    return out.bytes;
}
