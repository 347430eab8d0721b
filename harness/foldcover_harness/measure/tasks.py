"""Small pieces of work in progress, each with one concrete fact and the question for it.

Rule: a task is a function of a random generator. Its fact is drawn until no text that may stand in front of it holds
it, and stands once in the task, at a drawn place among steps that hold other details of the same kinds. An answer is
right when it says the fact literally, early: an answer that copies the work says everything and is none.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from typing import Final, NamedTuple

SAID_WITHIN: Final = 200
"""Characters of an answer in which the fact must stand: shorter than any task."""
STEPS: Final = 6
"""Steps of a task beside the one with the fact."""
_KINDS: Final = (
    ("{}", "The server came up; it listens on port {}.", "On which port does the server listen?"),
    ("c{}fa", "The change is committed as {}.", "As which commit is the change committed?"),
    ("test_quota_{}", "One test failed, {}; all others pass.", "What is the name of the test that failed?"),
    ("4.17.{}", "The resolver settles on version {}.", "On which version does the resolver settle?"),
    ("kestrel_{}.toml", "The limit is read from {}.", "From which file is the limit read?"),
    ("{} ms", "The slowest query takes {}.", "How long does the slowest query take?"),
    ("E{}", "The import stops with error {}.", "With which error does the import stop?"),
    ("node-{}.example", "The job ran on {}.", "On which host did the job run?"),
)
"""The form of a fact, the step that says it, and the question for it."""
_STEPS: Final = (
    "I read module_{}.py first: nothing unusual there.",
    "The linter is clean, {} files looked at.",
    "The log of {} lines has no stack trace.",
    "The cache held {} entries and was emptied.",
    "Ran the {} fast tests again, no change.",
    "A dry run writes {} rows and no duplicates.",
    "The queue has {} jobs waiting, as usual.",
    "Compared {} settings with those of last week: the same.",
    "The disk has {} GB left, so that is not it.",
    "Opened a note for the {} warnings about deprecated calls.",
)
_OPENINGS: Final = (
    "Please find out why the nightly run is slow.",
    "Something broke since yesterday. Have a look.",
    "Check the release candidate before we tag it.",
    "The dashboard shows odd numbers. What is going on?",
)


class Task(NamedTuple):
    """The work in progress as text, the question, and the fact that answers it."""

    work: str
    question: str
    fact: str


def drawn(chance: random.Random, known: Callable[[str], bool]) -> Task:
    """A task whose fact is not `known`: it stands in no text that is shown in front."""
    form, step, question = chance.choice(_KINDS)
    while True:
        number = str(chance.randrange(10_000, 100_000))
        if not known(number):
            break
    steps = [each.format(chance.randrange(11, 10_000)) for each in chance.sample(_STEPS, STEPS)]
    fact = form.format(number)
    steps.insert(chance.randrange(STEPS + 1), step.format(fact))
    work = "\n".join((f"user: {chance.choice(_OPENINGS)}", *(f"model: {each}" for each in steps)))
    return Task(work, question, fact)


def right(answer: str, fact: str) -> bool:
    """Whether an answer says the fact, whatever its case and its quotes: as a whole word, within SAID_WITHIN."""
    said = _plain(answer.strip()[:SAID_WITHIN])
    return re.search(rf"(?<![\w.]){re.escape(_plain(fact))}(?!\w|\.\w)", said) is not None


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.sub(r"[`*\"'“”‘’,]", "", folded).split())
