"""The end of a load test: which records are lost or doubled, and where to look for the reason."""

from collections.abc import Mapping, Set
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.settings import Settings
from loadtest.comparison import compare
from loadtest.log_store import LogStore
from loadtest.report.correctness import Correctness, Example
from loadtest.sent import Sent
from loadtest.topic import find_in_topic

EXAMPLES: Final = 5
"""Largest number of wrong records of each kind that are looked up."""


def judge(sent: Mapping[int, Sent], settings: Settings, clock: Clock, besides: Set[int] = frozenset()) -> Correctness:
    """Compares what was sent with what is stored now: everything must be loaded already.

    Tenants `besides` are not looked at.
    """
    with connect_shards(settings) as shards:
        store = LogStore(shards, settings, clock)
        difference = compare(sent, store.numbers(besides))
        kinds = {"lost": difference.lost, "doubled": difference.doubled, "foreign": difference.foreign}
        wanted = {record.number for records in kinds.values() for record in records[:EXAMPLES]}
        topic = find_in_topic(settings, wanted) if wanted else {}
        examples = {
            kind: tuple(
                Example(
                    record=record,
                    in_topic=tuple(topic.get(record.number, ())),
                    in_store=tuple(store.coordinates(record.tenant_id, record.number)),
                )
                for record in records[:EXAMPLES]
            )
            for kind, records in kinds.items()
        }
    return Correctness(
        lost=len(difference.lost),
        doubled=len(difference.doubled),
        foreign=len(difference.foreign),
        uncertain_stored=difference.uncertain_stored,
        examples=examples,
    )
