"""Runs loader processes for one test, with a topic, a consumer group and a database that no other test uses."""

import os
import secrets
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clickhouse_connect.driver.client import Client
from confluent_kafka import Consumer, Producer, TopicPartition

from kit.clickhouse import connect
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.clickhouse.fields_rollup import fields_table
from schema.clickhouse.tables import table_name
from schema.envelope import Envelope
from schema.kafka_message import Headers
from schema.migrate import migrate
from schema.topic import admin
from stack.ports import release_offset
from tests.control_database import write_tables
from tests.forked_module import ForkedModule
from tests.ingest.requests import request_of
from tests.running_stack import Stack, free_offset

WAIT_SECONDS = 90.0
REAL_LOADER = ("stack", "loader")
TENANTS = 6
DAY_NS = 86_400 * 10**9
COUNTED_EVENT = "sent"
"""Event name of sent records. It is their only field, so counts of fields show how many records were counted."""


@dataclass(slots=True)
class Pipeline:
    """A topic, a group and a database with their loaders. `sent` counts the sent records by tenant."""

    settings: Settings
    environment: dict[str, str]
    logs: Path
    sent: Counter[int] = field(default_factory=Counter)
    _loaders: list[ForkedModule] = field(default_factory=list)
    _offsets: list[int] = field(default_factory=list)
    _producer: Producer | None = None
    _client: Client | None = None

    def start_loader(self, *module: str, **environment: str) -> ForkedModule:
        """Starts a loader process with its own operations port, and therefore its own group instance.

        If all earlier loaders have ended, it gets the port of the last one, like a loader that a supervisor restarts.
        Kafka then assigns the partitions to it at once, and not after the session timeout.
        """
        if not self._offsets or any(loader.poll() is None for loader in self._loaders):
            self._offsets.append(free_offset())
        own = {"LOGSIEVE_PORT_OFFSET": str(self._offsets[-1])}
        log = self.log_file(len(self._loaders))
        loader = ForkedModule(module or REAL_LOADER, self.environment | own | environment, log)
        self._loaders.append(loader)
        return loader

    def log_file(self, number: int) -> Path:
        return self.logs / f"loader-{number}.log"

    def send(self, messages: int, records: int = 5, partition: int | None = None) -> None:
        """Sends messages of TENANTS tenants, over all lanes and three days, and waits for Kafka's acknowledgement.

        Each message has `records` records with unique bodies.
        """
        now = time.time_ns()
        for number in range(messages):
            tenant = 1 + number % TENANTS
            request = request_of(*[now - (number % 3) * DAY_NS] * records)
            for record in request.resource_logs[0].scope_logs[0].log_records:
                record.event_name = COUNTED_EVENT
            envelope = Envelope(tenant, tenant % self.settings.lanes, "r30", 4096, now)
            self.send_raw(request.SerializeToString(), envelope.headers(), partition)
            self.sent[tenant] += records
        self.flush()

    def send_raw(
        self,
        value: bytes | None,
        headers: Headers,
        partition: int | None = None,
        key: bytes | None = None,
    ) -> None:
        """Sends a message with the given bytes and headers. `flush` waits for the acknowledgement."""
        if self._producer is None:
            self._producer = Producer({**kafka_connection(self.settings), "acks": "all"})
        where = -1 if partition is None else partition
        self._producer.produce(self.settings.kafka_topic, value, key=key, headers=headers, partition=where)
        self._producer.poll(0)

    def abort_transaction(self, partition: int) -> None:
        """Sends a message in a transaction, and aborts it. Neither the message nor the marker after it is delivered."""
        place = TopicPartition(self.settings.kafka_topic, partition)
        with self._group() as consumer:
            _, before = consumer.get_watermark_offsets(place, timeout=30)
            producer = Producer({**kafka_connection(self.settings), "transactional.id": place.topic})
            producer.init_transactions(WAIT_SECONDS)
            producer.begin_transaction()
            producer.produce(place.topic, b"aborted", partition=partition)
            assert producer.flush(30) == 0
            producer.abort_transaction(WAIT_SECONDS)
            # The broker writes the marker later.
            self.wait(lambda: consumer.get_watermark_offsets(place, timeout=30)[1] == before + 2, "the marker is there")

    def flush(self) -> None:
        assert self._producer is not None
        assert self._producer.flush(30) == 0

    def stored(self) -> Counter[int]:
        """Returns the number of rows in all lanes, by tenant."""
        rows = self.query(f"SELECT tenant_id, count() FROM ({self._every_lane()}) GROUP BY tenant_id")
        return Counter(dict(rows))

    def query(self, sql: str) -> list[tuple[int, int]]:
        """Runs a query whose rows have two numbers. Only for the test's own thread: queries share a connection."""
        if self._client is None:
            self._client = connect(self.settings)
        return [(row[0], row[1]) for row in self._client.query(sql).result_rows]

    def wait_until_stored(self, share: float = 1.0) -> None:
        """Waits until `share` (0 to 1) of the sent records is stored."""
        self.wait(lambda: self.stored().total() >= share * self.sent.total(), "the records are stored")

    def check_exactly_once(self) -> None:
        """Checks that rows, usage and counts of fields have each sent record exactly once. Waits for them first."""
        self.check_rows_exactly_once()
        self.wait(lambda: self._counted_usage() == self.sent, "the usage is counted")
        assert self._counted_fields() == dict.fromkeys(("field", "value"), self.sent)

    def check_rows_exactly_once(self) -> None:
        """Checks that each sent record is stored exactly once.

        Waits until the group has committed all messages. It commits a message when its rows are stored, so a repeated
        insert has ended then as well.
        """
        self.wait_until_stored()
        self.wait(self._is_everything_committed, "all messages are committed")
        assert self.stored() == self.sent
        every = self._every_lane()
        [(ids, bodies)] = self.query(f"SELECT uniqExact(id), uniqExact(body) FROM ({every})")
        assert (ids, bodies) == (self.sent.total(), self.sent.total())

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Waits for the condition. Fails the test with the loaders' last log lines if it does not hold in time."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < deadline, f"not in {WAIT_SECONDS} s: {what}\n{self.last_lines()}"
            time.sleep(0.1)

    def committed(self, partition: int) -> int:
        """Returns the group's committed offset of a partition. It is negative if there is none."""
        return self._position(partition).offset

    def intended(self, partition: int) -> str:
        """Returns the metadata of the group's committed offset, in which the loader writes its intent."""
        return (self._position(partition).metadata or "").rstrip("\0")

    def _position(self, partition: int) -> TopicPartition:
        with self._group() as consumer:
            [position] = consumer.committed([TopicPartition(self.settings.kafka_topic, partition)], timeout=30)
            return position

    def _is_everything_committed(self) -> bool:
        topic, partitions = self.settings.kafka_topic, range(self.settings.kafka_partitions)
        with self._group() as consumer:
            positions = consumer.committed([TopicPartition(topic, number) for number in partitions], timeout=30)
            # The offset is negative in a partition that never had a message.
            return all(max(each.offset, 0) == consumer.get_watermark_offsets(each, timeout=30)[1] for each in positions)

    @contextmanager
    def _group(self) -> Iterator[Consumer]:
        """Yields a client that reads the group's offsets and is no member of it."""
        consumer = Consumer({**kafka_connection(self.settings), "group.id": self.settings.consumer_group})
        try:
            yield consumer
        finally:
            consumer.close()

    def last_lines(self) -> str:
        """Returns the end of each loader's log, for the message of a failed test."""
        ends = [self.log_file(number).read_text()[-1500:] for number in range(len(self._loaders))]
        return f"sent {dict(self.sent)}, stored {dict(self.stored())}\n" + "\n---\n".join(ends)

    def close(self) -> None:
        """Kills the loaders that still run, and releases their ports."""
        for loader in self._loaders:
            if loader.poll() is None:
                loader.send_signal(signal.SIGCONT)
                loader.kill()
                loader.wait(10)
        while self._offsets:
            release_offset(self._offsets.pop())
        if self._client is not None:
            self._client.close()

    def _every_lane(self) -> str:
        lanes = (f"SELECT tenant_id, id, body FROM {table_name(lane)}" for lane in range(self.settings.lanes))
        return " UNION ALL ".join(lanes)

    def _counted_fields(self) -> dict[str, Counter[int]]:
        lanes = (f"SELECT tenant_id, kind, records FROM {fields_table(lane)}" for lane in range(self.settings.lanes))
        sql = (
            f"SELECT tenant_id, sum(records) FROM ({' UNION ALL '.join(lanes)}) WHERE kind = '{{}}' GROUP BY tenant_id"
        )
        return {kind: Counter(dict(self.query(sql.format(kind)))) for kind in ("field", "value")}

    def _counted_usage(self) -> Counter[int]:
        rows = self.query("SELECT tenant_id, sum(records) FROM usage WHERE outcome = 'accepted' GROUP BY tenant_id")
        return Counter(dict(rows))


@contextmanager
def new_pipeline(stack: Stack, folder: Path, **settings: str) -> Iterator[Pipeline]:
    """Yields a pipeline with migrated tables and no loader, and removes its topics and database after the block.

    `settings` are LOGSIEVE_ variables without the prefix.
    """
    name, control = f"test-{secrets.token_hex(4)}", folder / "control.db"
    environment = {
        "LOGSIEVE_HOME": str(stack.home),
        "LOGSIEVE_CLICKHOUSE_URL": stack.settings.clickhouse_http_url,
        "LOGSIEVE_CLICKHOUSE_DATABASE": name.replace("-", "_"),
        **stack.broker_variables(),
        "LOGSIEVE_KAFKA_TOPIC": name,
        "LOGSIEVE_KAFKA_DEAD_TOPIC": f"{name}-dead",
        "LOGSIEVE_LOADER_GROUP": name,
        "LOGSIEVE_CONTROL_URL": f"sqlite+aiosqlite:///{control}",
    } | {f"LOGSIEVE_{key}": value for key, value in settings.items()}
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LOGSIEVE_")}
    own = Settings.model_validate({key.removeprefix("LOGSIEVE_").lower(): value for key, value in environment.items()})
    write_tables(control)
    migrate(own, lambda _step: None)
    pipeline = Pipeline(own, clean | environment, folder)
    try:
        yield pipeline
    finally:
        pipeline.close()
        client = admin(own)
        for deleted in client.delete_topics([own.kafka_topic, own.kafka_dead_topic]).values():
            deleted.result()
        with connect(own, database="default") as connection:
            connection.command(f"DROP DATABASE `{own.clickhouse_database}` SYNC")
