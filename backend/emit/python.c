/* The __init__.py of a Python package: a function an entry, over the C library beside it. What is
   the same in every package is runtime/python.py, which the package has as _runtime.py.

       entry fun dot [n] (xs : [n]f64, ys : [n]f64) : (f64)

       _dot = _Entry(_library, "dot", [("xs", "f64", 1), ("ys", "f64", 1)], [("f64", 0)])
       class Context(_Context):
           def dot(self, xs, ys):
               """dot (xs : [n]f64, ys : [n]f64) : (f64) ..."""
               return self._call(_dot, xs, ys)
       def dot(xs, ys): ... */
#include "backend/emit/emit.h"

typedef VEC(const char *) Names;

static bool is_one_of(size_t count, const char *const *words, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], name) == 0)
            return true;
    }
    return false;
}

bool emit_is_python_keyword(const char *name)
{
    static const char *const words[] = {
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
    };
    return is_one_of(sizeof words / sizeof *words, words, name);
}

/* Words that Python keeps, and names that the module has already. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {
        "self",        "Context",    "AplError",  "LengthError",   "RankError",   "AplIndexError",
        "DomainError", "LimitError", "CallError", "WorkspaceFull", "DeviceError", "close",
    };
    return emit_is_python_keyword(name) || is_one_of(sizeof words / sizeof *words, words, name);
}

static bool is_among(const Names *names, const char *name)
{
    return names && is_one_of(names->count, names->items, name);
}

static const char *python_name(Compilation *c, const char *text, const Names *used)
{
    const char *name = text[0] == '_' ? arena_printf(c->arena, "v%s", text) : text;
    while (is_reserved(name) || is_among(used, name))
        name = arena_printf(c->arena, "%s_", name);
    return name;
}

static Names parameter_names(Compilation *c, const CoreEntry *entry)
{
    Names names = {0};
    for (size_t i = entry->size_count; i < entry->parameter_count; i++) {
        const char *name = python_name(c, entry->parameters[i].name, &names);
        vec_push(c->arena, &names, name);
    }
    return names;
}

static const char *joined(Compilation *c, const Names *names)
{
    Text text = text_create(c->arena);
    for (size_t i = 0; i < names->count; i++)
        text_printf(&text, "%s%s", i ? ", " : "", names->items[i]);
    return text_get(&text);
}

/* ---- docstrings ------------------------------------------------------------------------------ */

static const char *described(Compilation *c, CorePrim prim, int rank)
{
    static const char *const scalars[] = {
        [CORE_BOOL] = "bool", [CORE_CHAR] = "character",      [CORE_I32] = "int (32 bits)",
        [CORE_I64] = "int",   [CORE_F32] = "float (32 bits)", [CORE_F64] = "float"};
    static const char *const elements[] = {
        [CORE_BOOL] = "bool", [CORE_CHAR] = "characters", [CORE_I32] = "int32",
        [CORE_I64] = "int64", [CORE_F32] = "float32",     [CORE_F64] = "float64"};
    if (rank == 0)
        return scalars[prim];
    if (prim == CORE_CHAR && rank == 1)
        return "str";
    return arena_printf(c->arena, "array of %s, rank %d", elements[prim], rank);
}

static void print_docstring(Compilation *c, Text *out, const CoreEntry *entry, const Names *names,
                            int indent)
{
    text_spaces(out, indent);
    text_printf(out, "\"\"\"%s %s\n\n", entry->name, entry->signature);
    for (size_t i = 0; i < names->count; i++) {
        const CoreEntryParameter *parameter = &entry->parameters[entry->size_count + i];
        text_spaces(out, indent);
        text_printf(out, "%s: %s\n", names->items[i],
                    described(c, parameter->prim, parameter->rank));
    }
    text_spaces(out, indent);
    text_string(out, "returns: ");
    for (size_t i = 0; i < entry->result_count; i++) {
        text_printf(out, "%s%s", i ? "; " : "",
                    described(c, entry->result_types[i].prim, entry->result_types[i].rank));
    }
    text_string(out, entry->result_count ? "\n" : "None\n");
    text_spaces(out, indent);
    text_string(out, "\"\"\"\n");
}

/* ---- the module ------------------------------------------------------------------------------ */

static void print_head(Text *out, const KernelLibrary *library)
{
    text_printf(out, "\"\"\"%s: made by tailor from ", library->name);
    for (size_t i = 0; i < library->source_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", library->sources[i]);
    text_string(
        out, ".\n\nArrays are NumPy's, or anything that numpy.asarray takes without changing a "
             "value. Errors are\nexceptions named after APL's: LengthError, DomainError and so on, "
             "all of them AplError.\n\nThe functions share one context, and so one device. Others "
             "are made by Context(device=...).\n\"\"\"\n");
    text_string(out, "from ._runtime import (AplError, AplIndexError, CallError, DeviceError, "
                     "DomainError, LengthError,\n                       LimitError, RankError, "
                     "WorkspaceFull)\n"
                     "from ._runtime import Context as _Context, Entry as _Entry, Library as "
                     "_Library\n\n");
    text_printf(out, "_library = _Library(__file__, \"lib%s.so\", \"%s\")\n", library->name,
                library->prefix);
}

static void print_entry(Text *out, const CoreEntry *entry)
{
    text_printf(out, "_entry_%s = _Entry(_library, \"%s\", [", entry->name, entry->name);
    for (size_t i = entry->size_count; i < entry->parameter_count; i++) {
        const CoreEntryParameter *parameter = &entry->parameters[i];
        text_printf(out, "%s(\"%s\", \"%s\", %d)", i > entry->size_count ? ", " : "",
                    parameter->name, core_prim_text(parameter->prim), parameter->rank);
    }
    text_string(out, "], [");
    for (size_t i = 0; i < entry->result_count; i++) {
        text_printf(out, "%s(\"%s\", %d)", i ? ", " : "",
                    core_prim_text(entry->result_types[i].prim), entry->result_types[i].rank);
    }
    text_string(out, "])\n");
}

static void print_context(Compilation *c, Text *out, const KernelProgram *program)
{
    text_string(out,
                "\n\nclass Context(_Context):\n"
                "    \"\"\"A state of the library: its device, its memory, its random numbers.\n\n"
                "    device: an OpenCL device, by its number or a part of its name\n"
                "    seed: of random numbers; 0 is as programs begin\n"
                "    profile: whether closing reports on standard error how long each kernel ran\n"
                "    \"\"\"\n\n"
                "    def __init__(self, device=None, seed=0, profile=False):\n"
                "        super().__init__(_library, device, seed, profile)\n");
    for (size_t i = 0; i < program->entry_count; i++) {
        const CoreEntry *entry = program->entries[i].interface;
        Names names = parameter_names(c, entry);
        const char *list = joined(c, &names), *comma = names.count ? ", " : "";
        text_printf(out, "\n    def %s(self%s%s):\n", python_name(c, entry->name, NULL), comma,
                    list);
        print_docstring(c, out, entry, &names, 8);
        text_printf(out, "        return self._call(_entry_%s%s%s)\n", entry->name, comma, list);
    }
}

static void print_functions(Compilation *c, Text *out, const KernelProgram *program)
{
    text_string(out, "\n\n_shared = None\n\n\n"
                     "def _context():\n"
                     "    global _shared\n"
                     "    if _shared is None:\n"
                     "        _shared = Context()\n"
                     "    return _shared\n");
    for (size_t i = 0; i < program->entry_count; i++) {
        const CoreEntry *entry = program->entries[i].interface;
        Names names = parameter_names(c, entry);
        const char *name = python_name(c, entry->name, NULL), *list = joined(c, &names);
        text_printf(out, "\n\ndef %s(%s):\n", name, list);
        print_docstring(c, out, entry, &names, 4);
        text_printf(out, "    return _context().%s(%s)\n", name, list);
    }
}

void emit_library_python(Compilation *c, Text *out, const KernelProgram *program,
                         const KernelLibrary *library)
{
    print_head(out, library);
    for (size_t i = 0; i < program->entry_count; i++)
        print_entry(out, program->entries[i].interface);
    print_context(c, out, program);
    print_functions(c, out, program);
}
