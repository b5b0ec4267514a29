"""Checks of items that the users of a tenant save: views, dashboards and alert rules."""

import re
from typing import Final

from kit.errors import InvalidRequest, RevisionConflict

NAME_CHARACTERS: Final = 100
"""Largest number of characters of an item's name."""

_ID: Final = re.compile(r"[0-9a-f]{12}")


def is_item_id(text: str) -> bool:
    """Returns whether the text has the form of an item's id."""
    return _ID.fullmatch(text) is not None


def check_text(member: str, text: str, longest: int = NAME_CHARACTERS) -> None:
    """Raises InvalidRequest for a text that is empty, too long, or has parts that readers do not see."""
    if not 1 <= len(text) <= longest:
        raise InvalidRequest(f"`{member}` has {len(text)} characters: give 1 to {longest}")
    if not text.isprintable() or text != text.strip():
        raise InvalidRequest(
            f"`{member}` begins or ends with a space, or has line breaks or invisible characters: remove them"
        )


def require_revision(item: str, stored: int, requested: int) -> None:
    """Raises RevisionConflict if a request is about another revision than the stored one. `item` is its kind and name,
    such as "view 'Errors'"."""
    if stored != requested:
        raise RevisionConflict(
            f"{item} has revision {stored}, and this request is about revision {requested}: another client changed it;"
            " read it again, then repeat the change"
        )
