/* Random well-typed core programs, for comparing the backends and the passes with the interpreter.

       generate SEED [PROGRAMS [STATEMENTS]]    prints one core program on standard output

   PROGRAMS (1) random programs of about STATEMENTS (10) statements each, with functions of their
   own, follow one another in one main, so that they are compiled at once. Seeds count up from SEED;
   only programs of seeds divisible by five may have assertions that fail. The same numbers give the
   same program everywhere. The scope is in values.c, what programs begin with in atoms.c, operators
   in operators.c, the choice of statements in statements.c, and each kind of them in a file of its
   name. Nothing depends on the order of evaluation: operators are associative, positions of scatter
   are distinct, streams give the same for any partition, and reals meet only operations that are
   exact on every device. Some functions are entries: a comment for each tells values to run it
   with.

       entry fun main () : () =
         let (n_1 : i64) = argument i64 "s1" 7
         let (is_2 : [n_1]i64) = iota n_1
         ... */
#include "tests/random/random.h"

#include <stdio.h>
#include <stdlib.h>

static void print_some(Generator *g, CoreBuilder *b, size_t from)
{
    for (size_t i = from; i < g->count; i++) {
        if (!g->scope[i].consumed && elements(&g->scope[i]) <= 2000) {
            core_do_print(b, g->scope[i].atom);
        }
    }
}

static void one_program(Generator *g, CoreBuilder *b, int statements)
{
    g->count = 0;
    g->size_count = 0;
    g->certificate_count = 0;
    g->function_count = 0;
    g->root_count = 0;
    for (int64_t i = below(g, 3); i > 0; i--) {
        make_function(g);
    }
    for (int i = 0; i < statements; i++) {
        size_t before = g->count;
        some_statement(g, b);
        if (chance(g, 2)) {
            print_some(g, b, before);
        }
    }
    print_some(g, b, g->count > 5 ? g->count - 5 : 0);
}

static void generate(Compilation *c, uint64_t seed, int programs, int statements)
{
    Generator *g = ARENA_NEW(c->arena, Generator);
    g->c = c;
    g->entries = text_create(c->arena);
    CoreBuilder b = core_builder(c, (Span){0});
    for (int i = 0; i < programs; i++) {
        g->state = (seed + (uint64_t)i) * 0x2545F4914F6CDD1Du;
        g->runs = 1;
        g->may_fail = (seed + (uint64_t)i) % 5 == 0;
        one_program(g, &b, statements / 2 + (int)below(g, statements));
    }
    CoreFunction *f = ARENA_NEW(c->arena, CoreFunction);
    f->name = intern(c, "main");
    f->body = core_body(&b, 0, NULL);
    f->is_entry = true;
    vec_push(c->arena, &g->made, f);
    CoreProgram program = {.function_count = g->made.count, .functions = g->made.items};
    Text out = text_create(c->arena);
    text_append(&out, text_get(&g->entries), g->entries.length);
    core_print(c, &out, &program);
    fwrite(text_get(&out), 1, out.length, stdout);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int programs = argc > 2 ? atoi(argv[2]) : 1;
    int statements = argc > 3 ? atoi(argv[3]) : 10;
    Compilation *c = compilation_create();
    generate(c, seed, programs, statements < 2 ? 2 : statements);
    compilation_destroy(c);
    return 0;
}
