/* What both fuzz targets share: bytes read as numbers, memory that may fail, and what must be true of every view. */
#include "foldcover.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEMAND(what) do { if (!(what)) __builtin_trap(); } while (0)

typedef struct {
    const uint8_t *bytes;
    size_t left;
} input;

static uint8_t next_byte(input *from) {
    if (from->left == 0) return 0;
    from->left -= 1;
    return *from->bytes++;
}

/* Mostly a small number, now and then any of 64 bits. */
static int64_t next_number(input *from) {
    uint8_t first = next_byte(from);
    if (first < 0xf0) return (int64_t)first % 64 - 4;
    uint64_t number = 0;
    for (int byte = 0; byte < 8; byte++) number = number << 8 | next_byte(from);
    return (int64_t)number;
}

/* Allocations until there is no more; below zero: never. */
static int allocations_left = -1;
static size_t allocated;

static void *allocate(void *context, size_t bytes) {
    (void)context;
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left -= 1;
    allocated += bytes;
    return malloc(bytes);
}

static void release(void *context, void *memory, size_t bytes) {
    (void)context;
    DEMAND(allocated >= bytes);
    allocated -= bytes;
    free(memory);
}

static const fc_allocator MEMORY = {allocate, release, NULL};

/* A view as fc_save gives it, with its measures. */
typedef struct {
    fc_node *nodes;
    size_t count;
    int64_t units;
    int64_t lines;
    int64_t weight;
} copy;

static copy copy_of(const fc_view *view) {
    copy taken = {NULL, fc_nodes(view), fc_units(view), fc_lines(view), fc_weight(view)};
    taken.nodes = malloc(taken.count * sizeof *taken.nodes + 1);
    DEMAND(taken.nodes != NULL && fc_save(view, taken.nodes, taken.count) == FC_OK);
    return taken;
}

static int same(const copy *one, const copy *other) {
    return one->count == other->count && one->units == other->units && one->lines == other->lines
           && one->weight == other->weight
           && (one->count == 0 || memcmp(one->nodes, other->nodes, one->count * sizeof *one->nodes) == 0);
}

/* Whether nodes make an aligned view, and within the limits: read with a stack of trees, as the header has it. */
static int is_view(const fc_node *nodes, size_t count) {
    fc_node trees[64];
    size_t height = 0;
    uint64_t units = 0, heft = 0;
    for (size_t at = 0; at < count; at++) {
        const fc_node *node = &nodes[at];
        const int written = node->kind == FC_WRITTEN;
        if (node->size < 1 || node->size > FC_MOST_UNITS || (node->size & (node->size - 1)) != 0) return 0;
        if (node->kind == FC_LEAF || node->kind == FC_MERGED) {
            if ((node->kind == FC_LEAF && node->size != 1) || node->span != 1) return 0;
            units += (uint64_t)node->size;
        } else {
            if ((node->kind != FC_SPLIT && !written) || (!written && node->weight != 0) || height < 2) return 0;
            const fc_node newer = trees[--height], older = trees[--height];
            if (older.size != newer.size || node->size != 2 * newer.size) return 0;
            if (node->span != older.span + newer.span + 1) return 0;
        }
        heft += node->weight < 0 ? 0 - (uint64_t)node->weight : (uint64_t)node->weight;
        if (units > (uint64_t)FC_MOST_UNITS || heft > INT64_MAX || height == 64) return 0;
        trees[height++] = *node;
    }
    for (size_t at = 1; at < height; at++)
        if (trees[at - 1].size <= trees[at].size) return 0;
    return 1;
}

/* The nodes are a view, the measures are theirs, the cover is their lines, and they can be loaded again. */
static void demand_sound(const fc_view *view, const copy *now) {
    DEMAND(is_view(now->nodes, now->count));
    int64_t units = 0, lines = 0, weight = 0;
    fc_block *blocks = malloc((size_t)now->lines * sizeof *blocks + 1);
    int64_t *weights = malloc((size_t)now->lines * sizeof *weights + 1);
    DEMAND(fc_cover(view, blocks, weights, (size_t)now->lines) == FC_OK);
    for (size_t at = 0; at < now->count; at++) {
        const fc_node *node = &now->nodes[at];
        if (node->kind != FC_LEAF && node->kind != FC_MERGED) continue;
        DEMAND(lines < now->lines && blocks[lines].start == units && blocks[lines].size == node->size);
        DEMAND(weights[lines] == node->weight);
        units += node->size;
        weight += node->weight;
        lines += 1;
    }
    DEMAND(units == now->units && lines == now->lines && weight == now->weight);
    free(blocks);
    free(weights);
    int left = allocations_left;
    allocations_left = -1;
    fc_view *again = fc_open(&MEMORY);
    DEMAND(again != NULL && fc_load(again, now->nodes, now->count) == FC_OK);
    copy loaded = copy_of(again);
    DEMAND(same(&loaded, now));
    free(loaded.nodes);
    fc_free(again);
    allocations_left = left;
}

static int64_t floor_half(int64_t budget) { return budget / 2 - (budget % 2 < 0); }

/* Whether a pair of the copy has its line. */
static int any_ready(const copy *now) {
    for (size_t at = 2; at < now->count; at++)
        if (now->nodes[at].kind == FC_WRITTEN && now->nodes[at - 1].kind <= FC_MERGED
            && now->nodes[at - 2].kind <= FC_MERGED)
            return 1;
    return 0;
}

static int by_parity(void *context, fc_block one, fc_block other, int64_t units) {
    (void)context;
    return (one.start * 7 + one.size * 3 + units) % 5 < (other.start * 7 + other.size * 3 + units) % 5;
}

/* Settle, by a named rank (0 or 1) or the callback, and what must be true then. Says the status. */
static int settle_and_demand(fc_view *view, const copy *before, int64_t budget, uint32_t rank, int *outcome) {
    const fc_block *blocks;
    int status = rank < 2 ? fc_settle(view, budget, rank, outcome)
                          : fc_settle_by(view, budget, by_parity, NULL, outcome);
    copy now = copy_of(view);
    if (status != FC_OK) {
        DEMAND(same(&now, before));
    } else {
        DEMAND(now.units == before->units && now.lines == before->lines - (int64_t)fc_blocks(view, &blocks));
        DEMAND((*outcome == FC_FITS) == (before->weight <= budget));
        if (*outcome == FC_FITS) DEMAND(same(&now, before));
        if (*outcome == FC_SETTLED) DEMAND(now.weight <= floor_half(budget));
        if (*outcome == FC_STUCK) DEMAND(!any_ready(&now) && now.weight > floor_half(budget));
        demand_sound(view, &now);
    }
    free(now.nodes);
    return status;
}
