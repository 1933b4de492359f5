/* What two accesses to one element have to do with each other (private to digits.c and radix.c). */
#ifndef BACKEND_RACE_QUESTION_H
#define BACKEND_RACE_QUESTION_H

#include "backend/race/prove.h"

enum { RACE_MOST_EQUATIONS = 40 };

typedef struct RaceEquation {
    RacePolynomial x, y; /* of a's and of b's atoms */
    bool is_used;
    unsigned tried; /* when so many atoms were settled, without success */
} RaceEquation;

typedef struct RaceQuestion {
    RaceProof *proof;
    const RaceAccess *a, *b;
    bool one_group, is_impossible;
    RaceAtomNumber goal, class; /* class: 0, or it is enough that both agree in it */
    size_t atoms;               /* how many there are */
    unsigned settlings;         /* so far, from 1 */
    bool *settled, *given; /* by atom: the same for both; of a quotient: its equation is there */
    size_t count;
    RaceEquation equations[RACE_MOST_EQUATIONS];
} RaceQuestion;

/* The same on both sides: sums of what is settled, or the same for all work-items that are asked about. */
bool race_is_shared(const RaceQuestion *q, RaceAtomNumber number);
bool race_is_shared_term(const RaceQuestion *q, const RaceTerm *term);
bool race_is_shared_sum(const RaceQuestion *q, const RacePolynomial *p);
void race_add_equation(RaceQuestion *q, const RacePolynomial *x, const RacePolynomial *y);

/* radix.c */
/* 0 <= low < radix */
bool race_is_digit(const RaceKnowledge *knowledge, const RacePolynomial *low,
                   const RacePolynomial *radix);
/* Two equations, of the digits to the left and to the right, in the place of one; by a radix that is
   part of what the sides do not share. */
bool race_by_some_radix(RaceQuestion *q, const RaceEquation *e);
/* The same of an equation in several forms: by the radix of most factors that any of them can be taken apart by. */
bool race_by_largest_radix(RaceQuestion *q, const RaceEquation *const *forms, size_t form_count);
/* The same by one that is part of what they share in p. */
bool race_by_shared_radix(RaceQuestion *q, const RacePolynomial *p, const RaceEquation *e);

/* both.c */
/* Whether one of the equations cannot be, by what is known of the two accesses together. */
bool race_refuted_together(const RaceQuestion *q);

#endif
