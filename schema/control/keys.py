"""Keys as text: how they are made and how they are recognised.

`ls_<purpose>_<id>_<secret>`: secret scanners and people recognise the prefix, the id names the key in lists
and logs, the secret has 256 bits. Because it is random, one SHA-256 is enough and no salt is needed.
"""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from schema.control.models import Purpose


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key at the only moment its text is known."""

    id: str
    text: str
    sha256: bytes


def make_key(purpose: Purpose, token_bytes: Callable[[int], bytes] = secrets.token_bytes) -> NewKey:
    """Returns a new random key for one purpose."""
    id = token_bytes(6).hex()
    text = f"ls_{purpose}_{id}_{token_bytes(32).hex()}"
    return NewKey(id, text, digest(text))


def key_id(text: str) -> str | None:
    """Returns the id in a key's text, of a key that exists or not; None for a text of another form."""
    words = text.split("_")
    return words[2] if len(words) == 4 and words[0] == "ls" else None


def digest(text: str) -> bytes:
    """Returns the 32 bytes by which a key is stored and found."""
    return hashlib.sha256(text.encode()).digest()
