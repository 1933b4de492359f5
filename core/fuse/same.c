/* Whether a round of fusion has changed anything. A step says that it has when it rewrites: but one may take apart what
   another one joins, and a view may be computed where it is read by what is the same view again. Then rounds would go on
   for ever, and what is only done when nothing else is left would not be done at all.

       let (a_1 : [n]i64) = map ...  let (b_2 : [n]i64) = reverse a_1
       let (t_7 : [n]i64) = map ...  let (x_9 : [n]i64) = reverse t_7      the same

   Programs are the same where they are printed alike but for names: each counts as the number of names that were printed
   before it was for the first time. What is kept of a program is a hash of that. */
#include "core/fuse/fuse.h"

#include <ctype.h>

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * 0x9E3779B97F4A7C15u;
    *hash ^= *hash >> 29;
}

static bool is_of_name(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (byte & 0x80);
}

/* text_NUMBER: the number; 0: the word is no name of the program's. */
static size_t number_of_name(const char *word, size_t length)
{
    size_t number = 0, at = length;
    while (at > 0 && isdigit((unsigned char)word[at - 1])) {
        at--;
    }
    if (at == length || at < 2 || word[at - 1] != '_') {
        return 0;
    }
    for (; at < length; at++) {
        number = number * 10 + (size_t)(word[at] - '0');
    }
    return number;
}

uint64_t fuse_hash_of_program(Compilation *c, const CoreProgram *program)
{
    Arena *scratch = c->scratch;
    ArenaMark mark = arena_mark(scratch);
    Text text = text_create(scratch);
    core_print(c, &text, program);
    size_t *order = ARENA_ARRAY(scratch, size_t, c->last_number + 2), count = 0;
    uint64_t hash = 0;
    for (const char *at = text_get(&text); *at;) {
        size_t length = 0;
        while (is_of_name(at[length])) {
            length++;
        }
        size_t number = number_of_name(at, length);
        if (number > 0 && number <= c->last_number) {
            order[number] = order[number] > 0 ? order[number] : ++count;
            mix(&hash, order[number]);
        } else {
            for (size_t i = 0; i < length; i++) {
                mix(&hash, (unsigned char)at[i]);
            }
        }
        at += length;
        if (length == 0) {
            mix(&hash, (unsigned char)*at++);
        }
    }
    arena_release(scratch, mark);
    return hash;
}
