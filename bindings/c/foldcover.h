/* foldcover: keep the list of titles of an agent's finished work short, by a rule with thirteen laws.
 *
 * This header is the only truth of the ABI; foldcover.c is the whole implementation. C11, freestanding: of the C
 * library only memcpy and memmove are used. No recursion, no global state, no allocation but through the caller's.
 *
 *     fc_view *view = fc_open(&memory);
 *     fc_close(view, weight);                              a unit closed
 *     while (fc_wanted(view, budget, rank) == FC_OK
 *            && fc_blocks(view, &blocks) > 0)              lines that settle will need: write them,
 *         for each block: fc_write(view, block, weight, 0);      as many at once as you like
 *     fc_settle(view, budget, rank, &outcome);             merge down to half the budget once above it
 *     fc_cover(view, ...);                                 what to show, oldest first
 *
 * The rule, its words and its laws are those of the Python core (spec/rule.md, spec/laws.md). Limits, each checked:
 * at most 2^48 units and somewhat under 2^30 lines, shown and written, in a view, and their absolute weights add up to
 * at most 2^63 - 1. A call that returns anything but FC_OK has changed nothing.
 *
 * A view belongs to one thread at a time; views are independent of each other.
 */
#ifndef FOLDCOVER_H
#define FOLDCOVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever something below changes its meaning or layout. */
#define FC_ABI 2

#define FC_MOST_UNITS ((int64_t)1 << 48)
#define FC_MOST_NODES ((size_t)1 << 31)

/* What a call returns. */
enum {
    FC_OK = 0,
    FC_NO_MEMORY = 1,    /* the caller's allocator gave nothing, or the view would have 2^30 lines */
    FC_OVERFLOW = 2,     /* more than 2^48 units, or weights that add up to more than 64 bits hold */
    FC_BAD_VIEW = 3,     /* fc_load: the nodes are no aligned view, or one of them has more than 2^48 units */
    FC_BAD_ARGUMENT = 4, /* no such rank, a null pointer where one must not be, or too little room for the answer */
    FC_DAMAGED = 5       /* the view's memory was changed from outside */
};

/* How settle ended. */
enum {
    FC_FITS = 0,    /* the view was within the budget: nothing was done */
    FC_SETTLED = 1, /* it was above, and weighs at most half the budget now */
    FC_STUCK = 2    /* no pair is ready, and it weighs more than half the budget */
};

/* The order in which settle takes ready pairs; on equal keys the older goes first. */
enum {
    FC_SMALLEST_FIRST = 0, /* by size, then start */
    FC_AGE_OVER_SIZE = 1   /* by (units - start) / size, exactly, the largest first, then start */
};

/* The units start .. start + size - 1. */
typedef struct {
    int64_t start;
    int64_t size;
} fc_block;

/* What a node of a view is. */
enum {
    FC_LEAF = 1,   /* a unit, shown with its title; size 1 */
    FC_MERGED = 2, /* a block shown as one line */
    FC_SPLIT = 3,  /* a block shown as its two halves, whose own line nobody has written */
    FC_WRITTEN = 4 /* the same, its own line written; `weight` is that line's */
};

/* A view is a postfix expression: its nodes oldest first, each Split right behind its newer half.
 * Of a Split at index i the newer half is the node at i - 1, the older one at i - 1 - nodes[i - 1].span. */
typedef struct {
    int64_t size;   /* units under it, at least 1; of a Split the sum of its halves */
    int64_t weight; /* of its line; 0 where no line is written */
    uint32_t kind;
    uint32_t span;  /* nodes of its subtree, itself included; 1 for a line */
} fc_node;

/* The caller's memory. `allocate` returns `bytes` bytes aligned for any object, or NULL; it is asked only when a view
 * outgrows what it has, and then for about twice as much. `release` gets back exactly what was allocated. */
typedef struct {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
} fc_allocator;

typedef struct fc_view fc_view;

/* Whether the key of `one` is less than the key of `other`: a rank of the caller's own. It must be pure, a strict
 * weak order, must not touch the view, and must return. */
typedef int (*fc_before)(void *context, fc_block one, fc_block other, int64_t units);

uint32_t fc_abi(void);

/* An empty view, NULL if there is no memory. The allocator is copied. fc_free takes NULL as well. */
fc_view *fc_open(const fc_allocator *memory);
void fc_free(fc_view *view);
void fc_reset(fc_view *view); /* empty again; the memory is kept */

/* Measures: units covered, lines shown, the sum of the shown lines' weights, nodes in all. */
int64_t fc_units(const fc_view *view);
int64_t fc_lines(const fc_view *view);
int64_t fc_weight(const fc_view *view);
size_t fc_nodes(const fc_view *view);

/* Append a unit whose title weighs `weight`. Amortised constant. */
int fc_close(fc_view *view, int64_t weight);

/* Close `count` units together, oldest first, as far as there is room without new memory or a new layout, and no weight
 * is too much. How many were closed: for the next, fc_close does what is needed or says why not. */
size_t fc_close_all(fc_view *view, const int32_t *weights, size_t count);

/* So many closes, whatever 32-bit weights they have, succeed with the room that there is: one by one or together, as
 * long as no other call that takes the view without const comes between. */
size_t fc_ready(const fc_view *view);

/* Note that the line of `block` exists and weighs `weight`. Changes nothing unless the block is a Split of the view
 * without a line; *wrote, where it is asked for, says whether it was. O(1) if the lines of each size are written oldest
 * first, which is the order in which they are wanted; else it moves what is newer. */
int fc_write(fc_view *view, fc_block block, int64_t weight, int *wrote);

/* Merge ready pairs, top-ranked first, until the view weighs at most budget / 2 (rounded down), once it weighs more
 * than `budget`. The merged blocks, in order, are what fc_blocks answers next. O(m log m) for m lines; by
 * FC_AGE_OVER_SIZE at most 48 steps, one a level, for each. */
int fc_settle(fc_view *view, int64_t budget, uint32_t rank, int *outcome);
int fc_settle_by(fc_view *view, int64_t budget, fc_before before, void *context, int *outcome);

/* The lines that settle will certainly need, in the order of merging: fc_blocks has them next. O(m log m). */
int fc_wanted(fc_view *view, int64_t budget, uint32_t rank);
int fc_wanted_by(fc_view *view, int64_t budget, fc_before before, void *context);

/* The blocks that the last settle merged, or the last wanted asked for: how many, and where (NULL, perhaps, where there
 * are none). Valid until the next call that takes the view without const. */
size_t fc_blocks(const fc_view *view, const fc_block **blocks);

/* The units under `block`, as a range: the block itself if it lies inside 0 .. units, else one of size 0. */
fc_block fc_zoom(const fc_view *view, fc_block block);

/* The shown blocks, oldest first, and what their lines weigh (`weights` may be NULL), into room for `room` of them:
 * fc_lines are needed. */
int fc_cover(const fc_view *view, fc_block *blocks, int64_t *weights, size_t room);

/* All nodes of the view, into room for `room` of them: fc_nodes are needed. */
int fc_save(const fc_view *view, fc_node *nodes, size_t room);

/* Replace the view by the one that `count` nodes make. It must be aligned, as all are to which these operations lead:
 * halves of one size, sizes that are powers of two, each block at a multiple of its size, no two trees of one size.
 * Everything is checked, spans too. */
int fc_load(fc_view *view, const fc_node *nodes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
