"""The attribute policy's rules as values: which attributes are dropped or masked before anything is stored.

Names are compared without regard to case (Unicode case folding): senders of `http.request.header.Authorization` and
`HTTP.REQUEST.HEADER.AUTHORIZATION` mean the same header.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schema.redactions import Redaction

NAME_CHARACTERS: Final = 256
"""The longest name or prefix of a rule, folded."""


class Action(StrEnum):
    """Effect of a rule on an attribute."""

    drop = "drop"
    mask = "mask"


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule for attributes of this name, or of names that begin with it. `pattern` is folded."""

    pattern: str
    is_prefix: bool
    action: Action


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TenantRules:
    """The rules for one tenant's records, the installation's and its own, and what is redacted in their bodies.

    Compared by identity, so that what is prepared from it can be kept: the control plane's copy holds the same object
    for as long as no rule changes.
    """

    installation: tuple[Rule, ...] = ()
    own: tuple[Rule, ...] = ()
    redactions: tuple[Redaction, ...] = ()


NO_RULES: Final = TenantRules()


def folded(name: str) -> str:
    """Returns the form of a name that is compared with rules. A name longer than any rule is cut to a length that no
    rule has."""
    return name[: NAME_CHARACTERS + 1].casefold()
