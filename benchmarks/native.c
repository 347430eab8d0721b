/* What the C core costs, measured for benchmarks/native.py: one history an output line, as JSON.
 *
 *     native floor CLOSES                 append one 16-byte record a close to a warm array
 *     native life CLOSES BUDGET RANK      close, write what is wanted once above the budget, settle
 *     native bare CLOSES BUDGET RANK      close and settle on a history on which nobody writes a line
 *
 * All lines weigh 1. `ns` is a close with its settle; `host_ns` is what the host does besides (wanted and write), timed
 * apart by the batch. `allocations` counts those of the last nine tenths of the closes.
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

static void measure_life(long closes, int64_t budget, uint32_t rank, int writes) {
    const fc_allocator memory = {allocate, release, NULL};
    fc_view *view = fc_open(&memory);
    fc_block *room = malloc((size_t)(budget + 2) * 2 * sizeof *room);
    long written = 0, edits = 0, early = 0;
    double host = 0, start = now();
    int outcome;
    if (view == NULL || room == NULL) exit(1);
    for (long unit = 0; unit < closes; unit++) {
        if (unit == closes / 10) early = allocations;
        must(fc_close(view, 1));
        if (writes && fc_weight(view) > budget) {
            double since = now();
            written += write_wanted(view, budget, rank, room);
            edits += 1;
            host += now() - since;
        }
        must(fc_settle(view, budget, rank, &outcome));
    }
    double all = now() - start;
    printf("{\"ns\": %.3f, \"host_ns\": %.3f, \"edits\": %ld, \"written\": %ld, \"lines\": %lld, \"nodes\": %zu, "
           "\"allocations\": %ld}\n",
           (all - host) / (double)closes, host / (double)closes, edits, written, (long long)fc_lines(view),
           fc_nodes(view), allocations - early);
    fc_free(view);
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
