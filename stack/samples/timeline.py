"""Times of the story's events, in nanoseconds relative to its end."""

import math
import random
from dataclasses import dataclass

SECOND = 10**9
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

SPAN = 6 * HOUR
"""Length of the story, in nanoseconds."""

_INCIDENT_BOOST = 3.5
"""Number of lines per minute during the incident, as a multiple of a calm minute: retries and impatient customers cause
more."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The hours that end at `end_ns`."""

    end_ns: int

    @property
    def start_ns(self) -> int:
        return self.end_ns - SPAN

    @property
    def incident_start_ns(self) -> int:
        return self.end_ns - 70 * MINUTE

    @property
    def incident_end_ns(self) -> int:
        """Time at which the fixed version of payments has taken over."""
        return self.end_ns - 58 * MINUTE

    def in_incident(self, at_ns: int) -> bool:
        return self.incident_start_ns <= at_ns < self.incident_end_ns

    def load(self, at_ns: int) -> float:
        """Returns how busy the shop is: 1 on average while calm, by the hour of the day (UTC), and more during the
        incident."""
        hour = at_ns / HOUR % 24
        daily = 1 + 0.35 * math.sin((hour - 14) / 24 * 2 * math.pi + math.pi / 2)
        ripple = 1 + 0.12 * math.sin(at_ns / (23 * MINUTE)) + 0.08 * math.sin(at_ns / (7 * MINUTE))
        return daily * ripple * (_INCIDENT_BOOST if self.in_incident(at_ns) else 1)

    def moment(self, rng: random.Random) -> int:
        """Returns a time in the story, drawn in proportion to the load."""
        highest = 1.35 * 1.2 * _INCIDENT_BOOST
        while True:
            at_ns = rng.randrange(self.start_ns, self.end_ns)
            if rng.random() * highest < self.load(at_ns):
                return at_ns
