"""Times and failures of the searches that were due while something failed, and of those that were not."""

from collections.abc import Sequence
from dataclasses import dataclass

from loadtest.faults.cluster.plan import Failure
from loadtest.faults.cluster.report import SearchTimes
from loadtest.faults.cluster.searching import Search
from loadtest.percentile import percentile


@dataclass(frozen=True, slots=True)
class Period:
    """A failure and its effect, in monotonic seconds.

    The service is ready again at `ready`. At `recovered`, every replica has all records that were sent until then.
    """

    failure: Failure
    began: float
    ready: float
    recovered: float


def during(periods: Sequence[Period], every: Sequence[Search]) -> list[Search]:
    """Returns the searches that were due after a failure began and before its service was ready again."""
    return [each for each in every if any(period.began <= each.due < period.ready for period in periods)]


def catching_up(periods: Sequence[Period], every: Sequence[Search]) -> list[Search]:
    """Returns the searches that were due after a service was ready again and before all replicas had all records."""
    return [each for each in every if any(period.ready <= each.due < period.recovered for period in periods)]


def undisturbed(periods: Sequence[Period], every: Sequence[Search]) -> list[Search]:
    """Returns the searches that were due before the first failure, or after the recovery from each earlier one."""
    return [each for each in every if not any(period.began <= each.due < period.recovered for period in periods)]


def times_of(when: str, failures: int, due: Sequence[Search], every: Sequence[Search]) -> SearchTimes:
    """Returns the times of the searches `due`. `every` has all searches, also later ones.

    Raises ValueError if no search was due.
    """
    seconds = [each.seconds for each in due]
    return SearchTimes(
        when=when,
        failures=failures,
        searches=len(due),
        failed=sum(bool(each.failure) for each in due),
        failing_seconds=max((failing_seconds(each, every) for each in due if each.failure), default=0.0),
        p50=percentile(seconds, 0.5),
        p99=percentile(seconds, 0.99),
        slowest=max(seconds),
    )


def failing_seconds(failed: Search, every: Sequence[Search]) -> float:
    """Returns the seconds from a failed search until a later search of its tenant was answered.

    If none was, returns the seconds until the last search ended.
    """
    later = (each for each in every if each.tenant == failed.tenant and each.due > failed.due and not each.failure)
    return min((each.ended for each in later), default=max(each.ended for each in every)) - failed.due
