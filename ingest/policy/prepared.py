"""Keeps what was prepared from rules for as long as the rules hold."""

from weakref import WeakKeyDictionary

from ingest.policy.policy import Policy
from schema.attribute_rules import TenantRules


class PreparedPolicies:
    """One Policy per set of rules, prepared when first asked for; gone with the control plane's copy it came from.

    Tenants without rules of their own share theirs. To be used from one thread; the policies from any.
    """

    def __init__(self) -> None:
        self._policies: WeakKeyDictionary[TenantRules, Policy] = WeakKeyDictionary()

    def policy(self, rules: TenantRules) -> Policy:
        policy = self._policies.get(rules)
        if policy is None:
            policy = self._policies[rules] = Policy(rules)
        return policy
