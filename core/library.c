/* [TAIL 4.1] An entry that reads and prints, made a function that takes and gives. "The ordering of
   parameters and return values corresponds to the order in which they appear in the source."

       entry fun main () : () =
         let (k_1 : i64) = argument i64 "k" 10
         let (f_2 : [5]char) = ['v', '.', ...]
         let (n_3 : i64, v_3 : [n_3]f64) = read f64 f_2
         let (s_7 : f64) = ...
         let () = print s_7
         in ()

   ==> entry fun main [n_4] (k_5 : i64, v_6 : [n_4]f64) : (f64) =
         let (k_1 : i64) = k_5
         let (f_2 : [5]char) = ['v', '.', ...]
         let (n_3 : i64) = n_4
         let (v_3 : [n_3]f64) = reshape [n_3] v_6
         let (s_7 : f64) = ...
         in (s_7)

   A parameter is called as the program argument, or as the file without folder and ending; what is
   asked for or read twice is one parameter. A file whose name only run time knows is still read
   then, and what is printed inside a loop or branch is still printed. Complex numbers are given as
   they are printed: the real parts, then the imaginary parts, along a first axis of 2. */
#include "core/library.h"

#include <ctype.h>

/* What a parameter stands for: a program argument, or a file read as elements of one prim. */
typedef struct Source {
    bool is_file;
    const char *text; /* the argument's name, or the file's */
    CorePrim prim;
    CoreFileFormat format;
    int rank; /* of a file's array; else 0 */
    CoreName *name;
    const CoreAtom *sizes; /* rank of them */
} Source;

typedef VEC(CoreName *) NameVec;

typedef struct Opening {
    Compilation *c;
    const CoreFunction *function;
    const CoreStm **literals; /* by number of a name: the literal bound to it at top level */
    CoreBuilder builder;
    VEC(Source) sources;
    NameVec sizes, values; /* new parameters */
    VEC(CoreAtom) printed;
    bool keeps_prints;
} Opening;

/* ---- names ---------------------------------------------------------------------------------- */

/* "data/2d-heat.txt" -> "heat"... as an identifier: v2d_heat. */
static const char *identifier(Compilation *c, const char *text, bool is_file)
{
    size_t length = strlen(text);
    if (is_file) {
        const char *slash = strrchr(text, '/');
        text = slash && slash[1] ? slash + 1 : text;
        const char *dot = strrchr(text, '.');
        length = dot && dot != text ? (size_t)(dot - text) : strlen(text);
    }
    Text name = text_create(c->arena);
    if (length == 0 || !isalpha((unsigned char)text[0]))
        text_char(&name, 'v');
    for (size_t i = 0; i < length; i++)
        text_char(&name, isalnum((unsigned char)text[i]) ? text[i] : '_');
    return text_get(&name);
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* `wanted` says all but name and sizes. */
static const Source *source_of(Opening *o, Source wanted, Span span)
{
    for (size_t i = 0; i < o->sources.count; i++) {
        const Source *known = &o->sources.items[i];
        if (known->is_file == wanted.is_file && known->prim == wanted.prim &&
            known->format == wanted.format && known->rank == wanted.rank &&
            strcmp(known->text, wanted.text) == 0)
            return known;
    }
    CoreAtom *sizes = ARENA_ARRAY(o->c->arena, CoreAtom, wanted.rank);
    for (int k = 0; k < wanted.rank; k++) {
        CoreName *size = core_name(o->c, "n", core_scalar(CORE_I64), span);
        sizes[k] = core_use(size);
        vec_push(o->c->arena, &o->sizes, size);
    }
    CoreType type = wanted.rank == 0 ? core_scalar(wanted.prim)
                                     : core_array(o->c, wanted.prim, wanted.rank, sizes);
    wanted.sizes = sizes;
    wanted.name = core_name(o->c, identifier(o->c, wanted.text, wanted.is_file), type, span);
    vec_push(o->c->arena, &o->values, wanted.name);
    vec_push(o->c->arena, &o->sources, wanted);
    return &o->sources.items[o->sources.count - 1];
}

/* The characters of a literal as UTF-8; NULL where the atom is none, or has a NUL. */
static const char *literal_text(const Opening *o, CoreAtom atom)
{
    const CoreStm *stm = atom.name ? o->literals[atom.name->number] : NULL;
    if (!stm)
        return NULL;
    Text text = text_create(o->c->arena);
    for (size_t i = 0; i < stm->exp->as.items.count; i++) {
        CoreAtom item = stm->exp->as.items.items[i];
        if (item.name || item.as.integer == 0)
            return NULL;
        text_codepoint(&text, (uint32_t)item.as.integer);
    }
    return text_get(&text);
}

static void bind_atom(Opening *o, CoreName *const *name, CoreAtom atom)
{
    core_bind(&o->builder, 1, name, core_atom_exp(o->c, atom));
}

static void open_argument(Opening *o, const CoreStm *stm)
{
    Source wanted = {.text = stm->exp->as.argument.name, .prim = stm->exp->as.argument.prim};
    const Source *source = source_of(o, wanted, stm->span);
    bind_atom(o, stm->pattern, core_use(source->name));
}

/* The pattern keeps its own sizes, so the parameter's array is given these names for its sizes. */
static bool open_read(Opening *o, const CoreStm *stm)
{
    const char *file = literal_text(o, stm->exp->as.read.file);
    if (!file)
        return false;
    int rank = stm->exp->as.read.rank;
    Source wanted = {.is_file = true,
                     .text = file,
                     .prim = stm->exp->as.read.prim,
                     .format = stm->exp->as.read.format,
                     .rank = rank};
    const Source *source = source_of(o, wanted, stm->span);
    for (int k = 0; k < rank; k++)
        bind_atom(o, stm->pattern + k, source->sizes[k]);
    CoreExp *reshape = ARENA_NEW(o->c->arena, CoreExp);
    reshape->kind = CORE_EXP_RESHAPE;
    reshape->as.reshape.array = core_use(source->name);
    reshape->as.reshape.count = rank;
    reshape->as.reshape.sizes = stm->pattern[rank]->type.sizes;
    core_bind(&o->builder, 1, stm->pattern + rank, reshape);
    return true;
}

/* ---- arguments that cannot become parameters ------------------------------------------------- */

static void refuse_arguments(void *context, const CoreBody *body)
{
    Opening *o = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_ARGUMENT) {
            diagnostics_add(o->c->diagnostics, body->stms[i]->span, "NONCE ERROR",
                            "the program argument %s becomes a parameter of the library's "
                            "function, and has to be asked for outside of loops and branches",
                            exp->as.argument.name);
        }
        core_each_body(exp, refuse_arguments, o);
    }
}

/* ---- statements ----------------------------------------------------------------------------- */

/* Later updates in place must not change what was printed: a copy, unless it proves needless. */
static void open_print(Opening *o, const CoreStm *stm)
{
    CoreAtom x = stm->exp->as.atom;
    if (core_atom_type(x).rank > 0)
        x = core_let_copy(&o->builder, "result", x);
    vec_push(o->c->arena, &o->printed, x);
}

static void open_statement(Opening *o, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    o->builder.span = stm->span;
    if (exp->kind == CORE_EXP_ARGUMENT) {
        open_argument(o, stm);
        return;
    }
    if (exp->kind == CORE_EXP_READ && open_read(o, stm))
        return;
    bool prints = exp->kind == CORE_EXP_PRINT || exp->kind == CORE_EXP_PRINT_COMPLEX;
    if (prints && !o->keeps_prints) {
        open_print(o, stm);
        return;
    }
    if (exp->kind == CORE_EXP_LITERAL && stm->pattern[0]->type.rank == 1 &&
        stm->pattern[0]->type.prim == CORE_CHAR)
        o->literals[stm->pattern[0]->number] = stm;
    core_each_body(exp, refuse_arguments, o);
    core_add(&o->builder, stm);
}

/* ---- results -------------------------------------------------------------------------------- */

static bool is_parameter(const CoreFunction *function, const CoreName *name)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i] == name)
            return true;
    }
    return false;
}

typedef struct Results {
    VEC(CoreAtom) atoms;
    VEC(CoreType) types;
    VEC(bool) is_size;
} Results;

static void add_result(Compilation *c, Results *results, CoreAtom atom, bool is_size)
{
    CoreType type = core_atom_type(atom);
    type.unique = false;
    vec_push(c->arena, &results->atoms, atom);
    vec_push(c->arena, &results->types, type);
    vec_push(c->arena, &results->is_size, is_size);
}

static bool is_result_size(const Results *results, const CoreName *name)
{
    for (size_t i = 0; i < results->atoms.count; i++) {
        if (results->is_size.items[i] && results->atoms.items[i].name == name)
            return true;
    }
    return false;
}

/* Sizes that are no parameters are results too, before the arrays that have them. */
static void set_results(Compilation *c, CoreFunction *function, CoreBuilder *b, size_t count,
                        const CoreAtom *atoms)
{
    Results results = {0};
    for (size_t i = 0; i < count; i++) {
        CoreType type = core_atom_type(atoms[i]);
        for (int d = 0; d < type.rank; d++) {
            const CoreName *size = type.sizes[d].name;
            if (size && !is_parameter(function, size) && !is_result_size(&results, size))
                add_result(c, &results, type.sizes[d], true);
        }
        add_result(c, &results, atoms[i], false);
    }
    function->result_count = results.atoms.count;
    function->result_types = results.types.items;
    function->size_results = results.is_size.items;
    function->body = core_body(b, results.atoms.count, results.atoms.items);
}

/* ---- functions ------------------------------------------------------------------------------ */

static bool is_taken(const NameVec *names, const CoreName *name, const char *text)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i] != name && strcmp(names->items[i]->text, text) == 0)
            return true;
    }
    return false;
}

/* Who calls sees the names, so values come first: a size gives way to a value, a later one to an
   earlier one. The names belong to this program, and nobody has looked at their texts yet. */
static void tell_apart(Opening *o, size_t size_count, NameVec names)
{
    NameVec seen = {0};
    for (size_t i = 0; i < names.count; i++) {
        CoreName *name = names.items[(i + size_count) % names.count];
        const char *text = name->text;
        for (int k = 2; is_taken(&seen, name, name->text); k++)
            name->text = arena_printf(o->c->arena, "%s_%d", text, k);
        vec_push(o->c->arena, &seen, name);
    }
}

/* Sizes first: the function's own, the new ones; then the values. */
static void set_parameters(Opening *o, CoreFunction *opened)
{
    const CoreFunction *old = o->function;
    NameVec names = {0};
    for (size_t i = 0; i < old->size_count; i++)
        vec_push(o->c->arena, &names, old->parameters[i]);
    for (size_t i = 0; i < o->sizes.count; i++)
        vec_push(o->c->arena, &names, o->sizes.items[i]);
    for (size_t i = old->size_count; i < old->parameter_count; i++)
        vec_push(o->c->arena, &names, old->parameters[i]);
    for (size_t i = 0; i < o->values.count; i++)
        vec_push(o->c->arena, &names, o->values.items[i]);
    opened->parameter_count = names.count;
    opened->parameters = names.items;
    opened->size_count = old->size_count + o->sizes.count;
    tell_apart(o, opened->size_count, names);
}

static bool gives_values(const CoreFunction *function)
{
    for (size_t i = 0; i < function->result_count; i++) {
        if (!function->size_results || !function->size_results[i])
            return true;
    }
    return false;
}

static const CoreFunction *open_function(Compilation *c, const CoreFunction *function,
                                         CoreLibraryResults wanted)
{
    Opening o = {.c = c,
                 .function = function,
                 .literals = ARENA_ARRAY(c->arena, const CoreStm *, c->last_number + 1),
                 .builder = core_builder(c, function->span),
                 .keeps_prints = wanted == CORE_LIBRARY_GIVEN && gives_values(function)};
    for (size_t i = 0; i < function->body->stm_count; i++)
        open_statement(&o, function->body->stms[i]);
    CoreFunction *opened = ARENA_NEW(c->arena, CoreFunction);
    *opened = *function;
    set_parameters(&o, opened);
    if (o.printed.count > 0) {
        set_results(c, opened, &o.builder, o.printed.count, o.printed.items);
    } else {
        opened->body = core_body(&o.builder, function->body->result_count, function->body->results);
    }
    return opened;
}

CoreProgram *core_library(Compilation *c, const CoreProgram *program, CoreLibraryResults results)
{
    size_t errors = diagnostics_count(c->diagnostics);
    CoreProgram *opened = ARENA_NEW(c->arena, CoreProgram);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count);
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        functions[i] = function->is_entry ? open_function(c, function, results) : function;
    }
    opened->function_count = program->function_count;
    opened->functions = functions;
    return diagnostics_count(c->diagnostics) > errors ? NULL : opened;
}
