"""Makes realistic rows of a log table, in batches, for studies that use ClickHouse alone.

A batch depends only on the corpus and the number of the batch. Several processes can therefore make batches, and a
batch can be made again after a crash. Tenants, services and severities differ much in their number of rows, as they do
on a cluster with many customers.
"""

import random
from dataclasses import dataclass
from typing import Any, Final

from loadtest.corpus.text import TextSource, shipped_texts
from schema.severity import Severity

BATCH_ROWS: Final = 5_000
DAY_NS: Final = 86_400 * 10**9
FIXED_DAY_NS: Final = 1_750_032_000 * 10**9
"""Start of 2025-06-16 UTC in nanoseconds since the Unix epoch, for studies whose rows must be the same in each run."""
_BODY_BYTES: Final = 4096
"""Length of each body in bytes."""

LARGEST: Final = 1
"""Number of the tenant with the most rows, which has a separate cohort."""
OWN_COHORT: Final = "t1"
SHARED_COHORT: Final = "r30"

_TENANT_SKEW: Final = 1.4
_SERVICES: Final = 24
_SEVERITIES: Final = (Severity.debug, Severity.info, Severity.warn, Severity.error, Severity.fatal)
_OFTEN: Final = (120, 800, 60, 19, 1)
_STATUS: Final = (("200", "204", "301", "404", "500"), (820, 60, 30, 70, 20))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Rows spread evenly over the 24 hours from `start_ns` (nanoseconds since the Unix epoch).

    Tenants are numbered from 1; tenant 1 has the most rows.
    """

    rows: int
    tenants: int
    seed: int
    start_ns: int

    @property
    def batches(self) -> int:
        return -(-self.rows // BATCH_ROWS)


def batch(corpus: Corpus, index: int) -> dict[str, list[Any]]:
    """Returns the values of each column, by column name, for the batch number `index` (from 0).

    Records are numbered through all batches.
    """
    texts = shipped_texts(corpus.seed)
    rng = random.Random(f"{corpus.seed}/{index}")
    first = index * BATCH_ROWS
    numbers = range(first, min(first + BATCH_ROWS, corpus.rows))
    count = len(numbers)
    tenants = [LARGEST + place for place in _zipf(rng, corpus.tenants, _TENANT_SKEW, count)]
    services = _zipf(rng, _SERVICES, 1.1, count)
    severities = rng.choices(_SEVERITIES, _OFTEN, k=count)
    step = DAY_NS // corpus.rows
    times = [corpus.start_ns + number * step + rng.randrange(step) for number in numbers]
    traced = [rng.random() < 0.5 for _ in numbers]
    return {
        "tenant_id": tenants,
        "cohort": [OWN_COHORT if tenant == LARGEST else SHARED_COHORT for tenant in tenants],
        "timestamp": times,
        "id": list(numbers),
        "observed_timestamp": times,
        "severity_number": [int(severity) for severity in severities],
        "severity_text": [severity.name.upper() for severity in severities],
        "service": [_service(place, texts) for place in services],
        "body": [texts[place % len(texts)][1].message(rng, _BODY_BYTES) for place in services],
        "body_truncated_bytes": [0] * count,
        "attributes": [_attributes(rng, number) for number in numbers],
        "attribute_types": ["iiss"] * count,
        "resource": [{"service.name": _service(place, texts), "host.name": f"node-{place % 7}"} for place in services],
        "resource_types": ["ss"] * count,
        "scope_name": [""] * count,
        "scope_version": [""] * count,
        "trace_id": [rng.randbytes(16) if each else bytes(16) for each in traced],
        "span_id": [rng.randbytes(8) if each else bytes(8) for each in traced],
        "flags": [0] * count,
        "event_name": [""] * count,
    }


def _attributes(rng: random.Random, number: int) -> dict[str, str]:
    return {
        "record.number": str(number),
        "http.response.status_code": rng.choices(*_STATUS)[0],
        "user.id": f"u{int(rng.expovariate(1 / 5_000))}",
        "request.id": f"{rng.getrandbits(64):016x}",
    }


def _service(place: int, texts: tuple[tuple[str, TextSource], ...]) -> str:
    return f"{texts[place % len(texts)][0].lower()}-{place // len(texts)}"


def _zipf(rng: random.Random, count: int, skew: float, draws: int) -> list[int]:
    return rng.choices(range(count), [1 / rank**skew for rank in range(1, count + 1)], k=draws)
