/* Building core programs: types, names, atoms, bodies, statements, and the scalar and control
   expressions. (Arrays: build_arrays.c. SOACs and effects: build_soacs.c.)

   A builder collects the statements of one body in A-normal form. Each core_let_* computes the type
   of its result from its operands, binds a fresh name of that type, and returns the name:

       CoreBuilder b = core_builder(c, span);
       CoreAtom y = core_let_binary(&b, "y", CORE_MUL, x, core_real(CORE_F64, 2));
       const CoreBody *body = core_body(&b, 1, &y);

           let (y_5 : f64) = x_4 * 2.0f64
           in (y_5)

   Every constructor asserts the invariants that the checker states for people. Nodes are never
   changed afterwards ([PLDI] section 2, figure 1). */
#include "core/core.h"
#include "core/build.h"

#include <assert.h>
#include <ctype.h>

/* ---- types ----------------------------------------------------------------------------------- */

CoreType core_scalar(CorePrim prim)
{
    return (CoreType){.prim = prim};
}

CoreType core_array(Compilation *c, CorePrim prim, int rank, const CoreAtom *sizes)
{
    REQUIRE(c, rank >= 0, "an array type of rank %d", rank);
    REQUIRE(c, rank == 0 || prim != CORE_CERT, "an array of certificates");
    for (int i = 0; i < rank; i++) {
        core_build_require_scalar(c, sizes[i], CORE_I64, "a size");
    }
    CoreType type = {.prim = prim, .rank = rank};
    type.sizes = core_build_copy_atoms(c, (size_t)rank, sizes);
    return type;
}

CoreType core_row(CoreType type)
{
    assert(type.rank > 0);
    return (CoreType){.prim = type.prim, .rank = type.rank - 1, .sizes = type.sizes + 1};
}

CoreType core_array_of(Compilation *c, CoreAtom size, CoreType row)
{
    REQUIRE(c, row.prim != CORE_CERT, "an array of certificates");
    core_build_require_scalar(c, size, CORE_I64, "a size");
    CoreAtom *sizes = ARENA_ARRAY(c->arena, CoreAtom, row.rank + 1);
    sizes[0] = size;
    for (int i = 0; i < row.rank; i++) {
        sizes[i + 1] = row.sizes[i];
    }
    return (CoreType){.prim = row.prim, .rank = row.rank + 1, .sizes = sizes};
}

/* ---- names and atoms ------------------------------------------------------------------------- */

/* Letters, digits and _ only, beginning with a letter: what C, OpenCL and the text form accept. */
static const char *clean_text(Compilation *c, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    bool clean = length > 0 && isalpha((unsigned char)text[0]);
    for (size_t i = 0; i < length; i++) {
        clean = clean && (unsigned char)text[i] < 128 &&
                (isalnum((unsigned char)text[i]) || text[i] == '_');
    }
    if (clean) {
        return names_intern(c->names, text, length);
    }
    Text cleaned = text_create(c->arena);
    if (length == 0 || !isalpha((unsigned char)text[0]) || (unsigned char)text[0] >= 128) {
        text_char(&cleaned, 'x');
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < 128) {
            text_char(&cleaned, isalnum(byte) ? (char)byte : '_');
        } else if (byte >= 0xC0) { /* the first byte of a code point: one _ for each */
            text_char(&cleaned, '_');
        }
    }
    return names_intern(c->names, text_get(&cleaned), cleaned.length);
}

CoreName *core_name(Compilation *c, const char *text, CoreType type, Span span)
{
    CoreName *name = ARENA_NEW(c->arena, CoreName);
    name->text = clean_text(c, text);
    name->number = fresh_number(c);
    name->type = type;
    name->span = span;
    return name;
}

CoreAtom core_use(CoreName *name)
{
    assert(name != NULL);
    return (CoreAtom){.name = name, .prim = name->type.prim};
}

CoreAtom core_bool(bool value)
{
    return (CoreAtom){.prim = CORE_BOOL, .as.integer = value};
}

CoreAtom core_char(uint32_t codepoint)
{
    return (CoreAtom){.prim = CORE_CHAR, .as.integer = codepoint};
}

CoreAtom core_int(CorePrim prim, int64_t value)
{
    assert(core_is_int(prim));
    if (prim == CORE_I32) {
        uint32_t low = (uint32_t)(uint64_t)value;
        value = low <= INT32_MAX ? (int64_t)low : (int64_t)low - ((int64_t)1 << 32);
    }
    return (CoreAtom){.prim = prim, .as.integer = value};
}

CoreAtom core_i64(int64_t value)
{
    return core_int(CORE_I64, value);
}

CoreAtom core_real(CorePrim prim, double value)
{
    assert(core_is_real(prim));
    return (CoreAtom){.prim = prim, .as.real = prim == CORE_F32 ? (double)(float)value : value};
}

CoreAtom core_zero(CorePrim prim)
{
    return prim == CORE_BOOL    ? core_bool(false)
           : prim == CORE_CHAR  ? core_char(0)
           : core_is_real(prim) ? core_real(prim, 0)
                                : core_int(prim, 0);
}

CoreType core_atom_type(CoreAtom atom)
{
    return atom.name ? atom.name->type : core_scalar(atom.prim);
}

bool core_atom_equal(CoreAtom a, CoreAtom b)
{
    if (a.name || b.name) {
        return a.name == b.name;
    }
    if (a.prim != b.prim) {
        return false;
    }
    if (core_is_real(a.prim)) {
        return memcmp(&a.as.real, &b.as.real, sizeof a.as.real) == 0;
    }
    return a.as.integer == b.as.integer;
}

bool core_has_same_sizes(CoreType a, CoreType b)
{
    bool same = a.rank == b.rank;
    for (int axis = 0; same && axis < a.rank; axis++) {
        same = core_atom_equal(a.sizes[axis], b.sizes[axis]);
    }
    return same;
}

bool core_is_constant(CoreAtom atom)
{
    return atom.name == NULL;
}

/* ---- what constructors share (core/build.h) -------------------------------------------------- */

const CoreAtom *core_build_copy_atoms(Compilation *c, size_t count, const CoreAtom *atoms)
{
    return count ? arena_copy(c->arena, atoms, count * sizeof *atoms) : NULL;
}

void core_build_require_scalar(Compilation *c, CoreAtom atom, CorePrim prim, const char *what)
{
    CoreType type = core_atom_type(atom);
    REQUIRE(c, type.rank == 0 && type.prim == prim, "%s must be %s, not %s", what,
            core_prim_text(prim), core_type_text(c, type));
}

CoreType core_build_require_array(Compilation *c, CoreAtom atom, const char *what)
{
    CoreType type = core_atom_type(atom);
    REQUIRE(c, type.rank > 0, "%s must be an array, not %s", what, core_type_text(c, type));
    type.unique = false;
    return type;
}

CoreAtom core_build_let(CoreBuilder *b, const char *text, CoreType type, const CoreExp *exp)
{
    type.unique = false;
    CoreName *name = core_name(b->c, text, type, b->span);
    core_bind(b, 1, &name, exp);
    return core_use(name);
}

CoreExp *core_build_exp(Compilation *c, CoreExpKind kind)
{
    CoreExp *exp = ARENA_NEW(c->arena, CoreExp);
    exp->kind = kind;
    return exp;
}

CoreExp *core_atom_exp(Compilation *c, CoreAtom atom)
{
    CoreExp *exp = core_build_exp(c, CORE_EXP_ATOM);
    exp->as.atom = atom;
    return exp;
}

/* ---- bodies and statements ------------------------------------------------------------------- */

CoreBuilder core_builder(Compilation *c, Span span)
{
    return (CoreBuilder){.c = c, .span = span};
}

const CoreBody *core_body(CoreBuilder *b, size_t result_count, const CoreAtom *results)
{
    CoreBody *body = ARENA_NEW(b->c->arena, CoreBody);
    body->stm_count = b->stms.count;
    body->stms = b->stms.items;
    body->result_count = result_count;
    body->results = core_build_copy_atoms(b->c, result_count, results);
    return body;
}

const CoreLambda *core_lambda(Compilation *c, size_t parameter_count, CoreName *const *parameters,
                              const CoreBody *body)
{
    CoreLambda *lambda = ARENA_NEW(c->arena, CoreLambda);
    lambda->parameter_count = parameter_count;
    lambda->parameters = core_build_copy_names(c, parameter_count, parameters);
    lambda->body = body;
    CoreType *types = ARENA_ARRAY(c->arena, CoreType, body->result_count);
    for (size_t i = 0; i < body->result_count; i++) {
        types[i] = core_atom_type(body->results[i]);
        types[i].unique = false;
    }
    lambda->result_types = types;
    return lambda;
}

CoreName *const *core_build_copy_names(Compilation *c, size_t count, CoreName *const *names)
{
    return count ? arena_copy(c->arena, names, count * sizeof *names) : NULL;
}

const CoreLambda *core_identity_lambda(Compilation *c, size_t count, const CoreType *types)
{
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        CoreType type = types[i];
        type.unique = false;
        parameters[i] = core_name(c, "x", type, NO_SPAN);
        results[i] = core_use(parameters[i]);
    }
    CoreBuilder b = core_builder(c, NO_SPAN);
    return core_lambda(c, count, parameters, core_body(&b, count, results));
}

void core_add(CoreBuilder *b, const CoreStm *stm)
{
    vec_push(b->c->arena, &b->stms, stm);
}

void core_add_all(CoreBuilder *b, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(b, body->stms[i]);
    }
}

void core_bind(CoreBuilder *b, size_t pattern_count, CoreName *const *pattern, const CoreExp *exp)
{
    CoreStm *stm = ARENA_NEW(b->c->arena, CoreStm);
    stm->pattern_count = pattern_count;
    stm->pattern = core_build_copy_names(b->c, pattern_count, pattern);
    for (size_t i = 0; i < b->certificates.count; i++) {
        core_build_require_scalar(b->c, b->certificates.items[i], CORE_CERT, "a certificate");
    }
    stm->certificate_count = b->certificates.count;
    stm->certificates = core_build_copy_atoms(b->c, b->certificates.count, b->certificates.items);
    stm->exp = exp;
    stm->span = b->span;
    core_add(b, stm);
}

/* ---- scalars --------------------------------------------------------------------------------- */

static CoreAtom let_scalar(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x,
                           CoreAtom y)
{
    CoreType type = core_atom_type(x);
    bool unary = core_operator_arity(op) == 1;
    REQUIRE(b->c, type.rank == 0 && core_operator_accepts(op, type.prim),
            "operator %s does not take %s", core_operator_text(op), core_type_text(b->c, type));
    if (!unary) {
        core_build_require_scalar(b->c, y, type.prim, "the second operand");
    }
    CoreExp *exp = core_build_exp(b->c, unary ? CORE_EXP_UNARY : CORE_EXP_BINARY);
    exp->as.scalar.op = op;
    exp->as.scalar.prim = type.prim;
    exp->as.scalar.x = x;
    exp->as.scalar.y = y;
    return core_build_let(b, text, core_scalar(core_operator_result(op, type.prim)), exp);
}

CoreAtom core_let_unary(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x)
{
    REQUIRE(b->c, core_operator_arity(op) == 1, "operator %s is not unary", core_operator_text(op));
    return let_scalar(b, text, op, x, core_bool(false));
}

CoreAtom core_let_binary(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x, CoreAtom y)
{
    REQUIRE(b->c, core_operator_arity(op) == 2, "operator %s is not binary",
            core_operator_text(op));
    return let_scalar(b, text, op, x, y);
}

CoreAtom core_let_convert(CoreBuilder *b, const char *text, CorePrim to, CoreAtom x)
{
    CoreType type = core_atom_type(x);
    REQUIRE(b->c, type.rank == 0 && type.prim != CORE_CERT && to != CORE_CERT,
            "conversion of %s to %s", core_type_text(b->c, type), core_prim_text(to));
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_CONVERT);
    exp->as.convert.to = to;
    exp->as.convert.x = x;
    return core_build_let(b, text, core_scalar(to), exp);
}

CoreAtom core_let_atom(CoreBuilder *b, const char *text, CoreAtom x)
{
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_ATOM);
    exp->as.atom = x;
    return core_build_let(b, text, core_atom_type(x), exp);
}

CoreAtom core_let_assert(CoreBuilder *b, CoreAtom condition, CoreErrorKind error,
                         const char *message, size_t value_count, const CoreAtom *values)
{
    core_build_require_scalar(b->c, condition, CORE_BOOL, "the condition of an assertion");
    REQUIRE(b->c, value_count <= CORE_MOST_VALUES, "an assertion with %zu values", value_count);
    for (size_t i = 0; i < value_count; i++) {
        CoreType type = core_atom_type(values[i]);
        REQUIRE(b->c, type.rank == 0 && (core_is_int(type.prim) || core_is_real(type.prim)),
                "a value of an assertion must be a number, not %s", core_type_text(b->c, type));
    }
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_ASSERT);
    exp->as.assertion.condition = condition;
    exp->as.assertion.error = error;
    exp->as.assertion.message = intern(b->c, message);
    exp->as.assertion.value_count = value_count;
    exp->as.assertion.values = core_build_copy_atoms(b->c, value_count, values);
    return core_build_let(b, "c", core_scalar(CORE_CERT), exp);
}

CoreAtom core_let_conjoin(CoreBuilder *b, size_t count, const CoreAtom *certificates)
{
    for (size_t i = 0; i < count; i++) {
        core_build_require_scalar(b->c, certificates[i], CORE_CERT, "an operand of conjoin");
    }
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_CONJOIN);
    exp->as.items.count = count;
    exp->as.items.items = core_build_copy_atoms(b->c, count, certificates);
    return core_build_let(b, "c", core_scalar(CORE_CERT), exp);
}

/* ---- control --------------------------------------------------------------------------------- */

/* The same prims and ranks; sizes are the checker's business (they may be existential). */
static void require_alike(Compilation *c, CoreType a, CoreType b, const char *what)
{
    REQUIRE(c, a.prim == b.prim && a.rank == b.rank, "%s: %s against %s", what,
            core_type_text(c, a), core_type_text(c, b));
}

const CoreExp *core_exp_if(Compilation *c, CoreAtom condition, const CoreBody *then_body,
                           const CoreBody *else_body)
{
    core_build_require_scalar(c, condition, CORE_BOOL, "the condition of an if");
    REQUIRE(c, then_body->result_count == else_body->result_count,
            "the branches of an if have %zu and %zu results", then_body->result_count,
            else_body->result_count);
    for (size_t i = 0; i < then_body->result_count; i++) {
        require_alike(c, core_atom_type(then_body->results[i]),
                      core_atom_type(else_body->results[i]), "the branches of an if");
    }
    CoreExp *exp = core_build_exp(c, CORE_EXP_IF);
    exp->as.conditional.condition = condition;
    exp->as.conditional.then_body = then_body;
    exp->as.conditional.else_body = else_body;
    return exp;
}

static CoreExp *exp_loop(Compilation *c, size_t count, CoreName *const *parameters,
                         const CoreAtom *initial, const CoreBody *body)
{
    REQUIRE(c, body->result_count == count, "a loop of %zu parameters has %zu results", count,
            body->result_count);
    for (size_t i = 0; i < count; i++) {
        require_alike(c, parameters[i]->type, core_atom_type(initial[i]), "a loop's initial value");
        require_alike(c, parameters[i]->type, core_atom_type(body->results[i]), "a loop's result");
    }
    CoreExp *exp = core_build_exp(c, CORE_EXP_LOOP);
    exp->as.loop.parameter_count = count;
    exp->as.loop.parameters = core_build_copy_names(c, count, parameters);
    exp->as.loop.initial = core_build_copy_atoms(c, count, initial);
    exp->as.loop.body = body;
    return exp;
}

const CoreExp *core_exp_for(Compilation *c, size_t count, CoreName *const *parameters,
                            const CoreAtom *initial, CoreName *index, CoreAtom bound,
                            const CoreBody *body)
{
    CoreExp *exp = exp_loop(c, count, parameters, initial, body);
    core_build_require_scalar(c, core_use(index), CORE_I64, "the index of a loop");
    core_build_require_scalar(c, bound, CORE_I64, "the bound of a loop");
    exp->as.loop.index = index;
    exp->as.loop.bound = bound;
    return exp;
}

const CoreExp *core_exp_while(Compilation *c, size_t count, CoreName *const *parameters,
                              const CoreAtom *initial, CoreName *condition, const CoreBody *body)
{
    CoreExp *exp = exp_loop(c, count, parameters, initial, body);
    core_build_require_scalar(c, core_use(condition), CORE_BOOL, "the condition of a loop");
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || parameters[i] == condition;
    }
    REQUIRE(c, found, "the condition of a loop is not one of its parameters");
    exp->as.loop.condition = condition;
    return exp;
}

const CoreExp *core_exp_apply(Compilation *c, const char *function, size_t count,
                              const CoreAtom *arguments)
{
    CoreExp *exp = core_build_exp(c, CORE_EXP_APPLY);
    exp->as.apply.function = intern(c, function);
    exp->as.apply.count = count;
    exp->as.apply.arguments = core_build_copy_atoms(c, count, arguments);
    return exp;
}
