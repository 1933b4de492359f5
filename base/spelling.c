/* Optimal string alignment distance with three rows of its table; words longer than LONGEST are not
   compared. A letter in the other case is half a change. */
#include "base/spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 40, CHANGE = 2, CASE_CHANGE = 1 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t change(char a, char b)
{
    bool same_letter = tolower((unsigned char)a) == tolower((unsigned char)b);
    return a == b ? 0 : same_letter ? CASE_CHANGE : CHANGE;
}

static size_t distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j * CHANGE;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i * CHANGE;
        for (size_t j = 1; j <= b_length; j++) {
            size_t changed = above[j - 1] + change(a[i - 1], b[j - 1]);
            row[j] = least(changed, CHANGE + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], CHANGE + before[j - 2]);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

Spelling spelling_of(const char *word)
{
    size_t length = strlen(word);
    return (Spelling){word, NULL, 1 + CHANGE * (length > 5 ? 2 : length > 2 ? 1 : 0)};
}

void spelling_consider(Spelling *spelling, const char *known)
{
    size_t length = strlen(spelling->word), known_length = strlen(known);
    if (length > LONGEST || known_length > LONGEST || known_length < 2) {
        return;
    }
    size_t distance = distance_of(spelling->word, length, known, known_length);
    if (distance < spelling->distance ||
        (distance == spelling->distance && spelling->best && strcmp(known, spelling->best) < 0)) {
        spelling->best = known;
        spelling->distance = distance;
    }
}
