"""Creates keys and recognises their texts.

A key is `ls_<purpose>_<id>_<secret>`. Secret scanners and people recognise the prefix. The id names the key in lists
and logs. The secret has 256 random bits, so one SHA-256 is enough and no salt is needed.
"""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from schema.control.models import Purpose


@dataclass(frozen=True, slots=True)
class NewKey:
    """A newly created key with its plain text, which is not stored."""

    id: str
    text: str
    sha256: bytes


def make_key(purpose: Purpose, token_bytes: Callable[[int], bytes] = secrets.token_bytes) -> NewKey:
    """Returns a new random key for one purpose."""
    id = token_bytes(6).hex()
    text = f"ls_{purpose}_{id}_{token_bytes(32).hex()}"
    return NewKey(id, text, digest(text))


def key_id(text: str) -> str | None:
    """Returns the id in the text of a key, which need not exist; None for any other text."""
    words = text.split("_")
    return words[2] if len(words) == 4 and words[0] == "ls" else None


def digest(text: str) -> bytes:
    """Returns the SHA-256 of a key, 32 bytes, by which the key is stored and found."""
    return hashlib.sha256(text.encode()).digest()
