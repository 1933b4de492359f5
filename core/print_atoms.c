/* Prints what stands inside core's statements: names, constants, types, lists and strings.

       (xs_2 : *[n_1]f64, c_3 : char)      2.0f64  -f64.inf  'a'  '\u{1f600}'  "a \"b\""

   Constants carry their prim, so that they read back as they were ([PLDI] figure 1). */
#include "core/printer.h"
#include "core/text_form.h"

#include <ctype.h>
#include <math.h>

void core_print_text(Printer *p, const char *string)
{
    text_string(p->out, string);
}

void core_print_name(Printer *p, const CoreName *name)
{
    text_printf(p->out, "%s_%u", name->text, name->number);
}

/* 2.0f64, f64.inf, -f64.inf, f64.nan; a nan of other bits f64.nan(0x...). */
static void put_real(Printer *p, CorePrim prim, double value)
{
    const char *suffix = core_prim_text(prim);
    if (isinf(value)) {
        text_printf(p->out, "%s%s.inf", value < 0 ? "-" : "", suffix);
    } else if (isnan(value)) {
        double plain = (double)NAN;
        uint64_t bits, plain_bits;
        memcpy(&bits, &value, sizeof bits);
        memcpy(&plain_bits, &plain, sizeof plain_bits);
        text_printf(p->out, "%s.nan", suffix);
        if (bits != plain_bits) {
            text_printf(p->out, "(0x%llx)", (unsigned long long)bits);
        }
    } else {
        core_print_text(p, text_of_double(p->c->arena, value));
        core_print_text(p, suffix);
    }
}

static void put_char(Printer *p, int64_t codepoint)
{
    if (codepoint >= ' ' && codepoint < 127 && codepoint != '\'' && codepoint != '\\') {
        text_printf(p->out, "'%c'", (char)codepoint);
    } else {
        text_printf(p->out, "'\\u{%llx}'", (unsigned long long)codepoint);
    }
}

void core_print_atom(Printer *p, CoreAtom atom)
{
    if (atom.name) {
        core_print_name(p, atom.name);
        return;
    }
    switch (atom.prim) {
    case CORE_BOOL: core_print_text(p, atom.as.integer ? "true" : "false"); return;
    case CORE_CHAR: put_char(p, atom.as.integer); return;
    case CORE_I32:
    case CORE_I64:
        text_printf(p->out, "%lld%s", (long long)atom.as.integer, core_prim_text(atom.prim));
        return;
    case CORE_F32:
    case CORE_F64: put_real(p, atom.prim, atom.as.real); return;
    case CORE_CERT: core_print_text(p, "certain"); return; /* a certificate that always holds */
    }
}

/* Sizes, widths, counts: an i64 constant needs no suffix. */
void core_print_size(Printer *p, CoreAtom atom)
{
    if (!atom.name && atom.prim == CORE_I64) {
        text_printf(p->out, "%lld", (long long)atom.as.integer);
    } else {
        core_print_atom(p, atom);
    }
}

void core_print_type(Printer *p, CoreType type)
{
    core_print_text(p, type.unique ? "*" : "");
    for (int i = 0; i < type.rank; i++) {
        core_print_text(p, "[");
        core_print_size(p, type.sizes[i]);
        core_print_text(p, "]");
    }
    core_print_text(p, core_prim_text(type.prim));
}

/* (a, b) with these brackets. */
void core_print_atoms(Printer *p, const char *open, size_t count, const CoreAtom *atoms,
                      const char *close)
{
    core_print_text(p, open);
    for (size_t i = 0; i < count; i++) {
        core_print_text(p, i ? ", " : "");
        core_print_atom(p, atoms[i]);
    }
    core_print_text(p, close);
}

void core_print_sizes(Printer *p, size_t count, const CoreAtom *sizes)
{
    core_print_text(p, "[");
    for (size_t i = 0; i < count; i++) {
        core_print_text(p, i ? ", " : "");
        core_print_size(p, sizes[i]);
    }
    core_print_text(p, "]");
}

void core_print_parameters(Printer *p, size_t count, CoreName *const *names)
{
    core_print_text(p, "(");
    for (size_t i = 0; i < count; i++) {
        core_print_text(p, i ? ", " : "");
        core_print_name(p, names[i]);
        core_print_text(p, " : ");
        core_print_type(p, names[i]->type);
    }
    core_print_text(p, ")");
}

void core_print_types(Printer *p, size_t count, const CoreType *types)
{
    core_print_text(p, "(");
    for (size_t i = 0; i < count; i++) {
        core_print_text(p, i ? ", " : "");
        core_print_type(p, types[i]);
    }
    core_print_text(p, ")");
}

void core_print_results(Printer *p, const CoreFunction *function)
{
    core_print_text(p, "(");
    for (size_t i = 0; i < function->result_count; i++) {
        core_print_text(p, i ? ", " : "");
        core_print_text(p, function->size_results && function->size_results[i] ? "?" : "");
        core_print_type(p, function->result_types[i]);
    }
    core_print_text(p, ")");
}

void core_print_string(Printer *p, const char *string)
{
    core_print_text(p, "\"");
    for (const char *s = string; *s; s++) {
        unsigned char byte = (unsigned char)*s;
        if (byte == '"' || byte == '\\') {
            text_printf(p->out, "\\%c", *s);
        } else if (byte == '\n') {
            core_print_text(p, "\\n");
        } else if (byte < ' ' || byte == 127) {
            text_printf(p->out, "\\u{%x}", byte);
        } else {
            text_char(p->out, *s);
        }
    }
    core_print_text(p, "\"");
}

/* As it is where it reads as a name, else as a string. */
void core_print_function_name(Printer *p, const char *name)
{
    bool plain = isalpha((unsigned char)name[0]) && !core_is_reserved(name);
    for (const char *s = name; *s; s++) {
        plain = plain && (unsigned char)*s < 128 && (isalnum((unsigned char)*s) || *s == '_');
    }
    if (plain) {
        core_print_text(p, name);
    } else {
        core_print_string(p, name);
    }
}

char *core_type_text(Compilation *c, CoreType type)
{
    Text out = text_create(c->arena);
    Printer p = {.c = c, .out = &out};
    core_print_type(&p, type);
    return out.bytes;
}

char *core_atom_text(Compilation *c, CoreAtom atom)
{
    Text out = text_create(c->arena);
    Printer p = {.c = c, .out = &out};
    core_print_atom(&p, atom);
    return out.bytes;
}
