/* Who has touched which element, and whether that was in order.

   Two accesses to one element, of which one is a write, are in order where

   - one work-item makes both;
   - work-items of one group make them, and a barrier stands between (another phase);
   - groups make them, and the later one has learnt by ARRIVE that the earlier one had come there,
     or by AWAIT that its work-item had published, after the access;
   - all groups have met between them;
   - both are atomic, or both belong to a scatter, whose contract is that any of the rows stays.

   An address of which only a part is known (data say the rest) is compared with addresses of the
   same known part where that part is the work-item's own: a row of an array, say, in which data
   choose the element; core's checks see to it that data stay within the row. Where no part is the
   work-item's own the element may be any: it is compared with all accesses to the buffer. g + at,
   with g the iteration's number, is no own row: the next element is another iteration's. */
#include "backend/race/race.h"

/* Addresses that stand for all of a buffer: of every access, and of those that may be anywhere. */
#define EVERY INT64_MIN
#define ANYWHERE (INT64_MIN + 1)

void race_begin_trial(RaceShadow *shadow)
{
    shadow->trial++;
    shadow->count = 0;
}

static size_t slot_of(const RaceShadow *shadow, unsigned buffer, int64_t address, bool rough)
{
    uint64_t key = ((uint64_t)address * 2 + rough) * 0x9E3779B97F4A7C15u ^
                   (uint64_t)buffer * 0xC2B2AE3D27D4EB4Fu;
    size_t slot = (size_t)(key >> 20) & (shadow->capacity - 1);
    while (shadow->cells[slot].trial == shadow->trial &&
           (shadow->cells[slot].buffer != buffer || shadow->cells[slot].address != address ||
            shadow->cells[slot].rough != rough)) {
        slot = (slot + 1) & (shadow->capacity - 1);
    }
    return slot;
}

static void grow(RaceShadow *shadow)
{
    RaceCell *old = shadow->cells;
    size_t capacity = shadow->capacity;
    shadow->capacity = capacity > 0 ? 2 * capacity : 1 << 10;
    shadow->cells = ARENA_ARRAY(shadow->c->arena, RaceCell, shadow->capacity);
    for (size_t i = 0; i < capacity; i++) {
        if (old[i].trial == shadow->trial) {
            shadow->cells[slot_of(shadow, old[i].buffer, old[i].address, old[i].rough)] = old[i];
        }
    }
}

static RaceCell *cell_of(RaceShadow *shadow, unsigned buffer, int64_t address, bool rough)
{
    if (2 * (shadow->count + 1) > shadow->capacity) {
        grow(shadow);
    }
    RaceCell *cell = &shadow->cells[slot_of(shadow, buffer, address, rough)];
    if (cell->trial != shadow->trial) {
        shadow->count++;
        *cell = (RaceCell){
            .trial = shadow->trial, .buffer = buffer, .address = address, .rough = rough};
    }
    return cell;
}

static bool is_ordered(const RaceMark *old, const RaceMark *now, bool is_local)
{
    if (!old->command || (old->kind == RACE_READ && now->kind == RACE_READ) ||
        (old->kind == RACE_ATOMIC && now->kind == RACE_ATOMIC) ||
        (old->kind == RACE_SCATTER && now->kind == RACE_SCATTER)) {
        return true;
    }
    if (old->meetings != now->meetings) {
        return true;
    }
    if (old->group != now->group) {
        return is_local || (now->sees && old->stage == 0);
    }
    return (old->item == now->item && old->item >= 0) || old->phase != now->phase;
}

static bool is_in_order(const RaceCell *cell, const RaceMark *now, bool is_local, RaceMark *other)
{
    const RaceMark *marks[] = {&cell->write, &cell->atomic, &cell->reads[0], &cell->reads[1]};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!is_ordered(marks[i], now, is_local)) {
            *other = *marks[i];
            return false;
        }
    }
    return true;
}

/* Of reads two are kept, by different work-items: one of them is another's than any writer. */
static void note(RaceCell *cell, const RaceMark *now)
{
    switch (now->kind) {
    case RACE_WRITE:
    case RACE_SCATTER: cell->write = *now; return;
    case RACE_ATOMIC: cell->atomic = *now; return;
    case RACE_READ:
        if (cell->reads[0].group != now->group || cell->reads[0].item != now->item) {
            cell->reads[1] = cell->reads[0];
        }
        cell->reads[0] = *now;
        return;
    }
}

/* Data that choose among elements `step` apart reach beyond an own part that is no longer. */
static bool is_apart(RaceShadow *shadow, unsigned buffer, bool is_local, RaceValue index,
                     const RaceMark *now, RaceMark *other)
{
    for (int side = -1; side <= 1 && shadow->strict && !index.known; side += 2) {
        int64_t address = index.v + side * index.step;
        const RaceCell *cell = &shadow->cells[slot_of(shadow, buffer, address, true)];
        if (cell->trial == shadow->trial && !is_in_order(cell, now, is_local, other)) {
            return false;
        }
    }
    return true;
}

bool race_touch(RaceShadow *shadow, unsigned buffer, bool is_local, RaceValue index, RaceMark now,
                RaceMark *other)
{
    bool anywhere = !index.known && !index.own;
    bool every_item = now.item < 0 && now.kind != RACE_READ && now.kind != RACE_ATOMIC;
    *other = now;
    RaceCell *every = cell_of(shadow, buffer, EVERY, false);
    if (every_item || (anywhere && !is_in_order(every, &now, is_local, other))) {
        return false;
    }
    note(every, &now);
    RaceCell *cell = cell_of(shadow, buffer, ANYWHERE, false);
    if (!is_in_order(cell, &now, is_local, other)) {
        return false;
    }
    if (!anywhere) {
        cell = cell_of(shadow, buffer, index.v, !index.known);
        if (!is_in_order(cell, &now, is_local, other) ||
            !is_apart(shadow, buffer, is_local, index, &now, other)) {
            return false;
        }
    }
    note(cell, &now);
    return true;
}
