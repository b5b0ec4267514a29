"""Tests with which settings topics are created, that existing topics keep those of their operators, and which client
reads the topic's id."""

import asyncio
import gc
import weakref
from concurrent.futures import Future
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicCollection, Uuid
from confluent_kafka.admin._metadata import ClusterMetadata, PartitionMetadata, TopicMetadata
from confluent_kafka.cimpl import NewTopic

from kit.errors import Unavailable
from kit.kafka_refusal import KafkaRefusal
from kit.ops import Notice, Probe
from kit.settings import Settings
from schema import topic
from schema.topic import DEAD_RETENTION_BYTES, TopicIdReader, ensure_topics, topic_probe

SETTINGS = Settings()


class Broker:
    """A broker with these topics. It can only create topics, so that a call which changes one fails."""

    def __init__(self, existing: frozenset[str] = frozenset()) -> None:
        self._existing = existing
        self.created: dict[str, dict[str, str]] = {}

    def create_topics(self, topics: list[NewTopic], **_: float) -> dict[str, Future[None]]:
        return {each.topic: self._create(each) for each in topics}

    def _create(self, wanted: NewTopic) -> Future[None]:
        result = Future[None]()
        if wanted.topic in self._existing:
            result.set_exception(KafkaException(KafkaError(KafkaError.TOPIC_ALREADY_EXISTS)))
        else:
            self.created[wanted.topic] = wanted.config or {}
            result.set_result(None)
        return result


def ensured(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    monkeypatch.setattr(topic, "admin", lambda *_: broker)
    ensure_topics(SETTINGS)
    return broker.created


def test_dead_letters_have_a_bound_and_logs_have_that_of_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    created = ensured(Broker(), monkeypatch)
    assert created[SETTINGS.kafka_dead_topic]["retention.bytes"] == str(DEAD_RETENTION_BYTES)
    assert DEAD_RETENTION_BYTES > 0
    assert "retention.bytes" not in created[SETTINGS.kafka_topic]


def test_an_existing_topic_of_dead_letters_stays_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(ensured(Broker(frozenset({SETTINGS.kafka_dead_topic})), monkeypatch)) == {SETTINGS.kafka_topic}


@pytest.mark.parametrize("code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.INVALID_REPLICATION_FACTOR])
def test_a_topic_that_the_broker_refuses_to_create_is_no_bug(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(Broker):
        def _create(self, wanted: NewTopic) -> Future[None]:  # noqa: ARG002 the signature is the broker's
            result = Future[None]()
            result.set_exception(KafkaException(KafkaError(code, "refused")))
            return result

        def poll(self, _seconds: float) -> None:
            """Returns immediately, because no connection was refused."""

    with pytest.raises(Unavailable, match=r"cannot create the topic: refused: give Kafka's user the right .* yourself"):
        ensured(Refusing(), monkeypatch)


class Listing:
    """An admin client that knows one topic, with these leaders of its partitions."""

    def __init__(self, *leaders: int) -> None:
        found = TopicMetadata()
        for number, leader in enumerate(leaders):
            found.partitions[number] = PartitionMetadata()
            found.partitions[number].leader = leader
        self._topic = found

    def list_topics(self, topic: str, timeout: float) -> ClusterMetadata:  # noqa: ARG002 the signature is the client's
        cluster = ClusterMetadata()
        cluster.topics[topic] = self._topic
        return cluster


@pytest.mark.parametrize(
    ("leaders", "notice"), [((1, 2, 1), None), ((-1, 2, -1), Notice("partitions without a leader: 0, 2"))]
)
def test_partitions_without_a_leader_are_named_and_fail_no_check(
    monkeypatch: pytest.MonkeyPatch, leaders: tuple[int, ...], notice: Notice | None
) -> None:
    monkeypatch.setattr(topic, "admin", lambda *_: Listing(*leaders))
    found = asyncio.run(_result(topic_probe(SETTINGS)))
    assert (type(found), found) == (type(notice), notice)


async def _result(probe: Probe) -> str | None:
    return await probe()


@dataclass(frozen=True)
class Described:
    topic_id: Uuid
    partitions: tuple[SimpleNamespace, ...] = (SimpleNamespace(id=1), SimpleNamespace(id=0))


class Describing:
    """An admin client whose first `failures` descriptions fail."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.waited: list[float] = []

    def describe_topics(self, _: TopicCollection, request_timeout: float) -> dict[str, Future[Described]]:
        self.waited.append(request_timeout)
        result = Future[Described]()
        if self.failures:
            self.failures -= 1
            result.set_exception(KafkaException(KafkaError(KafkaError._TIMED_OUT)))
        else:
            result.set_result(Described(Uuid(1, 2)))
        return {SETTINGS.kafka_topic: result}

    def poll(self, _: float) -> None: ...


def test_reads_of_the_topic_id_use_one_client_until_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    clients = [Describing(failures=0), Describing(failures=0)]
    made = iter(clients)
    monkeypatch.setattr(topic, "admin", lambda *_: next(made))
    reader = TopicIdReader(SETTINGS, seconds=3.0)
    assert reader.read() == reader.read()
    assert reader.describe() == (reader.read(), [0, 1])
    clients[0].failures = 1
    with pytest.raises(Unavailable, match="cannot describe"):
        reader.read()
    reader.read()
    assert [each.waited for each in clients] == [[3.0] * 5, [3.0]]


def test_a_failure_leaves_the_client_that_another_thread_has_made(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, newer = TopicIdReader(SETTINGS), Describing(failures=0)

    class Failing(Describing):
        def describe_topics(self, topics: TopicCollection, request_timeout: float) -> dict[str, Future[Described]]:
            reader._kept = newer, KafkaRefusal()  # type: ignore[assignment]  # a fake client
            return super().describe_topics(topics, request_timeout)

    monkeypatch.setattr(topic, "admin", lambda *_: Failing(failures=1))
    with pytest.raises(Unavailable):
        reader.read()
    reader.read()
    assert len(newer.waited) == 1


def test_a_failure_ends_its_client_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client has threads and sockets, which a long outage of Kafka would pile up until Python collects cycles."""
    clients: list[weakref.ref[Describing]] = []

    def make(*_: object) -> Describing:
        made = Describing(failures=1)
        clients.append(weakref.ref(made))
        return made

    monkeypatch.setattr(topic, "admin", make)
    reader = TopicIdReader(SETTINGS)
    gc.disable()
    try:
        with pytest.raises(Unavailable):
            reader.read()
        assert [each() for each in clients] == [None]
    finally:
        gc.enable()
