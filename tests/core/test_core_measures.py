"""The measures agree with the laws' own way of reading a view, on every small view and on malformed ones."""

from itertools import chain

import foldcover as fc
from foldcover_laws.reading import Reading
from foldcover_laws.views import HAND_MADE, aligned_views, malformed_views, reweighed


def every_view() -> list[fc.View]:
    """Aligned views of up to eight units, and malformed ones, with uneven weights."""
    views = chain(chain.from_iterable(aligned_views(total) for total in range(9)), malformed_views(3), HAND_MADE)
    return [reweighed(view, (3, 1, 0, 2, -5)) for view in views]


def test_measures_agree_with_the_reading_of_the_laws() -> None:
    """Units, lines, weight, cover, pairs, ready and aligned, on more than a thousand views."""
    views = every_view()
    assert len(views) > 1000
    for view in views:
        reading = Reading(view)
        assert fc.units(view) == reading.units
        assert fc.lines(view) == reading.lines
        assert fc.weight(view) == reading.weight
        assert fc.cover(view) == tuple(reading.shown)
        assert fc.pairs(view) == tuple(sorted(reading.pairs()))
        assert fc.ready(view) == tuple(sorted(reading.ready()))
        assert fc.aligned(view) == reading.is_aligned()


def test_the_cover_of_a_view_tiles_its_units() -> None:
    """Each shown block starts where the one before it stops."""
    for view in every_view():
        stop = 0
        for block in fc.cover(view):
            assert block.start == stop
            stop = block.stop
        assert stop == fc.units(view)
