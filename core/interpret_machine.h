/* Inside the interpreter: compiled programs, values, and the machine that runs the one on the other
   (private to core/interpret*.c).

   A function is compiled once into a Routine: every name gets a slot of the frame, every constant
   too, every statement becomes an Instruction that knows its operands' slots and the C function
   that carries it out. Scalars live in slots unboxed; arrays are reference-counted headers over
   reference-counted blocks, so that a view shares the block of what it views.

       let a = iota n                slot 0: header -> block
       let b = reverse 0 a           slot 1: header (stride -1) -> the same block
       let c = b with [0] <- x       in place where b's header and block have no other reference

   A slot gives its reference back at the name's last use (interpret_liveness.c), so that an update
   of an array that is used no more finds itself the only owner. */
#ifndef CORE_INTERPRET_MACHINE_H
#define CORE_INTERPRET_MACHINE_H

#include "core/interpret.h"
#include <setjmp.h>

/* ---- values -------------------------------------------------------------------------------- */

/* Elements in memory, on the machine's list of all blocks. */
typedef struct Block {
    size_t references, bytes;
    struct Block *previous, *next;
    _Alignas(16) char data[];
} Block;

typedef struct Array {
    union {
        Block *block;
        struct Array *next_free;
    } in;
    size_t references;
    CorePrim prim;
    int rank;
    int64_t offset;    /* of the first element in the block; offset and strides count elements */
    int64_t *strides;  /* rank of them, after the extents */
    int64_t extents[]; /* rank of them, then the strides */
} Array;

/* What a slot holds: BOOL, CHAR and ints in `whole`, reals in `real` (F32 rounded to it). */
typedef union Cell {
    int64_t whole;
    double real;
    Array *array;
} Cell;

/* ---- compiled programs --------------------------------------------------------------------- */

typedef struct Machine Machine;
typedef struct Instruction Instruction;
typedef struct Routine Routine;
typedef void Run(Machine *machine, const Instruction *instruction, Cell *frame);

typedef enum Passing { PASS_SCALAR, PASS_SHARED, PASS_MOVED } Passing;

/* A body. Parameters have consecutive slots. */
typedef struct Code {
    int id;
    int parameters;
    size_t parameter_count;
    size_t count;
    Instruction *instructions;
    size_t result_count;
    const int *results;
    Passing *passing; /* of the results */
    size_t dead_count;
    const int *dead; /* array parameters that are never used */
    size_t use_count;
    const int *uses; /* array slots used inside but bound outside */
} Code;

/* Operands by kind (see interpret_compile.c), pattern slots consecutive from `result`. */
struct Instruction {
    Run *run;
    int result, x, y; /* x, y: the first two operands */
    size_t kill_count;
    const int *kills; /* array slots to give up afterwards */
    const CoreStm *stm;
    const int *operands;
    bool *moved; /* parallel to operands: the slot's reference may be taken */
    size_t operand_count;
    int temporaries; /* consecutive slots for the instruction's own use */
    bool in_stages;  /* SOAC: the map's function has assertions of later stages */
    Code *const *bodies;
    size_t body_count;
    const int *const *sizes; /* slots of the extents in the pattern's types, -1 where unknown */
    Routine *routine;        /* APPLY */
    size_t use_count;
    const int *uses; /* array slots used by operands and bodies */
};

typedef struct Frame {
    struct Frame *next;      /* of all frames */
    struct Frame *next_free; /* of the routine's idle frames */
    Cell cells[];
} Frame;

typedef struct SlotInfo {
    bool is_array;
    int owner;                 /* id of the code that binds it, 0 for constants */
    int stamp;                 /* scratch of compilation and liveness */
    int seen, killable, dying; /* of liveness */
} SlotInfo;

typedef VEC(SlotInfo) SlotVec;
typedef VEC(int) IntVec;

struct Routine {
    const CoreFunction *source;
    Code *code;
    size_t slot_count;
    const Cell *image; /* a fresh frame: constants in place, no arrays */
    Frame *idle;
};

/* All routines of a program, and the greatest rank in it; NULL after reporting nesting beyond the
   limit. */
Routine *interpret_compile(Compilation *c, const CoreProgram *program, int *most_rank);
/* The function that carries out a statement (interpret_scalar.c, ..._views.c, ...). */
Run *interpret_scalar_run(const CoreExp *exp);
Run *interpret_array_run(CoreExpKind kind, bool scalar_result);
Run *interpret_soac_run(CoreExpKind kind);
Run *interpret_control_run(const CoreExp *exp);
/* Fills in kills, moves and dead parameters of one routine. `last_id`: ids of codes and stamps. */
void interpret_liveness(Compilation *c, Code *code, SlotInfo *slots, int *last_id);

/* ---- the machine --------------------------------------------------------------------------- */

struct Machine {
    Compilation *c;
    const CoreEffects *effects;
    int64_t chunk;
    Routine *routines;
    const CoreStm *stm; /* the statement that runs */
    int depth;          /* of bodies inside bodies, calls included */
    Block *blocks;
    size_t live_bytes, most_bytes;
    Frame *frames;
    Array **idle_arrays; /* by rank */
    int most_rank;
    int64_t *extents; /* scratch: room for the greatest rank */
    struct Slab *slabs;
    char *slab_at, *slab_end;
    jmp_buf failure;
    struct RowInStages *row; /* that runs; NULL: its function has assertions of one stage */
};

/* A row of a SOAC whose function has assertions of several stages. One of a later stage that fails ends the row, and is the
   SOAC's failure unless one of a lesser stage fails in a row behind it. */
typedef struct RowInStages {
    jmp_buf end;
    const CoreStm *failed; /* the assertion of the least stage that has; NULL: none */
    const char *message;
} RowInStages;

/* The assertion of a later stage that runs has failed, which says so. Returns where there are no rows to come. */
void interpret_machine_end_row(Machine *machine, const char *message);
/* Reports a diagnostic at the statement that runs and leaves the interpretation. */
_Noreturn void interpret_machine_fail(Machine *machine, const char *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A whole number as it is printed, in the compilation's arena. */
const char *interpret_machine_number(Machine *machine, int64_t value);
/* Runs a body whose parameters are in their slots; the results, owned, go to `out`. Array
   parameters are given up. */
void interpret_machine_run(Machine *machine, const Code *code, Cell *frame, Cell *out);
Frame *interpret_machine_frame(Machine *machine, Routine *routine);
void interpret_machine_fill_message(Machine *machine, Text *out, const CoreExp *assertion,
                                    const Cell *values);

/* ---- arrays (interpret_arrays.c) ------------------------------------------------------------ */

size_t interpret_array_element_size(CorePrim prim);
/* An array of these extents, contiguous, contents undefined. LIMIT ERROR for negative or
   overflowing sizes, WS FULL where there is no memory. */
Array *interpret_array_new(Machine *machine, CorePrim prim, int rank, const int64_t *extents);
/* A header of that rank over the block of `array`; offset copied, extents and strides not. */
Array *interpret_array_view(Machine *machine, const Array *array, int rank);
/* The same elements in the same shape under another header. */
Array *interpret_array_same_view(Machine *machine, const Array *array);
void interpret_array_drop(Machine *machine, Array *array);
int64_t interpret_array_count(Machine *machine, const Array *array);
bool interpret_array_contiguous(const Array *array);
/* A contiguous version of `array`, owned: itself where it is so already. */
Array *interpret_array_packed(Machine *machine, Array *array);
/* Gives up `array` and returns one with these elements that nothing else refers to. */
Array *interpret_array_owned(Machine *machine, Array *array);
/* Copies the elements of `from` into those of `to`: equal shapes, checked (LENGTH ERROR). */
void interpret_array_copy(Machine *machine, Array *to, const Array *from);
/* A new array of `width` rows, of the type's rank: rows have the extents of `row`, or, where that
   is NULL, those in the slots `sizes` (the first is the width's). */
Array *interpret_array_of_rows(Machine *machine, const CoreType *type, int64_t width,
                               const Array *row, const int *sizes, const Cell *frame);
/* Sets all elements. */
void interpret_array_fill(Machine *machine, Array *array, Cell value);
/* The i-th row: an element's cell, or an owned view. Requires rank > 0 and i in range. */
Cell interpret_array_row(Machine *machine, const Array *array, int64_t i);
/* Row i of `array` := cell (an array is only read). */
void interpret_array_set_row(Machine *machine, Array *array, int64_t i, Cell cell);
/* A view of `count` rows from `start` on. */
Array *interpret_array_rows(Machine *machine, const Array *array, int64_t start, int64_t count);
/* A contiguous value; packs into a new array in *hold where needed (the caller drops it). */
CoreValue interpret_array_value(Machine *machine, Array *array, Array **hold);
Cell interpret_cell_load(CorePrim prim, const void *at);
void interpret_cell_store(CorePrim prim, void *at, Cell cell);

static inline Array *array_retain(Array *array)
{
    array->references++;
    return array;
}
static inline void *array_at(const Array *array, int64_t element)
{
    return array->in.block->data +
           (array->offset + element) * (int64_t)interpret_array_element_size(array->prim);
}
/* Operand k, owned: moved out of its slot where this is its last use. */
static inline Array *take_operand(const Instruction *instruction, Cell *frame, size_t k)
{
    Cell *cell = &frame[instruction->operands[k]];
    Array *array = cell->array;
    if (instruction->moved[k]) {
        cell->array = NULL;
        return array;
    }
    return array_retain(array);
}
static inline int64_t operand_whole(const Instruction *instruction, const Cell *frame, size_t k)
{
    return frame[instruction->operands[k]].whole;
}
static inline Array *operand_array(const Instruction *instruction, const Cell *frame, size_t k)
{
    return frame[instruction->operands[k]].array;
}

#endif
