"""Chooses the time as of which a rule is evaluated, so that logs which are not stored yet do not look like no logs."""

from backend.alerts.rules import Rule
from backend.alerts.stored_until import StoredUntil
from backend.store.scope import Scopes
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.directory import Directory


class EvaluationTimes:
    """Moves evaluations back while loaders are behind, to the time until which the logs of the rule are stored."""

    def __init__(self, settings: Settings, directory: Directory, stored: StoredUntil, clock: Clock) -> None:
        self._directory = directory
        self._scopes = Scopes(settings, clock)
        self._stored = stored
        self._max_wait_ns = settings.alerts_max_wait_seconds * 10**9
        self._delay_ns = settings.alerts_delay_seconds * 10**9

    def as_of(self, rule: Rule, due_ns: int) -> int:
        """Returns the time for an evaluation that was due at `due_ns`, both in nanoseconds since the Unix epoch.

        It is at most `alerts_max_wait_seconds` (a setting) earlier, and not before the last evaluation of the rule.
        """
        until_ns = self._stored_until(rule)
        # The delay leaves time for clients to send records, and for loaders to store them: half of it for each.
        stored_ns = 0 if until_ns is None else until_ns + self._delay_ns // 2
        return min(due_ns, max(stored_ns, rule.evaluated_at_ns or 0, due_ns - self._max_wait_ns))

    def end_ns(self, at_ns: int) -> int:
        """Returns the end of the range that an evaluation as of `at_ns` reads."""
        return at_ns - self._delay_ns

    def _stored_until(self, rule: Rule) -> int | None:
        tenant = self._directory.tenant(rule.tenant_id)
        try:
            return None if tenant is None else self._stored.of(self._scopes.shards(tenant))
        except Unavailable:
            return None  # The query of the rule fails for the same reason, which the state of the rule then shows.
