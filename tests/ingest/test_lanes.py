"""Tests of the loader with a lane whose table refuses inserts, with a topic that is created again, and odd content."""

import time

from confluent_kafka.cimpl import NewTopic
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from kit.clickhouse import connect
from schema.envelope import Envelope
from schema.topic import admin, topic_config
from tests.eventually import eventually
from tests.ingest.pipeline import Pipeline

HUGE = 2**64 - 1


def command(pipeline: Pipeline, statement: str) -> None:
    with connect(pipeline.settings) as client:
        client.command(statement)


def test_a_refused_lane_holds_up_only_what_has_its_rows(pipeline: Pipeline) -> None:
    refused = 4 % pipeline.settings.lanes
    command(pipeline, f"ALTER TABLE logs_{refused} ADD CONSTRAINT no CHECK 0")
    pipeline.send(messages=4, partition=0)
    loader = pipeline.start_loader()
    pipeline.wait(lambda: pipeline.stored().total() == 15, "the lanes that are not refused are in")
    pipeline.send(messages=3, partition=1)
    pipeline.wait(lambda: pipeline.stored().total() == 30, "another partition goes on")
    assert pipeline.stored()[4] == 0
    command(pipeline, f"ALTER TABLE logs_{refused} DROP CONSTRAINT no")
    pipeline.check_exactly_once()
    assert loader.poll() is None
    assert "refused the statement with code 469" in pipeline.log_file(0).read_text()


def test_lanes_that_are_in_are_not_repeated_after_a_crash(pipeline: Pipeline) -> None:
    refused = 4 % pipeline.settings.lanes
    command(pipeline, f"RENAME TABLE logs_{refused} TO renamed")
    pipeline.send(messages=4, partition=0)
    first = pipeline.start_loader()
    others = sum(1 << lane for lane in range(pipeline.settings.lanes) if lane != refused)
    pipeline.wait(lambda: pipeline.intended(0).endswith(f"/{others:x}"), "what the other lanes took is written down")
    first.kill()
    first.wait(10)
    # ClickHouse must forget the inserts of the other lanes before the range is repeated.
    for lane in range(pipeline.settings.lanes):
        if lane != refused:
            command(pipeline, f"ALTER TABLE logs_{lane} MODIFY SETTING non_replicated_deduplication_window = 0")
    command(pipeline, f"RENAME TABLE renamed TO logs_{refused}")
    pipeline.start_loader()
    pipeline.check_exactly_once()
    assert '"inserted":[1,2,3]' in pipeline.log_file(1).read_text()


def make_topic_anew(pipeline: Pipeline) -> None:
    settings = pipeline.settings
    client = admin(settings)
    client.delete_topics([settings.kafka_topic])[settings.kafka_topic].result()
    eventually(lambda: settings.kafka_topic not in client.list_topics(timeout=10).topics, "the topic is gone")
    again = NewTopic(settings.kafka_topic, num_partitions=settings.kafka_partitions, config=topic_config())
    client.create_topics([again])[settings.kafka_topic].result()

    def has_leaders() -> bool:
        partitions = client.list_topics(settings.kafka_topic, timeout=10).topics[settings.kafka_topic].partitions
        return len(partitions) == settings.kafka_partitions and all(each.leader >= 0 for each in partitions.values())

    eventually(has_leaders, "each partition has a leader")


def test_a_topic_that_is_made_anew_is_loaded_from_its_beginning(pipeline: Pipeline) -> None:
    pipeline.send(messages=40)
    loader = pipeline.start_loader()
    pipeline.check_exactly_once()
    loader.terminate()
    assert loader.wait(20) == 0
    make_topic_anew(pipeline)
    # There are more messages than before, so that an old committed offset would be valid in the new topic.
    pipeline.send(messages=80)
    pipeline.start_loader()
    pipeline.check_exactly_once()


def test_a_loader_whose_topic_is_made_anew_ends_and_the_next_starts_anew(pipeline: Pipeline) -> None:
    # The old loader's offsets are beyond the end of each partition of the new topic.
    for partition in range(pipeline.settings.kafka_partitions):
        pipeline.send(messages=20, partition=partition)
    loader = pipeline.start_loader()
    pipeline.check_exactly_once()
    make_topic_anew(pipeline)
    pipeline.send(messages=8)
    assert loader.wait(60) == 1
    logged = pipeline.log_file(0).read_text()
    assert "went back from offset" in logged or "created again" in logged
    pipeline.start_loader()
    pipeline.check_exactly_once()


def test_a_loader_stores_nothing_of_a_new_topic_in_which_its_offsets_exist(pipeline: Pipeline) -> None:
    pipeline.send(messages=20, partition=0)
    loader = pipeline.start_loader()
    pipeline.check_exactly_once()
    stored = pipeline.stored().total()
    make_topic_anew(pipeline)
    # The old loader waits for offset 0 of this partition, and Kafka's client continues there in the new topic.
    pipeline.send(messages=8, partition=1)
    assert loader.wait(60) == 1
    assert pipeline.stored().total() == stored
    pipeline.start_loader()
    pipeline.check_exactly_once()


def test_clickhouse_refuses_nothing_that_decodes(pipeline: Pipeline) -> None:
    deep = AnyValue(int_value=-(2**63))
    for _ in range(30):
        deep = AnyValue(array_value=ArrayValue(values=[deep]))
    values = [
        AnyValue(),
        AnyValue(string_value="\0" * 3 + "\U0010ffff\ud7ff"),
        AnyValue(double_value=float("nan")),
        AnyValue(bytes_value=bytes(range(256))),
        AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key="", value=AnyValue()), KeyValue(key="")])),
        deep,
    ]
    records = [
        LogRecord(
            time_unix_nano=time_ns,
            observed_time_unix_nano=time_ns,
            severity_number=severity,  # type: ignore[arg-type]  # the wire format permits any number
            severity_text="\0'\\\n" * 50,
            body=value,
            attributes=[KeyValue(key="k" * 7_000, value=value), KeyValue(key="\0", value=value), KeyValue()],
            trace_id=b"short",
            span_id=bytes(9),
            flags=2**32 - 1,
            event_name="e" * 10_000,
        )
        for value in values
        for time_ns, severity in ((1, -1), (HUGE, 2**31 - 1), (2**63, 0))
    ]
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    envelope = Envelope(2**32 - 1, 0, "Ü" * 500, 2**32 - 1, time.time_ns())
    pipeline.send_raw(request.SerializeToString(), envelope.headers(), partition=0)
    pipeline.flush()
    loader = pipeline.start_loader()
    pipeline.wait(lambda: pipeline.stored()[2**32 - 1] == len(records), "all rows are stored")
    assert loader.poll() is None
