/* Why an array is stored once more, for `tailor explain`.

       5  copy over n  (copy_w_607)
             copies  a rotate of v: it is needed as a whole: as the state of a loop
                     not made so: how many rows a filter keeps, and where they go, is known when it is done

   Views are index arithmetic of what reads them, or the places of what makes them (backend/lower/parts.c). Lowering notes
   what it copies all the same, and for whom; why what makes the array does not store it as the view has it, is seen in the
   program that was lowered. */
#include "driver/explain.h"

struct ExplainArrays {
    Arena *arena;
    PointerMap makers; /* CoreName -> CoreStm that binds it */
    PointerMap uses;   /* CoreName -> size_t: operands and results that it is */
};

static void count_use(void *context, CoreAtom atom)
{
    ExplainArrays *arrays = context;
    if (atom.name != NULL) {
        ++*(size_t *)pointer_map_make(arrays->arena, &arrays->uses, atom.name, sizeof(size_t));
    }
}

static void learn(void *context, const CoreBody *body)
{
    ExplainArrays *arrays = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            pointer_map_set(arrays->arena, &arrays->makers, stm->pattern[k],
                            (void *)(uintptr_t)stm);
        }
        core_each_operand(stm->exp, count_use, arrays);
        core_each_body(stm->exp, learn, arrays);
    }
    for (size_t k = 0; k < body->result_count; k++) {
        count_use(arrays, body->results[k]);
    }
}

ExplainArrays *explain_arrays(Compilation *c, const CoreProgram *program)
{
    ExplainArrays *arrays = ARENA_NEW(c->arena, ExplainArrays);
    arrays->arena = c->arena;
    for (size_t i = 0; i < program->function_count; i++) {
        learn(arrays, program->functions[i]->body);
    }
    return arrays;
}

static const CoreStm *maker_of(const ExplainArrays *arrays, const CoreName *name)
{
    return name != NULL ? pointer_map_get(&arrays->makers, name) : NULL;
}

static void first_array(void *context, CoreAtom atom)
{
    const CoreName **array = context;
    if (*array == NULL && atom.name != NULL && atom.name->type.rank > 0) {
        *array = atom.name;
    }
}

/* Of a view: the array that it is of, the first of several; NULL: of none. */
static const CoreName *operand_of(const CoreStm *view)
{
    const CoreName *array = NULL;
    core_each_operand(view->exp, first_array, &array);
    return array;
}

/* Views that have one place for each row of what they are of, or none. */
static bool has_places(const CoreExp *exp)
{
    switch ((int)exp->kind) { /* others repeat rows */
    case CORE_EXP_ATOM:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: return true;
    case CORE_EXP_SLICE: return core_is_stretch(exp);
    }
    return false;
}

typedef struct Late {
    const ExplainArrays *arrays;
    bool found;
} Late;

/* Something is computed by more than scalar operations. */
static void find_late(void *context, CoreAtom atom)
{
    Late *late = context;
    const CoreStm *stm = maker_of(late->arrays, atom.name);
    if (stm == NULL || late->found || atom.name->type.rank > 0) {
        return;
    }
    bool scalar = stm->exp->kind == CORE_EXP_UNARY || stm->exp->kind == CORE_EXP_BINARY ||
                  stm->exp->kind == CORE_EXP_CONVERT || stm->exp->kind == CORE_EXP_ATOM;
    late->found = !scalar && stm->exp->kind != CORE_EXP_ARGUMENT;
    if (scalar) {
        core_each_operand(stm->exp, find_late, late);
    }
}

/* How large it is, is known when something has been computed on the device. */
static bool is_late(const ExplainArrays *arrays, const CoreName *name)
{
    Late late = {arrays, false};
    for (int axis = 0; axis < name->type.rank; axis++) {
        find_late(&late, name->type.sizes[axis]);
    }
    return late.found;
}

/* Why what makes the array does not store it as it is wanted; NONE: there is nothing to say. */
static CoreReason why_not_made_so(const ExplainArrays *arrays, KernelCopied copied,
                                  const CoreStm **between)
{
    const CoreName *name = copied.array;
    const CoreStm *stm = maker_of(arrays, name);
    while (stm != NULL && (core_is_view(stm->exp->kind) || stm->exp->kind == CORE_EXP_ATOM)) {
        *between = *between == NULL && !has_places(stm->exp) ? stm : *between;
        name = operand_of(stm);
        stm = maker_of(arrays, name);
    }
    if (name == NULL) { /* numbers of rows, or one number */
        return CORE_REASON_NONE;
    }
    const size_t *uses = pointer_map_get(&arrays->uses, name);
    switch (stm != NULL ? (int)stm->exp->kind : CORE_EXP_READ) {
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: return CORE_REASON_FILTER;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: return CORE_REASON_SCATTER;
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT: return CORE_REASON_SORTED;
    case CORE_EXP_LOOP: return CORE_REASON_LOOP;
    case CORE_EXP_READ:
    case CORE_EXP_LITERAL: return CORE_REASON_GIVEN;
    }
    bool is_end = copied.why == CORE_REASON_RESULT || copied.why == CORE_REASON_EFFECT ||
                  copied.why == CORE_REASON_BRANCH;
    return uses != NULL && *uses > 1       ? CORE_REASON_SHARED
           : *between != NULL              ? CORE_REASON_PLACES
           : is_late(arrays, copied.array) ? CORE_REASON_LATE
           : is_end                        ? CORE_REASON_NONE
                                           : CORE_REASON_ENDS;
}

/* "a rotate of v" */
static const char *array_text(Compilation *c, const ExplainArrays *arrays, const CoreName *name)
{
    enum { MOST_VIEWS = 4 };
    Text text = text_create(c->arena);
    for (int k = 0; name != NULL && k < MOST_VIEWS; k++) {
        const CoreStm *stm = maker_of(arrays, name);
        if (stm == NULL || !core_is_view(stm->exp->kind)) {
            break;
        }
        const char *kind = core_stm_kind(c, stm);
        text_printf(&text, "%s %s", strchr("aeiou", kind[0]) ? "an" : "a", kind);
        name = operand_of(stm);
        text_string(&text, name != NULL ? " of " : "");
    }
    text_string(&text, name != NULL ? name->text : "");
    return text_get(&text);
}

void explain_copied(Compilation *c, Text *out, const ExplainArrays *arrays, KernelCopied copied,
                    int indent)
{
    if (copied.why == CORE_REASON_NONE) {
        return;
    }
    CoreFusion record = {.array = copied.array};
    const char *why = core_reason_text(c, copied.why, &record);
    text_spaces(out, indent);
    if (copied.array == NULL) {
        text_printf(out, "copies  an array: %s\n", why);
        return;
    }
    text_printf(out, "copies  %s: %s\n", array_text(c, arrays, copied.array), why);
    bool is_asked_for = copied.why == CORE_REASON_STORED || copied.why == CORE_REASON_COPIED;
    CoreReason reason =
        is_asked_for ? CORE_REASON_NONE : why_not_made_so(arrays, copied, &record.between);
    if (reason != CORE_REASON_NONE) {
        text_spaces(out, indent);
        text_printf(out, "        not made so: %s\n", core_reason_text(c, reason, &record));
    }
}
