"""Sends to every partition at a constant rate while brokers fail, and notes when requests were acknowledged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Final

from kit.clock import Clock
from loadtest.background import Background
from loadtest.comparison import Sent
from loadtest.corpus.records import SMALL
from loadtest.freshness.prepared import Pace, PreparedRequests
from loadtest.open_loop import Call, on_schedule
from loadtest.own_stack import OwnStack, Sender
from loadtest.scheduled_exports import Answered, ScheduledExports

RECORDS: Final = 5
"""Records in each request."""
_THREADS: Final = 160
"""Largest number of requests under way at once. If there are as many, further requests start late."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """The partition of an acknowledged request, and the time of the answer in monotonic seconds."""

    partition: int
    at: float


class SteadyLoad(Background):
    """Sends `rate` records per second within the block, to the partitions in turn.

    `senders` has a tenant for each partition. A request begins when it is due, however long other requests take. No
    request is sent again.
    """

    def __init__(self, stack: OwnStack, senders: Sequence[Sender], rate: int, seed: int, clock: Clock) -> None:
        super().__init__("steady-load")
        self._senders = senders
        self._interval = RECORDS / rate
        self._requests = PreparedRequests(SMALL, seed, Pace(RECORDS, self._interval, _THREADS))
        self._clock = clock
        partitions = {sender.tenant_id: partition for partition, sender in enumerate(senders)}

        def note(answer: Answered) -> None:
            self.acknowledged.append(Acknowledgement(partitions[answer.sender.tenant_id], answer.at))

        self._exports = ScheduledExports(stack.otlp_http, clock, note)
        self.acknowledged: list[Acknowledgement] = []
        """Grows while requests are answered. Other threads may read it."""

    def work(self) -> None:
        on_schedule(self._calls(), self._clock, _THREADS)

    @property
    def unacknowledged(self) -> int:
        """Number of requests that ended without an acknowledgement until now."""
        return self._exports.outcomes.seconds.count(inf)

    @property
    def slowest(self) -> float:
        """Longest time, in seconds, from when an acknowledged request was due to its answer."""
        return max((each for each in self._exports.outcomes.seconds if each < inf), default=0.0)

    def sent(self) -> dict[int, Sent]:
        """Returns what was sent, by tenant id. Call it after the block."""
        return dict(self._exports.outcomes.sent)

    def _calls(self) -> Iterator[tuple[float, Call]]:
        number = 0
        while not self.stopping.is_set():
            time_ns = self._clock.now_ns()
            body, numbers = self._requests.next(time_ns)
            sender = self._senders[number % len(self._senders)]
            yield number * self._interval, self._exports.call(sender, body, numbers, time_ns)
            number += 1


def longest_pause(acknowledged: Sequence[Acknowledgement], start: float, end: float) -> float:
    """Returns the longest time in seconds without an acknowledgement in a partition, of times that overlap with the
    time from `start` to `end`. A pause that has not ended counts until `end`."""
    longest = 0.0
    for partition in {each.partition for each in acknowledged}:
        times = sorted(each.at for each in acknowledged if each.partition == partition)
        pauses = pairwise([*times, max(end, times[-1])])
        longest = max(longest, *(later - earlier for earlier, later in pauses if later > start and earlier < end), 0.0)
    return longest
