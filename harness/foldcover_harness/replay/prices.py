"""What tokens cost in money: a small table of public list prices, or a file of the user's.

Rule: a request of P tokens, c of them shared with the request before, costs c at the cached price and P - c at that of
writing the cache, or of plain input where writing costs nothing extra; output at its own price where there is one.
Prices are per million tokens. A model that is not in the table is an error, never a guess.
"""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

TABLE: Final = Path(__file__).with_name("prices.toml")

Amount = Annotated[float, Meta(ge=0)]


class PriceError(Exception):
    """There is no such price, or its file cannot be read. The message is for the user."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Prices of one model, per million tokens. `cache_write` is the price of a token that is not shared, where that
    is not `input`; without `output` what the model writes is not priced. Prompts above `up_to` tokens cost more.
    """

    input: Amount
    cached: Amount
    cache_write: Amount | None = None
    output: Amount | None = None
    up_to: Annotated[int, Meta(gt=0)] | None = None
    currency: str = "USD"
    as_of: datetime.date | None = None
    source: str = ""
    seen_in: str = ""

    @property
    def fresh(self) -> float:
        """The price of a token of the prompt that is not shared."""
        return self.input if self.cache_write is None else self.cache_write

    def money(self, read: int, shared: int, written: int | None) -> float:
        """Return what `read` tokens of prompts cost, `shared` of them cached, with `written` tokens of output."""
        output = (self.output or 0) * (written or 0)
        return (self.cached * shared + self.fresh * (read - shared) + output) / 1e6


class Named(msgspec.Struct, frozen=True):
    """A price and the name of its model."""

    model: str
    price: Price


def find(model: str | None, file: Path | None) -> Named | None:
    """Return the price of `model`, from `file` where one is given; of the only one in it where none is named. None
    where nothing is asked for. Raises PriceError.
    """
    if model is None and file is None:
        return None
    place = TABLE if file is None else file
    known = read(place)
    if model is None:
        if len(known) != 1:
            raise PriceError(f"{place} holds {len(known)} models: say which with --prices")
        model = next(iter(known))
    if model not in known:
        raise PriceError(f"no price of {model!r}: there are {', '.join(sorted(known)) or 'none'}")
    return Named(model, known[model])


def read(file: Path) -> dict[str, Price]:
    """Return the prices in a TOML or JSON file, by model. Raises PriceError."""
    try:
        text = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise PriceError(f"{file}: {reason or type(error).__name__}") from error
    decode = msgspec.json.decode if text.lstrip()[:1] == b"{" else msgspec.toml.decode
    try:
        found = decode(text, type=dict[str, Price])
    except (msgspec.MsgspecError, ValueError) as error:  # what tomllib raises is a ValueError
        raise PriceError(f"{file}: {' '.join(str(error).split())}") from error
    for model, price in found.items():
        amounts = (price.input, price.cached, price.cache_write or 0, price.output or 0)
        if not all(map(math.isfinite, amounts)):
            raise PriceError(f"{file}: {model}: a price that is no number")
    return found
