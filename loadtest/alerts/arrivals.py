"""Compares the notices that arrived with the firings that had to be reported."""

from collections import Counter
from collections.abc import Iterable, Set

from loadtest.alerts.plan import Firing
from loadtest.alerts.receiver import Received
from loadtest.alerts.study import Arrivals


def compare(expected: Set[Firing], received: Iterable[Received]) -> Arrivals:
    """Counts the firings that were not reported or reported under several ids, and notices of anything else.

    A notice that arrives again under its id is a repeat, which alerts may cause.
    """
    requests = Counter(received)
    reported = Counter(notice.firing for notice in requests if notice.kind == "firing")
    return Arrivals(
        firings=len(expected),
        missing=len(expected - reported.keys()),
        second_ids=sum(ids > 1 for ids in reported.values()),
        unexpected=sum(notice.kind != "firing" or notice.firing not in expected for notice in requests),
        repeats=requests.total() - len(requests),
    )
