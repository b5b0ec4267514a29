"""The end of a load test: what is lost or doubled, and where to look for the reason."""

from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.settings import Settings
from loadtest.comparison import Difference, Numbered, compare
from loadtest.log_store import KafkaRecord, LogStore
from loadtest.sent import Sent
from loadtest.topic import find_in_topic

EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A record that is wrong, with its places in Kafka and the Kafka places its stored rows were made from.

    Lost and not in the topic: it never reached Kafka. Lost and in the topic: the loader lost it. Doubled from one
    place: the same range was inserted twice. Doubled from two places: it was written to Kafka twice.
    """

    record: Numbered
    in_topic: tuple[KafkaRecord, ...]
    in_store: tuple[KafkaRecord, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The difference, and its first few records looked up."""

    difference: Difference
    lost: tuple[Example, ...]
    doubled: tuple[Example, ...]
    foreign: tuple[Example, ...]


def judge(sent: Mapping[int, Sent], settings: Settings, clock: Clock, besides: Set[int] = frozenset()) -> Verdict:
    """Compares now: everything must be loaded already. Tenants `besides` are not looked at."""
    with connect_shards(settings) as shards:
        store = LogStore(shards, settings, clock)
        difference = compare(sent, store.numbers(besides))
        kinds = [kind[:EXAMPLES] for kind in (difference.lost, difference.doubled, difference.foreign)]
        wanted = {record.number for kind in kinds for record in kind}
        topic = find_in_topic(settings, wanted) if wanted else {}
        lost, doubled, foreign = (
            tuple(
                Example(
                    record,
                    tuple(topic.get(record.number, ())),
                    tuple(store.coordinates(record.tenant_id, record.number)),
                )
                for record in kind
            )
            for kind in kinds
        )
    return Verdict(difference, lost, doubled, foreign)


def plain(verdict: Verdict) -> dict[str, object]:
    """For JSON: how many records are wrong, and the examples."""
    difference = verdict.difference
    examples = {"lost": verdict.lost, "doubled": verdict.doubled, "foreign": verdict.foreign}
    return {
        "uncertain_stored": difference.uncertain_stored,
        "lost": len(difference.lost),
        "doubled": len(difference.doubled),
        "foreign": len(difference.foreign),
        "examples": {name: [asdict(example) for example in kind] for name, kind in examples.items()},
    }
