"""The rules of a tenant in a form in which a name is looked up rather than compared with each rule.

The structure was chosen by `logsieve loadtest policy`, see docs/decisions/0008.
"""

from collections.abc import Sequence
from typing import Final

from ingest.policy.longest_prefix import LongestPrefix
from schema.attribute_rules import Action, Rule, TenantRules, folded

REMEMBERED_NAMES: Final = 4096
"""Names whose decision is remembered at once: more than the services of a tenant use."""

REMEMBERED_CHARACTERS: Final = 128
"""Longer names are decided each time. With REMEMBERED_NAMES it bounds what hostile names take up, to some 2 MiB."""


class Policy(dict[str, Action | None]):
    """Maps an attribute's name to its action, by `policy[name]`; None when it is kept. Several threads may ask at once.

    An exact name wins over a prefix, a longer prefix over a shorter one, and of two rules on the same name or the same
    prefix the tenant's wins. Decisions stay in the dict by the name as it was spelled, because the same names come
    again in every record: then a name costs one look-up, without folding and without a call.
    """

    def __init__(self, rules: TenantRules) -> None:
        super().__init__()
        # The tenant's own come last and so replace the installation's.
        in_order: Sequence[Rule] = (*rules.installation, *rules.own)
        self._names = {rule.pattern: rule.action for rule in in_order if not rule.is_prefix}
        self._prefixes = LongestPrefix({rule.pattern: rule.action for rule in in_order if rule.is_prefix})
        self.has_rules = bool(in_order)

    def __missing__(self, name: str) -> Action | None:
        """Decides on a name that is not remembered."""
        key = folded(name)
        action = self._names.get(key) or self._prefixes.action(key)
        if len(name) <= REMEMBERED_CHARACTERS:
            if len(self) >= REMEMBERED_NAMES:
                # Only a flood of new names comes here; the usual ones are back after one look-up each.
                self.clear()
            self[name] = action
        return action
