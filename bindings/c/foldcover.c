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

#include <string.h>

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

/* ---- nodes ---- */

static int is_line(const fc_node *node) { return node->kind == FC_LEAF || node->kind == FC_MERGED; }
static int is_split(const fc_node *node) { return node->kind == FC_SPLIT || node->kind == FC_WRITTEN; }

static void set(fc_node *node, int64_t size, int64_t weight, uint32_t kind, uint32_t span) {
    node->size = size;
    node->weight = weight;
    node->kind = kind;
    node->span = span;
}

static void set_pick(pick *found, size_t at, int64_t start, int64_t size) {
    found->block.start = start;
    found->block.size = size;
    found->at = at;
}

/* The absolute value of a weight, -1 if 64 bits do not hold it. */
static int64_t magnitude(int64_t weight) {
    if (weight == INT64_MIN) return -1;
    return weight < 0 ? -weight : weight;
}

/* Where the older half of the Split at `at` is; NONE if the spans make no sense. */
static size_t older_of(const fc_node *nodes, size_t at) {
    if (at == 0 || nodes[at - 1].span >= at) return NONE;
    return at - 1 - nodes[at - 1].span;
}

/* Whether the Split at `at` shows two lines. */
static int is_pair(const fc_node *nodes, size_t at) {
    size_t older = older_of(nodes, at);
    return older != NONE && is_line(&nodes[at - 1]) && is_line(&nodes[older]);
}

/* The first node at or after `at` that lives. */
static size_t alive(const fc_node *nodes, size_t length, size_t at) {
    if (at < length && nodes[at].kind == DEAD && nodes[at].span > 0 && nodes[at].span <= length - at)
        return at + nodes[at].span - 1;
    return at;
}

/* Copy the nodes from `from` on to `to` on, without the dead, spans mended. `out` may be `nodes`, if to <= from: what
 * lies before `to` there must be what lies before `from`. Where the copy ends. */
static size_t copy_alive(const fc_node *nodes, size_t length, size_t from, fc_node *out, size_t to, size_t room) {
    for (; from < length && to < room; from++) {
        from = alive(nodes, length, from);
        fc_node node = nodes[from];
        node.span = 1;
        if (is_split(&node) && to > 0) {
            node.span += out[to - 1].span;
            if (node.span <= to) node.span += out[to - node.span].span;
        }
        out[to++] = node;
    }
    return to;
}

/* ---- memory ---- */

static void *allocate(const fc_allocator *memory, size_t count, size_t size) {
    if (count > SIZE_MAX / size) return NULL;
    return memory->allocate(memory->context, count * size);
}

static void release(const fc_allocator *memory, void *block, size_t count, size_t size) {
    if (block != NULL) memory->release(memory->context, block, count * size);
}

/* The room to make when `need` nodes must fit: a power of two. 0 if that is too much. */
static size_t room_for(size_t need) {
    size_t room = FIRST_ROOM;
    if (need > FC_MOST_NODES) return 0;
    while (room < need) room *= 2;
    return room;
}

/* Make room for `need` nodes in the view. Of m nodes fewer than half are Splits, so room for half as many pairs. */
static int reserve(fc_view *view, size_t need) {
    if (need <= view->room) return FC_OK;
    size_t room = room_for(need);
    if (room == 0) return FC_NO_MEMORY;
    fc_node *nodes = allocate(&view->memory, room, sizeof *nodes);
    pick *picks = allocate(&view->memory, room / 2, sizeof *picks);
    if (nodes == NULL || picks == NULL) {
        release(&view->memory, nodes, room, sizeof *nodes);
        release(&view->memory, picks, room / 2, sizeof *picks);
        return FC_NO_MEMORY;
    }
    if (view->length > 0) memcpy(nodes, view->nodes, view->length * sizeof *nodes);
    if (view->ready > 0) memcpy(picks, view->picks, view->ready * sizeof *picks);
    release(&view->memory, view->nodes, view->room, sizeof *nodes);
    release(&view->memory, view->picks, view->room / 2, sizeof *picks);
    view->nodes = nodes;
    view->picks = picks;
    view->room = room;
    return FC_OK;
}

static void release_work(fc_view *view) {
    const fc_allocator *memory = &view->memory;
    release(memory, view->spare_nodes, view->work_room, sizeof *view->spare_nodes);
    release(memory, view->spare_picks, view->work_room / 2, sizeof *view->spare_picks);
    release(memory, view->made, view->work_room / 2, sizeof *view->made);
    release(memory, view->heap, view->work_room / 2, sizeof *view->heap);
    release(memory, view->blocks, view->work_room / 2, sizeof *view->blocks);
    view->spare_nodes = NULL;
    view->spare_picks = NULL;
    view->made = NULL;
    view->heap = NULL;
    view->blocks = NULL;
    view->work_room = 0;
    view->answered = 0;
}

/* Make work space for a view of `need` nodes. */
static int reserve_work(fc_view *view, size_t need) {
    if (need <= view->work_room) return FC_OK;
    size_t room = room_for(need);
    if (room == 0) return FC_NO_MEMORY;
    release_work(view);
    view->work_room = room;
    view->spare_nodes = allocate(&view->memory, room, sizeof *view->spare_nodes);
    view->spare_picks = allocate(&view->memory, room / 2, sizeof *view->spare_picks);
    view->made = allocate(&view->memory, room / 2, sizeof *view->made);
    view->heap = allocate(&view->memory, room / 2, sizeof *view->heap);
    view->blocks = allocate(&view->memory, room / 2, sizeof *view->blocks);
    if (view->spare_nodes != NULL && view->spare_picks != NULL && view->made != NULL && view->heap != NULL
        && view->blocks != NULL)
        return FC_OK;
    release_work(view);
    return FC_NO_MEMORY;
}

fc_view *fc_open(const fc_allocator *memory) {
    static const fc_view empty;
    if (memory == NULL || memory->allocate == NULL || memory->release == NULL) return NULL;
    fc_view *view = allocate(memory, 1, sizeof *view);
    if (view == NULL) return NULL;
    *view = empty;
    view->memory = *memory;
    return view;
}

void fc_free(fc_view *view) {
    if (view == NULL) return;
    fc_allocator memory = view->memory;
    release_work(view);
    release(&memory, view->nodes, view->room, sizeof *view->nodes);
    release(&memory, view->picks, view->room / 2, sizeof *view->picks);
    release(&memory, view, 1, sizeof *view);
}

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

/* ---- measures ---- */

uint32_t fc_abi(void) { return FC_ABI; }
int64_t fc_units(const fc_view *view) { return view->units; }
int64_t fc_lines(const fc_view *view) { return view->lines; }
int64_t fc_weight(const fc_view *view) { return view->weight; }
size_t fc_nodes(const fc_view *view) { return view->length - view->dead; }

size_t fc_blocks(const fc_view *view, const fc_block **blocks) {
    *blocks = view->blocks;
    return view->answered;
}

/* ---- close ---- */

/* Append a unit and its carries to `length` nodes; there is room for 1 + MOST_CARRIES more. The new length. */
static size_t carry(fc_node *nodes, size_t length, int64_t weight) {
    fc_node *top = &nodes[length];
    int64_t size = 1;
    uint32_t span = 1;
    set(top, size, weight, FC_LEAF, span);
    for (int carries = 0; carries < MOST_CARRIES && span <= length; carries++) {
        const fc_node *older = top - span;
        if (older->size != size) break;
        size *= 2;
        span += older->span + 1;
        length += 1;
        set(++top, size, 0, FC_SPLIT, span);
    }
    return length + 1;
}

int fc_close(fc_view *view, int64_t weight) {
    int64_t heavy = magnitude(weight);
    view->answered = 0;
    if (heavy < 0 || heavy > INT64_MAX - view->heft || view->units >= FC_MOST_UNITS) return FC_OVERFLOW;
    if (view->room - view->length <= MOST_CARRIES) {
        int status = reserve(view, view->length + 1 + MOST_CARRIES);
        if (status != FC_OK) return status;
    }
    view->length = carry(view->nodes, view->length, weight);
    view->heft += heavy;
    view->weight += weight;
    view->units += 1;
    view->lines += 1;
    return FC_OK;
}

/* ---- write and zoom ---- */

/* The node of `block`, NONE if no node stands for just these units. */
static size_t find(const fc_node *nodes, size_t length, int64_t units, fc_block block) {
    size_t at = length;
    int64_t stop = units; /* of the block whose node is at - 1 */
    if (block.start < 0 || block.size < 1 || block.start >= units) return NONE;
    while (at > 0) {
        const fc_node *node = &nodes[at - 1];
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

int fc_write(fc_view *view, fc_block block, int64_t weight, int *wrote) {
    int64_t heavy = magnitude(weight);
    view->answered = 0;
    if (wrote != NULL) *wrote = 0;
    size_t at = find(view->nodes, view->length, view->units, block);
    if (at == NONE || view->nodes[at].kind != FC_SPLIT) return FC_OK;
    if (heavy < 0 || heavy > INT64_MAX - view->heft) return FC_OVERFLOW;
    view->nodes[at].kind = FC_WRITTEN;
    view->nodes[at].weight = weight;
    view->heft += heavy;
    if (is_pair(view->nodes, at) && view->ready < view->room / 2) {
        set_pick(&view->picks[view->ready], at, block.start, block.size);
        view->ready += 1;
    }
    if (wrote != NULL) *wrote = 1;
    return FC_OK;
}

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

static product multiply(uint64_t one, uint64_t other) {
    uint64_t one_low = one & UINT32_MAX, one_high = one >> 32;
    uint64_t other_low = other & UINT32_MAX, other_high = other >> 32;
    uint64_t low = one_low * other_low;
    uint64_t middle = one_high * other_low + (low >> 32);
    uint64_t cross = one_low * other_high + (middle & UINT32_MAX);
    product result = {one_high * other_high + (middle >> 32) + (cross >> 32), (cross << 32) | (low & UINT32_MAX)};
    return result;
}

/* Whether `one` has a lesser key than `other` by age_over_size: the larger (units - start) / size, compared across;
 * 0 if the keys are equal, -1 if its key is greater. */
static int by_age_over_size(fc_block one, fc_block other, int64_t units) {
    product mine = multiply((uint64_t)(units - one.start), (uint64_t)other.size);
    product its = multiply((uint64_t)(units - other.start), (uint64_t)one.size);
    if (mine.upper != its.upper) return mine.upper > its.upper ? 1 : -1;
    if (mine.lower != its.lower) return mine.lower > its.lower ? 1 : -1;
    return 0;
}

static int by_callers_own(const order *by, fc_block one, fc_block other, int64_t units) {
    if (by->before(by->context, one, other, units)) return 1;
    return by->before(by->context, other, one, units) ? -1 : 0;
}

/* Whether `one` is taken before `other`. */
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
} walk;

static int comes_first(const walk *doing, const pick *one, const pick *other) {
    return goes_first(&doing->by, one, other, doing->units);
}

static void heap_put(walk *doing, const pick *found) {
    if (doing->heaped >= doing->most) return;
    size_t at = doing->heaped++;
    while (at > 0) {
        size_t parent = (at - 1) / 2;
        if (!comes_first(doing, found, &doing->heap[parent])) break;
        doing->heap[at] = doing->heap[parent];
        at = parent;
    }
    doing->heap[at] = *found;
}

static void heap_drop_first(walk *doing) {
    size_t at = 0;
    if (doing->heaped == 0) return;
    const pick *moving = &doing->heap[--doing->heaped];
    while (2 * at + 1 < doing->heaped) {
        size_t child = 2 * at + 1;
        if (child + 1 < doing->heaped && comes_first(doing, &doing->heap[child + 1], &doing->heap[child])) child += 1;
        if (!comes_first(doing, &doing->heap[child], moving)) break;
        doing->heap[at] = doing->heap[child];
        at = child;
    }
    doing->heap[at] = *moving;
}

/* Let `count` picks wait: in row `number` as far as they are in order, in the heap what is not. */
static void line_up(walk *doing, int number, pick *picks, size_t count) {
    row *now = &doing->rows[number];
    now->picks = picks;
    now->first = 0;
    now->end = 0;
    for (size_t index = 0; index < count; index++) {
        if (now->end > 0 && comes_first(doing, &picks[index], &picks[now->end - 1]))
            heap_put(doing, &picks[index]);
        else
            picks[now->end++] = picks[index];
    }
}

/* Let the pair at `at`, just made by a merge, wait. */
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

/* The row whose first pick goes first of all that wait in rows, ROWS if none does; and in `limit` the pick that goes
 * first of all others, in rows or heap, NULL if none. */
static int next_row(const walk *doing, const pick **limit) {
    int best = ROWS;
    *limit = doing->heaped > 0 ? &doing->heap[0] : NULL;
    for (int number = 0; number < ROWS; number++) {
        const row *now = &doing->rows[number];
        if (now->first >= now->end) continue;
        const pick *front = &now->picks[now->first];
        const pick *lead = best < ROWS ? &doing->rows[best].picks[doing->rows[best].first] : NULL;
        if (lead == NULL || comes_first(doing, front, lead)) {
            if (lead != NULL && (*limit == NULL || comes_first(doing, lead, *limit))) *limit = lead;
            best = number;
        } else if (*limit == NULL || comes_first(doing, front, *limit)) {
            *limit = front;
        }
    }
    return best;
}

/* The Split one of whose halves is the line at `at`, if its halves are both lines; NONE otherwise. */
static size_t parent_pair(const walk *doing, size_t at) {
    const fc_node *nodes = doing->nodes;
    size_t parent = at + 1;
    if (parent < doing->length && !is_split(&nodes[parent])) parent = alive(nodes, doing->length, parent) + 1;
    if (parent >= doing->length || !is_split(&nodes[parent])) return NONE;
    if (parent != at + 1 && older_of(nodes, parent) != at) return NONE;
    return is_pair(nodes, parent) ? parent : NONE;
}

/* Merge the block of a pick; its parent may be a pair after that. */
static void merge(walk *doing, const pick *taken) {
    fc_node *node = &doing->nodes[taken->at];
    size_t older = older_of(doing->nodes, taken->at);
    size_t first = taken->at + 1 - node->span;
    int64_t start = taken->block.start;
    if (older == NONE || doing->answered >= doing->most) return;
    if (node->kind == FC_SPLIT || !doing->asking) doing->blocks[doing->answered++] = taken->block;
    doing->weight += node->weight - node[-1].weight - doing->nodes[older].weight;
    doing->heft -= magnitude(node[-1].weight) + magnitude(doing->nodes[older].weight);
    node->kind = FC_MERGED;
    doing->nodes[first].kind = DEAD;
    doing->nodes[first].span = node->span;
    size_t parent = parent_pair(doing, taken->at);
    if (parent == NONE || (doing->nodes[parent].kind == FC_SPLIT && !doing->asking)) return;
    if (parent == taken->at + 1) start -= doing->nodes[parent].size - node->size;
    await(doing, parent, start);
}

/* Merge from the row that goes first as long as it does, or else the top of the heap. Says how many, at most `most`. */
static size_t merge_some(walk *doing, size_t most) {
    const pick *limit;
    int number = next_row(doing, &limit);
    size_t merged = 0;
    if (number < ROWS) {
        row *from = &doing->rows[number];
        size_t heaped = doing->heaped, waiting = doing->rows[MADE].first < doing->rows[MADE].end;
        while (merged < most && doing->weight > doing->low && from->first < from->end) {
            const pick *front = &from->picks[from->first];
            if (limit != NULL && comes_first(doing, limit, front)) break;
            from->first += 1;
            merged += 1;
            merge(doing, front);
            if (doing->heaped != heaped || (!waiting && doing->rows[MADE].first < doing->rows[MADE].end)) return merged;
        }
    }
    if (merged == 0 && doing->heaped > 0 && most > 0 && doing->weight > doing->low) {
        const pick top = doing->heap[0];
        heap_drop_first(doing);
        merged = 1;
        merge(doing, &top);
    }
    return merged;
}

/* Merge until the weight is down at the low water or nothing is left to merge. Each merge removes a line. */
static void merge_down(walk *doing) {
    size_t most = doing->most, merged = 1;
    while (merged > 0 && most > 0) {
        merged = merge_some(doing, most);
        most -= merged;
    }
}

/* List the pairs from node `at` on, which starts at unit `start`: all, or those that have their line. How many
 * `picks` has then, of which there are `found` already. */
static size_t list_pairs(const fc_node *nodes, size_t length, size_t at, int64_t start, int all, pick *picks,
                         size_t found, size_t most) {
    for (; at < length && found < most; at++) {
        at = alive(nodes, length, at);
        if (is_line(&nodes[at])) {
            start += nodes[at].size;
        } else if ((all || nodes[at].kind == FC_WRITTEN) && is_pair(nodes, at)) {
            set_pick(&picks[found], at, start - nodes[at].size, nodes[at].size);
            found += 1;
        }
    }
    return found;
}

/* ---- settle and wanted ---- */

static int64_t half(int64_t budget) { return budget / 2 - (budget % 2 < 0); }

/* A walk over `nodes`, which are those of `view` or a copy. */
static void begin(walk *doing, fc_view *view, fc_node *nodes, int64_t budget, const order *by) {
    doing->nodes = nodes;
    doing->length = view->length;
    doing->made = view->made;
    doing->heap = view->heap;
    doing->heaped = 0;
    doing->blocks = view->blocks;
    doing->answered = 0;
    doing->most = view->work_room / 2;
    doing->by = *by;
    doing->units = view->units;
    doing->weight = view->weight;
    doing->heft = view->heft;
    doing->low = half(budget);
    doing->asking = nodes != view->nodes;
    for (int number = 0; number < ROWS; number++) line_up(doing, number, view->made, 0);
}

/* Where the nodes begin that are to move: walking back from the newest, until an eighth of those before are dead at
 * most; nowhere as long as no more than a quarter of all are. What starts there, and how many dead are before. */
static size_t cut_at(const fc_view *view, int64_t *start, size_t *dead) {
    size_t cut = view->length;
    *start = view->units;
    *dead = view->dead;
    if (*dead <= view->length / 4) return cut;
    while (cut > 0 && *dead > cut / 8) {
        const fc_node *node = &view->nodes[cut - 1];
        size_t span = is_line(node) ? node->span : 1;
        if (span == 0 || span > cut || span - 1 > *dead) break;
        if (is_line(node)) *start -= node->size;
        *dead -= span - 1;
        cut -= span;
    }
    return cut;
}

/* Keep the first of `count` picks that stand before `cut` and still wait, behind the `kept` that are there. */
static size_t keep(fc_view *view, size_t kept, const pick *picks, size_t count, size_t cut) {
    for (size_t index = 0; index < count && kept < view->room / 2; index++)
        if (picks[index].at < cut) view->picks[kept++] = picks[index];
    return kept;
}

/* List anew what is ready, and close the gaps. */
static void tidy(fc_view *view, const walk *doing) {
    int64_t start;
    size_t dead, kept = 0;
    size_t cut = cut_at(view, &start, &dead);
    for (int number = 0; number < ROWS; number++) {
        const row *now = &doing->rows[number];
        kept = keep(view, kept, now->picks + now->first, now->end - now->first, cut);
        if (number == LEFT) view->sorted = kept;
    }
    kept = keep(view, kept, doing->heap, doing->heaped, cut);
    if (cut < view->length) {
        view->length = copy_alive(view->nodes, view->length, cut, view->nodes, cut, view->room);
        view->dead = dead;
        kept = list_pairs(view->nodes, view->length, cut, start, 0, view->picks, kept, view->room / 2);
    }
    view->ready = kept;
    view->strays = kept - view->sorted;
}

/* Once the view weighs more than its budget. */
static int settle(fc_view *view, int64_t budget, const order *by) {
    walk doing;
    int status = reserve_work(view, view->room);
    if (status != FC_OK) return status;
    begin(&doing, view, view->nodes, budget, by);
    line_up(&doing, LEFT, view->picks, view->sorted);
    for (size_t index = 0; index < view->strays; index++) heap_put(&doing, &view->picks[view->sorted + index]);
    line_up(&doing, SINCE, view->picks + view->sorted + view->strays, view->ready - view->sorted - view->strays);
    merge_down(&doing);
    view->answered = doing.answered;
    view->lines -= (int64_t)doing.answered;
    view->dead += 2 * doing.answered;
    view->weight = doing.weight;
    view->heft = doing.heft;
    tidy(view, &doing);
    return FC_OK;
}

static int settle_by(fc_view *view, int64_t budget, uint32_t name, fc_before before, void *context, int *outcome) {
    int ended = FC_FITS;
    view->answered = 0;
    if (view->weight > budget) {
        if (view->ready > 0 && view->weight > half(budget)) {
            const order by = {name, before, context};
            int status = settle(view, budget, &by);
            if (status != FC_OK) return status;
        }
        ended = view->ready == 0 && view->weight > half(budget) ? FC_STUCK : FC_SETTLED;
    }
    if (outcome != NULL) *outcome = ended;
    return FC_OK;
}

static int wanted_by(fc_view *view, int64_t budget, uint32_t name, fc_before before, void *context) {
    const order by = {name, before, context};
    walk doing;
    view->answered = 0;
    if (view->weight <= budget) return FC_OK;
    int status = reserve_work(view, view->room);
    if (status != FC_OK) return status;
    memcpy(view->spare_nodes, view->nodes, view->length * sizeof *view->nodes);
    begin(&doing, view, view->spare_nodes, budget, &by);
    line_up(&doing, LEFT, view->spare_picks,
            list_pairs(doing.nodes, doing.length, 0, 0, 1, view->spare_picks, 0, view->work_room / 2));
    merge_down(&doing);
    view->answered = doing.answered;
    return FC_OK;
}

int fc_settle(fc_view *view, int64_t budget, uint32_t rank, int *outcome) {
    return rank < CALLERS_OWN ? settle_by(view, budget, rank, NULL, NULL, outcome) : FC_BAD_ARGUMENT;
}

int fc_settle_by(fc_view *view, int64_t budget, fc_before before, void *context, int *outcome) {
    return before != NULL ? settle_by(view, budget, CALLERS_OWN, before, context, outcome) : FC_BAD_ARGUMENT;
}

int fc_wanted(fc_view *view, int64_t budget, uint32_t rank) {
    return rank < CALLERS_OWN ? wanted_by(view, budget, rank, NULL, NULL) : FC_BAD_ARGUMENT;
}

int fc_wanted_by(fc_view *view, int64_t budget, fc_before before, void *context) {
    return before != NULL ? wanted_by(view, budget, CALLERS_OWN, before, context) : FC_BAD_ARGUMENT;
}

/* ---- cover, save and load ---- */

int fc_cover(const fc_view *view, fc_block *blocks, int64_t *weights, size_t room) {
    size_t shown = 0;
    int64_t start = 0;
    if (room < (uint64_t)view->lines) return FC_BAD_ARGUMENT;
    for (size_t at = 0; at < view->length && shown < room; at++) {
        at = alive(view->nodes, view->length, at);
        const fc_node *node = &view->nodes[at];
        if (!is_line(node)) continue;
        blocks[shown].start = start;
        blocks[shown].size = node->size;
        if (weights != NULL) weights[shown] = node->weight;
        start += node->size;
        shown += 1;
    }
    return FC_OK;
}

int fc_save(const fc_view *view, fc_node *nodes, size_t room) {
    if (room < fc_nodes(view)) return FC_BAD_ARGUMENT;
    copy_alive(view->nodes, view->length, 0, nodes, 0, room);
    return FC_OK;
}

/* Whether the node at `at` is what fc_node says it must be; those before it are. */
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

int fc_load(fc_view *view, const fc_node *nodes, size_t count) {
    int64_t units = 0, lines = 0, weight = 0, heft = 0;
    if (count > FC_MOST_NODES) return FC_NO_MEMORY;
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
    if (count > 0) memcpy(view->nodes, nodes, count * sizeof *nodes);
    view->length = count;
    view->units = units;
    view->lines = lines;
    view->weight = weight;
    view->heft = heft;
    view->ready = list_pairs(view->nodes, count, 0, 0, 0, view->picks, 0, view->room / 2);
    view->strays = view->ready;
    return FC_OK;
}
