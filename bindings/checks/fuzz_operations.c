/* Fuzz target: any bytes as operations on one view, with memory that may run out. After each the view must be sound,
 * and one that failed must have changed nothing. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void close_and_demand(fc_view *view, const copy *before, int64_t weight) {
    int status = fc_close(view, weight);
    copy now = copy_of(view);
    if (status == FC_OK)
        DEMAND(now.units == before->units + 1 && now.lines == before->lines + 1
               && now.weight == before->weight + weight);
    else
        DEMAND(same(&now, before));
    demand_sound(view, &now);
    free(now.nodes);
}

/* No further than there is room, and so far as was promised at least. */
static void close_all_and_demand(fc_view *view, const copy *before, input *from, size_t count) {
    int32_t weights[8];
    const size_t ready = fc_ready(view);
    for (size_t at = 0; at < count; at++) weights[at] = (int32_t)(uint32_t)(uint64_t)next_number(from);
    const size_t closed = fc_close_all(view, weights, count);
    copy now = copy_of(view);
    int64_t weight = before->weight;
    for (size_t at = 0; at < closed; at++) weight += weights[at];
    DEMAND(closed <= count && (closed == count || closed >= ready));
    DEMAND(now.units == before->units + (int64_t)closed && now.lines == before->lines + (int64_t)closed);
    DEMAND(now.weight == weight);
    demand_sound(view, &now);
    free(now.nodes);
}

static void write_and_demand(fc_view *view, const copy *before, fc_block block, int64_t weight) {
    int wrote;
    int status = fc_write(view, block, weight, &wrote);
    copy now = copy_of(view);
    DEMAND(status == FC_OK || !wrote);
    DEMAND(same(&now, before) == !wrote);
    DEMAND(now.lines == before->lines && now.units == before->units && now.weight == before->weight);
    demand_sound(view, &now);
    free(now.nodes);
}

/* The lines wanted, written with weight 0, are merged by settle for certain. */
static void wanted_and_demand(fc_view *view, const copy *before, int64_t budget, uint32_t rank, int write) {
    const fc_block *asked;
    int wrote;
    int status = rank < 2 ? fc_wanted(view, budget, rank) : fc_wanted_by(view, budget, by_parity, NULL);
    copy now = copy_of(view);
    DEMAND(same(&now, before));
    free(now.nodes);
    if (status != FC_OK || !write) return;
    size_t count = fc_blocks(view, &asked);
    fc_block *blocks = malloc(count * sizeof *blocks + 1);
    if (count > 0) memcpy(blocks, asked, count * sizeof *blocks);
    int left = allocations_left;
    allocations_left = -1;
    for (size_t index = 0; index < count; index++)
        DEMAND(fc_write(view, blocks[index], 0, &wrote) == FC_OK && wrote);
    DEMAND((rank < 2 ? fc_wanted(view, budget, rank) : fc_wanted_by(view, budget, by_parity, NULL)) == FC_OK);
    DEMAND(fc_blocks(view, &asked) == 0);
    allocations_left = left;
    free(blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input from = {bytes, size < 400 ? size : 400};
    int outcome;
    allocations_left = -1;
    fc_view *view = fc_open(&MEMORY);
    DEMAND(view != NULL);
    while (from.left > 0) {
        uint8_t what = next_byte(&from);
        copy before = copy_of(view);
        if (what < 0x10) {
            close_all_and_demand(view, &before, &from, what % 8 + 1);
        } else if (what < 0x80) {
            for (int more = what % 8; more >= 0; more--) {
                free(before.nodes);
                before = copy_of(view);
                close_and_demand(view, &before, next_number(&from));
            }
        } else if (what < 0xa8) {
            int64_t size_bits = next_byte(&from) % 10;
            fc_block block = {next_number(&from), (int64_t)1 << size_bits};
            if (what % 4 && block.start >= 0 && block.start < 64) block.start *= block.size;
            if (what % 16 == 0) block.size = next_number(&from);
            write_and_demand(view, &before, block, next_number(&from));
        } else if (what < 0xc0) {
            wanted_and_demand(view, &before, next_number(&from), what % 3, what % 4);
        } else if (what < 0xe8) {
            settle_and_demand(view, &before, next_number(&from), what % 3, &outcome);
        } else if (what < 0xf0) {
            fc_block block = {next_number(&from), next_number(&from)};
            fc_block units = fc_zoom(view, block);
            int inside = block.start >= 0 && block.size >= 1 && block.start <= before.units
                         && block.size <= before.units - block.start;
            DEMAND(inside ? units.start == block.start && units.size == block.size : units.size == 0);
        } else if (what < 0xf8) {
            allocations_left = (int)next_byte(&from) % 12 - 1;
        } else {
            DEMAND(fc_load(view, before.nodes, before.count) == FC_OK || allocations_left == 0);
            if (what == 0xff) fc_reset(view);
        }
        free(before.nodes);
    }
    fc_free(view);
    DEMAND(allocated == 0);
    return 0;
}
