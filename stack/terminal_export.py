"""Makes an export safe to print on a terminal: writes hidden characters as escapes."""

import codecs
from collections.abc import Iterable, Iterator
from typing import Literal

from stack.terminal_text import escape_json, visible


def terminal_pieces(pieces: Iterable[bytes], form: Literal["ndjson", "csv"]) -> Iterator[bytes]:
    """Yields the export with hidden characters escaped.

    NDJSON keeps its values exactly. The CSV is for reading, not for parsing.
    """
    escape = escape_json if form == "ndjson" else _visible_csv
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    held = ""
    for piece in pieces:
        text = held + decoder.decode(piece)
        # A carriage return at the end may belong to a line end that is still to come.
        held = "\r" if text.endswith("\r") else ""
        yield escape(text.removesuffix("\r")).encode()
    yield escape(held + decoder.decode(b"", final=True)).encode()


def _visible_csv(text: str) -> str:
    return visible(text.replace("\r\n", "\n"))
