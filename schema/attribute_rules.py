"""The rules of the attribute policy: which attributes are dropped or masked before anything is stored.

Names are compared without regard to case (Unicode case folding), so `http.request.header.Authorization` and
`HTTP.REQUEST.HEADER.AUTHORIZATION` are the same name.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schema.redactions import Redaction

NAME_CHARACTERS: Final = 256
"""Largest length of a rule's name or prefix, in characters after case folding."""


class Action(StrEnum):
    """Effect of a rule on an attribute."""

    drop = "drop"
    mask = "mask"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule about attributes of one name, or of all names that begin with it. `pattern` is case-folded."""

    pattern: str
    is_prefix: bool
    action: Action


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TenantRules:
    """The rules for one tenant's records: the installation's, the tenant's own, and the redactions of bodies.

    Objects are compared by identity, so that callers can cache what they compile from one. The control plane's copy
    holds the same object until a rule changes.
    """

    installation: tuple[Rule, ...] = ()
    own: tuple[Rule, ...] = ()
    redactions: tuple[Redaction, ...] = ()


NO_RULES: Final = TenantRules()


def folded(name: str) -> str:
    """Returns a name in the form that is compared with rules. A longer name than any rule may have is cut to one
    character more than a rule may have."""
    return name[: NAME_CHARACTERS + 1].casefold()
