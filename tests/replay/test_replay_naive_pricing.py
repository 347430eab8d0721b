"""A second program prices random conversations, and both must agree to the tenth of a token.

The second program is deliberately naive: it parses with `json`, keeps every prompt as a list of labelled
pieces, finds what two prompts share by comparing the lists, and knows nothing of how ours is built.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foldcover
from foldcover_harness.replay import schedules, tape
from foldcover_harness.replay.tokens import BYTES4
from foldcover_harness.transcripts.claude_code import read

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
    """Return ("turn",), ("request",) and ("piece", label, tokens, message, is a call) in the order of the
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
            events.append(("piece", f"{number}.{place}", block_tokens(block), message, block["type"] == "tool_use"))
    return events


class Naive:
    """One schedule, on whole lists of pieces."""

    def __init__(self, name: str, standing: int, window: int) -> None:
        self.name, self.window = name, window
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
            self.rewrites += prompt[: len(self.before)] != self.before
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

    def piece(self, label: str, tokens: int, message: str, call: bool) -> None:
        """A piece is added."""
        self.turns[-1].append((label, tokens))
        self.messages[label] = message
        self.calls += call
        self.gathered += tokens

    def request(self) -> None:
        """The model is asked."""
        if self.name == "oldest" and self.full():
            while self.full() and len(self.turns) > 1:
                self.fold(1)
        if self.name != "none" and self.full():
            self.compact()
        self.pay()

    def compact(self) -> None:
        """Let a summary and the last message replace the tail."""
        pieces = [piece for turn in self.turns for piece in turn]
        last: list[Piece] = []
        for piece in reversed(pieces):
            if self.messages[piece[0]] != self.messages[pieces[-1][0]]:
                break
            last.insert(0, piece)
        left = 2000 + sum(tokens for _, tokens in last)
        # The two cases in which nothing can be gained.
        if left >= sum(tokens for _, tokens in pieces) or self.standing[0][1] + 2000 >= 0.92 * self.window:
            return
        self.pay()
        self.summaries += 1
        summary = f"summary {self.summaries}"
        self.messages[summary] = summary
        self.turns = [[(summary, 2000), *last]]


def naive_price(text: str, name: str, standing: int, window: int) -> Naive:
    """Price a whole file."""
    machine = Naive(name, standing, window)
    for event in naive_events(text):
        match event:
            case ("turn",):
                machine.turn()
            case ("request",):
                machine.request()
            case _:
                _, label, tokens, message, call = event
                machine.piece(label, tokens, message, call)
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
@settings(max_examples=40, deadline=None)
@given(conversation=conversations, head=st.booleans(), setting=st.sampled_from(SETTINGS))
def test_both_programs_come_to_the_same_bill(
    name: str, conversation: list[tuple[str, bool, Any]], head: bool, setting: tuple[int, int]
) -> None:
    """Cost, rewrites and every single prompt are equal, in bytes4."""
    text = write_lines(conversation, head)
    naive = naive_price(text, name, *setting)
    recorded = tape.record(read(row.encode() for row in text.split("\n")[:-1]), BYTES4)
    bill = schedules.price(recorded, name, schedules.Setting(*setting))
    assert list(bill.prompts) == naive.prompts
    assert bill.rewrites == naive.rewrites
    assert bill.cost == pytest.approx(naive.cost)


SAMPLE = Path(schedules.__file__).parent.parent / "samples" / "tidetable.jsonl"
# Recorded sessions are not part of the repository; where they lie beside the checkout they are priced too.
REAL = sorted(Path(__file__).parents[3].glob("*/data/transcripts/claude-code/*.jsonl"))


@pytest.mark.parametrize("name", schedules.SCHEDULES)
@pytest.mark.parametrize("path", [SAMPLE, *REAL], ids=lambda path: Path(path).stem)
def test_both_programs_agree_on_a_session(path: Path, name: str) -> None:
    """The session that ships with the package, and recorded ones, come to the same bill in both programs."""
    naive = naive_price(path.read_text(encoding="utf-8"), name, 15_000, 100_000)
    with path.open("rb") as stream:
        recorded = tape.record(read(stream), BYTES4)
    bill = schedules.price(recorded, name, schedules.Setting())
    assert list(bill.prompts) == naive.prompts
    assert bill.rewrites == naive.rewrites
    assert bill.cost == pytest.approx(naive.cost)
