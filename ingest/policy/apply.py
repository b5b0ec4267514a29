"""Applies a tenant's attribute rules to a request, in native code."""

from dataclasses import dataclass
from typing import Final

from kit.errors import TooLarge
from logsieve_native import AttributeRules, Message, TooManyParts
from schema.attribute_rules import Action, TenantRules

MAX_LOOKUPS: Final = 4_000_000
"""Largest number of names looked up in one request, which takes at most a second even if millions of attributes are
empty. 16 MiB of real logs need fewer."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A request after the rules; the same object if no rule matched.

    `dropped` and `masked` count attributes and entries of nested maps.
    """

    message: Message
    dropped: int = 0
    masked: int = 0


class Policy:
    """The rules of a tenant, compiled so that each name costs one look-up. May be used by several threads.

    An exact name wins over a prefix, and a longer prefix over a shorter one. If two rules have the same name or the
    same prefix, the tenant's wins.
    """

    def __init__(self, rules: TenantRules, max_lookups: int = MAX_LOOKUPS) -> None:
        # The tenant's own rules come last, so that they replace the installation's.
        in_order = (*rules.installation, *rules.own)
        self._max_lookups = max_lookups
        self._rules = AttributeRules(
            [(rule.pattern, rule.is_prefix, rule.action is Action.drop) for rule in in_order], max_lookups
        )

    def apply(self, message: Message) -> Applied:
        """Drops and masks attributes of logs, resources and scopes, and entries nested in them or in structured bodies.

        A record always stays. Raises TooLarge for more names than a request may have.
        """
        try:
            return Applied(*self._rules.apply(message))
        except TooManyParts:
            raise TooLarge(
                f"a request to which attribute rules apply may have at most {self._max_lookups} attributes and nested"
                " names together, but this one has more; send smaller requests"
            ) from None

    def action(self, name: str) -> Action | None:
        """Returns the action for attributes of this name; None if they are kept."""
        drops = self._rules.drops(name)
        return None if drops is None else Action.drop if drops else Action.mask
