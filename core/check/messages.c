/* What core's checker says: "TYPE ERROR" diagnostics at the statement. Names are shown as the
   source has them, so that who wrote `xs` reads of xs, and not of xs_4:

       let ys = reverse 0 xs ... xs with [0] = 1 ... ys[0]
       TYPE ERROR: ys (which may share elements with xs) is used after its consumption by ...

   What has no name in the source is shown as the expression that it comes from, `xss[0]`. A
   statement without a place in a source is quoted in the message. */
#include "core/check/check.h"

#include <stdarg.h>

/* The first line of the printed statement. */
static const char *quoted(Check *k, const CoreStm *stm)
{
    enum { MOST = 160 };
    Text text = text_create(k->c->arena);
    core_print_stm(k->c, &text, stm, 0);
    const char *all = text_get(&text);
    size_t length = strcspn(all, "\n");
    bool whole = length <= MOST;
    return arena_printf(k->c->arena, "%.*s%s", (int)(whole ? length : MOST), all,
                        whole ? "" : "...");
}

const char *core_check_place(Check *k, const CoreStm *stm)
{
    if (stm->span.file) {
        Place place = source_place(k->c->arena, stm->span);
        return arena_printf(k->c->arena, "line %u column %u", place.line, place.column);
    }
    return arena_printf(k->c->arena, "`%s`", quoted(k, stm));
}

void core_check_error(Check *k, const char *format, ...)
{
    enum { ENOUGH = 200 }; /* printing statements for errors that nobody will see takes time */
    if (++k->errors > ENOUGH) {
        return;
    }
    Span span = k->stm ? k->stm->span : k->function->span;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    if (span.file) {
        diagnostics_add_list(k->c->diagnostics, span, "TYPE ERROR", format, arguments);
    } else {
        int length = vsnprintf(NULL, 0, format, arguments);
        char *message = arena_allocate(k->c->arena, (size_t)length + 1);
        vsnprintf(message, (size_t)length + 1, format, again);
        diagnostics_add(k->c->diagnostics, span, "TYPE ERROR", "%s, in %s%s", message,
                        k->stm ? "" : "function ", k->stm ? quoted(k, k->stm) : k->function->name);
    }
    va_end(again);
    va_end(arguments);
}

/* ---- names, sizes and types ------------------------------------------------------------------ */

/* x or x_4 where the source has that, `expression` for what comes from a short one, else x_4. */
static const char *name_text(Check *k, CoreName *name)
{
    enum { SHORT = 40 };
    const char *numbered = core_atom_text(k->c, core_use(name));
    Span span = name->span;
    if (!span.file || span.end <= span.start || span.end - span.start > SHORT) {
        return numbered;
    }
    const char *written =
        arena_text(k->c->arena, span.file->text + span.start, (size_t)(span.end - span.start));
    if (strcmp(written, name->text) == 0 || strcmp(written, numbered) == 0) {
        return written;
    }
    return strchr(written, '\n') ? numbered : arena_printf(k->c->arena, "`%s`", written);
}

const char *core_check_text(Check *k, CoreAtom atom)
{
    return atom.name ? name_text(k, atom.name) : core_atom_text(k->c, atom);
}

const char *core_check_type_text(Check *k, CoreType type)
{
    Text text = text_create(k->c->arena);
    for (int i = 0; i < type.rank; i++) {
        CoreAtom size = type.sizes[i];
        if (size.name || size.prim != CORE_I64) {
            text_printf(&text, "[%s]", core_check_text(k, size));
        } else {
            text_printf(&text, "[%lld]", (long long)size.as.integer);
        }
    }
    text_string(&text, core_prim_text(type.prim));
    return text_get(&text);
}

void core_check_type_texts(Check *k, CoreType a, CoreType b, const char *texts[2])
{
    texts[0] = core_check_type_text(k, a);
    texts[1] = core_check_type_text(k, b);
    a.unique = b.unique = false;
    if (strcmp(texts[0], texts[1]) == 0 && !core_type_equal(a, b)) { /* one name hides another */
        texts[0] = core_type_text(k->c, a);
        texts[1] = core_type_text(k->c, b);
    }
}
