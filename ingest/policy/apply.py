"""Applies a tenant's attribute rules to a request, in native code."""

from dataclasses import dataclass
from typing import Final

from kit.errors import TooLarge
from logsieve_native import AttributeRules, Message, TooManyParts
from schema.attribute_rules import Action, TenantRules

MAX_LOOKUPS: Final = 4_000_000
"""Names looked up in one request, so that one of millions of empty attributes costs a second at most: more than 16 MiB
of real logs need."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A request after the rules, which is the same object where no attribute met one.

    Counts attributes and entries of nested maps that were taken out, and values that were masked.
    """

    message: Message
    dropped: int = 0
    masked: int = 0


class Policy:
    """The rules of a tenant, prepared so that a name is looked up and not compared. May be used by several threads at
    once.

    An exact name wins over a prefix, a longer prefix over a shorter one, and of two rules on the same name or the same
    prefix the tenant's wins.
    """

    def __init__(self, rules: TenantRules, most_lookups: int = MAX_LOOKUPS) -> None:
        # The tenant's own come last and so replace the installation's.
        in_order = (*rules.installation, *rules.own)
        self._most_lookups = most_lookups
        self._rules = AttributeRules(
            [(rule.pattern, rule.is_prefix, rule.action is Action.drop) for rule in in_order], most_lookups
        )

    def apply(self, message: Message) -> Applied:
        """Drops and masks log, resource and scope attributes, and what is nested in them or in structured bodies.

        A record stays, whatever happens to its attributes. Raises TooLarge for more names than a request may have.
        """
        try:
            return Applied(*self._rules.apply(message))
        except TooManyParts:
            raise TooLarge(
                f"a request to which attribute rules apply may have {self._most_lookups} attributes and nested names in"
                " all and this one has more; send smaller requests"
            ) from None

    def action(self, name: str) -> Action | None:
        """Returns what happens to an attribute of this name; None when it is kept."""
        drops = self._rules.drops(name)
        return None if drops is None else Action.drop if drops else Action.mask
