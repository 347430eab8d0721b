/* What JavaScript calls: the functions of foldcover.h, their numbers as doubles.
 *
 * A 64-bit integer would cross as a BigInt, at a price on every call; a double holds every integer that is safe in
 * JavaScript, and the caller passes no others. An answer that is a count or a yes is a number from 0 on, a status other
 * than FC_OK comes back negative.
 */
#include "../c/foldcover.h"
#include "memory.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* Asks the rank that is JavaScript's, whether the first block goes before the second. */
__attribute__((import_module("foldcover"), import_name("before"))) int before_in_javascript(
    double start, double size, double other_start, double other_size, double units);

static int before(void *context, fc_block one, fc_block other, int64_t units) {
    (void)context;
    return before_in_javascript((double)one.start, (double)one.size, (double)other.start, (double)other.size,
                                (double)units);
}

static fc_block block_of(double start, double size) {
    const fc_block block = {(int64_t)start, (int64_t)size};
    return block;
}

EXPORT("abi") uint32_t abi(void) { return fc_abi(); }

EXPORT("open") fc_view *open(void) {
    const fc_allocator memory = {memory_allocate, memory_release, NULL};
    return fc_open(&memory);
}

EXPORT("free") void release(fc_view *view) { fc_free(view); }
EXPORT("reset") void reset(fc_view *view) { fc_reset(view); }

/* Room in the module's memory, for what is passed by address. */
EXPORT("take") void *take(size_t bytes) { return memory_allocate(NULL, bytes); }
EXPORT("give") void give(void *memory, size_t bytes) { memory_release(NULL, memory, bytes); }

EXPORT("units") double units(const fc_view *view) { return (double)fc_units(view); }
EXPORT("lines") double lines(const fc_view *view) { return (double)fc_lines(view); }
EXPORT("nodes") size_t nodes(const fc_view *view) { return fc_nodes(view); }

/* A weight above 2^53 is rounded here, but never to one that is safe in JavaScript. */
EXPORT("weight") double weight(const fc_view *view) { return (double)fc_weight(view); }

EXPORT("close") int close(fc_view *view, double weight) { return -fc_close(view, (int64_t)weight); }

/* What passes by address; core.mjs knows how many. */
static int32_t weights[512]; /* of units to be closed together */
static double numbers[192];  /* of runs, three of each */

EXPORT("weights") int32_t *weights_to_close(void) { return weights; }
EXPORT("ready") size_t ready(const fc_view *view) {
    const size_t most = sizeof weights / sizeof *weights, ready = fc_ready(view);
    return ready < most ? ready : most;
}

EXPORT("close_all") size_t close_all(fc_view *view, size_t count) { return fc_close_all(view, weights, count); }

/* Whether it wrote. */
EXPORT("write") int write(fc_view *view, double start, double size, double weight) {
    int wrote;
    int status = fc_write(view, block_of(start, size), (int64_t)weight, &wrote);
    return status == FC_OK ? wrote : -status;
}

/* How many blocks are the answer. */
static size_t count(const fc_view *view) {
    const fc_block *blocks;
    return fc_blocks(view, &blocks);
}

/* Whether the block `ahead` of the one at `from` is as large, and follows it and those between, if these do too. */
static int in_row(const fc_block *from, size_t ahead) {
    return from[ahead].size == from->size && from[ahead].start == from->start + (int64_t)ahead * from->size;
}

/* How many blocks, `count` at most, are of one size and follow one another. `ordered`: they come by size, then start,
 * so that nobody need look between two that fit. */
static size_t run(const fc_block *from, size_t count, int ordered) {
    size_t length = 1, step = 1;
    while (length + step <= count && in_row(from, length + step - 1)) {
        length += step;
        if (ordered) step *= 2;
    }
    while ((step /= 2) > 0)
        if (length + step <= count && in_row(from, length + step - 1)) length += step;
    return length;
}

EXPORT("numbers") double *numbers_of_runs(void) { return numbers; }

/* The answer from one of its blocks on, as runs: of each the first start, the size, how many in a row. How many numbers
 * that are: they end with the answer, or where there is no room for another three. */
EXPORT("runs") size_t runs(const fc_view *view, size_t from, int ordered) {
    const fc_block *blocks;
    const size_t count = fc_blocks(view, &blocks);
    size_t put = 0;
    for (size_t length; from < count && put < sizeof numbers / sizeof *numbers; from += length) {
        length = run(blocks + from, count - from, ordered);
        numbers[put++] = (double)blocks[from].start;
        numbers[put++] = (double)blocks[from].size;
        numbers[put++] = (double)length;
    }
    return put;
}

/* Four times the number of merged blocks, and the outcome. (A memory of 2^32 bytes holds fewer than 2^28 blocks.) */
static int settled(const fc_view *view, int status, int outcome) {
    return status == FC_OK ? 4 * (int)count(view) + outcome : -status;
}

EXPORT("settle") int settle(fc_view *view, double budget, uint32_t rank) {
    int outcome = FC_FITS;
    int status = fc_settle(view, (int64_t)budget, rank, &outcome);
    return settled(view, status, outcome);
}

EXPORT("settle_by") int settle_by(fc_view *view, double budget) {
    int outcome = FC_FITS;
    int status = fc_settle_by(view, (int64_t)budget, before, NULL, &outcome);
    return settled(view, status, outcome);
}

/* How many lines are wanted. */
EXPORT("wanted") int wanted(fc_view *view, double budget, uint32_t rank) {
    int status = fc_wanted(view, (int64_t)budget, rank);
    return status == FC_OK ? (int)count(view) : -status;
}

EXPORT("wanted_by") int wanted_by(fc_view *view, double budget) {
    int status = fc_wanted_by(view, (int64_t)budget, before, NULL);
    return status == FC_OK ? (int)count(view) : -status;
}

/* Whether the range lies inside the view. */
EXPORT("zoom") int zoom(const fc_view *view, double start, double size) {
    return fc_zoom(view, block_of(start, size)).size > 0;
}

EXPORT("cover") int cover(const fc_view *view, fc_block *blocks, size_t room) {
    return -fc_cover(view, blocks, NULL, room);
}

EXPORT("save") int save(const fc_view *view, fc_node *nodes, size_t room) { return -fc_save(view, nodes, room); }
EXPORT("load") int load(fc_view *view, const fc_node *nodes, size_t count) { return -fc_load(view, nodes, count); }
