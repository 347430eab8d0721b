"""How long a text is.

Rule: sizes are UTF-8 bytes, whatever form the text had in its file.
"""

from __future__ import annotations


def utf8_size(text: str) -> int:
    """Return the UTF-8 bytes of `text`; a lone surrogate counts as the three bytes of its replacement."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
