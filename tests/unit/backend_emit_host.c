/* As backend_emit.c; here what involves the host: failures in program order, effects, single
   elements, copies, empty arrays. */
#include "tests/unit/backend_emit.h"

static void an_empty_array(void **state)
{
    Making m = begin();
    KernelVariable *n = argument(&m, "n", 0);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n));
    print_array(&m, x, use(&m, n));
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 0, "\n");
    expect(*state, m.c, program, "--n=4", 0, "0 1 2 3\n");
    expect(*state, m.c, program, "--n=¯1", 1,
           "test.apl: LIMIT ERROR: an array of ¯1 elements of 8 bytes\n");
    compilation_destroy(m.c);
}

/* x[i] / limit is checked in the kernel: what was printed before stays, what comes after does not.
 */
static void a_check_in_a_kernel(void **state)
{
    Making m = begin();
    SourceFile *file = source_create(m.c->arena, "test.apl", "x[7 8]\ny÷\"*/\\\n", 15);
    Span place = {file, 0, 6};
    const CorePrim prims[] = {CORE_I64, CORE_F64};
    size_t failure = add_failure(&m, CORE_INDEX_ERROR, "{} above {}", 2, prims, place);
    KernelVariable *n = argument(&m, "n", 5);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n)), *y = buffer(&m, "y", CORE_F64);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *ok = scalar(&m, "ok", CORE_BOOL),
                   *v = scalar(&m, "v", CORE_I64);
    print_value(&m, i64(&m, 42));
    kernel_allocate(&m.b, y, use(&m, n));
    KernelBuilder body = inside(&m), good = inside(&m);
    kernel_declare(&body, ok, NULL);
    kernel_declare(&body, v, load(&m, x, use(&m, i)));
    const KernelExp *values[] = {use(&m, v), f64(&m, 6.5)};
    kernel_check(&body, ok, binary(&m, CORE_LT, use(&m, v), i64(&m, 7)), NULL, failure, 2, values);
    kernel_store(&good, y, use(&m, i), kernel_convert(m.c, CORE_F64, use(&m, v)));
    kernel_if(&body, use(&m, ok), kernel_block(&good), (KernelBlock){0});
    m.b.span = (Span){file, 7, 14};
    kernel_for(&m.b, KERNEL_GRID, "check_1", i, use(&m, n), kernel_block(&body));
    print_value(&m, i64(&m, 43));
    print_array(&m, y, use(&m, n));
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 0, "42\n43\n0 1 2 3 4\n");
    /* sequential C stops at the first bad element, before the second print; n = 8 has only one */
    expect(*state, m.c, program, "--n=8", 1,
           "42\ntest.apl:1:1: INDEX ERROR: 7 above 6.5\n  x[7 8]\n  ^^^^^^\n");
    compilation_destroy(m.c);
}

/* A failure on the device comes before a later one on the host. */
static void failures_in_program_order(void **state)
{
    Making m = begin();
    size_t first = add_failure(&m, CORE_DOMAIN_ERROR, "on the device", 0, NULL, NO_SPAN);
    size_t second = add_failure(&m, CORE_LENGTH_ERROR, "on the host", 0, NULL, NO_SPAN);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *n = argument(&m, "n", 1);
    KernelVariable *x = numbers(&m, "iota_1", i64(&m, 3));
    KernelBuilder body = inside(&m);
    kernel_check(&body, NULL, binary(&m, CORE_LT, load(&m, x, use(&m, i)), use(&m, n)), NULL, first,
                 0, NULL);
    kernel_for(&m.b, KERNEL_GRID, "check_1", i, i64(&m, 3), kernel_block(&body));
    kernel_check(&m.b, NULL, binary(&m, CORE_GT, use(&m, n), i64(&m, 3)), NULL, second, 0, NULL);
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 1, "test.apl: DOMAIN ERROR: on the device\n");
    expect(*state, m.c, program, "--n=3", 1, "test.apl: LENGTH ERROR: on the host\n");
    expect(*state, m.c, program, "--n=4", 0, "");
    compilation_destroy(m.c);
}

/* A size that cannot be comes after a failure on the device too. */
static void a_failure_before_a_bad_size(void **state)
{
    Making m = begin();
    size_t failure = add_failure(&m, CORE_DOMAIN_ERROR, "first", 0, NULL, NO_SPAN);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *n = argument(&m, "n", 0),
                   *x = buffer(&m, "x", CORE_F64);
    KernelBuilder body = inside(&m);
    kernel_check(&body, NULL, binary(&m, CORE_LT, use(&m, i), use(&m, n)), NULL, failure, 0, NULL);
    kernel_for(&m.b, KERNEL_GRID, "check_1", i, i64(&m, 300000), kernel_block(&body));
    kernel_allocate(&m.b, x, i64(&m, -5));
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 1, "test.apl: DOMAIN ERROR: first\n");
    expect(*state, m.c, program, "--n=300000", 1,
           "test.apl: LIMIT ERROR: an array of ¯5 elements of 8 bytes\n");
    compilation_destroy(m.c);
}

/* Kernels after a failing one must not use the meaningless indices that it left. */
static void kernels_after_a_failure_do_nothing(void **state)
{
    Making m = begin();
    size_t failure = add_failure(&m, CORE_DOMAIN_ERROR, "", 0, NULL, NO_SPAN);
    KernelVariable *x = buffer(&m, "x", CORE_I64), *i = scalar(&m, "i", CORE_I64),
                   *y = buffer(&m, "y", CORE_I64);
    const KernelExp *n = i64(&m, 256);
    kernel_allocate(&m.b, x, n);
    KernelBuilder body = inside(&m);
    kernel_check(&body, NULL, binary(&m, CORE_LT, use(&m, i), i64(&m, 0)), NULL, failure, 0, NULL);
    kernel_store(&body, x, use(&m, i), i64(&m, INT64_MAX / 16));
    kernel_for(&m.b, KERNEL_GRID, "fails_1", i, n, kernel_block(&body));
    kernel_allocate(&m.b, y, n);
    KernelVariable *j = scalar(&m, "i", CORE_I64);
    grid_store(&m, "wild_1", j, n, y, load(&m, y, load(&m, x, use(&m, j))));
    KernelVariable *g = scalar(&m, "g", CORE_I64), *l = scalar(&m, "l", CORE_I64),
                   *u = scalar(&m, "u", CORE_I64);
    KernelBuilder group = inside(&m), local = inside(&m);
    kernel_declare(&group, u, load(&m, y, load(&m, x, use(&m, g))));
    kernel_store(&local, y, load(&m, x, use(&m, l)), use(&m, u));
    kernel_for(&group, KERNEL_LOCAL_LOOP, NULL, l, n, kernel_block(&local));
    kernel_for(&m.b, KERNEL_GROUP, "wild_2", g, i64(&m, 2), kernel_block(&group));
    print_array(&m, y, n);
    expect(*state, m.c, finish(&m), "", 1, "test.apl: DOMAIN ERROR\n");
    compilation_destroy(m.c);
}

/* The host stores and loads single elements around a kernel; loops over private memory. */
static void elements_on_the_host(void **state)
{
    Making m = begin();
    const KernelExp *n = i64(&m, 20000);
    KernelVariable *x = buffer(&m, "x", CORE_I64), *i = scalar(&m, "i", CORE_I64),
                   *j = scalar(&m, "j", CORE_I64);
    KernelVariable *k = scalar(&m, "k", CORE_I64), *sum = scalar(&m, "sum", CORE_I64);
    kernel_allocate(&m.b, x, n);
    KernelBuilder store = inside(&m), read = inside(&m);
    const KernelExp *back = binary(&m, CORE_SUB, i64(&m, 19999), use(&m, i));
    kernel_store(&store, x, back, use(&m, i));
    kernel_for(&m.b, KERNEL_SEQ, NULL, i, n, kernel_block(&store));
    grid_store(&m, "twice_1", j, n, x, binary(&m, CORE_MUL, load(&m, x, use(&m, j)), i64(&m, 2)));
    kernel_store(&m.b, x, i64(&m, 0), i64(&m, -1));
    kernel_store(&m.b, x, i64(&m, 19999), i64(&m, 5));
    kernel_declare(&m.b, sum, i64(&m, 0));
    kernel_assign(&read, sum, binary(&m, CORE_ADD, use(&m, sum), load(&m, x, use(&m, k))));
    kernel_for(&m.b, KERNEL_SEQ, NULL, k, n, kernel_block(&read));
    print_value(&m, use(&m, sum));
    print_value(&m, load(&m, x, i64(&m, 0)));
    print_value(&m, load(&m, x, i64(&m, 9999)));
    /* 2 * (19999*20000/2) - 2*19999 - 1 + 5 */
    expect(*state, m.c, finish(&m), "", 0, "399940006\n¯1\n20000\n");
    compilation_destroy(m.c);
}

/* Parts of one buffer and of another are moved; overlapping ones too. */
static void copies(void **state)
{
    Making m = begin();
    KernelVariable *x = numbers(&m, "iota_1", i64(&m, 8)), *y = buffer(&m, "y", CORE_I64);
    kernel_allocate(&m.b, y, i64(&m, 3));
    kernel_copy(&m.b, y, i64(&m, 0), x, i64(&m, 5), i64(&m, 3));
    kernel_copy(&m.b, x, i64(&m, 2), x, i64(&m, 0), i64(&m, 5));
    kernel_copy(&m.b, x, i64(&m, 0), y, i64(&m, 0), i64(&m, 0));
    print_array(&m, x, i64(&m, 8));
    print_array(&m, y, i64(&m, 3));
    expect(*state, m.c, finish(&m), "", 0, "0 1 0 1 2 3 4 7\n5 6 7\n");
    compilation_destroy(m.c);
}

/* Effects that make arrays, and those that only speak of numbers. */
static void other_effects(void **state)
{
    Fixture *fixture = *state;
    Making m = begin();
    char path[128];
    snprintf(path, sizeof path, "%s/data.txt", fixture->folder);
    FILE *file = fopen(path, "w");
    fputs("3 4.5 ¯6\n", file);
    fclose(file);
    KernelVariable *name = buffer(&m, "name", CORE_CHAR), *data = buffer(&m, "data", CORE_F64);
    KernelVariable *count = scalar(&m, "count", CORE_I64), *t = scalar(&m, "t", CORE_I64);
    const KernelExp *codes[] = {
        kernel_constant(m.c, core_char('d')), kernel_constant(m.c, core_char('a')),
        kernel_constant(m.c, core_char('t')), kernel_constant(m.c, core_char('a')),
        kernel_constant(m.c, core_char('.')), kernel_constant(m.c, core_char('t')),
        kernel_constant(m.c, core_char('x')), kernel_constant(m.c, core_char('t'))};
    KernelVariable **extents = ARENA_ARRAY(m.c->arena, KernelVariable *, 1);
    extents[0] = count;
    kernel_constants(&m.b, name, 8, codes);
    kernel_declare(&m.b, count, NULL);
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_READ,
                                       .variable = data,
                                       .extents = extents,
                                       .rank = 1,
                                       .source = name,
                                       .second = i64(&m, 8)});
    print_array(&m, data, use(&m, count));
    KernelVariable *text = buffer(&m, "text", CORE_CHAR), *shown = scalar(&m, "shown", CORE_I64);
    kernel_declare(&m.b, shown, NULL);
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_FORMAT,
                                       .variable = text,
                                       .result = shown,
                                       .second = i64(&m, 10),
                                       .value = load(&m, data, i64(&m, 2))});
    print_array(&m, text, use(&m, shown));
    kernel_declare(&m.b, t, NULL);
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_SEED, .value = i64(&m, 99)});
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_SEED_NOW, .result = t});
    print_value(&m, use(&m, t));
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_DRAWS, .result = t, .value = i64(&m, 10)});
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_DRAWS, .result = t, .value = i64(&m, 1)});
    print_value(&m, use(&m, t));
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_NOW, .result = t});
    print_value(&m, binary(&m, CORE_GE, use(&m, t), i64(&m, 0)));
    KernelProgram *program = finish(&m);
    expect(fixture, m.c, program, "", 0, "3 4.5 ¯6\n¯6\n99\n10\n1\n");
    remove(path);
    for (int is_opencl = 0; is_opencl < 2; is_opencl++) {
        Text out = text_create(m.c->arena);
        (is_opencl ? emit_opencl : emit_c)(m.c, &out, program, "test.apl");
        Ran ran = run_text(fixture, text_get(&out), is_opencl, "");
        assert_int_equal(ran.code, 1);
        assert_non_null(strstr(ran.output, "DOMAIN ERROR"));
        assert_non_null(strstr(ran.output, "data.txt"));
        free(ran.output);
    }
    compilation_destroy(m.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_array),
        cmocka_unit_test(a_check_in_a_kernel),
        cmocka_unit_test(failures_in_program_order),
        cmocka_unit_test(a_failure_before_a_bad_size),
        cmocka_unit_test(kernels_after_a_failure_do_nothing),
        cmocka_unit_test(elements_on_the_host),
        cmocka_unit_test(copies),
        cmocka_unit_test(other_effects),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
