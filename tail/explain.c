/* What to say about a call that does not fit: which argument it is, the type that it has, and the
   type that it must have, given those before it.

       reduce(addi,0,v)   v : [double]1
       argument 3 of reduce has type [double]1, but must have type [int](r+1)

   The wanted type is the builtin's scheme with its letters replaced as far as they are known; a
   letter that is left stands for anything. [TAIL] figs 1 and 2. */
#include "tail/schemes.h"

/* ---- types as the scheme wants them ---------------------------------------------------------- */

static void print_term(Text *out, const SchemeBindings *bindings, const SchemeTerm *term)
{
    if (term->variable < 0) {
        text_printf(out, "%lld", (long long)term->constant);
    } else if (bindings->shape_bound[term->variable]) {
        SchemeTerm positive = *term;
        positive.negative = false;
        text_printf(out, "%lld", (long long)tail_term_value(bindings, &positive));
    } else {
        text_printf(out, term->absolute ? "|%c|" : "%c", 'a' + term->variable);
    }
}

/* 2, r, (r+1) */
static void print_shape(Text *out, const SchemeBindings *bindings, const SchemePattern *pattern)
{
    int64_t sum = 0;
    bool known = true;
    for (int i = 0; i < pattern->term_count; i++) {
        const SchemeTerm *term = &pattern->terms[i];
        if (term->variable >= 0 && !bindings->shape_bound[term->variable]) {
            known = false;
        } else {
            sum += tail_term_value(bindings, term);
        }
    }
    if (known) {
        text_printf(out, "%lld", (long long)sum);
        return;
    }
    bool grouped = pattern->term_count > 1;
    text_string(out, grouped ? "(" : "");
    for (int i = 0; i < pattern->term_count; i++) {
        bool negative = pattern->terms[i].negative;
        text_string(out, negative ? "-" : i > 0 ? "+" : "");
        print_term(out, bindings, &pattern->terms[i]);
    }
    text_string(out, grouped ? ")" : "");
}

static void print_base(Text *out, const SchemeBindings *bindings, const SchemePattern *pattern)
{
    int variable = pattern->base_variable;
    if (variable >= 0 && !bindings->base_bound[variable]) {
        text_char(out, (char)('a' + variable));
    } else {
        text_string(out, tail_base_text(variable < 0 ? pattern->base : bindings->bases[variable]));
    }
}

/* [t](r+1); ([int](r+1) * [bool](r+1)) where t is known */
static void print_lifted(Text *out, const SchemeBindings *bindings, const SchemePattern *pattern,
                         const TailType *scalar)
{
    bool tuple = scalar && scalar->kind == TAIL_TUPLE;
    for (size_t i = 0; tuple && i < scalar->count; i++) {
        text_string(out, i > 0 ? " * " : "(");
        print_lifted(out, bindings, pattern, scalar->items[i]);
    }
    if (tuple) {
        text_char(out, ')');
        return;
    }
    text_printf(out, "[%s]",
                scalar && tail_is_array(scalar) ? tail_base_text(scalar->base.kind) : "t");
    print_shape(out, bindings, pattern);
}

static void print_pattern(Compilation *c, Text *out, const SchemeBindings *bindings,
                          const SchemePattern *pattern)
{
    static const char *const OPEN[] = {"[", "<", "S(", "SV("};
    static const char *const MIDDLE[] = {"]", ">", ",", ","};
    if (pattern->whole) {
        text_string(out, bindings->whole ? tail_type_text(c, bindings->whole) : "t");
        return;
    }
    if (pattern->lifted) {
        print_lifted(out, bindings, pattern, bindings->whole);
        return;
    }
    text_string(out, OPEN[pattern->kind]);
    print_base(out, bindings, pattern);
    text_string(out, MIDDLE[pattern->kind]);
    print_shape(out, bindings, pattern);
    if (pattern->kind == TAIL_SINGLE || pattern->kind == TAIL_SINGLE_VECTOR)
        text_char(out, ')');
}

static const char *item_text(Compilation *c, const SchemeBindings *bindings, const SchemeItem *item)
{
    Text out = text_create(c->arena);
    for (int i = 0; i < item->count; i++) {
        bool is_parameter = i + 1 < item->count;
        text_string(&out, is_parameter ? "(" : "");
        print_pattern(c, &out, bindings, &item->patterns[i]);
        text_string(&out, is_parameter ? ")->" : "");
    }
    return text_get(&out);
}

const char *tail_explain_call(Compilation *c, TailBuiltin builtin, size_t count,
                              const TailType *const *types, size_t *argument)
{
    SchemeBindings bindings = {0};
    const Scheme *scheme = tail_general_scheme(c, builtin);
    for (size_t i = 0; i < count && i + 1 < (size_t)scheme->count; i++) {
        if (!tail_match_item(&bindings, &scheme->items[i], types[i])) {
            *argument = i;
            return arena_printf(c->arena, "argument %zu of %s has type %s, but must have type %s",
                                i + 1, tail_builtin_text(builtin), tail_type_text(c, types[i]),
                                item_text(c, &bindings, &scheme->items[i]));
        }
    }
    return NULL;
}
