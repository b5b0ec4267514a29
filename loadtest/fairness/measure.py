"""Acknowledgement latency of a quiet tenant, alone and beside one that floods, in turns so that drift hits both."""

import time
from collections import Counter
from dataclasses import dataclass
from typing import Final

import httpx2

from kit.clock import Clock
from kit.errors import InvalidRequest
from loadtest.corpus.records import SMALL, RecordSource
from loadtest.corpus.request import export_request
from loadtest.fairness.flood import Flood
from loadtest.own_stack import OwnStack, Say, Sender
from loadtest.percentile import percentile

GOAL: Final = 2.0
"""Largest p99 beside the flood over the p99 alone."""

LIMIT_BYTES_PER_SECOND: Final = 100_000
_QUIET_RATE: Final = 25
_QUIET_RECORDS: Final = 20
_FLOOD_RECORDS: Final = 400
_SETTLE_SECONDS: Final = 2.0
_ANSWER_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Latencies:
    """Of one side, in seconds from the moment a request was due."""

    requests: int
    p50: float
    p99: float


@dataclass(frozen=True, slots=True)
class FairnessReport:
    """`flood` counts the flooding tenant's answers by status."""

    alone: Latencies
    beside: Latencies
    flood: dict[int, int]
    limit_bytes_per_second: int

    @property
    def ratio(self) -> float:
        return self.beside.p99 / self.alone.p99

    @property
    def passed(self) -> bool:
        return self.ratio <= GOAL and self.flood.get(httpx2.codes.TOO_MANY_REQUESTS, 0) > 0


class FairnessMeasurement:
    """Two tenants on one stack: the quiet one sends by the clock, the other as fast as it is answered."""

    def __init__(self, stack: OwnStack, seed: int, clock: Clock, say: Say) -> None:
        self._stack = stack
        self._clock = clock
        self._say = say
        self._source = RecordSource(SMALL, seed)
        host, port = stack.otlp_http
        self._url = f"http://{host}:{port}/v1/logs"

    def measure(self, rounds: int, seconds: float) -> FairnessReport:
        """`rounds` times `seconds` alone and as long beside the flood."""
        quiet, greedy = self._stack.create_sender("quiet"), self._stack.create_sender("greedy")
        self._stack.logsieve(
            "tenant", "limits", greedy.tenant, "--bytes-per-second", str(LIMIT_BYTES_PER_SECOND), "--json"
        )
        self._send_by_the_clock(quiet, _SETTLE_SECONDS)
        alone: list[float] = []
        beside: list[float] = []
        answers: Counter[int] = Counter()
        for number in range(1, rounds + 1):
            self._say(f"round {number} of {rounds}: alone")
            alone += self._send_by_the_clock(quiet, seconds)
            self._say(f"round {number} of {rounds}: beside a tenant over its limit")
            latencies, answered = self._beside_flood(quiet, greedy, seconds)
            beside += latencies
            answers.update(answered)
        return FairnessReport(_latencies(alone), _latencies(beside), dict(answers), LIMIT_BYTES_PER_SECOND)

    def _beside_flood(self, quiet: Sender, greedy: Sender, seconds: float) -> tuple[list[float], dict[int, int]]:
        body = export_request(self._source.take(_FLOOD_RECORDS, self._clock.now_ns()), pod=2)
        flood = Flood(self._url, _headers(greedy), body)
        flood.start()
        try:
            time.sleep(_SETTLE_SECONDS)
            latencies = self._send_by_the_clock(quiet, seconds)
        finally:
            answers = flood.stop()
        return latencies, answers

    def _send_by_the_clock(self, quiet: Sender, seconds: float) -> list[float]:
        """Latencies from the intended moment, so that waiting behind a slow answer counts too."""
        requests = round(seconds * _QUIET_RATE)
        bodies = [
            export_request(self._source.take(_QUIET_RECORDS, self._clock.now_ns()), pod=1) for _ in range(requests)
        ]
        latencies: list[float] = []
        with httpx2.Client(headers=_headers(quiet), timeout=_ANSWER_SECONDS) as http:
            began = self._clock.monotonic()
            for number, body in enumerate(bodies):
                due = began + number / _QUIET_RATE
                time.sleep(max(0.0, due - self._clock.monotonic()))
                answer = http.post(self._url, content=body)
                if answer.status_code != httpx2.codes.OK:
                    raise InvalidRequest(f"the quiet tenant was refused with {answer.status_code}: {answer.text}")
                latencies.append(self._clock.monotonic() - due)
        return latencies


def _headers(sender: Sender) -> dict[str, str]:
    return {"authorization": f"Bearer {sender.ingest_key}", "content-type": "application/x-protobuf"}


def _latencies(values: list[float]) -> Latencies:
    return Latencies(len(values), percentile(values, 0.5), percentile(values, 0.99))
