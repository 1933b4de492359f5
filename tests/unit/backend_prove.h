/* For the tests of the race prover: kernels built by hand, and what is found of them. */
#ifndef TESTS_UNIT_BACKEND_PROVE_H
#define TESTS_UNIT_BACKEND_PROVE_H

#include "backend/race/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Not every test uses all of it. */
#define BUILT __attribute__((unused)) static

enum { ITEMS = 8 }; /* of a group */

/* A kernel over `count` rows or groups (n, where it is not said), of which b is written. */
typedef struct Built {
    Compilation *c;
    KernelBuilder host, *at; /* at: where commands go */
    KernelBuilder body;
    KernelVariable *n, *m, *g, *a, *b, *x, *l; /* x: of the group; l: of the present LOCAL loop */
    KernelBuilder loop;      /* where `changes` is not NULL: of the host, around the kernel, */
    KernelVariable *changes; /* at whose end it doubles */
    KernelVariable *groups;  /* that share the work of `count`, or fewer; NULL: each has its own */
    const CoreEntry *interface; /* NULL: without parameters */
    const KernelExp *count, *row, *item;
    const KernelExp *levels, *lanes, *several; /* of random kernels: lanes = 1 << levels; 0 or 1 */
    KernelLevel level;
} Built;

BUILT const KernelExp *number(Built *k, int64_t value)
{
    return kernel_i64(k->c, value);
}

BUILT const KernelExp *use(Built *k, KernelVariable *variable)
{
    return kernel_use(k->c, variable);
}

BUILT const KernelExp *op(Built *k, CoreOperator which, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(k->c, which, x, y);
}

BUILT const KernelExp *sum(Built *k, const KernelExp *x, const KernelExp *y)
{
    return op(k, CORE_ADD, x, y);
}

BUILT const KernelExp *times(Built *k, const KernelExp *x, const KernelExp *y)
{
    return op(k, CORE_MUL, x, y);
}

BUILT KernelVariable *scalar(Built *k, const char *text)
{
    return kernel_variable(k->c, text, CORE_I64, KERNEL_SCALAR, NO_SPAN);
}

BUILT KernelVariable *buffer(Built *k, const char *text, CorePrim prim, KernelSpace space)
{
    return kernel_variable(k->c, text, prim, space, NO_SPAN);
}

BUILT const KernelExp *declare(Built *k, const char *text, const KernelExp *value)
{
    KernelVariable *variable = kernel_variable(k->c, text, value->prim, KERNEL_SCALAR, NO_SPAN);
    kernel_declare(k->at, variable, value);
    return use(k, variable);
}

BUILT const KernelExp *load(Built *k, KernelVariable *from, const KernelExp *index)
{
    return declare(k, "x", kernel_load(k->c, from, index));
}

BUILT void store(Built *k, KernelVariable *to, const KernelExp *index)
{
    kernel_store(k->at, to, index, number(k, 1));
}

BUILT const KernelExp *on_host(Built *k, const char *text, const KernelExp *value)
{
    KernelBuilder *at = k->at;
    k->at = &k->host;
    const KernelExp *name = declare(k, text, value);
    k->at = at;
    return name;
}

/* i64(x > least) */
BUILT const KernelExp *is_more(Built *k, KernelVariable *x, int64_t least)
{
    return kernel_convert(k->c, CORE_I64, op(k, CORE_GT, use(k, x), number(k, least)));
}

/* Blocks are built from the inside: what goes into `inner` until it is closed. */
BUILT KernelBuilder *open_block(Built *k, KernelBuilder *inner)
{
    KernelBuilder *outer = k->at;
    *inner = kernel_builder(k->c, NO_SPAN);
    k->at = inner;
    return outer;
}

BUILT void close_if(Built *k, KernelBuilder *outer, const KernelExp *condition)
{
    KernelBlock block = kernel_block(k->at);
    k->at = outer;
    kernel_if(outer, condition, block, (KernelBlock){0});
}

BUILT void close_for(Built *k, KernelBuilder *outer, KernelVariable *i, const KernelExp *count)
{
    KernelBlock block = kernel_block(k->at);
    k->at = outer;
    kernel_for(outer, KERNEL_SEQ, NULL, i, count, block);
}

BUILT KernelBuilder *open_local(Built *k, KernelBuilder *inner)
{
    k->l = scalar(k, "l");
    k->item = use(k, k->l);
    return open_block(k, inner);
}

BUILT void close_local(Built *k, KernelBuilder *outer)
{
    KernelBlock block = kernel_block(k->at);
    k->at = outer;
    kernel_for(outer, KERNEL_LOCAL_LOOP, NULL, k->l, number(k, ITEMS), block);
}

/* ---- shares of rows --------------------------------------------------------------------------- */

enum { SHARED, EACH_HAS_MORE, NONE_BEFORE, ONE_TOO_MANY, SHARES_CASES };

/* A loop over the group's share of rows, of one of the kinds above. */
typedef struct Share {
    KernelBuilder inner, *outer;
    KernelVariable *t;
    const KernelExp *own, *row;
} Share;

BUILT void open_share(Built *k, Share *s, const KernelExp *rows, int which)
{
    const KernelExp *g = k->row, *groups = use(k, k->groups);
    const KernelExp *each = declare(k, "each", kernel_divide(k->c, rows, groups)),
                    *more = declare(k, "more", op(k, CORE_SUB, rows, times(k, each, groups))),
                    *before = op(k, CORE_MIN, g, more);
    const KernelExp *first = declare(
        k, "first", which == NONE_BEFORE ? times(k, each, g) : sum(k, times(k, each, g), before));
    CoreOperator has = which == EACH_HAS_MORE ? CORE_LE : CORE_LT;
    s->own = sum(k, each, kernel_convert(k->c, CORE_I64, op(k, has, g, more)));
    s->own = declare(k, "own", which == ONE_TOO_MANY ? sum(k, s->own, number(k, 1)) : s->own);
    s->t = scalar(k, "t");
    s->outer = open_block(k, &s->inner);
    s->row = declare(k, "row", sum(k, first, use(k, s->t)));
}

BUILT void close_share(Built *k, Share *s)
{
    close_for(k, s->outer, s->t, s->own);
}

/* ---- programs --------------------------------------------------------------------------------- */

BUILT Built *begin(KernelLevel level)
{
    Compilation *c = compilation_create();
    Built *k = ARENA_NEW(c->arena, Built);
    *k = (Built){.c = c, .level = level};
    c->pass = "test";
    k->host = kernel_builder(c, NO_SPAN);
    k->body = kernel_builder(c, NO_SPAN);
    k->at = &k->body;
    k->n = scalar(k, "n");
    k->m = scalar(k, "m");
    k->g = scalar(k, "g");
    k->a = buffer(k, "a", CORE_I64, KERNEL_GLOBAL);
    k->b = buffer(k, "b", CORE_I64, KERNEL_GLOBAL);
    k->x = buffer(k, "x", CORE_I64, KERNEL_LOCAL);
    k->row = use(k, k->g);
    k->count = use(k, k->n);
    if (level == KERNEL_GROUP) {
        kernel_declare_buffer(&k->body, k->x, 1 << 20);
    }
    return k;
}

typedef struct Verdict {
    bool is_proven;
    char open[300], race[1000]; /* what is not proven; a race by cases, or "" */
} Verdict;

BUILT Verdict verdict(Built *k, Text *text)
{
    Verdict v = {.is_proven = true};
    KernelBuilder *around = k->changes ? &k->loop : &k->host;
    kernel_for(around, k->level, "map_b_1", k->g, k->count, kernel_block(&k->body));
    ((KernelCmd *)(uintptr_t)around->commands.items[around->commands.count - 1])->groups =
        k->groups;
    if (k->changes) {
        kernel_assign(&k->loop, k->changes, times(k, use(k, k->changes), number(k, 2)));
        kernel_for(&k->host, KERNEL_SEQ, NULL, scalar(k, "step"), number(k, 3),
                   kernel_block(&k->loop));
    }
    KernelBlock host = kernel_block(&k->host);
    static const CoreEntry interface = {.name = "main"};
    KernelEntry entry = {.interface = k->interface ? k->interface : &interface, .body = host};
    KernelProgram program = {.entry_count = 1,
                             .body_count = 1,
                             .entries = &entry,
                             .variable_count = k->c->last_number + 1};
    KernelProofVec proofs = kernel_prove_order(k->c, &program);
    assert_int_equal(proofs.count, 1);
    const char *race = race_find_by_cases(k->c, &program);
    v.is_proven = !proofs.items[0].open;
    snprintf(v.open, sizeof v.open, "%s", v.is_proven ? "" : proofs.items[0].open);
    snprintf(v.race, sizeof v.race, "%s", race ? race : "");
    if (text) {
        kernel_print(k->c, text, &program);
    }
    return v;
}

/* ---- what is expected ------------------------------------------------------------------------- */

BUILT void assert_proven(Built *k)
{
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    if (!v.is_proven || v.race[0]) {
        fail_msg("not proven: '%s'; by cases: '%s'", v.open, v.race);
    }
}

/* There is a race. */
BUILT void assert_refused(Built *k)
{
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    if (v.is_proven || !v.race[0]) {
        fail_msg("proven: %d; by cases: '%s'", v.is_proven, v.race);
    }
}

BUILT void assert_open(Built *k)
{
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    assert_false(v.is_proven);
}

BUILT void assert_either(Built *k, bool right)
{
    if (right) {
        assert_proven(k);
    } else {
        assert_refused(k);
    }
}

/* ---- kernels for processors ------------------------------------------------------------------- */

BUILT const KernelExp *least(Built *k, const KernelExp *x, const KernelExp *y)
{
    return op(k, CORE_MIN, x, y);
}

BUILT const KernelExp *most(Built *k, const KernelExp *x, const KernelExp *y)
{
    return op(k, CORE_MAX, x, y);
}

BUILT const KernelExp *less(Built *k, const KernelExp *x, const KernelExp *y)
{
    return op(k, CORE_SUB, x, y);
}

/* A kernel for a processor: groups of one work-item, not more of them than rows. */
BUILT Built *begin_shares(void)
{
    Built *k = begin(KERNEL_GROUP);
    k->groups = scalar(k, "groups");
    k->l = scalar(k, "l");
    return k;
}

BUILT void close_single(Built *k, KernelBuilder *outer)
{
    KernelBlock block = kernel_block(k->at);
    k->at = outer;
    kernel_for(outer, KERNEL_LOCAL_LOOP, NULL, k->l, number(k, 1), block);
}

#endif
