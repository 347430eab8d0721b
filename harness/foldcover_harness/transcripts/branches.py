"""Which entries of a file that is a tree were left for another branch.

Rule: the live branch is the one that the last entry of the file stands on. Where the chain of parents breaks
off (its parent was never written, or the head of the file is gone), it goes on at the entry before.
"""

from __future__ import annotations

from collections.abc import Iterable

from foldcover_harness.transcripts.model import Builder, Entry


def _parents(entries: list[Entry]) -> list[int | None]:
    """Return the place of each entry's parent; None for a root."""
    places: dict[str, int] = {}
    found: list[int | None] = []
    for place, entry in enumerate(entries):
        before = place - 1 if place else None
        found.append(None if entry.parent is None else places.get(entry.parent, before))
        places[entry.id] = place
    return found


def _path(parents: list[int | None]) -> set[int]:
    path: set[int] = set()
    place: int | None = len(parents) - 1
    while place is not None and place >= 0:
        path.add(place)
        place = parents[place]
    return path


def drop_all_but_last_path(builder: Builder) -> int:
    """Drop every entry that is no ancestor of the last one. Return how many."""
    parents = _parents(builder.entries)
    path = _path(parents)
    return _drop(builder, [place for place in range(len(parents)) if place not in path])


def drop_rewound(builder: Builder, prompts: Iterable[int]) -> int:
    """Drop, where several of the entries at `prompts` (messages of the user) follow the same entry, all of
    them but the live one, each with everything that follows it. Return how many entries.
    """
    siblings: dict[str, list[int]] = {}
    for place in prompts:
        parent = builder.entries[place].parent
        if parent is not None:
            siblings.setdefault(parent, []).append(place)
    forks = [places for places in siblings.values() if len(places) > 1]
    if not forks:
        return 0
    parents = _parents(builder.entries)
    path = _path(parents)
    left = {place for places in forks for place in places if place not in path}
    for places in forks:
        if all(place in left for place in places):
            left.discard(places[-1])
    for place, before in enumerate(parents):
        if before in left:
            left.add(place)
    return _drop(builder, sorted(left))


def _drop(builder: Builder, places: list[int]) -> int:
    entries = builder.entries
    for place in places:
        end = entries[place + 1].mark if place + 1 < len(entries) else builder.mark()
        builder.drop(entries[place].mark, end)
    return len(places)
