"""Keeps what was prepared from rules for as long as the rules hold."""

from weakref import WeakKeyDictionary

from ingest.policy.apply import Policy
from kit.errors import Unavailable
from logsieve_native import Redactor
from schema.attribute_rules import TenantRules
from schema.redactions import redactor_of


class PreparedPolicies:
    """One Policy per set of rules, prepared when first asked for; gone with the control plane's copy it came from.

    Tenants without rules of their own share theirs. To be used from one thread; the policies from any.
    """

    def __init__(self) -> None:
        self._policies: WeakKeyDictionary[TenantRules, Policy | None] = WeakKeyDictionary()

    def policy(self, rules: TenantRules) -> Policy | None:
        """Returns the policy, or None for a tenant without rules."""
        if rules not in self._policies:
            self._policies[rules] = Policy(rules) if rules.installation or rules.own else None
        return self._policies[rules]


class PreparedRedactors:
    """One Redactor per set of rules, compiled when first asked for. To be used from one thread."""

    def __init__(self) -> None:
        self._redactors: WeakKeyDictionary[TenantRules, Redactor | None] = WeakKeyDictionary()

    def redactor(self, rules: TenantRules) -> Redactor | None:
        """Returns the tenant's redactor, or None for a tenant without redactions.

        Raises Unavailable where this version cannot compile a redaction: matches of a redaction that a newer version
        was given must not be stored.
        """
        try:
            if rules not in self._redactors:
                self._redactors[rules] = redactor_of(rules.redactions)
            return self._redactors[rules]
        except ValueError as error:
            raise Unavailable(
                f"a redaction of the tenant cannot be compiled: {error}; see `logsieve policy redactions`"
            ) from None
