/* Constructors, operator tables and walks over core programs. */
#include "core/core.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static Compilation *c;

static int set_up(void **state)
{
    (void)state;
    c = compilation_create();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    compilation_destroy(c);
    return 0;
}

static const char *type_of(CoreAtom atom)
{
    return core_type_text(c, core_atom_type(atom));
}

static CoreName *vector(const char *text, CorePrim prim, CoreAtom size)
{
    return core_name(c, text, core_array(c, prim, 1, &size), NO_SPAN);
}

/* Texts of names come from APL; what is printed must be a C identifier. */
static void names_are_cleaned(void **state)
{
    (void)state;
    assert_string_equal(core_name(c, "sum", core_scalar(CORE_I64), NO_SPAN)->text, "sum");
    assert_string_equal(core_name(c, "∆x", core_scalar(CORE_I64), NO_SPAN)->text, "x_x");
    assert_string_equal(core_name(c, "2nd", core_scalar(CORE_I64), NO_SPAN)->text, "x2nd");
    assert_string_equal(core_name(c, "", core_scalar(CORE_I64), NO_SPAN)->text, "x");
    assert_string_equal(core_name(c, "a.b c", core_scalar(CORE_I64), NO_SPAN)->text, "a_b_c");
}

static void constants_wrap_and_round(void **state)
{
    (void)state;
    assert_int_equal(core_int(CORE_I32, INT64_C(0x180000000)).as.integer, INT32_MIN);
    assert_int_equal(core_int(CORE_I32, -1).as.integer, -1);
    assert_true(core_real(CORE_F32, 0.1).as.real == (double)0.1f);
    assert_true(
        core_atom_equal(core_real(CORE_F64, (double)NAN), core_real(CORE_F64, (double)NAN)));
    assert_false(core_atom_equal(core_real(CORE_F64, 0.0), core_real(CORE_F64, -0.0)));
    assert_false(core_atom_equal(core_i64(1), core_int(CORE_I32, 1)));
}

static void operators_know_their_domains(void **state)
{
    (void)state;
    assert_true(core_operator_accepts(CORE_ADD, CORE_F32));
    assert_false(core_operator_accepts(CORE_ADD, CORE_BOOL));
    assert_false(core_operator_accepts(CORE_EQ, CORE_CERT));
    assert_false(core_operator_accepts(CORE_RANDOM, CORE_I32));
    assert_int_equal(core_operator_result(CORE_LT, CORE_CHAR), CORE_BOOL);
    assert_int_equal(core_operator_arity(CORE_NEG), 1);
}

/* Every associative operator has an identity on every prim that it is associative on. */
static void associative_operators_have_identities(void **state)
{
    (void)state;
    for (int op = 0; op < CORE_OPERATOR_COUNT; op++) {
        for (int prim = CORE_BOOL; prim <= CORE_CERT; prim++) {
            CoreAtom identity;
            bool associative = core_operator_associative((CoreOperator)op, (CorePrim)prim);
            assert_int_equal(core_operator_identity((CoreOperator)op, (CorePrim)prim, &identity),
                             associative);
            if (associative) {
                assert_int_equal(identity.prim, prim);
            }
        }
    }
    CoreAtom least;
    assert_true(core_operator_identity(CORE_MAX, CORE_I32, &least));
    assert_int_equal(least.as.integer, INT32_MIN);
    assert_false(core_operator_associative(CORE_SUB, CORE_F64));
    assert_false(core_operator_associative(CORE_EQ, CORE_I64));
}

static void result_types_follow_from_operands(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    CoreAtom sizes[2] = {core_i64(2), core_i64(3)};
    CoreAtom m = core_let_scratch(&b, "m", CORE_F64, 2, sizes);
    assert_string_equal(type_of(m), "[2][3]f64");
    assert_string_equal(type_of(core_let_rearrange(&b, "t", m, (int[]){1, 0})), "[3][2]f64");
    assert_string_equal(type_of(core_let_index(&b, "r", m, 1, sizes)), "[3]f64");
    assert_string_equal(type_of(core_let_replicate(&b, "p", 1, sizes, m)), "[2][2][3]f64");
    assert_string_equal(type_of(core_let_concat(&b, "q", 1, core_i64(6), 2, (CoreAtom[]){m, m})),
                        "[2][6]f64");
    CoreSlice slices[2] = {{.fixed = true, .offset = core_i64(1)},
                           {.offset = core_i64(2), .count = core_i64(2), .stride = core_i64(-1)}};
    assert_string_equal(type_of(core_let_slice(&b, "s", m, slices)), "[2]f64");
    assert_string_equal(type_of(core_let_binary(&b, "l", CORE_LT, core_i64(1), core_i64(2))),
                        "bool");
    CoreAtom count;
    core_let_format(&b, "f", core_i64(10), core_i64(7), false, &count);
    assert_string_equal(type_of(count), "i64");
    CoreType line = core_format_type(c, core_array(c, CORE_F64, 1, sizes), false, core_i64(9));
    assert_string_equal(core_type_text(c, line), "[9]char");
    CoreType parts = core_format_type(c, core_array(c, CORE_F64, 2, sizes), true, core_i64(9));
    assert_string_equal(core_type_text(c, parts), "[9]char");
    CoreType page = core_format_type(c, core_array(c, CORE_F64, 2, sizes), false, core_i64(9));
    assert_string_equal(core_type_text(c, page), "[2][9]char");
}

/* A unique parameter's type does not make what is computed from it unique. */
static void results_are_not_unique(void **state)
{
    (void)state;
    CoreName *xs = vector("xs", CORE_F64, core_i64(4));
    xs->type.unique = true;
    CoreBuilder b = core_builder(c, NO_SPAN);
    assert_string_equal(type_of(core_let_reverse(&b, "r", core_use(xs), 0)), "[4]f64");
    assert_string_equal(type_of(core_let_atom(&b, "a", core_use(xs))), "[4]f64");
}

static void certificates_of_the_builder_guard_statements(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    CoreAtom holds = core_let_assert(&b, core_bool(true), CORE_LENGTH_ERROR, "", 0, NULL);
    vec_push(c->arena, &b.certificates, holds);
    core_let_binary(&b, "x", CORE_ADD, core_i64(1), core_i64(2));
    assert_int_equal(b.stms.items[0]->certificate_count, 0);
    assert_int_equal(b.stms.items[1]->certificate_count, 1);
    assert_true(core_atom_equal(b.stms.items[1]->certificates[0], holds));
}

typedef struct Names {
    const CoreName *names[16];
    size_t count;
} Names;

static void note(void *context, CoreName *name)
{
    Names *names = context;
    for (size_t i = 0; i < names->count; i++) {
        if (names->names[i] == name) {
            return;
        }
    }
    names->names[names->count++] = name;
}

/* map n (xs) (\x -> x * k): free are n, xs and k. */
static void free_names_are_what_is_bound_outside(void **state)
{
    (void)state;
    CoreName *n = core_name(c, "n", core_scalar(CORE_I64), NO_SPAN);
    CoreName *k = core_name(c, "k", core_scalar(CORE_F64), NO_SPAN);
    CoreName *xs = vector("xs", CORE_F64, core_use(n));
    CoreName *x = core_name(c, "x", core_scalar(CORE_F64), NO_SPAN);
    CoreBuilder inner = core_builder(c, NO_SPAN), b = core_builder(c, NO_SPAN);
    CoreAtom y = core_let_binary(&inner, "y", CORE_MUL, core_use(x), core_use(k));
    const CoreLambda *lambda = core_lambda(c, 1, &x, core_body(&inner, 1, &y));
    CoreAtom input = core_use(xs), result;
    core_let_map(&b, "ys", core_use(n), 1, &input, lambda, &result);
    Names names = {0};
    core_each_free(b.stms.items[0], note, &names);
    assert_int_equal(names.count, 3);
    note(&names, n);
    note(&names, k);
    note(&names, xs);
    assert_int_equal(names.count, 3);
    assert_false(core_has_effect(b.stms.items[0]->exp));
}

static void effects_inside_bodies_are_found(void **state)
{
    (void)state;
    CoreBuilder inner = core_builder(c, NO_SPAN), none = core_builder(c, NO_SPAN);
    core_do_print(&inner, core_i64(1));
    const CoreExp *exp =
        core_exp_if(c, core_bool(true), core_body(&inner, 0, NULL), core_body(&none, 0, NULL));
    assert_true(core_has_effect(exp));
    CoreBuilder b = core_builder(c, NO_SPAN);
    core_bind(&b, 0, NULL, exp);
    CoreFunction main_function = {.name = "main", .body = core_body(&b, 0, NULL)};
    const CoreFunction *functions[1] = {&main_function};
    CoreProgram program = {1, functions};
    assert_int_equal(core_count(&program), 2);
}

/* Every kind is classified; the views are exactly the computed-by-index ones. */
static void views_and_effects_are_disjoint(void **state)
{
    (void)state;
    for (int kind = CORE_EXP_ATOM; kind <= CORE_EXP_FORMAT; kind++) {
        assert_false(core_is_view((CoreExpKind)kind) && core_is_effect((CoreExpKind)kind));
    }
    assert_true(core_is_view(CORE_EXP_CYCLE));
    assert_false(core_is_view(CORE_EXP_COPY));
    assert_true(core_is_effect(CORE_EXP_SEED_NOW));
    assert_false(core_is_effect(CORE_EXP_FORMAT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_cleaned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(constants_wrap_and_round, set_up, tear_down),
        cmocka_unit_test_setup_teardown(operators_know_their_domains, set_up, tear_down),
        cmocka_unit_test_setup_teardown(associative_operators_have_identities, set_up, tear_down),
        cmocka_unit_test_setup_teardown(result_types_follow_from_operands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(results_are_not_unique, set_up, tear_down),
        cmocka_unit_test_setup_teardown(certificates_of_the_builder_guard_statements, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(free_names_are_what_is_bound_outside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(effects_inside_bodies_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(views_and_effects_are_disjoint, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
