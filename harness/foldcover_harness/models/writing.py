"""A model as the writer of cover lines, and of the summary for the emergency.

Rule: the whole prompt is the recipe's text and the block's inputs. The inputs come from a record that anybody may have
written into: they stand in a fence that nothing in them can close, without control characters and without the marks
by which models tell turns apart. Whatever goes wrong (no model, no answer, a refusal) is no line, with its reason.

Two recipes: `index` says what is in here, `summary` what was done and what of it lasts. (Second post, "The writing
recipe"; with up to `R` units a writer sees titles, above that the lines of the two halves.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Final, Literal, get_args

from foldcover_harness.models.asking import ask
from foldcover_harness.models.model import Model, ModelError, Refused
from foldcover_harness.session.compacting import Summarize
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Message, Wire
from foldcover_harness.session.writers import Inputs, Written
from foldcover_harness.transcripts.model import Kind

Recipe = Literal["index", "summary"]
RECIPES: Final[tuple[Recipe, ...]] = get_args(Recipe)

MOST_OF_INPUT: Final = 1_000
"""Characters of one input: sixteen of them fit into a small model's context."""
MOST_TOKENS: Final = 1_024
"""Tokens of an answer: room for a model that thinks first."""
MOST_OF_SUMMARY: Final = 8_000
"""Characters of a summary."""
MOST_SHOWN: Final = 400_000
"""Characters of the messages that a summary is made of; half of it again and again as long as the model refuses."""
LEAST_SHOWN: Final = 4_000
"""No less than so many: then the refusal stands."""
MOST_OF_PIECE: Final = 4_000
"""Characters of one piece of a message."""
HEAD: Final = 4
"""One of so many characters of what is shortened is kept at its beginning, the others at its end."""
NAMES: Final = {Kind.USER: "user", Kind.TEXT: "model", Kind.THINKING: "thinking", Kind.CALL: "call"}
"""How a piece is labelled; all others are results."""

_MARKS: Final = re.compile(
    r"<(?=\||/?(?:lines|messages|question|s|bos|eos|start_of_turn|end_of_turn)\s*>)", re.IGNORECASE
)
"""What closes our fences, or ends a turn for some model."""
_THOUGHT: Final = re.compile(r"^.*</think(?:ing)?>|<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"^(?:```\w*|</?(?:lines?|messages)>)|(?:```|</?(?:lines?|messages)>)$", re.IGNORECASE)
_BULLET: Final = re.compile(r"^(?:[-*•>#]+|\d{1,2}[.)])\s+")
_LABEL: Final = re.compile(r"^\**(?:(?:the|one|index|summary|merged) )*(?:line|index|summary)\**:\**", re.IGNORECASE)
_QUOTED: Final = re.compile(r"""^(["'`]|\*\*|__)(.+)\1$|^[“‘«](.+)[”’»]$""")
_DECLINED: Final = re.compile(
    r"^(?:I['’]m (?:very )?sorry|I am (?:very )?sorry|Sorry,|I can['’]?t|I cannot|I won['’]t|I am unable)\b",
    re.IGNORECASE,
)


def prompt(name: str) -> str:
    """The text of a prompt file."""
    return (files("foldcover_harness.models") / "prompts" / f"{name}.md").read_text("utf-8").strip()


class ModelWriter:
    """The writer of lines that asks a model once a block."""

    def __init__(self, model: Model, recipe: Recipe = "index") -> None:
        self.model = model
        self.recipe = recipe
        self._text = Template(prompt(recipe))

    def __call__(self, inputs: Inputs) -> str | None:
        """The line, or None."""
        return self.explain(inputs).line

    def explain(self, inputs: Inputs) -> Written:
        """The line, or why there is none."""
        given = "\n".join(harmless(one_line(line, MOST_OF_INPUT)) for line in inputs.lines)
        system = self._text.substitute(words=max(inputs.most * 2 // 3, 1))
        try:
            answer = ask(self.model, system, f"<lines>\n{given}\n</lines>", MOST_TOKENS)
        except ModelError as error:
            return Written(None, str(error))
        line = line_of(answer)
        if not line:
            return Written(None, f"{self.model.name} answered no line")
        if _DECLINED.match(line):
            return Written(None, f"{self.model.name} declined: {one_line(line, 80)}")
        return Written(line)


def harmless(text: str) -> str:
    """The text without the marks that close our fences or, for some model, end a turn: a round bracket opens them."""
    return _MARKS.sub("(", text)


def without_thoughts(answer: str) -> str:
    """The answer without what a model thought aloud before it."""
    return _THOUGHT.sub("", answer)


def line_of(answer: str) -> str:
    """The first line of an answer that says something, without what models put around it; "" where there is none."""
    lines = [line for line in map(_bare, without_thoughts(answer).splitlines()) if line]
    # "Here is the line:" is no line, if one follows.
    return next((line for line in lines if not line.endswith(":")), lines[0] if lines else "")


def _bare(line: str) -> str:
    """The line without fences, bullets, a label and quotes, in any order."""
    bare, before = line.strip(), ""
    while bare != before:
        before = bare
        for around in (_FENCE, _BULLET, _LABEL):
            bare = around.sub("", bare).strip()
        if quoted := _QUOTED.match(bare):
            bare = (quoted[2] or quoted[3]).strip()
    return bare


def summarize(model: Model, wire: str | None = None) -> Summarize:
    """The `summarize` of a session that asks this model. `wire`: the session's, where it is not the model's own.

    What it returns raises ModelError where there is no summary.
    """
    reads = WIRES[wire or model.wire]

    def write(messages: Sequence[Message]) -> str:
        pieces = list(_shown(reads, messages))
        most = MOST_SHOWN
        while True:
            given = f"<messages>\n{shortened(chr(10).join(pieces), most)}\n</messages>"
            try:
                return _summary(model, ask(model, prompt("compact"), given, MOST_OF_SUMMARY // 4))
            except Refused:
                most = min(most, len(given)) // 2
                if most < LEAST_SHOWN:
                    raise

    return write


def _shown(wire: Wire, messages: Sequence[Message]) -> list[str]:
    """The messages as text, piece by piece, each labelled and bounded."""
    return [
        f"{NAMES.get(piece.kind, 'result')}: {harmless(_plain(shortened(piece.text, MOST_OF_PIECE)))}"
        for message in messages
        for piece in wire.pieces(message)
        if piece.text.strip()
    ]


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and its end with a word about what was left out between; about `most` characters."""
    if len(text) <= most:
        return text
    head = most // HEAD
    tail = most - head
    return f"{text[:head]}\n[... {len(text) - most:,} characters left out ...]\n{text[-tail:]}"


def _summary(model: Model, answer: str) -> str:
    text = _plain(without_thoughts(answer)).strip()
    if not text or _DECLINED.match(text):
        raise ModelError(f"{model.name} wrote no summary{f': {one_line(text, 80)}' if text else ''}")
    return text if len(text) <= MOST_OF_SUMMARY else f"{text[:MOST_OF_SUMMARY]}\n[the summary was cut here]"


def _plain(text: str) -> str:
    """The text without control characters, line by line."""
    return "\n".join(one_line(line, len(line) + 1) for line in text.splitlines())
