/* What the C core costs, measured for benchmarks/native.py: one history an output line, as JSON.
 *
 *     native floor CLOSES                 append one 16-byte record a close to a warm array
 *     native life CLOSES BUDGET RANK      close, write what is wanted once above the budget, settle
 *     native bare CLOSES BUDGET RANK      close and settle on a history on which nobody writes a line
 *
 * All lines weigh 1. The host keeps the sum of what it shows, for it knows what its titles weigh. `ns` is a close with its
 * settle; `host_ns` is what the host does besides (wanted and write), timed apart by the batch. `allocations` counts
 * those of the last nine tenths of the closes.
 */
#define _POSIX_C_SOURCE 199309L
#include "foldcover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    int64_t unit;
    int64_t weight;
} record;

static long allocations;

static void *allocate(void *context, size_t bytes) {
    (void)context;
    allocations += 1;
    return malloc(bytes);
}

static void release(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)bytes;
    free(memory);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void must(int status) {
    if (status == FC_OK) return;
    fprintf(stderr, "native: status %d\n", status);
    exit(1);
}

static void measure_floor(long closes) {
    record *records = malloc((size_t)closes * sizeof *records);
    if (records == NULL) exit(1);
    memset(records, 1, (size_t)closes * sizeof *records);
    double start = now();
    for (long unit = 0; unit < closes; unit++) {
        records[unit].unit = unit;
        records[unit].weight = 1;
        __asm__ volatile("" : : "r"(records) : "memory");
    }
    printf("{\"ns\": %.3f}\n", (now() - start) / (double)closes);
    free(records);
}

/* Write all that is wanted, round by round. Says how many lines that were. */
static long write_wanted(fc_view *view, int64_t budget, uint32_t rank, fc_block *room) {
    const fc_block *asked;
    long written = 0;
    for (size_t count = 1; count > 0;) {
        must(fc_wanted(view, budget, rank));
        count = fc_blocks(view, &asked);
        memcpy(room, asked, count * sizeof *room);
        for (size_t index = 0; index < count; index++) must(fc_write(view, room[index], 1, NULL));
        written += (long)count;
    }
    return written;
}

/* A host: its view, how it keeps it, and what it did so far. */
typedef struct {
    fc_view *view;
    int64_t budget;
    uint32_t rank;
    int64_t writes_above; /* the budget, or a sum that is never reached */
    fc_block *room;       /* for what is wanted */
    int64_t shown;        /* what its lines weigh */
    long written;
    long edits;
    double wrote_for; /* nanoseconds */
} host;

/* Write what is wanted, on the clock; settle; look up what that left. It is rare, so it is kept out of the loop. */
__attribute__((noinline)) static void edit(host *its) {
    double since = now();
    int outcome;
    its->written += write_wanted(its->view, its->budget, its->rank, its->room);
    its->wrote_for += now() - since;
    its->edits += 1;
    must(fc_settle(its->view, its->budget, its->rank, &outcome));
    its->shown = fc_weight(its->view);
}

static void live(host *its, long closes) {
    fc_view *const view = its->view;
    const int64_t budget = its->budget, writes_above = its->writes_above;
    const uint32_t rank = its->rank;
    int64_t shown = its->shown;
    for (long unit = 0; unit < closes; unit++) {
        must(fc_close(view, 1));
        shown += 1;
        if (shown > writes_above) {
            edit(its);
            shown = its->shown;
        } else {
            must(fc_settle(view, budget, rank, NULL));
        }
    }
    its->shown = shown;
}

static void measure_life(long closes, int64_t budget, uint32_t rank, int writes) {
    const fc_allocator memory = {allocate, release, NULL};
    fc_block *room = malloc((size_t)(budget + 64) * 2 * sizeof *room);
    host its = {.view = fc_open(&memory), .budget = budget, .rank = rank, .room = room};
    its.writes_above = writes ? budget : INT64_MAX;
    if (its.view == NULL || room == NULL) exit(1);
    double start = now();
    live(&its, closes / 10);
    const long early = allocations;
    live(&its, closes - closes / 10);
    const double all = now() - start;
    printf("{\"ns\": %.3f, \"host_ns\": %.3f, \"edits\": %ld, \"written\": %ld, \"lines\": %lld, \"nodes\": %zu, "
           "\"allocations\": %ld}\n",
           (all - its.wrote_for) / (double)closes, its.wrote_for / (double)closes, its.edits, its.written,
           (long long)fc_lines(its.view), fc_nodes(its.view), allocations - early);
    fc_free(its.view);
    free(room);
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "floor") == 0) {
        measure_floor(atol(words[2]));
        return 0;
    }
    if (count != 5) return 2;
    measure_life(atol(words[2]), atol(words[3]), (uint32_t)atol(words[4]), strcmp(words[1], "life") == 0);
    return 0;
}
