/* Kernel programs built by hand are printed as C and as OpenCL, compiled, run, and what they print
   is compared: the two must agree with each other and with the worked-out text. Here: kernels,
   operators, control, names, the text form, long programs. */
#include "tests/unit/backend_emit.h"

static void a_map_over_constants(void **state)
{
    Making m = begin();
    KernelVariable *x = buffer(&m, "x", CORE_F64), *y = buffer(&m, "y", CORE_F64),
                   *i = scalar(&m, "i", CORE_I64);
    const KernelExp *values[] = {f64(&m, 1.5), f64(&m, -2), f64(&m, 0.1)};
    kernel_constants(&m.b, x, 3, values);
    kernel_allocate(&m.b, y, i64(&m, 3));
    grid_store(&m, "map_1", i, i64(&m, 3), y,
               binary(&m, CORE_MUL, load(&m, x, use(&m, i)), f64(&m, 2)));
    print_array(&m, y, i64(&m, 3));
    kernel_release(&m.b, x);
    kernel_release(&m.b, y);
    expect(*state, m.c, finish(&m), "", 0, "3 ¯4 0.2\n");
    compilation_destroy(m.c);
}

/* Loop state goes from buffer to buffer by reference; ten rounds of x <- x + reverse x. */
static void loop_state_by_alias(void **state)
{
    Making m = begin();
    const KernelExp *n = i64(&m, 4);
    KernelVariable *x = numbers(&m, "iota_1", n), *s = buffer(&m, "state", CORE_I64),
                   *t = buffer(&m, "next", CORE_I64);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *round = scalar(&m, "round", CORE_I64);
    kernel_alias(&m.b, s, x);
    kernel_release(&m.b, x);
    Making body = {.c = m.c, .b = inside(&m)};
    kernel_allocate(&body.b, t, n);
    grid_store(&body, "step_1", i, n, t,
               binary(&m, CORE_ADD, load(&m, s, use(&m, i)),
                      load(&m, s, binary(&m, CORE_SUB, i64(&m, 3), use(&m, i)))));
    kernel_alias(&body.b, s, t);
    kernel_for(&m.b, KERNEL_SEQ, NULL, round, i64(&m, 10), kernel_block(&body.b));
    print_array(&m, s, n);
    expect(*state, m.c, finish(&m), "", 0, "1536 1536 1536 1536\n");
    compilation_destroy(m.c);
}

/* The sum of 0 .. n-1 in work-groups: a tree in local memory, then the partial sums on the host. */
static void a_reduction_in_groups(void **state)
{
    Making m = begin();
    KernelVariable *n = argument(&m, "n", 1000);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n)),
                   *partial = buffer(&m, "partial", CORE_I64);
    KernelVariable *g = scalar(&m, "g", CORE_I64), *l = scalar(&m, "l", CORE_I64),
                   *k = scalar(&m, "k", CORE_I64);
    KernelVariable *local = kernel_variable(m.c, "sums", CORE_I64, KERNEL_LOCAL, NO_SPAN);
    KernelVariable *stride = scalar(&m, "stride", CORE_I64), *at = scalar(&m, "at", CORE_I64);
    KernelVariable *first = scalar(&m, "first", CORE_I64), *total = scalar(&m, "total", CORE_I64);
    const KernelExp *groups = i64(&m, 4), *size = i64(&m, KERNEL_GROUP_SIZE);
    kernel_allocate(&m.b, partial, groups);
    KernelBuilder body = inside(&m), load_loop = inside(&m), tree = inside(&m), step = inside(&m),
                  add = inside(&m);
    kernel_declare_buffer(&body, local, KERNEL_GROUP_SIZE);
    kernel_declare(&body, first, binary(&m, CORE_MUL, use(&m, g), size));
    kernel_declare(&load_loop, at, binary(&m, CORE_ADD, use(&m, first), use(&m, l)));
    kernel_store(&load_loop, local, use(&m, l),
                 kernel_select(m.c, binary(&m, CORE_LT, use(&m, at), use(&m, n)),
                               load(&m, x, use(&m, at)), i64(&m, 0)));
    kernel_for(&body, KERNEL_LOCAL_LOOP, NULL, l, size, kernel_block(&load_loop));
    kernel_barrier(&body);
    KernelVariable *l2 = scalar(&m, "l", CORE_I64), *l3 = scalar(&m, "l", CORE_I64);
    kernel_declare(&tree, stride, kernel_binary(m.c, CORE_SHR, i64(&m, 128), use(&m, k)));
    kernel_store(&add, local, use(&m, l2),
                 binary(&m, CORE_ADD, load(&m, local, use(&m, l2)),
                        load(&m, local, binary(&m, CORE_ADD, use(&m, l2), use(&m, stride)))));
    kernel_if(&step, binary(&m, CORE_LT, use(&m, l2), use(&m, stride)), kernel_block(&add),
              (KernelBlock){0});
    kernel_for(&tree, KERNEL_LOCAL_LOOP, NULL, l2, size, kernel_block(&step));
    kernel_barrier(&tree);
    kernel_for(&body, KERNEL_SEQ, NULL, k, i64(&m, 8), kernel_block(&tree));
    KernelBuilder last = inside(&m), put = inside(&m);
    kernel_store(&put, partial, use(&m, g), load(&m, local, i64(&m, 0)));
    kernel_if(&last, binary(&m, CORE_EQ, use(&m, l3), i64(&m, 0)), kernel_block(&put),
              (KernelBlock){0});
    kernel_for(&body, KERNEL_LOCAL_LOOP, NULL, l3, size, kernel_block(&last));
    kernel_for(&m.b, KERNEL_GROUP, "reduce_1", g, groups, kernel_block(&body));
    KernelVariable *j = scalar(&m, "j", CORE_I64);
    KernelBuilder sum = inside(&m);
    kernel_declare(&m.b, total, i64(&m, 0));
    kernel_assign(&sum, total, binary(&m, CORE_ADD, use(&m, total), load(&m, partial, use(&m, j))));
    kernel_for(&m.b, KERNEL_SEQ, NULL, j, groups, kernel_block(&sum));
    print_array(&m, partial, groups);
    print_value(&m, use(&m, total));
    expect(*state, m.c, finish(&m), "", 0, "32640 98176 163712 204972\n499500\n");
    compilation_destroy(m.c);
}

static void atomic_case(Making *m, KernelVariable *x, CorePrim prim, CoreOperator op,
                        CoreAtom neutral, const char *name)
{
    KernelVariable *h = buffer(m, "h", prim), *i = scalar(m, "i", CORE_I64);
    kernel_allocate(&m->b, h, i64(m, 3));
    for (int k = 0; k < 3; k++)
        kernel_store(&m->b, h, i64(m, k), kernel_constant(m->c, neutral));
    KernelBuilder body = inside(m);
    const KernelExp *value = load(m, x, use(m, i));
    if (prim == CORE_BOOL)
        value = binary(m, CORE_EQ, value, i64(m, 1));
    kernel_atomic(&body, op, h, binary(m, CORE_MOD, use(m, i), i64(m, 3)),
                  kernel_convert(m->c, prim, value));
    kernel_for(&m->b, KERNEL_GRID, name, i, i64(m, 3000), kernel_block(&body));
    print_array(m, h, i64(m, 3));
}

static void atomic_updates(void **state)
{
    Making m = begin();
    KernelVariable *x = numbers(&m, "iota_1", i64(&m, 3000));
    atomic_case(&m, x, CORE_I32, CORE_ADD, core_int(CORE_I32, 0), "add_i32");
    atomic_case(&m, x, CORE_I64, CORE_ADD, core_i64(0), "add_i64");
    atomic_case(&m, x, CORE_F64, CORE_ADD, core_real(CORE_F64, 0), "add_f64");
    atomic_case(&m, x, CORE_F32, CORE_MAX, core_real(CORE_F32, -1), "max_f32");
    atomic_case(&m, x, CORE_I64, CORE_MAX, core_i64(-1), "max_i64");
    atomic_case(&m, x, CORE_I32, CORE_XOR, core_int(CORE_I32, 0), "xor_i32");
    atomic_case(&m, x, CORE_BOOL, CORE_OR, core_bool(false), "or_bool");
    expect(*state, m.c, finish(&m), "", 0,
           "1498500 1499500 1500500\n1498500 1499500 1500500\n1498500 1499500 1500500\n"
           "2997 2998 2999\n2997 2998 2999\n3176 2128 1080\n0 1 0\n");
    compilation_destroy(m.c);
}

/* Every operator and every conversion compiles and gives the same in both languages. */
static void all_operators_agree(void **state)
{
    static const CorePrim prims[] = {CORE_BOOL, CORE_CHAR, CORE_I32, CORE_I64, CORE_F32, CORE_F64};
    static const double samples[] = {-7, -1, 0, 1, 2, 3, 5.5, 70};
    Making m = begin();
    for (size_t p = 0; p < 6; p++) {
        KernelVariable *x = buffer(&m, "x", prims[p]), *y = buffer(&m, "y", prims[p]);
        const KernelExp **xs = ARENA_ARRAY(m.c->arena, const KernelExp *, 64);
        const KernelExp **ys = ARENA_ARRAY(m.c->arena, const KernelExp *, 64);
        for (int k = 0; k < 64; k++) {
            double a = samples[k / 8], b = samples[k % 8];
            CoreAtom ends[2];
            for (int s = 0; s < 2; s++) {
                double v = s ? b : a;
                ends[s] = prims[p] == CORE_BOOL    ? core_bool(v > 0)
                          : prims[p] == CORE_CHAR  ? core_char((uint32_t)(v + 60))
                          : core_is_real(prims[p]) ? core_real(prims[p], v)
                                                   : core_int(prims[p], (int64_t)v);
            }
            xs[k] = kernel_constant(m.c, ends[0]);
            ys[k] = kernel_constant(m.c, ends[1]);
        }
        kernel_constants(&m.b, x, 64, xs);
        kernel_constants(&m.b, y, 64, ys);
        for (int op = 0; op < CORE_OPERATOR_COUNT; op++) {
            if (!core_operator_accepts((CoreOperator)op, prims[p]))
                continue;
            bool is_exact = !core_is_real(prims[p]) || op < CORE_POW || op > CORE_HYPOT;
            if (op == CORE_RANDOM && prims[p] != CORE_I64)
                continue;
            if (op >= CORE_EXP || !is_exact)
                continue; /* last places may differ */
            CorePrim result = core_operator_result((CoreOperator)op, prims[p]);
            KernelVariable *z = buffer(&m, "z", result), *i = scalar(&m, "i", CORE_I64);
            kernel_allocate(&m.b, z, i64(&m, 64));
            const KernelExp *a = load(&m, x, use(&m, i)), *b = load(&m, y, use(&m, i));
            const KernelExp *value = core_operator_arity((CoreOperator)op) == 1
                                         ? kernel_unary(m.c, (CoreOperator)op, a)
                                         : binary(&m, (CoreOperator)op, a, b);
            grid_store(&m, arena_printf(m.c->arena, "op_%d_%d", (int)p, op), i, i64(&m, 64), z,
                       value);
            print_array(&m, z, i64(&m, 64));
        }
        for (size_t q = 0; q < 6; q++) {
            KernelVariable *z = buffer(&m, "z", prims[q]), *i = scalar(&m, "i", CORE_I64);
            if (prims[q] == CORE_CHAR && prims[p] != CORE_CHAR)
                continue; /* not printable */
            kernel_allocate(&m.b, z, i64(&m, 64));
            grid_store(&m, arena_printf(m.c->arena, "to_%d_%d", (int)p, (int)q), i, i64(&m, 64), z,
                       kernel_convert(m.c, prims[q], load(&m, x, use(&m, i))));
            print_array(&m, z, i64(&m, 64));
        }
    }
    KernelProgram *program = finish(&m);
    char *outputs[2];
    for (int is_opencl = 0; is_opencl < 2; is_opencl++) {
        Text text = text_create(m.c->arena);
        (is_opencl ? emit_opencl : emit_c)(m.c, &text, program, "test.apl");
        Ran ran = run_text(*state, text_get(&text), is_opencl, "");
        if (ran.code != 0)
            print_error("...%s", strlen(ran.output) > 800 ? ran.output + strlen(ran.output) - 800
                                                          : ran.output);
        assert_int_equal(ran.code, 0);
        outputs[is_opencl] = ran.output;
    }
    assert_string_equal(outputs[0], outputs[1]);
    assert_true(strlen(outputs[0]) > 5000);
    free(outputs[0]);
    free(outputs[1]);
    compilation_destroy(m.c);
}

/* while and if, private memory, names that are words of C, and a long sum in one kernel. */
static void control_and_names(void **state)
{
    Making m = begin();
    KernelVariable *y = buffer(&m, "int", CORE_I64), *i = scalar(&m, "M_PI", CORE_I64);
    KernelVariable *more = scalar(&m, "while", CORE_BOOL), *v = scalar(&m, "global", CORE_I64);
    KernelVariable *steps = kernel_variable(m.c, "_", CORE_I64, KERNEL_PRIVATE, NO_SPAN);
    const KernelExp *n = i64(&m, 9);
    kernel_allocate(&m.b, y, n);
    KernelBuilder body = inside(&m), loop = inside(&m), even = inside(&m), odd = inside(&m);
    kernel_declare_buffer(&body, steps, 1);
    kernel_store(&body, steps, i64(&m, 0), i64(&m, 0));
    kernel_declare(&body, v, binary(&m, CORE_ADD, use(&m, i), i64(&m, 1)));
    kernel_declare(&body, more, binary(&m, CORE_NE, use(&m, v), i64(&m, 1)));
    kernel_assign(&even, v, binary(&m, CORE_DIV, use(&m, v), i64(&m, 2)));
    kernel_assign(&odd, v,
                  binary(&m, CORE_ADD, binary(&m, CORE_MUL, use(&m, v), i64(&m, 3)), i64(&m, 1)));
    kernel_if(&loop, binary(&m, CORE_EQ, binary(&m, CORE_AND, use(&m, v), i64(&m, 1)), i64(&m, 0)),
              kernel_block(&even), kernel_block(&odd));
    kernel_store(&loop, steps, i64(&m, 0),
                 binary(&m, CORE_ADD, load(&m, steps, i64(&m, 0)), i64(&m, 1)));
    kernel_assign(&loop, more, binary(&m, CORE_NE, use(&m, v), i64(&m, 1)));
    kernel_while(&body, more, kernel_block(&loop));
    kernel_store(&body, y, use(&m, i), load(&m, steps, i64(&m, 0)));
    kernel_comment(&m.b, "steps of Collatz */ for (;;) /* done");
    kernel_for(&m.b, KERNEL_GRID, "collatz_1", i, n, kernel_block(&body));
    print_array(&m, y, n);
    expect(*state, m.c, finish(&m), "", 0, "0 1 7 2 5 8 16 3 19\n");
    compilation_destroy(m.c);
}

/* Main is split where it is long: 10,000 statements build in seconds and compute the same. */
static void a_program_of_10000_statements(void **state)
{
    Making m = begin();
    KernelVariable *x = scalar(&m, "x", CORE_I64), *last = x;
    kernel_declare(&m.b, x, i64(&m, 1));
    for (int k = 0; k < 10000; k++) {
        KernelVariable *next = scalar(&m, "x", CORE_I64);
        kernel_declare(&m.b, next, binary(&m, CORE_ADD, use(&m, last), use(&m, x)));
        last = next;
    }
    print_value(&m, use(&m, last));
    expect(*state, m.c, finish(&m), "", 0, "10001\n");
    compilation_destroy(m.c);
}

static void the_text_form(void **state)
{
    (void)state;
    Making m = begin();
    KernelVariable *n = argument(&m, "n", 4);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n));
    print_array(&m, x, use(&m, n));
    kernel_release(&m.b, x);
    KernelProgram *program = finish(&m);
    Text text = text_create(m.c->arena);
    kernel_print(m.c, &text, program);
    assert_string_equal(text_get(&text), "var n_1 : i64\n"
                                         "n_1 = argument \"n\" default 4\n"
                                         "alloc x_2 : i64[n_1]\n"
                                         "grid iota_1 (i_3 < n_1) {\n"
                                         "    x_2[i_3] = i_3\n"
                                         "}\n"
                                         "print x_2 [n_1]\n"
                                         "release x_2\n");
    compilation_destroy(m.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_over_constants),          cmocka_unit_test(loop_state_by_alias),
        cmocka_unit_test(a_reduction_in_groups),         cmocka_unit_test(atomic_updates),
        cmocka_unit_test(all_operators_agree),           cmocka_unit_test(control_and_names),
        cmocka_unit_test(a_program_of_10000_statements), cmocka_unit_test(the_text_form),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
