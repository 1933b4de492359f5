/* Kernels that are the same but for the names in them: one stands in the program, all use it.

       kernel void map_a_12(const long count,            kernel void map_b_31(const long count,
                            global double *a_3)                               global double *b_22)
       {                                                 {
           const long i_4 = get_global_id(0);                const long i_23 = get_global_id(0);
           if (i_4 < count) a_3[i_4] = i_4;                  if (i_23 < count) b_22[i_23] = i_23;
       }                                                 }

   A program sorts and searches in many places by the same kernels, and compiling kernels takes most
   of the time until the first of them runs. Names made of variables, and that of the kernel, have a
   number in them; they are compared by where they first occur, and comments are not compared. Each keeps its row in the host's table, with its own name and line. */
#include "backend/emit/emit.h"

#include <ctype.h>

static bool continues_name(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

/* A name that the compiler made: one of its parts is a number, as in x_12 and x_12_wide. */
static bool is_made(const char *name, size_t length)
{
    bool is_number = false;
    for (size_t i = 1; i < length; i++) {
        if (name[i] == '_') {
            if (is_number) {
                return true;
            }
            is_number = false;
        } else {
            is_number = isdigit((unsigned char)name[i]) && (is_number || name[i - 1] == '_');
        }
    }
    return is_number;
}

/* The text without comments, with numbers for names. */
static const char *nameless(Compilation *c, const char *text)
{
    Text out = text_create(c->arena);
    PointerMap numbers = {0};
    uintptr_t count = 0;
    while (*text) {
        if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
            continue;
        }
        size_t length = 0;
        while (continues_name(text[length])) {
            length++;
        }
        if (!is_made(text, length)) {
            length += length == 0;
            text_append(&out, text, length);
        } else {
            const char *name = names_intern(c->names, text, length);
            uintptr_t number = (uintptr_t)pointer_map_get(&numbers, name);
            if (number == 0) {
                number = ++count;
                pointer_map_set(c->arena, &numbers, name, (void *)number); // NOLINT
            }
            text_printf(&out, "@%zu", (size_t)number);
        }
        text += length;
    }
    return intern(c, text_get(&out));
}

const char *emit_same_kernel(EmitOpencl *ce, const char *name)
{
    Compilation *c = ce->e.c;
    size_t start = ce->kernel_start;
    const char *key = nameless(c, text_get(&ce->kernels) + start);
    const char *same = pointer_map_get(&ce->same, key);
    if (same) {
        ce->kernels.length = start;
        ce->kernels.bytes[start] = '\0';
        return same;
    }
    pointer_map_set(c->arena, &ce->same, key, (void *)(uintptr_t)name);
    return name;
}
