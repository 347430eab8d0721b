/* Fuzz target: any bytes as nodes. fc_load takes exactly those that make an aligned view, and saves them as they are;
 * what it refuses changes nothing. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Nodes from bytes: mostly what the ruler has next, so that deep views are reached, now and then anything. */
static size_t nodes_of(input *from, fc_node *nodes, size_t most) {
    uint32_t older[64], span = 0; /* of the halves that wait, and of the last node */
    uint64_t units = 0;
    size_t count = 0;
    int on = -1; /* the level of the last node */
    while (from->left > 0 && count < most) {
        uint8_t what = next_byte(from);
        fc_node *node = &nodes[count++];
        if (on >= 0 && on < 62 && (units >> on) % 2 == 0) {
            span += older[on++] + 1;
            *node = (fc_node){(int64_t)1 << on, 0, what % 2 ? FC_WRITTEN : FC_SPLIT, span};
        } else {
            for (on = what % 16 < 8 ? 0 : what / 16; units % ((uint64_t)1 << on) != 0;) on -= 1;
            if (what == 0x0f && units == 0) on = 46 + next_byte(from) % 4;
            units += (uint64_t)1 << on;
            span = 1;
            *node = (fc_node){(int64_t)1 << on, 0, on == 0 && what % 2 ? FC_LEAF : FC_MERGED, span};
        }
        if ((units >> on) % 2 == 1) older[on] = span;
        if (node->kind != FC_SPLIT) node->weight = next_number(from);
        if (what >= 0xf8) {
            uint8_t wrong = next_byte(from);
            if (wrong & 1) node->kind = next_byte(from) % 6;
            if (wrong & 2) node->span = (uint32_t)next_number(from);
            if (wrong & 4) node->size = next_number(from);
            if (wrong & 8) node->weight = next_number(from);
        }
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    input from = {bytes, size};
    fc_node nodes[512];
    int outcome;
    int64_t budget = next_number(&from);
    size_t count = nodes_of(&from, nodes, sizeof nodes / sizeof *nodes);
    fc_view *view = fc_open(&MEMORY);
    DEMAND(view != NULL && fc_close(view, 7) == FC_OK);
    copy before = copy_of(view);
    int status = fc_load(view, nodes, count);
    copy now = copy_of(view);
    DEMAND((status == FC_OK) == is_view(nodes, count));
    if (status == FC_OK) {
        DEMAND(now.count == count && (count == 0 || memcmp(now.nodes, nodes, count * sizeof *nodes) == 0));
        demand_sound(view, &now);
        for (uint32_t rank = 0; rank < 3; rank++) {
            DEMAND(settle_and_demand(view, &now, budget, rank, &outcome) == FC_OK);
            DEMAND(fc_load(view, nodes, count) == FC_OK);
        }
    } else {
        DEMAND((status == FC_BAD_VIEW || status == FC_OVERFLOW) && same(&now, &before));
    }
    free(now.nodes);
    free(before.nodes);
    fc_free(view);
    DEMAND(allocated == 0);
    return 0;
}
