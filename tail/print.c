/* Prints TAIL in the concrete syntax of docs/tail.md:

       let v1:<int>30 = iotaV(30) in
       let v2:[int]1 = each{[int,int],[1]}(fn v3:[int]0 => muli(v3,v3),v1) in
       let v4:[int]0 = prSclI(reduce{[int],[0]}(addi,0,v2)) in
       0.0

   Lets are lines. A lambda whose body is a let goes on in indented lines; any other stands where it
   is. Layout means nothing to a reader of the file. An operator whose result type is sized or has a
   known value is printed under its name with V. */
#include "tail/tail.h"

typedef struct Printer {
    Compilation *c;
    Text *out;
    bool with_instances;
} Printer;

static void print_exp(Printer *p, const TailExp *exp, int indent);

static void print_line(Printer *p, int indent)
{
    text_char(p->out, '\n');
    text_spaces(p->out, indent);
}

/* ---- values -------------------------------------------------------------------------------- */

static void print_double(Printer *p, double value)
{
    const char *text = value != value ? "nan.0" : text_of_double(p->c->arena, value);
    text_string(p->out, text);
}

/* As Standard ML escapes characters; beyond ASCII by \uXXXX and \UXXXXXXXX. */
static void print_char(Printer *p, uint32_t codepoint)
{
    static const char CONTROLS[] = "abtnvfr";
    text_char(p->out, '\'');
    if (codepoint == '\\' || codepoint == '"' || codepoint == '\'') {
        text_printf(p->out, "\\%c", (char)codepoint);
    } else if (codepoint >= 7 && codepoint <= 13) {
        text_printf(p->out, "\\%c", CONTROLS[codepoint - 7]);
    } else if (codepoint < 32) {
        text_printf(p->out, "\\^%c", (char)(codepoint + 64));
    } else if (codepoint < 127) {
        text_char(p->out, (char)codepoint);
    } else if (codepoint == 127) {
        text_string(p->out, "\\127");
    } else if (codepoint <= 0xFFFF) {
        text_printf(p->out, "\\u%04X", (unsigned)codepoint);
    } else {
        text_printf(p->out, "\\U%08X", (unsigned)codepoint);
    }
    text_char(p->out, '\'');
}

static void print_variable(Printer *p, const TailVariable *variable)
{
    text_printf(p->out, "v%u", variable->number);
}

static void print_binding(Printer *p, const TailVariable *variable)
{
    print_variable(p, variable);
    text_printf(p->out, ":%s", tail_type_text(p->c, variable->type));
}

static void print_list(Printer *p, const char *open, size_t count, const TailExp *const *items,
                       const char *close, int indent)
{
    text_string(p->out, open);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_char(p->out, ',');
        print_exp(p, items[i], indent);
    }
    text_string(p->out, close);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* The name with V that a builtin has where its result is sized. */
typedef struct Renaming {
    TailBuiltin plain, sized;
} Renaming;

static const Renaming RENAMINGS[] = {
    {TAIL_OP_B2I, TAIL_OP_B2IV},         {TAIL_OP_IOTA, TAIL_OP_IOTAV},
    {TAIL_OP_SHAPE, TAIL_OP_SHAPEV},     {TAIL_OP_FIRST, TAIL_OP_FIRSTV},
    {TAIL_OP_TAKE, TAIL_OP_TAKEV},       {TAIL_OP_DROP, TAIL_OP_DROPV},
    {TAIL_OP_CAT, TAIL_OP_CATV},         {TAIL_OP_CONS, TAIL_OP_CONSV},
    {TAIL_OP_SNOC, TAIL_OP_SNOCV},       {TAIL_OP_VREVERSE, TAIL_OP_VREVERSEV},
    {TAIL_OP_REVERSE, TAIL_OP_REVERSEV}, {TAIL_OP_VROTATE, TAIL_OP_VROTATEV},
    {TAIL_OP_ROTATE, TAIL_OP_ROTATEV},   {TAIL_OP_EACH, TAIL_OP_EACHV},
};

static const char *printed_name(TailBuiltin builtin, const TailType *result)
{
    bool sized = result->kind == TAIL_VECTOR;
    if (builtin == TAIL_OP_B2I || builtin == TAIL_OP_FIRST)
        sized = result->kind == TAIL_SINGLE;
    if (builtin == TAIL_OP_SHAPE)
        sized = result->kind == TAIL_SINGLE_VECTOR;
    for (size_t i = 0; sized && i < sizeof RENAMINGS / sizeof *RENAMINGS; i++) {
        if (RENAMINGS[i].plain == builtin)
            return tail_builtin_text(RENAMINGS[i].sized);
    }
    return tail_builtin_text(builtin);
}

static void print_instance(Printer *p, const TailInstance *instance)
{
    if (!p->with_instances || (instance->base_count == 0 && instance->rank_count == 0))
        return;
    text_string(p->out, "{[");
    for (size_t i = 0; i < instance->base_count; i++) {
        text_printf(p->out, "%s%s", i > 0 ? "," : "", tail_base_text(instance->bases[i]));
    }
    text_string(p->out, "],[");
    for (size_t i = 0; i < instance->rank_count; i++) {
        text_printf(p->out, "%s%lld", i > 0 ? "," : "", (long long)instance->ranks[i]);
    }
    text_string(p->out, "]}");
}

static void print_call(Printer *p, const TailExp *exp, int indent)
{
    text_string(p->out, printed_name(exp->as.call.builtin, exp->type));
    print_instance(p, &exp->as.call.instance);
    print_list(p, "(", exp->as.call.count, exp->as.call.arguments, ")", indent);
}

/* fn x => fn y => op(x,y), where op carries no instance list and x and y are scalars: a reader
   finds their types again. */
static bool is_bare_operator(const TailExp *lambda)
{
    const TailExp *body = lambda->as.lambda.body;
    if (body->kind != TAIL_EXP_CALL || body->as.call.count != lambda->as.lambda.count)
        return false;
    if (body->as.call.instance.base_count > 0 || body->as.call.instance.rank_count > 0)
        return false;
    for (size_t i = 0; i < body->as.call.count; i++) {
        const TailExp *argument = body->as.call.arguments[i];
        if (argument->kind != TAIL_EXP_VARIABLE)
            return false;
        if (argument->as.variable != lambda->as.lambda.parameters[i])
            return false;
        if (argument->type->kind != TAIL_ARRAY || tail_rank(argument->type) != 0)
            return false;
    }
    return true;
}

static void print_lambda(Printer *p, const TailExp *exp, int indent)
{
    const TailExp *body = exp->as.lambda.body;
    if (is_bare_operator(exp)) {
        text_string(p->out, printed_name(body->as.call.builtin, body->type));
        return;
    }
    for (size_t i = 0; i < exp->as.lambda.count; i++) {
        text_string(p->out, i > 0 ? " fn " : "fn ");
        print_binding(p, exp->as.lambda.parameters[i]);
        text_string(p->out, " =>");
    }
    if (body->kind != TAIL_EXP_LET)
        text_char(p->out, ' ');
    print_exp(p, body, indent);
}

/* ---- expressions --------------------------------------------------------------------------- */

/* The lets of a chain, a line each. Anywhere but at the top, they begin a new, indented line. */
static const TailExp *print_lets(Printer *p, const TailExp *exp, int indent)
{
    for (; exp->kind == TAIL_EXP_LET; exp = exp->as.let.body) {
        text_string(p->out, "let ");
        print_binding(p, exp->as.let.variable);
        text_string(p->out, " = ");
        print_exp(p, exp->as.let.value, indent);
        text_string(p->out, " in");
        print_line(p, indent);
    }
    return exp;
}

static void print_if(Printer *p, const TailExp *exp, int indent)
{
    text_string(p->out, "if ");
    print_exp(p, exp->as.conditional.condition, indent);
    text_string(p->out, " then ");
    print_exp(p, exp->as.conditional.then_case, indent);
    text_string(p->out, " else ");
    print_exp(p, exp->as.conditional.else_case, indent);
}

static void print_exp(Printer *p, const TailExp *exp, int indent)
{
    switch (exp->kind) {
    case TAIL_EXP_BOOL: text_string(p->out, exp->as.boolean ? "tt" : "ff"); return;
    case TAIL_EXP_INT: text_printf(p->out, "%lld", (long long)exp->as.integer); return;
    case TAIL_EXP_DOUBLE: print_double(p, exp->as.real); return;
    case TAIL_EXP_CHAR: print_char(p, exp->as.character); return;
    case TAIL_EXP_COMPLEX:
        print_double(p, exp->as.complex.real);
        text_char(p->out, 'j');
        print_double(p, exp->as.complex.imaginary);
        return;
    case TAIL_EXP_VARIABLE: print_variable(p, exp->as.variable); return;
    case TAIL_EXP_VECTOR:
        print_list(p, "[", exp->as.items.count, exp->as.items.items, "]", indent);
        return;
    case TAIL_EXP_TUPLE:
        print_list(p, "(", exp->as.items.count, exp->as.items.items, ")", indent);
        return;
    case TAIL_EXP_PROJECT:
        text_printf(p->out, "Prj(%zu,", exp->as.project.index);
        print_exp(p, exp->as.project.tuple, indent);
        text_char(p->out, ')');
        return;
    case TAIL_EXP_LAMBDA: print_lambda(p, exp, indent); return;
    case TAIL_EXP_LET:
        print_line(p, indent + 2);
        print_exp(p, print_lets(p, exp, indent + 2), indent + 2);
        return;
    case TAIL_EXP_CALL: print_call(p, exp, indent); return;
    case TAIL_EXP_APPLY:
        print_variable(p, exp->as.apply.function);
        print_list(p, "(", exp->as.apply.count, exp->as.apply.arguments, ")", indent);
        return;
    case TAIL_EXP_IF: print_if(p, exp, indent); return;
    }
}

void tail_print(Compilation *c, Text *out, const TailExp *program, bool with_instances)
{
    Printer printer = {c, out, with_instances};
    print_exp(&printer, print_lets(&printer, program, 0), 0);
    text_char(out, '\n');
}
