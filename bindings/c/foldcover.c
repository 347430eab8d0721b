/* The rule on one flat array.
 *
 * A view is kept as a postfix expression, oldest node first, so nothing here needs a stack or recursion:
 *
 *     close    appends the unit, then a Split behind it for each carry: the sizes tell when
 *     write    walks down to one node and marks it
 *     settle   takes the ready pairs in the order of the rank and merges them in place, then closes the gaps
 *     wanted   does the same on a copy on which missing lines weigh 0
 *
 * A merge leaves the nodes under its block in place, dead: the block's own node is the last of its span, and the first
 * is marked DEAD with the same span, so that a reader from either side steps over them. Indices stay valid that way
 * until the gaps are closed, which is done from the newest end and only when a quarter of the nodes are dead.
 *
 * `picks` lists the ready pairs at all times. So a settle costs what it merges, not what the view holds.
 */
#include "foldcover.h"

#define NONE UINT32_MAX
#define DEAD 0u
#define MOST_CARRIES 48
#define CALLERS_OWN 2u /* the rank of fc_settle_by and fc_wanted_by */
#define FIRST_ROOM ((size_t)128)

/* A pair that may be merged: its block, and where its Split stands. */
typedef struct {
    fc_block block;
    size_t at;
} pick;

/* Where the nodes begin that are to move when gaps are closed, what starts there, and how many before it are dead. */
typedef struct {
    size_t at;
    int64_t start;
    size_t dead;
} cut;

/* A rank: one of the named ones, or the caller's. */
typedef struct {
    uint32_t name;
    fc_before before;
    void *context;
} order;

struct fc_view {
    fc_allocator memory;
    fc_node *nodes; /* the view: `length` nodes, `dead` of them dead, in room for `room` */
    size_t length;
    size_t dead;
    pick *picks; /* `ready` pairs that have their line, in room for `room` / 2: first `sorted` that the last settle */
    size_t ready; /* left in the order of its rank, then `strays` in no order, then those written since */
    size_t sorted;
    size_t strays;
    size_t room;
    fc_node *spare_nodes; /* this and the next four: work space for a view of `work_room` nodes */
    pick *spare_picks;
    pick *made;
    pick *heap;
    fc_block *blocks;
    size_t work_room;
    size_t answered; /* how many of `blocks` are the last answer */
    int64_t units;
    int64_t lines;
    int64_t weight; /* of the shown lines */
    int64_t heft;   /* the absolute weights of all lines, shown and written: what keeps every sum within 64 bits */
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
      && (bytes % sizeof(fc_node) == 0 ==> \valid((fc_node *)block + (0 .. bytes / sizeof(fc_node) - 1)))
      && (bytes % sizeof(pick) == 0 ==> \valid((pick *)block + (0 .. bytes / sizeof(pick) - 1)))
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
/*@ predicate two_apart(fc_view *view, fc_node *nodes, pick *picks) =
      elsewhere(view, nodes) && elsewhere(view, picks) && apart(nodes, picks);

    predicate mutually_apart(fc_node *nodes, pick *picks, pick *made, pick *heap, fc_block *blocks) =
      apart(nodes, picks) && apart(nodes, made) && apart(nodes, heap) && apart(nodes, blocks) && apart(picks, made)
      && apart(picks, heap) && apart(picks, blocks) && apart(made, heap) && apart(made, blocks) && apart(heap, blocks);

    predicate none_of(void *block, fc_node *nodes, pick *picks, pick *made, pick *heap, fc_block *blocks) =
      block == \null
      || (block != nodes && block != picks && block != made && block != heap && block != blocks);

    predicate five_apart(fc_view *view, fc_node *nodes, pick *picks, pick *made, pick *heap, fc_block *blocks) =
      elsewhere(view, nodes) && elsewhere(view, picks) && elsewhere(view, made) && elsewhere(view, heap)
      && elsewhere(view, blocks) && mutually_apart(nodes, picks, made, heap, blocks);

    predicate apart_from_five(void *block, fc_node *nodes, pick *picks, pick *made, pick *heap, fc_block *blocks) =
      apart(block, nodes) && apart(block, picks) && apart(block, made) && apart(block, heap) && apart(block, blocks);

    predicate two_owned(fc_node *nodes, pick *picks, integer room) =
      owned(nodes, room * sizeof(fc_node)) && owned(picks, room / 2 * sizeof(pick));

    predicate five_owned(fc_node *nodes, pick *picks, pick *made, pick *heap, fc_block *blocks, integer room) =
      owned(nodes, room * sizeof(fc_node)) && owned(picks, room / 2 * sizeof(pick))
      && owned(made, room / 2 * sizeof(pick)) && owned(heap, room / 2 * sizeof(pick))
      && owned(blocks, room / 2 * sizeof(fc_block));

    predicate two_valid(fc_node *nodes, pick *picks, integer room) =
      room <= FC_MOST_NODES && (nodes == \null || picks == \null ==> room == 0)
      && \valid(nodes + (0 .. room - 1)) && \valid(picks + (0 .. room / 2 - 1));

    predicate five_valid(fc_node *nodes, pick *picks, pick *made, pick *heap, fc_block *blocks, integer room) =
      room <= FC_MOST_NODES
      && (nodes == \null || picks == \null || made == \null || heap == \null || blocks == \null ==> room == 0)
      && \valid(nodes + (0 .. room - 1)) && \valid(picks + (0 .. room / 2 - 1)) && \valid(made + (0 .. room / 2 - 1))
      && \valid(heap + (0 .. room / 2 - 1)) && \valid(blocks + (0 .. room / 2 - 1));

    predicate counts(integer length, integer room, integer dead, integer ready, integer sorted, integer strays,
                     integer answered, integer work_room) =
      length <= room && dead <= length && ready <= room / 2 && sorted + strays <= ready && answered <= work_room / 2;

    predicate sums(integer lines, integer units, integer weight, integer heft) =
      0 <= lines <= units <= FC_MOST_UNITS && -heft <= weight <= heft;
*/

#ifdef __FRAMAC__
/* What is said of a view, as macros: so it speaks of the values of its fields and holds on by itself as long as these
 * stay what they are. */
#define arrays_valid(view) two_valid((view)->nodes, (view)->picks, (view)->room)
#define arrays_owned(view) two_owned((view)->nodes, (view)->picks, (view)->room)
#define arrays_apart(view) two_apart(view, (view)->nodes, (view)->picks)
#define work_of(view) (view)->spare_nodes, (view)->spare_picks, (view)->made, (view)->heap, (view)->blocks
#define work_valid(view) five_valid(work_of(view), (view)->work_room)
#define work_owned(view) five_owned(work_of(view), (view)->work_room)
#define work_apart(view) five_apart(view, work_of(view))
#define all_apart(view) \
    (apart_from_five((view)->nodes, work_of(view)) && apart_from_five((view)->picks, work_of(view)))
#define callers_memory(memory) \
    ((memory)->allocate == &callers_allocate && (memory)->release == &callers_release)

/* The memory of a view, each piece its own and its bounds known. */
#define has_memory(view) \
    (\valid(view) && held(view, sizeof(fc_view)) && callers_memory(&(view)->memory) && arrays_valid(view) \
     && arrays_owned(view) && arrays_apart(view) && work_valid(view) && work_owned(view) && work_apart(view) \
     && all_apart(view))
#define in_bounds(view) \
    (counts((view)->length, (view)->room, (view)->dead, (view)->ready, (view)->sorted, (view)->strays, \
            (view)->answered, (view)->work_room) \
     && sums((view)->lines, (view)->units, (view)->weight, (view)->heft))

/* What every function finds and leaves. Nothing is said of what nodes and picks hold: they are checked where they are
 * read. */
#define valid_view(view) (has_memory(view) && in_bounds(view))

#define same(field, Before, After) \at(field, Before) == \at(field, After)
#define same_counts(view, Before, After) \
    (same((view)->units, Before, After) && same((view)->lines, Before, After))
#define same_nodes(view, Before, After) \
    (\forall integer i; 0 <= i < \at((view)->length, Before) ==> \
     same((view)->nodes[i].size, Before, After) && same((view)->nodes[i].weight, Before, After) \
     && same((view)->nodes[i].kind, Before, After) && same((view)->nodes[i].span, Before, After))
#define same_weights(view, Before, After) \
    (same((view)->weight, Before, After) && same((view)->heft, Before, After))
#define same_measures(view, Before, After) \
    (same_counts(view, Before, After) && same_weights(view, Before, After) && same((view)->length, Before, After))
#define same_allocator(view, Before, After) \
    (same((view)->memory.allocate, Before, After) && same((view)->memory.release, Before, After))
#define same_pointers(view, Before, After) \
    (same((view)->nodes, Before, After) && same((view)->picks, Before, After) \
     && same((view)->spare_nodes, Before, After) && same((view)->spare_picks, Before, After))
#define same_work(view, Before, After) \
    (same((view)->made, Before, After) && same((view)->heap, Before, After) && same((view)->blocks, Before, After))
#define same_rooms(view, Before, After) \
    (same((view)->room, Before, After) && same((view)->work_room, Before, After))
#define same_memory(view, Before, After) \
    (same_allocator(view, Before, After) && same_pointers(view, Before, After) && same_work(view, Before, After) \
     && same_rooms(view, Before, After))
#define same_lengths(view, Before, After) \
    (same((view)->length, Before, After) && same((view)->dead, Before, After) && same((view)->ready, Before, After))
#define same_parts(view, Before, After) \
    (same((view)->sorted, Before, After) && same((view)->strays, Before, After) \
     && same((view)->answered, Before, After))
#define same_view(view, Before, After) \
    (same_memory(view, Before, After) && same_counts(view, Before, After) && same_weights(view, Before, After) \
     && same_lengths(view, Before, After) && same_parts(view, Before, After))

#define valid_order(by) \
    ((by).name < CALLERS_OWN || ((by).name == CALLERS_OWN && (by).before == &callers_before))
#endif

/* ---- nodes ---- */

/*@ logic integer two_to(integer power) = power <= 0 ? 1 : 2 * two_to(power - 1);

    // The units under the roots of the first `length` nodes.
    logic integer covered(fc_node *nodes, integer length) =
      length <= 0 || nodes[length - 1].span < 1 ? 0 :
      nodes[length - 1].size + covered(nodes, length - nodes[length - 1].span);

    // Whether the sizes of these roots are powers of two that strictly increase from the newest to the oldest, from
    // 2^least on.
    predicate rising(fc_node *nodes, integer length, integer least) =
      length <= 0 || (1 <= nodes[length - 1].span <= length && 1 <= nodes[length - 1].size
        && \exists integer power; least <= power <= MOST_CARRIES && nodes[length - 1].size == two_to(power)
          && rising(nodes, length - nodes[length - 1].span, power + 1));
*/

/*@ requires \valid_read(node);
    total;
    assigns \nothing; */
static int is_line(const fc_node *node) { return node->kind == FC_LEAF || node->kind == FC_MERGED; }

/*@ requires \valid_read(node);
    total;
    assigns \nothing; */
static int is_split(const fc_node *node) { return node->kind == FC_SPLIT || node->kind == FC_WRITTEN; }

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

/*@ requires \valid(found);
    total;
    assigns *found; */
static void set_pick(pick *found, size_t at, int64_t start, int64_t size) {
    found->block.start = start;
    found->block.size = size;
    found->at = at;
}

/* The absolute value of a weight, -1 if 64 bits do not hold it. */
/*@ total;
    assigns \nothing;
    ensures weight == INT64_MIN ? \result == -1 : \result == \abs(weight); */
static int64_t magnitude(int64_t weight) {
    if (weight == INT64_MIN) return -1;
    return weight < 0 ? -weight : weight;
}

/* Whether a block of this size is one, and there is room for it. */
/*@ total;
    assigns \nothing;
    ensures \result != 0 <==> 1 <= size <= room; */
static int fits(int64_t size, int64_t room) { return size >= 1 && size <= room; }

/* Where the older half of the Split at `at` is; NONE if the spans make no sense. */
/*@ requires at <= FC_MOST_NODES && \valid_read(nodes + (0 .. at - 1));
    total;
    assigns \nothing;
    ensures \result == NONE || \result == at - 1 - nodes[at - 1].span;
    ensures \result == NONE || \result < at; */
static size_t older_of(const fc_node *nodes, size_t at) {
    if (at == 0 || nodes[at - 1].span >= at) return NONE;
    return at - 1 - nodes[at - 1].span;
}

/* Whether the Split at `at` shows two lines. */
/*@ requires at <= FC_MOST_NODES && \valid_read(nodes + (0 .. at - 1));
    total;
    assigns \nothing; */
static int is_pair(const fc_node *nodes, size_t at) {
    size_t older = older_of(nodes, at);
    return older != NONE && is_line(&nodes[at - 1]) && is_line(&nodes[older]);
}

/* The span of a Split that stands at `at`. */
/*@ requires at <= FC_MOST_NODES && \valid_read(nodes + (0 .. at - 1));
    total;
    assigns \nothing;
    ensures 1 <= \result <= at + 1; */
static uint32_t span_at(const fc_node *nodes, size_t at) {
    size_t older = older_of(nodes, at);
    if (older == NONE || nodes[older].span > older + 1) return 1;
    return 1 + nodes[at - 1].span + nodes[older].span;
}

/* The first node at or after `at` that lives. */
/*@ requires length <= FC_MOST_NODES && \valid_read(nodes + (0 .. length - 1));
    total;
    assigns \nothing;
    ensures at < length ==> at <= \result < length;
    ensures at >= length ==> \result == at; */
static size_t alive(const fc_node *nodes, size_t length, size_t at) {
    if (at < length && nodes[at].kind == DEAD && nodes[at].span > 0 && nodes[at].span <= length - at)
        return at + nodes[at].span - 1;
    return at;
}

/* Copy the nodes from `from` on to `to` on, without the dead, spans mended. `out` may be `nodes`, if to <= from: what
 * lies before `to` there must be what lies before `from`. Where the copy ends. */
/*@ requires to <= from <= length <= FC_MOST_NODES && to <= room;
    requires \valid_read(nodes + (0 .. length - 1)) && \valid(out + (0 .. room - 1));
    total;
    assigns out[to .. room - 1];
    ensures to <= \result <= room && \result <= length; */
static size_t copy_alive(const fc_node *nodes, size_t length, size_t from, fc_node *out, size_t to, size_t room) {
    /*@ loop invariant \at(from, Pre) <= from <= length && \at(to, Pre) <= to <= room && to <= from;
        loop assigns from, to, out[\at(to, Pre) .. room - 1];
        loop variant length - from; */
    for (; from < length && to < room; from++) {
        from = alive(nodes, length, from);
        fc_node node = nodes[from];
        node.span = is_split(&nodes[from]) ? span_at(out, to) : 1;
        out[to++] = node;
    }
    return to;
}

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

/*@ requires \valid_read(memory) && callers_memory(memory) && count <= FC_MOST_NODES;
    total;
    assigns books;
    ensures \forall void *block, integer bytes; held{Old}(block, bytes) ==> held(block, bytes);
    ensures \result != \null ==> held(\result, count * sizeof(fc_node)) && \valid(\result + (0 .. count - 1));
    ensures \result != \null ==>
      \forall void *block, integer bytes; held{Old}(block, bytes) ==> \base_addr(block) != \base_addr(\result); */
static fc_node *allocate_nodes(const fc_allocator *memory, size_t count) {
    return allocate(memory, count, sizeof(fc_node));
}

/*@ requires \valid_read(memory) && callers_memory(memory) && count <= FC_MOST_NODES;
    total;
    assigns books;
    ensures \forall void *block, integer bytes; held{Old}(block, bytes) ==> held(block, bytes);
    ensures \result != \null ==> held(\result, count * sizeof(pick)) && \valid(\result + (0 .. count - 1));
    ensures \result != \null ==>
      \forall void *block, integer bytes; held{Old}(block, bytes) ==> \base_addr(block) != \base_addr(\result); */
static pick *allocate_picks(const fc_allocator *memory, size_t count) {
    return allocate(memory, count, sizeof(pick));
}

/*@ requires \valid_read(memory) && callers_memory(memory) && count <= FC_MOST_NODES;
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

/* The room to make when `need` nodes must fit: a power of two. 0 if that is too much. */
/*@ total;
    assigns \nothing;
    ensures need > FC_MOST_NODES ? \result == 0 : need <= \result && 0 < \result <= FC_MOST_NODES; */
static size_t room_for(size_t need) {
    size_t room = FC_MOST_NODES;
    if (need > FC_MOST_NODES) return 0;
    /*@ loop invariant need <= room && 0 < room <= FC_MOST_NODES;
        loop assigns room;
        loop variant room; */
    while (room > FIRST_ROOM && room / 2 >= need) room /= 2;
    return room;
}

/*@ requires \valid(to + (0 .. count - 1)) && \valid_read(from + (0 .. count - 1));
    total;
    assigns to[0 .. count - 1];
    behavior separate:
      assumes \separated(to + (0 .. count - 1), from + (0 .. count - 1));
      ensures \forall integer i; 0 <= i < count ==>
        to[i].size == \old(from[i].size) && to[i].span == \old(from[i].span); */
static void copy_nodes(fc_node *to, const fc_node *from, size_t count) {
    /*@ loop invariant 0 <= index <= count;
        for separate: loop invariant \forall integer i; 0 <= i < index ==>
          to[i].size == \at(from[i].size, Pre) && to[i].span == \at(from[i].span, Pre);
        loop assigns index, to[0 .. count - 1];
        loop variant count - index; */
    for (size_t index = 0; index < count; index++) to[index] = from[index];
}

/*@ requires \valid(to + (0 .. count - 1)) && \valid_read(from + (0 .. count - 1));
    total;
    assigns to[0 .. count - 1]; */
static void copy_picks(pick *to, const pick *from, size_t count) {
    /*@ loop invariant 0 <= index <= count;
        loop assigns index, to[0 .. count - 1];
        loop variant count - index; */
    for (size_t index = 0; index < count; index++) to[index] = from[index];
}

/*@ requires valid_view(view);
    total;
    assigns books;
    ensures held(view, sizeof(fc_view)) && work_owned(view);
    ensures \forall void *block, integer bytes; held{Old}(block, bytes) && block != view->nodes
      && block != view->picks ==> held(block, bytes); */
static void release_arrays(const fc_view *view) {
    release(&view->memory, view->nodes, view->room, sizeof *view->nodes);
    //@ assert held(view, sizeof(fc_view)) && work_owned(view);
    release(&view->memory, view->picks, view->room / 2, sizeof *view->picks);
    //@ assert held(view, sizeof(fc_view)) && work_owned(view);
}

#ifdef __FRAMAC__
#define is_new(view, block) \
    (elsewhere(view, block) && apart(block, (view)->nodes) && apart(block, (view)->picks) \
     && apart_from_five(block, work_of(view)))
#endif

/*@ requires \valid(nodes + (0 .. length - 1)) && \valid_read(from + (0 .. length - 1));
    requires \valid(picks + (0 .. ready - 1)) && \valid_read(from_picks + (0 .. ready - 1));
    requires (from == \null ==> length == 0) && apart(nodes, from) && apart(picks, from) && elsewhere(nodes, picks);
    requires nodes != \null && picks != \null;
    total;
    assigns nodes[0 .. length - 1], picks[0 .. ready - 1];
    ensures covered(nodes, length) == \old(covered(from, length));
    ensures \old(rising(from, length, 0)) ==> rising(nodes, length, 0); */
static void copy_both(fc_node *nodes, const fc_node *from, size_t length, pick *picks, const pick *from_picks,
                      size_t ready) {
    copy_nodes(nodes, from, length);
    copy_picks(picks, from_picks, ready);
    /*@ assert \forall integer i; 0 <= i < length ==>
          nodes[i].size == \at(from[i].size, Pre) && nodes[i].span == \at(from[i].span, Pre); */
    /*@ ghost
        size_t seen = 0;
        /@ loop invariant 0 <= seen <= length;
           loop invariant \forall integer n; n <= seen ==> covered(nodes, n) == covered{Pre}(from, n);
           loop invariant \forall integer n, least; n <= seen && rising{Pre}(from, n, least)
             ==> rising(nodes, n, least);
           loop assigns seen;
           loop variant length - seen; @/
        while (seen < length) {
            /@ assert nodes[seen].size == \at(from[\at(seen, Here)].size, Pre); @/
            /@ assert nodes[seen].span == \at(from[\at(seen, Here)].span, Pre); @/
            /@ assert nodes[seen].span < 1 || covered(nodes, seen + 1 - nodes[seen].span)
                 == covered{Pre}(from, seen + 1 - nodes[seen].span); @/
            /@ assert covered(nodes, seen + 1) == covered{Pre}(from, seen + 1); @/
            /@ assert \forall integer least; rising{Pre}(from, seen + 1, least)
                 ==> rising(nodes, seen + 1, least); @/
            seen++;
        }
    */
}

/*@ requires valid_view(view) && is_new(view, nodes) && is_new(view, picks) && elsewhere(nodes, picks);
    requires nodes != \null && picks != \null;
    requires \valid(nodes + (0 .. view->length - 1)) && \valid(picks + (0 .. view->ready - 1));
    total;
    assigns nodes[0 .. view->length - 1], picks[0 .. view->ready - 1];
    ensures valid_view(view) && same_measures(view, Pre, Here);
    ensures covered(nodes, view->length) == \old(covered(view->nodes, view->length));
    ensures \old(rising(view->nodes, view->length, 0)) ==> rising(nodes, view->length, 0); */
static void copy_arrays(const fc_view *view, fc_node *nodes, pick *picks) {
    copy_both(nodes, view->nodes, view->length, picks, view->picks, view->ready);
    //@ assert same_view(view, Pre, Here);
}

/*@ requires \valid(view) && held(view, sizeof(fc_view)) && callers_memory(&view->memory);
    requires work_valid(view) && work_owned(view) && work_apart(view) && in_bounds(view);
    requires is_new(view, nodes) && is_new(view, picks) && elsewhere(nodes, picks);
    requires view->room <= room <= FC_MOST_NODES && \valid(nodes + (0 .. room - 1))
      && \valid(picks + (0 .. room / 2 - 1)) && nodes != \null && picks != \null;
    requires held(nodes, room * sizeof(fc_node)) && held(picks, room / 2 * sizeof(pick));
    total;
    assigns view->nodes, view->picks, view->room;
    ensures valid_view(view);
    ensures view->nodes == nodes && view->picks == picks && view->room == room; */
static void set_arrays(fc_view *view, fc_node *nodes, pick *picks, size_t room) {
    view->nodes = nodes;
    view->picks = picks;
    view->room = room;
    //@ assert in_bounds(view);
}

/* Make room for `need` nodes in the view. Of m nodes fewer than half are Splits, so room for half as many pairs. */
/*@ requires valid_view(view);
    total;
    assigns books, view->nodes, view->picks, view->room, \at(view->nodes, Post)[0 .. \at(view->room, Post) - 1],
      \at(view->picks, Post)[0 .. \at(view->room, Post) / 2 - 1];
    ensures valid_view(view) && same_measures(view, Pre, Here);
    ensures covered(view->nodes, view->length) == \old(covered(view->nodes, view->length));
    ensures \old(rising(view->nodes, view->length, 0)) ==> rising(view->nodes, view->length, 0);
    ensures \result == FC_OK || \result == FC_NO_MEMORY;
    ensures \result == FC_OK ==> need <= view->room;
    ensures \result != FC_OK ==> same_memory(view, Pre, Here) && same_nodes(view, Pre, Here); */
static int reserve(fc_view *view, size_t need) {
    if (need <= view->room) return FC_OK;
    size_t room = room_for(need);
    if (room == 0) return FC_NO_MEMORY;
    fc_node *nodes = allocate_nodes(&view->memory, room);
    pick *picks = allocate_picks(&view->memory, room / 2);
    //@ assert nodes == \null || is_new(view, nodes);
    //@ assert picks == \null || is_new(view, picks);
    //@ assert nodes == \null || picks == \null || elsewhere(nodes, picks);
    //@ assert held(view, sizeof(fc_view)) && arrays_owned(view) && work_owned(view);
    //@ assert valid_view(view);
    if (nodes == NULL || picks == NULL) {
        release(&view->memory, nodes, room, sizeof *nodes);
        release(&view->memory, picks, room / 2, sizeof *picks);
        //@ assert held(view, sizeof(fc_view));
        //@ assert arrays_owned(view);
        //@ assert work_owned(view);
        return FC_NO_MEMORY;
    }
    copy_arrays(view, nodes, picks);
    release_arrays(view);
    //@ assert held(view, sizeof(fc_view));
    //@ assert held(nodes, room * sizeof(fc_node));
    //@ assert held(picks, room / 2 * sizeof(pick));
    set_arrays(view, nodes, picks, room);
    return FC_OK;
}

#ifdef __FRAMAC__
#define apart_from_arrays(view, block) \
    (elsewhere(view, block) && apart((view)->nodes, block) && apart((view)->picks, block))
#endif

/*@ requires \valid(view);
    total;
    assigns view->spare_nodes, view->spare_picks, view->made, view->heap, view->blocks, view->work_room,
      view->answered;
    ensures view->spare_nodes == \null && view->spare_picks == \null && view->made == \null && view->heap == \null
      && view->blocks == \null && view->work_room == 0 && view->answered == 0; */
static void forget_work(fc_view *view) {
    view->spare_nodes = NULL;
    view->spare_picks = NULL;
    view->made = NULL;
    view->heap = NULL;
    view->blocks = NULL;
    view->work_room = 0;
    view->answered = 0;
}

/*@ requires \valid_read(memory) && callers_memory(memory) && room <= FC_MOST_NODES;
    requires five_owned(nodes, picks, made, heap, blocks, room) && mutually_apart(nodes, picks, made, heap, blocks);
    total;
    assigns books;
    ensures \forall void *block, integer bytes; owned{Old}(block, bytes)
      && none_of(block, nodes, picks, made, heap, blocks) ==> owned(block, bytes); */
static void release_five(const fc_allocator *memory, fc_node *nodes, pick *picks, pick *made, pick *heap,
                         fc_block *blocks, size_t room) {
    release(memory, nodes, room, sizeof *nodes);
    release(memory, picks, room / 2, sizeof *picks);
    release(memory, made, room / 2, sizeof *made);
    release(memory, heap, room / 2, sizeof *heap);
    release(memory, blocks, room / 2, sizeof *blocks);
}

/*@ requires valid_view(view);
    total;
    assigns books, view->spare_nodes, view->spare_picks, view->made, view->heap, view->blocks, view->work_room,
      view->answered;
    ensures valid_view(view) && view->work_room == 0;
    ensures view->spare_nodes == \null && view->spare_picks == \null && view->made == \null && view->heap == \null
      && view->blocks == \null; */
static void release_work(fc_view *view) {
    release_five(&view->memory, view->spare_nodes, view->spare_picks, view->made, view->heap, view->blocks,
                 view->work_room);
    //@ assert held(view, sizeof(fc_view));
    forget_work(view);
    //@ assert in_bounds(view);
}

/*@ requires valid_view(view) && view->answered == 0;
    requires five_valid(nodes, picks, made, heap, blocks, room) && five_owned(nodes, picks, made, heap, blocks, room);
    requires five_apart(view, nodes, picks, made, heap, blocks);
    requires apart_from_five(view->nodes, nodes, picks, made, heap, blocks);
    requires apart_from_five(view->picks, nodes, picks, made, heap, blocks);
    total;
    assigns view->spare_nodes, view->spare_picks, view->made, view->heap, view->blocks, view->work_room;
    ensures valid_view(view) && view->work_room == room; */
static void set_work(fc_view *view, fc_node *nodes, pick *picks, pick *made, pick *heap, fc_block *blocks,
                     size_t room) {
    view->spare_nodes = nodes;
    view->spare_picks = picks;
    view->made = made;
    view->heap = heap;
    view->blocks = blocks;
    view->work_room = room;
    //@ assert in_bounds(view);
}

/* Make work space for a view of `need` nodes. */
/*@ requires valid_view(view);
    total;
    assigns books, view->spare_nodes, view->spare_picks, view->made, view->heap, view->blocks, view->work_room,
      view->answered;
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_NO_MEMORY;
    ensures \result == FC_OK ==> need <= view->work_room; */
static int reserve_work(fc_view *view, size_t need) {
    if (need <= view->work_room) return FC_OK;
    size_t room = room_for(need);
    if (room == 0) return FC_NO_MEMORY;
    release_work(view);
    const fc_allocator *memory = &view->memory;
    fc_node *nodes = allocate_nodes(memory, room);
    pick *picks = allocate_picks(memory, room / 2), *made = allocate_picks(memory, room / 2);
    pick *heap = allocate_picks(memory, room / 2);
    fc_block *blocks = allocate_blocks(memory, room / 2);
    //@ assert valid_view(view);
    //@ assert apart_from_arrays(view, nodes);
    //@ assert apart_from_arrays(view, picks);
    //@ assert apart_from_arrays(view, made);
    //@ assert apart_from_arrays(view, heap);
    //@ assert apart_from_arrays(view, blocks);
    //@ assert five_owned(nodes, picks, made, heap, blocks, room);
    //@ assert mutually_apart(nodes, picks, made, heap, blocks);
    if (nodes != NULL && picks != NULL && made != NULL && heap != NULL && blocks != NULL) {
        set_work(view, nodes, picks, made, heap, blocks, room);
        return FC_OK;
    }
    //@ assert owned(view->nodes, view->room * sizeof(fc_node));
    //@ assert owned(view->picks, view->room / 2 * sizeof(pick));
    //@ assert none_of(view->nodes, nodes, picks, made, heap, blocks);
    //@ assert none_of(view->picks, nodes, picks, made, heap, blocks);
    release_five(memory, nodes, picks, made, heap, blocks, room);
    //@ assert held(view, sizeof(fc_view));
    //@ assert owned(view->nodes, view->room * sizeof(fc_node));
    //@ assert owned(view->picks, view->room / 2 * sizeof(pick));
    return FC_NO_MEMORY;
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
    view->nodes = NULL;
    view->picks = NULL;
    view->room = 0;
    forget_work(view);
    fc_reset(view);
    return view;
}

/*@ requires view == \null || valid_view(view);
    total;
    assigns books, *view; */
void fc_free(fc_view *view) {
    if (view == NULL) return;
    release_work(view);
    release_arrays(view);
    release(&view->memory, view, 1, sizeof *view); /* nothing of the view is read after the caller has it back */
}

/*@ requires \valid(view);
    total;
    assigns view->length, view->dead, view->ready, view->sorted, view->strays, view->answered, view->units,
      view->lines, view->weight, view->heft;
    ensures view->length == 0 && view->dead == 0 && view->ready == 0 && view->sorted == 0 && view->strays == 0
      && view->answered == 0 && view->units == 0 && view->lines == 0 && view->weight == 0 && view->heft == 0;
    ensures \old(valid_view(view)) ==> valid_view(view); */
void fc_reset(fc_view *view) {
    view->length = 0;
    view->dead = 0;
    view->ready = 0;
    view->sorted = 0;
    view->strays = 0;
    view->answered = 0;
    view->units = 0;
    view->lines = 0;
    view->weight = 0;
    view->heft = 0;
}

/*@ requires valid_view(view);
    total;
    assigns view->answered;
    ensures valid_view(view) && same_measures(view, Pre, Here) && view->answered == 0; */
static void forget_answer(fc_view *view) { view->answered = 0; }

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
    ensures \result == view->lines; */
int64_t fc_lines(const fc_view *view) { return view->lines; }

/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result == view->weight; */
int64_t fc_weight(const fc_view *view) { return view->weight; }

/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result == view->length - view->dead; */
size_t fc_nodes(const fc_view *view) { return view->length - view->dead; }

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

/*@ ghost
    /@ requires \valid_read(nodes + (0 .. length - 1));
       total;
       assigns \nothing;
       ensures \forall integer n, least; n <= length && rising(nodes, n, least) ==> 0 <= covered(nodes, n); @/
    void no_roots_cover_less_than_nothing(fc_node *nodes, size_t length) {
        size_t seen = 0;
        /@ loop invariant 0 <= seen <= length;
           loop invariant \forall integer n, least; n <= seen && rising(nodes, n, least) ==> 0 <= covered(nodes, n);
           loop assigns seen;
           loop variant length - seen; @/
        while (seen < length) seen++;
    }
*/

/*@ ghost
    /@ total;
   assigns \nothing;
       ensures \forall integer less, more; 0 <= less < more <= MOST_CARRIES ==> 2 * two_to(less) <= two_to(more); @/
    void powers_increase(void) {
        int power = 0;
        /@ loop invariant 0 <= power <= MOST_CARRIES && 1 <= two_to(power);
           loop invariant \forall integer less, more; 0 <= less < more <= power ==> 2 * two_to(less) <= two_to(more);
           loop invariant \forall integer less; 0 <= less <= power ==> two_to(less) <= two_to(power);
           loop assigns power;
           loop variant MOST_CARRIES - power; @/
        while (power < MOST_CARRIES) {
            /@ assert two_to(power + 1) == 2 * two_to(power); @/
            power++;
        }
    }
*/

/*@ ghost
    /@ total;
   assigns \nothing;
       ensures two_to(MOST_CARRIES) == FC_MOST_UNITS; @/
    void the_most_is_a_power(void) {}
*/

/* Append a unit and its carries to `length` nodes; there is room for 1 + MOST_CARRIES more. The new length. */
/*@ requires length + 1 + MOST_CARRIES <= FC_MOST_NODES && \valid(nodes + (0 .. length + MOST_CARRIES));
    total;
    assigns nodes[length .. length + MOST_CARRIES];
    ensures length < \result <= length + 1 + MOST_CARRIES;
    ensures nodes[length].kind == FC_LEAF && nodes[length].size == 1 && nodes[length].weight == weight;
    ensures \result - length <= nodes[\result - 1].span <= \result && 1 <= nodes[\result - 1].size;
    behavior increment:
      assumes rising(nodes, length, 0) && covered(nodes, length) < FC_MOST_UNITS;
      ensures nodes[\result - 1].size == two_to(\result - 1 - length);
      ensures rising{Old}(nodes, \result - nodes[\result - 1].span, \result - length);
      ensures nodes[\result - 1].size + covered{Old}(nodes, \result - nodes[\result - 1].span)
        == 1 + covered{Old}(nodes, length); */
static size_t carry(fc_node *nodes, size_t length, int64_t weight) {
    size_t top = length, low = length; /* the newest tree: nodes[low] up to nodes[top] */
    int64_t size = 1;
    //@ ghost no_roots_cover_less_than_nothing(nodes, length);
    //@ ghost powers_increase();
    set(&nodes[top], size, weight, FC_LEAF, 1);
    /*@ loop invariant 0 <= carries <= MOST_CARRIES && top == length + carries && low <= length;
        loop invariant 1 <= size <= FC_MOST_UNITS && size == two_to(top - length);
        loop invariant nodes[top].size == size && nodes[top].span == top + 1 - low;
        loop invariant nodes[length].kind == FC_LEAF && nodes[length].size == 1 && nodes[length].weight == weight;
        for increment: loop invariant rising{Pre}(nodes, low, carries);
        for increment: loop invariant size + covered{Pre}(nodes, low) == 1 + covered{Pre}(nodes, length);
        loop assigns carries, top, low, size, nodes[length .. length + MOST_CARRIES];
        loop variant MOST_CARRIES - carries; */
    for (int carries = 0; carries < MOST_CARRIES && low > 0; carries++) {
        const fc_node *older = &nodes[low - 1];
        //@ assert older->size == \at(nodes[\at(low, Here) - 1].size, Pre);
        //@ assert older->span == \at(nodes[\at(low, Here) - 1].span, Pre);
        //@ for increment: assert 1 <= older->span <= low && 1 <= older->size;
        //@ for increment: assert older->size == size ==> rising{Pre}(nodes, low - older->span, carries + 1);
        //@ for increment: assert covered{Pre}(nodes, low) == older->size + covered{Pre}(nodes, low - older->span);
        //@ for increment: assert 0 <= covered{Pre}(nodes, low - older->span);
        //@ for increment: assert older->size == size ==> size <= FC_MOST_UNITS / 2;
        //@ for increment: assert older->size == size || rising{Pre}(nodes, low, carries + 1);
        if (older->size != size || size > FC_MOST_UNITS / 2 || older->span > low) {
            //@ for increment: assert rising{Pre}(nodes, low, top + 1 - length);
            break;
        }
        low -= older->span;
        size *= 2;
        top += 1;
        set(&nodes[top], size, 0, FC_SPLIT, (uint32_t)(top + 1 - low));
    }
    //@ ghost the_most_is_a_power();
    //@ assert low == top + 1 - nodes[top].span && size == nodes[top].size;
    //@ for increment: assert low == 0 || 0 < covered{Pre}(nodes, low);
    //@ for increment: assert low == 0 || size < FC_MOST_UNITS;
    //@ for increment: assert low == 0 || top - length < MOST_CARRIES;
    //@ for increment: assert low == 0 || rising{Pre}(nodes, low, top + 1 - length);
    //@ assert nodes[top].size == two_to(top - length);
    //@ for increment: assert size + covered{Pre}(nodes, low) == 1 + covered{Pre}(nodes, length);
    return top + 1;
}

/*@ requires length + 1 + MOST_CARRIES <= FC_MOST_NODES && \valid(nodes + (0 .. length + MOST_CARRIES));
    total;
    assigns nodes[length .. length + MOST_CARRIES];
    ensures length < \result <= length + 1 + MOST_CARRIES;
    ensures nodes[length].kind == FC_LEAF && nodes[length].size == 1 && nodes[length].weight == weight;
    behavior increment:
      assumes rising(nodes, length, 0) && covered(nodes, length) < FC_MOST_UNITS;
      ensures rising(nodes, \result, 0) && covered(nodes, \result) == \old(covered(nodes, length)) + 1; */
static size_t append(fc_node *nodes, size_t length, int64_t weight) {
    size_t end = carry(nodes, length, weight);
    /*@ assert \forall integer i; 0 <= i < length ==>
          nodes[i].size == \at(nodes[i].size, Pre) && nodes[i].span == \at(nodes[i].span, Pre); */
    /*@ ghost
        size_t seen = 0;
        /@ loop invariant 0 <= seen <= length;
           loop invariant \forall integer n; n <= seen ==> covered(nodes, n) == covered{Pre}(nodes, n);
           loop invariant \forall integer n, least; n <= seen && rising{Pre}(nodes, n, least)
             ==> rising(nodes, n, least);
           loop assigns seen;
           loop variant length - seen; @/
        while (seen < length) {
            /@ assert nodes[seen].size == \at(nodes[\at(seen, Here)].size, Pre); @/
            /@ assert nodes[seen].span == \at(nodes[\at(seen, Here)].span, Pre); @/
            /@ assert covered(nodes, seen + 1) == covered{Pre}(nodes, seen + 1); @/
            /@ assert \forall integer least; rising{Pre}(nodes, seen + 1, least) ==> rising(nodes, seen + 1, least); @/
            seen++;
        }
    */
    return end;
}

/* Count a unit of `weight`, whose nodes end before `length`. */
/*@ requires valid_view(view) && view->length <= length <= view->room && view->units < FC_MOST_UNITS;
    requires heavy == \abs(weight) && heavy <= INT64_MAX - view->heft;
    total;
    assigns view->length, view->heft, view->weight, view->units, view->lines;
    ensures valid_view(view);
    ensures view->length == length && view->units == \old(view->units) + 1 && view->lines == \old(view->lines) + 1
      && view->weight == \old(view->weight) + weight && view->heft == \old(view->heft) + heavy;
    ensures covered(view->nodes, length) == \old(covered(view->nodes, length));
    ensures \old(rising(view->nodes, length, 0)) ==> rising(view->nodes, length, 0); */
static void count_unit(fc_view *view, size_t length, int64_t weight, int64_t heavy) {
    view->length = length;
    view->heft += heavy;
    view->weight += weight;
    view->units += 1;
    view->lines += 1;
    //@ assert in_bounds(view);
    /*@ ghost
        size_t seen = 0;
        /@ loop invariant 0 <= seen <= length;
           loop invariant \forall integer n; n <= seen ==> covered(view->nodes, n) == covered{Pre}(view->nodes, n);
           loop invariant \forall integer n, least; n <= seen && rising{Pre}(view->nodes, n, least) ==>
             rising(view->nodes, n, least);
           loop assigns seen;
           loop variant length - seen; @/
        while (seen < length) {
            /@ assert view->nodes[seen].size == \at(view->nodes[\at(seen, Here)].size, Pre); @/
            /@ assert view->nodes[seen].span == \at(view->nodes[\at(seen, Here)].span, Pre); @/
            /@ assert covered(view->nodes, seen + 1) == covered{Pre}(view->nodes, seen + 1); @/
            /@ assert \forall integer least; rising{Pre}(view->nodes, seen + 1, least) ==>
                 rising(view->nodes, seen + 1, least); @/
            seen++;
        }
    */
}

/*@ requires valid_view(view);
    total;
    assigns books, *view, \at(view->nodes, Post)[0 .. \at(view->room, Post) - 1],
      \at(view->picks, Post)[0 .. \at(view->room, Post) / 2 - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_NO_MEMORY || \result == FC_OVERFLOW;
    ensures \result == FC_OK ==> view->units == \old(view->units) + 1 && view->lines == \old(view->lines) + 1
      && view->weight == \old(view->weight) + weight;
    ensures \result != FC_OK ==>
      same_measures(view, Pre, Here) && same_memory(view, Pre, Here) && same_nodes(view, Pre, Here);
    behavior increment:
      assumes rising(view->nodes, view->length, 0) && covered(view->nodes, view->length) == view->units;
      ensures rising(view->nodes, view->length, 0) && covered(view->nodes, view->length) == view->units; */
int fc_close(fc_view *view, int64_t weight) {
    int64_t heavy = magnitude(weight);
    forget_answer(view);
    if (heavy < 0 || heavy > INT64_MAX - view->heft || view->units >= FC_MOST_UNITS) return FC_OVERFLOW;
    if (view->room - view->length <= MOST_CARRIES) {
        int status = reserve(view, view->length + 1 + MOST_CARRIES);
        if (status != FC_OK) return status;
    }
    //@ assert valid_view(view);
    //@ assert same_measures(view, Pre, Here);
    //@ assert view->length + 1 + MOST_CARRIES <= view->room;
    size_t length = append(view->nodes, view->length, weight);
    //@ assert in_bounds(view) && same_measures(view, Pre, Here);
    count_unit(view, length, weight, heavy);
    return FC_OK;
}

/* ---- write and zoom ---- */

/* The node of `block`, NONE if no node stands for just these units. */
/*@ requires length <= FC_MOST_NODES && \valid_read(nodes + (0 .. length - 1));
    total;
    assigns \nothing;
    ensures \result == NONE || \result < length; */
static size_t find(const fc_node *nodes, size_t length, int64_t units, fc_block block) {
    size_t at = length;
    int64_t stop = units; /* of the block whose node is at - 1 */
    if (block.start < 0 || block.size < 1 || block.start >= units) return NONE;
    /*@ loop invariant at <= length && 0 <= stop;
        loop assigns at, stop;
        loop variant at; */
    while (at > 0) {
        const fc_node *node = &nodes[at - 1];
        if (!fits(node->size, stop)) return NONE;
        int64_t start = stop - node->size;
        if (block.start < start) { /* it lies in what is older */
            if (node->span == 0 || node->span > at) return NONE;
            at -= node->span;
            stop = start;
        } else if (block.start == start && block.size == node->size) {
            return at - 1;
        } else if (is_line(node)) {
            return NONE;
        } else { /* in this node's newer half, or behind that in its older one */
            at -= 1;
        }
    }
    return NONE;
}

/* Let the pair at `at`, whose line was just written, be ready. */
/*@ requires valid_view(view) && view->ready < view->room / 2;
    total;
    assigns view->ready, view->picks[view->ready];
    ensures valid_view(view) && same_measures(view, Pre, Here); */
static void add_ready(fc_view *view, size_t at, fc_block block) {
    set_pick(&view->picks[view->ready], at, block.start, block.size);
    view->ready += 1;
    //@ assert same_memory(view, Pre, Here);
    //@ assert in_bounds(view);
    //@ assert same_measures(view, Pre, Here);
}

/* Mark the Split at `at` as one whose line is written. */
/*@ requires valid_view(view) && at < view->length && heavy == \abs(weight) && heavy <= INT64_MAX - view->heft;
    total;
    assigns view->nodes[at], view->heft;
    ensures valid_view(view) && view->ready == \old(view->ready);
    ensures view->units == \old(view->units) && view->lines == \old(view->lines)
      && view->weight == \old(view->weight) && view->length == \old(view->length); */
static void mark_written(fc_view *view, size_t at, int64_t weight, int64_t heavy) {
    view->nodes[at].kind = FC_WRITTEN;
    view->nodes[at].weight = weight;
    view->heft += heavy;
    //@ assert same_memory(view, Pre, Here);
    //@ assert in_bounds(view);
}

/*@ requires valid_view(view) && (wrote == \null || (\valid(wrote) && \separated(view, wrote)));
    total;
    assigns view->answered, view->heft, view->ready, view->nodes[0 .. view->length - 1], view->picks[view->ready],
      *wrote;
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_OVERFLOW;
    ensures view->units == \old(view->units) && view->lines == \old(view->lines)
      && view->weight == \old(view->weight) && view->length == \old(view->length); */
int fc_write(fc_view *view, fc_block block, int64_t weight, int *wrote) {
    int64_t heavy = magnitude(weight);
    forget_answer(view);
    if (wrote != NULL) *wrote = 0;
    size_t at = find(view->nodes, view->length, view->units, block);
    if (at == NONE || view->nodes[at].kind != FC_SPLIT) return FC_OK;
    if (heavy < 0 || heavy > INT64_MAX - view->heft) return FC_OVERFLOW;
    mark_written(view, at, weight, heavy);
    if (is_pair(view->nodes, at) && view->ready < view->room / 2) add_ready(view, at, block);
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

/* The product of two 64-bit numbers, as its upper and lower 64 bits. */
typedef struct {
    uint64_t upper;
    uint64_t lower;
} product;

/*@ total;
    assigns \nothing;
    ensures \result == one * other;
    ensures \result <= UINT32_MAX * UINT32_MAX; */
static uint64_t times(uint32_t one, uint32_t other) {
    /*@ assert one * other <= one * UINT32_MAX; */
    return (uint64_t)one * other;
}

/*@ total;
    assigns \nothing;
    ensures \result.upper * (UINT64_MAX + 1) + \result.lower == one * other; */
static product multiply(uint64_t one, uint64_t other) {
    const uint64_t word = (uint64_t)1 << 32;
    const uint32_t one_low = (uint32_t)(one % word), one_high = (uint32_t)(one / word);
    const uint32_t other_low = (uint32_t)(other % word), other_high = (uint32_t)(other / word);
    const uint64_t lows = times(one_low, other_low), highs = times(one_high, other_high);
    uint64_t middle = times(one_high, other_low) + lows / word;
    uint64_t cross = times(one_low, other_high) + middle % word;
    product result = {highs + middle / word + cross / word, cross % word * word + lows % word};
    //@ assert one == one_high * word + one_low && other == other_high * word + other_low;
    /*@ assert one * other == one_high * other_high * word * word
          + (one_high * other_low + one_low * other_high) * word + one_low * other_low; */
    //@ assert lows == lows / word * word + lows % word;
    //@ assert middle == middle / word * word + middle % word && cross == cross / word * word + cross % word;
    return result;
}

/*@ logic integer positive(integer value) = value < 0 ? 0 : value; */

/*@ total;
    assigns \nothing;
    ensures \result == positive(value); */
static int64_t at_least_0(int64_t value) { return value < 0 ? 0 : value; }

/* Whether `one` has a lesser key than `other` by age_over_size: the larger (units - start) / size, compared across;
 * 0 if the keys are equal, -1 if its key is greater. */
/*@ requires 0 <= units;
    total;
    assigns \nothing;
    ensures \let mine = positive(units - positive(one.start)) * positive(other.size);
      \let its = positive(units - positive(other.start)) * positive(one.size);
      \result == (mine > its ? 1 : mine < its ? -1 : 0); */
static int by_age_over_size(fc_block one, fc_block other, int64_t units) {
    int64_t my_age = at_least_0(units - at_least_0(one.start)), its_age = at_least_0(units - at_least_0(other.start));
    product mine = multiply((uint64_t)my_age, (uint64_t)at_least_0(other.size));
    product its = multiply((uint64_t)its_age, (uint64_t)at_least_0(one.size));
    /*@ assert mine.upper * (UINT64_MAX + 1) + mine.lower
          == positive(units - positive(one.start)) * positive(other.size); */
    /*@ assert its.upper * (UINT64_MAX + 1) + its.lower
          == positive(units - positive(other.start)) * positive(one.size); */
    if (mine.upper != its.upper) return mine.upper > its.upper ? 1 : -1;
    if (mine.lower != its.lower) return mine.lower > its.lower ? 1 : -1;
    return 0;
}

/*@ requires \valid_read(by) && by->before == &callers_before;
    total;
    assigns \nothing; */
static int by_callers_own(const order *by, fc_block one, fc_block other, int64_t units) {
    //@ calls callers_before;
    if (by->before(by->context, one, other, units)) return 1;
    //@ calls callers_before;
    return by->before(by->context, other, one, units) ? -1 : 0;
}

/* Whether `one` is taken before `other`. */
/*@ requires \valid_read(by) && valid_order(*by) && \valid_read(one) && \valid_read(other) && 0 <= units;
    total;
    assigns \nothing; */
static inline int goes_first(const order *by, const pick *one, const pick *other, int64_t units) {
    if (by->name == FC_SMALLEST_FIRST) {
        if (one->block.size != other->block.size) return one->block.size < other->block.size;
    } else {
        int less = by->name == FC_AGE_OVER_SIZE ? by_age_over_size(one->block, other->block, units)
                                                : by_callers_own(by, one->block, other->block, units);
        if (less != 0) return less > 0;
    }
    return one->block.start < other->block.start;
}

/* ---- a walk: the pairs in the order of the rank, merged one by one ---- */

/* A row of picks in the order of the rank: picks[first] up to picks[end - 1]. */
typedef struct {
    const pick *picks;
    size_t first;
    size_t end;
} row;

enum { LEFT, SINCE, MADE, ROWS };

/* What a walk works on, and where the pairs that it may still merge are waiting: in rows (left over from the last
 * settle, written since, made by merges) as long as they come in the order of the rank, which they mostly do, else in
 * a heap. */
typedef struct {
    fc_node *nodes;
    size_t length;
    row rows[ROWS];
    pick *made; /* what rows[MADE] is a part of */
    pick *heap; /* `heaped` of them */
    size_t heaped;
    fc_block *blocks; /* `answered` of them, the answer */
    size_t answered;
    size_t most; /* room in made, heap and blocks */
    order by;
    int64_t units;
    int64_t weight;
    int64_t heft;
    int64_t low;
    int asking; /* missing lines count as written with weight 0, and only they are listed */
    int damaged; /* something did not fit together: merging ends there */
} walk;

/* What goes first: the row to take from, ROWS if none; and the pick that goes first of all others, NULL if none. */
typedef struct {
    int number;
    const pick *limit;
} turn;

/*@ predicate waiting(pick *picks, integer first, integer end) = first <= end && \valid_read(picks + (0 .. end - 1));

    predicate walk_in(walk *doing, fc_node *nodes, integer length, pick *made, pick *heap, fc_block *blocks,
                      integer most) =
      elsewhere(doing, nodes) && elsewhere(doing, made) && elsewhere(doing, heap) && elsewhere(doing, blocks)
      && length <= FC_MOST_NODES && most <= FC_MOST_NODES / 2 && \valid(nodes + (0 .. length - 1))
      && \valid(made + (0 .. most - 1)) && \valid(heap + (0 .. most - 1)) && \valid(blocks + (0 .. most - 1));
*/

#ifdef __FRAMAC__
#define waits(now) waiting((now)->picks, (now)->first, (now)->end)
#define walk_arrays(doing) \
    walk_in(doing, (doing)->nodes, (doing)->length, (doing)->made, (doing)->heap, (doing)->blocks, (doing)->most)
#define walk_rows(doing) \
    (waits(&(doing)->rows[LEFT]) && waits(&(doing)->rows[SINCE]) && waits(&(doing)->rows[MADE]) \
     && (doing)->rows[MADE].picks == (doing)->made && (doing)->rows[MADE].end <= (doing)->most)
#define walk_counts(doing) ((doing)->heaped <= (doing)->most && (doing)->answered <= (doing)->most)
#define walk_sums(doing) \
    (valid_order((doing)->by) && 0 <= (doing)->units && -(doing)->heft <= (doing)->weight <= (doing)->heft)
#define valid_walk(doing) \
    (\valid(doing) && walk_arrays(doing) && walk_rows(doing) && walk_counts(doing) && walk_sums(doing))

#define same_walk(doing, Before, After) \
    (same((doing)->nodes, Before, After) && same((doing)->length, Before, After) \
     && same((doing)->made, Before, After) && same((doing)->heap, Before, After) \
     && same((doing)->blocks, Before, After) && same((doing)->most, Before, After))
#define same_answer(doing, Before, After) same((doing)->answered, Before, After)
#endif

/*@ requires valid_walk(doing) && \valid_read(one) && \valid_read(other);
    total;
    assigns \nothing; */
static int comes_first(const walk *doing, const pick *one, const pick *other) {
    return goes_first(&doing->by, one, other, doing->units);
}

/*@ requires valid_walk(doing) && (number == LEFT || number == SINCE) && \valid_read(picks + (0 .. end - 1));
    total;
    assigns doing->rows[number];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void set_row(walk *doing, int number, const pick *picks, size_t end) {
    row *now = &doing->rows[number];
    now->picks = picks;
    now->first = 0;
    now->end = end;
}

/* Where a pick goes in a heap with a hole at `at`: up from there as long as it goes first. */
/*@ requires \valid(heap + (0 .. at)) && \valid_read(found) && \valid_read(by) && valid_order(*by) && 0 <= units;
    requires elsewhere(by, heap) && at <= FC_MOST_NODES;
    total;
    assigns heap[0 .. at]; */
static void sift_up(pick *heap, size_t at, const pick *found, const order *by, int64_t units) {
    /*@ loop invariant at <= \at(at, Pre);
        loop assigns at, heap[0 .. \at(at, Pre)];
        loop variant at; */
    while (at > 0) {
        size_t parent = (at - 1) / 2;
        if (!goes_first(by, found, &heap[parent], units)) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = *found;
}

/* Fill the hole at the top of a heap of `count` with its last pick, heap[count]: down as long as others go first. */
/*@ requires \valid(heap + (0 .. count)) && \valid_read(by) && valid_order(*by) && 0 <= units;
    requires elsewhere(by, heap) && count <= FC_MOST_NODES;
    total;
    assigns heap[0 .. count]; */
static void sift_down(pick *heap, size_t count, const order *by, int64_t units) {
    const pick *moving = &heap[count];
    size_t at = 0;
    /*@ loop invariant at <= count;
        loop assigns at, heap[0 .. count];
        loop variant count - at; */
    while (2 * at + 1 < count) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && goes_first(by, &heap[child + 1], &heap[child], units)) child += 1;
        if (!goes_first(by, &heap[child], moving, units)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = *moving;
}

/*@ requires valid_walk(doing) && \valid_read(found);
    total;
    assigns doing->heaped, doing->heap[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void heap_put(walk *doing, const pick *found) {
    if (doing->heaped >= doing->most) return;
    sift_up(doing->heap, doing->heaped, found, &doing->by, doing->units);
    doing->heaped += 1;
}

/*@ requires valid_walk(doing);
    total;
    assigns doing->heaped, doing->heap[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void heap_drop_first(walk *doing) {
    if (doing->heaped == 0) return;
    doing->heaped -= 1;
    sift_down(doing->heap, doing->heaped, &doing->by, doing->units);
}

/* Let picks[index] wait: behind the `end` that make a row if it goes there in order, else in the heap. The new end. */
/*@ requires valid_walk(doing) && end <= index < FC_MOST_NODES;
    requires \valid(picks + (0 .. index)) && elsewhere(doing, picks);
    total;
    assigns doing->heaped, doing->heap[0 .. doing->most - 1], picks[end];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here);
    ensures end <= \result <= end + 1; */
static size_t line_up_one(walk *doing, pick *picks, size_t end, size_t index) {
    if (end > 0 && comes_first(doing, &picks[index], &picks[end - 1])) {
        heap_put(doing, &picks[index]);
        return end;
    }
    picks[end] = picks[index];
    //@ assert waits(&doing->rows[LEFT]);
    //@ assert waits(&doing->rows[SINCE]);
    //@ assert waits(&doing->rows[MADE]);
    return end + 1;
}

/* Let `count` picks wait: in row `number` as far as they are in order, in the heap what is not. */
/*@ requires valid_walk(doing) && (number == LEFT || number == SINCE);
    requires count <= FC_MOST_NODES && \valid(picks + (0 .. count - 1)) && elsewhere(doing, picks);
    total;
    assigns doing->heaped, doing->heap[0 .. doing->most - 1], doing->rows[number], picks[0 .. count - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void line_up(walk *doing, int number, pick *picks, size_t count) {
    size_t end = 0;
    /*@ loop invariant 0 <= index <= count && end <= index && valid_walk(doing);
        loop invariant same_walk(doing, Pre, Here);
        loop assigns index, end, doing->heaped, doing->heap[0 .. doing->most - 1], picks[0 .. count - 1];
        loop variant count - index; */
    for (size_t index = 0; index < count; index++) end = line_up_one(doing, picks, end, index);
    set_row(doing, number, picks, end);
}

/* Let `count` picks wait in the heap. */
/*@ requires valid_walk(doing) && \valid_read(picks + (0 .. count - 1));
    total;
    assigns doing->heaped, doing->heap[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void heap_up(walk *doing, const pick *picks, size_t count) {
    /*@ loop invariant 0 <= index <= count && valid_walk(doing);
        loop invariant same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here);
        loop assigns index, doing->heaped, doing->heap[0 .. doing->most - 1];
        loop variant count - index; */
    for (size_t index = 0; index < count; index++) heap_put(doing, &picks[index]);
}

/* Let the pair at `at`, just made by a merge, wait. */
/*@ requires valid_walk(doing) && at < doing->length;
    total;
    assigns doing->heaped, doing->heap[0 .. doing->most - 1], doing->rows[MADE].end, doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void await(walk *doing, size_t at, int64_t start) {
    row *last = &doing->rows[MADE];
    if (last->end >= doing->most) return;
    pick *found = &doing->made[last->end];
    set_pick(found, at, start, doing->nodes[at].size);
    if (last->first < last->end && comes_first(doing, found, found - 1))
        heap_put(doing, found);
    else
        last->end += 1;
}

/* What goes first of all that waits in rows, and what goes first of all others, in rows or heap. */
/*@ requires valid_walk(doing);
    total;
    assigns \nothing;
    ensures LEFT <= \result.number <= ROWS && (\result.limit == \null || \valid_read(\result.limit)); */
static turn next_turn(const walk *doing) {
    turn next = {ROWS, NULL};
    if (doing->heaped > 0) next.limit = &doing->heap[0];
    /*@ loop invariant LEFT <= number <= ROWS && LEFT <= next.number <= ROWS;
        loop invariant next.limit == \null || \valid_read(next.limit);
        loop invariant next.number < ROWS ==> doing->rows[next.number].first < doing->rows[next.number].end;
        loop assigns number, next;
        loop variant ROWS - number; */
    for (int number = LEFT; number < ROWS; number++) {
        const row *now = &doing->rows[number];
        //@ assert number == LEFT || number == SINCE || number == MADE;
        //@ assert waits(now);
        if (now->first >= now->end) continue;
        const pick *front = &now->picks[now->first], *lead = NULL;
        //@ assert next.number == LEFT || next.number == SINCE || next.number == MADE || next.number == ROWS;
        //@ assert next.number < ROWS ==> waits(&doing->rows[next.number]);
        if (next.number < ROWS) lead = &doing->rows[next.number].picks[doing->rows[next.number].first];
        if (lead == NULL || comes_first(doing, front, lead)) {
            if (lead != NULL && (next.limit == NULL || comes_first(doing, lead, next.limit))) next.limit = lead;
            next.number = number;
        } else if (next.limit == NULL || comes_first(doing, front, next.limit)) {
            next.limit = front;
        }
    }
    return next;
}

/* The Split one of whose halves is the line at `at`, if its halves are both lines; NONE otherwise. */
/*@ requires valid_walk(doing) && at < doing->length;
    total;
    assigns \nothing;
    ensures \result == NONE || \result < doing->length; */
static size_t parent_pair(const walk *doing, size_t at) {
    const fc_node *nodes = doing->nodes;
    size_t parent = at + 1;
    if (parent < doing->length && !is_split(&nodes[parent])) parent = alive(nodes, doing->length, parent) + 1;
    if (parent >= doing->length || !is_split(&nodes[parent])) return NONE;
    if (parent != at + 1 && older_of(nodes, parent) != at) return NONE;
    return is_pair(nodes, parent) ? parent : NONE;
}

/* Take a line's weight off what a walk's view weighs. 0 if it cannot have been part of that. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->weight, doing->heft;
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here);
    ensures \result != 0 ==> doing->weight == \old(doing->weight) - weight
      && doing->heft == \old(doing->heft) - \abs(weight);
    ensures \result == 0 ==> doing->weight == \old(doing->weight) && doing->heft == \old(doing->heft); */
static int take_off(walk *doing, int64_t weight) {
    int64_t heavy = magnitude(weight);
    if (heavy < 0 || heavy > doing->heft) return 0;
    int64_t rest = doing->heft - heavy;
    if (doing->weight < weight - rest || doing->weight > weight + rest) return 0;
    doing->weight -= weight;
    doing->heft = rest;
    return 1;
}

/* Show a line that was written already, and so is part of the heft. 0 if it cannot be. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->weight;
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here);
    ensures \result != 0 ==> doing->weight == \old(doing->weight) + weight;
    ensures \result == 0 ==> doing->weight == \old(doing->weight); */
static int put_on(walk *doing, int64_t weight) {
    int64_t heavy = magnitude(weight);
    if (heavy < 0 || heavy > doing->heft) return 0;
    int64_t rest = doing->heft - heavy;
    if (doing->weight < -rest || doing->weight > rest) return 0;
    doing->weight += weight;
    return 1;
}

/* Add a block to the answer. */
/*@ requires valid_walk(doing) && doing->answered < doing->most;
    total;
    assigns doing->answered, doing->blocks[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && doing->answered == \old(doing->answered) + 1; */
static void answer(walk *doing, fc_block block) {
    doing->blocks[doing->answered] = block;
    doing->answered += 1;
}

/* Show the node at `at` as one line, and step over what was below it. */
/*@ requires valid_walk(doing) && at < doing->length && 1 <= doing->nodes[at].span <= at + 1;
    total;
    assigns doing->nodes[0 .. doing->length - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void join(walk *doing, size_t at) {
    fc_node *node = &doing->nodes[at], *first = &doing->nodes[at + 1 - node->span];
    uint32_t span = node->span;
    node->kind = FC_MERGED;
    first->kind = DEAD;
    first->span = span;
}

/* Take two lines off and show that of the Split at `at` instead. 0 if something does not fit together. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->weight, doing->heft;
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here);
    ensures \result != 0 ==> at < doing->length && 1 <= doing->nodes[at].span <= at + 1; */
static int reweigh(walk *doing, size_t at) {
    if (at >= doing->length) return 0;
    const fc_node *nodes = doing->nodes;
    size_t older = older_of(nodes, at);
    if (older == NONE || nodes[at].span < 1 || nodes[at].span > at + 1) return 0;
    return take_off(doing, nodes[at - 1].weight) && take_off(doing, nodes[older].weight)
           && put_on(doing, nodes[at].weight);
}

/* The block at `at`, which starts at unit `start`, is a line now: its parent, if that can be merged, is to wait. */
/*@ requires valid_walk(doing) && at < doing->length;
    total;
    assigns doing->heaped, doing->heap[0 .. doing->most - 1], doing->rows[MADE].end, doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here); */
static void offer_parent(walk *doing, size_t at, int64_t start) {
    const fc_node *nodes = doing->nodes;
    size_t parent = parent_pair(doing, at), span = nodes[at].span;
    if (parent == NONE || (nodes[parent].kind == FC_SPLIT && !doing->asking)) return;
    if (parent == at + 1 && span <= at) { /* it is the newer half: the older one stands right before it */
        int64_t size = nodes[at - span].size;
        if (fits(size, start)) start -= size;
    }
    await(doing, parent, start);
}

/* Merge the block of a pick; its parent may be a pair after that. */
/*@ requires valid_walk(doing) && \valid_read(taken);
    total;
    assigns doing->nodes[0 .. doing->length - 1], doing->answered, doing->blocks[0 .. doing->most - 1], doing->weight,
      doing->heft, doing->damaged, doing->heaped, doing->heap[0 .. doing->most - 1],
      doing->rows[MADE].end, doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + 1; */
static void merge(walk *doing, const pick *taken) {
    size_t at = taken->at;
    fc_block block = taken->block;
    if (doing->answered >= doing->most || !reweigh(doing, at)) {
        doing->damaged = 1;
        return;
    }
    if (doing->nodes[at].kind == FC_SPLIT || !doing->asking) answer(doing, block);
    join(doing, at);
    offer_parent(doing, at, block.start);
}

/* Merge the first block of a row. */
/*@ requires valid_walk(doing) && from->first < from->end;
    requires from == &doing->rows[LEFT] || from == &doing->rows[SINCE] || from == &doing->rows[MADE];
    total;
    assigns doing->nodes[0 .. doing->length - 1], doing->answered, doing->blocks[0 .. doing->most - 1], doing->weight,
      doing->heft, doing->damaged, doing->heaped, doing->heap[0 .. doing->most - 1],
      doing->rows[LEFT].first, doing->rows[SINCE].first, doing->rows[MADE].first, doing->rows[MADE].end,
      doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + 1; */
static void merge_front(walk *doing, row *from) {
    const pick *front = &from->picks[from->first];
    from->first += 1;
    merge(doing, front);
}

/* Merge the top of the heap. */
/*@ requires valid_walk(doing) && 0 < doing->heaped;
    total;
    assigns doing->nodes[0 .. doing->length - 1], doing->answered, doing->blocks[0 .. doing->most - 1], doing->weight,
      doing->heft, doing->damaged, doing->heaped, doing->heap[0 .. doing->most - 1],
      doing->rows[MADE].end, doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + 1; */
static void merge_top(walk *doing) {
    const pick top = doing->heap[0];
    heap_drop_first(doing);
    merge(doing, &top);
}

/* Merge from a row as long as it goes first, `limit` being what goes first of all others. Says how many. */
/*@ requires valid_walk(doing) && (limit == \null || \valid_read(limit));
    requires from == &doing->rows[LEFT] || from == &doing->rows[SINCE] || from == &doing->rows[MADE];
    total;
    assigns doing->nodes[0 .. doing->length - 1], doing->answered, doing->blocks[0 .. doing->most - 1], doing->weight,
      doing->heft, doing->damaged, doing->heaped, doing->heap[0 .. doing->most - 1],
      doing->rows[LEFT].first, doing->rows[SINCE].first, doing->rows[MADE].first, doing->rows[MADE].end,
      doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures \result <= most;
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + \result; */
static size_t merge_row(walk *doing, row *from, const pick *limit, size_t most) {
    size_t merged = 0, heaped = doing->heaped;
    int waiting = doing->rows[MADE].first < doing->rows[MADE].end;
    /*@ loop invariant valid_walk(doing) && 0 <= merged <= most;
        loop invariant same_walk(doing, Pre, Here);
        loop invariant \at(doing->answered, Pre) <= doing->answered <= \at(doing->answered, Pre) + merged;
        loop assigns merged, doing->nodes[0 .. doing->length - 1], doing->answered,
          doing->blocks[0 .. doing->most - 1], doing->weight, doing->heft, doing->damaged, doing->heaped,
          doing->heap[0 .. doing->most - 1],
          doing->rows[LEFT].first, doing->rows[SINCE].first, doing->rows[MADE].first, doing->rows[MADE].end,
          doing->made[0 .. doing->most - 1];
        loop variant most - merged; */
    while (merged < most && doing->weight > doing->low && from->first < from->end && !doing->damaged) {
        //@ assert waits(from);
        if (limit != NULL && comes_first(doing, limit, &from->picks[from->first])) break;
        merge_front(doing, from);
        merged += 1;
        if (doing->heaped != heaped || (!waiting && doing->rows[MADE].first < doing->rows[MADE].end)) break;
    }
    return merged;
}

/* Merge from the row that goes first as long as it does, or else the top of the heap. Says how many, at most `most`. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->nodes[0 .. doing->length - 1], doing->answered, doing->blocks[0 .. doing->most - 1], doing->weight,
      doing->heft, doing->damaged, doing->heaped, doing->heap[0 .. doing->most - 1],
      doing->rows[LEFT].first, doing->rows[SINCE].first, doing->rows[MADE].first, doing->rows[MADE].end,
      doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures \result <= most;
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + \result; */
static size_t merge_some(walk *doing, size_t most) {
    turn next = next_turn(doing);
    size_t merged = 0;
    //@ assert next.number == LEFT || next.number == SINCE || next.number == MADE || next.number == ROWS;
    if (next.number < ROWS) merged = merge_row(doing, &doing->rows[next.number], next.limit, most);
    //@ assert valid_walk(doing);
    //@ assert same_walk(doing, Pre, Here);
    if (merged > 0 || doing->heaped == 0 || most == 0 || doing->weight <= doing->low || doing->damaged) return merged;
    merge_top(doing);
    //@ assert same_walk(doing, Pre, Here);
    return 1;
}

/* Merge until the weight is down at the low water or nothing is left to merge, `most` times at most. */
/*@ requires valid_walk(doing);
    total;
    assigns doing->nodes[0 .. doing->length - 1], doing->answered, doing->blocks[0 .. doing->most - 1], doing->weight,
      doing->heft, doing->damaged, doing->heaped, doing->heap[0 .. doing->most - 1],
      doing->rows[LEFT].first, doing->rows[SINCE].first, doing->rows[MADE].first, doing->rows[MADE].end,
      doing->made[0 .. doing->most - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + most; */
static void merge_down(walk *doing, size_t most) {
    size_t merged = 1;
    /*@ loop invariant valid_walk(doing) && 0 <= most <= \at(most, Pre);
        loop invariant same_walk(doing, Pre, Here);
        loop invariant \at(doing->answered, Pre) <= doing->answered
          <= \at(doing->answered, Pre) + \at(most, Pre) - most;
        loop assigns merged, most, doing->nodes[0 .. doing->length - 1], doing->answered,
          doing->blocks[0 .. doing->most - 1], doing->weight, doing->heft, doing->damaged, doing->heaped,
          doing->heap[0 .. doing->most - 1],
          doing->rows[LEFT].first, doing->rows[SINCE].first, doing->rows[MADE].first, doing->rows[MADE].end,
          doing->made[0 .. doing->most - 1];
        loop variant most + (merged > 0 ? 1 : 0); */
    while (merged > 0 && most > 0 && !doing->damaged) {
        merged = merge_some(doing, most);
        most -= merged;
    }
}

/* Let `ready` picks wait, first `sorted` in the order of the rank, then `strays` in none, and merge. */
/*@ requires valid_walk(doing) && sorted <= ready && strays <= ready - sorted && ready <= FC_MOST_NODES;
    requires \valid(picks + (0 .. ready - 1)) && elsewhere(doing, picks);
    total;
    assigns *doing, doing->nodes[0 .. doing->length - 1], doing->blocks[0 .. doing->most - 1],
      doing->heap[0 .. doing->most - 1], doing->made[0 .. doing->most - 1], picks[0 .. ready - 1];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here);
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + most; */
static void merge_all(walk *doing, pick *picks, size_t sorted, size_t strays, size_t ready, size_t most) {
    /* Where nothing is ready there may be no array to point into. */
    pick *unsorted = ready > 0 ? picks + sorted : picks;
    pick *since = ready > 0 ? picks + sorted + strays : picks;
    line_up(doing, LEFT, picks, sorted);
    heap_up(doing, unsorted, strays);
    line_up(doing, SINCE, since, ready - sorted - strays);
    merge_down(doing, most);
}

/* List the pairs from node `at` on, which starts at unit `start`: all, or those that have their line. How many
 * `picks` has then, of which there are `found` already. */
/*@ requires length <= FC_MOST_NODES && \valid_read(nodes + (0 .. length - 1)) && found <= most;
    requires \valid(picks + (0 .. most - 1)) && 0 <= start <= FC_MOST_UNITS;
    total;
    assigns picks[found .. most - 1];
    ensures found <= \result <= most; */
static size_t list_pairs(const fc_node *nodes, size_t length, size_t at, int64_t start, int all, pick *picks,
                         size_t found, size_t most) {
    /*@ loop invariant \at(at, Pre) <= at && (at <= length || at == \at(at, Pre));
        loop invariant \at(found, Pre) <= found <= most && 0 <= start <= FC_MOST_UNITS;
        loop assigns at, start, found, picks[\at(found, Pre) .. most - 1];
        loop variant length - at; */
    for (; at < length && found < most; at++) {
        at = alive(nodes, length, at);
        int64_t size = nodes[at].size;
        if (is_line(&nodes[at])) {
            if (!fits(size, FC_MOST_UNITS - start)) break;
            start += size;
        } else if ((all || nodes[at].kind == FC_WRITTEN) && is_pair(nodes, at) && fits(size, start)) {
            set_pick(&picks[found], at, start - size, size);
            found += 1;
        }
    }
    return found;
}

/* ---- settle and wanted ---- */

/*@ total;
    assigns \nothing;
    ensures 2 * \result <= budget < 2 * \result + 2; */
static int64_t half(int64_t budget) { return budget / 2 - (budget % 2 < 0); }

/* No picks in any row yet. */
/*@ requires \valid(doing) && walk_arrays(doing) && walk_counts(doing) && walk_sums(doing);
    total;
    assigns doing->rows[LEFT], doing->rows[SINCE], doing->rows[MADE];
    ensures valid_walk(doing) && same_walk(doing, Pre, Here) && same_answer(doing, Pre, Here);
    ensures doing->nodes == \old(doing->nodes) && doing->made == \old(doing->made);
    ensures doing->heap == \old(doing->heap) && doing->blocks == \old(doing->blocks); */
static void clear_rows(walk *doing) {
    row *left = &doing->rows[LEFT], *since = &doing->rows[SINCE], *made = &doing->rows[MADE];
    left->picks = since->picks = made->picks = doing->made;
    left->first = since->first = made->first = 0;
    left->end = since->end = made->end = 0;
}

/* A walk over `nodes`, which are those of `view` or a copy. */
/*@ requires valid_view(view) && \valid(doing) && valid_order(by) && elsewhere(doing, view);
    requires \valid(nodes + (0 .. view->length - 1)) && elsewhere(doing, nodes) && elsewhere(doing, view->made)
      && elsewhere(doing, view->heap) && elsewhere(doing, view->blocks);
    total;
    assigns *doing;
    ensures valid_walk(doing);
    ensures doing->answered == 0;
    ensures doing->length == \old(view->length) && doing->most == \old(view->work_room) / 2;
    ensures doing->nodes == nodes && doing->made == \old(view->made);
    ensures doing->heap == \old(view->heap) && doing->blocks == \old(view->blocks); */
static void begin(walk *doing, const fc_view *view, fc_node *nodes, int64_t budget, order by) {
    //@ assert walk_in(doing, nodes, view->length, view->made, view->heap, view->blocks, view->work_room / 2);
    //@ assert sums(view->lines, view->units, view->weight, view->heft);
    doing->nodes = nodes;
    doing->length = view->length;
    doing->made = view->made;
    doing->heap = view->heap;
    doing->heaped = 0;
    doing->blocks = view->blocks;
    doing->answered = 0;
    doing->most = view->work_room / 2;
    doing->by = by;
    doing->units = view->units;
    doing->weight = view->weight;
    doing->heft = view->heft;
    doing->low = half(budget);
    doing->asking = nodes != view->nodes;
    doing->damaged = 0;
    //@ assert doing->answered == 0 && doing->heaped == 0;
    //@ assert doing->length == \at(view->length, Pre) && doing->most == \at(view->work_room, Pre) / 2;
    //@ assert doing->nodes == nodes && doing->made == \at(view->made, Pre);
    //@ assert doing->heap == \at(view->heap, Pre) && doing->blocks == \at(view->blocks, Pre);
    //@ assert doing->units == \at(view->units, Pre) && doing->heft == \at(view->heft, Pre);
    //@ assert doing->weight == \at(view->weight, Pre);
    //@ assert valid_order(doing->by);
    clear_rows(doing);
}

/* Each merge removes a line, and leaves two nodes dead: how many there can be. */
/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result <= view->lines && view->dead + 2 * \result <= view->length; */
static size_t most_merges(const fc_view *view) {
    size_t most = (view->length - view->dead) / 2;
    return most < (uint64_t)view->lines ? most : (size_t)view->lines;
}

/* Where the nodes begin that are to move: walking back from the newest, until an eighth of those before are dead at
 * most; nowhere as long as no more than a quarter of all are. */
/*@ requires valid_view(view);
    total;
    assigns \nothing;
    ensures \result.at <= view->length && \result.dead <= \result.at && 0 <= \result.start <= view->units; */
static cut find_cut(const fc_view *view) {
    cut here = {view->length, view->units, view->dead};
    if (here.dead <= view->length / 4) return here;
    /*@ loop invariant here.at <= view->length && here.dead <= here.at && 0 <= here.start <= view->units;
        loop assigns here;
        loop variant here.at; */
    while (here.at > 0 && here.dead > here.at / 8) {
        const fc_node *node = &view->nodes[here.at - 1];
        size_t span = is_line(node) ? node->span : 1;
        if (span == 0 || span > here.at || span - 1 > here.dead || here.dead - (span - 1) > here.at - span) break;
        if (is_line(node)) {
            if (!fits(node->size, here.start)) break;
            here.start -= node->size;
        }
        here.dead -= span - 1;
        here.at -= span;
    }
    return here;
}

/* Keep the first of `count` picks that stand before `end`, behind those that are there, in room for `room`. */
/*@ requires \valid(picks + (0 .. room - 1)) && there <= room && \valid_read(found + (0 .. count - 1));
    total;
    assigns picks[0 .. room - 1];
    ensures there <= \result <= room; */
static size_t keep(pick *picks, size_t there, size_t room, const pick *found, size_t count, size_t end) {
    /*@ loop invariant 0 <= index <= count && \at(there, Pre) <= there <= room;
        loop assigns index, there, picks[0 .. room - 1];
        loop variant count - index; */
    for (size_t index = 0; index < count && there < room; index++)
        if (found[index].at < end) picks[there++] = found[index];
    return there;
}

/* How many picks there are, and how many of them are left of the last settle. */
typedef struct {
    size_t sorted;
    size_t all;
} kept;

/* Keep what still waits and stands before `end`. */
/*@ requires valid_walk(doing) && \valid(picks + (0 .. room - 1)) && elsewhere(doing, picks);
    total;
    assigns picks[0 .. room - 1];
    ensures \result.sorted <= \result.all <= room; */
static kept keep_waiting(pick *picks, size_t room, const walk *doing, size_t end) {
    const row left = doing->rows[LEFT], since = doing->rows[SINCE], made = doing->rows[MADE];
    const pick *heap = doing->heap;
    const size_t heaped = doing->heaped;
    const size_t sorted = keep(picks, 0, room, left.picks + left.first, left.end - left.first, end);
    size_t all = keep(picks, sorted, room, since.picks + since.first, since.end - since.first, end);
    all = keep(picks, all, room, made.picks + made.first, made.end - made.first, end);
    all = keep(picks, all, room, heap, heaped, end);
    const kept both = {sorted, all};
    return both;
}

/* List anew what is ready, and close the gaps. */
/*@ requires valid_view(view) && valid_walk(doing) && elsewhere(doing, view) && elsewhere(doing, view->nodes)
      && elsewhere(doing, view->picks);
    total;
    assigns view->length, view->dead, view->ready, view->sorted, view->strays, view->nodes[0 .. view->room - 1],
      view->picks[0 .. view->room / 2 - 1];
    ensures valid_view(view) && same_counts(view, Pre, Here); */
static void tidy(fc_view *view, const walk *doing) {
    const cut here = find_cut(view);
    pick *picks = view->picks;
    fc_node *nodes = view->nodes;
    size_t length = view->length, room = view->room, dead = view->dead;
    const kept waiting = keep_waiting(picks, room / 2, doing, here.at);
    size_t ready = waiting.all;
    //@ assert same_memory(view, Pre, Here);
    //@ assert same_measures(view, Pre, Here);
    //@ assert view->answered == \at(view->answered, Pre);
    if (here.at < length) {
        length = copy_alive(nodes, length, here.at, nodes, here.at, room);
        dead = here.dead;
        //@ assert same_memory(view, Pre, Here);
        //@ assert same_measures(view, Pre, Here);
        //@ assert view->answered == \at(view->answered, Pre);
        ready = list_pairs(nodes, length, here.at, here.start, 0, picks, ready, room / 2);
        //@ assert same_memory(view, Pre, Here);
        //@ assert same_measures(view, Pre, Here);
        //@ assert view->answered == \at(view->answered, Pre);
    }
    view->length = length;
    view->dead = dead;
    view->ready = ready;
    view->sorted = waiting.sorted;
    view->strays = ready - waiting.sorted;
    //@ assert same_memory(view, Pre, Here);
    //@ assert in_bounds(view);
}

#ifdef __FRAMAC__
#define of_view(doing, view) \
    ((doing)->length == (view)->length && (doing)->most == (view)->work_room / 2 && (doing)->made == (view)->made \
     && (doing)->heap == (view)->heap && (doing)->blocks == (view)->blocks && elsewhere(view, (doing)->nodes))
#define walk_apart(doing, view) \
    (elsewhere(doing, view) && elsewhere(doing, (view)->nodes) && elsewhere(doing, (view)->picks) \
     && elsewhere(doing, (view)->spare_nodes) && elsewhere(doing, (view)->spare_picks) \
     && elsewhere(doing, (view)->made) && elsewhere(doing, (view)->heap) && elsewhere(doing, (view)->blocks))

/* What holds all through a walk. */
#define working(doing, view) \
    (valid_view(view) && valid_walk(doing) && of_view(doing, view) && walk_apart(doing, view))
#endif

/* Take over what a walk over the view's own nodes has merged. */
/*@ requires valid_view(view) && valid_walk(doing) && elsewhere(doing, view) && doing->answered <= view->work_room / 2;
    requires doing->answered <= view->lines && view->dead + 2 * doing->answered <= view->length;
    total;
    assigns view->answered, view->lines, view->dead, view->weight, view->heft;
    ensures valid_view(view) && view->units == \old(view->units) && view->lines <= \old(view->lines);
    ensures valid_walk(doing); */
static void set_settled(fc_view *view, const walk *doing) {
    view->answered = doing->answered;
    view->lines -= (int64_t)doing->answered;
    view->dead += 2 * doing->answered;
    view->weight = doing->weight;
    view->heft = doing->heft;
    //@ assert same_memory(view, Pre, Here);
    //@ assert in_bounds(view);
}

/*@ requires working(doing, view) && sorted <= ready && strays <= ready - sorted && ready <= FC_MOST_NODES;
    requires \valid(picks + (0 .. ready - 1)) && elsewhere(doing, picks) && elsewhere(view, picks);
    total;
    assigns *doing, doing->nodes[0 .. doing->length - 1], doing->blocks[0 .. doing->most - 1],
      doing->heap[0 .. doing->most - 1], doing->made[0 .. doing->most - 1], picks[0 .. ready - 1];
    ensures working(doing, view) && same_view(view, Pre, Here);
    ensures \old(doing->answered) <= doing->answered <= \old(doing->answered) + most; */
static void work(walk *doing, pick *picks, size_t sorted, size_t strays, size_t ready,
                 size_t most) /*@ ghost (const fc_view *view) */ {
    //@ assert elsewhere(view, doing) && elsewhere(view, doing->nodes) && elsewhere(view, doing->made);
    //@ assert elsewhere(view, doing->heap) && elsewhere(view, doing->blocks);
    merge_all(doing, picks, sorted, strays, ready, most);
    //@ assert same_allocator(view, Pre, Here);
    //@ assert same_pointers(view, Pre, Here);
    //@ assert same_work(view, Pre, Here);
    //@ assert same_rooms(view, Pre, Here);
    //@ assert same_counts(view, Pre, Here);
    //@ assert same_weights(view, Pre, Here);
    //@ assert same_lengths(view, Pre, Here);
    //@ assert same_parts(view, Pre, Here);
    //@ assert same_view(view, Pre, Here);
    //@ assert in_bounds(view);
}

/*@ requires valid_view(view) && \valid(doing) && valid_order(by);
    requires walk_apart(doing, view) && elsewhere(view, nodes) && elsewhere(doing, nodes);
    requires \valid(nodes + (0 .. view->length - 1));
    total;
    assigns *doing;
    ensures working(doing, view) && same_view(view, Pre, Here) && doing->answered == 0 && doing->nodes == nodes; */
static void start(const fc_view *view, walk *doing, fc_node *nodes, int64_t budget, order by) {
    //@ assert elsewhere(view, doing);
    begin(doing, view, nodes, budget, by);
    //@ assert same_allocator(view, Pre, Here);
    //@ assert same_pointers(view, Pre, Here);
    //@ assert same_work(view, Pre, Here);
    //@ assert same_rooms(view, Pre, Here);
    //@ assert same_counts(view, Pre, Here);
    //@ assert same_weights(view, Pre, Here);
    //@ assert same_lengths(view, Pre, Here);
    //@ assert same_parts(view, Pre, Here);
    //@ assert same_view(view, Pre, Here);
    //@ assert in_bounds(view);
}

/* Once the view weighs more than its budget, and there is work space. */
/*@ requires valid_view(view) && \valid(doing) && valid_order(by);
    requires walk_apart(doing, view) && view->room <= view->work_room;
    total;
    assigns *doing, *view, view->nodes[0 .. view->room - 1], view->picks[0 .. view->room / 2 - 1],
      view->made[0 .. view->work_room / 2 - 1], view->heap[0 .. view->work_room / 2 - 1],
      view->blocks[0 .. view->work_room / 2 - 1];
    ensures valid_view(view) && walk_apart(doing, view);
    ensures view->units == \old(view->units) && view->lines <= \old(view->lines);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int settle(fc_view *view, walk *doing, int64_t budget, order by) {
    pick *picks = view->picks;
    const size_t sorted = view->sorted, strays = view->strays, ready = view->ready, most = most_merges(view);
    //@ assert view->length <= view->room && ready <= view->room / 2;
    start(view, doing, view->nodes, budget, by);
    work(doing, picks, sorted, strays, ready, most) /*@ ghost (view) */;
    //@ assert same_view(view, Pre, Here);
    set_settled(view, doing);
    tidy(view, doing);
    return doing->damaged ? FC_DAMAGED : FC_OK;
}

/* A copy of the view's nodes to walk over, and its pairs. How many these are. */
/*@ requires valid_view(view) && view->room <= view->work_room;
    total;
    assigns view->spare_nodes[0 .. view->work_room - 1], view->spare_picks[0 .. view->work_room / 2 - 1];
    ensures valid_view(view) && same_view(view, Pre, Here) && \result <= view->work_room / 2; */
static size_t copy_to_spare(const fc_view *view) {
    fc_node *nodes = view->spare_nodes;
    pick *picks = view->spare_picks;
    const size_t length = view->length, room = view->work_room / 2;
    copy_nodes(nodes, view->nodes, length);
    const size_t pairs = list_pairs(nodes, length, 0, 0, 1, picks, 0, room);
    //@ assert same_allocator(view, Pre, Here);
    //@ assert same_pointers(view, Pre, Here);
    //@ assert same_work(view, Pre, Here);
    //@ assert same_rooms(view, Pre, Here);
    //@ assert same_counts(view, Pre, Here);
    //@ assert same_weights(view, Pre, Here);
    //@ assert same_lengths(view, Pre, Here);
    //@ assert same_parts(view, Pre, Here);
    //@ assert same_view(view, Pre, Here);
    //@ assert in_bounds(view);
    return pairs;
}

/* The last answer has so many blocks. */
/*@ requires valid_view(view) && answered <= view->work_room / 2;
    total;
    assigns view->answered;
    ensures valid_view(view); */
static void answer_with(fc_view *view, size_t answered) {
    view->answered = answered;
    //@ assert same_memory(view, Pre, Here);
    //@ assert in_bounds(view);
}

/* The blocks of the lines that are missing, where a walk over a copy merges them. */
/*@ requires valid_view(view) && \valid(doing) && valid_order(by);
    requires walk_apart(doing, view) && view->room <= view->work_room;
    total;
    assigns *doing, view->answered, view->spare_nodes[0 .. view->work_room - 1],
      view->spare_picks[0 .. view->work_room / 2 - 1], view->made[0 .. view->work_room / 2 - 1],
      view->heap[0 .. view->work_room / 2 - 1], view->blocks[0 .. view->work_room / 2 - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int ask(fc_view *view, walk *doing, int64_t budget, order by) {
    const size_t most = most_merges(view), pairs = copy_to_spare(view);
    start(view, doing, view->spare_nodes, budget, by);
    work(doing, view->spare_picks, pairs, 0, pairs, most) /*@ ghost (view) */;
    answer_with(view, doing->answered);
    return doing->damaged ? FC_DAMAGED : FC_OK;
}

/* The walk has its own function, so that it is plainly none of the memory that was reserved before. */
/*@ requires valid_view(view) && valid_order(by) && view->room <= view->work_room;
    total;
    assigns *view, view->nodes[0 .. view->room - 1], view->picks[0 .. view->room / 2 - 1],
      view->made[0 .. view->work_room / 2 - 1], view->heap[0 .. view->work_room / 2 - 1],
      view->blocks[0 .. view->work_room / 2 - 1];
    ensures valid_view(view) && view->units == \old(view->units) && view->lines <= \old(view->lines);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int settle_now(fc_view *view, int64_t budget, order by) {
    walk doing;
    return settle(view, &doing, budget, by);
}

/*@ requires valid_view(view) && valid_order(by) && view->room <= view->work_room;
    total;
    assigns view->answered, view->spare_nodes[0 .. view->work_room - 1],
      view->spare_picks[0 .. view->work_room / 2 - 1], view->made[0 .. view->work_room / 2 - 1],
      view->heap[0 .. view->work_room / 2 - 1], view->blocks[0 .. view->work_room / 2 - 1];
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_DAMAGED; */
static int ask_now(fc_view *view, int64_t budget, order by) {
    walk doing;
    return ask(view, &doing, budget, by);
}

/*@ requires valid_view(view) && (name < CALLERS_OWN || (name == CALLERS_OWN && before == &callers_before));
    requires outcome == \null || (\valid(outcome) && \separated(view, outcome));
    total;
    ensures valid_view(view);
    ensures view->units == \old(view->units) && view->lines <= \old(view->lines);
    ensures \result == FC_OK || \result == FC_NO_MEMORY || \result == FC_DAMAGED; */
static int settle_by(fc_view *view, int64_t budget, uint32_t name, fc_before before, void *context, int *outcome) {
    int ended = FC_FITS;
    forget_answer(view);
    if (view->weight > budget) {
        if (view->ready > 0 && view->weight > half(budget)) {
            const order by = {name, before, context};
            int status = reserve_work(view, view->room);
            if (status == FC_OK) status = settle_now(view, budget, by);
            if (status != FC_OK) return status;
        }
        ended = view->ready == 0 && view->weight > half(budget) ? FC_STUCK : FC_SETTLED;
    }
    //@ assert valid_view(view);
    if (outcome != NULL) *outcome = ended;
    return FC_OK;
}

/*@ requires valid_view(view) && (name < CALLERS_OWN || (name == CALLERS_OWN && before == &callers_before));
    total;
    ensures valid_view(view);
    ensures \result == FC_OK || \result == FC_NO_MEMORY || \result == FC_DAMAGED; */
static int wanted_by(fc_view *view, int64_t budget, uint32_t name, fc_before before, void *context) {
    const order by = {name, before, context};
    forget_answer(view);
    if (view->weight <= budget) return FC_OK;
    int status = reserve_work(view, view->room);
    return status == FC_OK ? ask_now(view, budget, by) : status;
}

/*@ requires valid_view(view) && (outcome == \null || (\valid(outcome) && \separated(view, outcome)));
    total;
    ensures valid_view(view) && view->units == \old(view->units) && view->lines <= \old(view->lines); */
int fc_settle(fc_view *view, int64_t budget, uint32_t rank, int *outcome) {
    return rank < CALLERS_OWN ? settle_by(view, budget, rank, NULL, NULL, outcome) : FC_BAD_ARGUMENT;
}

/*@ requires valid_view(view) && (outcome == \null || (\valid(outcome) && \separated(view, outcome)));
    requires before == \null || before == &callers_before;
    total;
    ensures valid_view(view) && view->units == \old(view->units) && view->lines <= \old(view->lines); */
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

/*@ requires valid_view(view) && \valid(blocks + (0 .. room - 1)) && \separated(view, blocks + (0 .. room - 1));
    requires weights == \null || (\valid(weights + (0 .. room - 1)) && \separated(view, weights + (0 .. room - 1)));
    total;
    assigns blocks[0 .. room - 1], weights[0 .. room - 1];
    ensures valid_view(view); */
int fc_cover(const fc_view *view, fc_block *blocks, int64_t *weights, size_t room) {
    size_t shown = 0;
    int64_t start = 0;
    if (room < (uint64_t)view->lines) return FC_BAD_ARGUMENT;
    /*@ loop invariant 0 <= at <= view->length && 0 <= shown <= room && 0 <= start <= FC_MOST_UNITS;
        loop invariant valid_view(view);
        loop assigns at, shown, start, blocks[0 .. room - 1], weights[0 .. room - 1];
        loop variant view->length - at; */
    for (size_t at = 0; at < view->length && shown < room; at++) {
        at = alive(view->nodes, view->length, at);
        const fc_node *node = &view->nodes[at];
        if (!is_line(node)) continue;
        int64_t size = node->size;
        if (!fits(size, FC_MOST_UNITS - start)) return FC_DAMAGED;
        if (weights != NULL) weights[shown] = node->weight;
        blocks[shown].start = start;
        blocks[shown].size = size;
        start += size;
        shown += 1;
    }
    return FC_OK;
}

/*@ requires valid_view(view) && \valid(nodes + (0 .. room - 1)) && \separated(view, nodes + (0 .. room - 1));
    total;
    assigns nodes[0 .. room - 1];
    ensures valid_view(view); */
int fc_save(const fc_view *view, fc_node *nodes, size_t room) {
    if (room < fc_nodes(view)) return FC_BAD_ARGUMENT;
    copy_alive(view->nodes, view->length, 0, nodes, 0, room);
    return FC_OK;
}

/*@ predicate bounded(fc_node *node, integer at) = 1 <= node->size <= FC_MOST_UNITS && 1 <= node->span <= at + 1; */

/* Whether the node at `at` is what fc_node says it must be; those before it are. */
/*@ requires at < FC_MOST_NODES && \valid_read(nodes + (0 .. at));
    requires \forall integer i; 0 <= i < at ==> bounded(nodes + i, i);
    total;
    assigns \nothing;
    ensures \result != 0 ==> bounded(nodes + at, at); */
static int is_sound(const fc_node *nodes, size_t at) {
    const fc_node *node = &nodes[at];
    if (node->size < 1 || node->size > FC_MOST_UNITS) return 0;
    if (is_line(node)) return node->span == 1 && (node->kind == FC_MERGED || node->size == 1);
    if (!is_split(node) || (node->kind == FC_SPLIT && node->weight != 0)) return 0;
    size_t older = older_of(nodes, at);
    if (older == NONE) return 0;
    return node->size == nodes[at - 1].size + nodes[older].size
           && node->span == 1 + nodes[at - 1].span + nodes[older].span;
}

/* Fill an empty view with nodes, and list what is ready. */
/*@ requires valid_view(view) && view->answered == 0 && view->dead == 0 && view->sorted == 0 && count <= view->room
      && \valid_read(nodes + (0 .. count - 1));
    total;
    assigns view->length, view->ready, view->strays, view->nodes[0 .. view->room - 1],
      view->picks[0 .. view->room / 2 - 1];
    ensures valid_view(view); */
static void fill(fc_view *view, const fc_node *nodes, size_t count) {
    fc_node *own = view->nodes;
    pick *picks = view->picks;
    const size_t room = view->room / 2;
    copy_nodes(own, nodes, count);
    const size_t ready = list_pairs(own, count, 0, 0, 0, picks, 0, room);
    //@ assert same_memory(view, Pre, Here);
    //@ assert same_measures(view, Pre, Here);
    //@ assert view->dead == 0 && view->sorted == 0 && view->answered == 0;
    view->length = count;
    view->ready = ready;
    view->strays = ready;
    //@ assert same_memory(view, Pre, Here);
    //@ assert in_bounds(view);
}

/*@ requires valid_view(view) && sums(lines, units, weight, heft);
    total;
    assigns view->units, view->lines, view->weight, view->heft;
    ensures valid_view(view); */
static void set_loaded(fc_view *view, int64_t units, int64_t lines, int64_t weight, int64_t heft) {
    view->units = units;
    view->lines = lines;
    view->weight = weight;
    view->heft = heft;
    //@ assert same_memory(view, Pre, Here);
    //@ assert in_bounds(view);
}

/*@ requires valid_view(view) && \valid_read(nodes + (0 .. count - 1));
    total;
    ensures valid_view(view); */
int fc_load(fc_view *view, const fc_node *nodes, size_t count) {
    int64_t units = 0, lines = 0, weight = 0, heft = 0;
    if (count > FC_MOST_NODES) return FC_NO_MEMORY;
    /*@ loop invariant 0 <= at <= count && \forall integer i; 0 <= i < at ==> bounded(nodes + i, i);
        loop invariant 0 <= lines <= units <= FC_MOST_UNITS && -heft <= weight <= heft;
        loop assigns at, units, lines, weight, heft;
        loop variant count - at; */
    for (size_t at = 0; at < count; at++) {
        int64_t heavy = magnitude(nodes[at].weight);
        if (!is_sound(nodes, at)) return FC_BAD_VIEW;
        if (heavy < 0 || heavy > INT64_MAX - heft) return FC_OVERFLOW;
        heft += heavy;
        if (!is_line(&nodes[at])) continue;
        if (nodes[at].size > FC_MOST_UNITS - units) return FC_OVERFLOW;
        units += nodes[at].size;
        weight += nodes[at].weight;
        lines += 1;
    }
    int status = reserve(view, count);
    if (status != FC_OK) return status;
    fc_reset(view);
    fill(view, nodes, count);
    set_loaded(view, units, lines, weight, heft);
    return FC_OK;
}
