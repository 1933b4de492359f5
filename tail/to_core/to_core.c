/* From TAIL to core: [TAIL] figures 5 and 6, completed for every builtin.

       let v1:<int>30 = iotaV(30) in              let (v_1 : [31]i64) = iota 31
       let v2:[int]0 = reduce(addi,0,v1) in  ==>  let (v_2 : [30]i64) = slice v_1[1 :+ 30 * 1]
       prSclI(v2)                                 let (v_5 : i64) = reduce_comm 30 (v_2) (+) (0)
                                                  print v_5

   A TAIL variable becomes whatever it stands for: an atom, the known items of a short vector, or a
   tuple of these; functions are translated where they are applied, but those that lets bind become
   core functions (functions.c). Sizes live in the core types:
   `shape` of an array costs nothing. Index origin 1 becomes 0; TAIL ints that serve as sizes and
   indices become i64. Structural builtins become views. Every core statement has the span of the
   TAIL expression that it came from.

   Requires a program that tail_check accepts. The result has one entry, main, without parameters and
   results; its effects stand in program order. */
#include "tail/to_core/to_core.h"

void to_core_refuse(ToCore *t, const char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(t->c->diagnostics, BUILDER(t)->span, error, format, arguments);
    va_end(arguments);
    t->failed = true;
}

void to_core_unsupported(ToCore *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(t->c->diagnostics, BUILDER(t)->span, "NONCE ERROR", format, arguments);
    va_end(arguments);
    t->failed = true;
}

/* ---- scopes -------------------------------------------------------------------------------- */

Scope *to_core_enter_scope(ToCore *t)
{
    Scope *scope = ARENA_NEW(t->c->arena, Scope);
    scope->builder = core_builder(t->c, t->scope ? BUILDER(t)->span : NO_SPAN);
    scope->parent = t->scope;
    scope->open = true;
    t->scope = scope;
    return scope;
}

void to_core_leave_scope(ToCore *t)
{
    t->scope->open = false;
    t->scope = t->scope->parent;
}

const CoreBody *to_core_scope_body(Scope *scope, size_t result_count, const CoreAtom *results)
{
    return core_body(&scope->builder, result_count, results);
}

/* ---- values -------------------------------------------------------------------------------- */

/* [int] = i64 | i32    [double] = f64 | f32 */
CorePrim to_core_prim_of(ToCore *t, TailBaseKind base)
{
    switch (base) {
    case TAIL_BOOL: return CORE_BOOL;
    case TAIL_INT: return t->integer;
    case TAIL_DOUBLE: return t->real;
    case TAIL_CHAR: return CORE_CHAR;
    case TAIL_COMPLEX:
    case TAIL_BASE_VARIABLE: break;
    }
    return t->real;
}

CoreAtom to_core_fill_of(CorePrim prim)
{
    switch (prim) {
    case CORE_BOOL: return core_bool(false);
    case CORE_CHAR: return core_char(' ');
    case CORE_I32:
    case CORE_I64: return core_int(prim, 0);
    case CORE_F32:
    case CORE_F64: return core_real(prim, 0);
    case CORE_CERT: break;
    }
    return core_bool(false);
}

Value *to_core_value_atom(ToCore *t, CoreAtom atom)
{
    Value *value = ARENA_NEW(t->c->arena, Value);
    value->prim = core_atom_type(atom).prim;
    value->is_stored = true;
    value->atom = atom;
    return value;
}

Value *to_core_value_components(ToCore *t, CorePrim prim, size_t count, const CoreAtom *components)
{
    Value *value = ARENA_NEW(t->c->arena, Value);
    value->prim = prim;
    value->has_components = true;
    value->count = count;
    value->components = arena_copy(t->c->arena, components, count * sizeof *components);
    return value;
}

Value *to_core_value_tuple(ToCore *t, size_t count, Value *const *items)
{
    Value *value = ARENA_NEW(t->c->arena, Value);
    value->is_tuple = true;
    value->count = count;
    value->items = arena_copy(t->c->arena, items, count * sizeof *items);
    return value;
}

Value *to_core_value_complex(ToCore *t, Value *real, Value *imaginary)
{
    int rank = to_core_value_rank(real);
    bool same = true;
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank + 1);
    for (int i = 0; i < rank; i++) {
        sizes[i] = to_core_value_extent(t, real, i);
        same = same && core_atom_equal(sizes[i], to_core_value_extent(t, imaginary, i));
    }
    if (!same)
        imaginary = to_core_value_atom(t, to_core_coerce(t, to_core_store(t, imaginary), sizes));
    Value **items = ARENA_ARRAY(t->c->arena, Value *, MOST_PARTS);
    items[0] = real;
    items[1] = imaginary;
    Value *value = ARENA_NEW(t->c->arena, Value);
    value->is_complex = true;
    value->count = MOST_PARTS;
    value->items = items;
    value->prim = real->prim;
    return value;
}

Value *to_core_value_parts(ToCore *t, size_t count, const CoreAtom *atoms)
{
    Value *real = to_core_value_atom(t, atoms[0]);
    return count == 1 ? real : to_core_value_complex(t, real, to_core_value_atom(t, atoms[1]));
}

size_t to_core_store_parts(ToCore *t, Value *value, CoreAtom *atoms)
{
    if (!value->is_complex) {
        atoms[0] = to_core_store(t, value);
        return 1;
    }
    for (size_t i = 0; i < MOST_PARTS; i++)
        atoms[i] = to_core_store(t, value->items[i]);
    return MOST_PARTS;
}

Value *to_core_value_dummy(ToCore *t, const TailType *type)
{
    t->failed = true;
    if (type->kind == TAIL_TUPLE) {
        Value **items = ARENA_ARRAY(t->c->arena, Value *, type->count + 1);
        for (size_t i = 0; i < type->count; i++)
            items[i] = to_core_value_dummy(t, type->items[i]);
        return to_core_value_tuple(t, type->count, items);
    }
    if (type->base.kind == TAIL_COMPLEX) {
        const TailType *real = tail_array_type(t->c, TAIL_DOUBLE, tail_rank(type));
        Value *part = to_core_value_dummy(t, real);
        return to_core_value_complex(t, part, part);
    }
    CoreAtom fill = to_core_fill_of(to_core_prim_of(t, type->base.kind));
    size_t rank = (size_t)tail_rank(type);
    if (rank == 0)
        return to_core_value_atom(t, fill);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank);
    for (size_t i = 0; i < rank; i++)
        sizes[i] = core_i64(0);
    return to_core_value_atom(t, core_let_replicate(BUILDER(t), "failed", rank, sizes, fill));
}

CoreAtom to_core_store(ToCore *t, Value *value)
{
    if (value->is_tuple || value->is_complex)
        internal_error(t->c, "a tuple or complex number where an array is wanted");
    if (value->is_stored && (!value->stored_in || value->stored_in->open))
        return value->atom;
    const char *text = t->text ? t->text : "v";
    if (value->count > 0) {
        value->atom = core_let_literal(BUILDER(t), text, value->count, value->components);
    } else {
        CoreAtom zero = core_i64(0);
        value->atom = core_let_replicate(BUILDER(t), text, 1, &zero, to_core_fill_of(value->prim));
    }
    value->is_stored = true;
    value->stored_in = t->scope;
    return value->atom;
}

int to_core_value_rank(const Value *value)
{
    if (value->is_complex)
        return to_core_value_rank(value->items[0]);
    return value->has_components ? 1 : core_atom_type(value->atom).rank;
}

CoreAtom to_core_value_extent(ToCore *t, const Value *value, int axis)
{
    if (value->is_complex)
        return to_core_value_extent(t, value->items[0], axis);
    if (value->has_components)
        return core_i64((int64_t)value->count);
    CoreAtom size = core_atom_type(value->atom).sizes[axis];
    to_core_assume_nonnegative(t, size);
    return size;
}

CoreAtom to_core_value_count(ToCore *t, const Value *value)
{
    CoreAtom count = core_i64(1);
    for (int i = 0; i < to_core_value_rank(value); i++) {
        count = to_core_binary(t, CORE_MUL, count, to_core_value_extent(t, value, i));
    }
    return count;
}

/* ---- variables and functions ----------------------------------------------------------------- */

static void set_variable(ToCore *t, const TailVariable *variable, Value *value)
{
    Binding *binding = &t->environment[variable->number];
    binding->value = value;
    binding->scope = t->scope;
}

/* [fn x => e] applied: e with x bound. The result's type says more than its atom may. */
Value *to_core_apply(ToCore *t, const TailExp *lambda, size_t count, Value *const *arguments)
{
    if (lambda->kind != TAIL_EXP_LAMBDA || lambda->as.lambda.count != count) {
        internal_error(t->c, "%zu arguments for what is no such function", count);
    }
    for (size_t i = 0; i < count; i++)
        set_variable(t, lambda->as.lambda.parameters[i], arguments[i]);
    return to_core_translate(t, lambda->as.lambda.body);
}

/* ---- expressions --------------------------------------------------------------------------- */

CoreAtom to_core_translate_atom(ToCore *t, const TailExp *exp)
{
    return to_core_store(t, to_core_translate(t, exp));
}

Value *to_core_argument(ToCore *t, const Call *call, size_t i)
{
    return call->values ? call->values[i] : to_core_translate(t, call->arguments[i]);
}

CoreAtom to_core_argument_atom(ToCore *t, const Call *call, size_t i)
{
    return to_core_store(t, to_core_argument(t, call, i));
}

CoreAtom to_core_argument_index(ToCore *t, const Call *call, size_t i)
{
    return to_core_convert(t, CORE_I64, to_core_argument_atom(t, call, i));
}

static Value *translate_vector(ToCore *t, const TailExp *exp)
{
    size_t count = exp->as.items.count, part_count = 1;
    CorePrim prim = to_core_prim_of(t, exp->type->base.kind);
    CoreAtom *parts[MOST_PARTS], item[MOST_PARTS];
    for (size_t p = 0; p < MOST_PARTS; p++)
        parts[p] = ARENA_ARRAY(t->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        part_count = to_core_store_parts(t, to_core_translate(t, exp->as.items.items[i]), item);
        for (size_t p = 0; p < part_count; p++)
            parts[p][i] = item[p];
    }
    Value *real = to_core_value_components(t, prim, count, parts[0]);
    if (part_count == 1)
        return real;
    return to_core_value_complex(t, real, to_core_value_components(t, prim, count, parts[1]));
}

static Value *translate_tuple(ToCore *t, const TailExp *exp)
{
    size_t count = exp->as.items.count;
    Value **items = ARENA_ARRAY(t->c->arena, Value *, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = to_core_translate(t, exp->as.items.items[i]);
    return to_core_value_tuple(t, count, items);
}

static Value *translate_call(ToCore *t, const TailExp *exp)
{
    static Value *(*const TRANSLATORS[])(ToCore *, const Call *) = {
        to_core_translate_fold_in_steps, to_core_translate_complex,     to_core_translate_scalar,
        to_core_translate_array,         to_core_translate_select,      to_core_translate_map,
        to_core_translate_fold,          to_core_translate_grade,       to_core_translate_loop,
        to_core_translate_effect,        to_core_translate_assign,      to_core_translate_accum,
        to_core_translate_cells,         to_core_translate_associative,
    };
    Call call = {exp, exp->as.call.builtin, exp->as.call.arguments, t->text ? t->text : "t", NULL};
    t->text = NULL;
    for (size_t i = 0; i < sizeof TRANSLATORS / sizeof *TRANSLATORS; i++) {
        Value *value = TRANSLATORS[i](t, &call);
        if (value) {
            to_core_note_distinct(t, &call, value);
            return value;
        }
    }
    internal_error(t->c, "no translation of %s", tail_builtin_text(call.builtin));
}

static Value *complex_value(ToCore *t, const TailExp *exp)
{
    CoreAtom parts[MOST_PARTS] = {core_real(t->real, exp->as.complex.real),
                                  core_real(t->real, exp->as.complex.imaginary)};
    return to_core_value_parts(t, MOST_PARTS, parts);
}

static Value *translate_kind(ToCore *t, const TailExp *exp)
{
    switch (exp->kind) {
    case TAIL_EXP_BOOL: return to_core_value_atom(t, core_bool(exp->as.boolean));
    case TAIL_EXP_INT: return to_core_value_atom(t, core_int(t->integer, exp->as.integer));
    case TAIL_EXP_DOUBLE: return to_core_value_atom(t, core_real(t->real, exp->as.real));
    case TAIL_EXP_CHAR: return to_core_value_atom(t, core_char(exp->as.character));
    case TAIL_EXP_COMPLEX: return complex_value(t, exp);
    case TAIL_EXP_VARIABLE: return t->environment[exp->as.variable->number].value;
    case TAIL_EXP_VECTOR: return translate_vector(t, exp);
    case TAIL_EXP_TUPLE: return translate_tuple(t, exp);
    case TAIL_EXP_PROJECT:
        return to_core_translate(t, exp->as.project.tuple)->items[exp->as.project.index];
    case TAIL_EXP_LAMBDA: internal_error(t->c, "a function as a value");
    case TAIL_EXP_LET: internal_error(t->c, "a let out of its chain");
    case TAIL_EXP_CALL: return translate_call(t, exp);
    case TAIL_EXP_APPLY: return to_core_translate_apply(t, exp);
    case TAIL_EXP_IF: return to_core_translate_if(t, exp);
    }
    return NULL;
}

/* What a type says outright: S(k,v) is the constant v; SV(k,v) has that one item. */
static Value *known_by_type(ToCore *t, const TailType *type, Value *value)
{
    if (type->kind != TAIL_SINGLE && type->kind != TAIL_SINGLE_VECTOR)
        return value;
    bool is_bool = type->base.kind == TAIL_BOOL;
    CoreAtom known =
        is_bool ? core_bool(type->shape.constant != 0) : core_int(t->integer, type->shape.constant);
    if (type->kind == TAIL_SINGLE)
        return to_core_value_atom(t, known);
    if (value->has_components && value->is_stored)
        return value;
    return to_core_value_components(t, known.prim, 1, &known);
}

static Value *translate_spanned(ToCore *t, const TailExp *exp)
{
    CoreBuilder *b = BUILDER(t);
    Span span = b->span;
    if (exp->span.file)
        b->span = exp->span;
    Value *value = known_by_type(t, exp->type, translate_kind(t, exp));
    b->span = span;
    return value;
}

/* [let x : t = e1 in e2] = let x = [e1] in [e2], along the chain. */
Value *to_core_translate(ToCore *t, const TailExp *exp)
{
    const char *text = t->text;
    if (t->depth >= NESTING_LIMIT) {
        diagnostics_add(t->c->diagnostics, exp->span, "LIMIT ERROR",
                        "expressions are nested more than %d deep", NESTING_LIMIT);
        return to_core_value_dummy(t, exp->type);
    }
    t->depth++;
    for (; exp->kind == TAIL_EXP_LET; exp = exp->as.let.body) {
        if (exp->as.let.value->kind == TAIL_EXP_LAMBDA) {
            to_core_bind_function(t, exp->as.let.variable, exp->as.let.value);
            continue;
        }
        t->text = exp->as.let.variable->name;
        set_variable(t, exp->as.let.variable, to_core_translate(t, exp->as.let.value));
    }
    t->text = text;
    Value *value = translate_spanned(t, exp);
    t->text = text;
    t->depth--;
    return value;
}

/* ---- the program --------------------------------------------------------------------------- */

typedef VEC(CoreAtom) AtomVec;

/* The value, a tuple by its items, complex numbers as they are printed; sizes that are not
 * constants come before what has them. */
static void add_results(ToCore *t, Value *value, AtomVec *atoms)
{
    if (value->is_tuple) {
        for (size_t i = 0; i < value->count; i++)
            add_results(t, value->items[i], atoms);
        return;
    }
    CoreAtom atom = value->is_complex ? to_core_planes(t, value) : to_core_store(t, value);
    CoreType type = core_atom_type(atom);
    if (type.rank == 0) /* by a name of its own, which is no array's size */
        atom = core_let_atom(BUILDER(t), "value", atom);
    for (int d = 0; d < type.rank; d++) {
        bool is_there = type.sizes[d].name == NULL;
        for (size_t i = 0; i < atoms->count; i++)
            is_there = is_there || atoms->items[i].name == type.sizes[d].name;
        if (!is_there)
            vec_push(t->c->arena, atoms, type.sizes[d]);
    }
    vec_push(t->c->arena, atoms, atom);
}

/* Types of what main gives: a size is shown by what has it. */
static void set_results(ToCore *t, CoreFunction *function, const AtomVec *atoms)
{
    CoreType *types = ARENA_ARRAY(t->c->arena, CoreType, atoms->count);
    bool *sizes = ARENA_ARRAY(t->c->arena, bool, atoms->count);
    for (size_t i = 0; i < atoms->count; i++) {
        types[i] = core_atom_type(atoms->items[i]);
        types[i].unique = false;
        for (size_t k = i + 1; k < atoms->count && atoms->items[i].name; k++) {
            CoreType later = core_atom_type(atoms->items[k]);
            for (int d = 0; d < later.rank; d++)
                sizes[i] = sizes[i] || later.sizes[d].name == atoms->items[i].name;
        }
    }
    function->result_count = atoms->count;
    function->result_types = types;
    function->size_results = sizes;
}

static const CoreProgram *make_program(ToCore *t, const CoreBody *body, const AtomVec *results,
                                       Span span)
{
    CoreFunction *function = ARENA_NEW(t->c->arena, CoreFunction);
    function->name = intern(t->c, "main");
    function->body = body;
    function->is_entry = true;
    function->span = span;
    set_results(t, function, results);
    vec_push(t->c->arena, &t->functions, function);
    CoreProgram *program = ARENA_NEW(t->c->arena, CoreProgram);
    program->function_count = t->functions.count;
    program->functions = t->functions.items;
    return program;
}

CoreProgram *tail_to_core(Compilation *c, const TailExp *program)
{
    size_t errors = diagnostics_count(c->diagnostics);
    ToCore t = {.c = c};
    t.integer = c->options.int_bits == 32 ? CORE_I32 : CORE_I64;
    t.real = c->options.real_bits == 32 ? CORE_F32 : CORE_F64;
    t.environment_count = c->last_number + 1;
    t.environment = ARENA_ARRAY(c->arena, Binding, t.environment_count);
    t.numbering = to_core_numbering_create(&t);
    Scope *scope = to_core_enter_scope(&t);
    if (program->span.file)
        scope->builder.span = program->span;
    Value *value = to_core_translate(&t, program);
    AtomVec results = {0};
    if (c->options.gives_value && !t.failed)
        add_results(&t, value, &results);
    const CoreBody *body = to_core_scope_body(scope, results.count, results.items);
    to_core_leave_scope(&t);
    if (t.failed || diagnostics_count(c->diagnostics) > errors)
        return NULL;
    return (CoreProgram *)make_program(&t, body, &results, program->span);
}
