"""Attacks by many requests: more than a tenant's rate, and with keys that do not exist."""

import dataclasses
import secrets
import threading
from collections.abc import Callable
from typing import Final

from kit.clock import SystemClock
from loadtest.corpus.records import SMALL, RecordSource
from loadtest.corpus.request import export_request
from loadtest.hostile.attack import Act, Address, Answers, Attacks, Effort, Target
from loadtest.hostile.posting import LOGS, Attacker, export_headers, repeat
from schema.control.keys import make_key
from schema.control.models import Purpose

ATTACKS: Final = Attacks()
_THREADS: Final = 4
_RECORDS: Final = 400
_HARDER: Final = 20
"""Factor by which a flood may send more requests than `Effort.requests`, because its requests are small."""
_SEARCH: Final = "/api/v1/logs/search?limit=1"


@ATTACKS.add(
    "a flood over the rate",
    "small requests as fast as they are answered, of a tenant that may send 100 KB a second",
    "200",
    "429",
)
def over_the_rate(target: Target, effort: Effort) -> Act:
    """Sends as fast as the receiver answers, and ignores Retry-After. The key is of the tenant with a low limit."""
    clock = SystemClock()
    body = export_request(RecordSource(SMALL, 1).take(_RECORDS, clock.now_ns()), pod=1)
    headers = export_headers(target.ingest_keys[-1])
    return _flood(target.otlp_http, effort, lambda attacker: attacker.post(LOGS, body, headers))


@ATTACKS.add("wrong ingest keys", "another one with each request", "401", "429")
def wrong_ingest_keys(target: Target, effort: Effort) -> Act:
    return _flood(
        target.otlp_http, effort, lambda attacker: attacker.post(LOGS, b"", export_headers(_guess(Purpose.ingest)))
    )


@ATTACKS.add("wrong query keys", "another one with each request", "401", "429")
def wrong_query_keys(target: Target, effort: Effort) -> Act:
    return _flood(
        target.api,
        effort,
        lambda attacker: attacker.get(_SEARCH, {"authorization": f"Bearer {_guess(Purpose.query)}"}),
    )


def _guess(purpose: Purpose) -> str:
    return make_key(purpose, secrets.token_bytes).text


def _flood(address: Address, effort: Effort, request: Callable[[Attacker], str]) -> Act:
    """Returns an attack that calls `request` from `_THREADS` threads. Each thread keeps its connection."""

    def act() -> Answers:
        own = threading.local()

        def send() -> str:
            attacker: Attacker | None = getattr(own, "attacker", None)
            if attacker is None:
                attacker = own.attacker = Attacker(address)
            return request(attacker)

        harder = dataclasses.replace(effort, requests=effort.requests * _HARDER)
        return repeat(harder, _THREADS, SystemClock(), send)

    return act
