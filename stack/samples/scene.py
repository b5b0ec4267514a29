"""Logs of one request or job: from several services, in order, with one trace."""

import random
from collections.abc import Callable, Mapping
from typing import TypeAlias

from schema.severity import Severity
from stack.samples.record import Body, Instance, SampleRecord, Value
from stack.samples.shop import Fleet


class Scene:
    """Logs of one request or job. `wait` advances its time.

    Each service answers from one pod and in one span for the whole scene.
    """

    def __init__(self, rng: random.Random, fleet: Fleet, start_ns: int, traced: bool = True) -> None:
        self.rng = rng
        self.at_ns = start_ns
        self.start_ns = start_ns
        self.records: list[SampleRecord] = []
        self._fleet = fleet
        self._trace_id = rng.getrandbits(128) | 1 if traced else 0
        self._spans: dict[str, tuple[Instance, int]] = {}

    @property
    def elapsed_ms(self) -> float:
        return round((self.at_ns - self.start_ns) / 1e6, 2)

    def wait(self, median_ms: float) -> float:
        """Lets about `median_ms` milliseconds pass (log-normal, as latencies are) and returns how many."""
        took_ms = round(self.rng.lognormvariate(0, 0.45) * median_ms, 2)
        self.at_ns += round(took_ms * 1e6)
        return took_ms

    def log(
        self,
        service: str,
        severity: Severity,
        body: Body,
        attributes: Mapping[str, Value] | None = None,
        event_name: str | None = None,
    ) -> None:
        """Adds a line at the current time."""
        if service not in self._spans:
            instance = self._fleet.pick(service, self.at_ns, self.rng)
            self._spans[service] = (instance, self.rng.getrandbits(64) | 1 if self._trace_id else 0)
        instance, span_id = self._spans[service]
        self.records.append(
            SampleRecord(self.at_ns, instance, severity, body, attributes or {}, self._trace_id, span_id, event_name)
        )
        self.at_ns += self.rng.randrange(40_000, 900_000)


SceneAt: TypeAlias = Callable[[int], Scene]
"""Type of the function that starts a scene outside of a request, at a time in nanoseconds."""
