/* The interpreter: what each kind of core expression means. Programs are in core's text form; what
   they print and return is compared as text. */
#include "core/interpret.h"
#include "runtime/tailor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- running programs ----------------------------------------------------------------------- */

typedef struct Session {
    FILE *out;
    int64_t drawn, seed, benched, digits;
} Session;

static void on_print(void *context, CoreValue value, bool complex)
{
    Session *session = context;
    (complex ? tl_print_complex : tl_print)(session->out, (tl_type)value.prim, value.rank,
                                            value.shape, value.data);
}

static bool on_read(void *context, CoreFileFormat format, CorePrim prim, int rank, const char *file,
                    int64_t *shape, void **data, const char **error, const char **problem)
{
    (void)context;
    *data = tl_read_array((tl_file_format)format, (tl_type)prim, rank, file, shape, problem);
    *error = tl_read_error();
    return *data != NULL;
}

static bool on_argument(void *context, CorePrim prim, const char *name, CoreValue fallback,
                        void *result, const char **problem)
{
    (void)context;
    *problem = "there is no such argument";
    memcpy(result, fallback.data, tl_type_size((tl_type)prim));
    return strcmp(name, "n") == 0;
}

static int64_t on_now(void *context)
{
    (void)context;
    return 42;
}

static int64_t on_draws(void *context, int64_t count)
{
    Session *session = context;
    session->drawn += count;
    return session->drawn - count;
}

static void on_seed(void *context, int64_t seed)
{
    ((Session *)context)->seed = seed;
}

static int64_t on_seed_now(void *context)
{
    return ((Session *)context)->seed;
}

static void on_bench(void *context, int64_t iterations, int64_t milliseconds)
{
    ((Session *)context)->benched = iterations * 1000 + milliseconds;
}

static void on_precision(void *context, int64_t digits)
{
    ((Session *)context)->digits = digits;
}

static int64_t on_precision_now(void *context)
{
    return ((Session *)context)->digits;
}

static void on_format(void *context, CoreValue how, CoreValue value, bool is_complex,
                      int64_t *columns, uint32_t **text)
{
    (void)context, (void)is_complex;
    *text = how.rank == 0 ? tl_format(*(const int64_t *)how.data, (tl_type)value.prim, value.rank,
                                      value.shape, value.data, columns)
                          : tl_format_fields(how.shape[0], how.data, (tl_type)value.prim,
                                             value.rank, value.shape, value.data, columns);
}

/* Runs main; `out` (of some size) gets what it prints, then its results, then its diagnostics. */
static void run_into(char *out, size_t size, const char *program, int64_t chunk)
{
    Compilation *c = compilation_create();
    Session session = {fmemopen(out, size, "w"), 0, 16807, 0, 10};
    CoreEffects effects = {.context = &session,
                           .print = on_print,
                           .read = on_read,
                           .argument = on_argument,
                           .now = on_now,
                           .draws = on_draws,
                           .seed = on_seed,
                           .seed_now = on_seed_now,
                           .bench = on_bench,
                           .precision = on_precision,
                           .precision_now = on_precision_now,
                           .format = on_format,
                           .random = tl_random};
    SourceFile *source = source_create(c->arena, "test.core", program, strlen(program));
    CoreProgram *parsed = core_parse(c, source);
    if (parsed) {
        CoreInterpretation done = core_interpret(c, parsed, "main", 0, NULL, &effects, chunk);
        for (size_t i = 0; done.ok && i < done.result_count; i++) {
            on_print(&session, done.results[i], false);
        }
    }
    diagnostics_print(c->diagnostics, session.out);
    fclose(session.out);
    compilation_destroy(c);
}

static void assert_runs_in_chunks(const char *program, int64_t chunk, const char *expected)
{
    static char out[1 << 16];
    memset(out, 0, sizeof out);
    run_into(out, sizeof out, program, chunk);
    assert_string_equal(out, expected);
}

static void assert_runs(const char *program, const char *expected)
{
    assert_runs_in_chunks(program, 0, expected);
}

/* Fails with that first line of the diagnostic, after printing `before`. */
static void assert_fails(const char *program, const char *before, const char *message)
{
    static char out[1 << 16];
    memset(out, 0, sizeof out);
    run_into(out, sizeof out, program, 0);
    assert_memory_equal(out, before, strlen(before));
    char *line = out + strlen(before), *end = strchr(line, '\n');
    assert_non_null(end);
    *end = '\0';
    assert_non_null(strstr(line, ": "));
    assert_string_equal(strstr(line, ": ") + 2, message);
}

/* ---- scalars and control --------------------------------------------------------------------- */

static void test_scalar_operators(void **state)
{
    (void)state;
    assert_runs("entry fun main () : (i64, i64, f64, bool, i32, i64) =\n"
                "  let (a : i64) = -7i64 / 2i64\n"
                "  let (b : i64) = -7i64 % 2i64\n"
                "  let (c : f64) = 1.0f64 / 0.0f64\n"
                "  let (d : bool) = 'a' < 'b'\n"
                "  let (e : i32) = 2147483647i32 + 1i32\n"
                "  let (f : i64) = gcd 12i64 -18i64\n"
                "  in (a, b, c, d, e, f)\n",
                "¯4\n1\n∞\n1\n¯2147483648\n6\n");
}

static void test_conversions(void **state)
{
    (void)state;
    assert_runs("entry fun main () : (i64, f64, bool, i32, i64, f32, char) =\n"
                "  let (a : i64) = convert i64 -2.9f64\n"
                "  let (b : f64) = convert f64 7i64\n"
                "  let (c : bool) = convert bool 0.5f64\n"
                "  let (d : i32) = convert i32 4294967297i64\n"
                "  let (e : i64) = convert i64 f64.nan\n"
                "  let (f : f32) = convert f32 0.1f64\n"
                "  let (g : char) = convert char 97i64\n"
                "  in (a, b, c, d, e, f, g)\n",
                "¯2\n7\n1\n1\n0\n0.1\na\n");
}

static void test_random_is_philox(void **state)
{
    (void)state;
    assert_runs("entry fun main () : (bool) =\n"
                "  let (r : i64) = random 0i64 0i64\n"
                "  let (ok : bool) = r == 8121365371091678314i64\n"
                "  in (ok)\n",
                "1\n");
}

static void test_if_with_existential_sizes(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (c : bool) = 1i64 < 2i64\n"
                "  let (n : i64, xs : [n]i64) = if c then {\n"
                "    let (a : [3]i64) = iota 3i64 in (3i64, a) } else {\n"
                "    let (b : [2]i64) = iota 2i64 in (2i64, b) }\n"
                "  let () = print xs\n"
                "  let () = print n\n"
                "  in ()\n",
                "0 1 2\n3\n");
}

static void test_for_loop(void **state)
{
    (void)state;
    assert_runs(
        "entry fun main () : (i64, i64) =\n"
        "  let (a : i64, b : i64) = loop (x : i64 = 0i64, y : i64 = 1i64) for i < 10i64 do {\n"
        "    let (z : i64) = x + y in (y, z) }\n"
        "  let (n : i64) = loop (k : i64 = 5i64) for j < -3i64 do { in (j) }\n"
        "  in (a, n)\n",
        "55\n5\n");
}

static void test_while_loop_with_growing_state(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (a : [1]i64) = iota 1i64\n"
                "  let (go : bool, n : i64, xs : [n]i64) =\n"
                "    loop (g : bool = true, m : i64 = 1i64, ys : [m]i64 = a) while g do {\n"
                "      let (m2 : i64) = m + m\n"
                "      let (zs : [m2]i64) = concat 0 (ys, ys)\n"
                "      let (more : bool) = m2 < 8i64\n"
                "      in (more, m2, zs) }\n"
                "  let () = print n\n"
                "  let () = print xs\n"
                "  in ()\n",
                "8\n0 0 0 0 0 0 0 0\n");
}

static void test_calls(void **state)
{
    (void)state;
    assert_runs(
        "fun twice (n : i64, xs : [n]i64) : ([n]i64) =\n"
        "  let (ys : [n]i64) = map n (xs) (\\(x : i64) -> { let (y : i64) = x + x in (y) })\n"
        "  in (ys)\n"
        "entry fun main () : () =\n"
        "  let (xs : [3]i64) = iota 3i64\n"
        "  let (ys : [3]i64) = twice(3i64, xs)\n"
        "  let (zs : [3]i64) = twice(3i64, ys)\n"
        "  let () = print zs\n"
        "  let () = print xs\n"
        "  in ()\n",
        "0 4 8\n0 1 2\n");
}

/* ---- assertions ------------------------------------------------------------------------------ */

static void test_assertion_fills_its_message(void **state)
{
    (void)state;
    assert_fails(
        "entry fun main () : () =\n"
        "  let () = print 1i64\n"
        "  let (c : bool) = 3i64 == -4i64\n"
        "  let (k : cert) = assert c \"LENGTH ERROR\" \"{} and {} at {}\" (3i64, -4i64, 0.5f64)\n"
        "  let () = <k> print 2i64\n"
        "  in ()\n",
        "1\n", "LENGTH ERROR: 3 and ¯4 at 0.5");
    assert_fails("entry fun main () : () =\n"
                 "  let (k : cert) = assert false \"DOMAIN ERROR\" \"\" ()\n"
                 "  let (all : cert) = conjoin (k, k)\n"
                 "  in ()\n",
                 "", "DOMAIN ERROR");
}

static void test_first_failing_row_wins(void **state)
{
    (void)state;
    assert_fails("entry fun main () : () =\n"
                 "  let (xs : [10]i64) = iota 10i64\n"
                 "  let (ys : [10]i64) = map 10i64 (xs) (\\(x : i64) -> {\n"
                 "    let (c : bool) = x < 4i64\n"
                 "    let (k : cert) = assert c \"INDEX ERROR\" \"{}\" (x)\n"
                 "    let (y : i64) = <k> x + 1i64 in (y) })\n"
                 "  let () = print ys\n"
                 "  in ()\n",
                 "", "INDEX ERROR: 4");
}

static void test_holding_assertion_does_nothing(void **state)
{
    (void)state;
    assert_runs("entry fun main () : (i64) =\n"
                "  let (k : cert) = assert true \"RANK ERROR\" \"\" ()\n"
                "  let (all : cert) = conjoin (k, certain)\n"
                "  let (x : i64) = <all> 1i64 + 1i64\n"
                "  in (x)\n",
                "2\n");
}

/* ---- arrays and views ------------------------------------------------------------------------ */

#define MATRIX                                                                                     \
    "  let (v : [6]i64) = iota 6i64\n"                                                             \
    "  let (m : [2][3]i64) = reshape [2i64, 3i64] v\n"

static void test_views(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n" MATRIX "  let (t : [3][2]i64) = rearrange (1, 0) m\n"
                "  let () = print t\n"
                "  let (r : [2][3]i64) = reverse 1 m\n"
                "  let () = print r\n"
                "  let (o : [2][3]i64) = rotate 1 -1i64 m\n"
                "  let () = print o\n"
                "  let (f : [6]i64) = reshape [6i64] t\n"
                "  let () = print f\n"
                "  let (s : [2][2]i64) = m[0i64 :+ 2i64 * 1i64, 2i64 :+ 2i64 * -2i64]\n"
                "  let () = print s\n"
                "  let (c : [3]i64) = m[1i64, 0i64 :+ 3i64 * 1i64]\n"
                "  let () = print c\n"
                "  let (e : [2][6]i64) = concat 1 (m, r)\n"
                "  let () = print e\n"
                "  let (p : [2][6]i64) = pad 1 1i64 2i64 9i64 m\n"
                "  let () = print p\n"
                "  let (k : [8]i64) = cycle 8i64 7i64 c\n"
                "  let () = print k\n"
                "  in ()\n",
                "0 3\n1 4\n2 5\n"
                "2 1 0\n5 4 3\n"
                "2 0 1\n5 3 4\n"
                "0 3 1 4 2 5\n"
                "2 0\n5 3\n"
                "3 4 5\n"
                "0 1 2 2 1 0\n3 4 5 5 4 3\n"
                "9 0 1 2 9 9\n9 3 4 5 9 9\n"
                "3 4 5 3 4 5 3 4\n");
}

static void test_replicate_and_literals(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (a : [2][3]bool) = replicate [2i64, 3i64] true\n"
                "  let () = print a\n"
                "  let (b : [2]f64) = [1.5f64, 2.0f64]\n"
                "  let (c : [2][2]f64) = [b, b]\n"
                "  let () = print c\n"
                "  let (d : [3][2]f64) = replicate [3i64] b\n"
                "  let () = print d\n"
                "  let (e : [4]char) = replicate [4i64] 'x'\n"
                "  let () = print e\n"
                "  let (f : [0]i64) = iota 0i64\n"
                "  let (g : [3]i64) = cycle 3i64 5i64 f\n"
                "  let () = print g\n"
                "  in ()\n",
                "1 1 1\n1 1 1\n1.5 2\n1.5 2\n1.5 2\n1.5 2\n1.5 2\nxxxx\n5 5 5\n");
}

static void test_updates_have_value_semantics(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n" MATRIX "  let (a : *[2][3]i64) = copy m\n"
                "  let (b : [2][3]i64) = a with [0i64, 1i64] <- 99i64\n"
                "  let (row : [3]i64) = replicate [3i64] 7i64\n"
                "  let (c : *[2][3]i64) = copy b\n"
                "  let (d : [2][3]i64) = c with [1i64, 0i64 :+ 3i64 * 1i64] <- row\n"
                "  let () = print m\n"
                "  let () = print b\n"
                "  let () = print d\n"
                "  let (z : *[3]i64) = copy row\n"
                "  let (y : [3]i64) = z with [1i64] <- 0i64\n"
                "  let () = print y\n"
                "  let () = print row\n"
                "  in ()\n",
                "0 1 2\n3 4 5\n0 99 2\n3  4 5\n0 99 2\n7  7 7\n7 0 7\n7 7 7\n");
}

static void test_updates_in_loops_are_in_place(void **state)
{
    (void)state;
    /* 10^5 updates of a vector of 10^6: hours if each copied */
    assert_runs("entry fun main () : (i64) =\n"
                "  let (n : i64) = 1000000i64 + 0i64\n"
                "  let (xs : [n]i64) = iota n\n"
                "  let (zs : *[n]i64) = copy xs\n"
                "  let (ys : [n]i64) = loop (a : *[n]i64 = zs) for i < 100000i64 do {\n"
                "    let (x : i64) = a[i]\n"
                "    let (r : [3]i64) = a[0i64 :+ 3i64 * 1i64]\n"
                "    let (q : i64) = r[1i64]\n"
                "    let (odd : i64) = i & 1i64\n"
                "    let (is_odd : bool) = odd == 1i64\n"
                "    let (b : *[n]i64) = if is_odd then {\n"
                "      let (y : i64) = x + q\n"
                "      let (e : [n]i64) = a with [i] <- y in (e) } else { in (a) }\n"
                "    in (b)\n"
                "  }\n"
                "  let (last : i64) = ys[99999i64]\n"
                "  let (old : i64) = xs[99999i64]\n"
                "  let (sum : i64) = last * old\n"
                "  in (sum)\n",
                "9999999999\n");
}

static void test_large_arrays_are_freed(void **state)
{
    (void)state;
    /* 10000 times 8 MB; AddressSanitizer takes its time for each */
#ifdef SANITIZED
#define TIMES "100i64"
#else
#define TIMES "10000i64"
#endif
    assert_runs("entry fun main () : (i64) =\n"
                "  let (s : i64) = loop (t : i64 = 0i64) for i < " TIMES " do {\n"
                "    let (xs : [1000000]i64) = scratch [1000000i64] i64\n"
                "    let (a : i64) = xs[i]\n"
                "    let (b : i64) = t + a\n"
                "    let (ys : [100]i64) = iota 100i64\n"
                "    in (b) }\n"
                "  in (s)\n",
                "0\n");
}

static void test_bad_indices_are_reported(void **state)
{
    (void)state;
    assert_fails("entry fun main () : () =\n" MATRIX "  let (x : i64) = m[0i64, 3i64]\n  in ()\n",
                 "", "INDEX ERROR: index 3 of an axis of 3");
    assert_fails("entry fun main () : () =\n" MATRIX
                 "  let (x : [2]i64) = v[5i64 :+ 2i64 * 1i64]\n  in ()\n",
                 "", "INDEX ERROR: index 6 of an axis of 6");
    assert_fails("entry fun main () : () =\n" MATRIX
                 "  let (x : [2]i64) = v[5i64 :+ 3i64 * 9223372036854775807i64]\n  in ()\n",
                 "", "INDEX ERROR: index ¯1 of an axis of 6");
}

static void test_absurd_sizes(void **state)
{
    (void)state;
    assert_fails("entry fun main () : () =\n"
                 "  let (n : i64) = 1000000i64 * 1000000i64\n"
                 "  let (xs : [n]i64) = iota n\n"
                 "  in ()\n",
                 "", "WS FULL: 8000000000000 bytes");
    assert_fails("entry fun main () : () =\n"
                 "  let (n : i64) = 0i64 - 5i64\n"
                 "  let (xs : [n]i64) = iota n\n"
                 "  in ()\n",
                 "", "LIMIT ERROR: an axis of ¯5");
    assert_fails("entry fun main () : () =\n"
                 "  let (n : i64) = 4611686018427387904i64 + 0i64\n"
                 "  let (xs : [n][n]i64) = replicate [n, n] 1i64\n"
                 "  let () = print xs\n"
                 "  in ()\n",
                 "", "LIMIT ERROR: too many elements");
}

/* ---- SOACs ----------------------------------------------------------------------------------- */

#define PLUS "(\\(a : i64, b : i64) -> { let (c : i64) = a + b in (c) })"

static void test_map_reduce_scan(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (xs : [5]i64) = iota 5i64\n"
                "  let (ys : [5]i64, zs : [5]bool) = map 5i64 (xs, xs) (\\(x : i64, y : i64) -> {\n"
                "    let (p : i64) = x * y\n"
                "    let (q : bool) = x < 2i64 in (p, q) })\n"
                "  let () = print ys\n"
                "  let () = print zs\n"
                "  let (s : i64) = reduce 5i64 (ys) " PLUS " (0i64)\n"
                "  let () = print s\n"
                "  let (t : [5]i64) = scan 5i64 (ys) " PLUS " (0i64)\n"
                "  let () = print t\n"
                "  in ()\n",
                "0 1 4 9 16\n1 1 0 0 0\n30\n0 1 5 14 30\n");
}

static void test_fused_soac(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (xs : [4]i64) = iota 4i64\n"
                "  let (sum : i64, sums : [4]i64, squares : [4]i64) =\n"
                "    soac 4i64 (xs) (\\(x : i64) -> { let (y : i64) = x * x in (x, y, y) })\n"
                "    reduce " PLUS " (0i64) scan " PLUS " (100i64)\n"
                "  let () = print sum\n"
                "  let () = print sums\n"
                "  let () = print squares\n"
                "  in ()\n",
                "6\n100 101 105 114\n0 1 4 9\n");
}

static void test_reduction_order_is_kept(void **state)
{
    (void)state;
    assert_runs("entry fun main () : (i64) =\n"
                "  let (xs : [4]i64) = iota 4i64\n"
                "  let (d : i64) = reduce 4i64 (xs) (\\(a : i64, b : i64) -> {\n"
                "    let (t : i64) = a * 10i64 let (c : i64) = t + b in (c) }) (7i64)\n"
                "  in (d)\n",
                "70123\n");
}

static void test_rows_and_nested_soacs(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n" MATRIX
                "  let (sums : [2]i64) = map 2i64 (m) (\\(r : [3]i64) -> {\n"
                "    let (s : i64) = reduce 3i64 (r) " PLUS " (0i64) in (s) })\n"
                "  let () = print sums\n"
                "  let (zero : [3]i64) = replicate [3i64] 0i64\n"
                "  let (columns : [3]i64) = reduce 2i64 (m)\n"
                "    (\\(a : [3]i64, b : [3]i64) -> {\n"
                "      let (c : [3]i64) = map 3i64 (a, b) " PLUS " in (c) }) (zero)\n"
                "  let () = print columns\n"
                "  let (up : [2][3]i64) = scan 2i64 (m)\n"
                "    (\\(a : [3]i64, b : [3]i64) -> {\n"
                "      let (c : [3]i64) = map 3i64 (a, b) " PLUS " in (c) }) (zero)\n"
                "  let () = print up\n"
                "  let (outer : [2][3]i64) = map 2i64 (m) (\\(r : [3]i64) -> {\n"
                "    let (q : [3]i64) = reverse 0 r in (q) })\n"
                "  let () = print outer\n"
                "  in ()\n",
                "3 12\n3 5 7\n0 1 2\n3 5 7\n2 1 0\n5 4 3\n");
}

static void test_empty_soacs_have_shapes(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (k : i64) = 1i64 + 2i64\n"
                "  let (none : [0]i64) = iota 0i64\n"
                "  let (rows : [0][k]i64) = map 0i64 (none) (\\(x : i64) -> {\n"
                "    let (r : [k]i64) = replicate [k] x in (r) })\n"
                "  let (flip : [k][0]i64) = rearrange (1, 0) rows\n"
                "  let (lengths : [k]i64) = map k (flip) (\\(r : [0]i64) -> {\n"
                "    let (s : i64) = reduce 0i64 (r) " PLUS " (8i64) in (s) })\n"
                "  let () = print lengths\n"
                "  in ()\n",
                "8 8 8\n");
}

static void test_filter(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (xs : [10]i64) = iota 10i64\n"
                "  let (m : i64, ys : [m]i64) = filter 10i64 (xs) (\\(x : i64) -> {\n"
                "    let (r : i64) = x % 3i64 let (p : bool) = r == 1i64 in (p) })\n"
                "  let () = print m\n"
                "  let () = print ys\n"
                "  in ()\n",
                "3\n1 4 7\n");
}

static void test_scatter_and_hist(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (zeros : [4]i64) = replicate [4i64] 0i64\n"
                "  let (is : [5]i64) = [2i64, 0i64, -1i64, 4i64, 2i64]\n"
                "  let (vs : [5]i64) = [10i64, 20i64, 30i64, 40i64, 50i64]\n"
                "  let (a : *[4]i64) = copy zeros\n"
                "  let (s : [4]i64) = scatter 5i64 (a) is (vs)\n"
                "  let () = print s\n"
                "  let (b : *[4]i64) = copy zeros\n"
                "  let (h : [4]i64) = hist 5i64 (b) is (vs) " PLUS " (0i64)\n"
                "  let () = print h\n"
                "  let () = print zeros\n"
                "  in ()\n",
                "20 0 50 0\n20 0 60 0\n0 0 0 0\n");
}

static void test_digit_sort(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (xs : [6]i64) = [515i64, 2i64, 258i64, -1i64, 3i64, 514i64]\n"
                "  let (last : [6]i64) = digit_sort 0i64 xs\n"
                "  let () = print last\n"
                "  let (next : [6]i64) = digit_sort 9i64 last\n"
                "  let () = print next\n"
                "  let (none : [0]i64) = iota 0i64\n"
                "  let (no : [0]i64) = digit_sort -1i64 none\n"
                "  let () = print no\n"
                "  let () = print xs\n"
                "  in ()\n",
                "2 258 514 515 3 ¯1\n2 3 258 514 515 ¯1\n\n515 2 258 ¯1 3 514\n");
}

static void test_streams_do_not_depend_on_chunks(void **state)
{
    (void)state;
    static const char program[] =
        "entry fun main () : () =\n"
        "  let (xs : [10]i64) = iota 10i64\n"
        "  let (ys : [10]i64) = stream_map 10i64 (xs) (\\(n : i64, c : [n]i64) -> {\n"
        "    let (d : [n]i64) = map n (c) (\\(x : i64) -> { let (y : i64) = x * 2i64 in (y) })\n"
        "    in (d) })\n"
        "  let () = print ys\n"
        "  let (s : i64, zs : [10]i64) = stream_red 10i64 (ys) " PLUS "\n"
        "    (\\(n : i64, acc : i64, c : [n]i64) -> {\n"
        "      let (t : i64) = reduce n (c) " PLUS " (acc) in (t, c) }) (0i64)\n"
        "  let () = print s\n"
        "  let () = print zs\n"
        "  let (last : i64, sums : [10]i64) = stream_seq 10i64 (xs)\n"
        "    (\\(n : i64, acc : i64, c : [n]i64) -> {\n"
        "      let (t : [n]i64) = scan n (c) " PLUS " (0i64)\n"
        "      let (u : [n]i64) = map n (t) (\\(x : i64) -> { let (y : i64) = x + acc in (y) })\n"
        "      let (e : i64) = n - 1i64\n"
        "      let (f : i64) = u[e]\n"
        "      in (f, u) }) (0i64)\n"
        "  let () = print last\n"
        "  let () = print sums\n"
        "  in ()\n";
    static const char expected[] = "0 2 4 6 8 10 12 14 16 18\n90\n0 2 4 6 8 10 12 14 16 18\n45\n"
                                   "0 1 3 6 10 15 21 28 36 45\n";
    for (int64_t chunk = 0; chunk <= 12; chunk++) {
        assert_runs_in_chunks(program, chunk, expected);
    }
}

/* ---- effects --------------------------------------------------------------------------------- */

static void test_effects(void **state)
{
    (void)state;
    assert_runs("entry fun main () : () =\n"
                "  let (n : i64) = argument i64 \"n\" 12i64\n"
                "  let () = print n\n"
                "  let (t : i64) = now\n"
                "  let () = print t\n"
                "  let (a : i64) = draws 5i64\n"
                "  let (b : i64) = draws 1i64\n"
                "  let () = print b\n"
                "  let () = seed 77i64\n"
                "  let (s : i64) = seed_now\n"
                "  let () = print s\n"
                "  let () = bench 3i64 100i64 ()\n"
                "  let (k : i64, text : [k]char) = format 10i64 -0.5f64\n"
                "  let () = print text\n"
                "  let () = precision 3i64\n"
                "  let (p : i64) = precision_now\n"
                "  let (k2 : i64, line : [k2]char) = format p 0.66666f64\n"
                "  let () = print line\n"
                "  let (how : [2]i64) = [7i64, 2i64]\n"
                "  let (xs : [2]f64) = [0.125f64, -3.0f64]\n"
                "  let (w : i64, field : [w]char) = format how xs\n"
                "  let () = print field\n"
                "  let () = print w\n"
                "  let (lanes : i64) = device \"lanes\"\n"
                "  let () = print lanes\n"
                "  let (bytes : i64) = device \"copied_bytes\"\n"
                "  let () = print bytes\n"
                "  in ()\n",
                "12\n42\n5\n77\n¯0.5\n0.667\n   0.13  ¯3.00\n14\n32\n1073741824\n");
    assert_fails("entry fun main () : () =\n"
                 "  let (n : i64) = argument i64 \"m\" 12i64\n"
                 "  in ()\n",
                 "", "DOMAIN ERROR: there is no such argument");
}

static void test_reading(void **state)
{
    (void)state;
    assert_fails("entry fun main () : () =\n"
                 "  let (f : [5]char) = ['/', 'n', 'o', 'n', 'e']\n"
                 "  let (n : i64, xs : [n]i64) = read i64 f\n"
                 "  in ()\n",
                 "", "DOMAIN ERROR: /none: No such file or directory");
    assert_runs("entry fun main () : () =\n"
                "  let (f : [9]char) = ['/', 'd', 'e', 'v', '/', 'n', 'u', 'l', 'l']\n"
                "  let (n : i64, xs : [n]f64) = read f64 f\n"
                "  let () = print n\n"
                "  in ()\n",
                "0\n");
}

/* ---- long and deep programs ------------------------------------------------------------------ */

static void test_long_programs(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    Text text = text_create(c->arena);
    text_string(&text, "entry fun main () : (i64) =\n  let (x_0 : i64) = 1i64 + 0i64\n");
    for (int i = 1; i <= 20000; i++) {
        text_printf(&text, "  let (x_%d : i64) = x_%d + 1i64\n", i, i - 1);
        text_printf(&text, "  let (v_%d : [2]i64) = [x_%d, x_%d]\n", i + 30000, i, i - 1);
    }
    text_string(&text, "  let (y_70000 : i64) = v_50000[0i64]\n  in (y_70000)\n");
    assert_runs(text_get(&text), "20001\n");
    compilation_destroy(c);
}

static void test_arguments_of_main(void **state)
{
    (void)state;
    static const char program[] =
        "entry fun main (n : i64, xs : [n]f32) : ([n]f32, i64) =\n"
        "  let (ys : [n]f32) = map n (xs) (\\(x : f32) -> { let (y : f32) = x / 3.0f32 in (y) })\n"
        "  in (ys, n)\n";
    Compilation *c = compilation_create();
    CoreProgram *parsed =
        core_parse(c, source_create(c->arena, "test.core", program, strlen(program)));
    assert_non_null(parsed);
    int64_t count = 2;
    float items[] = {1, 2};
    CoreValue arguments[] = {{CORE_I64, 0, NULL, &count}, {CORE_F32, 1, &count, items}};
    CoreInterpretation done = core_interpret(c, parsed, "main", 2, arguments, NULL, 0);
    assert_true(done.ok);
    assert_int_equal(done.result_count, 2);
    assert_int_equal(done.results[0].rank, 1);
    assert_int_equal(done.results[0].shape[0], 2);
    const float *thirds = done.results[0].data;
    assert_true(thirds[0] == 1.0f / 3 && thirds[1] == 2.0f / 3);
    assert_true(*(const int64_t *)done.results[1].data == 2);
    assert_false(core_interpret(c, parsed, "main", 0, NULL, NULL, 0).ok);
    assert_false(core_interpret(c, parsed, "nothing", 0, NULL, NULL, 0).ok);
    assert_int_equal(diagnostics_count(c->diagnostics), 2);
    compilation_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalar_operators),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_random_is_philox),
        cmocka_unit_test(test_if_with_existential_sizes),
        cmocka_unit_test(test_for_loop),
        cmocka_unit_test(test_while_loop_with_growing_state),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_assertion_fills_its_message),
        cmocka_unit_test(test_first_failing_row_wins),
        cmocka_unit_test(test_holding_assertion_does_nothing),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_replicate_and_literals),
        cmocka_unit_test(test_updates_have_value_semantics),
        cmocka_unit_test(test_updates_in_loops_are_in_place),
        cmocka_unit_test(test_large_arrays_are_freed),
        cmocka_unit_test(test_bad_indices_are_reported),
        cmocka_unit_test(test_absurd_sizes),
        cmocka_unit_test(test_map_reduce_scan),
        cmocka_unit_test(test_fused_soac),
        cmocka_unit_test(test_reduction_order_is_kept),
        cmocka_unit_test(test_rows_and_nested_soacs),
        cmocka_unit_test(test_empty_soacs_have_shapes),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_scatter_and_hist),
        cmocka_unit_test(test_digit_sort),
        cmocka_unit_test(test_streams_do_not_depend_on_chunks),
        cmocka_unit_test(test_effects),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_long_programs),
        cmocka_unit_test(test_arguments_of_main),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
