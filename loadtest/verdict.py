"""Compares sent with stored records at the end of a load test, and finds the places of wrong records in Kafka."""

from collections.abc import Mapping, Set
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.settings import Settings
from loadtest.comparison import Sent, compare
from loadtest.log_store import LogStore
from loadtest.report.correctness import Correctness, Example
from loadtest.topic import find_in_topic

EXAMPLES: Final = 5
"""Largest number of wrong records of each kind whose places are looked up."""


def judge(
    sent: Mapping[int, Sent],
    settings: Settings,
    clock: Clock,
    besides: Set[int] = frozenset(),
    between: tuple[int, int] | None = None,
) -> Correctness:
    """Compares the sent records with all stored rows, except those of tenants `besides`.

    With `between`, only rows from its first to before its second timestamp in nanoseconds are compared. All
    messages must be loaded before the call, because a record that is not stored counts as lost.
    """
    with connect_shards(settings) as shards:
        store = LogStore(shards, settings, clock)
        difference = compare(sent, store.numbers(besides, between))
        kinds = {"lost": difference.lost, "doubled": difference.doubled, "foreign": difference.foreign}
        wanted = {record for records in kinds.values() for record in records[:EXAMPLES]}
        topic = find_in_topic(settings, wanted) if wanted else {}
        examples = {
            kind: tuple(
                Example(
                    record=record,
                    in_topic=tuple(topic.get(record, ())),
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
