"""A second program prices random conversations, and both must agree to the tenth of a token.

The second program is deliberately naive: it parses with `json`, keeps every prompt as a list of labelled
pieces, finds what two prompts share by comparing the lists, and knows nothing of how ours is built.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foldcover
import foldcover_harness
from foldcover_harness.replay import schedules, tape
from foldcover_harness.replay.schedules import others
from foldcover_harness.replay.tokens import BYTES4
from foldcover_harness.transcripts.claude_code import read
from foldcover_harness.transcripts.model import Compaction

Piece = tuple[str, int]


# ---- the naive program


def quarter(text: str) -> int:
    """Return ceil(bytes / 4)."""
    return (len(text.encode()) + 3) // 4


def block_tokens(block: dict[str, Any]) -> int:
    """Return what a block weighs."""
    match block["type"]:
        case "text":
            return quarter(block["text"])
        case "thinking":
            return quarter(block["thinking"])
        case "tool_use":
            return quarter(block["name"] + json.dumps(block["input"], separators=(",", ":"), ensure_ascii=False))
        case "image":
            return 1500
        case _:
            content = block["content"]
            return quarter(content) if isinstance(content, str) else sum(map(block_tokens, content))


NOT_HUMAN = (
    "[Request interrupted by user",
    "<command-message>",
    "<command-name>",
    "<local-command-stdout>",
    "<local-command-caveat>",
    "<bash-stdout>",
    "<task-notification>",
    "<teammate-message",
)


def naive_lines(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of the file, glued ones one after the other."""
    decoder = json.JSONDecoder()
    for row in text.split("\n"):
        rest = row.strip()
        while rest:
            line, end = decoder.raw_decode(rest)
            yield line
            rest = rest[end:].strip()


def naive_events(text: str) -> list[tuple[Any, ...]]:
    """Return ("turn",), ("request",) and ("piece", label, tokens, message, type) in the order of the
    file.
    """
    events: list[tuple[Any, ...]] = []
    seen: set[str] = set()
    for number, line in enumerate(naive_lines(text)):
        if line["type"] not in ("user", "assistant") or line.get("isSidechain") or line.get("isCompactSummary"):
            continue
        content = line["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if line["type"] == "assistant":
            message = line["message"]["id"]
            if line.get("isApiErrorMessage") or line["message"].get("model") == "<synthetic>":
                continue
            if message not in seen:
                seen.add(message)
                events.append(("request",))
        else:
            message = f"line {number}"
            said = "".join(block["text"] for block in blocks if block["type"] == "text")
            results = any(block["type"] == "tool_result" for block in blocks)
            if not results and not line.get("isMeta") and not said.startswith(NOT_HUMAN):
                events.append(("turn",))
        for place, block in enumerate(blocks):
            events.append(("piece", f"{number}.{place}", block_tokens(block), message, block["type"]))
    return events


class Naive:
    """One schedule, on whole lists of pieces."""

    def __init__(self, name: str, standing: int, window: int, compacted: frozenset[int] = frozenset()) -> None:
        self.name, self.window, self.compacted = name, window, compacted
        self.trigger, self.events = 100_000, 240
        self.results: list[str] = []
        self.asked = 0
        self.standing: list[Piece] = [("standing", standing)]
        self.cover: list[Piece] = []
        self.turns: list[list[Piece]] = [[]]
        self.messages: dict[str, str] = {}
        self.before: list[Piece] | None = None
        self.cost = 0.0
        self.prompts: list[int] = []
        self.rewrites = self.units = self.calls = self.gathered = self.summaries = 0
        self.human = False
        self.view = foldcover.EMPTY

    def prompt(self) -> list[Piece]:
        """Return the next prompt, piece by piece."""
        return [*self.standing, *self.cover, *(piece for turn in self.turns for piece in turn)]

    def size(self) -> int:
        """Return its tokens."""
        return sum(tokens for _, tokens in self.prompt())

    def pay(self) -> None:
        """Pay for the next prompt."""
        prompt = self.prompt()
        shared = 0
        if self.before is not None:
            for old, new in zip(self.before, prompt, strict=False):
                if old != new:
                    break
                shared += new[1]
            self.rewrites += shared < sum(tokens for _, tokens in self.before)
        self.before = prompt
        self.prompts.append(self.size())
        self.cost += 0.1 * shared + (self.size() - shared)

    def full(self) -> bool:
        """Whether it is nearly full."""
        return self.size() >= 0.92 * self.window

    def fold(self, turns: int) -> None:
        """Let the oldest open turns become one title."""
        self.turns = self.turns[turns:]
        self.cover.append((f"unit {self.units}", 60))
        self.units += 1

    def turn(self) -> None:
        """A user's message comes."""
        if not self.human:
            self.human = True
            return
        self.turns.append([])
        if self.name in ("close", "close+merge4", "rule"):
            self.fold(1)
        if self.name == "close+merge4" and self.units % 4 == 0:
            self.cover = [*self.cover[:-4], (f"four to {self.units}", 60)]
        if self.name == "rule":
            budget = int(0.1 * self.window)
            self.view = foldcover.close(self.view, 60)
            while asked := foldcover.wanted(self.view, budget):
                for block in asked:
                    self.view = foldcover.write(self.view, block, 60)
            self.view = foldcover.settle(self.view, budget).view
            self.cover = [(f"block {block.start}+{block.size}", 60) for block in foldcover.cover(self.view)]
        if self.name == "card" and (self.calls >= 20 or self.gathered >= 100_000):
            self.fold(len(self.turns) - 1)
            self.calls = self.gathered = 0

    def piece(self, label: str, tokens: int, message: str, kind: str) -> None:
        """A piece is added."""
        self.turns[-1].append((label, tokens))
        self.messages[label] = message
        self.calls += kind == "tool_use"
        self.gathered += tokens
        if kind == "tool_result":
            self.results.append(label)

    def open_pieces(self) -> list[Piece]:
        """Return the tail."""
        return [piece for turn in self.turns for piece in turn]

    def groups(self) -> list[list[Piece]]:
        """Return the tail, message by message."""
        found = itertools.groupby(self.open_pieces(), key=lambda piece: self.messages[piece[0]])
        return [list(group) for _, group in found]

    def clear(self, keep: int) -> None:
        """Clear all results but the last ones."""
        old = set(self.results[:-keep])
        self.turns = [
            [(f"cleared {label}", 10) if label in old and tokens > 10 else (label, tokens) for label, tokens in turn]
            for turn in self.turns
        ]
        self.messages |= {f"cleared {label}": self.messages[label] for label in old}

    def condense(self, target: int, must_gain: bool) -> bool:
        """Let a summary stand for what lies between the first message and the newest ones."""
        groups = self.groups()
        newest = max(1, target - 3)
        middle = [piece for group in groups[1:-newest] for piece in group]
        tokens = sum(tokens for _, tokens in middle)
        real = [label for label, _ in middle if not label.startswith("summary")]
        if not real or (must_gain and (tokens <= 2000 or self.standing[0][1] + 2000 >= 0.92 * self.window)):
            return False
        self.cost += tokens
        self.prompts.append(tokens)
        self.summaries += 1
        summary = f"summary {self.summaries}"
        self.messages[summary] = summary
        kept = [piece for group in groups[-newest:] for piece in group]
        self.turns = [[*groups[0], (summary, 2000), *kept]]
        return True

    def request(self) -> None:
        """The model is asked."""
        self.asked += 1
        if self.name == "trim":
            self.clear(5)
        if self.name == "clear-tool-results" and (self.size() > self.trigger or self.full()):
            self.clear(3)
        if self.name == "half":
            if 1 + len(self.groups()) > self.events:
                self.condense(self.events // 2, False)
            while self.full() and self.condense((1 + len(self.groups())) // 2, True):
                pass
        if self.name == "sliding":
            while self.full() and len(groups := self.groups()) > 1:
                self.turns = [[piece for group in groups[1:] for piece in group]]
        if self.name == "as recorded" and self.asked - 1 in self.compacted:
            self.compact(always=True)
        if self.name == "oldest" and self.full():
            while self.full() and len(self.turns) > 1:
                self.fold(1)
        if self.name not in ("none", "half", "sliding", "as recorded") and self.full():
            self.compact()
        self.pay()

    def compact(self, always: bool = False) -> None:
        """Let a summary and the last message replace the tail."""
        pieces = self.open_pieces()
        last: list[Piece] = []
        for piece in reversed(pieces):
            if self.messages[piece[0]] != self.messages[pieces[-1][0]]:
                break
            last.insert(0, piece)
        left = 2000 + sum(tokens for _, tokens in last)
        # The two cases in which nothing can be gained.
        vain = left >= sum(tokens for _, tokens in pieces) or self.standing[0][1] + 2000 >= 0.92 * self.window
        if vain and not always:
            return
        self.pay()
        self.summaries += 1
        summary = f"summary {self.summaries}"
        self.messages[summary] = summary
        self.turns = [[(summary, 2000), *last]]


def naive_price(machine: Naive, events: list[tuple[Any, ...]]) -> Naive:
    """Price a whole conversation."""
    for event in events:
        match event:
            case ("turn",):
                machine.turn()
            case ("request",):
                machine.request()
            case _:
                machine.piece(*event[1:])
    return machine


# ---- random conversations

Block = dict[str, Any]


# Texts are one letter of four widths, so that even long ones are made and shown quickly.
def make_words(letter: str, size: int) -> str:
    """Return a text."""
    return letter * size


def make_text(text: str) -> Block:
    """Return a text block."""
    return {"type": "text", "text": text}


def make_thinking(text: str) -> Block:
    """Return a thinking block."""
    return {"type": "thinking", "thinking": text, "signature": "c2ln" * 9}


def make_call(text: str) -> Block:
    """Return a tool call."""
    return {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": text, "n": [1, None]}}


def make_parts(text: str) -> list[Block]:
    """Return a result of two parts."""
    return [make_text(text), {"type": "image"}]


words = st.builds(make_words, st.sampled_from("a\u00e9\u6f22\U0001f642"), st.sampled_from((1, 2, 5, 90, 2_000, 9_000)))
blocks = st.one_of(st.builds(make_text, words), st.builds(make_thinking, words), st.builds(make_call, words))
results: st.SearchStrategy[str | list[Block]] = st.one_of(words, st.builds(make_parts, words), st.just([]))
answers = st.lists(st.tuples(st.lists(blocks, min_size=1, max_size=3), st.lists(results, max_size=2)), max_size=4)
conversations = st.lists(st.tuples(words, st.booleans(), answers), max_size=9)


def write_lines(conversation: list[tuple[str, bool, Any]], head: bool) -> str:
    """Return the conversation as a file; `head` cuts its first user line off."""
    rows: list[dict[str, Any]] = []
    count = 0
    for said, meta, turn in conversation:
        if not (head and not rows):
            rows.append({"type": "user", "isMeta": meta, "message": {"role": "user", "content": f"u{said}"}})
        for spoken, given_back in turn:
            count += 1
            # One line for each block, the results between the first line and the others.
            lines = [
                {"type": "assistant", "message": {"id": f"m{count}", "role": "assistant", "content": [block]}}
                for block in spoken
            ]
            back = [
                {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": one}]}}
                for one in given_back
            ]
            rows += [*lines[:1], *back, *lines[1:]]
    return "".join(json.dumps(row, ensure_ascii=count % 2 == 0) + "\n" for row in rows)


SETTINGS = ((15_000, 100_000), (0, 2_600), (900, 6_000), (3_000, 20_000), (5_000, 5_000))


@pytest.mark.parametrize("name", schedules.SCHEDULES)
@settings(max_examples=30, deadline=None)
@given(
    conversation=conversations,
    head=st.booleans(),
    setting=st.sampled_from(SETTINGS),
    compacted=st.frozensets(st.integers(0, 12), max_size=3),
)
def test_both_programs_come_to_the_same_bill(
    name: str,
    conversation: list[tuple[str, bool, Any]],
    head: bool,
    setting: tuple[int, int],
    compacted: frozenset[int],
) -> None:
    """Cost, rewrites and every single prompt are equal, in bytes4; with triggers that conversations as short as
    these reach.
    """
    text = write_lines(conversation, head)
    naive = Naive(name, *setting, compacted)
    naive.trigger, naive.events = 4_000, 12
    naive_price(naive, naive_events(text))
    found = read(row.encode() for row in text.split("\n")[:-1])
    found.compactions = [Compaction(request) for request in sorted(compacted)]
    with mock.patch.object(others, "CLEAR_TRIGGER", 4_000), mock.patch.object(others, "HALF_EVENTS", 12):
        recorded = tape.record(found, BYTES4)
        bill = schedules.price(recorded, name, schedules.Setting(*setting))
        # Request by request, and as many at once as it goes, come to the same.
        with mock.patch.object(schedules, "WORTH", 1):
            at_once = schedules.price(recorded, name, schedules.Setting(*setting))
        one_by_one = schedules.price(recorded._replace(plain_to=()), name, schedules.Setting(*setting))
    assert at_once == one_by_one == bill
    agree(bill, naive)


def agree(bill: schedules.Bill, naive: Naive) -> None:
    """Every prompt, the rewrites and the cost are the same."""
    assert list(bill.prompts) == naive.prompts
    assert bill.rewrites == naive.rewrites
    assert bill.cost == pytest.approx(naive.cost)


SAMPLE = Path(foldcover_harness.__file__).parent / "samples" / "tidetable.jsonl"
# Recorded sessions are not part of the repository; where they lie beside the checkout they are priced too.
REAL = sorted(Path(__file__).parents[3].glob("*/data/transcripts/claude-code/*.jsonl"))


@pytest.mark.parametrize("path", [SAMPLE, *REAL], ids=lambda path: Path(path).stem)
def test_both_programs_agree_on_a_session(path: Path) -> None:
    """The session that ships with the package, and recorded ones, come to the same bills in both programs."""
    with path.open("rb") as stream:
        found = read(stream)
    recorded = tape.record(found, BYTES4)
    events = naive_events(path.read_text(encoding="utf-8"))
    for name in schedules.SCHEDULES:
        naive = naive_price(Naive(name, 15_000, 100_000, recorded.compactions), events)
        agree(schedules.price(recorded, name, schedules.Setting()), naive)
