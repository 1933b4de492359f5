/* What the fuser did and what it left, for `tailor explain`.

       done   which statement went into which, by which rule: noted where it happens
       left   a producer and a consumer of its array that are still two when nothing changes any
              more, with the reason that each step gave: why they are not one SOAC (graph.c), and
              why the array is not computed where it is read (delay.c)

   The steps decide by the same reasons, so that nothing is guessed here. What is left is noted anew
   in each round; the last round's stays, since it is the one in which nothing could be done. Where
   nobody asks there is no log, and all of this costs one comparison a decision. */
#include "core/fuse/fuse.h"

/* ---- texts -------------------------------------------------------------------------------- */

static const char *view_text(const CoreStm *stm)
{
    switch ((int)stm->exp->kind) { /* views */
    case CORE_EXP_INDEX: return "row";
    case CORE_EXP_IOTA: return "range of numbers";
    case CORE_EXP_REPLICATE: return "replicate";
    case CORE_EXP_REARRANGE: return "transpose";
    case CORE_EXP_RESHAPE: return "reshape";
    case CORE_EXP_CYCLE: return "cyclic reshape";
    case CORE_EXP_ROTATE: return "rotate";
    case CORE_EXP_REVERSE: return "reverse";
    case CORE_EXP_SLICE: return "slice";
    case CORE_EXP_CONCAT: return "catenate";
    case CORE_EXP_PAD: return "pad";
    }
    return NULL;
}

static const char *soac_kind(Compilation *c, const CoreSoac *soac, size_t mapped)
{
    Text text = text_create(c->arena);
    if (mapped > 0 || soac->reduction_count + soac->scan_count == 0) {
        text_string(&text, "map");
    }
    if (soac->reduction_count > 0) {
        text_printf(&text, "%sreduce", text.length > 0 ? ", " : "");
    }
    if (soac->scan_count > 0) {
        text_printf(&text, "%sscan", text.length > 0 ? ", " : "");
    }
    return text_get(&text);
}

const char *core_stm_kind(Compilation *c, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* what else is a view, scalar, or done by the host */
    case CORE_EXP_SOAC: {
        const CoreSoac *soac = &exp->as.soac;
        size_t folded = fuse_total_width(soac->reduction_count, soac->reductions) +
                        fuse_total_width(soac->scan_count, soac->scans);
        return soac_kind(c, soac, stm->pattern_count - folded);
    }
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: return "filter";
    case CORE_EXP_SCATTER: return "scatter";
    case CORE_EXP_HIST: return "histogram";
    case CORE_EXP_ORDER: return "order";
    case CORE_EXP_DIGIT_SORT: return "digit sort";
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: return "stream";
    case CORE_EXP_LOOP: return "loop";
    case CORE_EXP_IF: return "branch";
    case CORE_EXP_COPY: return "copy";
    case CORE_EXP_UPDATE: return "update";
    case CORE_EXP_LITERAL: return "literal";
    case CORE_EXP_READ: return "read";
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX: return "print";
    case CORE_EXP_FORMAT: return "format";
    case CORE_EXP_ASSERT: return "check";
    }
    return view_text(stm) ? view_text(stm) : "scalar";
}

/* "{cost}" in the pattern becomes the number. */
const char *core_reason_text(Compilation *c, CoreReason reason, const CoreFusion *fusion)
{
    static const char *const texts[] = {
#define CORE_REASON(enumerator, text) text,
#include "core/fuse/reasons.def"
#undef CORE_REASON
    };
    const char *kind = fusion->between ? core_stm_kind(c, fusion->between) : "statement";
    Text text = text_create(c->arena);
    for (const char *at = texts[reason]; *at;) {
        if (strncmp(at, "{cost}", 6) == 0) {
            text_printf(&text, "%s%u", fusion->cost >= FUSE_DEAR ? "at least " : "", fusion->cost);
            at += 6;
        } else if (strncmp(at, "{places}", 8) == 0) {
            text_printf(&text, "%u", fusion->places);
            at += 8;
        } else if (strncmp(at, "{between}", 9) == 0) {
            text_string(&text, kind);
            at += 9;
        } else if (strncmp(at, "{a between}", 11) == 0) {
            text_printf(&text, "%s %s", strchr("aeiou", kind[0]) ? "an" : "a", kind);
            at += 11;
        } else {
            text_char(&text, *at++);
        }
    }
    return text_get(&text);
}

/* ---- verdicts of graph.c ------------------------------------------------------------------ */

static unsigned number_of(const CoreStm *stm)
{
    return stm->pattern_count > 0 ? stm->pattern[0]->number : 0;
}

void fuse_log_round(FuseLog *log)
{
    if (log->log) {
        log->log->left.count = 0;
    }
    log->verdicts.count = 0;
    log->slot_count = 0;
}

size_t fuse_log_length(const FuseLog *log)
{
    return log->log ? log->log->done.count : 0;
}

void fuse_log_cut(FuseLog *log, size_t length)
{
    if (log->log) {
        log->log->done.count = length;
    }
}

static size_t *slot_of(FuseLog *log, unsigned first, unsigned second)
{
    uint64_t key = ((uint64_t)first << 32 | second) * 0x9E3779B97F4A7C15u;
    size_t slot = (size_t)(key >> 32) & (log->slot_count - 1);
    while (log->slots[slot] > 0) {
        const FuseVerdict *verdict = &log->verdicts.items[log->slots[slot] - 1];
        if (verdict->first == first && verdict->second == second) {
            break;
        }
        slot = (slot + 1) & (log->slot_count - 1);
    }
    return &log->slots[slot];
}

static void make_room(Fuse *f)
{
    FuseLog *log = f->log;
    if (2 * (log->verdicts.count + 1) <= log->slot_count) {
        return;
    }
    log->slot_count = log->slot_count > 0 ? 2 * log->slot_count : 64;
    log->slots = ARENA_ARRAY(f->c->arena, size_t, log->slot_count);
    memset(log->slots, 0, log->slot_count * sizeof *log->slots);
    for (size_t i = 0; i < log->verdicts.count; i++) {
        *slot_of(log, log->verdicts.items[i].first, log->verdicts.items[i].second) = i + 1;
    }
}

void fuse_log_apart(Fuse *f, const CoreStm *first, const CoreStm *second, CoreReason reason,
                    const CoreStm *between)
{
    if (!f->log) {
        return;
    }
    make_room(f);
    size_t *slot = slot_of(f->log, number_of(first), number_of(second));
    if (*slot == 0) {
        FuseVerdict verdict = {number_of(first), number_of(second), reason, between};
        vec_push(f->c->arena, &f->log->verdicts, verdict);
        *slot = f->log->verdicts.count;
    }
}

void fuse_log_beside(Fuse *f, const CoreStm *first, const CoreStm *second, const CoreName *array,
                     CoreReason reason)
{
    CoreFusion fusion = {.producer = first,
                         .consumer = second,
                         .array = array,
                         .rows = reason,
                         .beside = true,
                         .inner = f->level > 0};
    vec_push(f->c->arena, &f->log->log->left, fusion);
}

/* ---- done --------------------------------------------------------------------------------- */

/* What was left as two is a pair now (pairs.c, when the other steps are done). */
static void remove_left(CoreFusionLog *log, const CoreStm *producer, const CoreStm *consumer)
{
    size_t kept = 0;
    for (size_t i = 0; i < log->left.count; i++) {
        const CoreFusion *left = &log->left.items[i];
        if (!span_is_same(left->producer->span, producer->span) ||
            !span_is_same(left->consumer->span, consumer->span)) {
            log->left.items[kept++] = *left;
        }
    }
    log->left.count = kept;
}

/* The statement scans what this scan does, beside something else perhaps. */
static bool has_scan(const CoreStm *stm, const CoreStm *scan)
{
    bool found = false;
    for (size_t k = 0; stm->exp->kind == CORE_EXP_SOAC && k < stm->pattern_count; k++) {
        found = found || stm->pattern[k]->number == number_of(scan);
    }
    return found;
}

void fuse_log_parted(Fuse *f, const CoreStm *scan)
{
    if (!f->log) {
        return;
    }
    CoreFusionLog *log = f->log->log;
    size_t kept = 0;
    for (size_t i = 0; i < log->done.count; i++) {
        const CoreFusion old = log->done.items[i];
        CoreFusion pair = old;
        pair.producer =
            has_scan(old.producer, scan) ? fuse_without_scans(f, old.producer) : old.producer;
        pair.consumer =
            has_scan(old.consumer, scan) ? fuse_without_scans(f, old.consumer) : old.consumer;
        if (pair.producer && pair.consumer) {
            log->done.items[kept++] = pair;
        } else if (old.rule != CORE_RULE_FUSE_HORIZONTAL) { /* what the scan itself scans */
            log->done.items[kept++] = old;
        } else {
            fuse_log_beside(f, old.producer, old.consumer, scan->exp->as.soac.inputs[0].name,
                            CORE_REASON_ALONE);
        }
    }
    log->done.count = kept;
}

void fuse_log_done(Fuse *f, CoreRule rule, const CoreStm *producer, const CoreStm *consumer,
                   const CoreName *array)
{
    enum { MOST_LOOKED = 64 };
    if (!f->log) {
        return;
    }
    CoreFusionLog *log = f->log->log;
    if (rule == CORE_RULE_FUSE_PAIR) {
        remove_left(log, producer, consumer);
    }
    for (size_t i = log->done.count, k = 0; i-- > 0 && k < MOST_LOOKED; k++) {
        const CoreFusion *other = &log->done.items[i];
        if (other->rule == rule && number_of(other->producer) == number_of(producer) &&
            number_of(other->consumer) == number_of(consumer)) {
            return;
        }
    }
    CoreFusion fusion = {.producer = producer,
                         .consumer = consumer,
                         .array = array,
                         .rule = rule,
                         .inner = f->level > 0 && !f->consumer};
    vec_push(f->c->arena, &log->done, fusion);
}

/* ---- left --------------------------------------------------------------------------------- */

/* Statements that make arrays in a pass over memory. */
static bool is_maker(const CoreStm *stm)
{
    switch ((int)stm->exp->kind) { /* views, scalars and effects do not */
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
    case CORE_EXP_COPY:
    case CORE_EXP_LOOP: return true;
    }
    return false;
}

typedef struct Leaving {
    Fuse *f;
    const CoreStm *consumer;
    const CoreStm *view;       /* of the array that is looked at, on the way to the consumer */
    int level, steps;          /* of the consumer; names looked at */
    bool inner;                /* within the function of a SOAC */
    VEC(const CoreStm *) seen; /* producers of this consumer */
} Leaving;

static void look_at(void *context, CoreName *name);

static void look_at_atom(void *context, CoreAtom atom)
{
    if (atom.name) {
        look_at(context, atom.name);
    }
}

/* Why no reader computes elements of this array. */
static CoreReason why_stored(Fuse *f, const CoreStm *producer, const CoreName *array)
{
    switch ((int)producer->exp->kind) { /* makers */
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: return CORE_REASON_FILTER;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: return CORE_REASON_SCATTER;
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT: return CORE_REASON_SORTED;
    case CORE_EXP_LOOP: return CORE_REASON_LOOP;
    case CORE_EXP_COPY: {
        const CoreStm *view = fuse_definition(f, producer->exp->as.array);
        bool dear =
            producer->exp->space == CORE_GLOBAL && view && view->exp->kind == CORE_EXP_CYCLE;
        return dear ? CORE_REASON_STORED : CORE_REASON_COPIED;
    }
    case CORE_EXP_SOAC: break;
    default: return CORE_REASON_STREAM;
    }
    const CoreSoac *soac = &producer->exp->as.soac;
    size_t reduced = fuse_total_width(soac->reduction_count, soac->reductions);
    size_t scanned = fuse_total_width(soac->scan_count, soac->scans);
    size_t place = 0;
    while (producer->pattern[place] != array) {
        place++;
    }
    return place < reduced             ? CORE_REASON_REDUCTION
           : place < reduced + scanned ? CORE_REASON_SCAN
                                       : fuse_name(f, array)->uses.why;
}

static void look_at_results(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->result_count; i++) {
        look_at_atom(context, body->results[i]);
    }
}

/* What graph.c may make one with another. */
static bool is_row_by_row(const CoreStm *stm)
{
    return fuse_is_soac(stm) || fuse_is_stream(stm);
}

static CoreFusion pair_of(const Leaving *leaving, const CoreStm *producer, const CoreName *array)
{
    Fuse *f = leaving->f;
    const FuseName *name = fuse_name(f, array);
    CoreFusion fusion = {.producer = producer,
                         .consumer = leaving->consumer,
                         .array = array,
                         .rows = CORE_REASON_BODY,
                         .elements = why_stored(f, producer, array),
                         .cost = name->uses.cost,
                         .places = (unsigned)name->uses.times,
                         .inner = leaving->inner};
    if (fusion.elements == CORE_REASON_KEPT && leaving->view) {
        fusion.elements = CORE_REASON_VIEWED;
        fusion.between = leaving->view;
    } else if (fusion.elements == CORE_REASON_KEPT && fuse_is_map(producer) &&
               fuse_gathers(producer)) {
        fusion.elements = CORE_REASON_GATHERED;
    }
    if (!fuse_is_soac(producer) || !fuse_is_soac(leaving->consumer)) {
        fusion.rows = fuse_is_soac(producer) ? CORE_REASON_NONE : fusion.elements;
    }
    if (is_row_by_row(producer) && is_row_by_row(leaving->consumer) && f->log->slot_count > 0) {
        size_t slot = *slot_of(f->log, number_of(producer), number_of(leaving->consumer));
        if (slot > 0) {
            fusion.rows = f->log->verdicts.items[slot - 1].reason;
            fusion.between = f->log->verdicts.items[slot - 1].between;
        }
    }
    return fusion;
}

/* The producer of a name that the consumer uses, through views and scalars. */
static void look_at(void *context, CoreName *name)
{
    enum { MOST_STEPS = 400 };
    Leaving *leaving = context;
    Fuse *f = leaving->f;
    const CoreStm *stm = fuse_name(f, name)->stm;
    if (!stm || stm == leaving->consumer || leaving->steps++ > MOST_STEPS) {
        return;
    }
    if (stm->exp->kind == CORE_EXP_IF) { /* one of two arrays: both are looked at */
        core_each_body(stm->exp, look_at_results, leaving);
        return;
    }
    if (!is_maker(stm)) {
        bool is_plain = core_is_view(stm->exp->kind) || stm->exp->kind == CORE_EXP_ATOM ||
                        stm->exp->kind == CORE_EXP_UNARY || stm->exp->kind == CORE_EXP_BINARY ||
                        stm->exp->kind == CORE_EXP_CONVERT || stm->exp->kind == CORE_EXP_INDEX;
        const CoreStm *view = leaving->view;
        if (is_plain) {
            leaving->view = core_is_view(stm->exp->kind) ? stm : view;
            core_each_operand(stm->exp, look_at_atom, leaving);
            leaving->view = view;
        }
        return;
    }
    for (size_t i = 0; i < leaving->seen.count; i++) {
        if (leaving->seen.items[i] == stm) {
            return;
        }
    }
    vec_push(f->c->arena, &leaving->seen, stm);
    CoreFusion fusion = pair_of(leaving, stm, name);
    if (!leaving->inner || fuse_name(f, name)->level == leaving->level) {
        vec_push(f->c->arena, &f->log->log->left, fusion);
    }
}

typedef struct LeavingBody {
    Fuse *f;
    int level;
    bool inner;
} LeavingBody;

static void leave_body(void *context, const CoreBody *body)
{
    const LeavingBody *outer = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        CoreExpKind kind = stm->exp->kind;
        bool consumes = is_maker(stm) && kind != CORE_EXP_LOOP && kind != CORE_EXP_COPY;
        if (consumes) {
            Leaving leaving = {
                .f = outer->f, .consumer = stm, .level = outer->level, .inner = outer->inner};
            core_each_free(stm, look_at, &leaving);
        }
        LeavingBody inner = {outer->f, outer->level + (kind != CORE_EXP_IF),
                             outer->inner || consumes};
        core_each_body(stm->exp, leave_body, &inner);
    }
}

void fuse_log_left(Fuse *f, const CoreFunction *function)
{
    if (f->log) {
        LeavingBody body = {f, 0, false};
        leave_body(&body, function->body);
    }
}
