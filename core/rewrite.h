/* Rewriting core: expressions, statements, bodies and programs with something in them mapped, and
   copies with fresh names. What is mapped is what it was, the same pointer, where nothing in it
   changes. */
#ifndef CORE_REWRITE_H
#define CORE_REWRITE_H

#include "core/core.h"

/* ---- operands -------------------------------------------------------------------------------- */

typedef CoreAtom AtomMap(void *context, CoreAtom atom);
/* The expression with `map` applied to its operands (not inside bodies). */
const CoreExp *core_map_operands(Compilation *c, const CoreExp *exp, AtomMap *map, void *context);
const CoreAtom *core_map_atoms(Compilation *c, size_t count, const CoreAtom *atoms, AtomMap *map,
                               void *context);
CoreType core_map_type(Compilation *c, CoreType type, AtomMap *map, void *context);
bool core_same_type(CoreType a, CoreType b);                /* the same prim, rank and sizes */
CoreExp *core_exp_copy(Compilation *c, const CoreExp *exp); /* to change */

/* ---- bodies ---------------------------------------------------------------------------------- */

bool core_has_bodies(CoreExpKind kind);
/* Of two expressions of one kind with bodies: these, and the names they bind, are the same. */
bool core_has_same_bodies(const CoreExp *a, const CoreExp *b);
/* The expression with the bodies inside it mapped. */
typedef const CoreBody *BodyMap(void *context, const CoreBody *body);
const CoreExp *core_map_bodies(Compilation *c, const CoreExp *exp, BodyMap *map, void *context);
const CoreStm *core_map_stm(Compilation *c, const CoreStm *stm, BodyMap *map, void *context);
/* The body with these statements, the function with this body: itself, where they are its own. */
const CoreBody *core_with_stms(Compilation *c, const CoreBody *body, size_t count,
                               const CoreStm *const *stms);
const CoreFunction *core_with_body(Compilation *c, const CoreFunction *function,
                                   const CoreBody *body);
/* The program with the body of each function mapped. */
const CoreProgram *core_map_functions(Compilation *c, const CoreProgram *program, BodyMap *map,
                                      void *context);

/* ---- copies with fresh names ----------------------------------------------------------------- */

/* What is copied binds fresh names ([L0] 5.1: names are unique in a program); others in it become
   what the renaming says. */
typedef struct Renaming Renaming;
Renaming *core_renaming(Compilation *c);
void core_rename(Renaming *renaming, const CoreName *from, CoreAtom to);
CoreAtom core_renamed(void *renaming, CoreAtom atom);
const CoreStm *core_rename_stm(Renaming *renaming, const CoreStm *stm);
const CoreBody *core_rename_body(Renaming *renaming, const CoreBody *body);
const CoreLambda *core_rename_lambda(Renaming *renaming, const CoreLambda *lambda);

#endif
