/* Each builtin of TAIL, translated and run, on values known at compile time and on values that only
   run time knows. */
#include "tests/unit/tail_to_core.h"

/* ---- scalars ------------------------------------------------------------------------------- */

static void scalar_builtins_compute(void **state)
{
    (void)state;
    Exp seven = run_time(-7);
    EXPECT(CALL(ADDI, seven, I(2)), "-5");
    EXPECT(CALL(DIVI, seven, I(2)), "-4");
    EXPECT(CALL(MOD, seven, I(3)), "2");
    EXPECT(CALL(RESI, I(3), seven), "2");
    EXPECT(CALL(RESI, I(0), seven), "-7");
    EXPECT(CALL(SIGNI, seven), "-1");
    EXPECT(CALL(ABSI, seven), "7");
    EXPECT(CALL(NEGI, I(7)), "-7");
    EXPECT(CALL(SHLI, I(1), I(4)), "16");
    EXPECT(CALL(SHARI, seven, I(1)), "-4");
    EXPECT(CALL(GCDI, I(12), I(18)), "6");
    EXPECT(CALL(LTI, seven, I(0)), "1");
    EXPECT(CALL(FLOOR, D(-2.5)), "-3");
    EXPECT(CALL(CEIL, D(-2.5)), "-2");
    EXPECT(CALL(SIGND, D(-2.5)), "-1");
    EXPECT(CALL(RESD, D(3.5), D(-5.2)), "1.8");
    EXPECT(CALL(NANDB, B(true), B(true)), "0");
    EXPECT(CALL(NORB, B(false), B(false)), "1");
    EXPECT(CALL(B2I, CALL(LTI, seven, I(0))), "1");
    EXPECT(CALL(I2D, seven), "-7");
    EXPECT(CALL(SQRTD, CALL(I2D, I(9))), "3");
    EXPECT(CALL(LTC, tail_char(c, 'a', NO_SPAN), tail_char(c, 'b', NO_SPAN)), "1");
}

/* ---- making and shape ---------------------------------------------------------------------- */

static void iota_and_shape(void **state)
{
    (void)state;
    EXPECT(CALL(IOTA, I(5)), "[5](1 2 3 4 5)");
    EXPECT(CALL(IOTA, I(12)), "[12](1 2 3 4 5 6 7 8 9 10 11 12)");
    EXPECT(CALL(IOTA, run_time(3)), "[3](1 2 3)");
    EXPECT(CALL(IOTA, run_time(0)), "[0]()");
    EXPECT(CALL(SHAPE, vec(4)), "[1](4)");
    EXPECT(CALL(SHAPE, matrix(2, 3)), "[2](2 3)");
    EXPECT(CALL(SHAPE, run_time(3)), "[0]()");
    EXPECT_ERROR(CALL(IOTA, run_time(-3)), "DOMAIN ERROR: ¯3");
}

static void reshape_cycles(void **state)
{
    (void)state;
    EXPECT(matrix(2, 3), "[2 3](1 2 3 4 5 6)");
    EXPECT(CALL(RESHAPE, V(2, 2), vec(3)), "[2 2](1 2 3 1)");
    EXPECT(CALL(RESHAPE, V(5), vec(2)), "[5](1 2 1 2 1)");
    EXPECT(CALL(RESHAPE, V(5), V(7, 8)), "[5](7 8 7 8 7)");
    EXPECT(CALL(RESHAPE, V(2), vec(0)), "[2](0 0)");
    EXPECT(CALL(RESHAPE, V(2, 2), I(9)), "[2 2](9 9 9 9)");
    EXPECT(CALL(RESHAPE, V(2, 2), V(9)), "[2 2](9 9 9 9)");
    EXPECT(CALL(RESHAPE, tail_zilde(c, TAIL_INT, NO_SPAN), vec(3)), "1");
    EXPECT(CALL(RESHAPE, tail_zilde(c, TAIL_INT, NO_SPAN), vec(0)), "0");
    EXPECT(CALL(RESHAPE, CALL(TAKE, I(2), vec(9)), vec(3)), "[1 2](1 2)");
    EXPECT(CALL(RAV, matrix(2, 2)), "[4](1 2 3 4)");
    EXPECT(CALL(RAV, run_time(4)), "[1](4)");
    Exp m = CALL(RESHAPE, tail_vector(c, 2, (Exp[]){run_time(2), run_time(2)}, NO_SPAN), vec(4));
    EXPECT(m, "[2 2](1 2 3 4)");
    Exp n = tail_vector(c, 2, (Exp[]){CALL(ARGINT, string("n"), I(-2)), I(2)}, NO_SPAN);
    EXPECT_ERROR(CALL(RESHAPE, n, vec(4)), "DOMAIN ERROR: ¯2");
}

static void first_and_single(void **state)
{
    (void)state;
    EXPECT(CALL(FIRST, vec(3)), "1");
    EXPECT(CALL(FIRST, vec(0)), "0");
    EXPECT(CALL(FIRST, matrix(2, 2)), "1");
    EXPECT(CALL(FIRST, V(4, 5)), "4");
    EXPECT(CALL(SINGLE, vec(1)), "1");
    EXPECT_ERROR(CALL(SINGLE, vec(2)), "LENGTH ERROR: one item is wanted, not 2");
}

/* ---- structure ----------------------------------------------------------------------------- */

static void take_and_drop(void **state)
{
    (void)state;
    EXPECT(CALL(TAKE, I(2), vec(5)), "[2](1 2)");
    EXPECT(CALL(TAKE, I(-2), vec(5)), "[2](4 5)");
    EXPECT(CALL(TAKE, I(4), vec(2)), "[4](1 2 0 0)");
    EXPECT(CALL(TAKE, I(-4), vec(2)), "[4](0 0 1 2)");
    EXPECT(CALL(TAKE, run_time(2), vec(5)), "[2](1 2)");
    EXPECT(CALL(TAKE, run_time(-2), vec(5)), "[2](4 5)");
    EXPECT(CALL(TAKE, run_time(4), vec(2)), "[4](1 2 0 0)");
    EXPECT(CALL(TAKE, run_time(-4), vec(2)), "[4](0 0 1 2)");
    EXPECT(CALL(TAKE, I(4), V(7, 8)), "[4](7 8 0 0)");
    EXPECT(CALL(TAKE, I(-3), V(7, 8)), "[3](0 7 8)");
    EXPECT(CALL(TAKE, I(1), matrix(2, 2)), "[1 2](1 2)");
    EXPECT(CALL(TAKE, I(-3), matrix(2, 2)), "[3 2](0 0 1 2 3 4)");
    EXPECT(CALL(DROP, I(2), vec(5)), "[3](3 4 5)");
    EXPECT(CALL(DROP, I(-2), vec(5)), "[3](1 2 3)");
    EXPECT(CALL(DROP, I(7), vec(5)), "[0]()");
    EXPECT(CALL(DROP, run_time(2), vec(5)), "[3](3 4 5)");
    EXPECT(CALL(DROP, run_time(-2), vec(5)), "[3](1 2 3)");
    EXPECT(CALL(DROP, run_time(7), vec(5)), "[0]()");
    EXPECT(CALL(DROP, I(1), V(7, 8)), "[1](8)");
    EXPECT(CALL(DROP, I(1), matrix(2, 2)), "[1 2](3 4)");
    EXPECT(CALL(TAKE, I(2), string("a")), "[2](a )");
}

static void catenation(void **state)
{
    (void)state;
    EXPECT(CALL(CAT, vec(2), vec(3)), "[5](1 2 1 2 3)");
    EXPECT(CALL(CAT, V(7), vec(3)), "[4](7 1 2 3)");
    EXPECT(CALL(CAT, matrix(2, 1), matrix(2, 2)), "[2 3](1 1 2 2 3 4)");
    EXPECT(CALL(CONS, I(9), vec(2)), "[3](9 1 2)");
    EXPECT(CALL(SNOC, vec(2), I(9)), "[3](1 2 9)");
    EXPECT(CALL(CONS, vec(2), matrix(2, 2)), "[2 3](1 1 2 2 3 4)");
    EXPECT(CALL(SNOC, matrix(2, 2), vec(2)), "[2 3](1 2 1 3 4 2)");
    EXPECT(CALL(CAT, tail_zilde(c, TAIL_INT, NO_SPAN), vec(2)), "[2](1 2)");
    EXPECT_ERROR(CALL(CAT, matrix(2, 1), matrix(3, 2)), "LENGTH ERROR: 2 and 3");
    EXPECT_ERROR(CALL(SNOC, matrix(2, 2), vec(3)), "LENGTH ERROR: 2 and 3");
}

static void rotation_reversal_transposition(void **state)
{
    (void)state;
    EXPECT(CALL(ROTATE, I(1), matrix(2, 3)), "[2 3](2 3 1 5 6 4)");
    EXPECT(CALL(VROTATE, run_time(-1), matrix(3, 2)), "[3 2](5 6 1 2 3 4)");
    EXPECT(CALL(ROTATE, I(-1), V(1, 2, 3)), "[3](3 1 2)");
    EXPECT(CALL(REVERSE, matrix(2, 3)), "[2 3](3 2 1 6 5 4)");
    EXPECT(CALL(VREVERSE, matrix(2, 3)), "[2 3](4 5 6 1 2 3)");
    EXPECT(CALL(REVERSE, I(4)), "4");
    EXPECT(CALL(TRANSP, matrix(2, 3)), "[3 2](1 4 2 5 3 6)");
    Exp cube = CALL(RESHAPE, V(2, 2, 3), vec(12));
    EXPECT(CALL(TRANSP2, V(2, 1, 3), cube), "[2 2 3](1 2 3 7 8 9 4 5 6 10 11 12)");
    EXPECT(CALL(TRANSP2, V(3, 1, 2), cube), "[2 3 2](1 7 2 8 3 9 4 10 5 11 6 12)");
    EXPECT(CALL(TRANSP2, V(1, 1), matrix(2, 3)), "[2](1 5)");
    EXPECT(CALL(TRANSP2, V(1, 1), matrix(3, 2)), "[2](1 4)");
    EXPECT(CALL(TRANSP2, V(1, 1, 2), cube), "[2 3](1 2 3 10 11 12)");
    EXPECT(CALL(TRANSP2, V(2, 1, 1), cube), "[2 2](1 7 5 11)");
    EXPECT(CALL(TRANSP2, V(1, 1, 1), cube), "[2](1 11)");
    EXPECT(CALL(MEM, matrix(2, 2)), "[2 2](1 2 3 4)");
}

/* ---- second order -------------------------------------------------------------------------- */

static void each_and_zip(void **state)
{
    (void)state;
    EXPECT(CALL(EACH, op1(TAIL_OP_NEGI, TAIL_INT), vec(3)), "[3](-1 -2 -3)");
    EXPECT(CALL(EACH, op1(TAIL_OP_NEGI, TAIL_INT), matrix(2, 2)), "[2 2](-1 -2 -3 -4)");
    EXPECT(CALL(EACH, op1(TAIL_OP_NEGI, TAIL_INT), V(1, 2)), "[2](-1 -2)");
    EXPECT(CALL(EACH, op1(TAIL_OP_I2D, TAIL_INT), run_time(3)), "3");
    EXPECT(CALL(ZIPWITH, PLUS, vec(3), vec(3)), "[3](2 4 6)");
    EXPECT(CALL(ZIPWITH, PLUS, vec(1), vec(3)), "[3](2 3 4)");
    EXPECT(CALL(ZIPWITH, MINUS, vec(3), vec(1)), "[3](0 1 2)");
    EXPECT(CALL(ZIPWITH, PLUS, vec(1), vec(0)), "[0]()");
    EXPECT(CALL(ZIPWITH, PLUS, V(5), vec(3)), "[3](6 7 8)");
    EXPECT(CALL(ZIPWITH, MINUS, V(5, 6), V(1)), "[2](4 5)");
    EXPECT(CALL(ZIPWITH, PLUS, matrix(2, 2), matrix(1, 1)), "[2 2](2 3 4 5)");
    EXPECT(CALL(ZIPWITH, PLUS, CALL(RESHAPE, V(1, 1), I(5)), matrix(2, 2)), "[2 2](6 7 8 9)");
    EXPECT(CALL(ZIPWITH, PLUS, vec(2), V(3, 4)), "[2](4 6)");
    EXPECT_ERROR(CALL(ZIPWITH, PLUS, vec(2), vec(3)), "LENGTH ERROR: 2 and 3");
    EXPECT_ERROR(CALL(ZIPWITH, PLUS, matrix(2, 3), matrix(3, 2)), "LENGTH ERROR: 2 3 and 3 2");
    EXPECT_ERROR(CALL(ZIPWITH, PLUS, V(1, 2), V(1, 2, 3)), "LENGTH ERROR: 2 and 3");
}

static void differences_of_shifts_need_no_check(void **state)
{
    (void)state;
    TailVariable *v = variable(tail_array_type(c, TAIL_INT, 1));
    Exp shifted = CALL(ZIPWITH, MINUS, CALL(DROP, I(1), use(v)), CALL(DROP, I(-1), use(v)));
    const char *text = core_text(let(v, vec(5), print(shifted)));
    if (strstr(text, "assert"))
        fail_msg("a check is left: %s", text);
    TailVariable *w = variable(tail_array_type(c, TAIL_INT, 1));
    Exp padded = CALL(ZIPWITH, PLUS, CALL(CAT, CALL(DROP, I(1), use(w)), V(0)),
                      CALL(CAT, V(0), CALL(DROP, I(-1), use(w))));
    text = core_text(let(w, vec(5), print(padded)));
    if (strstr(text, "assert"))
        fail_msg("a check is left: %s", text);
}

static void reshape_to_a_known_count_does_not_cycle(void **state)
{
    (void)state;
    TailVariable *n = variable(tail_scalar_type(c, TAIL_INT)),
                 *v = variable(tail_array_type(c, TAIL_INT, 2));
    Exp m = CALL(RESHAPE, tail_vector(c, 2, (Exp[]){use(n), use(n)}, NO_SPAN), vec(4));
    Exp r = CALL(RESHAPE, CALL(SHAPE, CALL(RAV, use(v))), use(v));
    Exp text_of = let(n, run_time(2), let(v, m, print(r)));
    const char *text = core_text(text_of);
    const char *cycle = strstr(text, "cycle");
    assert_non_null(cycle);
    assert_null(strstr(cycle + 1, "cycle"));
    RUNS(text_of, "[4](1 2 3 4)");
}

static void reshape_of_rows_replicates(void **state)
{
    (void)state;
    TailVariable *v = variable(tail_array_type(c, TAIL_INT, 1));
    Exp shape = CALL(CAT, V(2, 2), CALL(SHAPE, use(v)));
    Exp program = let(v, vec(2), print(CALL(RESHAPE, shape, use(v))));
    assert_null(strstr(core_text(program), "cycle"));
    RUNS(program, "[2 2 2](1 2 1 2 1 2 1 2)");
    EXPECT(CALL(RESHAPE, CALL(CONS, I(2), CALL(SHAPE, vec(0))), vec(0)), "[2 0]()");
}

static void reductions(void **state)
{
    (void)state;
    EXPECT(CALL(REDUCE, PLUS, I(0), vec(4)), "10");
    EXPECT(CALL(REDUCE, PLUS, I(0), matrix(2, 3)), "[2](6 15)");
    EXPECT(CALL(REDUCE, PLUS, I(0), vec(0)), "0");
    EXPECT(CALL(REDUCE, PLUS, I(77), vec(0)), "77");
    EXPECT(CALL(REDUCE, PLUS, I(77), vec(3)), "6");
    EXPECT(CALL(REDUCE, MINUS, I(0), vec(4)), "-2");
    EXPECT(CALL(REDUCE, MINUS, I(5), vec(0)), "5");
    EXPECT(CALL(REDUCE, op2(TAIL_OP_SUBD, TAIL_DOUBLE), D(0), reals(5)), "3");
    EXPECT(CALL(REDUCE, op2(TAIL_OP_RESI, TAIL_INT), I(0), CALL(REVERSE, vec(4))), "1");
    EXPECT(CALL(REDUCE, MINUS, I(0), V(1, 2, 3)), "2");
    EXPECT(CALL(REDUCE, MINUS, I(0), matrix(2, 3)), "[2](2 5)");
    EXPECT(CALL(REDUCE, op2(TAIL_OP_MAXI, TAIL_INT), I(INT64_MIN), vec(4)), "4");
    EXPECT(CALL(REDUCE, op2(TAIL_OP_ADDD, TAIL_DOUBLE), D(0), reals(4)), "10");
    EXPECT(CALL(REDUCE, op2(TAIL_OP_GCDI, TAIL_INT), I(0), CALL(RESHAPE, V(1), I(-1))), "-1");
    EXPECT(CALL(REDUCE, op2(TAIL_OP_GCDI, TAIL_INT), I(0), vec(0)), "0");
    EXPECT(CALL(REDUCE, op2(TAIL_OP_ADDI, TAIL_INT), I(0), V(1, 2, 3)), "6");
    EXPECT(CALL(REDUCE1, PLUS, vec(3)), "6");
    EXPECT(CALL(REDUCE1, MINUS, vec(3)), "2");
    EXPECT(CALL(REDUCE1, MINUS, matrix(2, 3)), "[2](2 5)");
    EXPECT(CALL(REDUCE1, MINUS, CALL(RESHAPE, V(0, 0), vec(3))), "[0]()");
    EXPECT(CALL(REDUCE, MINUS, I(5), CALL(RESHAPE, V(2, 0), vec(3))), "[2](5 5)");
    EXPECT_ERROR(CALL(REDUCE1, MINUS, vec(0)), "DOMAIN ERROR");
}

static void scans(void **state)
{
    (void)state;
    EXPECT(CALL(SCAN, PLUS, I(0), vec(4)), "[4](1 3 6 10)");
    EXPECT(CALL(SCAN, PLUS, I(0), matrix(2, 2)), "[2 2](1 3 3 7)");
    EXPECT(CALL(SCAN, MINUS, I(0), vec(4)), "[4](1 -1 2 -2)");
    EXPECT(CALL(SCAN1, MINUS, matrix(2, 2)), "[2 2](1 -1 3 -1)");
    EXPECT(CALL(SCAN, MINUS, I(0), vec(0)), "[0]()");
    EXPECT(CALL(SCAN, PLUS, I(0), run_time(3)), "3");
}

static void compress_replicate_grade(void **state)
{
    (void)state;
    Exp odd = CALL(EACH, op1(TAIL_OP_NOTB, TAIL_BOOL), bools("010"));
    EXPECT(CALL(COMPRESS, odd, V(5, 6, 7)), "[2](5 7)");
    EXPECT(CALL(COMPRESS, bools("101"), vec(3)), "[2](1 3)");
    EXPECT(CALL(COMPRESS, bools("0"), vec(3)), "[0]()");
    EXPECT(CALL(COMPRESS, bools("1"), vec(3)), "[3](1 2 3)");
    EXPECT(CALL(COMPRESS, bools("101"), vec(1)), "[2](1 1)");
    EXPECT(CALL(REPLICATE, I(0), V(2, 0, 3), vec(3)), "[5](1 1 3 3 3)");
    EXPECT(CALL(REPLICATE, I(9), V(0, 2, -2, 0), vec(4)), "[4](2 2 9 9)");
    EXPECT(CALL(REPLICATE, I(0), V(2), vec(2)), "[4](1 1 2 2)");
    EXPECT(CALL(REPLICATE, I(0), vec(0), vec(0)), "[0]()");
    EXPECT(CALL(REPLICATE, I(0), V(1, 2), vec(1)), "[3](1 1 1)");
    EXPECT(CALL(GRADEUP, V(3, 1, 2, 1)), "[4](2 4 3 1)");
    EXPECT(CALL(GRADEDOWN, V(3, 1, 2, 1)), "[4](1 3 2 4)");
    EXPECT(CALL(GRADEUP, vec(0)), "[0]()");
    EXPECT(CALL(GRADEUP, string("cab")), "[3](2 3 1)");
    EXPECT_ERROR(CALL(COMPRESS, bools("10"), vec(3)), "LENGTH ERROR: 2 and 3");
    EXPECT_ERROR(CALL(REPLICATE, I(0), V(1, 2), vec(3)), "LENGTH ERROR: 2 and 3");
}

static void indexing(void **state)
{
    (void)state;
    EXPECT(CALL(IDXS, I(1), I(2), vec(3)), "2");
    EXPECT(CALL(IDXS, I(1), I(2), V(7, 8, 9)), "8");
    EXPECT(CALL(IDXS, I(1), run_time(2), V(7, 8, 9)), "8");
    EXPECT(CALL(IDXS, I(1), I(2), matrix(2, 3)), "[3](4 5 6)");
    EXPECT(CALL(IDXS, I(2), run_time(2), matrix(2, 3)), "[2](2 5)");
    EXPECT(CALL(IDXA, I(1), V(3, 1), vec(3)), "[2](3 1)");
    EXPECT(CALL(IDXA, I(1), matrix(2, 2), vec(4)), "[2 2](1 2 3 4)");
    EXPECT(CALL(IDXA, I(1), V(2, 1, 2), matrix(2, 2)), "[3 2](3 4 1 2 3 4)");
    EXPECT(CALL(IDXA, I(2), V(3, 1), matrix(2, 3)), "[2 2](3 1 6 4)");
    EXPECT(CALL(IDXA, I(2), matrix(2, 1), matrix(2, 3)), "[2 2 1](1 2 4 5)");
    EXPECT_ERROR(CALL(IDXS, I(1), I(4), vec(3)), "INDEX ERROR: 4 of 3");
    EXPECT_ERROR(CALL(IDXS, I(1), I(0), V(1, 2)), "INDEX ERROR: 0 of 2");
    EXPECT(CALL(IDXP, I(1), I(2), I(2), I(1), vec(3)), "[2](2 3)");
    EXPECT(CALL(IDXP, I(2), I(1), I(2), I(2), matrix(2, 3)), "[2 2](1 3 4 6)");
    EXPECT(CALL(IDXP, I(1), I(9), I(-1), I(1), vec(3)), "[0]()");
    EXPECT_ERROR(CALL(IDXP, I(1), I(2), I(2), I(2), vec(3)), "INDEX ERROR: 4 of 3");
    EXPECT_ERROR(CALL(IDXP, I(2), I(0), I(2), I(1), matrix(2, 3)), "INDEX ERROR: 0 of 3");
    EXPECT_ERROR(CALL(IDXA, I(1), V(3, 0), vec(3)), "INDEX ERROR: 0 of 3");
    EXPECT_ERROR(CALL(IDXA, I(2), V(3, 4), matrix(2, 3)), "INDEX ERROR: 4 of 3");
}

/* ---- control ------------------------------------------------------------------------------- */

static void loops_carry_arrays_whose_extents_change(void **state)
{
    (void)state;
    TailVariable *x = variable(tail_scalar_type(c, TAIL_INT));
    EXPECT(CALL(POWERSCL, function(x, CALL(MULI, use(x), I(2))), I(5), I(1)), "32");
    TailVariable *v = variable(tail_array_type(c, TAIL_INT, 1));
    Exp same = function(v, CALL(EACH, op1(TAIL_OP_NEGI, TAIL_INT), use(v)));
    EXPECT(CALL(POWER, same, I(3), vec(2)), "[2](-1 -2)");
    TailVariable *w = variable(tail_array_type(c, TAIL_INT, 1));
    EXPECT(CALL(POWER, function(w, CALL(CONS, I(0), use(w))), run_time(3), vec(2)),
           "[5](0 0 0 1 2)");
    TailVariable *u = variable(tail_array_type(c, TAIL_INT, 1));
    EXPECT(CALL(POWER, function(u, CALL(DROP, I(1), use(u))), run_time(0), V(1, 2)), "[2](1 2)");
    TailVariable *m = variable(tail_array_type(c, TAIL_INT, 2));
    EXPECT(CALL(POWER, function(m, CALL(TRANSP, use(m))), run_time(3), matrix(2, 3)),
           "[3 2](1 4 2 5 3 6)");
    TailVariable *z = variable(tail_array_type(c, TAIL_INT, 2));
    EXPECT(CALL(POWER, function(z, CALL(VREVERSE, use(z))), run_time(1), matrix(2, 2)),
           "[2 2](3 4 1 2)");
}

static Exp pair(Exp x, Exp y)
{
    return tail_tuple(c, 2, (Exp[]){x, y}, NO_SPAN);
}

static void loops_carry_tuples(void **state)
{
    (void)state;
    const TailType *types[2] = {tail_scalar_type(c, TAIL_INT), tail_scalar_type(c, TAIL_INT)};
    TailVariable *s = variable(tail_tuple_type(c, 2, types)), *r = variable(s->type);
    Exp first = tail_project(c, 0, use(s), NO_SPAN), second = tail_project(c, 1, use(s), NO_SPAN);
    Exp fibonacci =
        CALL(POWER, function(s, pair(second, CALL(ADDI, first, second))), I(10), pair(I(0), I(1)));
    RUNS(let(r, fibonacci, print(tail_project(c, 0, use(r), NO_SPAN))), "55");
    const TailType *arrays[2] = {tail_array_type(c, TAIL_INT, 1), tail_array_type(c, TAIL_INT, 1)};
    TailVariable *p = variable(tail_tuple_type(c, 2, arrays)), *q = variable(p->type);
    Exp x = tail_project(c, 0, use(p), NO_SPAN), y = tail_project(c, 1, use(p), NO_SPAN);
    Exp grow = CALL(POWER, function(p, pair(y, CALL(CAT, x, y))), I(3), pair(vec(1), vec(2)));
    TailVariable *shown = variable(tail_array_type(c, TAIL_INT, 1));
    Exp last = print(tail_project(c, 1, use(q), NO_SPAN));
    last = let(shown, print(tail_project(c, 0, use(q), NO_SPAN)), last);
    RUNS(let(q, grow, last), "[5](1 2 1 1 2) [8](1 1 2 1 2 1 1 2)");
}

static void nested_loops_translate_in_linear_time(void **state)
{
    (void)state;
    enum { DEPTH = 60 };
    Exp body = NULL;
    for (int i = 0; i < DEPTH; i++) {
        TailVariable *v = variable(tail_array_type(c, TAIL_INT, 1));
        Exp inner = body ? CALL(POWER, body, I(1), use(v)) : CALL(CONS, I(0), use(v));
        body = function(v, inner);
    }
    EXPECT(CALL(POWER, body, I(1), vec(1)), "[2](0 1)");
}

static void conditionals(void **state)
{
    (void)state;
    Exp yes = CALL(GTI, run_time(1), I(0)), no = CALL(LTI, run_time(1), I(0));
    EXPECT(tail_if(c, yes, I(1), I(2), NO_SPAN), "1");
    EXPECT(tail_if(c, no, vec(2), vec(3), NO_SPAN), "[3](1 2 3)");
    EXPECT(tail_if(c, yes, V(1, 2), V(3, 4), NO_SPAN), "[2](1 2)");
    EXPECT(tail_if(c, yes, V(1, 2), V(3, 4, 5), NO_SPAN), "[2](1 2)");
    EXPECT(tail_if(c, B(false), V(1, 2), V(3, 4, 5), NO_SPAN), "[3](3 4 5)");
    TailVariable *x = variable(tail_scalar_type(c, TAIL_INT));
    EXPECT(CALL(CONDSCL, function(x, CALL(ADDI, use(x), I(1))), yes, run_time(5)), "6");
    TailVariable *y = variable(tail_scalar_type(c, TAIL_INT));
    EXPECT(CALL(CONDSCL, function(y, CALL(ADDI, use(y), I(1))), no, run_time(5)), "5");
    Exp effect = tail_if(c, yes, print(I(1)), print(I(2)), NO_SPAN);
    TailVariable *z = variable(tail_scalar_type(c, TAIL_INT));
    RUNS(let(z, effect, print(use(z))), "1 1");
}

static void loops_inside_functions_of_each(void **state)
{
    (void)state;
    TailVariable *x = variable(tail_scalar_type(c, TAIL_INT)),
                 *s = variable(tail_scalar_type(c, TAIL_INT));
    Exp doubled = CALL(POWERSCL, function(s, CALL(MULI, use(s), I(2))), use(x), I(1));
    EXPECT(CALL(EACH, function(x, doubled), vec(4)), "[4](2 4 8 16)");
    TailVariable *i = variable(tail_scalar_type(c, TAIL_INT));
    Exp sum = CALL(REDUCE, PLUS, I(0), CALL(IOTA, use(i)));
    EXPECT(CALL(EACH, function(i, sum), vec(4)), "[4](1 3 6 10)");
    TailVariable *k = variable(tail_scalar_type(c, TAIL_INT)),
                 *v = variable(tail_array_type(c, TAIL_INT, 1));
    Exp grown = CALL(POWER, function(v, CALL(CONS, I(1), use(v))), use(k), V(5));
    EXPECT(CALL(EACH, function(k, CALL(REDUCE, PLUS, I(0), grown)), vec(3)), "[3](6 7 8)");
}

/* ---- effects ------------------------------------------------------------------------------- */

static void effects_stay_in_program_order(void **state)
{
    (void)state;
    TailVariable *x = variable(tail_scalar_type(c, TAIL_INT)),
                 *r = variable(tail_scalar_type(c, TAIL_INT));
    Exp loop = CALL(POWERSCL, function(x, print(CALL(ADDI, use(x), I(1)))), I(3), run_time(0));
    RUNS(let(r, loop, print(use(r))), "1 2 3 3");
    TailVariable *y = variable(tail_scalar_type(c, TAIL_INT));
    EXPECT(CALL(BENCH, function(y, CALL(ADDI, use(y), I(1))), I(3), run_time(0)), " bench 3 5 3");
    EXPECT(CALL(NOWI, I(0)), "5");
    EXPECT(CALL(FORMATI, run_time(42)), "[2](42)");
    EXPECT(CALL(FORMATBY, int_vector(2, (const int64_t[]){6, 2}), run_time(42)), "[1](2)");
    EXPECT(string("ab"), "[2](ab)");
}

static void random_numbers_follow_from_seed_and_draw(void **state)
{
    (void)state;
    TailVariable *d = variable(tail_scalar_type(c, TAIL_INT)), *x = variable(d->type),
                 *y = variable(d->type);
    TailVariable *s = variable(d->type);
    Exp rolls = CALL(EACH, function(x, CALL(ROLLI, CALL(ADDI, use(x), use(d)), I(1))), vec(3));
    RUNS(let(d, CALL(DRAWS, I(3)), print(rolls)), "[3](1 1 1)");
    Exp uniform = CALL(EACH, function(y, CALL(ROLLD, use(y))), vec(2));
    Exp below = CALL(EACH, op1(TAIL_OP_CEIL, TAIL_DOUBLE), uniform);
    RUNS(let(s, CALL(SEED, run_time(77)), print(below)), "[2](1 1)");
    EXPECT(CALL(CEIL, CALL(ROLL, I(0))), "1");
    EXPECT(CALL(ROLL, I(1)), "0");
    EXPECT_ERROR(CALL(ROLLI, I(1), run_time(0)), "DOMAIN ERROR: 0");
}

static void indexed_assignment_of_old_files(void **state)
{
    (void)state;
    TailVariable *v = variable(tail_array_type(c, TAIL_INT, 1)), *w = variable(v->type);
    TailVariable *done = variable(tail_scalar_type(c, TAIL_BOOL)), *shown = variable(v->type);
    Exp last = let(shown, print(use(v)), print(use(w)));
    Exp assign = CALL(IDXASSIGN, V(2), use(v), I(9));
    RUNS(let(v, vec(3), let(w, use(v), let(done, assign, last))), "[3](1 9 3) [3](1 2 3)");
}

static Exp function2(TailVariable *x, TailVariable *y, Exp body)
{
    TailVariable **parameters = ARENA_ARRAY(c->arena, TailVariable *, 2);
    parameters[0] = x;
    parameters[1] = y;
    return tail_lambda(c, 2, parameters, body, NO_SPAN);
}

static void functions_with_effects_take_items_one_after_the_other(void **state)
{
    (void)state;
    TailVariable *x = variable(tail_scalar_type(c, TAIL_INT)), *y = variable(x->type);
    TailVariable *z = variable(x->type);
    RUNS(print(CALL(EACH, function(x, print(use(x))), vec(2))), "1 2 [2](1 2)");
    Exp sum = function2(y, z, print(CALL(ADDI, use(y), use(z))));
    RUNS(print(CALL(ZIPWITH, sum, matrix(1, 2), matrix(1, 2))), "2 4 [1 2](2 4)");
}

static void what_has_no_translation_is_a_diagnostic(void **state)
{
    (void)state;
    TailVariable *sorted = variable(tail_array_type(c, TAIL_INT, 1));
    Exp none = tail_zilde(c, TAIL_COMPLEX, NO_SPAN);
    EXPECT_ERROR(let(sorted, CALL(GRADEUP, none), I(1)), "complex numbers have no order");
    TailVariable *x = variable(tail_scalar_type(c, TAIL_INT)), *y = variable(x->type);
    Exp shown = function2(x, y, print(use(x)));
    EXPECT_ERROR(CALL(REDUCEASSOC, shown, I(0), vec(2)), "prArrI inside the function");
    TailVariable *name = variable(tail_array_type(c, TAIL_CHAR, 1));
    EXPECT_ERROR(let(name, CALL(FORMATI, I(1)), CALL(ARGINT, use(name), I(1))),
                 "must be a string constant");
}

/* ---- options, size ------------------------------------------------------------------------- */

static void narrow_ints_and_reals(void **state)
{
    (void)state;
    c->options.int_bits = c->options.real_bits = 32;
    EXPECT(CALL(ADDI, run_time(INT32_MAX), I(1)), "-2147483648");
    EXPECT(CALL(IOTA, run_time(3)), "[3](1 2 3)");
    EXPECT(CALL(SHAPE, matrix(2, 3)), "[2](2 3)");
    EXPECT(CALL(RESHAPE, CALL(SHAPE, vec(3)), vec(3)), "[3](1 2 3)");
    EXPECT(CALL(TAKE, run_time(-2), reals(3)), "[2](2 3)");
    EXPECT(CALL(IDXA, I(1), V(2, 1), vec(3)), "[2](2 1)");
    EXPECT(CALL(REPLICATE, I(0), V(2, 0, 1), vec(3)), "[3](1 1 3)");
    EXPECT(CALL(GRADEUP, V(3, 1, 2)), "[3](2 3 1)");
    EXPECT(CALL(CEIL, CALL(ROLLD, run_time(5))), "1");
    EXPECT(CALL(ROLLI, run_time(5), I(1)), "1");
    EXPECT(CALL(REDUCE, MINUS, I(0), vec(4)), "-2");
}

static void long_programs_translate_in_linear_time(void **state)
{
    (void)state;
    enum { LENGTH = 50000 };
    TailVariable *v = variable(tail_array_type(c, TAIL_INT, 1)), *last = v;
    TailVariable **variables = ARENA_ARRAY(c->arena, TailVariable *, LENGTH);
    Exp *values = ARENA_ARRAY(c->arena, Exp, LENGTH);
    for (int i = 0; i < LENGTH; i++) {
        variables[i] = variable(v->type);
        values[i] = i % 2 ? CALL(ROTATE, run_time(i), use(last)) : CALL(DROP, I(0), use(last));
        last = variables[i];
    }
    Exp program = CALL(SHAPE, use(last));
    for (int i = LENGTH; i-- > 0;)
        program = let(variables[i], values[i], program);
    assert_non_null(tail_to_core(c, let(v, vec(3), program)));
    Exp deep = run_time(1);
    for (int i = 0; i < 3000; i++)
        deep = CALL(ABSI, deep);
    assert_null(tail_to_core(c, deep));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scalar_builtins_compute),
        TEST(iota_and_shape),
        TEST(reshape_cycles),
        TEST(first_and_single),
        TEST(take_and_drop),
        TEST(catenation),
        TEST(rotation_reversal_transposition),
        TEST(each_and_zip),
        TEST(differences_of_shifts_need_no_check),
        TEST(reshape_to_a_known_count_does_not_cycle),
        TEST(reshape_of_rows_replicates),
        TEST(reductions),
        TEST(scans),
        TEST(compress_replicate_grade),
        TEST(indexing),
        TEST(loops_carry_arrays_whose_extents_change),
        TEST(loops_carry_tuples),
        TEST(nested_loops_translate_in_linear_time),
        TEST(conditionals),
        TEST(loops_inside_functions_of_each),
        TEST(effects_stay_in_program_order),
        TEST(random_numbers_follow_from_seed_and_draw),
        TEST(indexed_assignment_of_old_files),
        TEST(functions_with_effects_take_items_one_after_the_other),
        TEST(what_has_no_translation_is_a_diagnostic),
        TEST(narrow_ints_and_reals),
        TEST(long_programs_translate_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
