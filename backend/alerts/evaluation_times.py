"""Lets rules wait for logs that are not stored yet, so that these do not look like logs that were never sent."""

from backend.alerts.repository import Rule
from backend.alerts.stored_until import StoredUntil
from backend.store.scope import Scopes
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.directory import Directory


class EvaluationTimes:
    """Chooses the times of evaluations. All times are in nanoseconds since the Unix epoch.

    A rule is evaluated `alerts_delay_seconds` (a setting) after the end of its range. It waits longer if logs that
    Kafka acknowledged in the first half of this delay are not stored yet, at most `alerts_max_wait_seconds` (a
    setting).
    """

    def __init__(self, settings: Settings, directory: Directory, stored: StoredUntil, clock: Clock) -> None:
        self._directory = directory
        self._scopes = Scopes(settings, clock)
        self._stored = stored
        self._max_wait_ns = settings.alerts_max_wait_seconds * 10**9
        self._delay_ns = settings.alerts_delay_seconds * 10**9
        self._started_ns = clock.now_ns()

    def due_by(self, now_ns: int) -> int:
        """Returns the time until which rules may be claimed. Rules that were due later wait for logs of every shard."""
        return self._bounded(self._stored.latest(), now_ns)

    def as_of(self, rule: Rule, now_ns: int) -> int:
        """Returns the time as of which a rule may be evaluated. If the rule was due later, it waits for logs of its
        shards."""
        tenant = self._directory.tenant(rule.tenant_id)
        try:
            until_ns = None if tenant is None else self._stored.of(self._scopes.shards(tenant))
        except Unavailable:
            # The rule's query fails for the same reason. The state of the rule then shows the reason.
            return now_ns
        return self._bounded(until_ns, now_ns)

    def end_ns(self, at_ns: int) -> int:
        """Returns the end of the range that an evaluation as of `at_ns` reads."""
        return at_ns - self._delay_ns

    def _bounded(self, until_ns: int | None, now_ns: int) -> int:
        if until_ns is None:
            return now_ns - self._max_wait_ns if now_ns - self._started_ns >= self._max_wait_ns else 0
        # Clients may take the first half of the delay to send records, and loaders the second half to store them.
        return min(now_ns, max(until_ns + self._delay_ns // 2, now_ns - self._max_wait_ns))
