/* Which known word someone may have meant: the one with the fewest letters changed, left out, added
   or exchanged with their neighbours; few in relation to the word's length.

       Spelling spelling = spelling_of("lenght");
       spelling_consider(&spelling, "length");
       spelling.best                                 "length" */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stddef.h>

typedef struct Spelling {
    const char *word;
    const char *best; /* NULL: nothing is near */
    size_t
        distance; /* of the best, in half changes; the greatest allowed plus one without a best */
} Spelling;

Spelling spelling_of(const char *word);
/* Of equally near words the first in alphabetical order is kept, whatever the order of calls. */
void spelling_consider(Spelling *spelling, const char *known);

#endif
