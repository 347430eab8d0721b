"""The deliberate breaks of the core, again, in the C source: thirteen for the thirteen laws, one for each pin.

The form is that of the Python core's mutants: `old` occurs exactly once in foldcover.c and becomes `new`. The breaks
tell the same story where the levels allow it. What the ruler says by itself is stored nowhere and cannot be broken
there; so a tree that would have to be turned round or out of its place is told by its simplest case, a line listed
where it does not belong.
"""

from __future__ import annotations

from foldcover_mutants import Mutant

SOURCE = "foldcover"


def _mutant(breaks: str, old: str, new: str, story: str) -> Mutant:
    return Mutant(breaks, SOURCE, old, new, story)


_CLOSES = "int fc_close(fc_view *view, int64_t weight) {\n"
_APPENDS = "    append(view, weight, left);\n"
_COUNTS = "    view->units += 1;\n"
_ZOOMS = "    return block.size <= view->units - block.start ? block : nothing;\n"
_WRITES = "    if (block.size > view->units || block.start > view->units - block.size) return FC_OK;\n"
_LISTS = "    insert(view->entries, in, place(view->entries, in, base, 0), base + WRITTEN, weight);\n"
_BEGINS = "    begin(&doing, view, budget, 0);\n"
_ABOVE = "    if (view->perhaps && view->weight > low) {\n"
_SETTLES = "        int status = settle(view, budget, &by);\n"
_ENDED = "    if (outcome != NULL) *outcome = view->weight > low ? FC_STUCK : FC_SETTLED;\n"


def _if_pair(ago: int, body: str, room: int = 0) -> str:
    """Do `body` where a merged pair that began `ago` units ago is a tree: the newest (2), or a unit is behind it (3).

    `room`: and level 0 has room for so many more.
    """
    return (
        f"    level *leaves = &view->levels[0], *pairs = &view->levels[1];\n"
        f"    if (view->units % 4 == {ago} && pairs->first < pairs->end && leaves->stop - leaves->end >= {room}\n"
        f"        && view->entries[pairs->end - 1].mark == (uint64_t)(view->units - {ago}) * KINDS + MERGED) {{\n"
        f"{body}"
        f"    }}\n"
    )


_EXCHANGE = _if_pair(
    3,
    "        view->entries[pairs->end - 1].mark += KINDS;\n        view->entries[leaves->end - 1].mark -= 2 * KINDS;\n",
)
_TWO_AGAIN = _if_pair(
    2,
    "        const uint64_t start = (uint64_t)(view->units - 2) * KINDS;\n"
    "        view->entries[leaves->end].weight = view->entries[--pairs->end].weight;\n"
    "        view->entries[leaves->end++].mark = start + LEAF;\n"
    "        view->entries[leaves->end].weight = 0;\n"
    "        view->entries[leaves->end++].mark = start + KINDS + LEAF;\n"
    "        view->hidden -= 1;\n",
    room=3,
)


def _write_newest(weight: int) -> str:
    """Write the missing lines of all Splits that end where the view does."""
    return (
        "    for (int64_t size = 2; size <= view->units; size *= 2) {\n"
        "        const fc_block newest = {view->units - size, size};\n"
        f"        fc_write(view, newest, {weight}, NULL);\n"
        "    }\n"
    )


LAW_MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "covers_close",
        _COUNTS,
        _COUNTS + "    if (view->units == 1) {\n"
        "        view->levels[0].end = end;\n"
        "        view->entries[view->levels[1].end].weight = weight;\n"
        "        view->entries[view->levels[1].end++].mark = MERGED;\n"
        "        view->units += 1;\n"
        "        view->hidden += 1;\n"
        "    }\n",
        "the first close counts its unit twice",
    ),
    _mutant(
        "covers_settle",
        _ENDED,
        "    if (view->weight > low && view->units % 2 == 1) {\n"
        "        view->levels[0].end -= 1;\n"
        "        view->units -= 1;\n"
        "        view->weight -= view->entries[view->levels[0].end].weight;\n"
        "    }\n" + _ENDED,
        "where nothing is ready, the newest tree is dropped, if it is a unit",
    ),
    _mutant(
        "covers_write",
        _WRITES,
        _if_pair(
            2,
            "        view->entries[leaves->end].weight = view->entries[--pairs->end].weight;\n"
            "        view->entries[leaves->end++].mark = (uint64_t)(view->units - 2) * KINDS + LEAF;\n"
            "        view->units -= 1;\n"
            "        view->hidden -= 1;\n"
            "        return FC_OK;\n",
            room=1,
        )
        + _WRITES,
        "write turns a merged pair at the head into one unit",
    ),
    _mutant(
        "aligned_close",
        _APPENDS,
        _APPENDS + _EXCHANGE,
        "close puts its unit before a merged pair",
    ),
    _mutant(
        "aligned_settle",
        _ENDED,
        _EXCHANGE + _ENDED,
        "settle exchanges the two newest trees, if they are a unit and a merged pair",
    ),
    _mutant(
        "aligned_write",
        _WRITES,
        _EXCHANGE + _WRITES,
        "write exchanges the two newest trees, if they are a unit and a merged pair",
    ),
    _mutant(
        "written",
        _ABOVE,
        _write_newest(0) + _ABOVE,
        "settle takes the missing lines of the newest Splits as written",
    ),
    _mutant(
        "budget",
        _BEGINS,
        _BEGINS + "    doing.low = doing.weight - 1;\n",
        "settle stops after the first merge that makes it lighter",
    ),
    _mutant(
        "fit_stable",
        "    if (outcome != NULL) *outcome = FC_FITS;\n",
        "    if (outcome != NULL) *outcome = FC_SETTLED;\n",
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
        _LISTS,
        _LISTS.replace("WRITTEN", "(on == 1 ? MERGED : WRITTEN)") + "    if (on == 1) {\n"
        "        const size_t half = find(view->entries, view->levels, 0, start, view->units);\n"
        "        view->weight += weight - view->entries[half].weight - view->entries[half + 1].weight;\n"
        "        view->hidden += 1;\n"
        "        view->levels[0].end -= 2;\n"
        "        copy(view->entries + half, view->entries + half + 2, view->levels[0].end - half);\n"
        "    }\n",
        "write merges two units at once",
    ),
    _mutant(
        "quiet",
        _CLOSES,
        _CLOSES + "    weight += 1;\n",
        "a title weighs more than the host said",
    ),
)

PIN_MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "target",
        _SETTLES,
        _SETTLES.replace("budget", "2 * budget") + "        for (int on = 1; on < LEVELS; on++)\n"
        "            for (size_t at = view->levels[on].first; at < view->levels[on].end; at++) {\n"
        "                const int64_t start = start_of(&view->entries[at]);\n"
        "                if (is_line(&view->entries[at])) continue;\n"
        "                if (halves_of(view->entries, view->levels, on, start, view->units) == NONE) continue;\n"
        "                if (outcome != NULL) *outcome = FC_SETTLED;\n"
        "                return FC_OK;\n"
        "            }\n",
        "settle stops at the budget, not at half of it",
    ),
    _mutant(
        "ranked",
        _SETTLES,
        "        const order smallest = {FC_SMALLEST_FIRST, NULL, NULL};\n" + _SETTLES.replace("&by", "&smallest"),
        "settle ignores the rank it was given",
    ),
    _mutant(
        "pair",
        _ENDED,
        "    int top = 0;\n"
        "    while (top + 1 < LEVELS && size_on(top + 1) <= view->units) top += 1;\n"
        "    entry *root = &view->entries[view->levels[top].first];\n"
        "    if (view->weight > low && view->levels[top].first < view->levels[top].end && root->mark == WRITTEN) {\n"
        "        const fc_block oldest = {0, size_on(top)};\n"
        "        for (level *under = view->levels; under < &view->levels[top]; under++)\n"
        "            while (under->first < under->end && start_of(&view->entries[under->first]) < oldest.size) {\n"
        "                const entry *gone = &view->entries[under->first++];\n"
        "                if (under->open < under->first) under->open = under->first;\n"
        "                if (!is_line(gone)) continue;\n"
        "                view->weight -= gone->weight;\n"
        "                view->hidden += 1;\n"
        "            }\n"
        "        root->mark = MERGED;\n"
        "        view->weight += root->weight;\n"
        "        view->hidden -= 1;\n"
        "        view->blocks[view->answered++] = oldest;\n"
        "    }\n" + _ENDED,
        "once nothing is ready, settle merges the oldest tree over halves that are not merged",
    ),
    _mutant(
        "keeps",
        _ENDED,
        "    for (level *own = view->levels; own < view->levels + LEVELS; own++) {\n"
        "        size_t to = own->first;\n"
        "        for (size_t at = to; at < own->end; at++)\n"
        "            if (is_line(&view->entries[at])) view->entries[to++] = view->entries[at];\n"
        "        own->open = own->end = to;\n"
        "    }\n" + _ENDED,
        "settle forgets the lines that are not shown yet",
    ),
    _mutant(
        "weighs",
        _CLOSES,
        _CLOSES + "    weight = weight / 2 - (weight % 2 < 0);\n",
        "a title weighs half of what the host said",
    ),
    _mutant(
        "write_sets",
        "    if (!is_open(view, on, block.start)) return FC_OK;\n",
        "    if (on >= 0) return FC_OK;\n",
        "write does nothing",
    ),
    _mutant(
        "shape",
        _APPENDS,
        _APPENDS + _write_newest(1),
        "a carry makes a line out of nothing",
    ),
    _mutant(
        "reads",
        _ZOOMS,
        "    const fc_block less = {block.start, block.size - 1};\n" + _ZOOMS.replace("? block", "? less"),
        "zoom leaves out the last unit",
    ),
    _mutant(
        "asks",
        "    } else if (doing->asking) {\n",
        "    } else if (doing->asking > 1) {\n",
        "wanted asks for lines that are there",
    ),
)

MUTANTS = LAW_MUTANTS + PIN_MUTANTS
