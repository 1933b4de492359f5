/* Entries as they look from outside.

       entry fun dot [n_1] (xs_2 : [n_1]f64, ys_3 : [n_1]f64) : (f64) = ...

   is called dot, wants xs : [n]f64 and ys : [n]f64, and n is what the shape of xs says. Numbers of
   names are left out where the texts alone tell them apart. */
#include "core/entries.h"

static int position_of(const CoreFunction *function, const CoreName *name)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i] == name) {
            return (int)i;
        }
    }
    return -1;
}

static const char *shown_name(Compilation *c, const CoreFunction *function, const CoreName *name)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        const CoreName *other = function->parameters[i];
        if (other != name && strcmp(other->text, name->text) == 0) {
            return arena_printf(c->arena, "%s_%u", name->text, name->number);
        }
    }
    return name->text;
}

static void put_type(Compilation *c, Text *out, const CoreFunction *function, CoreType type)
{
    text_string(out, type.unique ? "*" : "");
    for (int k = 0; k < type.rank; k++) {
        const CoreName *name = type.sizes[k].name;
        if (name && position_of(function, name) < 0) {
            text_string(out, "[]"); /* only known when it has run */
        } else if (name) {
            text_printf(out, "[%s]", shown_name(c, function, name));
        } else {
            text_printf(out, "[%lld]", (long long)type.sizes[k].as.integer);
        }
    }
    text_string(out, core_prim_text(type.prim));
}

static CoreEntryParameter parameter_of(Compilation *c, const CoreFunction *function,
                                       const CoreName *name)
{
    Text type = text_create(c->arena);
    CoreType shown = name->type;
    shown.unique = false;
    put_type(c, &type, function, shown);
    CoreExtent *extents = ARENA_ARRAY(c->arena, CoreExtent, name->type.rank);
    for (int k = 0; k < name->type.rank; k++) {
        CoreAtom size = name->type.sizes[k];
        extents[k].parameter = size.name ? position_of(function, size.name) : -1;
        extents[k].constant = size.name ? 0 : size.as.integer;
    }
    return (CoreEntryParameter){.name = shown_name(c, function, name),
                                .type = text_get(&type),
                                .prim = name->type.prim,
                                .rank = name->type.rank,
                                .extents = extents};
}

static CoreEntryResult result_of(Compilation *c, const CoreFunction *function, CoreType type)
{
    Text text = text_create(c->arena);
    type.unique = false;
    put_type(c, &text, function, type);
    return (CoreEntryResult){text_get(&text), type.prim, type.rank};
}

static const char *signature_of(Compilation *c, const CoreEntry *entry)
{
    Text out = text_create(c->arena);
    text_char(&out, '(');
    for (size_t i = entry->size_count; i < entry->parameter_count; i++) {
        text_printf(&out, "%s%s : %s", i > entry->size_count ? ", " : "", entry->parameters[i].name,
                    entry->parameters[i].type);
    }
    text_string(&out, ") : (");
    for (size_t i = 0; i < entry->result_count; i++) {
        text_printf(&out, "%s%s", i > 0 ? ", " : "", entry->result_types[i].type);
    }
    text_char(&out, ')');
    return text_get(&out);
}

const CoreEntry *core_entry(Compilation *c, const CoreFunction *function)
{
    CoreEntry *entry = ARENA_NEW(c->arena, CoreEntry);
    CoreEntryParameter *parameters =
        ARENA_ARRAY(c->arena, CoreEntryParameter, function->parameter_count);
    size_t *results = ARENA_ARRAY(c->arena, size_t, function->result_count);
    CoreEntryResult *types = ARENA_ARRAY(c->arena, CoreEntryResult, function->result_count);
    for (size_t i = 0; i < function->parameter_count; i++) {
        parameters[i] = parameter_of(c, function, function->parameters[i]);
    }
    for (size_t i = 0; i < function->result_count; i++) {
        if (!function->size_results || !function->size_results[i]) {
            types[entry->result_count] = result_of(c, function, function->result_types[i]);
            results[entry->result_count++] = i;
        }
    }
    entry->name = function->name;
    entry->parameter_count = function->parameter_count;
    entry->size_count = function->size_count;
    entry->parameters = parameters;
    entry->results = results;
    entry->result_types = types;
    entry->signature = signature_of(c, entry);
    return entry;
}
