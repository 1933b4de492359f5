/* The prelude's definitions, one by one as they are needed. Reading all of them takes longer than
   compiling most programs; few programs need more than some of them.

       ∆where ← {⍵/⍳≢⍵}     read when ⍸ is first applied to a vector, or a program says ∆where

   A definition is a dfn or names a function: evaluating it writes nothing, wherever elaboration is
   just then. */
#include "apl/elaborate/internal.h"

#include <stdlib.h>

typedef struct Definition {
    const char *name, *text;
} Definition;

/* Sorted by name. */
static const Definition definitions[] = {
#include "prelude.inc"
};

static int compare_names(const void *name, const void *definition)
{
    return strcmp(name, ((const Definition *)definition)->name);
}

Frame *elab_prelude_frame(Elaboration *e)
{
    Frame *frame = elab_frame(e->c, NULL, true);
    frame->prelude = e;
    return frame;
}

Value *elab_define_prelude(Elaboration *e, const char *name)
{
    const Definition *definition =
        bsearch(name, definitions, sizeof definitions / sizeof *definitions, sizeof *definitions,
                compare_names);
    if (definition == NULL) {
        return NULL;
    }
    SourceFile *source =
        source_create(e->c->arena, "prelude.apl", definition->text, strlen(definition->text));
    source->is_prelude = true;
    const AplProgram *program = apl_parse(e->c, source);
    if (program->count != 1) {
        internal_error(e->c, "%s in the prelude is not one definition", name);
    }
    int depth = e->depth;
    e->depth = 0;                                 /* the limit is for programs */
    elab_bind_name(e->c, e->prelude, name, NULL); /* it is being defined */
    const AplNode *statement = elab_bound(e, e->prelude, program->statements[0]);
    if (statement == NULL) {
        internal_error(e->c, "%s in the prelude cannot be read", name);
    }
    Value *value = elab_evaluate(e, e->prelude, statement);
    e->depth = depth;
    return value;
}
