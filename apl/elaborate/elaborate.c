/* [TAIL section 3] Elaboration: APL statements, one by one, to a chain of typed lets.

       n←3                       (nothing: 3 is known)
       v←n×⍳n+1            ==>   let v1:<int>4 = ... in
       +/v                       let v2:[int]0 = prSclI(reduce(addi,0,v1)) in
                                 0.0

   A statement in error is reported and the next one is looked at (recover.c): a file's errors are all
   found in one run. */
#include "apl/elaborate/internal.h"

static void run_program(Elaboration *e, Frame *frame, const SourceFile *source)
{
    const AplProgram *program = apl_parse(e->c, source);
    if (program->count == 0) {
        diagnostics_add(e->c->diagnostics, (Span){source, 0, 0}, "SYNTAX ERROR",
                        "the file has no statements");
    }
    for (size_t i = 0; i < program->count; i++) {
        e->first_statement = i == 0;
        elab_statement(e, frame, program->statements[i]);
    }
}

const TailExp *apl_elaborate(Compilation *c, const SourceFile *source)
{
    Elaboration *e = ARENA_NEW(c->arena, Elaboration);
    *e = (Elaboration){.c = c, .budget = SIZE_LIMIT, .origin = 1};
    c->index_origin = 1;
    e->alpha = intern(c, "⍺");
    e->omega = intern(c, "⍵");
    e->alpha_alpha = intern(c, "⍺⍺");
    e->omega_omega = intern(c, "⍵⍵");
    e->self = intern(c, "∇");
    e->v = intern(c, "v");
    e->prelude = elab_prelude_frame(e);
    e->program = elab_frame(c, e->prelude, true);
    Block *block = elab_open(e);
    size_t errors_before = diagnostics_count(c->diagnostics);
    run_program(e, e->program, source);
    if (diagnostics_count(c->diagnostics) != errors_before) {
        return NULL;
    }
    const TailExp *exp = elab_wrap(e, block, tail_double(c, 0.0, NO_SPAN));
    return elab_wrap(
        e, &(Block){.lets.count = e->functions.count, .lets.items = e->functions.items}, exp);
}
