/* A tree of the front form as its text, with as few parentheses as there can be.

       (apply map (section * _ 2) xs)    ==>   map (* 2) xs
       (binary * (binary + a b) c)       ==>   (a + b) * c

   What is printed reads back as the same tree. Bindings stand on lines of their own, and everything
   else on the line where it begins. */
#include "core/front/syntax.h"
#include "core/printer.h"
#include "core/text_form.h"

#include <math.h>

/* How tightly an expression holds together; looser ones need parentheses inside tighter ones. The
   operators of a row of the grammar's precedences have one level. */
typedef enum Level {
    OPEN, /* let if loop \ */
    WITH,
    EITHER,
    BOTH,
    COMPARISON,
    BITS_OR,
    BITS_XOR,
    BITS_AND,
    SHIFT,
    SUM,
    PRODUCT,
    POWER,
    PREFIX,
    APPLICATION,
    ATOM
} Level;

static void print_exp(Printer *p, const FrontExp *exp, Level least, bool is_last);

static void put(Printer *p, const char *text)
{
    text_string(p->out, text);
}

static void new_line(Printer *p)
{
    put(p, "\n");
    text_spaces(p->out, p->indent);
}

/* ---- types and patterns ---------------------------------------------------------------------- */

static void print_size(Printer *p, const FrontSize *size)
{
    switch (size->kind) {
    case FRONT_SIZE_ANY: put(p, "[]"); return;
    case FRONT_SIZE_NAME: text_printf(p->out, "[%s]", size->name); return;
    case FRONT_SIZE_CONSTANT: text_printf(p->out, "[%lld]", (long long)size->constant); return;
    }
}

static void print_type(Printer *p, const FrontType *type)
{
    put(p, type->unique ? "*" : "");
    switch (type->kind) {
    case FRONT_TYPE_SCALAR: put(p, core_prim_text(type->prim)); return;
    case FRONT_TYPE_ARRAY:
        print_size(p, &type->size);
        print_type(p, type->row);
        return;
    case FRONT_TYPE_TUPLE:
        put(p, "(");
        for (size_t i = 0; i < type->count; i++) {
            put(p, i ? ", " : "");
            print_type(p, type->items[i]);
        }
        put(p, ")");
        return;
    }
}

static void print_annotation(Printer *p, const FrontType *type)
{
    if (type) {
        put(p, " : ");
        print_type(p, type);
    }
}

/* With its type, as between parentheses. */
static void print_pattern(Printer *p, const FrontPattern *pattern)
{
    switch (pattern->kind) {
    case FRONT_PATTERN_NAME: put(p, pattern->name); break;
    case FRONT_PATTERN_ANY: put(p, "_"); break;
    case FRONT_PATTERN_TUPLE:
        put(p, "(");
        for (size_t i = 0; i < pattern->count; i++) {
            put(p, i ? ", " : "");
            print_pattern(p, pattern->items[i]);
        }
        put(p, ")");
        break;
    }
    print_annotation(p, pattern->type);
}

/* In parentheses where it has a type; the type of () goes without saying. */
static void print_parameter(Printer *p, const FrontPattern *parameter)
{
    bool is_unit = parameter->kind == FRONT_PATTERN_TUPLE && parameter->count == 0;
    if (is_unit || !parameter->type) {
        FrontPattern bare = *parameter;
        bare.type = NULL;
        print_pattern(p, &bare);
        return;
    }
    put(p, "(");
    print_pattern(p, parameter);
    put(p, ")");
}

static void print_parameters(Printer *p, const FrontFunction *function)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        put(p, i > 0 || function->name ? " " : "");
        print_parameter(p, function->parameters[i]);
    }
    print_annotation(p, function->result);
}

/* ---- bindings -------------------------------------------------------------------------------- */

/* What follows =, ->, then, do: on a line of its own where it begins with let. */
static void print_body(Printer *p, const FrontExp *body)
{
    bool is_block = body->kind == FRONT_BLOCK;
    p->indent += is_block ? 2 : 0;
    if (is_block) {
        new_line(p);
    } else {
        put(p, " ");
    }
    print_exp(p, body, OPEN, true);
    p->indent -= is_block ? 2 : 0;
}

static void print_indices(Printer *p, size_t count, const FrontIndex *indices)
{
    put(p, "[");
    for (size_t i = 0; i < count; i++) {
        const FrontIndex *index = &indices[i];
        const FrontExp *const ranged[] = {index->from, index->to, index->step};
        put(p, i ? ", " : "");
        if (!index->is_range) {
            print_exp(p, index->position, OPEN, true);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            put(p, k == 1 || (k == 2 && index->step) ? ":" : "");
            if (ranged[k]) {
                print_exp(p, ranged[k], OPEN, true);
            }
        }
    }
    put(p, "]");
}

static void print_binding(Printer *p, const FrontBinding *binding)
{
    put(p, "let ");
    switch (binding->kind) {
    case FRONT_LET:
        print_pattern(p, binding->pattern);
        put(p, " =");
        print_body(p, binding->value);
        return;
    case FRONT_LET_UPDATE:
        put(p, binding->name);
        print_indices(p, binding->index_count, binding->indices);
        put(p, " =");
        print_body(p, binding->value);
        return;
    case FRONT_LET_FUNCTION:
        put(p, binding->function->name);
        print_parameters(p, binding->function);
        put(p, " =");
        print_body(p, binding->function->body);
        return;
    }
}

static void print_block(Printer *p, const FrontExp *exp)
{
    for (size_t i = 0; i < exp->as.block.count; i++) {
        print_binding(p, exp->as.block.bindings[i]);
        new_line(p);
    }
    put(p, "in ");
    bool is_block = exp->as.block.result->kind == FRONT_BLOCK; /* which was parenthesised */
    print_exp(p, exp->as.block.result, OPEN, !is_block);
}

/* ---- control --------------------------------------------------------------------------------- */

static void print_if(Printer *p, const FrontExp *exp)
{
    put(p, "if ");
    print_exp(p, exp->as.conditional.condition, OPEN, true);
    put(p, " then");
    print_body(p, exp->as.conditional.then_exp);
    if (exp->as.conditional.then_exp->kind == FRONT_BLOCK) {
        new_line(p);
    } else {
        put(p, " ");
    }
    put(p, "else");
    print_body(p, exp->as.conditional.else_exp);
}

static void print_loop_parameter(Printer *p, const FrontPattern *pattern, const FrontExp *initial)
{
    print_pattern(p, pattern);
    if (initial) {
        put(p, " = ");
        print_exp(p, initial, OPEN, true);
    }
}

/* loop (a = 1, b = xs) for ...; one parameter stands without parentheses where it can. */
static void print_loop(Printer *p, const FrontExp *exp)
{
    size_t count = exp->as.loop.parameter_count;
    const FrontPattern *first = exp->as.loop.parameters[0];
    bool is_plain = count == 1 && !first->type && first->kind != FRONT_PATTERN_ANY &&
                    (first->kind != FRONT_PATTERN_TUPLE || first->count > 0);
    put(p, is_plain ? "loop " : "loop (");
    for (size_t i = 0; i < count; i++) {
        put(p, i ? ", " : "");
        print_loop_parameter(p, exp->as.loop.parameters[i], exp->as.loop.initial[i]);
    }
    put(p, is_plain ? "" : ")");
    switch (exp->as.loop.kind) {
    case FRONT_FOR_LESS: text_printf(p->out, " for %s < ", exp->as.loop.element->name); break;
    case FRONT_FOR_IN:
        put(p, " for ");
        print_parameter(p, exp->as.loop.element);
        put(p, " in ");
        break;
    case FRONT_WHILE: put(p, " while "); break;
    }
    print_exp(p, exp->as.loop.limit, OPEN, true);
    put(p, " do");
    print_body(p, exp->as.loop.body);
}

static void print_lambda(Printer *p, const FrontExp *exp)
{
    put(p, "\\");
    print_parameters(p, exp->as.lambda);
    put(p, " ->");
    print_body(p, exp->as.lambda->body);
}

static void print_update(Printer *p, const FrontExp *exp, bool is_last)
{
    print_exp(p, exp->as.index.array, WITH, false);
    put(p, " with ");
    print_indices(p, exp->as.index.count, exp->as.index.indices);
    put(p, " = ");
    print_exp(p, exp->as.index.value, EITHER, is_last);
}

/* ---- operations ------------------------------------------------------------------------------ */

static Level operator_level(CoreOperator op)
{
    switch ((int)op) { /* exactly the symbols */
    case CORE_OR: return BITS_OR;
    case CORE_XOR: return BITS_XOR;
    case CORE_AND: return BITS_AND;
    case CORE_SHL:
    case CORE_SHR:
    case CORE_SAR: return SHIFT;
    case CORE_ADD:
    case CORE_SUB: return SUM;
    case CORE_MUL:
    case CORE_DIV:
    case CORE_MOD: return PRODUCT;
    case CORE_POW: return POWER;
    }
    return COMPARISON;
}

static const char *infix_text(FrontInfix infix, CoreOperator op)
{
    switch (infix) {
    case FRONT_INFIX_OPERATOR: return core_operator_text(op);
    case FRONT_INFIX_AND: return "&&";
    case FRONT_INFIX_OR: return "||";
    case FRONT_INFIX_APPEND: return "++";
    }
    return "?";
}

static Level infix_level(FrontInfix infix, CoreOperator op)
{
    switch (infix) {
    case FRONT_INFIX_OPERATOR: return operator_level(op);
    case FRONT_INFIX_AND: return BOTH;
    case FRONT_INFIX_OR: return EITHER;
    case FRONT_INFIX_APPEND: return SUM;
    }
    return SUM;
}

/* How tight the operands of an operator at this level have to be: `**` groups to the right,
   comparisons do not group, everything else groups to the left. */
static Level left_operand(Level level)
{
    return level == POWER || level == COMPARISON ? level + 1 : level;
}

static Level right_operand(Level level)
{
    return level == POWER ? level : level + 1;
}

static void print_infix(Printer *p, const FrontExp *exp, bool is_last)
{
    FrontInfix infix = exp->as.operation.infix;
    CoreOperator op = exp->as.operation.op;
    Level level = infix_level(infix, op);
    print_exp(p, exp->as.operation.x, left_operand(level), false);
    text_printf(p->out, " %s ", infix_text(infix, op));
    print_exp(p, exp->as.operation.y, right_operand(level), is_last);
}

static void print_section(Printer *p, const FrontExp *exp)
{
    FrontInfix infix = exp->as.operation.infix;
    CoreOperator op = exp->as.operation.op;
    put(p, "(");
    if (exp->as.operation.x) {
        print_exp(p, exp->as.operation.x, left_operand(infix_level(infix, op)), false);
        put(p, " ");
    }
    put(p, infix_text(infix, op));
    if (exp->as.operation.y) {
        put(p, " ");
        print_exp(p, exp->as.operation.y, OPEN, true);
    }
    put(p, ")");
}

static bool is_negative(const FrontExp *exp)
{
    CoreAtom atom = exp->as.constant.atom;
    return exp->kind == FRONT_CONSTANT &&
           ((core_is_int(atom.prim) && atom.as.integer < 0) ||
            (core_is_real(atom.prim) && signbit(atom.as.real) && !isnan(atom.as.real)));
}

/* Two minus signs that touch would begin a comment. */
static void print_unary(Printer *p, const FrontExp *exp, bool is_last)
{
    const FrontExp *x = exp->as.operation.x;
    bool minus_follows =
        is_negative(x) || (x->kind == FRONT_UNARY && x->as.operation.op == CORE_NEG);
    bool is_minus = exp->as.operation.op == CORE_NEG;
    put(p, is_minus ? "-" : "!");
    print_exp(p, x, is_minus && minus_follows ? ATOM : PREFIX, is_last);
}

/* ---- atoms ----------------------------------------------------------------------------------- */

static void print_name(Printer *p, const FrontExp *exp)
{
    put(p, exp->as.name.text);
    if (exp->as.name.level != CORE_LEVEL_AUTO) {
        text_printf(p->out, "@%s", core_level_text(exp->as.name.level));
    }
    if (exp->as.name.space != CORE_SPACE_AUTO) {
        text_printf(p->out, "@%s", core_space_text(exp->as.name.space));
    }
}

static void print_constant(Printer *p, const FrontExp *exp)
{
    CoreAtom atom = exp->as.constant.atom;
    if (!exp->as.constant.is_adaptive) {
        core_print_atom(p, atom);
    } else if (core_is_int(atom.prim)) {
        text_printf(p->out, "%lld", (long long)atom.as.integer);
    } else {
        put(p, text_of_double(p->c->arena, atom.as.real));
    }
}

static void print_string(Printer *p, const FrontExp *exp)
{
    Text text = text_create(p->c->arena);
    for (size_t i = 0; i < exp->as.string.count; i++) {
        text_codepoint(&text, exp->as.string.points[i]);
    }
    core_print_string(p, text_get(&text));
}

static void print_items(Printer *p, const char *open, const FrontExp *exp, const char *close)
{
    put(p, open);
    for (size_t i = 0; i < exp->as.items.count; i++) {
        put(p, i ? ", " : "");
        print_exp(p, exp->as.items.items[i], OPEN, true);
    }
    put(p, close);
}

static void print_apply(Printer *p, const FrontExp *exp)
{
    print_exp(p, exp->as.apply.function, ATOM, false);
    for (size_t i = 0; i < exp->as.apply.count; i++) {
        put(p, " ");
        print_exp(p, exp->as.apply.arguments[i], ATOM, false);
    }
}

static void print_assert(Printer *p, const FrontExp *exp)
{
    put(p, "assert ");
    print_exp(p, exp->as.assertion.condition, ATOM, false);
    put(p, " ");
    bool is_apply = exp->as.assertion.value->kind == FRONT_APPLY;
    print_exp(p, exp->as.assertion.value, is_apply ? APPLICATION : ATOM, false);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static Level level_of(const FrontExp *exp)
{
    switch (exp->kind) {
    case FRONT_NAME:
    case FRONT_PRIM:
    case FRONT_STRING:
    case FRONT_TUPLE:
    case FRONT_ARRAY:
    case FRONT_INDEX:
    case FRONT_COMPONENT:
    case FRONT_SECTION: return ATOM;
    case FRONT_CONSTANT: return is_negative(exp) ? PREFIX : ATOM;
    case FRONT_APPLY:
    case FRONT_ASSERT: return APPLICATION;
    case FRONT_UNARY: return PREFIX;
    case FRONT_BINARY:
    case FRONT_AND:
    case FRONT_OR:
    case FRONT_APPEND: return infix_level(exp->as.operation.infix, exp->as.operation.op);
    case FRONT_UPDATE: return WITH;
    case FRONT_LAMBDA:
    case FRONT_BLOCK:
    case FRONT_IF:
    case FRONT_LOOP: return OPEN;
    }
    return ATOM;
}

static void print_inside(Printer *p, const FrontExp *exp, bool is_last)
{
    switch (exp->kind) {
    case FRONT_NAME: print_name(p, exp); return;
    case FRONT_PRIM: put(p, core_prim_text(exp->as.prim)); return;
    case FRONT_CONSTANT: print_constant(p, exp); return;
    case FRONT_STRING: print_string(p, exp); return;
    case FRONT_TUPLE: print_items(p, "(", exp, ")"); return;
    case FRONT_ARRAY: print_items(p, "[", exp, "]"); return;
    case FRONT_INDEX:
        print_exp(p, exp->as.index.array, ATOM, false);
        print_indices(p, exp->as.index.count, exp->as.index.indices);
        return;
    case FRONT_COMPONENT:
        print_exp(p, exp->as.component.tuple, ATOM, false);
        text_printf(p->out, ".%zu", exp->as.component.position);
        return;
    case FRONT_APPLY: print_apply(p, exp); return;
    case FRONT_UNARY: print_unary(p, exp, is_last); return;
    case FRONT_BINARY:
    case FRONT_AND:
    case FRONT_OR:
    case FRONT_APPEND: print_infix(p, exp, is_last); return;
    case FRONT_SECTION: print_section(p, exp); return;
    case FRONT_LAMBDA: print_lambda(p, exp); return;
    case FRONT_BLOCK: print_block(p, exp); return;
    case FRONT_UPDATE: print_update(p, exp, is_last); return;
    case FRONT_IF: print_if(p, exp); return;
    case FRONT_LOOP: print_loop(p, exp); return;
    case FRONT_ASSERT: print_assert(p, exp); return;
    }
}

/* In a place that asks for this level at least. is_last: nothing comes after it that an open
   expression would take for its own, so that one needs no parentheses there after an operator. */
static void print_exp(Printer *p, const FrontExp *exp, Level least, bool is_last)
{
    Level level = level_of(exp);
    if (level == OPEN ? is_last && least < PREFIX : level >= least) {
        print_inside(p, exp, is_last);
    } else {
        put(p, "(");
        p->indent += exp->kind == FRONT_BLOCK;
        print_inside(p, exp, true);
        p->indent -= exp->kind == FRONT_BLOCK;
        put(p, ")");
    }
}

void front_print(Compilation *c, Text *out, const FrontProgram *program)
{
    Printer p = {.c = c, .out = out};
    for (size_t i = 0; i < program->count; i++) {
        const FrontFunction *definition = program->definitions[i];
        put(&p, i ? "\n" : "");
        put(&p, definition->is_entry ? "entry " : "def ");
        put(&p, definition->name);
        print_parameters(&p, definition);
        put(&p, " =");
        print_body(&p, definition->body);
        put(&p, "\n");
    }
}
