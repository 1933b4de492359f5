/* What the two halves of the binder share: bind.c (names, parentheses, assignment) and phrases.c
   (strands, operators, application, trains). */
#ifndef APL_BIND_H
#define APL_BIND_H

#include "apl/classes.h"
#include "apl/tokens.h"

/* A bound node and the source that it came from, parentheses included. */
typedef struct Phrase {
    AplNode *node;
    Span span;
} Phrase;

typedef VEC(Phrase) PhraseVec;

typedef struct Binder {
    Compilation *c;
    AplClassOf class_of;
    AplSuggest suggest; /* or NULL */
    void *context;
    NameClasses assigned;           /* names that this statement assigns */
    const AplNode *before_assigned; /* what stands directly before what is assigned; or NULL */
    size_t applications;
    bool failed;
} Binder;

/* Reports an error of structure. After an error only unknown names are still reported, since what
   they are decides how the rest reads. */
void binder_fault(Binder *binder, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A bound node of this class; counts the applications of the statement. */
AplNode *binder_node(Binder *binder, AplKind kind, AplClass class, Span span, size_t count,
                     AplNode *const *items);
/* What stands in for an array that could not be bound. */
AplNode *binder_placeholder(Binder *binder, Span span);
/* The source of a span, shortened, for messages. */
const char *binder_excerpt(Binder *binder, Span span);

/* Items with their classes (BRACKETS among them) to phrases: arrays with their indices, strands,
   and functions with all their operators and axes. Appends to `phrases`. */
void binder_group(Binder *binder, const Phrase *items, size_t count, PhraseVec *phrases);
/* Applies phrases (one at least) right to left: an array; or, where the last one is a function, a
   function or train; or a lone operator. */
Phrase binder_apply(Binder *binder, const PhraseVec *phrases);

#endif
