/* Random well-typed TAIL programs, for comparing the backends and the passes with the interpreter.

       generate-tail SEED [PROGRAMS [STATEMENTS]]    prints one TAIL program on standard output

   As `generate` makes core (generate.c): the programs follow one another in one chain of lets;
   those of seeds divisible by five may end with an error. Every builtin is used but those that need
   files or tell the time. Where the even seed begins, calls
   are printed with their instance lists.

       let v1:<int>3 = iotaV(3) in
       let v2:[int]0 = prSclI(reduce(addi,0,v1)) in
       0.0 */
#include "tests/random/tail_random.h"

#include <stdio.h>
#include <stdlib.h>

static Exp printed(TailGenerator *g, const TailValue *v)
{
    static const TailBuiltin arrays[] = {[TAIL_BOOL] = TAIL_OP_PRARRB,
                                         [TAIL_INT] = TAIL_OP_PRARRI,
                                         [TAIL_DOUBLE] = TAIL_OP_PRARRD,
                                         [TAIL_COMPLEX] = TAIL_OP_PRARRX,
                                         [TAIL_CHAR] = TAIL_OP_PRARRC};
    static const TailBuiltin scalars[] = {[TAIL_BOOL] = TAIL_OP_PRSCLB,
                                          [TAIL_INT] = TAIL_OP_PRSCLI,
                                          [TAIL_DOUBLE] = TAIL_OP_PRSCLD,
                                          [TAIL_COMPLEX] = TAIL_OP_PRSCLX,
                                          [TAIL_CHAR] = TAIL_OP_PRSCLC};
    Exp x = tail_use_of(g, v->variable);
    return tail_try(g, v->rank == 0 && tail_chance(g, 2) ? scalars[v->base] : arrays[v->base], 1,
                    &x);
}

static void print_value(TailGenerator *g, Block *block, const TailValue *v)
{
    Exp exp = tail_elements(v) <= 1000 ? printed(g, v) : NULL;
    if (exp) {
        TailVariable *unused = tail_fresh(g, exp->type);
        vec_push(g->c->arena, &block->lets, ((Let){unused, exp}));
    }
}

/* What happens on the host only: printing, formatting, random draws. */
static void make_effect(TailGenerator *g, Block *block)
{
    TailValue v;
    int64_t unknown = TAIL_UNKNOWN;
    if (g->pure) {
        return;
    }
    Exp x = tail_some_scalar(g, TAIL_INT);
    switch (tail_below(g, 8)) {
    case 0: tail_keep(g, block, CALL(FORMATI, x), 1, &unknown); break;
    case 1:
        tail_keep(g, block, CALL(FORMATD, tail_some_scalar(g, TAIL_DOUBLE)), 1, &unknown);
        break;
    case 2: tail_keep(g, block, CALL(DRAWS, tail_whole_in(g, 0, 5)), 0, NULL); break;
    case 3: tail_keep(g, block, CALL(SEED, x), 0, NULL); break;
    case 4: tail_keep(g, block, CALL(ROLL, tail_whole_in(g, 0, 9)), 0, NULL); break;
    case 5: /* the time itself is never the same */
        tail_keep(g, block, CALL(RESI, tail_number(g, 1), CALL(NOWI, x)), 0, NULL);
        break;
    default:
        if (tail_pick(g, -1, (int)tail_below(g, 3), &v) && g->runs < 20) {
            print_value(g, block, &v);
        }
    }
}

/* Scalars of the arrays' kinds, by name or bound. */
static void make_scalar(TailGenerator *g, Block *block)
{
    TailBaseKind base = tail_some_base(g);
    Exp x = tail_some_operation(g, base);
    if (tail_chance(g, 12)) {
        Exp n = tail_whole_in(g, 1, 6);
        x = CALL(ROLLI, tail_some_scalar(g, TAIL_INT),
                 g->may_fail && tail_chance(g, 6) ? tail_some_scalar(g, TAIL_INT) : n);
    }
    tail_keep(g, block, x, 0, NULL);
}

static void make_same(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1);
    Exp x = tail_some_scalar(g, TAIL_INT);
    Exp y = g->may_fail && tail_chance(g, 6) ? tail_some_scalar(g, TAIL_INT) : x;
    tail_keep(g, block, CALL(SAME, x, y, tail_use_of(g, v.variable)), v.rank, v.extent);
}

/* iota of what only run time knows, negative where that may fail. */
static void make_iota(TailGenerator *g, Block *block)
{
    int64_t unknown = TAIL_UNKNOWN, n = tail_below(g, 6);
    Exp count = g->may_fail && tail_chance(g, 5) ? tail_whole_in(g, -1, 4) : tail_whole_in(g, 0, 4);
    if (tail_chance(g, 3)) {
        tail_keep(g, block, CALL(IOTAV, tail_number(g, n)), 1, &n);
    } else {
        tail_keep(g, block, CALL(IOTA, count), 1, &unknown);
    }
}

void tail_some_statement(TailGenerator *g, Block *block)
{
    bool small = g->depth < 3 && g->runs < 3000;
    switch (tail_below(g, small ? 33 : 10)) {
    case 0:
    case 1: make_scalar(g, block); break;
    case 2:
    case 3: tail_make_structure(g, block); break;
    case 4: tail_make_shape(g, block); break;
    case 5: tail_make_join(g, block); break;
    case 6: tail_make_index(g, block); break;
    case 7: make_effect(g, block); break;
    case 8: make_iota(g, block); break;
    case 9: make_same(g, block); break;
    case 10:
    case 11: tail_make_structure(g, block); break;
    case 12:
    case 13: tail_make_shape(g, block); break;
    case 14: tail_make_join(g, block); break;
    case 15: tail_make_update(g, block); break;
    case 16:
    case 17: tail_make_each(g, block); break;
    case 18:
    case 19: tail_make_zip(g, block); break;
    case 20:
    case 21: tail_make_fold(g, block); break;
    case 22: tail_make_selection(g, block); break;
    case 23:
    case 24: tail_make_power(g, block); break;
    case 25: tail_make_if(g, block); break;
    case 26: tail_make_while(g, block); break;
    case 27:
    case 28: tail_make_cells(g, block); break;
    case 29: tail_make_function(g, block); break;
    case 30:
    case 31: tail_make_call(g, block); break;
    case 32: tail_make_accum(g, block); break;
    }
}

void tail_some_statements(TailGenerator *g, Block *block)
{
    for (int64_t n = tail_below(g, g->depth > 1 ? 2 : 3); n > 0; n--) {
        tail_some_statement(g, block);
    }
}

static void one_program(TailGenerator *g, Block *block, int statements)
{
    g->count = 0;
    g->functions.count = 0;
    for (int i = 0; i < statements; i++) {
        size_t before = g->count;
        tail_some_statement(g, block);
        for (size_t k = before; k < g->count && i % 2 == 0; k++) {
            print_value(g, block, &g->scope[k]);
        }
    }
    for (size_t k = g->count > 5 ? g->count - 5 : 0; k < g->count; k++) {
        print_value(g, block, &g->scope[k]);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int programs = argc > 2 ? atoi(argv[2]) : 1;
    int statements = argc > 3 ? atoi(argv[3]) : 10;
    Compilation *c = compilation_create();
    TailGenerator *g = ARENA_NEW(c->arena, TailGenerator);
    g->c = c;
    g->runs = 1;
    Block block = {0};
    for (int i = 0; i < programs; i++) {
        g->state = (seed + (uint64_t)i) * 0x2545F4914F6CDD1Du;
        g->may_fail = (seed + (uint64_t)i) % 5 == 0;
        one_program(g, &block, statements / 2 + (int)tail_below(g, statements));
    }
    Text out = text_create(c->arena);
    Exp end = tail_double(c, 0, (Span){0});
    tail_print(c, &out, tail_finish(g, &block, end), seed % 2 == 0);
    fwrite(text_get(&out), 1, out.length, stdout);
    compilation_destroy(c);
    return 0;
}
