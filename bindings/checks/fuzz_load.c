/* Fuzz target: any bytes as nodes. What fc_load takes must be a view in every respect; what it refuses changes nothing. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Nodes from bytes: the derived fields mostly right, so that deep views are reached, now and then anything. */
static size_t nodes_of(input *from, fc_node *nodes, size_t most) {
    size_t count = 0;
    while (from->left > 0 && count < most) {
        uint8_t what = next_byte(from);
        fc_node *node = &nodes[count];
        node->kind = what % 8 < 2 ? FC_LEAF : what % 8 < 4 ? FC_MERGED : what % 8 < 6 ? FC_SPLIT : FC_WRITTEN;
        node->size = node->kind == FC_LEAF ? 1 : next_number(from);
        node->weight = node->kind == FC_SPLIT ? 0 : next_number(from);
        node->span = 1;
        if (node->kind >= FC_SPLIT && count >= 2 && what < 0xf0) {
            size_t older = count - 1 - (nodes[count - 1].span < count ? nodes[count - 1].span : count - 1);
            node->size = (int64_t)((uint64_t)nodes[count - 1].size + (uint64_t)nodes[older].size);
            node->span = 1 + nodes[count - 1].span + nodes[older].span;
        }
        if (what >= 0xf8) {
            node->kind = next_byte(from);
            node->span = (uint32_t)next_number(from);
            node->size = next_number(from);
            node->weight = next_number(from);
        }
        count += 1;
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
