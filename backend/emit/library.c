/* What surrounds the entries of a library in place of main(): its header, and a function an entry
   that hands its arguments to the runtime (runtime/tailor_library.h).

       entry fun dot [n] (xs : [n]f64, ys : [n]f64) : (f64)      in the library vectors

       vectors_status vectors_dot(vectors_context *context,
                                  const double *xs, const int64_t xs_shape[1],
                                  const double *ys, const int64_t ys_shape[1],
                                  double *result);

   The header says all that a caller has to know; it is C and C++. */
#include "backend/emit/emit.h"

#include <ctype.h>

/* ---- names ---------------------------------------------------------------------------------- */

/* Words that C or C++ keep for themselves, and names that the header's functions have already. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {
        "alignas",  "alignof",  "and",       "asm",      "auto",      "bitand",    "bitor",
        "bool",     "break",    "case",      "catch",    "char",      "class",     "compl",
        "concept",  "const",    "constexpr", "context",  "continue",  "decltype",  "default",
        "delete",   "do",       "double",    "else",     "enum",      "explicit",  "export",
        "extern",   "false",    "float",     "for",      "friend",    "goto",      "if",
        "inline",   "int",      "long",      "mutable",  "namespace", "new",       "noexcept",
        "not",      "nullptr",  "operator",  "or",       "private",   "protected", "public",
        "register", "requires", "restrict",  "return",   "short",     "signed",    "sizeof",
        "static",   "struct",   "switch",    "template", "this",      "throw",     "true",
        "try",      "typedef",  "typeid",    "typename", "typeof",    "union",     "unsigned",
        "using",    "virtual",  "void",      "volatile", "while",     "xor",       "int32_t",
        "int64_t",  "uint32_t", "given",     "taken",    "entries",   "unix",      "linux",
        "NULL",     "I",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], name) == 0)
            return true;
    }
    return false;
}

typedef VEC(const char *) Names;

static bool is_among(const Names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0)
            return true;
    }
    return false;
}

/* The names of the parameters beyond the sizes, apart from each other and from each other's shapes.
 */
static Names parameter_names(Compilation *c, const CoreEntry *entry)
{
    Names names = {0}, used = {0};
    for (size_t i = entry->size_count; i < entry->parameter_count; i++) {
        const char *name = emit_identifier(c, entry->parameters[i].name);
        if (strncmp(name, "result", 6) == 0 || strncmp(name, "entry_", 6) == 0)
            name = arena_printf(c->arena, "v_%s", name);
        while (is_reserved(name) || is_among(&used, name) ||
               is_among(&used, arena_printf(c->arena, "%s_shape", name)))
            name = arena_printf(c->arena, "%s_", name);
        vec_push(c->arena, &used, name);
        vec_push(c->arena, &used, arena_printf(c->arena, "%s_shape", name));
        vec_push(c->arena, &names, name);
    }
    return names;
}

static const char *result_name(Compilation *c, const CoreEntry *entry, size_t i)
{
    return entry->result_count == 1 ? "result" : arena_printf(c->arena, "result_%zu", i + 1);
}

static const char *upper(Compilation *c, const char *text)
{
    char *copy = arena_text(c->arena, text, strlen(text));
    for (char *at = copy; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return copy;
}

/* ---- prototypes ----------------------------------------------------------------------------- */

static void add_argument(Text *out, const char *prefix, const char *text)
{
    text_printf(out, ",\n%*s%s", (int)strlen(prefix), "", text);
}

/* Without its final ';' or body. */
static const char *prototype(Compilation *c, const KernelLibrary *library, const CoreEntry *entry)
{
    Text out = text_create(c->arena);
    Names names = parameter_names(c, entry);
    const char *prefix = arena_printf(c->arena, "%s_status %s_%s(", library->prefix,
                                      library->prefix, emit_identifier(c, entry->name));
    text_printf(&out, "%s%s_context *context", prefix, library->prefix);
    for (size_t i = entry->size_count; i < entry->parameter_count; i++) {
        const CoreEntryParameter *parameter = &entry->parameters[i];
        const char *type = emit_scalar_type(EMIT_C, parameter->prim);
        const char *name = names.items[i - entry->size_count];
        add_argument(&out, prefix,
                     parameter->rank == 0
                         ? arena_printf(c->arena, "%s %s", type, name)
                         : arena_printf(c->arena, "const %s *%s, const int64_t %s_shape[%d]", type,
                                        name, name, parameter->rank));
    }
    for (size_t i = 0; i < entry->result_count; i++) {
        const CoreEntryResult *result = &entry->result_types[i];
        const char *type = emit_scalar_type(EMIT_C, result->prim), *name = result_name(c, entry, i);
        add_argument(&out, prefix,
                     result->rank == 0 ? arena_printf(c->arena, "%s *%s", type, name)
                                       : arena_printf(c->arena, "%s **%s, int64_t %s_shape[%d]",
                                                      type, name, name, result->rank));
    }
    text_char(&out, ')');
    return text_get(&out);
}

/* ---- the header ----------------------------------------------------------------------------- */

static const char *joined_sources(Compilation *c, const KernelLibrary *library)
{
    Text text = text_create(c->arena);
    for (size_t i = 0; i < library->source_count; i++) {
        text_printf(&text, "%s%s",
                    i == 0                           ? ""
                    : i + 1 == library->source_count ? " and "
                                                     : ", ",
                    emit_comment(c, library->sources[i]));
    }
    return text_get(&text);
}

static void print_essay(Compilation *c, Text *out, const KernelLibrary *library)
{
    const char *p = library->prefix, *P = upper(c, p), *n = library->name;
    bool is_opencl = library->is_opencl;
    text_printf(out, "/* %s: made by tailor from %s.\n\n", emit_comment(c, n),
                joined_sources(c, library));
    text_printf(out,
                "       cc main.c -L. -l%s -Wl,-rpath,'$ORIGIN'     with lib%s.so beside the "
                "program\n",
                n, n);
    text_printf(out, "       cc main.c lib%s.a%s -lm     with lib%s.a inside it\n\n", n,
                is_opencl ? " -lOpenCL" : "", n);
    text_printf(out,
                "       %s_context *context = %s_open(NULL);\n"
                "       if (%s_...(context, ...) != %s_OK) puts(%s_error(context));\n"
                "       %s_close(context);\n\n",
                p, p, p, P, p, p);
    text_string(
        out,
        "   An array is given as its elements in row-major order and its extents, outermost "
        "first. A result\n"
        "   that is an array is made by the call, which stores where its elements and what its "
        "extents are;\n");
    text_printf(out,
                "   give it back by %s_free. Where a call fails, its results are NULL and 0, and "
                "nothing is to be\n"
                "   given back; the context can be used again. Arguments are only read.\n\n",
                p);
    text_string(
        out, "   A context is for one thread at a time; calls in several contexts may run at the "
             "same time. */\n");
}

static void print_types(Compilation *c, Text *out, const KernelLibrary *library)
{
    static const char *const statuses[][2] = {
        {"OK", ""},
        {"LENGTH_ERROR", ""},
        {"RANK_ERROR", ""},
        {"INDEX_ERROR", ""},
        {"DOMAIN_ERROR", ""},
        {"LIMIT_ERROR", ""},
        {"VALUE_ERROR", " /* of the call: no data, no place for a result */"},
        {"WS_FULL", " /* memory ran out */"},
        {"DEVICE_ERROR", ""},
        {"ERROR", " /* any other */"},
    };
    const char *p = library->prefix, *P = upper(c, p);
    text_printf(out, "typedef struct %s_context %s_context;\n\n", p, p);
    text_printf(out,
                "/* What a call gives: the name of APL's error. */\ntypedef enum %s_status {\n", p);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        text_printf(out, "    %s_%s = %zu%s%s\n", P, statuses[i][0], i,
                    i + 1 < sizeof statuses / sizeof *statuses ? "," : "", statuses[i][1]);
    text_printf(out, "} %s_status;\n\n", p);
    text_printf(out, "typedef struct %s_options {\n", p);
    text_string(out,
                "    const char *device; /* OpenCL: a number or part of a name, as `tailor "
                "devices' lists them;\n"
                "                           NULL: $TAILOR_DEVICE, or the first GPU, or the first "
                "device */\n");
    text_string(
        out, "    int64_t seed;       /* of random numbers, which go on from call to call; 0: as "
             "programs begin */\n");
    text_string(
        out, "    bool profile;       /* OpenCL: closing reports on standard error how long each "
             "kernel ran */\n");
    text_printf(out, "} %s_options;\n\n", p);
}

static void print_functions(Text *out, const char *p)
{
    text_printf(
        out,
        "/* A context; NULL options are the usual ones. NULL where memory ran out. Where the "
        "device cannot be\n"
        "   used, every call gives that error. */\n"
        "%s_context *%s_open(const %s_options *options);\n"
        "/* Results that calls gave stay. NULL is allowed. */\n"
        "void %s_close(%s_context *context);\n"
        "/* What was wrong with the context's last call, as `file:line:column: LENGTH ERROR: 3 "
        "and 4', with\n"
        "   the source line and a line that points at the place; \"\" if nothing was. It stays "
        "until the next\n"
        "   call. */\n"
        "const char *%s_error(const %s_context *context);\n"
        "/* \"LENGTH ERROR\" and so on. */\n"
        "const char *%s_status_name(%s_status status);\n"
        "/* Gives back a result. NULL is allowed. */\n"
        "void %s_free(void *result);\n\n",
        p, p, p, p, p, p, p, p, p, p);
}

/* dot (xs : [n]f64, ys : [n]f64) : (f64) */
static void print_entry(Compilation *c, Text *out, const KernelLibrary *library,
                        const CoreEntry *entry)
{
    text_printf(out, "/* %s\n   %s */\n%s;\n", emit_comment(c, entry->name),
                emit_comment(c, entry->signature), prototype(c, library, entry));
}

void emit_library_header(Compilation *c, Text *out, const KernelProgram *program,
                         const KernelLibrary *library)
{
    const char *guard = upper(c, library->prefix);
    print_essay(c, out, library);
    text_printf(out, "#ifndef %s_H\n#define %s_H\n\n", guard, guard);
    text_string(out, "#include <stdbool.h>\n#include <stdint.h>\n\n");
    text_string(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    print_types(c, out, library);
    print_functions(out, library->prefix);
    text_string(out, "/* ---- entries: name, parameters with their extents, results ---- */\n\n");
    for (size_t i = 0; i < program->entry_count; i++)
        print_entry(c, out, library, program->entries[i].interface);
    text_string(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- the functions -------------------------------------------------------------------------- */

static void emit_wrapper(Emit *e, size_t number)
{
    const KernelLibrary *library = e->library;
    const CoreEntry *entry = e->program->entries[number].interface;
    Names names = parameter_names(e->c, entry);
    Text given = text_create(e->c->arena), taken = text_create(e->c->arena);
    for (size_t i = 0; i < names.count; i++) {
        bool is_scalar = entry->parameters[entry->size_count + i].rank == 0;
        text_printf(&given, is_scalar ? "{&%s, NULL}, " : "{%s, %s_shape}, ", names.items[i],
                    names.items[i]);
    }
    for (size_t i = 0; i < entry->result_count; i++) {
        const char *name = result_name(e->c, entry, i);
        text_printf(&taken, entry->result_types[i].rank == 0 ? "{%s, NULL}, " : "{%s, %s_shape}, ",
                    name, name);
    }
    emit_blank(e);
    text_printf(e->out, "%s\n{\n", prototype(e->c, library, entry));
    e->indent = 1;
    emit_line(e, "const tl_given given[] = {%s{NULL, NULL}};", text_get(&given));
    emit_line(e, "const tl_taken taken[] = {%s{NULL, NULL}};", text_get(&taken));
    emit_line(e,
              "return (%s_status)tl_library_call((tl_context *)context, &entries[%zu], %s, given, "
              "taken);",
              library->prefix, number, emit_entry_name(e, number));
    e->indent = 0;
    emit_line(e, "}");
}

void emit_library_functions(Emit *e, const char *device)
{
    const char *p = e->library->prefix;
    emit_blank(e);
    emit_line(e, "/* ---- what the header declares ---- */");
    emit_blank(e);
    emit_line(e, "%s_context *%s_open(const %s_options *options)", p, p, p);
    emit_line(e, "{");
    emit_line(e, "    tl_library_options given = {0};");
    emit_line(e, "    if (options) {");
    emit_line(e, "        given = (tl_library_options){options->device, options->seed, "
                 "options->profile};");
    emit_line(e, "    }");
    emit_line(e, "    return (%s_context *)tl_library_open(&given, %s);", p, device);
    emit_line(e, "}");
    emit_blank(e);
    emit_line(e, "void %s_close(%s_context *context)", p, p);
    emit_line(e, "{");
    emit_line(e, "    tl_library_close((tl_context *)context);");
    emit_line(e, "}");
    emit_blank(e);
    emit_line(e, "const char *%s_error(const %s_context *context)", p, p);
    emit_line(e, "{");
    emit_line(e, "    return tl_library_error((const tl_context *)context);");
    emit_line(e, "}");
    emit_blank(e);
    emit_line(e, "const char *%s_status_name(%s_status status)", p, p);
    emit_line(e, "{");
    emit_line(e, "    return tl_library_status_name((int)status);");
    emit_line(e, "}");
    emit_blank(e);
    emit_line(e, "void %s_free(void *result)", p);
    emit_line(e, "{");
    emit_line(e, "    free(result);");
    emit_line(e, "}");
    for (size_t i = 0; i < e->program->entry_count; i++)
        emit_wrapper(e, i);
}

void emit_library_declarations(Emit *e)
{
    Text header = text_create(e->c->arena);
    emit_library_header(e->c, &header, e->program, e->library);
    emit_line(e, "#pragma GCC visibility push(default)");
    text_append(e->out, text_get(&header), header.length);
    emit_line(e, "#pragma GCC visibility pop");
    emit_blank(e);
}
