"""Checks of items that the users of a tenant save: views, dashboards and alert rules."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from kit.errors import Conflict, InvalidRequest, NotFound, RevisionConflict

NAME_CHARACTERS: Final = 100
"""Largest number of characters of an item's name."""

Item = TypeVar("Item")

_ID: Final = re.compile(r"[0-9a-f]{12}")


def is_item_id(text: str) -> bool:
    """Returns whether the text has the form of an id: 12 hexadecimal digits."""
    return _ID.fullmatch(text) is not None


def check_text(member: str, text: str, longest: int = NAME_CHARACTERS) -> None:
    """Raises InvalidRequest for a text that is empty or too long, or contains characters that readers do not see."""
    if not 1 <= len(text) <= longest:
        raise InvalidRequest(f"`{member}` has {len(text)} characters: give 1 to {longest}")
    if not text.isprintable() or text != text.strip():
        raise InvalidRequest(
            f"`{member}` begins or ends with a space, or contains line breaks or invisible characters: remove them"
        )


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A kind of saved items, and its article and noun in error texts, such as "an" and "alert rule"."""

    article: str
    noun: str

    def require_room(self, count: int, limit: int) -> None:
        """Raises InvalidRequest if a tenant has `limit` items or more. `count` is its number of items."""
        if count >= limit:
            raise InvalidRequest(f"the tenant has {limit} {self.noun}s, the largest number allowed: delete one first")

    async def found(self, find: Callable[[str], Awaitable[Item | None]], id: str) -> Item:
        """Returns the item that `find` returns for the id. Raises NotFound if there is none."""
        item = await find(id) if is_item_id(id) else None
        if item is None:
            raise NotFound(f"there is no {self.noun} with the id {id[:100]!r}: it was deleted, or the id is wrong")
        return item

    def require_free(self, name: str, owner: str | None, id: str) -> None:
        """Raises Conflict if an item other than `id` has the name. `owner` is the id of the item that has the name;
        None if none has it."""
        if owner not in (None, id):
            raise Conflict(
                f"{self.article} {self.noun} with the name {name!r} exists already: give another name, or change the "
                f"existing {self.noun}"
            )

    def require_revision(self, name: str, stored: int, requested: int | None) -> None:
        """Raises RevisionConflict if `requested` is not the stored revision. None stands for any revision."""
        if requested not in (None, stored):
            raise RevisionConflict(
                f"{self.noun} {name!r} has revision {stored}, but this request replaces revision {requested}: another"
                f" client changed it meanwhile. Read the {self.noun} again, then repeat your change"
            )
