/* Orders of a few keys, by exchanges (private to core/locality). See exchanges.c. */
#ifndef CORE_LOCALITY_EXCHANGES_H
#define CORE_LOCALITY_EXCHANGES_H

#include "core/core.h"

/* So many keys at most. */
enum {
    EXCHANGES_MOST_KEYS = 9,
    EXCHANGES_MOST = EXCHANGES_MOST_KEYS * (EXCHANGES_MOST_KEYS - 1) / 2
};

/* The exchanges that sort keys: each is of the items `at` and the one before, where `less` holds. */
typedef struct Exchanges {
    int64_t items;
    size_t count;
    struct {
        int64_t at;
        CoreAtom less;
    } steps[EXCHANGES_MOST];
} Exchanges;

/* Finds the exchanges, and gives the order: [n]i64. */
CoreAtom exchanges_of_keys(CoreBuilder *b, CoreAtom keys, Exchanges *exchanges);
/* Items that have been exchanged, or their numbers, and what they were before. */
typedef struct Exchanged {
    const Exchanges *exchanges;
    const CoreBody *body; /* where they are */
    CoreAtom before[EXCHANGES_MOST_KEYS];
    bool is_item; /* one of them, or what is made of it: constants before */
    int64_t at;   /* that one */
} Exchanged;

/* The numbers 0, 1 .. */
Exchanged exchanges_numbers(const Exchanges *exchanges, const CoreBody *body);
/* Writes out a map of what has been exchanged: each of its results is known as exchanged then, in `all`: CoreName -> Exchanged.
   False: it stays a map. */
bool exchanges_map(CoreBuilder *b, const CoreStm *stm, const CoreBody *body, PointerMap *all);
/* Notes one item of an order, or what is computed of it; what is read there of an array of known sizes is exchanged, too, in
   place of the statement. False: the statement stays. */
bool exchanges_item(CoreBuilder *b, const CoreStm *stm, const CoreBody *body, PointerMap *all);

#endif
