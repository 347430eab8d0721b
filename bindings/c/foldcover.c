/* The rule on the levels of the ruler.
 *
 * Every block lies on the level of its size. A level lists, oldest first, those of its blocks that say something:
 * lines, and Splits whose own line is written. What the ruler says by itself is stored nowhere: a Split whose line is
 * missing is known by what lies under it, and the trees are the binary digits of n.
 *
 *     close    appends a leaf to level 0; there is nothing to carry
 *     write    puts the Split among those of its level
 *     settle   smallest first: goes up level by level, a written Split over two lines becomes a line, and the two go;
 *              by age_over_size each Split has one turn; in the caller's order the ready pairs wait in a heap
 *     wanted   does the same on a copy in which the missing Splits are filled in, with weight 0
 *
 * All levels share one array, each with room behind it. Where that is full, all are laid out anew.
 */
#include "foldcover.h"

#define NONE SIZE_MAX
#define LEVELS 49        /* sizes 2^0 up to 2^48 */
#define CALLERS_OWN 2u   /* the rank of fc_settle_by and fc_wanted_by */
#define FIRST_ROOM ((size_t)128)
#define LIGHT ((int64_t)1 << 30)
#define CALM ((int64_t)1 << 61)

/* What is called all the time is compiled in place, and what is called rarely is not. */
#ifdef __GNUC__
#define OFTEN __attribute__((always_inline)) inline
#define RARE __attribute__((noinline))
#else
#define OFTEN inline
#define RARE
#endif

/* What is said of a block. The first two are lines; a Split whose line is MISSING is listed in copies only. */
enum { LEAF, MERGED, WRITTEN, MISSING, KINDS };

/* A listed block: the weight of its line, and start * KINDS + kind. */
typedef struct {
    int64_t weight;
    uint64_t mark;
} entry;

/* Where a level is in the array: entries from `first` to before `end`, room to before `stop`; none before `open` is
 * WRITTEN. */
typedef struct {
    size_t first;
    size_t open;
    size_t end;
    size_t stop;
} level;

/* A rank: one of the named ones, or the caller's. */
typedef struct {
    uint32_t name;
    fc_before before;
    void *context;
} order;

struct fc_view {
    fc_allocator memory;
    entry *entries;   /* `room` for the levels, and twice as many for a copy with all Splits */
    fc_block *blocks; /* `room` for the answer, and as many for a heap */
    size_t room;
    size_t answered; /* how many of the blocks are the last answer */
    int64_t units;
    int64_t hidden; /* units less lines */
    int64_t weight; /* of the shown lines */
    int64_t left;   /* by how much the absolute weights of all lines, shown and written, may still grow: what keeps
                     * every sum within 64 bits */
    int perhaps;    /* 0 if no pair is ready for certain */
    level levels[LEVELS];
};

/* ---- what the proof takes for granted, and what it keeps ---- */

/* The books of the caller's allocator: what it has handed out and not got back. */
//@ ghost int books;

/*@ axiomatic Books {
      predicate held(void *block, integer bytes) reads books;
    }

    // Memory for any object: whatever the type, as many as fit.
    predicate room_in(void *block, integer bytes) =
      (bytes == sizeof(fc_view) ==> \valid((fc_view *)block))
      && (bytes % sizeof(entry) == 0 ==> \valid((entry *)block + (0 .. bytes / sizeof(entry) - 1)))
      && (bytes % sizeof(fc_block) == 0 ==> \valid((fc_block *)block + (0 .. bytes / sizeof(fc_block) - 1)));

    predicate owned(void *block, integer bytes) = block == \null || held(block, bytes);
*/

#ifdef __FRAMAC__
/* It comes back, always. */
#define total terminates \true; exits \false

#define elsewhere(one, other) (\base_addr(one) != \base_addr(other))
#define apart(one, other) ((one) == \null || (other) == \null || elsewhere(one, other))

/* Any caller's functions, as the header wants them. Nobody defines these: what they are said to do here is all that
 * the proof assumes. */

/*@ total;
    assigns books;
    ensures \forall void *block, integer size; held{Old}(block, size) ==> held(block, size);
    ensures \result != \null ==> held(\result, bytes) && room_in(\result, bytes);
    ensures \result != \null ==>
      \forall void *block, integer size; held{Old}(block, size) ==> \base_addr(block) != \base_addr(\result);
*/
void *callers_allocate(void *context, size_t bytes);

/*@ requires held(memory, bytes);
    total;
    assigns books;
    ensures \forall void *block, integer size; block != memory && held{Old}(block, size) ==> held(block, size);
*/
void callers_release(void *context, void *memory, size_t bytes);

/*@ total;
    assigns \nothing; */
int callers_before(void *context, fc_block one, fc_block other, int64_t units);
#endif

// The predicates that a view's memory must fulfil speak of pointers and lengths, not of where these are kept: so they
// hold on as long as the values stay.
/*@ predicate both_valid(entry *entries, fc_block *blocks, integer room) =
      room <= FC_MOST_NODES && (entries == \null || blocks == \null ==> room == 0)
      && \valid(entries + (0 .. 3 * room - 1)) && \valid(blocks + (0 .. 2 * room - 1));

    predicate both_owned(entry *entries, fc_block *blocks, integer room) =
      owned(entries, 3 * room * sizeof(entry)) && owned(blocks, 2 * room * sizeof(fc_block));

    predicate both_apart(fc_view *view, entry *entries, fc_block *blocks) =
      elsewhere(view, entries) && elsewhere(view, blocks) && apart(entries, blocks);

    predicate sums(integer hidden, integer units, integer weight, integer left) =
      0 <= hidden <= units <= FC_MOST_UNITS && 0 <= left <= INT64_MAX
      && left - INT64_MAX <= weight <= INT64_MAX - left;

    predicate level_in(level *in, integer room) = in->first <= in->open <= in->end <= in->stop <= room;

    predicate levels_in(level *levels, integer room) =
      \forall integer on; 0 <= on < LEVELS ==> level_in(levels + on, room);
*/

#ifdef __FRAMAC__
/* What is said of a view, as macros: so it speaks of the values of its fields and holds on by itself as long as these
 * stay what they are. */
#define callers_memory(memory) \
    ((memory)->allocate == &callers_allocate && (memory)->release == &callers_release)
#define arrays_valid(view) both_valid((view)->entries, (view)->blocks, (view)->room)
#define arrays_owned(view) both_owned((view)->entries, (view)->blocks, (view)->room)
#define arrays_apart(view) both_apart(view, (view)->entries, (view)->blocks)

/* The memory of a view, each piece its own and its bounds known. */
#define has_memory(view) \
    (\valid(view) && held(view, sizeof(fc_view)) && callers_memory(&(view)->memory) && arrays_valid(view) \
     && arrays_owned(view) && arrays_apart(view))
#define in_bounds(view) \
    ((view)->answered <= (view)->room && sums((view)->hidden, (view)->units, (view)->weight, (view)->left))

/* There is no room for more leaves than there may be units. */
#define leaves_bounded(view) \
    ((view)->levels[0].stop - (view)->levels[0].end <= FC_MOST_UNITS - (view)->units)

/* What every function finds and leaves. Nothing is said of what the entries hold. */
#define valid_view(view) \
    (has_memory(view) && in_bounds(view) && levels_in(&(view)->levels[0], (view)->room) && leaves_bounded(view))

#define same(field, Before, After) \at(field, Before) == \at(field, After)
#define same_measures(view, Before, After) \
    (same((view)->units, Before, After) && same((view)->hidden, Before, After) && same((view)->weight, Before, After) \
     && same((view)->left, Before, After))
#define same_memory(view, Before, After) \
    (same((view)->memory.allocate, Before, After) && same((view)->memory.release, Before, After) \
     && same((view)->entries, Before, After) && same((view)->blocks, Before, After) \
     && same((view)->room, Before, After))

#define valid_order(by) \
    ((by).name < CALLERS_OWN || ((by).name == CALLERS_OWN && (by).before == &callers_before))
#endif

/* ---- entries ---- */

/* The mark without the kind: it grows as the start does. */
/*@ requires \valid_read(from);
    total;
    assigns \nothing;
    ensures \result == from->mark - from->mark % KINDS; */
static OFTEN uint64_t base_of(const entry *from) { return from->mark - from->mark % KINDS; }

/*@ requires \valid_read(from);
    total;
    assigns \nothing;
    ensures 0 <= \result <= INT64_MAX / 2 && \result == from->mark / KINDS; */
static OFTEN int64_t start_of(const entry *from) { return (int64_t)(from->mark / KINDS); }

/*@ requires \valid_read(what);
    total;
    assigns \nothing; */
static OFTEN int is_line(const entry *what) { return what->mark % KINDS < WRITTEN; }

/* What is left of `left` with a line of this weight more; negative if that is too much. */
/*@ requires 0 <= left;
    total;
    assigns \nothing;
    ensures \result == left - \abs(weight); */
static OFTEN int64_t spend(int64_t left, int64_t weight) { return weight < 0 ? left + weight : left - weight; }

/* ---- memory ---- */

/*@ requires \valid_read(memory) && callers_memory(memory) && size > 0;
    total;
    assigns books;
    ensures \forall void *block, integer bytes; held{Old}(block, bytes) ==> held(block, bytes);
    ensures \result != \null ==> held(\result, count * size) && room_in(\result, count * size);
    ensures \result != \null ==>
      \forall void *block, integer bytes; held{Old}(block, bytes) ==> \base_addr(block) != \base_addr(\result); */
static void *allocate(const fc_allocator *memory, size_t count, size_t size) {
    if (count > SIZE_MAX / size) return NULL;
    //@ assert count * size <= SIZE_MAX;
    //@ calls callers_allocate;
    return memory->allocate(memory->context, count * size);
}

/*@ requires \valid_read(memory) && callers_memory(memory) && count <= 3 * FC_MOST_NODES;
    total;
    assigns books;
    ensures \forall void *block, integer bytes; held{Old}(block, bytes) ==> held(block, bytes);
    ensures \result != \null ==> held(\result, count * sizeof(entry)) && \valid(\result + (0 .. count - 1));
    ensures \result != \null ==>
      \forall void *block, integer bytes; held{Old}(block, bytes) ==> \base_addr(block) != \base_addr(\result); */
static entry *allocate_entries(const fc_allocator *memory, size_t count) {
    return allocate(memory, count, sizeof(entry));
}

/*@ requires \valid_read(memory) && callers_memory(memory) && count <= 3 * FC_MOST_NODES;
    total;
    assigns books;
    ensures \forall void *block, integer bytes; held{Old}(block, bytes) ==> held(block, bytes);
    ensures \result != \null ==> held(\result, count * sizeof(fc_block)) && \valid(\result + (0 .. count - 1));
    ensures \result != \null ==>
      \forall void *block, integer bytes; held{Old}(block, bytes) ==> \base_addr(block) != \base_addr(\result); */
static fc_block *allocate_blocks(const fc_allocator *memory, size_t count) {
    return allocate(memory, count, sizeof(fc_block));
}

/*@ requires \valid_read(memory) && callers_memory(memory) && count * size <= SIZE_MAX;
    requires owned(block, count * size);
    total;
    assigns books;
    ensures \forall void *other, integer bytes; other != block && held{Old}(other, bytes) ==> held(other, bytes); */
static void release(const fc_allocator *memory, void *block, size_t count, size_t size) {
    //@ calls callers_release;
    if (block != NULL) memory->release(memory->context, block, count * size);
}

/*@ requires \valid_read(memory) && callers_memory(memory) && room <= FC_MOST_NODES;
    requires both_owned(entries, blocks, room) && apart(entries, blocks);
    total;
    assigns books;
    ensures \forall void *other, integer bytes; other != entries && other != blocks && held{Old}(other, bytes)
      ==> held(other, bytes); */
static void release_both(const fc_allocator *memory, entry *entries, fc_block *blocks, size_t room) {
    release(memory, entries, 3 * room, sizeof(entry));
    release(memory, blocks, 2 * room, sizeof(fc_block));
}

/* The room to make for so many entries: a power of two, and twice what they need at least. 0 if that is too much. */
/*@ total;
    assigns \nothing;
    ensures \result == 0 || (2 * (count + LEVELS) <= \result <= FC_MOST_NODES && FIRST_ROOM <= \result); */
static size_t room_for(size_t count) {
    size_t room = FC_MOST_NODES;
    if (count > FC_MOST_NODES / 2 - LEVELS) return 0;
    /*@ loop invariant 2 * (count + LEVELS) <= room && FIRST_ROOM <= room <= FC_MOST_NODES;
        loop assigns room;
        loop variant room; */
    while (room >= 2 * FIRST_ROOM && room / 2 >= 2 * (count + LEVELS)) room /= 2;
    return room;
}

/* The entries of all levels. */
/*@ requires \valid_read(levels + (0 .. LEVELS - 1)) && levels_in(levels, FC_MOST_NODES);
    total;
    assigns \nothing;
    ensures \result <= LEVELS * FC_MOST_NODES; */
static size_t count_entries(const level *levels) {
    size_t count = 0;
    /*@ loop invariant 0 <= on <= LEVELS && count <= on * FC_MOST_NODES;
        loop assigns on, count;
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) {
        //@ assert level_in(levels + on, FC_MOST_NODES);
        count += levels[on].end - levels[on].first;
    }
    return count;
}

/*@ requires \valid(to + (0 .. count - 1)) && \valid_read(from + (0 .. count - 1));
    total;
    assigns to[0 .. count - 1]; */
static void copy(entry *to, const entry *from, size_t count) {
    /*@ loop invariant 0 <= at <= count;
        loop assigns at, to[0 .. count - 1];
        loop variant count - at; */
    for (size_t at = 0; at < count; at++) to[at] = from[at];
}

/*@ total;
    assigns \nothing;
    ensures \result <= one && \result <= other && (\result == one || \result == other); */
static size_t least(size_t one, size_t other) { return one < other ? one : other; }

/* Put the entries of all levels one behind the other. */
/*@ requires \valid_read(levels + (0 .. LEVELS - 1)) && levels_in(levels, FC_MOST_NODES);
    requires \forall integer on; 0 <= on < LEVELS ==> \valid_read(entries + (0 .. levels[on].end - 1));
    requires most <= 2 * FC_MOST_NODES && \valid(to + (0 .. most - 1));
    requires \separated(to + (0 .. most - 1), levels + (0 .. LEVELS - 1));
    total;
    assigns to[0 .. most - 1]; */
static void pack(entry *to, size_t most, const entry *entries, const level *levels) {
    size_t end = 0;
    /*@ loop invariant 0 <= on <= LEVELS && end <= most;
        loop assigns on, end, to[0 .. most - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) {
        //@ assert level_in(levels + on, FC_MOST_NODES);
        const size_t first = levels[on].first, here = least(levels[on].end - first, most - end);
        copy(to + end, entries + first, here);
        end += here;
    }
}

/* The other way round. */
/*@ requires \valid_read(levels + (0 .. LEVELS - 1)) && levels_in(levels, room) && room <= FC_MOST_NODES;
    requires \valid(entries + (0 .. room - 1)) && \separated(entries + (0 .. room - 1), levels + (0 .. LEVELS - 1));
    requires most <= 2 * FC_MOST_NODES && \valid_read(from + (0 .. most - 1));
    total;
    assigns entries[0 .. room - 1]; */
static void unpack(entry *entries, const level *levels, const entry *from,
                   size_t most) /*@ ghost (size_t room) */ {
    size_t end = 0;
    /*@ loop invariant 0 <= on <= LEVELS && end <= most;
        loop assigns on, end, entries[0 .. room - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) {
        //@ assert level_in(levels + on, room);
        const size_t first = levels[on].first, here = least(levels[on].end - first, most - end);
        copy(entries + first, from + end, here);
        end += here;
    }
}

/* Where the levels go in an array of this room, with `count` entries as they have now: behind each is room for one
 * more and for half as many more; what is over is shared as the ruler fills it, half of it for level 0. */
/*@ requires \valid(levels + (0 .. LEVELS - 1)) && levels_in(levels, FC_MOST_NODES);
    requires 2 * (count + LEVELS) <= room <= FC_MOST_NODES;
    total;
    assigns levels[0 .. LEVELS - 1];
    ensures levels_in(levels, room);
    ensures \forall integer on; 0 <= on < LEVELS ==> levels[on].end < levels[on].stop; */
static void lay_out(level *levels, size_t count, size_t room) {
    size_t first = 0, spare = room - count - count / 2 - LEVELS;
    /*@ loop invariant 0 <= on <= LEVELS && first + count + count / 2 + (LEVELS - on) + spare <= room;
        loop invariant \forall integer i; 0 <= i < on ==> level_in(levels + i, room);
        loop invariant \forall integer i; 0 <= i < on ==> levels[i].end < levels[i].stop;
        loop invariant \forall integer i; on <= i < LEVELS ==> level_in(levels + i, FC_MOST_NODES);
        loop assigns on, first, count, spare, levels[0 .. LEVELS - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) {
        level *now = &levels[on];
        //@ assert level_in(levels + on, FC_MOST_NODES);
        const size_t here = least(now->end - now->first, count);
        const size_t share = spare / 2;
        now->first = first;
        now->open = first;
        now->end = first + here;
        now->stop = first + here + here / 2 + 1 + share;
        first = now->stop;
        count -= here;
        spare -= share;
    }
}

/* No more room for leaves than there may be units. */
/*@ requires has_memory(view) && in_bounds(view) && levels_in(&view->levels[0], view->room);
    total;
    assigns view->levels[0].stop;
    ensures valid_view(view);
    ensures view->levels[0].stop <= \old(view->levels[0].stop);
    ensures \old(view->levels[0].end < view->levels[0].stop) && view->units < FC_MOST_UNITS
      ==> view->levels[0].end < view->levels[0].stop; */
static void bound_leaves(fc_view *view) {
    level *leaves = &view->levels[0];
    const uint64_t room = (uint64_t)(FC_MOST_UNITS - view->units);
    //@ assert level_in(&view->levels[0], view->room);
    if (leaves->stop - leaves->end > room) leaves->stop = leaves->end + room;
    //@ assert \forall integer on; 1 <= on < LEVELS ==> level_in(&view->levels[on], view->room);
}

/*@ requires \valid(view) && held(view, sizeof(fc_view)) && callers_memory(&view->memory);
    requires view->room <= room && both_valid(entries, blocks, room) && both_owned(entries, blocks, room);
    requires both_apart(view, entries, blocks);
    requires in_bounds(view) && levels_in(&view->levels[0], view->room) && leaves_bounded(view);
    total;
    assigns view->entries, view->blocks, view->room;
    ensures valid_view(view) && view->room == room && view->entries == entries && view->blocks == blocks; */
static void set_arrays(fc_view *view, entry *entries, fc_block *blocks, size_t room) {
    view->entries = entries;
    view->blocks = blocks;
    view->room = room;
}

/* Larger arrays; what the levels list is put into the copy there. */
/*@ requires valid_view(view) && view->room <= room <= FC_MOST_NODES;
    total;
    assigns books, view->entries, view->blocks, view->room,
      \at(view->entries, Post)[0 .. 3 * \at(view->room, Post) - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_NO_MEMORY;
    ensures \result == FC_OK ==> view->room == room;
    ensures \result != FC_OK ==> same_memory(view, Pre, Here); */
static int grow(fc_view *view, size_t room) {
    entry *entries = allocate_entries(&view->memory, 3 * room);
    fc_block *blocks = allocate_blocks(&view->memory, 2 * room);
    //@ assert held(view, sizeof(fc_view)) && arrays_owned(view);
    /*@ assert entries == \null
          || (elsewhere(view, entries) && apart(entries, view->entries) && apart(entries, view->blocks)); */
    /*@ assert blocks == \null
          || (elsewhere(view, blocks) && apart(blocks, view->entries) && apart(blocks, view->blocks)); */
    //@ assert apart(entries, blocks);
    if (entries == NULL || blocks == NULL) {
        release_both(&view->memory, entries, blocks, room);
        //@ assert held(view, sizeof(fc_view));
        //@ assert arrays_owned(view);
        return FC_NO_MEMORY;
    }
    if (view->room > 0) pack(entries + room, 2 * room, view->entries, &view->levels[0]);
    release_both(&view->memory, view->entries, view->blocks, view->room);
    //@ assert held(view, sizeof(fc_view));
    //@ assert both_owned(entries, blocks, room);
    set_arrays(view, entries, blocks, room);
    return FC_OK;
}

/* Lay out all levels anew, with room for one more entry on each. */
/*@ requires valid_view(view);
    total;
    assigns books, view->entries, view->blocks, view->room, view->levels[0 .. LEVELS - 1],
      \at(view->entries, Post)[0 .. 3 * \at(view->room, Post) - 1];
    ensures valid_view(view) && same_measures(view, Pre, Here);
    ensures \result == FC_OK || \result == FC_NO_MEMORY;
    ensures \result == FC_OK ==>
      \forall integer on; 1 <= on < LEVELS ==> view->levels[on].end < view->levels[on].stop;
    ensures \result == FC_OK && view->units < FC_MOST_UNITS ==> view->levels[0].end < view->levels[0].stop; */
static int spread(fc_view *view) {
    const size_t count = count_entries(&view->levels[0]), room = room_for(count);
    if (room == 0) return FC_NO_MEMORY;
    if (room > view->room) {
        int status = grow(view, room);
        if (status != FC_OK) return status;
    } else {
        pack(view->entries + view->room, 2 * view->room, view->entries, &view->levels[0]);
    }
    lay_out(&view->levels[0], count, view->room);
    unpack(view->entries, &view->levels[0], view->entries + view->room, 2 * view->room) /*@ ghost (view->room) */;
    bound_leaves(view);
    return FC_OK;
}

/*@ requires \valid(view) && levels_in(&view->levels[0], FC_MOST_NODES);
    total;
    assigns view->answered, view->units, view->hidden, view->weight, view->left, view->perhaps,
      view->levels[0 .. LEVELS - 1];
    ensures view->answered == 0 && view->units == 0 && view->hidden == 0 && view->weight == 0
      && view->left == INT64_MAX;
    ensures \forall integer on; 0 <= on < LEVELS ==>
      view->levels[on].first == \old(view->levels[on].first) && view->levels[on].stop == \old(view->levels[on].stop)
      && view->levels[on].end == view->levels[on].first && view->levels[on].open == view->levels[on].first;
    ensures leaves_bounded(view);
    ensures \old(valid_view(view)) ==> valid_view(view); */
void fc_reset(fc_view *view) {
    /*@ loop invariant 0 <= on <= LEVELS;
        loop invariant \forall integer i; 0 <= i < LEVELS ==> view->levels[i].first == \at(view->levels[i].first, Pre)
          && view->levels[i].stop == \at(view->levels[i].stop, Pre);
        loop invariant \forall integer i; 0 <= i < on ==>
          view->levels[i].open == view->levels[i].first && view->levels[i].end == view->levels[i].first;
        loop assigns on, view->levels[0 .. LEVELS - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) {
        view->levels[on].open = view->levels[on].first;
        view->levels[on].end = view->levels[on].first;
    }
    //@ assert \forall integer on; 0 <= on < LEVELS ==> level_in(&view->levels[on], view->levels[on].stop);
    view->answered = 0;
    view->units = 0;
    view->hidden = 0;
    view->weight = 0;
    view->left = INT64_MAX;
    view->perhaps = 0;
}

/*@ requires memory == \null || (\valid_read(memory)
      && (memory->allocate == \null || memory->allocate == &callers_allocate)
      && (memory->release == \null || memory->release == &callers_release));
    total;
    assigns books, *\result;
    ensures \result == \null || valid_view(\result); */
fc_view *fc_open(const fc_allocator *memory) {
    if (memory == NULL || memory->allocate == NULL || memory->release == NULL) return NULL;
    fc_view *view = allocate(memory, 1, sizeof *view);
    if (view == NULL) return NULL;
    view->memory = *memory;
    view->entries = NULL;
    view->blocks = NULL;
    view->room = 0;
    /*@ loop invariant 0 <= on <= LEVELS && \forall integer i; 0 <= i < on ==> level_in(&view->levels[i], 0);
        loop assigns on, view->levels[0 .. LEVELS - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) {
        level *now = &view->levels[on];
        now->first = now->open = now->end = now->stop = 0;
    }
    fc_reset(view);
    return view;
}

/*@ requires view == \null || valid_view(view);
    total;
    assigns books, *view; */
void fc_free(fc_view *view) {
    if (view == NULL) return;
    release_both(&view->memory, view->entries, view->blocks, view->room);
    release(&view->memory, view, 1, sizeof *view); /* nothing of the view is read after the caller has it back */
}

/* ---- measures ---- */

/*@ total;
    assigns \nothing;
    ensures \result == FC_ABI; */
uint32_t fc_abi(void) { return FC_ABI; }

/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result == view->units; */
int64_t fc_units(const fc_view *view) { return view->units; }

/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result == view->units - view->hidden; */
int64_t fc_lines(const fc_view *view) { return view->units - view->hidden; }

/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result == view->weight; */
int64_t fc_weight(const fc_view *view) { return view->weight; }

/* The trees of a view of so many units: its binary digits that are one. */
/*@ requires 0 <= units;
    total;
    assigns \nothing;
    ensures 0 <= \result <= units; */
static int64_t trees_of(int64_t units) {
    int64_t trees = 0;
    /*@ loop invariant 0 <= trees && 0 <= units && trees + units <= \at(units, Pre);
        loop assigns trees, units;
        loop variant units; */
    for (; units > 0; units /= 2) trees += units % 2;
    return trees;
}

/* A tree with m lines has m - 1 Splits. */
/*@ requires valid_view(view);
    total;
    assigns \nothing; */
size_t fc_nodes(const fc_view *view) {
    const int64_t lines = fc_lines(view), trees = trees_of(view->units);
    return (size_t)(lines < trees ? lines : lines + lines - trees);
}

/*@ requires valid_view(view) && \valid(blocks) && \separated(view, blocks);
    total;
    assigns *blocks;
    ensures valid_view(view) && \result == view->answered && *blocks == view->blocks;
    ensures \valid_read(*blocks + (0 .. \result - 1)); */
size_t fc_blocks(const fc_view *view, const fc_block **blocks) {
    *blocks = view->blocks;
    return view->answered;
}

/* ---- close ---- */

/* Append a leaf, for which there is room. */
/*@ requires valid_view(view) && view->levels[0].end < view->levels[0].stop;
    requires 0 <= left && left == view->left - \abs(weight);
    total;
    assigns view->entries[view->levels[0].end], view->levels[0].end, view->units, view->weight, view->left;
    ensures valid_view(view);
    ensures view->units == \old(view->units) + 1 && view->weight == \old(view->weight) + weight;
    ensures view->levels[0].end == \old(view->levels[0].end) + 1;
    ensures view->entries[\old(view->levels[0].end)].weight == weight
      && view->entries[\old(view->levels[0].end)].mark == \old(view->units) * KINDS + LEAF; */
static OFTEN void append(fc_view *view, int64_t weight, int64_t left) {
    const size_t end = view->levels[0].end;
    //@ assert level_in(&view->levels[0], view->room);
    view->entries[end].weight = weight;
    view->entries[end].mark = (uint64_t)view->units * KINDS + LEAF;
    view->levels[0].end = end + 1;
    view->units += 1;
    view->weight += weight;
    view->left = left;
    //@ assert \forall integer on; 1 <= on < LEVELS ==> level_in(&view->levels[on], view->room);
}

/* Where there is no room, or the weight is negative or too much. */
/*@ requires valid_view(view);
    total;
    assigns books, *view, \at(view->entries, Post)[0 .. 3 * \at(view->room, Post) - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_NO_MEMORY || \result == FC_OVERFLOW;
    ensures \result == FC_OK ==> view->units == \old(view->units) + 1 && view->hidden == \old(view->hidden)
      && view->weight == \old(view->weight) + weight;
    ensures \result != FC_OK ==> same_measures(view, Pre, Here); */
static RARE int close_slowly(fc_view *view, int64_t weight) {
    const int64_t rest = spend(view->left, weight);
    if (rest < 0 || view->units >= FC_MOST_UNITS) return FC_OVERFLOW;
    if (view->levels[0].end >= view->levels[0].stop) {
        int status = spread(view);
        if (status != FC_OK) return status;
    }
    append(view, weight, rest);
    return FC_OK;
}

/*@ requires valid_view(view);
    total;
    assigns books, *view, \at(view->entries, Post)[0 .. 3 * \at(view->room, Post) - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_NO_MEMORY || \result == FC_OVERFLOW;
    ensures \result == FC_OK ==> view->units == \old(view->units) + 1 && view->hidden == \old(view->hidden)
      && view->weight == \old(view->weight) + weight;
    ensures \result != FC_OK ==> same_measures(view, Pre, Here); */
int fc_close(fc_view *view, int64_t weight) {
    const int64_t left = weight < 0 ? -1 : view->left - weight; /* so one comparison serves both */
    if (left < 0 || view->levels[0].end >= view->levels[0].stop) return close_slowly(view, weight);
    append(view, weight, left);
    return FC_OK;
}

/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result <= view->levels[0].stop - view->levels[0].end && \result * (INT32_MAX + 1) <= view->left; */
size_t fc_ready(const fc_view *view) {
    const size_t room = view->levels[0].stop - view->levels[0].end;
    const uint64_t closes = (uint64_t)view->left / ((uint64_t)INT32_MAX + 1);
    return closes < room ? (size_t)closes : room;
}

/*@ requires valid_view(view) && \valid_read(weights + (0 .. count - 1));
    requires \separated(weights + (0 .. count - 1), view, view->entries + (0 .. 3 * view->room - 1));
    total;
    assigns view->entries[view->levels[0].end .. view->levels[0].stop - 1], view->levels[0].end, view->units,
      view->weight, view->left;
    ensures valid_view(view) && \result <= count;
    ensures view->units == \old(view->units) + \result && view->levels[0].end == \old(view->levels[0].end) + \result;
    ensures \result < count ==> view->levels[0].end == view->levels[0].stop || \abs(weights[\result]) > view->left; */
size_t fc_close_all(fc_view *view, const int32_t *weights, size_t count) {
    const size_t end = view->levels[0].end, most = least(count, view->levels[0].stop - end);
    entry *const entries = view->entries;
    const uint64_t mark = (uint64_t)view->units * KINDS + LEAF;
    int64_t left = view->left, weight = view->weight;
    size_t closed = 0;
    //@ assert level_in(&view->levels[0], view->room);
    /*@ loop invariant closed <= most && 0 <= left;
        loop invariant left - INT64_MAX <= weight <= INT64_MAX - left;
        loop assigns closed, left, weight, entries[end .. end + most - 1];
        loop variant most - closed; */
    while (closed < most) {
        const int64_t rest = spend(left, weights[closed]);
        if (rest < 0) break;
        entries[end + closed].weight = weights[closed];
        entries[end + closed].mark = mark + closed * KINDS;
        weight += weights[closed];
        left = rest;
        closed += 1;
    }
    view->levels[0].end = end + closed;
    view->units += (int64_t)closed;
    view->weight = weight;
    view->left = left;
    //@ assert level_in(&view->levels[0], view->room);
    //@ assert \forall integer on; 1 <= on < LEVELS ==> level_in(&view->levels[on], view->room);
    return closed;
}

/* ---- write and zoom ---- */

/* The level of the blocks of this size; LEVELS if there are none. */
/*@ total;
    assigns \nothing;
    ensures 0 <= \result <= LEVELS;
    ensures \result < LEVELS ==> 1 <= size <= FC_MOST_UNITS;
    ensures \result == 0 ==> size == 1; */
static int level_of(int64_t size) {
    int on = 0;
    if (size > FC_MOST_UNITS) return LEVELS;
    /*@ loop invariant 0 <= on < LEVELS && (on == 0 ==> size == \at(size, Pre));
        loop invariant 1 <= size ==> 1 <= \at(size, Pre);
        loop assigns on, size;
        loop variant LEVELS - on; */
    while (size > 1 && size % 2 == 0 && on < LEVELS - 1) {
        size /= 2;
        on += 1;
    }
    return size == 1 ? on : LEVELS;
}

/* The other way round. */
/*@ requires 0 <= on < LEVELS;
    total;
    assigns \nothing;
    ensures 1 <= \result <= FC_MOST_UNITS; */
static int64_t size_on(int on) {
    int64_t size = 1;
    /*@ loop invariant 0 <= on <= \at(on, Pre) && 1 <= size <= FC_MOST_UNITS;
        loop assigns on, size;
        loop variant on; */
    for (; on > 0 && size <= FC_MOST_UNITS / 2; on--) size *= 2;
    return size;
}

/* Where on its level a block is or would be: before the first that starts later. `newer` blocks on that level are
 * complete from it on; mostly all of these are listed, and so it is there at once. */
/*@ requires \valid_read(in) && level_in(in, FC_MOST_NODES + FC_MOST_NODES);
    requires \valid_read(entries + (0 .. in->end - 1));
    total;
    assigns \nothing;
    ensures in->first <= \result <= in->end; */
static size_t place(const entry *entries, const level *in, uint64_t base, uint64_t newer) {
    size_t low = in->first, high = in->end;
    if (low == high || entries[high - 1].mark < base) return high;
    if (newer > 0 && newer <= high - low && base_of(&entries[high - newer]) == base) return high - newer;
    /*@ loop invariant in->first <= low <= high <= in->end;
        loop assigns low, high;
        loop variant high - low; */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (entries[middle].mark < base)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*@ requires 0 <= on < LEVELS;
    total;
    assigns \nothing;
    ensures 0 <= \result; */
static uint64_t blocks_in(int64_t units, int on) { return units < 0 ? 0 : (uint64_t)units >> on; }

/* Where the block is that starts at `start`; NONE if it is not listed. */
/*@ requires \valid_read(levels + on) && level_in(levels + on, FC_MOST_NODES + FC_MOST_NODES);
    requires \valid_read(entries + (0 .. levels[on].end - 1));
    requires 0 <= on < LEVELS && 0 <= start <= INT64_MAX / 2 && 0 <= units <= FC_MOST_UNITS;
    total;
    assigns \nothing;
    ensures \result == NONE || levels[on].first <= \result < levels[on].end; */
static size_t find(const entry *entries, const level *levels, int on, int64_t start, int64_t units) {
    const uint64_t base = (uint64_t)start * KINDS;
    const size_t at = place(entries, &levels[on], base, blocks_in(units - start, on));
    return at < levels[on].end && base_of(&entries[at]) == base ? at : NONE;
}

/* Whether a block is shown as its halves, all its units closed: then one below starts where it starts. */
/*@ requires valid_view(view) && 0 <= on <= LEVELS && 0 <= start <= FC_MOST_UNITS;
    total;
    assigns \nothing; */
static int is_open(const fc_view *view, int on, int64_t start) {
    /*@ loop invariant 0 <= on <= LEVELS;
        loop assigns on;
        loop variant on; */
    while (on > 0) {
        on -= 1;
        //@ assert level_in(&view->levels[on], view->room);
        if (find(view->entries, &view->levels[0], on, start, view->units) != NONE) return 1;
    }
    return 0;
}

/* List a block before the entry at `at`. */
/*@ requires \valid(in) && level_in(in, FC_MOST_NODES) && in->first <= at <= in->end < in->stop;
    requires \valid(entries + (0 .. in->end)) && \separated(in, entries + (0 .. in->end));
    total;
    assigns entries[at .. in->end], in->end, in->open;
    ensures in->end == \old(in->end) + 1 && in->first <= in->open <= in->end; */
static void insert(entry *entries, level *in, size_t at, uint64_t mark, int64_t weight) {
    const size_t end = in->end;
    /*@ loop invariant at <= to <= end;
        loop assigns to, entries[at .. end];
        loop variant to; */
    for (size_t to = end; to > at; to--) entries[to] = entries[to - 1];
    entries[at].weight = weight;
    entries[at].mark = mark;
    in->end = end + 1;
    if (at < in->open) in->open = at;
}

/* List a Split whose line is written now, for which there is room. */
/*@ requires valid_view(view) && 1 <= on < LEVELS && 0 <= start <= FC_MOST_UNITS;
    requires view->levels[on].end < view->levels[on].stop && 0 <= left && left == view->left - \abs(weight);
    total;
    assigns view->entries[0 .. view->room - 1], view->levels[on], view->left, view->perhaps;
    ensures valid_view(view) && view->units == \old(view->units) && view->hidden == \old(view->hidden)
      && view->weight == \old(view->weight) && view->left == left; */
static void list_written(fc_view *view, int on, int64_t start, int64_t weight, int64_t left) {
    level *in = &view->levels[on];
    const uint64_t base = (uint64_t)start * KINDS;
    //@ assert level_in(in, view->room);
    insert(view->entries, in, place(view->entries, in, base, 0), base + WRITTEN, weight);
    //@ assert level_in(in, view->room);
    //@ assert \forall integer i; 0 <= i < LEVELS && i != on ==> level_in(&view->levels[i], view->room);
    view->left = left;
    view->perhaps = 1;
}

/*@ requires valid_view(view) && (wrote == \null || (\valid(wrote) && \separated(view, wrote)));
    total;
    assigns books, *view, *wrote, \at(view->entries, Post)[0 .. 3 * \at(view->room, Post) - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_OVERFLOW || \result == FC_NO_MEMORY;
    ensures view->units == \old(view->units) && view->hidden == \old(view->hidden)
      && view->weight == \old(view->weight); */
int fc_write(fc_view *view, fc_block block, int64_t weight, int *wrote) {
    const int on = level_of(block.size);
    view->answered = 0;
    if (wrote != NULL) *wrote = 0;
    if (on == 0 || on == LEVELS || block.start < 0 || block.start % block.size != 0) return FC_OK;
    if (block.size > view->units || block.start > view->units - block.size) return FC_OK;
    //@ assert level_in(&view->levels[on], view->room);
    if (find(view->entries, &view->levels[0], on, block.start, view->units) != NONE) return FC_OK;
    if (!is_open(view, on, block.start)) return FC_OK;
    const int64_t left = spend(view->left, weight);
    if (left < 0) return FC_OVERFLOW;
    if (view->levels[on].end >= view->levels[on].stop) {
        int status = spread(view);
        if (status != FC_OK) return status;
    }
    list_written(view, on, block.start, weight, left);
    if (wrote != NULL) *wrote = 1;
    return FC_OK;
}

/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result.size == 0
      || (\result == block && 0 <= block.start && 1 <= block.size && block.start + block.size <= view->units); */
fc_block fc_zoom(const fc_view *view, fc_block block) {
    const fc_block nothing = {0, 0};
    if (block.start < 0 || block.size < 1 || block.start > view->units) return nothing;
    return block.size <= view->units - block.start ? block : nothing;
}

/* ---- ranks ---- */

/* Whether `one` is taken before `other` by the caller's rank. */
/*@ requires \valid_read(by) && valid_order(*by) && by->name == CALLERS_OWN;
    total;
    assigns \nothing; */
static int goes_first(const order *by, fc_block one, fc_block other, int64_t units) {
    //@ calls callers_before;
    if (by->before(by->context, one, other, units)) return 1;
    //@ calls callers_before;
    return !by->before(by->context, other, one, units) && one.start < other.start;
}

/* ---- a walk: pairs merged one by one, in the order of a rank ---- */

/* How far a walk is. */
typedef struct {
    size_t answered; /* so many blocks are the answer */
    size_t waiting;  /* so many are in the heap */
    size_t most;     /* of either */
    int64_t units;
    int64_t weight;
    int64_t low;
    int64_t heft; /* the absolute weights of all lines, shown and written */
    int asking;   /* only blocks whose line is MISSING are answered */
    int heavy;    /* sums need care from here on */
    int damaged;  /* something did not fit together: merging ended there */
} walk;

#ifdef __FRAMAC__
#define walk_sums(doing) \
    (0 <= (doing)->units <= FC_MOST_UNITS && 0 <= (doing)->heft && -(doing)->heft <= (doing)->weight <= (doing)->heft \
     && INT64_MIN / 2 <= (doing)->low)
#define valid_walk(doing) \
    (\valid(doing) && (doing)->answered <= (doing)->most <= FC_MOST_NODES && (doing)->waiting <= (doing)->most \
     && walk_sums(doing))
#define same_walk(doing, Before, After) \
    (same((doing)->most, Before, After) && same((doing)->units, Before, After) && same((doing)->low, Before, After) \
     && same((doing)->asking, Before, After))
#endif

/* Take a line's weight off what a walk's view weighs. 0 if it cannot have been part of that. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->weight, doing->heft;
    ensures valid_walk(doing);
    ensures \result != 0 ==>
      doing->weight == \old(doing->weight) - weight && doing->heft == \old(doing->heft) - \abs(weight); */
static int take_off(walk *doing, int64_t weight) {
    const int64_t rest = spend(doing->heft, weight);
    if (rest < 0 || doing->weight < weight - rest || doing->weight > weight + rest) return 0;
    doing->weight -= weight;
    doing->heft = rest;
    return 1;
}

/* Show a line that was written already, and so is part of the heft. 0 if it cannot be. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->weight;
    ensures valid_walk(doing);
    ensures \result != 0 ==> doing->weight == \old(doing->weight) + weight; */
static int put_on(walk *doing, int64_t weight) {
    const int64_t rest = spend(doing->heft, weight);
    if (rest < 0 || doing->weight < -rest || doing->weight > rest) return 0;
    doing->weight += weight;
    return 1;
}

/* Show one line in place of two. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->weight, doing->heft, doing->damaged;
    ensures valid_walk(doing); */
static void reweigh(walk *doing, int64_t older, int64_t newer, int64_t line) {
    if (!take_off(doing, older) || !take_off(doing, newer) || !put_on(doing, line)) doing->damaged = 1;
}

/* Whether two neighbours are lines, and the halves of the block that starts with this mark. `step`: a half of it. */
/*@ requires \valid_read(older + (0 .. 1));
    total;
    assigns \nothing; */
static OFTEN int are_halves(const entry *older, uint64_t base, uint64_t step) {
    return ((older[0].mark ^ base) | (older[1].mark ^ base ^ step)) < WRITTEN;
}

/* ---- smallest first ---- */

/* Whether a line is so light that no sum of such lines needs a check. */
/*@ total;
    assigns \nothing;
    ensures \result != 0 <==> 0 <= weight <= LIGHT; */
static OFTEN int is_light(int64_t weight) { return weight >= 0 && weight <= LIGHT; }

/* What a level has left when entries before `half` moved to before `to`, or went. */
/*@ requires \valid(entries + (0 .. below->end - 1)) && \valid(below);
    requires \separated(below, entries + (0 .. below->end - 1));
    requires below->first <= to <= half <= below->end && below->first <= below->open <= below->end
      && below->end <= FC_MOST_NODES + FC_MOST_NODES;
    total;
    assigns entries[to .. below->end - 1], below->open, below->end;
    ensures below->end == \old(below->end) - (half - to) && below->first <= below->open <= below->end; */
static void close_up(entry *entries, level *below, size_t to, size_t half) {
    const size_t rest = below->end - half;
    below->open = below->open >= half ? below->open - (half - to) : below->first;
    copy(entries + to, entries + half, rest);
    below->end = to + rest;
}

/* Let the entries before a mark stay: they move from `from` to `to`, `count` at most. How many they are. */
/*@ requires \valid(to + (0 .. count - 1)) && \valid_read(from + (0 .. count - 1));
    total;
    assigns to[0 .. count - 1];
    ensures \result <= count; */
static size_t keep_older(entry *to, const entry *from, size_t count, uint64_t mark) {
    size_t kept = 0;
    /*@ loop invariant kept <= count;
        loop assigns kept, to[0 .. count - 1];
        loop variant count - kept; */
    while (kept < count && from[kept].mark < mark) {
        to[kept] = from[kept];
        kept += 1;
    }
    return kept;
}

/* Take over what light merges came to. */
/*@ requires valid_walk(doing) && answered <= doing->most && 0 <= gone;
    total;
    assigns doing->answered, doing->weight, doing->heft, doing->damaged;
    ensures valid_walk(doing) && doing->answered == answered; */
static void set_merged(walk *doing, size_t answered, int64_t weight, int64_t gone) {
    const int64_t heft = doing->heft - gone;
    doing->answered = answered;
    if (heft < 0 || weight < -heft || weight > heft) {
        doing->damaged = 1;
        return;
    }
    doing->weight = weight;
    doing->heft = heft;
}

/*@ requires \valid(block);
    total;
    assigns *block; */
static OFTEN void set_block(fc_block *block, uint64_t base, int64_t size) {
    block->start = (int64_t)(base / KINDS);
    block->size = size;
}

/* What became of a row of pairs. */
typedef struct {
    size_t merged;
    size_t answered;
    int64_t weight;
    int64_t gone; /* what those lines weighed that went */
    int heavy;    /* whether it ended before a weight that is not light */
} row;

/* Merge blocks that follow one another on a level, each over the next two entries below, `most` at most: until one is
 * no pair, or the weight is low. */
/*@ requires most <= FC_MOST_NODES && INT64_MIN / 2 <= low < weight <= CALM + 2 * LIGHT * (FC_MOST_NODES - most);
    requires \valid(own + (0 .. most - 1)) && \valid_read(half + (0 .. 2 * most - 1));
    requires \valid(blocks + (0 .. most - 1));
    requires \separated(blocks + (0 .. most - 1), own + (0 .. most - 1));
    requires \separated(blocks + (0 .. most - 1), half + (0 .. 2 * most - 1));
    requires 2 <= size <= FC_MOST_UNITS;
    total;
    assigns own[0 .. most - 1], blocks[0 .. most - 1];
    ensures \result.answered <= \result.merged <= most && 0 <= \result.gone <= 2 * LIGHT * \result.merged;
    ensures low - 2 * LIGHT <= \result.weight <= weight + LIGHT * \result.merged; */
static OFTEN row merge_row(entry *own, const entry *half, size_t most, fc_block *blocks, int64_t size, int64_t weight,
                           int64_t low, const int asking) {
    const entry *const until = own + most;
    entry *at = own;
    fc_block *block = blocks;
    const uint64_t step = (uint64_t)size / 2 * KINDS;
    int64_t gone = 0;
    int heavy = 0;
    //@ ghost size_t merged = 0, answered = 0;
    //@ ghost const entry *const first = half;
    /*@ loop invariant at == own + merged && half == first + 2 * merged && block == blocks + answered;
        loop invariant answered <= merged <= most && (merged < most ==> low < weight);
        loop invariant low < weight <= \at(weight, Pre) + LIGHT * merged && 0 <= gone <= 2 * LIGHT * merged;
        loop assigns at, half, block, weight, gone, merged, answered, own[0 .. most - 1], blocks[0 .. most - 1];
        loop variant most - merged; */
    while (at < until) {
        /* A Split's mark as if it were a line, and the other way round: over two lines it can only be the former. */
        const uint64_t mark = at->mark ^ WRITTEN;
        if (!are_halves(half, mark, step)) break;
        const int64_t older = half[0].weight, newer = half[1].weight, line = at->weight;
        if (!is_light(older) || !is_light(newer) || !is_light(line)) {
            heavy = 1;
            break;
        }
        at->mark = mark | MERGED;
        at += 1;
        half += 2;
        //@ ghost merged += 1;
        if (!asking || (mark ^ WRITTEN) % KINDS == MISSING) {
            set_block(block, mark, size);
            block += 1;
            //@ ghost answered += 1;
        }
        gone += older + newer;
        weight += line - (older + newer);
        if (weight <= low) break;
    }
    //@ assert at - own == merged && block - blocks == answered;
    const row done = {(size_t)(at - own), (size_t)(block - blocks), weight, gone, heavy};
    return done;
}

/* What became of a level. */
typedef struct {
    size_t open; /* the first entry that may still be a pair */
    size_t kept; /* on the level below: entries before `read` moved to before `kept`, or went */
    size_t read;
    size_t answered;
    int64_t weight;
    int64_t gone;
    int heavy;
} run;

/* Merge on one level, oldest first, until the weight is low; the level below has two entries at least. */
/*@ requires open <= end <= room && first + 2 <= stop <= room && room <= FC_MOST_NODES + FC_MOST_NODES;
    requires \valid(entries + (0 .. room - 1)) && \valid(blocks + (0 .. most - 1));
    requires \separated(blocks + (0 .. most - 1), entries + (0 .. room - 1));
    requires 2 <= size <= FC_MOST_UNITS && INT64_MIN / 2 <= low < weight <= CALM;
    requires answered + (stop - first) / 2 <= most <= FC_MOST_NODES;
    total;
    assigns entries[0 .. room - 1], blocks[0 .. most - 1];
    ensures open <= \result.open <= end && first <= \result.kept <= \result.read <= stop;
    ensures \result.answered <= most && 0 <= \result.gone; */
static OFTEN run merge_entries(entry *entries, size_t open, size_t end, size_t first, size_t stop, fc_block *blocks,
                               size_t answered, int64_t size, int64_t weight, int64_t low,
                               const int asking) /*@ ghost (size_t room, size_t most) */ {
    size_t at = open, still = NONE, kept = first, read = first;
    int64_t gone = 0;
    int heavy = 0;
    //@ ghost size_t before = answered;
    /*@ loop invariant open <= at <= end && first <= kept <= read <= stop;
        loop invariant before <= answered && 2 * (answered - before) <= read - first;
        loop invariant still == NONE || open <= still < at;
        loop invariant low - 2 * LIGHT <= weight <= CALM + LIGHT * (read - first);
        loop invariant 0 <= gone <= LIGHT * (read - first);
        loop assigns at, read, kept, answered, weight, gone, still, heavy, entries[0 .. room - 1],
          blocks[0 .. most - 1];
        loop variant end - at + (heavy ? 0 : 1); */
    while (at < end && weight > low && !heavy) {
        if (is_line(&entries[at])) {
            at += 1;
            continue;
        }
        const size_t stay = keep_older(entries + kept, entries + read, stop - read, base_of(&entries[at]));
        kept += stay;
        read += stay;
        const row done = merge_row(entries + at, entries + read, least(end - at, (stop - read) / 2), blocks + answered,
                                   size, weight, low, asking);
        at += done.merged;
        read += 2 * done.merged;
        answered += done.answered;
        weight = done.weight;
        gone += done.gone;
        heavy = done.heavy;
        if (done.merged > 0 || heavy) continue;
        if (still == NONE) still = at;
        at += 1;
    }
    const run done = {still == NONE ? at : still, kept, read, answered, weight, gone, heavy};
    return done;
}

/* The same, and the level below closes up. */
/*@ requires valid_walk(doing) && doing->low < doing->weight <= CALM;
    requires \valid(own) && \valid(below) && \separated(own, below, doing);
    requires own->first <= own->open <= own->end <= room && below->first <= below->open <= below->end <= room;
    requires room <= FC_MOST_NODES + FC_MOST_NODES && below->end - below->first >= 2;
    requires \valid(entries + (0 .. room - 1)) && \valid(blocks + (0 .. doing->most - 1));
    requires \separated(entries + (0 .. room - 1), own, below, doing);
    requires \separated(blocks + (0 .. doing->most - 1), own, below, doing);
    requires \separated(blocks + (0 .. doing->most - 1), entries + (0 .. room - 1));
    requires 2 <= size <= FC_MOST_UNITS;
    requires doing->answered + (below->end - below->first) / 2 <= doing->most;
    total;
    assigns *doing, own->open, below->open, below->end, entries[0 .. room - 1], blocks[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures own->first <= own->open <= own->end && below->first <= below->open <= below->end <= \old(below->end); */
static OFTEN void merge_run(walk *doing, entry *entries, fc_block *blocks, level *own, level *below, int64_t size,
                            const int asking) /*@ ghost (size_t room) */ {
    const run done = merge_entries(entries, own->open, own->end, below->first, below->end, blocks, doing->answered,
                                   size, doing->weight, doing->low, asking) /*@ ghost (room, doing->most) */;
    own->open = done.open;
    if (done.kept < done.read) close_up(entries, below, done.kept, done.read);
    if (done.heavy) doing->heavy = 1;
    set_merged(doing, done.answered, done.weight, done.gone);
}

/*@ requires valid_walk(doing) && doing->low < doing->weight;
    requires \valid(own) && \valid(below) && \separated(own, below, doing);
    requires level_in(own, room) && level_in(below, room) && room <= FC_MOST_NODES + FC_MOST_NODES;
    requires \valid(entries + (0 .. room - 1)) && \valid(blocks + (0 .. doing->most - 1));
    requires \separated(entries + (0 .. room - 1), own, below, doing);
    requires \separated(blocks + (0 .. doing->most - 1), own, below, doing);
    requires \separated(blocks + (0 .. doing->most - 1), entries + (0 .. room - 1));
    requires 2 <= size <= FC_MOST_UNITS;
    total;
    assigns *doing, own->open, below->open, below->end, entries[0 .. room - 1], blocks[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && level_in(own, room) && level_in(below, room); */
static void merge_level(walk *doing, entry *entries, fc_block *blocks, level *own, level *below,
                        int64_t size) /*@ ghost (size_t room) */ {
    const size_t halves = below->end - below->first;
    if (halves < 2) return;
    if (doing->weight > CALM) {
        doing->heavy = 1;
    } else if (doing->most - doing->answered < halves / 2) {
        doing->damaged = 1;
    } else if (doing->asking) {
        merge_run(doing, entries, blocks, own, below, size, 1) /*@ ghost (room) */;
    } else {
        merge_run(doing, entries, blocks, own, below, size, 0) /*@ ghost (room) */;
    }
}

/* Whether there is more to merge on the level of this size. */
/*@ requires valid_walk(doing);
    total;
    assigns \nothing;
    ensures \result != 0 ==> doing->low < doing->weight && size <= doing->units; */
static int goes_on(const walk *doing, int64_t size) {
    return size <= doing->units && doing->weight > doing->low && !doing->heavy && !doing->damaged;
}

/* Merge level by level. */
/*@ requires valid_walk(doing) && \valid(levels + (0 .. LEVELS - 1)) && \separated(levels + (0 .. LEVELS - 1), doing);
    requires levels_in(levels, room) && room <= FC_MOST_NODES;
    requires \valid(entries + (0 .. room - 1)) && \valid(blocks + (0 .. doing->most - 1));
    requires \separated(entries + (0 .. room - 1), levels + (0 .. LEVELS - 1), doing);
    requires \separated(blocks + (0 .. doing->most - 1), levels + (0 .. LEVELS - 1), doing);
    requires \separated(blocks + (0 .. doing->most - 1), entries + (0 .. room - 1));
    total;
    assigns *doing, levels[0 .. LEVELS - 1], entries[0 .. room - 1], blocks[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && levels_in(levels, room); */
static void merge_by_size(walk *doing, entry *entries, fc_block *blocks,
                          level *levels) /*@ ghost (size_t room) */ {
    int64_t size = 2;
    //@ ghost size_t most = doing->most;
    /*@ loop invariant 1 <= on <= LEVELS && 2 <= size <= FC_MOST_UNITS + FC_MOST_UNITS;
        loop invariant valid_walk(doing) && same_walk(doing, Pre, Here) && levels_in(levels, room);
        loop assigns on, size, *doing, levels[0 .. LEVELS - 1], entries[0 .. room - 1], blocks[0 .. most - 1];
        loop variant LEVELS - on; */
    for (int on = 1; on < LEVELS && goes_on(doing, size); on++) {
        //@ assert level_in(levels + on, room) && level_in(levels + (on - 1), room);
        merge_level(doing, entries, blocks, &levels[on], &levels[on - 1], size) /*@ ghost (room) */;
        //@ assert \forall integer i; 0 <= i < LEVELS && i != on && i != on - 1 ==> level_in(levels + i, room);
        size *= 2;
    }
}

/* Fill a level of the copy, from where the copy ends: with what the view lists there, and the Splits over each two
 * below that it does not list. Where the copy ends then. */
/*@ requires \valid(to) && \valid_read(below) && \valid_read(own) && \separated(to, below) && \separated(to, own);
    requires end <= most <= FC_MOST_NODES + FC_MOST_NODES && level_in(below, most) && level_in(own, FC_MOST_NODES);
    requires \valid(filled + (0 .. most - 1)) && \valid_read(entries + (0 .. own->end - 1));
    requires \separated(filled + (0 .. most - 1), to, below, own);
    requires \separated(filled + (0 .. most - 1), entries + (0 .. own->end - 1));
    total;
    assigns *to, filled[end .. most - 1];
    ensures level_in(to, most) && end <= \result <= most; */
static size_t fill_level(entry *filled, size_t most, level *to, const level *below, const entry *entries,
                         const level *own, size_t end) {
    const size_t start = end, stop = own->end, last = below->end;
    size_t at = own->first, half = below->first;
    /*@ loop invariant start <= end <= most && own->first <= at <= stop && below->first <= half <= last;
        loop assigns end, at, half, filled[start .. most - 1];
        loop variant last - half; */
    while (last - half >= 2 && end < most) {
        const uint64_t base = base_of(&filled[half]);
        /*@ loop invariant start <= end <= most && own->first <= at <= stop;
            loop assigns end, at, filled[start .. most - 1];
            loop variant stop - at; */
        while (at < stop && end < most && entries[at].mark < base) filled[end++] = entries[at++];
        if (end == most) break;
        if (at < stop && base_of(&entries[at]) == base) {
            filled[end++] = entries[at++];
        } else {
            filled[end].weight = 0;
            filled[end++].mark = base + MISSING;
        }
        half += 2;
    }
    /*@ loop invariant start <= end <= most && own->first <= at <= stop;
        loop assigns end, at, filled[start .. most - 1];
        loop variant stop - at; */
    while (at < stop && end < most) filled[end++] = entries[at++];
    to->first = start;
    to->open = start;
    to->end = end;
    to->stop = end;
    return end;
}

/* ---- in turns: pair by pair, by a named rank ---- */

#ifdef __FRAMAC__
/* The levels, and the entries that they are in. */
#define lists(entries, levels) \
    (\valid((levels) + (0 .. LEVELS - 1)) && levels_in(levels, room) && room <= FC_MOST_NODES + FC_MOST_NODES \
     && \valid((entries) + (0 .. room - 1)))
/* All that merging in turns works on, each piece apart from the others. */
#define works_in(doing, entries, levels, blocks) \
    (lists(entries, levels) && valid_walk(doing) && \valid((blocks) + (0 .. (doing)->most + (doing)->most - 1)) \
     && \separated(doing, (entries) + (0 .. room - 1)) && \separated(doing, (levels) + (0 .. LEVELS - 1)) \
     && \separated(doing, (blocks) + (0 .. (doing)->most + (doing)->most - 1)) \
     && \separated((levels) + (0 .. LEVELS - 1), (entries) + (0 .. room - 1)) \
     && \separated((levels) + (0 .. LEVELS - 1), (blocks) + (0 .. (doing)->most + (doing)->most - 1)) \
     && \separated((entries) + (0 .. room - 1), (blocks) + (0 .. (doing)->most + (doing)->most - 1)))
#endif

/* Merge a listed block over its halves, which stay listed. */
/*@ requires valid_walk(doing) && \valid(entries + at) && \valid_read(entries + (half .. half + 1));
    requires half < FC_MOST_NODES + FC_MOST_NODES && \valid(blocks + (0 .. doing->most - 1));
    requires \separated(doing, entries + at, blocks + (0 .. doing->most - 1));
    requires \separated(doing, entries + (half .. half + 1));
    total;
    assigns *doing, entries[at], blocks[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && doing->waiting == \old(doing->waiting); */
static OFTEN void merge_pair(walk *doing, entry *entries, fc_block *blocks, size_t at, size_t half, int64_t size) {
    const uint64_t mark = entries[at].mark, base = mark - mark % KINDS;
    if (doing->answered >= doing->most) doing->damaged = 1;
    if (!doing->damaged) reweigh(doing, entries[half].weight, entries[half + 1].weight, entries[at].weight);
    if (doing->damaged) return;
    if (mark % KINDS == MISSING || !doing->asking) {
        set_block(&blocks[doing->answered], base, size);
        doing->answered += 1;
    }
    entries[at].mark = base + MERGED;
}

/* By a named rank nothing goes before what is under it, and of each level the oldest goes first. So every Split has
 * one turn: what is no pair by then becomes none. This is the Split of each level whose turn is next. */
typedef struct {
    size_t at[LEVELS];
    size_t half[LEVELS]; /* on the level below: what is before this is older than its halves */
    int64_t size[LEVELS];
    int64_t behind[LEVELS]; /* how many units are newer than it; less than 0 if no Split is left */
    int64_t units;
    int top; /* no Split is on this level or above */
} turns;

/*@ predicate taking_turns(turns *next, level *levels, integer top) =
      1 <= top <= LEVELS && 0 <= next->units <= FC_MOST_UNITS
      && (\forall integer on; 1 <= on < top ==> 2 <= next->size[on] <= FC_MOST_UNITS)
      && (\forall integer on; 1 <= on < top ==> next->half[on] <= levels[on - 1].end)
      && (\forall integer on; 1 <= on < top ==> next->behind[on] <= next->units)
      && (\forall integer on; 1 <= on < top && 0 <= next->behind[on] ==> next->at[on] < levels[on].end);

    logic integer times_two(integer value, integer times) =
      times <= 0 ? value : 2 * times_two(value, times - 1); */

/* Let the first Split from `at` on be the next of its level. */
/*@ requires \valid(next) && \valid_read(own) && \separated(next, own) && at <= own->end;
    requires \valid_read(entries + (0 .. own->end - 1)) && \separated(next, entries + (0 .. own->end - 1));
    requires 1 <= on < LEVELS && 2 <= next->size[on] <= FC_MOST_UNITS && 0 <= next->units <= FC_MOST_UNITS;
    total;
    assigns next->at[on], next->behind[on];
    ensures next->behind[on] <= next->units && (0 <= next->behind[on] ==> next->at[on] < own->end);
    ensures next->at[on] < own->end ==>
      next->behind[on] == next->units - entries[next->at[on]].mark / KINDS - next->size[on]; */
static OFTEN void set_turn(turns *next, const entry *entries, const level *own, int on, size_t at) {
    const size_t end = own->end;
    /*@ loop invariant at <= end;
        loop assigns at;
        loop variant end - at; */
    while (at < end && is_line(&entries[at])) at += 1;
    next->at[on] = at;
    next->behind[on] = at < end ? next->units - start_of(&entries[at]) - next->size[on] : -1;
}

/* Let the first Split of each level be next. */
/*@ requires \valid(next) && lists(entries, levels) && 0 <= units <= FC_MOST_UNITS;
    requires \separated(next, levels + (0 .. LEVELS - 1)) && \separated(next, entries + (0 .. room - 1));
    total;
    assigns *next;
    ensures taking_turns(next, levels, next->top) && next->units == units;
    ensures 1 < next->top ==> next->size[1] == 2;
    ensures \forall integer on; 1 < on < next->top ==> next->size[on] == 2 * next->size[on - 1]; */
static void begin_turns(turns *next, const entry *entries, const level *levels,
                        int64_t units) /*@ ghost (size_t room) */ {
    int64_t size = 2;
    next->units = units;
    next->top = 1;
    /*@ loop invariant 1 <= next->top <= LEVELS && 2 <= size <= FC_MOST_UNITS + FC_MOST_UNITS;
        loop invariant next->units == units;
        loop invariant next->top == 1 ? size == 2 : next->size[1] == 2 && size == 2 * next->size[next->top - 1];
        loop invariant \forall integer i; 1 < i < next->top ==> next->size[i] == 2 * next->size[i - 1];
        loop invariant taking_turns(next, levels, next->top);
        loop assigns size, *next;
        loop variant LEVELS - next->top; */
    while (next->top < LEVELS && size <= units) {
        const int on = next->top;
        //@ assert level_in(levels + on, room) && level_in(levels + (on - 1), room);
        next->size[on] = size;
        next->half[on] = levels[on - 1].first;
        set_turn(next, entries, &levels[on], on, levels[on].open);
        //@ assert taking_turns(next, levels, on + 1);
        next->top = on + 1;
        size *= 2;
    }
}

/* The lowest level that has a next Split; 0 if none has. */
/*@ requires \valid_read(next) && 1 <= next->top <= LEVELS;
    total;
    assigns \nothing;
    ensures 0 <= \result < next->top;
    ensures \result > 0 ==> 0 <= next->behind[\result];
    ensures \forall integer on; 1 <= on < next->top && 0 <= next->behind[on] ==> 1 <= \result <= on; */
static int smallest(const turns *next) {
    /*@ loop invariant 1 <= on <= next->top && \forall integer i; 1 <= i < on ==> next->behind[i] < 0;
        loop assigns on;
        loop variant next->top - on; */
    for (int on = 1; on < next->top; on++)
        if (next->behind[on] >= 0) return on;
    return 0;
}

/* The level whose next Split has the largest (units - start) / size, so the largest behind / size, which is one less;
 * 0 if there is none. Of equal ones the largest is the oldest; but where nothing is behind them, each is under the next
 * larger one. What is enough behind one to go first is twice as much on each level up. */
/*@ requires \valid_read(next) && 1 <= next->top <= LEVELS && 0 <= next->units <= FC_MOST_UNITS;
    requires \forall integer on; 1 <= on < next->top ==> next->behind[on] <= next->units;
    total;
    assigns \nothing;
    ensures 0 <= \result < next->top;
    ensures \result > 0 ==> 0 <= next->behind[\result];
    ensures \result == 0 ==> \forall integer on; 1 <= on < next->top ==> next->behind[on] < 0;
    ensures \forall integer on; 1 <= on < \result && 0 <= next->behind[on] ==>
      0 < next->behind[\result] && times_two(next->behind[on], \result - on) <= next->behind[\result];
    ensures \forall integer on; 1 <= \result < on < next->top && 0 < next->behind[on] ==>
      next->behind[on] < times_two(next->behind[\result], on - \result); */
static int oldest_for_its_size(const turns *next) {
    int64_t enough = 0;
    int first = 0, on = 1;
    /*@ loop invariant 1 <= on <= next->top && 0 <= first < on && 0 <= enough <= FC_MOST_UNITS + FC_MOST_UNITS;
        loop invariant first == 0 ==> enough == 0 && \forall integer i; 1 <= i < on ==> next->behind[i] < 0;
        loop invariant first > 0 ==>
          0 <= next->behind[first] && enough == times_two(next->behind[first], on - first);
        loop invariant \forall integer i; 1 <= i < on && 0 <= next->behind[i] ==>
          times_two(next->behind[i], on - i) <= enough;
        loop invariant \forall integer i; 1 <= i < first && 0 <= next->behind[i] ==>
          0 < next->behind[first] && times_two(next->behind[i], first - i) <= next->behind[first];
        loop invariant \forall integer i; 1 <= first < i < on && 0 < next->behind[i] ==>
          next->behind[i] < times_two(next->behind[first], i - first);
        loop assigns enough, first, on;
        loop variant next->top - on; */
    for (; on < next->top && enough <= next->units; on++) {
        const int64_t behind = next->behind[on];
        if (behind >= enough && (behind > 0 || first == 0)) {
            first = on;
            enough = behind;
        }
        enough *= 2;
    }
    /*@ ghost
      /@ loop invariant on <= i <= next->top;
         loop invariant i < next->top ==> next->units < times_two(next->behind[first], i - first);
         loop invariant \forall integer j; 1 <= first < j < i && 0 < next->behind[j] ==>
           next->behind[j] < times_two(next->behind[first], j - first);
         loop assigns i;
         loop variant next->top - i; @/
      for (int i = on; i < next->top; i++) ;
    */
    return first;
}

/* Go to the halves of the next Split of a level: next->half[on]. Whether they are there, and two lines. */
/*@ requires lists(entries, levels) && \valid(next) && taking_turns(next, levels, next->top);
    requires elsewhere(next, entries) && elsewhere(next, levels);
    requires 1 <= on < next->top && 0 <= next->behind[on];
    total;
    assigns next->half[on];
    ensures taking_turns(next, levels, next->top);
    ensures \result != 0 ==> next->half[on] + 2 <= levels[on - 1].end; */
static OFTEN int seek_halves(turns *next, const entry *entries, const level *levels,
                              int on) /*@ ghost (size_t room) */ {
    //@ assert level_in(levels + on, room) && level_in(levels + (on - 1), room);
    const size_t stop = levels[on - 1].end;
    const uint64_t base = base_of(&entries[next->at[on]]), step = (uint64_t)next->size[on] / 2 * KINDS;
    size_t half = next->half[on];
    /*@ loop invariant half <= stop;
        loop assigns half;
        loop variant stop - half; */
    while (half < stop && entries[half].mark < base) half += 1;
    next->half[on] = half;
    return stop - half >= 2 && are_halves(&entries[half], base, step);
}

/* Merge the next Split of a level, if it is a pair. */
/*@ requires works_in(doing, entries, levels, blocks) && \valid(next) && taking_turns(next, levels, next->top);
    requires elsewhere(next, entries) && elsewhere(next, levels) && elsewhere(next, blocks) && elsewhere(next, doing);
    requires 1 <= on < next->top && 0 <= next->behind[on];
    total;
    assigns *doing, next->at[on], next->half[on], next->behind[on], entries[0 .. room - 1],
      blocks[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures taking_turns(next, levels, next->top); */
static void take_turn(walk *doing, entry *entries, const level *levels, fc_block *blocks, turns *next,
                      int on) /*@ ghost (size_t room) */ {
    const size_t at = next->at[on];
    //@ assert level_in(levels + on, room) && level_in(levels + (on - 1), room);
    if (seek_halves(next, entries, levels, on) /*@ ghost (room) */)
        merge_pair(doing, entries, blocks, at, next->half[on], next->size[on]);
    //@ assert taking_turns(next, levels, next->top);
    set_turn(next, entries, &levels[on], on, at + 1);
}

/* Merge by a named rank, `units` turns at most. */
/*@ requires works_in(doing, entries, levels, blocks);
    total;
    assigns *doing, entries[0 .. room - 1], blocks[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here); */
static void merge_in_turns(walk *doing, entry *entries, const level *levels, fc_block *blocks,
                           uint32_t rank) /*@ ghost (size_t room) */ {
    turns next;
    begin_turns(&next, entries, levels, doing->units) /*@ ghost (room) */;
    //@ ghost size_t most = doing->most;
    /*@ loop invariant 0 <= left && valid_walk(doing) && same_walk(doing, Pre, Here);
        loop invariant taking_turns(&next, levels, next.top);
        loop assigns left, next, *doing, entries[0 .. room - 1], blocks[0 .. most - 1];
        loop variant left; */
    for (int64_t left = doing->units; left > 0 && doing->weight > doing->low && !doing->damaged; left--) {
        const int on = rank == FC_SMALLEST_FIRST ? smallest(&next) : oldest_for_its_size(&next);
        if (on == 0) break;
        take_turn(doing, entries, levels, blocks, &next, on) /*@ ghost (room) */;
    }
}

/* ---- the caller's order ---- */

/* Where a block goes in a heap with a hole at `at`: up from there as long as it goes first. */
/*@ requires \valid(heap + (0 .. at)) && \valid_read(by) && valid_order(*by) && by->name == CALLERS_OWN;
    requires \separated(by, heap + (0 .. at)) && at <= FC_MOST_NODES;
    total;
    assigns heap[0 .. at]; */
static void sift_up(fc_block *heap, size_t at, fc_block found, const order *by, int64_t units) {
    /*@ loop invariant at <= \at(at, Pre);
        loop assigns at, heap[0 .. \at(at, Pre)];
        loop variant at; */
    while (at > 0) {
        const size_t parent = (at - 1) / 2;
        if (!goes_first(by, found, heap[parent], units)) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = found;
}

/* Fill the hole at the top of a heap of `count` with its last block, heap[count]: down as long as others go first. */
/*@ requires \valid(heap + (0 .. count)) && \valid_read(by) && valid_order(*by) && by->name == CALLERS_OWN;
    requires \separated(by, heap + (0 .. count)) && count <= FC_MOST_NODES;
    total;
    assigns heap[0 .. count]; */
static void sift_down(fc_block *heap, size_t count, const order *by, int64_t units) {
    const fc_block moving = heap[count];
    size_t at = 0;
    /*@ loop invariant at <= count;
        loop assigns at, heap[0 .. count];
        loop variant count - at; */
    while (2 * at + 1 < count) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && goes_first(by, heap[child + 1], heap[child], units)) child += 1;
        if (!goes_first(by, heap[child], moving, units)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

#ifdef __FRAMAC__
#define ordered(doing, heap, by) \
    (valid_walk(doing) && \valid((heap) + (0 .. (doing)->most - 1)) && \valid_read(by) \
     && valid_order(*(by)) && (by)->name == CALLERS_OWN && \separated(by, (heap) + (0 .. (doing)->most - 1)) \
     && \separated(by, doing) && \separated(doing, (heap) + (0 .. (doing)->most - 1)))
/* The same of merging in the caller's order; the heap is behind the answer. */
#define merges_in(doing, entries, levels, blocks, by) \
    (works_in(doing, entries, levels, blocks) && ordered(doing, (blocks) + (doing)->most, by) \
     && \separated(by, (entries) + (0 .. room - 1)) \
     && \separated(by, (blocks) + (0 .. (doing)->most + (doing)->most - 1)))
#endif

/* Where the older of the two lines under a block is; NONE if these are not two lines. */
/*@ requires lists(entries, levels) && 1 <= on < LEVELS;
    requires 0 <= start <= INT64_MAX / 2 && 0 <= units <= FC_MOST_UNITS;
    total;
    assigns \nothing;
    ensures \result == NONE || \result + 1 < levels[on - 1].end <= room; */
static size_t halves_of(const entry *entries, const level *levels, int on, int64_t start,
                        int64_t units) /*@ ghost (size_t room) */ {
    //@ assert level_in(levels + (on - 1), room);
    const size_t half = find(entries, levels, on - 1, start, units);
    if (half == NONE || levels[on - 1].end - half < 2) return NONE;
    return are_halves(&entries[half], (uint64_t)start * KINDS, (uint64_t)size_on(on - 1) * KINDS) ? half : NONE;
}

/* Let the entry at `at` wait, if it is a Split over two lines and its own is written, or taken for written. */
/*@ requires lists(entries, levels) && ordered(doing, heap, by) && 1 <= on < LEVELS && at < room;
    total;
    assigns doing->waiting, heap[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && doing->answered == \old(doing->answered); */
static void offer(walk *doing, const entry *entries, const level *levels, fc_block *heap, const order *by, int on,
                  size_t at) /*@ ghost (size_t room) */ {
    const entry *own = &entries[at];
    const fc_block block = {start_of(own), size_on(on)};
    if (is_line(own) || doing->waiting >= doing->most) return;
    if (halves_of(entries, levels, on, block.start, doing->units) /*@ ghost (room) */ == NONE) return;
    sift_up(heap, doing->waiting, block, by, doing->units);
    doing->waiting += 1;
}

/* Merge a block; its parent may be a pair after that. The halves stay listed. */
/*@ requires merges_in(doing, entries, levels, blocks, by);
    total;
    assigns *doing, entries[0 .. room - 1], blocks[0 .. doing->most + doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here); */
static void merge_block(walk *doing, entry *entries, const level *levels, fc_block *blocks, const order *by,
                        fc_block block) /*@ ghost (size_t room) */ {
    const int on = level_of(block.size);
    if (on < 1 || on >= LEVELS || block.start < 0 || block.start > FC_MOST_UNITS) return;
    //@ assert level_in(levels + on, room) && level_in(levels + (on - 1), room);
    const size_t at = find(entries, levels, on, block.start, doing->units);
    const size_t half = halves_of(entries, levels, on, block.start, doing->units) /*@ ghost (room) */;
    if (at == NONE || half == NONE) {
        doing->damaged = 1;
        return;
    }
    merge_pair(doing, entries, blocks, at, half, block.size);
    if (doing->damaged || on + 1 == LEVELS) return;
    //@ assert level_in(levels + (on + 1), room);
    const int64_t start = block.start - block.start % (2 * block.size);
    const size_t above = find(entries, levels, on + 1, start, doing->units);
    if (above != NONE) offer(doing, entries, levels, blocks + doing->most, by, on + 1, above) /*@ ghost (room) */;
}

/* Let all pairs wait. */
/*@ requires lists(entries, levels) && ordered(doing, heap, by);
    requires \separated(doing, levels + (0 .. LEVELS - 1)) && \separated(doing, entries + (0 .. room - 1));
    requires \separated(levels + (0 .. LEVELS - 1), heap + (0 .. doing->most - 1));
    total;
    assigns doing->waiting, heap[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && doing->answered == \old(doing->answered); */
static void offer_all(walk *doing, const entry *entries, const level *levels, fc_block *heap,
                      const order *by) /*@ ghost (size_t room) */ {
    doing->waiting = 0;
    /*@ loop invariant 1 <= on <= LEVELS && valid_walk(doing) && levels_in(levels, room);
        loop assigns on, doing->waiting, heap[0 .. doing->most - 1];
        loop variant LEVELS - on; */
    for (int on = 1; on < LEVELS; on++) {
        //@ assert level_in(levels + on, room);
        const size_t end = levels[on].end;
        /*@ loop invariant levels[on].open <= at <= end && valid_walk(doing) && levels_in(levels, room);
            loop assigns at, doing->waiting, heap[0 .. doing->most - 1];
            loop variant end - at; */
        for (size_t at = levels[on].open; at < end; at++)
            offer(doing, entries, levels, heap, by, on, at) /*@ ghost (room) */;
    }
}

/* Merge pair by pair, `most` at most. */
/*@ requires merges_in(doing, entries, levels, blocks, by);
    total;
    assigns *doing, entries[0 .. room - 1], blocks[0 .. doing->most + doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here); */
static void merge_by_order(walk *doing, entry *entries, const level *levels, fc_block *blocks,
                           const order *by) /*@ ghost (size_t room) */ {
    fc_block *heap = blocks + doing->most;
    offer_all(doing, entries, levels, heap, by) /*@ ghost (room) */;
    //@ ghost size_t most = doing->most;
    /*@ loop invariant 0 <= merges && valid_walk(doing) && same_walk(doing, Pre, Here);
        loop assigns merges, *doing, entries[0 .. room - 1], blocks[0 .. most + most - 1];
        loop variant merges; */
    for (int64_t merges = doing->units; merges > 0 && doing->weight > doing->low && doing->waiting > 0; merges--) {
        const fc_block top = heap[0];
        if (doing->damaged) break;
        doing->waiting -= 1;
        sift_down(heap, doing->waiting, by, doing->units);
        merge_block(doing, entries, levels, blocks, by, top) /*@ ghost (room) */;
    }
}

/* Merge by any rank. */
/*@ requires works_in(doing, entries, levels, blocks) && \valid_read(by) && valid_order(*by);
    requires \separated(by, entries + (0 .. room - 1), blocks + (0 .. doing->most + doing->most - 1), doing);
    total;
    assigns *doing, entries[0 .. room - 1], blocks[0 .. doing->most + doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here); */
static void merge_pairs(walk *doing, entry *entries, const level *levels, fc_block *blocks,
                        const order *by) /*@ ghost (size_t room) */ {
    if (by->name == CALLERS_OWN)
        merge_by_order(doing, entries, levels, blocks, by) /*@ ghost (room) */;
    else
        merge_in_turns(doing, entries, levels, blocks, by->name) /*@ ghost (room) */;
}

/* Let go what lies under the lines of a level. */
/*@ requires \valid_read(own) && \valid(below) && \separated(own, below);
    requires level_in(own, room) && level_in(below, room) && room <= FC_MOST_NODES;
    requires \valid(entries + (0 .. room - 1)) && \separated(entries + (0 .. room - 1), own, below);
    requires 2 <= size <= FC_MOST_UNITS;
    total;
    assigns entries[0 .. room - 1], below->open, below->end;
    ensures level_in(below, room) && below->end <= \old(below->end); */
static void drop_under(entry *entries, const level *own, level *below, int64_t size) /*@ ghost (size_t room) */ {
    const size_t first = below->first, stop = below->end, end = own->end;
    const uint64_t span = (uint64_t)size * KINDS;
    size_t half = first, to = first;
    /*@ loop invariant own->first <= at <= end && first <= to <= half <= stop;
        loop assigns at, half, to, entries[0 .. room - 1];
        loop variant end - at; */
    for (size_t at = own->first; at < end; at++) {
        if (!is_line(&entries[at])) continue;
        const uint64_t base = base_of(&entries[at]);
        /*@ loop invariant first <= to <= half <= stop;
            loop assigns half, to, entries[0 .. room - 1];
            loop variant stop - half; */
        while (half < stop && entries[half].mark < base) entries[to++] = entries[half++];
        /*@ loop invariant first <= to <= half <= stop;
            loop assigns half;
            loop variant stop - half; */
        while (half < stop && entries[half].mark >= base && entries[half].mark - base < span) half++;
    }
    /*@ loop invariant first <= to <= half <= stop;
        loop assigns half, to, entries[0 .. room - 1];
        loop variant stop - half; */
    while (half < stop) entries[to++] = entries[half++];
    below->end = to;
    below->open = first;
}

/* ---- settle and wanted ---- */

/* Half of it, towards minus infinity. */
/*@ total;
    assigns \nothing;
    ensures \result == (budget >= 0 ? budget / 2 : (budget - 1) / 2); */
static int64_t half_of(int64_t budget) { return budget / 2 - (budget % 2 < 0); }

/*@ requires valid_view(view) && \valid(doing) && \separated(doing, view);
    total;
    assigns *doing;
    ensures valid_walk(doing) && doing->answered == 0 && doing->most == view->room; */
static void begin(walk *doing, const fc_view *view, int64_t budget, int asking) {
    doing->answered = 0;
    doing->waiting = 0;
    doing->most = view->room;
    doing->units = view->units;
    doing->weight = view->weight;
    doing->low = half_of(budget);
    doing->heft = INT64_MAX - view->left;
    doing->asking = asking;
    doing->heavy = 0;
    doing->damaged = 0;
}

/*@ requires has_memory(view) && in_bounds(view) && levels_in(&view->levels[0], view->room);
    requires valid_walk(doing) && \separated(doing, view) && doing->most <= view->room;
    total;
    assigns view->answered, view->hidden, view->weight, view->left, view->perhaps, view->levels[0].stop;
    ensures valid_view(view);
    ensures view->units == \old(view->units) && view->hidden >= \old(view->hidden);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int set_settled(fc_view *view, const walk *doing) {
    const int64_t lines = view->units - view->hidden;
    if (doing->answered < (uint64_t)lines || doing->answered == 0) view->hidden += (int64_t)doing->answered;
    view->answered = doing->answered;
    view->weight = doing->weight;
    view->left = INT64_MAX - doing->heft;
    view->perhaps = doing->weight <= doing->low;
    bound_leaves(view);
    return doing->damaged ? FC_DAMAGED : FC_OK;
}

/*@ requires has_memory(view) && in_bounds(view) && levels_in(&view->levels[0], view->room);
    total;
    assigns view->levels[0 .. LEVELS - 1], view->entries[0 .. view->room - 1];
    ensures has_memory(view) && in_bounds(view) && levels_in(&view->levels[0], view->room); */
static void drop_all(fc_view *view) {
    int64_t size = 2;
    /*@ loop invariant 1 <= on <= LEVELS && 2 <= size;
        loop invariant has_memory(view) && in_bounds(view) && levels_in(&view->levels[0], view->room);
        loop assigns on, size, view->levels[0 .. LEVELS - 1], view->entries[0 .. view->room - 1];
        loop variant LEVELS - on; */
    for (int on = 1; on < LEVELS && size <= FC_MOST_UNITS; on++) {
        //@ assert level_in(&view->levels[on], view->room) && level_in(&view->levels[on - 1], view->room);
        drop_under(view->entries, &view->levels[on], &view->levels[on - 1], size) /*@ ghost (view->room) */;
        /*@ assert \forall integer i; 0 <= i < LEVELS && i != on - 1 ==> level_in(&view->levels[i], view->room); */
        size *= 2;
    }
}

/*@ requires valid_view(view) && \valid_read(by) && valid_order(*by) && \separated(view, by);
    requires elsewhere(by, view->entries) && elsewhere(by, view->blocks);
    total;
    assigns *view, view->entries[0 .. view->room - 1], view->blocks[0 .. 2 * view->room - 1];
    ensures valid_view(view) && view->units == \old(view->units) && view->hidden >= \old(view->hidden);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int settle(fc_view *view, int64_t budget, const order *by) {
    walk doing;
    begin(&doing, view, budget, 0);
    if (by->name == FC_SMALLEST_FIRST)
        merge_by_size(&doing, view->entries, view->blocks, &view->levels[0]) /*@ ghost (view->room) */;
    if (by->name != FC_SMALLEST_FIRST || doing.heavy) {
        merge_pairs(&doing, view->entries, &view->levels[0], view->blocks, by) /*@ ghost (view->room) */;
        drop_all(view);
    }
    return set_settled(view, &doing);
}

/* Fill a level of the copy, and merge on it. Where the copy ends then. */
/*@ requires valid_view(view) && valid_walk(doing) && doing->most == view->room && \separated(doing, view);
    requires elsewhere(doing, view->entries) && elsewhere(doing, view->blocks);
    requires \valid(levels + (0 .. LEVELS - 1)) && \separated(levels + (0 .. LEVELS - 1), doing, view);
    requires elsewhere(levels, view->entries) && elsewhere(levels, view->blocks);
    requires 1 <= on < LEVELS && 2 <= size <= FC_MOST_UNITS && doing->low < doing->weight && end <= 2 * view->room;
    requires level_in(levels + (on - 1), 2 * view->room);
    total;
    assigns *doing, levels[on - 1 .. on], view->entries[view->room .. 3 * view->room - 1],
      view->blocks[0 .. view->room - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && \result <= 2 * view->room;
    ensures level_in(levels + (on - 1), 2 * view->room);
    ensures level_in(levels + on, 2 * view->room);
    ensures has_memory(view);
    ensures in_bounds(view);
    ensures levels_in(&view->levels[0], view->room);
    ensures leaves_bounded(view); */
static size_t ask_level(const fc_view *view, walk *doing, level *levels, int on, int64_t size, size_t end) {
    const size_t most = 2 * view->room;
    entry *filled = view->entries + view->room;
    level *own = &levels[on], *below = &levels[on - 1];
    //@ assert level_in(&view->levels[on], view->room);
    end = fill_level(filled, most, own, below, view->entries, &view->levels[on], end);
    merge_level(doing, filled, view->blocks, own, below, size) /*@ ghost (most) */;
    return end;
}

/* The copy, level by level, on which is merged as soon as a level is there. */
/*@ requires valid_view(view) && valid_walk(doing) && doing->most == view->room && \separated(doing, view);
    requires elsewhere(doing, view->entries) && elsewhere(doing, view->blocks);
    requires \valid(levels + (0 .. LEVELS - 1)) && \separated(levels + (0 .. LEVELS - 1), doing, view);
    requires elsewhere(levels, view->entries) && elsewhere(levels, view->blocks);
    total;
    assigns *doing, levels[0 .. LEVELS - 1], view->entries[view->room .. 3 * view->room - 1],
      view->blocks[0 .. view->room - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures has_memory(view) && in_bounds(view);
    ensures levels_in(&view->levels[0], view->room);
    ensures leaves_bounded(view); */
static void ask_by_size(const fc_view *view, walk *doing, level *levels) {
    const level nothing = {0, 0, 0, 0};
    int64_t size = 2;
    //@ assert level_in(&view->levels[0], view->room);
    size_t end = fill_level(view->entries + view->room, 2 * view->room, &levels[0], &nothing, view->entries,
                            &view->levels[0], 0);
    /*@ loop invariant 1 <= on <= LEVELS && 2 <= size <= FC_MOST_UNITS + FC_MOST_UNITS && end <= 2 * view->room;
        loop invariant level_in(levels + (on - 1), 2 * view->room);
        loop invariant valid_walk(doing) && same_walk(doing, Pre, Here);
        loop invariant has_memory(view) && in_bounds(view);
        loop invariant levels_in(&view->levels[0], view->room);
        loop invariant leaves_bounded(view);
        loop assigns on, size, end, *doing, levels[0 .. LEVELS - 1],
          view->entries[view->room .. 3 * view->room - 1], view->blocks[0 .. view->room - 1];
        loop variant LEVELS - on; */
    for (int on = 1; on < LEVELS && goes_on(doing, size); on++) {
        end = ask_level(view, doing, levels, on, size, end);
        size *= 2;
    }
}

/* The whole copy. */
/*@ requires valid_view(view) && \valid(levels + (0 .. LEVELS - 1)) && \separated(levels + (0 .. LEVELS - 1), view);
    requires elsewhere(levels, view->entries) && elsewhere(levels, view->blocks);
    total;
    assigns levels[0 .. LEVELS - 1], view->entries[view->room .. 3 * view->room - 1];
    ensures levels_in(levels, 2 * view->room) && valid_view(view); */
static void fill(const fc_view *view, level *levels) {
    const level nothing = {0, 0, 0, 0};
    const size_t most = 2 * view->room;
    entry *filled = view->entries + view->room;
    //@ assert level_in(&view->levels[0], view->room);
    size_t end = fill_level(filled, most, &levels[0], &nothing, view->entries, &view->levels[0], 0);
    /*@ loop invariant 1 <= on <= LEVELS && end <= most;
        loop invariant \forall integer i; 0 <= i < on ==> level_in(levels + i, most);
        loop assigns on, end, levels[0 .. LEVELS - 1], filled[0 .. most - 1];
        loop variant LEVELS - on; */
    for (int on = 1; on < LEVELS; on++) {
        //@ assert level_in(&view->levels[on], view->room) && level_in(levels + (on - 1), most);
        end = fill_level(filled, most, &levels[on], &levels[on - 1], view->entries, &view->levels[on], end);
    }
}

/* The last answer has so many blocks. */
/*@ requires valid_view(view) && answered <= view->room;
    total;
    assigns view->answered;
    ensures valid_view(view); */
static void answer_with(fc_view *view, size_t answered) { view->answered = answered; }

/*@ requires valid_view(view) && \valid_read(by) && valid_order(*by) && \separated(view, by);
    requires elsewhere(by, view->entries) && elsewhere(by, view->blocks);
    total;
    assigns view->answered, view->entries[view->room .. 3 * view->room - 1], view->blocks[0 .. 2 * view->room - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int ask(fc_view *view, int64_t budget, const order *by) {
    level levels[LEVELS];
    walk doing;
    begin(&doing, view, budget, 1);
    if (by->name == FC_SMALLEST_FIRST) ask_by_size(view, &doing, levels);
    if (by->name != FC_SMALLEST_FIRST || doing.heavy) {
        begin(&doing, view, budget, 1);
        fill(view, levels);
        merge_pairs(&doing, view->entries + view->room, levels, view->blocks, by) /*@ ghost (2 * view->room) */;
    }
    answer_with(view, doing.answered);
    return doing.damaged ? FC_DAMAGED : FC_OK;
}

/*@ requires valid_view(view) && (name < CALLERS_OWN || (name == CALLERS_OWN && before == &callers_before));
    requires outcome == \null || (\valid(outcome) && \separated(view, outcome));
    total;
    ensures valid_view(view) && view->units == \old(view->units) && view->hidden >= \old(view->hidden);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static RARE int settle_above(fc_view *view, int64_t budget, uint32_t name, fc_before before, void *context,
                             int *outcome) {
    const order by = {name, before, context};
    const int64_t low = half_of(budget);
    if (view->perhaps && view->weight > low) {
        int status = settle(view, budget, &by);
        if (status != FC_OK) return status;
    }
    if (outcome != NULL) *outcome = view->weight > low ? FC_STUCK : FC_SETTLED;
    return FC_OK;
}

/*@ requires valid_view(view) && (name < CALLERS_OWN || (name == CALLERS_OWN && before == &callers_before));
    requires outcome == \null || (\valid(outcome) && \separated(view, outcome));
    total;
    ensures valid_view(view) && view->units == \old(view->units) && view->hidden >= \old(view->hidden);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static OFTEN int settle_by(fc_view *view, int64_t budget, uint32_t name, fc_before before, void *context,
                           int *outcome) {
    view->answered = 0;
    if (view->weight > budget) return settle_above(view, budget, name, before, context, outcome);
    if (outcome != NULL) *outcome = FC_FITS;
    return FC_OK;
}

/*@ requires valid_view(view) && (name < CALLERS_OWN || (name == CALLERS_OWN && before == &callers_before));
    total;
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int wanted_by(fc_view *view, int64_t budget, uint32_t name, fc_before before, void *context) {
    const order by = {name, before, context};
    view->answered = 0;
    return view->weight <= budget || view->room == 0 ? FC_OK : ask(view, budget, &by);
}

/*@ requires valid_view(view) && (outcome == \null || (\valid(outcome) && \separated(view, outcome)));
    total;
    ensures valid_view(view) && view->units == \old(view->units) && view->hidden >= \old(view->hidden); */
int fc_settle(fc_view *view, int64_t budget, uint32_t rank, int *outcome) {
    return rank < CALLERS_OWN ? settle_by(view, budget, rank, NULL, NULL, outcome) : FC_BAD_ARGUMENT;
}

/*@ requires valid_view(view) && (outcome == \null || (\valid(outcome) && \separated(view, outcome)));
    requires before == \null || before == &callers_before;
    total;
    ensures valid_view(view) && view->units == \old(view->units) && view->hidden >= \old(view->hidden); */
int fc_settle_by(fc_view *view, int64_t budget, fc_before before, void *context, int *outcome) {
    return before != NULL ? settle_by(view, budget, CALLERS_OWN, before, context, outcome) : FC_BAD_ARGUMENT;
}

/*@ requires valid_view(view);
    total;
    ensures valid_view(view); */
int fc_wanted(fc_view *view, int64_t budget, uint32_t rank) {
    return rank < CALLERS_OWN ? wanted_by(view, budget, rank, NULL, NULL) : FC_BAD_ARGUMENT;
}

/*@ requires valid_view(view) && (before == \null || before == &callers_before);
    total;
    ensures valid_view(view); */
int fc_wanted_by(fc_view *view, int64_t budget, fc_before before, void *context) {
    return before != NULL ? wanted_by(view, budget, CALLERS_OWN, before, context) : FC_BAD_ARGUMENT;
}

/* ---- cover, save and load ---- */

/* A reader of the lines, oldest first: where it is on each level, and in units. */
typedef struct {
    size_t at[LEVELS];
    int64_t start;
    int on; /* the level of the last line */
} reader;

/*@ predicate reading(reader *from, level *levels) =
      (\forall integer on; 0 <= on < LEVELS ==> levels[on].first <= from->at[on] <= levels[on].end)
      && 0 <= from->start && 0 <= from->on < LEVELS; */

/*@ requires valid_view(view) && \valid(from) && \separated(from, view);
    total;
    assigns *from;
    ensures reading(from, &view->levels[0]) && from->start == 0; */
static void begin_reading(reader *from, const fc_view *view) {
    /*@ loop invariant 0 <= on <= LEVELS;
        loop invariant \forall integer i; 0 <= i < on ==> from->at[i] == view->levels[i].first;
        loop assigns on, from->at[0 .. LEVELS - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) from->at[on] = view->levels[on].first;
    from->start = 0;
    from->on = 0;
    //@ assert \forall integer i; 0 <= i < LEVELS ==> level_in(&view->levels[i], view->room);
}

/* Whether the next line is on this level. */
/*@ requires valid_view(view) && \valid(from) && \separated(from, view) && elsewhere(from, view->entries);
    requires reading(from, &view->levels[0]) && 0 <= on < LEVELS;
    total;
    assigns from->at[on];
    ensures reading(from, &view->levels[0]) && from->start == \old(from->start) && from->on == \old(from->on);
    ensures \result != 0 ==> from->at[on] < view->levels[on].end; */
static int is_next(reader *from, const fc_view *view, int on) {
    const size_t end = view->levels[on].end;
    size_t at = from->at[on];
    //@ assert level_in(&view->levels[on], view->room);
    /*@ loop invariant view->levels[on].first <= at <= end;
        loop assigns at;
        loop variant end - at; */
    while (at < end && !is_line(&view->entries[at])) at += 1;
    from->at[on] = at;
    return at < end && start_of(&view->entries[at]) == from->start;
}

/* The level of the next line: that of the last one, if it is on that, else the lowest. LEVELS behind the last line. */
/*@ requires valid_view(view) && \valid(from) && \separated(from, view) && elsewhere(from, view->entries);
    requires reading(from, &view->levels[0]);
    total;
    assigns from->at[0 .. LEVELS - 1];
    ensures reading(from, &view->levels[0]) && from->start == \old(from->start) && from->on == \old(from->on);
    ensures 0 <= \result <= LEVELS && (\result < LEVELS ==> from->at[\result] < view->levels[\result].end); */
static int level_of_next(reader *from, const fc_view *view) {
    if (is_next(from, view, from->on)) return from->on;
    /*@ loop invariant 0 <= on <= LEVELS && reading(from, &view->levels[0]);
        loop invariant from->start == \at(from->start, Pre) && from->on == \at(from->on, Pre);
        loop assigns on, from->at[0 .. LEVELS - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++)
        if (is_next(from, view, on)) return on;
    return LEVELS;
}

/* The next line; NULL behind the last. */
/*@ requires valid_view(view) && \valid(from) && \separated(from, view) && elsewhere(from, view->entries);
    requires reading(from, &view->levels[0]) && from->start <= FC_MOST_UNITS;
    total;
    assigns *from;
    ensures reading(from, &view->levels[0]) && from->start <= FC_MOST_UNITS;
    ensures \result == \null || (\valid_read(\result) && 1 <= from->start); */
static const entry *next_line(reader *from, const fc_view *view) {
    const int on = level_of_next(from, view);
    if (on == LEVELS) return NULL;
    const int64_t size = size_on(on);
    if (size > view->units - from->start) return NULL;
    //@ assert level_in(&view->levels[on], view->room);
    const entry *line = &view->entries[from->at[on]];
    from->at[on] += 1;
    from->start += size;
    from->on = on;
    return line;
}

/*@ requires valid_view(view) && \valid(blocks + (0 .. room - 1)) && \separated(view, blocks + (0 .. room - 1));
    requires weights == \null || (\valid(weights + (0 .. room - 1)) && \separated(view, weights + (0 .. room - 1)));
    requires elsewhere(blocks, view->entries) && (weights == \null || elsewhere(weights, view->entries));
    total;
    assigns blocks[0 .. room - 1], weights[0 .. room - 1];
    ensures valid_view(view); */
int fc_cover(const fc_view *view, fc_block *blocks, int64_t *weights, size_t room) {
    reader from;
    if (room < (uint64_t)fc_lines(view)) return FC_BAD_ARGUMENT;
    begin_reading(&from, view);
    /*@ loop invariant 0 <= shown <= room && valid_view(view);
        loop invariant reading(&from, &view->levels[0]) && from.start <= FC_MOST_UNITS;
        loop assigns shown, from, blocks[0 .. room - 1], weights[0 .. room - 1];
        loop variant room - shown; */
    for (size_t shown = 0; shown < room; shown++) {
        const int64_t start = from.start;
        const entry *line = next_line(&from, view);
        if (line == NULL) break;
        const int64_t weight = line->weight;
        if (weights != NULL) weights[shown] = weight;
        blocks[shown].start = start;
        blocks[shown].size = size_on(from.on);
    }
    return FC_OK;
}

/*@ requires \valid(node);
    total;
    assigns *node;
    ensures node->size == size && node->weight == weight && node->kind == kind && node->span == span; */
static void set(fc_node *node, int64_t size, int64_t weight, uint32_t kind, uint32_t span) {
    node->size = size;
    node->weight = weight;
    node->kind = kind;
    node->span = span;
}

/*@ total;
    assigns \nothing;
    ensures \result <= FC_MOST_NODES; */
static uint32_t span_of(uint32_t older, uint32_t newer) {
    return (uint32_t)least(FC_MOST_NODES, (size_t)older + newer + 1);
}

/*@ logic integer two_to(integer power) = power <= 0 ? 1 : 2 * two_to(power - 1); */

/* The level of the newest tree of so many units: their last binary digit that is one. So each older tree is larger. */
/*@ requires 1 <= units <= FC_MOST_UNITS;
    total;
    assigns \nothing;
    ensures 0 <= \result < LEVELS;
    ensures \result + 1 == LEVELS || \exists integer odd; odd % 2 == 1 && units == odd * two_to(\result); */
static int newest_tree(int64_t units) {
    int on = 0;
    /*@ loop invariant 0 <= on < LEVELS && 1 <= units && \at(units, Pre) == units * two_to(on);
        loop assigns on, units;
        loop variant units; */
    while (units % 2 == 0 && on + 1 < LEVELS) {
        //@ assert two_to(on + 1) == 2 * two_to(on);
        units /= 2;
        on += 1;
    }
    return on;
}

/* Add the Splits that end where the last line does, up to the newest tree. `spans` are those of the older halves that
 * wait for their newer ones. How many nodes there are then. */
/*@ requires valid_view(view) && \valid_read(from) && reading(from, &view->levels[0]);
    requires 1 <= from->start <= FC_MOST_UNITS;
    requires saved <= room && \valid(nodes + (0 .. room - 1)) && \valid(spans + (0 .. LEVELS - 1));
    requires \separated(nodes + (0 .. room - 1), view, from, spans + (0 .. LEVELS - 1));
    requires \separated(spans + (0 .. LEVELS - 1), view, from);
    requires elsewhere(nodes, view->entries) && elsewhere(spans, view->entries);
    total;
    assigns nodes[saved .. room - 1], spans[0 .. LEVELS - 1];
    ensures saved <= \result <= room; */
static size_t save_splits(const reader *from, const fc_view *view, fc_node *nodes, size_t saved, size_t room,
                          uint32_t *spans) {
    const int top = newest_tree(from->start);
    int on = from->on;
    uint32_t span = 1;
    //@ ghost size_t before = saved;
    /*@ loop invariant from->on <= on < LEVELS && before <= saved <= room;
        loop assigns on, span, saved, nodes[before .. room - 1];
        loop variant LEVELS - on; */
    while (on < top && saved < room) {
        span = span_of(spans[on], span);
        on += 1;
        const int64_t size = size_on(on), start = from->start - size;
        //@ assert level_in(&view->levels[on], view->room);
        const size_t at = start < 0 ? NONE : find(view->entries, &view->levels[0], on, start, view->units);
        if (at == NONE) {
            set(&nodes[saved], size, 0, FC_SPLIT, span);
        } else {
            const int64_t weight = view->entries[at].weight;
            set(&nodes[saved], size, weight, FC_WRITTEN, span);
        }
        saved += 1;
    }
    spans[on] = span;
    return saved;
}

/*@ requires valid_view(view) && \valid(nodes + (0 .. room - 1)) && \separated(view, nodes + (0 .. room - 1));
    requires elsewhere(nodes, view->entries);
    total;
    assigns nodes[0 .. room - 1];
    ensures valid_view(view); */
int fc_save(const fc_view *view, fc_node *nodes, size_t room) {
    uint32_t spans[LEVELS] = {0};
    reader from;
    if (room < fc_nodes(view)) return FC_BAD_ARGUMENT;
    begin_reading(&from, view);
    /*@ loop invariant 0 <= saved <= room && valid_view(view);
        loop invariant reading(&from, &view->levels[0]) && from.start <= FC_MOST_UNITS;
        loop assigns saved, from, spans[0 .. LEVELS - 1], nodes[0 .. room - 1];
        loop variant room - saved; */
    for (size_t saved = 0; saved < room;) {
        const entry *line = next_line(&from, view);
        if (line == NULL) break;
        const int64_t weight = line->weight;
        const uint32_t kind = line->mark % KINDS == LEAF ? FC_LEAF : FC_MERGED;
        set(&nodes[saved], size_on(from.on), weight, kind, 1);
        saved = save_splits(&from, view, nodes, saved + 1, room, spans);
    }
    return FC_OK;
}

/* What is known of nodes that were read up to some point. */
typedef struct {
    int64_t units;
    int64_t lines;
    int64_t weight;
    int64_t left;
    uint32_t span;          /* of the last node */
    int due;                /* the level on which a Split must come next; 0 where a line must */
    uint32_t spans[LEVELS]; /* of the older halves that wait for their newer ones */
    size_t listed;          /* so many of these nodes a view lists */
} tally;

#ifdef __FRAMAC__
#define valid_tally(so_far, read) \
    (\valid(so_far) && 0 <= (so_far)->lines <= (so_far)->units <= FC_MOST_UNITS \
     && sums((so_far)->units - (so_far)->lines, (so_far)->units, (so_far)->weight, (so_far)->left) \
     && 0 <= (so_far)->due < LEVELS && (so_far)->listed <= (read))
#endif

/*@ requires \valid_read(node);
    total;
    assigns \nothing; */
static int is_shown(const fc_node *node) { return node->kind == FC_LEAF || node->kind == FC_MERGED; }

/* Whether a node may stand where a Split must, or a line. */
/*@ requires valid_tally(so_far, read) && \valid_read(node) && 0 <= on < LEVELS && 1 <= node->size;
    total;
    assigns \nothing; */
static int may_stand(const tally *so_far, const fc_node *node, int on) /*@ ghost (size_t read) */ {
    const int due = so_far->due;
    if (due == 0)
        return node->span == 1 && (node->kind == FC_MERGED || (node->kind == FC_LEAF && on == 0))
               && so_far->units % node->size == 0;
    return on == due && (node->kind == FC_WRITTEN || (node->kind == FC_SPLIT && node->weight == 0))
           && node->span == span_of(so_far->spans[due - 1], so_far->span);
}

/* Read one more node. Says whether it can stand there. */
/*@ requires valid_tally(so_far, read) && read < FC_MOST_NODES && \valid_read(node) && \separated(so_far, node);
    total;
    assigns *so_far;
    ensures \result == FC_OK ==> valid_tally(so_far, read + 1);
    ensures \result == FC_OK || \result == FC_BAD_VIEW || \result == FC_OVERFLOW; */
static int read_node(tally *so_far, const fc_node *node) /*@ ghost (size_t read) */ {
    const int on = level_of(node->size);
    const int64_t left = spend(so_far->left, node->weight);
    if (on == LEVELS || !may_stand(so_far, node, on) /*@ ghost (read) */) return FC_BAD_VIEW;
    if (left < 0) return FC_OVERFLOW;
    if (is_shown(node)) {
        if (node->size > FC_MOST_UNITS - so_far->units) return FC_OVERFLOW;
        so_far->units += node->size;
        so_far->lines += 1;
        so_far->weight += node->weight;
    }
    so_far->left = left;
    so_far->span = node->span;
    if (node->kind != FC_SPLIT) so_far->listed += 1;
    if (on + 1 < LEVELS && so_far->units / node->size % 2 == 0) {
        so_far->due = on + 1;
    } else {
        so_far->due = 0;
        so_far->spans[on] = node->span;
    }
    return FC_OK;
}

/*@ requires \valid(so_far) && valid_tally(so_far, 0) && count <= FC_MOST_NODES;
    requires \valid_read(nodes + (0 .. count - 1));
    requires \separated(so_far, nodes + (0 .. count - 1));
    total;
    assigns *so_far;
    ensures \result == FC_OK ==> valid_tally(so_far, count);
    ensures \result == FC_OK || \result == FC_BAD_VIEW || \result == FC_OVERFLOW; */
static int read_nodes(tally *so_far, const fc_node *nodes, size_t count) {
    /*@ loop invariant 0 <= at <= count && valid_tally(so_far, at);
        loop assigns at, *so_far;
        loop variant count - at; */
    for (size_t at = 0; at < count; at++) {
        int status = read_node(so_far, &nodes[at]) /*@ ghost (at) */;
        if (status != FC_OK) return status;
    }
    return so_far->due == 0 ? FC_OK : FC_BAD_VIEW;
}

/* List a node on its level, if there is room. */
/*@ requires \valid(levels + (0 .. LEVELS - 1)) && levels_in(levels, room) && room <= FC_MOST_NODES;
    requires \valid(entries + (0 .. room - 1)) && \valid_read(node);
    requires \separated(levels + (0 .. LEVELS - 1), entries + (0 .. room - 1));
    requires 0 <= start <= FC_MOST_UNITS;
    total;
    assigns entries[0 .. room - 1], levels[0 .. LEVELS - 1];
    ensures levels_in(levels, room); */
static void list_node(entry *entries, level *levels, const fc_node *node, int64_t start) /*@ ghost (size_t room) */ {
    const uint64_t kind = node->kind == FC_LEAF ? LEAF : node->kind == FC_MERGED ? MERGED : WRITTEN;
    const int64_t weight = node->weight;
    const int on = level_of(node->size);
    if (on == LEVELS) return;
    //@ assert level_in(levels + on, room);
    const size_t end = levels[on].end;
    if (end >= levels[on].stop) return;
    entries[end].weight = weight;
    entries[end].mark = (uint64_t)start * KINDS + kind;
    levels[on].end = end + 1;
    //@ assert \forall integer i; 0 <= i < LEVELS && i != on ==> level_in(levels + i, room);
}

/* List nodes that were read, on levels that are laid out for them. */
/*@ requires \valid(levels + (0 .. LEVELS - 1)) && levels_in(levels, room) && room <= FC_MOST_NODES;
    requires \valid(entries + (0 .. room - 1)) && \valid_read(nodes + (0 .. count - 1));
    requires \separated(levels + (0 .. LEVELS - 1), entries + (0 .. room - 1));
    total;
    assigns entries[0 .. room - 1], levels[0 .. LEVELS - 1];
    ensures levels_in(levels, room); */
static void list_nodes(entry *entries, level *levels, const fc_node *nodes,
                       size_t count) /*@ ghost (size_t room) */ {
    int64_t units = 0;
    /*@ loop invariant 0 <= at <= count && 0 <= units <= FC_MOST_UNITS && levels_in(levels, room);
        loop assigns at, units, entries[0 .. room - 1], levels[0 .. LEVELS - 1];
        loop variant count - at; */
    for (size_t at = 0; at < count; at++) {
        const fc_node *node = &nodes[at];
        const int64_t size = node->size, more = is_shown(node) ? size : 0;
        if (size < 1 || size > FC_MOST_UNITS || more > FC_MOST_UNITS - units) break;
        units += more;
        if (node->kind != FC_SPLIT && size <= units)
            list_node(entries, levels, node, units - size) /*@ ghost (room) */;
    }
}

/* Levels with nothing in them but room for these nodes, one level over the other. */
/*@ requires \valid(levels + (0 .. LEVELS - 1)) && \valid_read(nodes + (0 .. count - 1)) && count <= FC_MOST_NODES;
    total;
    assigns levels[0 .. LEVELS - 1];
    ensures levels_in(levels, FC_MOST_NODES); */
static void count_out(level *levels, const fc_node *nodes, size_t count) {
    /*@ loop invariant 0 <= on <= LEVELS && \forall integer i; 0 <= i < on ==> level_in(levels + i, 0);
        loop assigns on, levels[0 .. LEVELS - 1];
        loop variant LEVELS - on; */
    for (int on = 0; on < LEVELS; on++) {
        level *now = &levels[on];
        now->first = now->open = now->end = now->stop = 0;
    }
    /*@ loop invariant 0 <= at <= count && levels_in(levels, at);
        loop assigns at, levels[0 .. LEVELS - 1];
        loop variant count - at; */
    for (size_t at = 0; at < count; at++) {
        const int on = nodes[at].kind == FC_SPLIT ? LEVELS : level_of(nodes[at].size);
        //@ assert \forall integer i; 0 <= i < LEVELS ==> level_in(levels + i, at);
        if (on == LEVELS) continue;
        levels[on].end += 1;
        levels[on].stop = levels[on].end;
    }
}

/* Let a view list these nodes, `listed` of them; there is room. */
/*@ requires valid_view(view) && sums(hidden, units, weight, left) && count <= FC_MOST_NODES;
    requires \valid_read(nodes + (0 .. count - 1)) && 2 * (listed + LEVELS) <= view->room;
    total;
    assigns *view, view->entries[0 .. view->room - 1];
    ensures valid_view(view); */
static void take_over(fc_view *view, const fc_node *nodes, size_t count, size_t listed, int64_t units, int64_t hidden,
                      int64_t weight, int64_t left) {
    count_out(&view->levels[0], nodes, count);
    lay_out(&view->levels[0], listed, view->room);
    fc_reset(view);
    list_nodes(view->entries, &view->levels[0], nodes, count) /*@ ghost (view->room) */;
    view->units = units;
    view->hidden = hidden;
    view->weight = weight;
    view->left = left;
    view->perhaps = 1;
    //@ assert in_bounds(view);
    //@ assert has_memory(view);
    bound_leaves(view);
}

/* Make room for so many entries. */
/*@ requires valid_view(view);
    total;
    assigns books, view->entries, view->blocks, view->room,
      \at(view->entries, Post)[0 .. 3 * \at(view->room, Post) - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_NO_MEMORY;
    ensures \result == FC_OK ==> 2 * (count + LEVELS) <= view->room; */
static int reserve(fc_view *view, size_t count) {
    const size_t room = room_for(count);
    if (room == 0) return FC_NO_MEMORY;
    return room > view->room ? grow(view, room) : FC_OK;
}

/*@ requires valid_view(view) && \valid_read(nodes + (0 .. count - 1));
    total;
    ensures valid_view(view); */
int fc_load(fc_view *view, const fc_node *nodes, size_t count) {
    tally all = {0};
    if (count > FC_MOST_NODES) return FC_NO_MEMORY;
    all.left = INT64_MAX;
    int status = read_nodes(&all, nodes, count);
    //@ assert valid_view(view);
    if (status != FC_OK) return status;
    const int64_t units = all.units, hidden = units - all.lines, weight = all.weight, left = all.left;
    const size_t listed = all.listed;
    status = reserve(view, listed);
    if (status == FC_OK) take_over(view, nodes, count, listed, units, hidden, weight, left);
    return status;
}
