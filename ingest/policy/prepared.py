"""Caches compiled attribute policies and redactors, one per set of rules, until the control plane's copy replaces the
set."""

from weakref import WeakKeyDictionary

from ingest.policy.apply import Policy
from kit.errors import Unavailable
from logsieve_native import Redactor
from schema.attribute_rules import TenantRules
from schema.redactions import redactor_of


class PreparedPolicies:
    """Cache of one Policy per set of rules. An entry is removed together with the control plane's copy of its rules.

    Tenants without rules of their own share one policy. One thread may use the cache, any thread the policies.
    """

    def __init__(self) -> None:
        self._policies: WeakKeyDictionary[TenantRules, Policy | None] = WeakKeyDictionary()

    def policy(self, rules: TenantRules) -> Policy | None:
        """Returns the policy; None for a tenant without rules."""
        if rules not in self._policies:
            self._policies[rules] = Policy(rules) if rules.installation or rules.own else None
        return self._policies[rules]


class PreparedRedactors:
    """Cache of one Redactor per set of rules, compiled at its first use. For one thread."""

    def __init__(self) -> None:
        self._redactors: WeakKeyDictionary[TenantRules, Redactor | None] = WeakKeyDictionary()

    def redactor(self, rules: TenantRules) -> Redactor | None:
        """Returns the tenant's redactor; None for a tenant without redactions.

        Raises Unavailable if this version cannot compile a redaction, which a newer version may have accepted. The
        tenant's records are then refused, because the text that the redaction would remove must not be stored.
        """
        try:
            if rules not in self._redactors:
                self._redactors[rules] = redactor_of(rules.redactions)
            return self._redactors[rules]
        except ValueError as error:
            raise Unavailable(
                f"a redaction of the tenant cannot be compiled: {error}; see `logsieve policy redactions`"
            ) from None
