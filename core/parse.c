/* The parser's scopes, bindings, bodies and functions, and core_parse itself. (One action an
   expression: parse_expressions.c.)

   A name is found by its whole text ("x_4"); its node gets the number written when no other name
   has it, else a fresh one. Binding the same numbered name twice is an error; a name without a
   number may be bound again, which hides the earlier one.

       let (x : i64) = 1            -- x_7, say
       let (x : i64) = x + 1        -- x_8 = x_7 + 1 */
#include "core/parse.h"
#include "core/build.h"
#include "core/front/syntax.h"
#include "core/grammar.h"
#include "core/text_form.h"

#include <stdarg.h>
#include <stdint.h>

void core_parse_error(CoreParser *p, Span span, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(p->c->diagnostics, span, name, format, arguments);
    va_end(arguments);
    p->errors++;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static void set_bound(CoreParser *p, const char *lexeme, CoreName *name)
{
    Bound before = {lexeme, pointer_map_get(&p->bound, lexeme)};
    vec_push(p->c->arena, &p->undo, before);
    pointer_map_set(p->c->arena, &p->bound, lexeme, name);
}

ParseMark core_parse_scope(const CoreParser *p)
{
    return (ParseMark){p->undo.count, p->depth};
}

void core_parse_close(CoreParser *p, ParseMark mark)
{
    while (p->undo.count > mark.undo) {
        Bound before = p->undo.items[--p->undo.count];
        pointer_map_set(p->c->arena, &p->bound, before.lexeme, before.name);
    }
}

void core_parse_close_all(CoreParser *p)
{
    core_parse_close(p, (ParseMark){0});
}

CoreAtom core_parse_name(CoreParser *p, const char *lexeme, Span span)
{
    CoreName *name = pointer_map_get(&p->bound, lexeme);
    if (!name) {
        core_parse_error(p, span, "NAME ERROR", "%s is not bound here", lexeme);
        return core_i64(0);
    }
    return core_use(name);
}

/* ---- numbers --------------------------------------------------------------------------------- */

enum { GREATEST_NUMBER = INT32_MAX };

/* "x_4" is x and 4. False for a name without number: none, leading zeros, or too large. */
static bool split_number(const char *lexeme, size_t *text_length, unsigned *number)
{
    size_t length = strlen(lexeme), start = length;
    while (start > 0 && lexeme[start - 1] >= '0' && lexeme[start - 1] <= '9') {
        start--;
    }
    size_t digits = length - start;
    if (digits == 0 || digits > 10 || start < 2 || lexeme[start - 1] != '_' ||
        (digits > 1 && lexeme[start] == '0')) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = start; i < length; i++) {
        value = 10 * value + (uint64_t)(lexeme[i] - '0');
    }
    *text_length = start - 1;
    *number = (unsigned)value;
    return value <= GREATEST_NUMBER;
}

/* Fresh numbers must differ from all that are written: the greatest of them, found in one pass. */
static unsigned greatest_number(const SourceFile *source)
{
    uint64_t greatest = 0;
    for (size_t i = 0; i < source->length; i++) {
        if (source->text[i] != '_') {
            continue;
        }
        uint64_t value = 0;
        while (i + 1 < source->length && source->text[i + 1] >= '0' && source->text[i + 1] <= '9') {
            value = value <= GREATEST_NUMBER ? 10 * value + (uint64_t)(source->text[i + 1] - '0')
                                             : value;
            i++;
        }
        if (value <= GREATEST_NUMBER && value > greatest) {
            greatest = value;
        }
    }
    return (unsigned)greatest;
}

static CoreName *new_name(CoreParser *p, const char *lexeme, CoreType type, Span span)
{
    size_t length;
    unsigned number;
    if (!split_number(lexeme, &length, &number)) {
        return core_name(p->c, lexeme, type, span);
    }
    const char *text = names_intern(p->c->names, lexeme, length);
    number += p->first_number;
    const void *key = (const void *)((uintptr_t)number + 1); /* not NULL */
    const CoreName *other = pointer_map_get(&p->numbered, key);
    if (other) {
        if (other->text == text) {
            Place place = source_place(p->c->arena, other->span);
            core_parse_error(p, span, "NAME ERROR", "%s is bound twice, first in line %u", lexeme,
                             place.line);
        }
        return core_name(p->c, text, type, span);
    }
    unsigned last = p->c->last_number;
    CoreName *name = core_name(p->c, text, type, span);
    p->c->last_number = last;
    name->number = number;
    pointer_map_set(p->c->arena, &p->numbered, key, name);
    return name;
}

/* ---- types and bindings ---------------------------------------------------------------------- */

CoreType core_parse_type(CoreParser *p, const RawType *raw)
{
    size_t rank = raw->sizes.count;
    if (rank > NESTING_LIMIT) {
        core_parse_error(p, raw->sizes.items[NESTING_LIMIT].span, "LIMIT ERROR", "a rank of %zu",
                         rank);
    }
    CoreAtom *sizes = ARENA_ARRAY(p->c->arena, CoreAtom, rank);
    for (size_t i = 0; i < rank; i++) {
        const RawSize *size = &raw->sizes.items[i];
        sizes[i] = size->lexeme ? core_parse_name(p, size->lexeme, size->span) : size->constant;
    }
    return (CoreType){.prim = raw->prim, .rank = (int)rank, .sizes = sizes, .unique = raw->unique};
}

CoreType *core_parse_types(CoreParser *p, const RawTypeList *raw)
{
    CoreType *types = ARENA_ARRAY(p->c->arena, CoreType, raw->count);
    for (size_t i = 0; i < raw->count; i++) {
        types[i] = core_parse_type(p, &raw->items[i]);
    }
    return types;
}

CoreName *core_parse_bind(CoreParser *p, const RawBinding *binding)
{
    CoreName *name =
        new_name(p, binding->lexeme, core_parse_type(p, &binding->type), binding->span);
    set_bound(p, binding->lexeme, name);
    return name;
}

NameList core_parse_bind_all(CoreParser *p, const RawBindingList *bindings)
{
    NameList list = {bindings->count, ARENA_ARRAY(p->c->arena, CoreName *, bindings->count)};
    for (size_t i = 0; i < bindings->count; i++) {
        list.names[i] = core_parse_bind(p, &bindings->items[i]);
    }
    return list;
}

CoreName *core_parse_bind_index(CoreParser *p, const char *lexeme, Span span)
{
    CoreName *name = new_name(p, lexeme, core_scalar(CORE_I64), span);
    set_bound(p, lexeme, name);
    return name;
}

/* ---- statements and functions ---------------------------------------------------------------- */

const CoreBody *core_parse_body(CoreParser *p, const StmList *stms, const AtomList *results)
{
    CoreBody *body = ARENA_NEW(p->c->arena, CoreBody);
    body->stm_count = stms->count;
    body->stms = stms->items;
    body->result_count = results->count;
    body->results = results->items;
    return body;
}

const CoreStm *core_parse_stm(CoreParser *p, const RawBindingList *pattern,
                              const AtomList *certificates, const CoreExp *exp, Span span)
{
    CoreStm *stm = ARENA_NEW(p->c->arena, CoreStm);
    NameList names = core_parse_bind_all(p, pattern);
    stm->pattern_count = names.count;
    stm->pattern = names.names;
    stm->certificate_count = certificates->count;
    stm->certificates = certificates->items;
    stm->exp = exp;
    stm->span = span;
    return stm;
}

const CoreLambda *core_parse_lambda(CoreParser *p, NameList parameters, const RawTypeList *types,
                                    const CoreBody *body, Span span)
{
    CoreLambda *lambda = arena_copy(
        p->c->arena, core_lambda(p->c, parameters.count, parameters.names, body), sizeof *lambda);
    if (types && types->count != body->result_count) {
        core_parse_error(p, span, "SYNTAX ERROR", "%s for %s",
                         core_counted(p->c, types->count, "result type"),
                         core_counted(p->c, body->result_count, "result"));
    } else if (types) {
        lambda->result_types = core_parse_types(p, types);
    }
    return lambda;
}

NameList core_parse_bind_parameters(CoreParser *p, const RawBindingList *sizes,
                                    const RawBindingList *others)
{
    RawBindingList all = {0};
    for (size_t i = 0; i < sizes->count; i++) {
        vec_push(p->c->arena, &all, sizes->items[i]);
    }
    for (size_t i = 0; i < others->count; i++) {
        vec_push(p->c->arena, &all, others->items[i]);
    }
    return core_parse_bind_all(p, &all);
}

RawType core_parse_size_result(CoreParser *p, CorePrim prim, Span span)
{
    if (prim != CORE_I64) {
        core_parse_error(p, span, "TYPE ERROR", "a size among the results is ?i64, not ?%s",
                         core_prim_text(prim));
    }
    return (RawType){.prim = CORE_I64, .is_size = true};
}

static bool is_parameter(const CoreFunction *function, const CoreName *name)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i] == name) {
            return true;
        }
    }
    return false;
}

static bool names_size(const CoreType *types, size_t from, size_t count, const CoreName *name)
{
    for (size_t i = from; i < count; i++) {
        for (int k = 0; k < types[i].rank; k++) {
            if (types[i].sizes[k].name == name) {
                return true;
            }
        }
    }
    return false;
}

/* Which results are only sizes of later ones: as marked, and existential sizes. */
static const bool *size_results(CoreParser *p, const CoreFunction *function,
                                const RawTypeList *types)
{
    bool *sizes = ARENA_ARRAY(p->c->arena, bool, types->count), any = false;
    for (size_t i = 0; i < types->count; i++) {
        const CoreName *name =
            i < function->body->result_count ? function->body->results[i].name : NULL;
        sizes[i] = types->items[i].is_size;
        if (name && function->result_types[i].prim == CORE_I64 &&
            function->result_types[i].rank == 0 && !is_parameter(function, name)) {
            sizes[i] = sizes[i] || names_size(function->result_types, i + 1, types->count, name);
        }
        any = any || sizes[i];
    }
    return any ? sizes : NULL;
}

void core_parse_function(CoreParser *p, bool is_entry, const char *name, size_t size_count,
                         NameList parameters, const RawTypeList *types, const CoreBody *body,
                         Span span)
{
    CoreFunction *function = ARENA_NEW(p->c->arena, CoreFunction);
    function->name = name;
    function->parameter_count = parameters.count;
    function->parameters = parameters.names;
    function->size_count = size_count;
    function->result_count = types->count;
    function->result_types = core_parse_types(p, types);
    function->body = body;
    function->size_results = size_results(p, function, types);
    function->is_entry = is_entry;
    function->span = span;
    vec_push(p->c->arena, &p->functions, function);
}

CoreProgram *core_parse(Compilation *c, const SourceFile *source)
{
    if (front_is(source)) {
        const FrontProgram *program = front_parse(c, source);
        return program ? front_elaborate(c, program) : NULL;
    }
    CoreParser p = {.c = c, .source = source};
    p.cursor = source->text;
    p.limit = source->text + source->length;
    p.first_number = c->last_number;
    c->last_number += greatest_number(source);
    int failed = core_yyparse(&p);
    if (failed || p.errors > 0) {
        return NULL;
    }
    if (p.functions.count == 0) {
        core_parse_error(&p, (Span){source, 0, 0}, "SYNTAX ERROR",
                         "a core program needs a function");
        return NULL;
    }
    CoreProgram *program = ARENA_NEW(c->arena, CoreProgram);
    program->function_count = p.functions.count;
    program->functions = p.functions.items;
    return program;
}
