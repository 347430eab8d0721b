"""The deliberate breaks of the core, again, in the C source: thirteen for the thirteen laws, one for each pin.

The form is that of the Python core's mutants: `old` occurs exactly once in foldcover.c and becomes `new`. The breaks
tell the same story where the flat array allows it; a tree that would have to be turned round is told by its simplest
case.
"""

from __future__ import annotations

from foldcover_mutants import Mutant

SOURCE = "foldcover"


def _mutant(breaks: str, old: str, new: str, story: str) -> Mutant:
    return Mutant(breaks, SOURCE, old, new, story)


_APPENDS = "    size_t length = append(view->nodes, view->length, weight);\n"
_CLOSED = "    count_unit(view, length, weight, heavy);\n"
_CARRIES = """\
        if (older->size != size || size > FC_MOST_UNITS / 2 || older->span > low) {
            //@ for increment: assert rising{Pre}(nodes, low, top + 1 - length);
            break;
        }
        low -= older->span;
        size *= 2;
"""
_WRITES = "    if (at == NONE || view->nodes[at].kind != FC_SPLIT) return FC_OK;\n"
_ENDED = "        ended = view->ready == 0 && view->weight > half(budget) ? FC_STUCK : FC_SETTLED;\n"
_MERGED = "    set_settled(view, doing);\n"
_TIDIED = "    tidy(view, doing);\n"
_EXCHANGE = """\
    if (view->length >= 2 && is_line(&view->nodes[view->length - 1]) && is_line(&view->nodes[view->length - 2])
        && view->nodes[view->length - 1].span == 1 && view->nodes[view->length - 2].span == 1) {
        const fc_node newest = view->nodes[view->length - 1];
        view->nodes[view->length - 1] = view->nodes[view->length - 2];
        view->nodes[view->length - 2] = newest;
    }
"""
_TWO_AGAIN = """\
        if (view->length > 0 && view->room - view->length > MOST_CARRIES + 2) {
            fc_node *last = &view->nodes[view->length - 1];
            if (last->kind == FC_MERGED && last->size == 2 && last->span == 1) {
                set(last, 1, last->weight, FC_LEAF, 1);
                set(last + 1, 1, 0, FC_LEAF, 1);
                set(last + 2, 2, 0, FC_SPLIT, 3);
                view->length += 2;
                view->lines += 1;
            }
        }
"""
_OVER_HALVES = """\
    size_t gone = 2 * doing->answered;
    for (int more = 1; more && doing->weight > doing->low && doing->answered < doing->most;) {
        size_t found = NONE;
        more = 0;
        for (size_t at = 0; at < doing->length && !(found != NONE && is_pair(doing->nodes, found)); at++) {
            at = alive(doing->nodes, doing->length, at);
            if (doing->nodes[at].kind == FC_WRITTEN && (found == NONE || is_pair(doing->nodes, at))) found = at;
        }
        if (found == NONE) break;
        int64_t start = 0, inside = 0;
        size_t living = 0;
        for (size_t at = 0; at <= found; at++) {
            at = alive(doing->nodes, doing->length, at);
            if (at >= found + 1 - doing->nodes[found].span) living += 1;
            if (!is_line(&doing->nodes[at])) continue;
            if (at < found + 1 - doing->nodes[found].span) start += doing->nodes[at].size;
            else inside += doing->nodes[at].weight;
        }
        fc_node *node = &doing->nodes[found];
        doing->blocks[doing->answered].start = start;
        doing->blocks[doing->answered++].size = node->size;
        doing->weight += node->weight - inside;
        node->kind = FC_MERGED;
        doing->nodes[found + 1 - node->span].kind = DEAD;
        doing->nodes[found + 1 - node->span].span = node->span;
        gone += living - 1;
        more = 1;
    }
    set_settled(view, doing);
    view->dead += gone - 2 * doing->answered;
"""

LAW_MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "covers_close",
        _CLOSED,
        _CLOSED + "    if (view->length == 1) {\n        set(view->nodes, 2, weight, FC_MERGED, 1);\n"
        "        view->units += 1;\n    }\n",
        "the first close counts its unit twice",
    ),
    _mutant(
        "covers_settle",
        _ENDED,
        "        if (view->ready == 0 && view->weight > half(budget) && view->length > 0\n"
        "            && view->nodes[view->length - 1].kind == FC_LEAF) {\n"
        "            view->length -= 1;\n"
        "            view->units -= 1;\n"
        "            view->lines -= 1;\n"
        "            view->weight -= view->nodes[view->length].weight;\n"
        "        }\n" + _ENDED,
        "where nothing is ready, the newest tree is dropped, if it is a unit",
    ),
    _mutant(
        "covers_write",
        _WRITES,
        "    if (view->length > 0 && view->nodes[view->length - 1].kind == FC_MERGED\n"
        "        && view->nodes[view->length - 1].size == 2) {\n"
        "        view->nodes[view->length - 1].kind = FC_LEAF;\n"
        "        view->nodes[view->length - 1].size = 1;\n"
        "        view->units -= 1;\n"
        "        return FC_OK;\n"
        "    }\n" + _WRITES,
        "write turns a merged pair at the head into one unit",
    ),
    _mutant(
        "aligned_close",
        _CARRIES,
        _CARRIES.replace("size != size", "size < size").replace("size *= 2", "size += older->size"),
        "the carry also takes a tree that is bigger",
    ),
    _mutant(
        "aligned_settle",
        _TIDIED,
        _TIDIED + _EXCHANGE,
        "settle exchanges the two newest trees, if both are lines",
    ),
    _mutant(
        "aligned_write",
        _WRITES,
        _EXCHANGE + _WRITES,
        "write exchanges the two newest trees, if both are lines",
    ),
    _mutant(
        "written",
        "    if (parent == NONE || (nodes[parent].kind == FC_SPLIT && !doing->asking)) return;\n",
        "    if (parent == NONE) return;\n",
        "settle goes on to a parent without a line",
    ),
    _mutant(
        "budget",
        "    size_t merged = 1;\n",
        "    size_t merged = 1;\n    most = most < 1 ? most : 1;\n",
        "settle stops after one merge",
    ),
    _mutant(
        "fit_stable",
        "    int ended = FC_FITS;\n",
        "    int ended = FC_SETTLED;\n",
        "a view within the budget is reported as settled",
    ),
    _mutant(
        "coarsen_settle",
        _ENDED,
        _TWO_AGAIN + _ENDED,
        "settle shows a merged pair at the head as two lines again",
    ),
    _mutant(
        "coarsen_close",
        _APPENDS,
        _TWO_AGAIN + _APPENDS,
        "close shows a merged pair at the head as two lines again",
    ),
    _mutant(
        "coarsen_write",
        "    if (is_pair(view->nodes, at) && view->ready < view->room / 2) add_ready(view, at, block);\n",
        "    if (is_pair(view->nodes, at) && view->nodes[at].span == 3) {\n"
        "        view->weight += weight - view->nodes[at - 1].weight - view->nodes[at - 2].weight;\n"
        "        view->nodes[at].kind = FC_MERGED;\n"
        "        view->nodes[at - 2].kind = DEAD;\n"
        "        view->nodes[at - 2].span = 3;\n"
        "        view->dead += 2;\n"
        "        view->lines -= 1;\n"
        "    } else if (is_pair(view->nodes, at) && view->ready < view->room / 2) {\n"
        "        add_ready(view, at, block);\n"
        "    }\n",
        "write merges a pair at once",
    ),
    _mutant(
        "quiet",
        _APPENDS,
        "    weight += 1;\n" + _APPENDS,
        "a title weighs more than the host said",
    ),
)

PIN_MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "target",
        "    doing->low = half(budget);\n",
        "    doing->low = nodes == view->nodes ? budget : half(budget);\n",
        "settle stops at the budget, not at half of it",
    ),
    _mutant(
        "ranked",
        "            const order by = {name, before, context};\n",
        "            const order by = {FC_SMALLEST_FIRST, before, name == FC_SMALLEST_FIRST ? NULL : context};\n",
        "settle ignores the rank it was given",
    ),
    _mutant(
        "pair",
        _MERGED,
        _OVER_HALVES,
        "once nothing is ready, settle merges over halves that are not merged",
    ),
    _mutant(
        "keeps",
        _TIDIED,
        _TIDIED + "    for (size_t at = 0; at < view->length; at++) {\n"
        "        at = alive(view->nodes, view->length, at);\n"
        "        if (view->nodes[at].kind != FC_WRITTEN) continue;\n"
        "        view->nodes[at].kind = FC_SPLIT;\n"
        "        view->nodes[at].weight = 0;\n"
        "    }\n"
        "    view->ready = view->sorted = view->strays = 0;\n",
        "settle forgets the lines that are not shown yet",
    ),
    _mutant(
        "weighs",
        _APPENDS,
        "    weight = weight / 2 - (weight % 2 < 0);\n" + _APPENDS,
        "a title weighs half of what the host said",
    ),
    _mutant(
        "write_sets",
        _WRITES,
        "    if (at <= NONE) return FC_OK;\n",
        "write does nothing",
    ),
    _mutant(
        "shape",
        "        set(&nodes[top], size, 0, FC_SPLIT, (uint32_t)(top + 1 - low));\n",
        "        set(&nodes[top], size, 1, FC_WRITTEN, (uint32_t)(top + 1 - low));\n",
        "a carry makes a line out of nothing",
    ),
    _mutant(
        "reads",
        "    return block.size <= view->units - block.start ? block : nothing;\n",
        "    const fc_block less = {block.start, block.size - 1};\n"
        "    return block.size <= view->units - block.start ? less : nothing;\n",
        "zoom leaves out the last unit",
    ),
    _mutant(
        "asks",
        "    if (doing->nodes[at].kind == FC_SPLIT || !doing->asking) answer(doing, block);\n",
        "    answer(doing, block);\n",
        "wanted asks for lines that are there",
    ),
)

MUTANTS = LAW_MUTANTS + PIN_MUTANTS
