/* Compiling for the interpreter: names and constants become slots, statements instructions.

       let x = a + 1 in ...        slots: a 0, x 1, constant 1 2
                                   instruction: run_add_i64, x = 0, y = 2, result = 1

   Every kind of expression lists its operands in an order of its own, written above the case that
   collects them; the functions that run instructions rely on it. All names of a function have
   different slots of one frame, since names are unique; a body inside shares its function's frame.
 */
#include "core/interpret_machine.h"

/* ---- names to slots -------------------------------------------------------------------------- */

typedef struct Compiler {
    Compilation *c;
    PointerMap callees; /* interned text -> Routine, of those compiled before */
    SlotVec slots;
    VEC(Cell) image;  /* parallel to slots */
    PointerMap names; /* CoreName -> int: its slot */
    int last_id, owner, depth;
    int most_rank;
    bool failed;
} Compiler;

static int new_slot(Compiler *k, bool is_array, int owner, Cell cell)
{
    SlotInfo info = {.is_array = is_array, .owner = owner};
    vec_push(k->c->arena, &k->slots, info);
    vec_push(k->c->arena, &k->image, cell);
    return (int)k->slots.count - 1;
}

static int bind_name(Compiler *k, const CoreName *name, int owner)
{
    int slot = new_slot(k, name->type.rank > 0, owner, (Cell){.whole = 0});
    int *place = pointer_map_make(k->c->arena, &k->names, name, sizeof *place);
    *place = slot;
    return slot;
}

/* Binds names to consecutive slots and returns the first; with no names, the next free one. */
static int bind_names(Compiler *k, size_t count, CoreName *const *names, int owner)
{
    int first = (int)k->slots.count;
    for (size_t i = 0; i < count; i++) {
        bind_name(k, names[i], owner);
    }
    return first;
}

static Cell constant_cell(CoreAtom atom)
{
    return core_is_real(atom.prim) ? (Cell){.real = atom.as.real}
                                   : (Cell){.whole = atom.as.integer};
}

static int atom_slot(Compiler *k, CoreAtom atom)
{
    if (!atom.name) {
        return new_slot(k, false, 0, constant_cell(atom));
    }
    const int *found = pointer_map_get(&k->names, atom.name);
    if (!found) {
        internal_error(k->c, "interpreter: %s_%u is used before it is bound", atom.name->text,
                       atom.name->number);
    }
    return *found;
}

/* ---- bodies -------------------------------------------------------------------------------- */

static Code *compile_code(Compiler *k, size_t parameter_count, CoreName *const *parameters,
                          CoreName *index, const CoreBody *body);

static Code *compile_lambda(Compiler *k, const CoreLambda *lambda)
{
    return compile_code(k, lambda->parameter_count, lambda->parameters, NULL, lambda->body);
}

/* An instruction's operands and bodies while they are collected. */
typedef struct Draft {
    IntVec operands;
    VEC(Code *) bodies;
    int temporaries; /* how many */
} Draft;

static void add_operand(Compiler *k, Draft *draft, CoreAtom atom)
{
    int slot = atom_slot(k, atom);
    vec_push(k->c->arena, &draft->operands, slot);
}

static void add_operands(Compiler *k, Draft *draft, size_t count, const CoreAtom *atoms)
{
    for (size_t i = 0; i < count; i++) {
        add_operand(k, draft, atoms[i]);
    }
}

static void add_body(Compiler *k, Draft *draft, Code *code)
{
    vec_push(k->c->arena, &draft->bodies, code);
}

/* offset for a fixed axis; offset, count, stride for another */
static void add_slices(Compiler *k, Draft *draft, size_t count, const CoreSlice *slices)
{
    for (size_t i = 0; i < count; i++) {
        add_operand(k, draft, slices[i].offset);
        if (!slices[i].fixed) {
            add_operand(k, draft, slices[i].count);
            add_operand(k, draft, slices[i].stride);
        }
    }
}

/* width, inputs, neutral elements of the reductions, then of the scans; bodies: map, reductions,
   scans. Temporaries: the map's results, the scans' accumulators, a function's results. */
static void draft_soac(Compiler *k, Draft *draft, const CoreSoac *soac)
{
    size_t scanned = 0, most = 0;
    add_operand(k, draft, soac->width);
    add_operands(k, draft, soac->input_count, soac->inputs);
    add_body(k, draft, compile_lambda(k, soac->map));
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        bool scan = i >= soac->reduction_count;
        const CoreReduction *one =
            scan ? &soac->scans[i - soac->reduction_count] : &soac->reductions[i];
        size_t count = one->function->body->result_count;
        add_operands(k, draft, count, one->neutral);
        add_body(k, draft, compile_lambda(k, one->function));
        scanned += scan ? count : 0;
        most = count > most ? count : most;
    }
    draft->temporaries = (int)(soac->map->body->result_count + scanned + most);
}

/* parameters' initial values, then the bound; x: the condition's or the bound's slot; body */
static void draft_loop(Compiler *k, Draft *draft, const CoreExp *exp)
{
    add_operands(k, draft, exp->as.loop.parameter_count, exp->as.loop.initial);
    if (exp->as.loop.index) {
        add_operand(k, draft, exp->as.loop.bound);
    }
    add_body(k, draft,
             compile_code(k, exp->as.loop.parameter_count, exp->as.loop.parameters,
                          exp->as.loop.index, exp->as.loop.body));
    draft->temporaries = (int)exp->as.loop.parameter_count;
}

/* width, indices, destinations, values; HIST: body op. Temporaries: the op's results. */
static void draft_scatter(Compiler *k, Draft *draft, const CoreExp *exp)
{
    add_operand(k, draft, exp->as.scatter.width);
    add_operand(k, draft, exp->as.scatter.indices);
    add_operands(k, draft, exp->as.scatter.count, exp->as.scatter.destinations);
    add_operands(k, draft, exp->as.scatter.count, exp->as.scatter.values);
    if (exp->kind == CORE_EXP_HIST) {
        add_body(k, draft, compile_lambda(k, exp->as.scatter.op));
        draft->temporaries = (int)exp->as.scatter.count;
    }
}

/* width, inputs, neutral; bodies fold and, for RED, reduce. Temporaries: the fold's results. */
static void draft_stream(Compiler *k, Draft *draft, const CoreExp *exp)
{
    add_operand(k, draft, exp->as.stream.width);
    add_operands(k, draft, exp->as.stream.input_count, exp->as.stream.inputs);
    add_operands(k, draft, exp->as.stream.accumulator_count, exp->as.stream.neutral);
    add_body(k, draft, compile_lambda(k, exp->as.stream.fold));
    if (exp->kind == CORE_EXP_STREAM_RED) {
        add_body(k, draft, compile_lambda(k, exp->as.stream.reduce));
    }
    draft->temporaries = (int)exp->as.stream.fold->body->result_count;
}

/* Expressions with bodies, and effects. False: another kind (draft_array). */
static bool draft_control(Compiler *k, Draft *draft, const CoreExp *exp)
{
    switch (exp->kind) {
    case CORE_EXP_IF: /* condition; bodies then, else */
        add_operand(k, draft, exp->as.conditional.condition);
        add_body(k, draft, compile_code(k, 0, NULL, NULL, exp->as.conditional.then_body));
        add_body(k, draft, compile_code(k, 0, NULL, NULL, exp->as.conditional.else_body));
        return true;
    case CORE_EXP_LOOP: draft_loop(k, draft, exp); return true;
    case CORE_EXP_SOAC: draft_soac(k, draft, &exp->as.soac); return true;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: /* width, inputs; body predicate; temporaries for its results */
        add_operand(k, draft, exp->as.filter.width);
        add_operands(k, draft, exp->as.filter.input_count, exp->as.filter.inputs);
        add_body(k, draft, compile_lambda(k, exp->as.filter.predicate));
        draft->temporaries = (int)exp->as.filter.predicate->body->result_count;
        return true;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: draft_scatter(k, draft, exp); return true;
    case CORE_EXP_ORDER: /* array */ add_operand(k, draft, exp->as.array); return true;
    case CORE_EXP_DIGIT_SORT: /* array, digit */
        add_operand(k, draft, exp->as.digit_sort.array);
        add_operand(k, draft, exp->as.digit_sort.digit);
        return true;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: draft_stream(k, draft, exp); return true;
    case CORE_EXP_APPLY: /* arguments */
        add_operands(k, draft, exp->as.apply.count, exp->as.apply.arguments);
        return true;
    case CORE_EXP_ASSERT: /* condition, values */
        add_operand(k, draft, exp->as.assertion.condition);
        add_operands(k, draft, exp->as.assertion.value_count, exp->as.assertion.values);
        return true;
    case CORE_EXP_CONJOIN:
    case CORE_EXP_NOW:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE: return true;
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_PRECISION:
    case CORE_EXP_ATOM: /* the atom */ add_operand(k, draft, exp->as.atom); return true;
    case CORE_EXP_READ: /* file */ add_operand(k, draft, exp->as.read.file); return true;
    case CORE_EXP_ARGUMENT: /* fallback */
        add_operand(k, draft, exp->as.argument.fallback);
        return true;
    case CORE_EXP_FORMAT: /* how, array */
        add_operand(k, draft, exp->as.format.how);
        add_operand(k, draft, exp->as.format.array);
        return true;
    case CORE_EXP_BENCH: /* iterations, milliseconds */
        add_operand(k, draft, exp->as.bench.iterations);
        add_operand(k, draft, exp->as.bench.milliseconds);
        return true;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_INDEX:
    case CORE_EXP_UPDATE:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_COPY:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: break;
    }
    return false;
}

/* Views of one array, and of several. False: another kind. */
static bool draft_view(Compiler *k, Draft *draft, const CoreExp *exp)
{
    if (exp->kind == CORE_EXP_REARRANGE) { /* array */
        add_operand(k, draft, exp->as.rearrange.array);
    } else if (exp->kind == CORE_EXP_RESHAPE) { /* array, extents */
        add_operand(k, draft, exp->as.reshape.array);
        add_operands(k, draft, exp->as.reshape.count, exp->as.reshape.sizes);
    } else if (exp->kind == CORE_EXP_CYCLE) { /* array, count, fill */
        add_operand(k, draft, exp->as.cycle.array);
        add_operand(k, draft, exp->as.cycle.count);
        add_operand(k, draft, exp->as.cycle.fill);
    } else if (exp->kind == CORE_EXP_ROTATE) { /* array, amount */
        add_operand(k, draft, exp->as.rotate.array);
        add_operand(k, draft, exp->as.rotate.amount);
    } else if (exp->kind == CORE_EXP_REVERSE) { /* array */
        add_operand(k, draft, exp->as.reverse.array);
    } else if (exp->kind == CORE_EXP_SLICE) { /* array, slices */
        add_operand(k, draft, exp->as.slice.array);
        add_slices(k, draft, exp->as.slice.count, exp->as.slice.slices);
    } else if (exp->kind == CORE_EXP_CONCAT) { /* arrays */
        add_operands(k, draft, exp->as.concat.count, exp->as.concat.arrays);
    } else if (exp->kind == CORE_EXP_PAD) { /* array, before, after, fill */
        add_operand(k, draft, exp->as.pad.array);
        add_operand(k, draft, exp->as.pad.before);
        add_operand(k, draft, exp->as.pad.after);
        add_operand(k, draft, exp->as.pad.fill);
    } else {
        return false;
    }
    return true;
}

static void draft_array(Compiler *k, Draft *draft, const CoreExp *exp)
{
    if (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) { /* x, y */
        add_operand(k, draft, exp->as.scalar.x);
        if (exp->kind == CORE_EXP_BINARY) {
            add_operand(k, draft, exp->as.scalar.y);
        }
    } else if (exp->kind == CORE_EXP_CONVERT) { /* x */
        add_operand(k, draft, exp->as.convert.x);
    } else if (exp->kind == CORE_EXP_INDEX) { /* array, indices */
        add_operand(k, draft, exp->as.index.array);
        add_operands(k, draft, exp->as.index.count, exp->as.index.indices);
    } else if (exp->kind == CORE_EXP_UPDATE) { /* array, value, slices */
        add_operand(k, draft, exp->as.update.array);
        add_operand(k, draft, exp->as.update.value);
        add_slices(k, draft, exp->as.update.count, exp->as.update.slices);
    } else if (exp->kind == CORE_EXP_LITERAL) { /* items */
        add_operands(k, draft, exp->as.items.count, exp->as.items.items);
    } else if (exp->kind == CORE_EXP_IOTA) { /* count */
        add_operand(k, draft, exp->as.count);
    } else if (exp->kind == CORE_EXP_REPLICATE) { /* value, extents */
        add_operand(k, draft, exp->as.replicate.value);
        add_operands(k, draft, exp->as.replicate.count, exp->as.replicate.sizes);
    } else if (exp->kind == CORE_EXP_SCRATCH) { /* extents */
        add_operands(k, draft, exp->as.scratch.count, exp->as.scratch.sizes);
    } else { /* COPY: array */
        add_operand(k, draft, exp->as.array);
    }
}

/* ---- statements ---------------------------------------------------------------------------- */

static Run *choose_run(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY ||
        exp->kind == CORE_EXP_CONVERT) {
        return interpret_scalar_run(exp);
    }
    bool scalar = stm->pattern_count == 1 && stm->pattern[0]->type.rank == 0;
    Run *run = interpret_array_run(exp->kind, scalar);
    run = run ? run : interpret_soac_run(exp->kind);
    return run ? run : interpret_control_run(exp);
}

static Routine *find_routine(Compiler *k, const char *name)
{
    Routine *routine = pointer_map_get(&k->callees, intern(k->c, name));
    if (!routine) {
        internal_error(k->c, "interpreter: there is no function %s before its call", name);
    }
    return routine;
}

/* The slots of the extents in the pattern's types, where they are known by now. */
static const int *const *pattern_sizes(Compiler *k, const CoreStm *stm)
{
    const int **sizes = ARENA_ARRAY(k->c->arena, const int *, stm->pattern_count);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        const CoreType *type = &stm->pattern[i]->type;
        int *slots = ARENA_ARRAY(k->c->arena, int, type->rank);
        for (int axis = 0; axis < type->rank; axis++) {
            const CoreName *name = type->sizes[axis].name;
            const int *found = name ? pointer_map_get(&k->names, name) : NULL;
            slots[axis] = found ? *found : !name ? atom_slot(k, type->sizes[axis]) : -1;
        }
        sizes[i] = slots;
    }
    return sizes;
}

static bool needs_sizes(CoreExpKind kind)
{
    return kind == CORE_EXP_SOAC || kind == CORE_EXP_STREAM_MAP || kind == CORE_EXP_STREAM_RED ||
           kind == CORE_EXP_STREAM_SEQ || kind == CORE_EXP_LITERAL;
}

/* The array slots that the instruction's operands and bodies use, each once. */
static void collect_uses(Compiler *k, Instruction *in)
{
    IntVec uses = {0};
    int id = ++k->last_id;
    for (size_t i = 0; i < in->operand_count; i++) {
        SlotInfo *info = &k->slots.items[in->operands[i]];
        if (info->is_array && info->stamp != id) {
            info->stamp = id;
            vec_push(k->c->arena, &uses, in->operands[i]);
        }
    }
    for (size_t i = 0; i < in->body_count; i++) {
        for (size_t j = 0; j < in->bodies[i]->use_count; j++) {
            SlotInfo *info = &k->slots.items[in->bodies[i]->uses[j]];
            if (info->stamp != id) {
                info->stamp = id;
                vec_push(k->c->arena, &uses, in->bodies[i]->uses[j]);
            }
        }
    }
    in->uses = uses.items;
    in->use_count = uses.count;
}

static Instruction compile_statement(Compiler *k, const CoreStm *stm)
{
    Draft draft = {0};
    const CoreExp *exp = stm->exp;
    if (!draft_control(k, &draft, exp) && !draft_view(k, &draft, exp)) {
        draft_array(k, &draft, exp);
    }
    Instruction in = {.run = choose_run(stm), .stm = stm};
    if (!in.run) {
        internal_error(k->c, "interpreter: %s has no operator for its type",
                       stm->pattern_count ? stm->pattern[0]->text : "a statement");
    }
    in.operands = draft.operands.items;
    in.operand_count = draft.operands.count;
    in.moved = ARENA_ARRAY(k->c->arena, bool, in.operand_count + 1);
    in.x = in.operand_count > 0 ? in.operands[0] : 0;
    in.y = in.operand_count > 1 ? in.operands[1] : 0;
    in.in_stages =
        stm->exp->kind == CORE_EXP_SOAC && core_last_stage(stm->exp->as.soac.map->body) > 0;
    in.bodies = draft.bodies.items;
    in.body_count = draft.bodies.count;
    in.temporaries = (int)k->slots.count;
    for (int i = 0; i < draft.temporaries; i++) {
        new_slot(k, false, 0, (Cell){.whole = 0});
    }
    if (exp->kind == CORE_EXP_APPLY) {
        in.routine = find_routine(k, exp->as.apply.function);
    }
    if (needs_sizes(exp->kind)) {
        in.sizes = pattern_sizes(k, stm);
    }
    if (exp->kind == CORE_EXP_LOOP) {
        in.x = exp->as.loop.index ? in.operands[in.operand_count - 1]
                                  : atom_slot(k, core_use(exp->as.loop.condition));
        in.y = exp->as.loop.index ? atom_slot(k, core_use(exp->as.loop.index)) : 0;
    }
    collect_uses(k, &in);
    in.result = bind_names(k, stm->pattern_count, stm->pattern, k->owner);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        int rank = stm->pattern[i]->type.rank;
        k->most_rank = rank > k->most_rank ? rank : k->most_rank;
    }
    return in;
}

/* What is used inside but bound outside, from the instructions' and the results' uses. */
static void collect_code_uses(Compiler *k, Code *code)
{
    IntVec uses = {0};
    int id = ++k->last_id;
    for (size_t i = 0; i <= code->count; i++) {
        const int *from = i < code->count ? code->instructions[i].uses : code->results;
        size_t count = i < code->count ? code->instructions[i].use_count : code->result_count;
        for (size_t j = 0; j < count; j++) {
            SlotInfo *info = &k->slots.items[from[j]];
            if (info->is_array && info->stamp != id && info->owner != code->id) {
                info->stamp = id;
                vec_push(k->c->arena, &uses, from[j]);
            }
        }
    }
    code->uses = uses.items;
    code->use_count = uses.count;
}

static void compile_statements(Compiler *k, Code *code, const CoreBody *body)
{
    code->instructions = ARENA_ARRAY(k->c->arena, Instruction, body->stm_count);
    for (size_t i = 0; i < body->stm_count && !k->failed; i++) {
        code->instructions[code->count++] = compile_statement(k, body->stms[i]);
    }
    if (k->failed) {
        return;
    }
    int *results = ARENA_ARRAY(k->c->arena, int, body->result_count);
    code->passing = ARENA_ARRAY(k->c->arena, Passing, body->result_count);
    for (size_t i = 0; i < body->result_count; i++) {
        results[i] = atom_slot(k, body->results[i]);
        code->passing[i] = k->slots.items[results[i]].is_array ? PASS_SHARED : PASS_SCALAR;
    }
    code->results = results;
    code->result_count = body->result_count;
    collect_code_uses(k, code);
}

static Code *compile_code(Compiler *k, size_t parameter_count, CoreName *const *parameters,
                          CoreName *index, const CoreBody *body)
{
    Code *code = ARENA_NEW(k->c->arena, Code);
    int outer = k->owner;
    code->id = ++k->last_id;
    if (k->depth >= 2 * NESTING_LIMIT) {
        if (!k->failed) {
            Span span = body->stm_count ? body->stms[0]->span : NO_SPAN;
            diagnostics_add(k->c->diagnostics, span, "LIMIT ERROR", "nested too deeply");
        }
        k->failed = true;
        return code;
    }
    k->depth++;
    k->owner = code->id;
    code->parameters = bind_names(k, parameter_count, parameters, code->id);
    code->parameter_count = parameter_count;
    for (size_t i = 0; i < parameter_count; i++) {
        int rank = parameters[i]->type.rank;
        k->most_rank = rank > k->most_rank ? rank : k->most_rank;
    }
    if (index) {
        bind_name(k, index, code->id);
    }
    compile_statements(k, code, body);
    k->owner = outer;
    k->depth--;
    return code;
}

static void compile_function(Compiler *k, Routine *routine, const CoreFunction *function)
{
    k->slots = (SlotVec){0};
    k->image.items = NULL;
    k->image.count = k->image.capacity = 0;
    k->names = (PointerMap){0};
    k->owner = 0;
    routine->source = function;
    routine->code =
        compile_code(k, function->parameter_count, function->parameters, NULL, function->body);
    if (!k->failed) {
        interpret_liveness(k->c, routine->code, k->slots.items, &k->last_id);
    }
    routine->slot_count = k->slots.count;
    routine->image = k->image.items;
}

Routine *interpret_compile(Compilation *c, const CoreProgram *program, int *most_rank)
{
    Compiler k = {.c = c};
    Routine *routines = ARENA_ARRAY(c->arena, Routine, program->function_count);
    for (size_t i = 0; i < program->function_count && !k.failed; i++) {
        compile_function(&k, &routines[i], program->functions[i]);
        pointer_map_set(c->arena, &k.callees, intern(c, program->functions[i]->name), &routines[i]);
    }
    *most_rank = k.most_rank;
    return k.failed ? NULL : routines;
}
