"""The card: the menu of closed turns from which the model picks what is finished.

Rule: due when enough work has gathered since the last fold, tool calls or tokens, by the settings; one that was ignored
comes again only when as much has gathered since. It lists every closed turn that is still open for folding, never the
one in progress: the message it rides on opens the next. Each message of the user stands word for word behind a bar; one
that is huge is cut and says so. The host knows a card by the journal, never by its text. Nothing foldable, no card.
(First post, "How a fold works".)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from foldcover_harness.session.lines import counted, cut
from foldcover_harness.session.receipt import quoted
from foldcover_harness.session.settings import Settings
from foldcover_harness.session.state import Entry, State
from foldcover_harness.session.tokens import Counter, weigh
from foldcover_harness.session.touched import paths_of
from foldcover_harness.session.wires.values import well_formed
from foldcover_harness.session.wires.wire import Wire

MOST_WORDS: Final = 4_000
"""Characters of one user message that are shown."""
ALL_WORDS: Final = 24_000
"""Characters of all user messages together that are shown, shared out evenly."""
LEAST_WORDS: Final = 80
"""Characters that each of them gets in any case."""
MOST_PATHS: Final = 5
_PATH: Final = 80
HEAD: Final = "[foldcover card] Turns that are over and still in the prompt word for word:"
QUESTION: Final = (
    "Is any of this finished? If so, call fold_unit(from, to, title) with these numbers; the turn that begins "
    "now cannot be folded. A turn that settles a design is not finished before its decisions stand in a file "
    "or in the title. "
    "Ignoring this card is a valid answer."
)


class Row(NamedTuple):
    """A turn on the card."""

    turn: int
    tokens: int
    calls: int
    paths: list[str]
    words: str
    images: int
    host: bool = False
    """Whether the host opened it, not the user."""


def card_of(state: State, settings: Settings, count: Counter) -> str | None:
    """The card for a user message that has yet to be noted; None where it is not due or nothing can be folded."""
    asked = {number for each in state.asked for number in range(each.first, each.last + 1)}
    rows = [
        _row(state.wire, number, turn.entries, count)
        for number, turn in enumerate(state.turns)
        if turn.entries is not None and number not in asked
    ]
    fresh = [row for row in rows if row.turn >= state.since]
    calls, tokens = sum(row.calls for row in fresh), sum(row.tokens for row in fresh)
    if not rows or (calls < settings.card_calls and tokens < settings.card_tokens):
        return None
    return text_of(rows)


def text_of(rows: Sequence[Row]) -> str:
    """The card's text."""
    lines = [HEAD]
    for row in rows:
        lines.append(" · ".join(_facts(row)))
        lines.extend(quoted_words(row.words, len(rows)))
    return "\n".join([*lines, QUESTION])


def _row(wire: Wire, number: int, entries: Sequence[Entry], count: Counter) -> Row:
    pieces = [piece for entry in entries for piece in wire.pieces(entry.message)]
    calls = [call for entry in entries if entry.role == "assistant" for call in wire.calls(entry.message)]
    opening = entries[0]
    images = sum(piece.images for piece in wire.pieces(opening.message))
    words = wire.said(opening.message)
    return Row(number, weigh(pieces, count), len(calls), paths_of(calls), words, images, opening.host)


def _facts(row: Row) -> list[str]:
    facts = [f"turn {row.turn}", f"{row.tokens:,} tokens", counted(row.calls, "tool call")]
    if row.paths:
        more = len(row.paths) - MOST_PATHS
        shown = ", ".join(cut(path, _PATH) for path in row.paths[:MOST_PATHS])
        facts.append(shown + (f" and {more} more" if more > 0 else ""))
    if row.images:
        facts.append(f"{counted(row.images, 'image')} from the user")
    if row.host:
        facts.append("opened by the host")
    return facts


def quoted_words(words: str, among: int, most: int = ALL_WORDS) -> Iterator[str]:
    """A message of the user, one of `among` that share `most` characters: word for word behind a bar, cut where it is
    huge.
    """
    return quoted(_words(words, min(MOST_WORDS, max(LEAST_WORDS, most // max(among, 1)))))


def _words(words: str, most: int) -> str:
    shown: str = well_formed(words[: most + 1])
    if len(words) <= most:
        return shown
    return f"{cut(shown, most)}\n(cut here; the message has {len(words):,} characters)"
