/* The words of core's text form: which are reserved, and what levels and spaces are called.

       core_is_reserved("map")     true: cannot name a function without quotes
       core_is_reserved("main")    false */
#include "core/text_form.h"

static const char *const keywords[] = {
#define CORE_KEYWORD(token, text) text,
#include "core/keywords.def"
#undef CORE_KEYWORD
};

bool core_is_reserved(const char *word)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(word, keywords[i]) == 0) {
            return true;
        }
    }
    for (int op = 0; op < CORE_OPERATOR_COUNT; op++) {
        if (strcmp(word, core_operator_text((CoreOperator)op)) == 0) {
            return true;
        }
    }
    for (int prim = CORE_BOOL; prim <= CORE_CERT; prim++) {
        if (strcmp(word, core_prim_text((CorePrim)prim)) == 0) {
            return true;
        }
    }
    return false;
}

const char *core_level_text(CoreLevel level)
{
    switch (level) {
    case CORE_LEVEL_AUTO: return "auto";
    case CORE_SEQ: return "seq";
    case CORE_THREAD: return "thread";
    case CORE_GROUP: return "group";
    case CORE_GRID: return "grid";
    }
    return "?";
}

const char *core_space_text(CoreSpace space)
{
    switch (space) {
    case CORE_SPACE_AUTO: return "auto";
    case CORE_PRIVATE: return "private";
    case CORE_LOCAL: return "local";
    case CORE_GLOBAL: return "global";
    case CORE_STORED: return "stored";
    case CORE_UPDATED: return "updated";
    }
    return "?";
}

bool core_place_named(const char *word, CoreLevel *level, CoreSpace *space)
{
    for (int l = CORE_SEQ; l <= CORE_GRID; l++) {
        if (strcmp(word, core_level_text((CoreLevel)l)) == 0) {
            *level = (CoreLevel)l;
            return true;
        }
    }
    for (int s = CORE_PRIVATE; s <= CORE_UPDATED; s++) {
        if (strcmp(word, core_space_text((CoreSpace)s)) == 0) {
            *space = (CoreSpace)s;
            return true;
        }
    }
    return false;
}

const char *core_counted(Compilation *c, size_t count, const char *noun)
{
    return arena_printf(c->arena, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

bool core_type_equal(CoreType a, CoreType b)
{
    if (a.prim != b.prim || a.rank != b.rank || a.unique != b.unique) {
        return false;
    }
    for (int i = 0; i < a.rank; i++) {
        if (!core_atom_equal(a.sizes[i], b.sizes[i])) {
            return false;
        }
    }
    return true;
}
