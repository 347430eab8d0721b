"""Words and literals of a text, for index lines and for comparing them.

Rule: an *item* is a word or a literal. A literal is what a person would search for as it stands: a file name without
its directories, a hash (its first 7 digits), a host, an identifier, an error's name, a version, an issue number.
Everything else made of letters is a word; its *key* is a stem, so that "merge" and "merged" are one. Total on any
text, one pass of linear expressions, nothing longer than `LONGEST` is an item.

Stems are a plain rule for English endings on ASCII words and nothing for the rest: the key only groups, the line
shows the commonest form, so a stem that is too short or too long costs little, and no language has to be guessed.
Scripts without spaces give the run itself where it is short, else its pairs of characters (Chinese, Japanese) or
groups of four (Thai, Lao, Khmer, Burmese); pairs of hiragana alone are endings and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from foldcover_harness.session.lines import ESCAPES

LONGEST: Final = 48
"""Characters of the longest item: what is longer is data, not a name."""
HASH: Final = 7

_JSON_ESCAPES = re.compile(r"(?<!\\)\\(?:[nrtbf\"]|u[0-9a-fA-F]{4})")
_LINE_NUMBERS = re.compile(
    r"(?m)^\s{0,8}\d{1,7}[:\-→\t]"
    r"|(?<=\w):\d{1,7}(?::\d{1,7})?(?=[:\s)\]\"',]|$)"
    r"|(?<=\w)-\d{1,7}-(?=\s)"
)
_SCHEME = re.compile(r"\b[A-Za-z]{2,8}://(?:[^\s/@\"'<>]{1,64}@)?")
_SPLIT = re.compile(r"[\s\"'`´’“”()\[\]{}<>«»,;:|=*!?&%$^~@+…·•、。，；：！？（）「」『』【】《》\u2500-\u257f]+")
_PLACES = re.compile(r"[/\\]")
_EDGES = ".-_#"

_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_HASH = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,64}")
_ISSUE = re.compile(r"#\d{1,7}")
_VERSION = re.compile(r"v\d+(?:\.\d+)+|\d+(?:\.\d+){2,3}")
_NUMBER = re.compile(r"\d[\d._\-]*[A-Za-z%]{0,2}|0x[0-9a-fA-F]+")
_NAME = re.compile(r"\w[\w.\-]*\w")
_CAMEL = re.compile(r"[^\W\d_]*?[a-z][A-Z]|[A-Z]{2,}[a-z]{2}")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_A-Za-z]+")

_THAI = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    f"{_THAI}\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20f0\ufe20-\ufe2f"
)
_WORD = re.compile(rf"[^\W\d_][^\W\d_{_MARKS}]*(?:[{_MARKS}]+[^\W\d_]*)*")
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(rf"([\u30a1-\u30fa\u30fc-\u30fe]+)|([{_HAN}\u3041-\u309f]+)|([{_THAI}]+)")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")


def items(text: str, escaped: bool = False) -> Iterator[str]:
    """The items of a text in order, as they stand; a literal is followed by its words.

    `escaped` says that the text is JSON, where a newline is a backslash and a letter.
    """
    plain = ESCAPES.sub(" ", text)
    if escaped:
        plain = _JSON_ESCAPES.sub(" ", plain)
    plain = _SCHEME.sub(" //", _LINE_NUMBERS.sub(" ", plain))
    for run in _SPLIT.split(plain):
        if run:
            yield from _of_run(run)


def _of_run(run: str) -> Iterator[str]:
    if run.startswith("//"):
        host, _, run = run[2:].partition("/")
        yield from _of_name(host)
    if "/" in run or "\\" in run:
        places = [place for place in _PLACES.split(run) if place]
        both = len(places) == 2 and all(place.isalpha() for place in places) and run[0] not in "/\\"
        for place in places if both else places[-1:]:
            yield from _of_name(place)
    elif run:
        yield from _of_name(run)


def _of_name(name: str) -> Iterable[str]:
    return _of_short_name(name) if len(name) <= 2 * LONGEST else _words(name)


@lru_cache(maxsize=20_000)
def _of_short_name(name: str) -> tuple[str, ...]:
    found = as_literal(name)
    if found is not None:
        return (found, *parts(found))
    return () if _NUMBER.fullmatch(name) else tuple(_words(name))


def _words(text: str) -> Iterator[str]:
    if text.isascii() and text.isalpha():
        if 2 < len(text) <= LONGEST:
            yield text
        return
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii():
            if 2 < len(word) <= LONGEST:
                yield word
        else:
            yield from _foreign(word)


def _foreign(word: str) -> Iterator[str]:
    at = 0
    for match in _UNSPACED.finditer(word):
        if at < match.start():
            yield from _spaced(word[at : match.start()])
        at = match.end()
        katakana, han, _ = match.groups()
        if katakana:
            yield from _spaced(katakana)
        else:
            yield from _grouped(match.group(), 2 if han else 4)
    yield from _spaced(word[at:])


def _spaced(word: str) -> Iterator[str]:
    if 1 < len(word) <= LONGEST:
        yield word


def _grouped(run: str, size: int) -> Iterator[str]:
    if 1 < len(run) <= 2 * size:
        if not _HIRAGANA.fullmatch(run):
            yield run
        return
    for at in range(len(run) - size + 1):
        group = run[at : at + size]
        if not _HIRAGANA.fullmatch(group):
            yield group


def as_literal(name: str) -> str | None:
    """The literal that a name without spaces and directories is, or None where it is a word, a number or nothing."""
    if _ISSUE.fullmatch(name):
        return name
    name = name.strip(_EDGES)
    if len(name) < 3 or (name.isalpha() and not _CAMEL.search(name)):
        return None
    if _UUID.fullmatch(name) or _HASH.fullmatch(name):
        return name[:HASH].lower()
    if _VERSION.fullmatch(name):
        return name
    if len(name) > LONGEST or _NUMBER.fullmatch(name) or not _NAME.fullmatch(name):
        return None
    if _unspaced(name) or not any(character.isalpha() for character in name):
        return None
    inside = "." in name or "_" in name or any(character.isdigit() for character in name)
    return name if inside or _CAMEL.search(name) else None


def _unspaced(name: str) -> bool:
    return not name.isascii() and _UNSPACED.search(name) is not None


@lru_cache(maxsize=20_000)
def parts(literal: str) -> tuple[str, ...]:
    """The words inside a literal: what it says besides its own name. A hash or a number has none."""
    if _HASH.fullmatch(literal):
        return ()
    return tuple(part for part in _PARTS.findall(literal) if len(part) > 2 and part.isalpha())


@lru_cache(maxsize=20_000)
def key_of(item: str) -> str:
    """What makes two items the same: a literal itself, a word's stem."""
    return stem(item.casefold()) if as_literal(item) is None else item


def literal(item: str) -> bool:
    """Whether an item is a literal."""
    return as_literal(item) is not None


_VOWEL = re.compile(r"[aeiouy]")
_DOUBLE = re.compile(r"([bdgmnprt])\1$")


def stem(word: str) -> str:
    """A case-folded word without its English ending; any other word as it is."""
    if not word.isascii() or len(word) < 4:
        return word
    word = _singular(word)
    for ending, least in (("ing", 6), ("ed", 5)):
        rest = word.removesuffix(ending)
        if rest != word and len(word) >= least and _VOWEL.search(rest) and not word.endswith("eed"):
            word = _DOUBLE.sub(r"\1", rest)
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
