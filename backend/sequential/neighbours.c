/* What neighbouring iterations compute alike is computed once, in sequential programs.

   A difference of neighbours that is fused with what makes them (core/fuse/) computes each of them
   twice, once as an iteration's own and once as its neighbour's; on devices that is better than
   memory, and without vectors an iteration could hand its value on to the next one. Strips of
   iterations do it for vectors: the values that a strip needs are computed first, into a small
   array that stays in the nearest cache.

       for (i < n) {                   for (strip < ceiling(n / 1024)) {
           var x = f(i + 1)                first = strip * 1024
           var y = f(i)                    lanes = min(1024, n - first)
           s = s + (x - y)     ==>         private fs[1025]
       }                                   for (lane < lanes + 1) { fs[lane] = f(first + lane) }
                                           for (lane < lanes) { s = s + (fs[lane + 1] - fs[lane]) }
                                       }

   f is a chain of definitions that ends in a dear operation and begins with sums of the loop's
   variable and constants, which differ by the same number wherever they stand in both chains.
   Values and their order are what they were. */
#include "backend/sequential/neighbours.h"

enum { LANES = 1024, MANY_LANES = 4096 /* of bytes */, MOST_COMMANDS = 200, MOST_DEPTH = 64 };

/* ---- definitions ---------------------------------------------------------------------------- */

Definition *neighbours_definition(const Neighbours *s, const KernelVariable *variable)
{
    return pointer_map_get(&s->definitions, variable);
}

bool neighbours_is_linear(const Neighbours *s, const KernelExp *exp, int64_t *offset)
{
    *offset = 0;
    if (exp->kind == KERNEL_VARIABLE) {
        const Definition *known = neighbours_definition(s, exp->as.variable);
        *offset = known ? known->offset : 0;
        return exp->as.variable == s->loop->variable || (known && known->is_linear);
    }
    if (exp->kind != KERNEL_BINARY || exp->prim != CORE_I64 ||
        (exp->as.scalar.op != CORE_ADD && exp->as.scalar.op != CORE_SUB)) {
        return false;
    }
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    if (exp->as.scalar.op == CORE_ADD && x->kind == KERNEL_CONSTANT) {
        y = x;
        x = exp->as.scalar.y;
    }
    if (y->kind != KERNEL_CONSTANT || !neighbours_is_linear(s, x, offset)) {
        return false;
    }
    int64_t by = y->as.constant.as.integer;
    return exp->as.scalar.op == CORE_ADD ? !__builtin_add_overflow(*offset, by, offset)
                                         : !__builtin_sub_overflow(*offset, by, offset);
}

/* Operations that are worth an array. */
static bool is_dear(const KernelExp *exp)
{
    return (exp->kind == KERNEL_UNARY || exp->kind == KERNEL_BINARY) &&
           core_is_real(exp->as.scalar.prim) && core_is_dear(exp->as.scalar.op);
}

static void find_assigned(Neighbours *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ASSIGN) {
            pointer_map_set(s->c->arena, &s->assigned, command->variable, s);
        }
        s->stores = s->stores || command->kind == KERNEL_STORE;
        find_assigned(s, command->body);
        find_assigned(s, command->otherwise);
    }
}

static void find_definitions(Neighbours *s)
{
    for (size_t i = 0; i < s->loop->body.count; i++) {
        const KernelCmd *command = s->loop->body.commands[i];
        if (command->kind != KERNEL_DECLARE || !command->value ||
            pointer_map_get(&s->assigned, command->variable)) {
            continue;
        }
        Definition *known =
            pointer_map_make(s->c->arena, &s->definitions, command->variable, sizeof(Definition));
        known->value = command->value;
        known->is_linear = neighbours_is_linear(s, command->value, &known->offset);
        if (is_dear(command->value) && s->dear_count < MOST_DEAR) {
            s->dear[s->dear_count++] = (Dear){.variable = command->variable};
        }
    }
}

/* ---- chains that are equal ------------------------------------------------------------------ */

typedef struct Match {
    const Neighbours *s;
    bool has_shift;
    int64_t shift; /* of y over x */
    int depth;
} Match;

static bool matches(Match *match, const KernelExp *x, const KernelExp *y);

bool neighbours_is_invariant(const Neighbours *s, const KernelVariable *variable)
{
    return variable != s->loop->variable && !neighbours_definition(s, variable) &&
           !pointer_map_get(&s->assigned, variable);
}

static bool matches_variables(Match *match, const KernelVariable *x, const KernelVariable *y)
{
    const Definition *of_x = neighbours_definition(match->s, x),
                     *of_y = neighbours_definition(match->s, y);
    if (!of_x || !of_y) {
        return x == y && neighbours_is_invariant(match->s, x);
    }
    return matches(match, of_x->value, of_y->value);
}

static bool same_constant(const KernelExp *x, const KernelExp *y)
{
    if (core_is_real(x->prim)) {
        return memcmp(&x->as.constant.as.real, &y->as.constant.as.real, sizeof(double)) == 0;
    }
    return x->as.constant.as.integer == y->as.constant.as.integer;
}

static bool matches_nodes(Match *match, const KernelExp *x, const KernelExp *y)
{
    const KernelExp *of_x[KERNEL_MOST_OPERANDS], *of_y[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(x, of_x);
    bool scalar = x->kind == KERNEL_UNARY || x->kind == KERNEL_BINARY;
    if (kernel_operands(y, of_y) != count ||
        (scalar &&
         (x->as.scalar.op != y->as.scalar.op || x->as.scalar.prim != y->as.scalar.prim)) ||
        (x->kind == KERNEL_LOAD && (match->s->stores || x->as.load.buffer != y->as.load.buffer))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!matches(match, of_x[i], of_y[i])) {
            return false;
        }
    }
    return true;
}

static bool matches(Match *match, const KernelExp *x, const KernelExp *y)
{
    int64_t at_x, at_y, shift;
    if (neighbours_is_linear(match->s, x, &at_x) && neighbours_is_linear(match->s, y, &at_y)) {
        bool same = !__builtin_sub_overflow(at_y, at_x, &shift) &&
                    (!match->has_shift || shift == match->shift);
        match->has_shift = true;
        match->shift = shift;
        return same && shift >= -MOST_SHIFT && shift <= MOST_SHIFT;
    }
    if (x->kind == KERNEL_VARIABLE && y->kind == KERNEL_VARIABLE) {
        return match->depth++ < MOST_DEPTH &&
               matches_variables(match, x->as.variable, y->as.variable);
    }
    if (x->kind != y->kind || x->prim != y->prim) {
        return false;
    }
    return x->kind == KERNEL_CONSTANT ? same_constant(x, y) : matches_nodes(match, x, y);
}

/* What the expression is computed from, and what that is. */
static void mark(Neighbours *s, const KernelExp *exp, Mark what)
{
    if (exp->kind == KERNEL_VARIABLE) {
        Definition *known = neighbours_definition(s, exp->as.variable);
        if (known && !known->marked[what]) {
            known->marked[what] = true;
            mark(s, known->value, what);
        }
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        mark(s, operands[i], what);
    }
}

static void add_to_chain(Neighbours *s, Dear *dear, size_t number, int64_t shift)
{
    Chain *chain = &s->chains[number];
    if (shift < chain->least) {
        chain->least = shift;
        chain->base = dear->variable;
    }
    chain->most = shift > chain->most ? shift : chain->most;
    dear->chain = number + 1;
    dear->shift = shift;
    mark(s, neighbours_definition(s, dear->variable)->value, MARK_INSIDE);
}

/* From the end, so that the longest chains are found first. */
static void find_chains(Neighbours *s)
{
    for (size_t i = s->dear_count; i-- > 0;) {
        Dear *first = &s->dear[i];
        const Definition *known = neighbours_definition(s, first->variable);
        if (first->chain || known->marked[MARK_INSIDE]) {
            continue;
        }
        s->chains[s->chain_count] = (Chain){.base = first->variable};
        for (size_t k = i; k-- > 0;) {
            Dear *other = &s->dear[k];
            Match match = {.s = s};
            if (!other->chain &&
                matches(&match, known->value, neighbours_definition(s, other->variable)->value) &&
                match.has_shift && match.shift != 0) {
                add_to_chain(s, other, s->chain_count, match.shift);
            }
        }
        if (s->chains[s->chain_count].most > s->chains[s->chain_count].least) {
            add_to_chain(s, first, s->chain_count++, 0);
        }
    }
}

/* ---- the strips ----------------------------------------------------------------------------- */

static KernelVariable *new_variable(Neighbours *s, const char *text)
{
    return kernel_variable(s->c, text, CORE_I64, KERNEL_SCALAR, s->loop->span);
}

static int64_t strip_length(const Neighbours *s)
{
    return s->chain_count == 1 && s->chains[0].bytes > 0 ? MANY_LANES : LANES;
}

/* fs[lane] = f(first + lane) */
static void fill_chain(Neighbours *s, KernelBuilder *b, Chain *chain, const KernelExp *first,
                       const KernelExp *lanes)
{
    Compilation *c = s->c;
    KernelVariable *lane = new_variable(s, "lane");
    KernelBuilder body = kernel_builder(c, s->loop->span);
    KernelCopier copier = {.c = c};
    int64_t more = chain->most - chain->least;
    chain->buffer =
        kernel_variable(c, chain->base->text, chain->base->prim, KERNEL_PRIVATE, s->loop->span);
    chain->buffer->most = chain->bytes;
    kernel_declare_buffer(b, chain->buffer, strip_length(s) + more);
    kernel_declare(&body, kernel_rename(&copier, s->loop->variable),
                   kernel_exact_sum(c, first, kernel_use(c, lane)));
    for (size_t i = 0; i < s->loop->body.count; i++) {
        const KernelCmd *command = s->loop->body.commands[i];
        Definition *known =
            command->kind == KERNEL_DECLARE ? neighbours_definition(s, command->variable) : NULL;
        if (known) {
            known->marked[MARK_NEEDED] = false;
        }
    }
    mark(s, kernel_use(c, chain->base), MARK_NEEDED);
    for (size_t i = 0; i < s->loop->body.count; i++) {
        const KernelCmd *const *command = &s->loop->body.commands[i];
        const Definition *known = (*command)->kind == KERNEL_DECLARE
                                      ? neighbours_definition(s, (*command)->variable)
                                      : NULL;
        if (known && known->marked[MARK_NEEDED]) {
            kernel_duplicate(&copier, &body, (KernelBlock){1, command});
        }
    }
    kernel_store(&body, chain->buffer, kernel_use(c, lane),
                 kernel_replacement(&copier, chain->base));
    kernel_for(b, KERNEL_SEQ, NULL, lane, kernel_exact_sum(c, lanes, kernel_i64(c, more)),
               kernel_block(&body));
}

static const Dear *shared(const Neighbours *s, const KernelCmd *command)
{
    for (size_t i = 0; i < s->dear_count && command->kind == KERNEL_DECLARE; i++) {
        if (s->dear[i].variable == command->variable && s->dear[i].chain) {
            return &s->dear[i];
        }
    }
    return NULL;
}

static void need_block(Neighbours *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        const KernelExp *own[] = {command->value, command->index};
        bool defines =
            command->kind == KERNEL_DECLARE && neighbours_definition(s, command->variable);
        for (size_t k = 0; k < 2 && !defines; k++) {
            if (own[k]) {
                mark(s, own[k], MARK_NEEDED);
            }
        }
        need_block(s, command->body);
        need_block(s, command->otherwise);
    }
}

/* The body with what is shared read from its arrays; definitions that nobody needs then go. */
static void use_chains(Neighbours *s, KernelBuilder *b, const KernelExp *first,
                       const KernelExp *lanes)
{
    Compilation *c = s->c;
    KernelVariable *lane = new_variable(s, "lane");
    KernelBuilder body = kernel_builder(c, s->loop->span);
    KernelCopier copier = {.c = c};
    kernel_declare(&body, kernel_rename(&copier, s->loop->variable),
                   kernel_exact_sum(c, first, kernel_use(c, lane)));
    for (size_t i = 0; i < s->loop->body.count; i++) {
        const KernelCmd *command = s->loop->body.commands[i];
        Definition *known =
            command->kind == KERNEL_DECLARE ? neighbours_definition(s, command->variable) : NULL;
        if (known) {
            known->marked[MARK_NEEDED] = false;
            known->value = shared(s, command) ? kernel_i64(c, 0) : known->value;
        }
    }
    need_block(s, s->loop->body);
    for (size_t i = 0; i < s->loop->body.count; i++) {
        const KernelCmd *const *command = &s->loop->body.commands[i];
        const Definition *known = (*command)->kind == KERNEL_DECLARE
                                      ? neighbours_definition(s, (*command)->variable)
                                      : NULL;
        const Dear *dear = shared(s, *command);
        if (dear && known->marked[MARK_NEEDED]) {
            const Chain *chain = &s->chains[dear->chain - 1];
            const KernelExp *at =
                kernel_exact_sum(c, kernel_use(c, lane), kernel_i64(c, dear->shift - chain->least));
            kernel_declare(&body, kernel_rename(&copier, dear->variable),
                           kernel_load(c, chain->buffer, at));
        } else if (!known || known->marked[MARK_NEEDED]) {
            kernel_duplicate(&copier, &body, (KernelBlock){1, command});
        }
    }
    kernel_for(b, KERNEL_SEQ, NULL, lane, lanes, kernel_block(&body));
}

static void put_strips(Neighbours *s, KernelBuilder *b)
{
    Compilation *c = s->c;
    const KernelExp *length = kernel_i64(c, strip_length(s));
    b->span = s->loop->span;
    const KernelExp *count =
        kernel_declared(b, "count", kernel_binary(c, CORE_MAX, s->loop->count, kernel_i64(c, 0)));
    const KernelExp *more =
        kernel_binary(c, CORE_GT, kernel_modulo(c, count, length), kernel_i64(c, 0));
    const KernelExp *strips = kernel_declared(
        b, "strips",
        kernel_exact_sum(c, kernel_divide(c, count, length), kernel_convert(c, CORE_I64, more)));
    KernelVariable *strip = new_variable(s, "strip");
    KernelBuilder body = kernel_builder(c, s->loop->span);
    const KernelExp *first =
        kernel_declared(&body, "first", kernel_binary(c, CORE_MUL, kernel_use(c, strip), length));
    const KernelExp *left = kernel_binary(c, CORE_SUB, count, first);
    const KernelExp *lanes =
        kernel_declared(&body, "lanes", kernel_binary(c, CORE_MIN, left, length));
    for (size_t i = 0; i < s->chain_count; i++) {
        fill_chain(s, &body, &s->chains[i], first, lanes);
    }
    use_chains(s, &body, first, lanes);
    kernel_for(b, KERNEL_SEQ, NULL, strip, strips, kernel_block(&body));
}

/* ---- the program ---------------------------------------------------------------------------- */

/* Whether the loop computes something for itself and for a neighbour; then all about it is in `s`.
 */
static bool study(Neighbours *s, const KernelCmd *loop)
{
    size_t dear = 0, budget = 10 * MOST_COMMANDS;
    if (loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ || loop->body.count > MOST_COMMANDS) {
        return false;
    }
    for (size_t i = 0; i < loop->body.count; i++) {
        const KernelCmd *command = loop->body.commands[i];
        if (command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE ||
            command->kind == KERNEL_CHECK) {
            return false;
        }
        dear += command->kind == KERNEL_DECLARE && command->value && is_dear(command->value);
    }
    if (!kernel_can_duplicate(loop->body, &budget) || loop->count->kind == KERNEL_CONSTANT) {
        return false;
    }
    *s = (Neighbours){.c = s->c, .loop = loop, .fresh = s->fresh};
    find_assigned(s, loop->body);
    find_definitions(s);
    if (dear >= 2) {
        find_chains(s);
    }
    if (s->chain_count == 0) {
        neighbours_find_columns(s);
    }
    return s->chain_count > 0;
}

/* A loop of the host leaves and finds its buffers otherwise than the program's text says. */
static bool moves_memory(const KernelCmd *command)
{
    if (command->kind == KERNEL_ALLOCATE || command->kind == KERNEL_ALIAS) {
        return true;
    }
    bool moves = false;
    for (size_t i = 0; i < command->body.count && !moves; i++) {
        moves = moves_memory(command->body.commands[i]);
    }
    for (size_t i = 0; i < command->otherwise.count && !moves; i++) {
        moves = moves_memory(command->otherwise.commands[i]);
    }
    return moves;
}

static void note_memory(Neighbours *s, const KernelCmd *command)
{
    Arena *arena = s->c->arena;
    if (command->kind == KERNEL_ALLOCATE) {
        pointer_map_set(arena, &s->fresh, command->variable, s);
    } else if (command->kind == KERNEL_ALIAS) {
        pointer_map_set(arena, &s->fresh, command->variable, NULL);
        pointer_map_set(arena, &s->fresh, command->source, NULL);
    } else if (moves_memory(command)) {
        s->fresh = (PointerMap){0};
    }
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Neighbours *s = context;
    note_memory(s, command);
    bool found = study(s, command);
    if (found) {
        put_strips(s, b);
    }
    return found;
}

static void after(void *context, const KernelCmd *command)
{
    if (command->body.count > 0) {
        note_memory(context, command);
    }
}

KernelProgram *kernel_share_neighbours(Compilation *c, const KernelProgram *program)
{
    Neighbours s = {.c = c};
    KernelRewrite rewrite = {.c = c, .context = &s, .put = put, .after = after};
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        s.fresh = (PointerMap){0};
        bodies[i] = kernel_rewrite(&rewrite, program->entries[i].body);
    }
    return kernel_with_bodies(c, program, bodies);
}
