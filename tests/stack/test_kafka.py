"""Tests that the broker keeps acknowledged messages, creates no topic by itself, and requires a password."""

import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pydantic import SecretStr

from kit.kafka import kafka_connection
from kit.kafka_settings import OWN_KAFKA_USER
from kit.settings import Settings
from stack.broker.node import Broker, brokers
from stack.broker.prepare import command, prepare
from stack.health import kafka_health
from stack.runtime import CLASS_ARCHIVE
from tests.eventually import eventually
from tests.stack.controller_client import controller_answers, own_account
from tests.stack.small_stack import SmallStack, kill, small_stack

TOPIC = "kept"
MESSAGES = 1000


def settings_of(small: SmallStack) -> Settings:
    return Settings(home=small.home, port_offset=small.offset)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStack]:
    """Yields a broker whose folder has messages written under a release in which Kafka had no password."""
    stack = small_stack(tmp_path_factory.mktemp("kafka") / "home")
    _write_with_the_release_before(stack)
    done = stack.logsieve("up", "kafka")
    assert done.returncode == 0, done.stderr
    yield stack
    assert stack.logsieve("down").returncode == 0


def test_messages_of_the_release_before_and_acknowledged_ones_survive(small: SmallStack) -> None:
    assert read(settings_of(small), MESSAGES) == [str(number).encode() for number in range(MESSAGES)]
    write(settings_of(small))

    kill(small.service("kafka")["pid"])
    eventually(lambda: _restarted_and_ready(small.service("kafka")), "kafka is ready again", seconds=60)

    assert read(settings_of(small), 2 * MESSAGES) == 2 * [str(number).encode() for number in range(MESSAGES)]
    topics = AdminClient({**kafka_connection(settings_of(small))}).list_topics("never-made", timeout=10).topics
    assert topics["never-made"].error is not None


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_java_accepts_the_archive_of_its_classes(small: SmallStack) -> None:
    """Java ignores an archive that it cannot use, without a word."""
    assert str(CLASS_ARCHIVE) in Path(f"/proc/{small.service('kafka')['pid']}/maps").read_text()


@pytest.mark.parametrize("password", [None, "wrong"])
def test_only_the_password_opens_it(small: SmallStack, password: str | None) -> None:
    """Tests that clients without the password cannot list topics, write or read messages."""
    own = settings_of(small)
    assert kafka_health(own)() is None
    stranger = Settings(
        home=small.home,
        kafka_bootstrap=f"127.0.0.1:{own.port(own.kafka_port)}",
        kafka_security="PLAINTEXT" if password is None else "SASL_PLAINTEXT",
        kafka_password=SecretStr(str(password)),
    )
    config: dict[str, str | int | float | bool] = {**kafka_connection(stranger), "log_level": 0}

    with pytest.raises(KafkaException):
        AdminClient({**config}).list_topics(timeout=3)
    producer = Producer({**config, "message.timeout.ms": 1000})
    refused: list[object] = []
    producer.produce(TOPIC, "forged", on_delivery=lambda error, _: refused.append(error))
    assert producer.flush(20) == 0
    assert [error is None for error in refused] == [False]
    consumer = Consumer({**config, "group.id": "stranger"})
    try:
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        assert [message for message in consumer.consume(1, timeout=2) if message.error() is None] == []
    finally:
        consumer.close()


def test_the_controller_answers_only_the_broker_itself(small: SmallStack) -> None:
    own = settings_of(small)
    [broker] = brokers(own)
    user, password = own_account(broker)
    clients = (OWN_KAFKA_USER, own.kafka_secret)

    assert controller_answers(broker.controller_port, (user, password))
    for account in (None, (user, "wrong"), (user, own.kafka_secret), clients):
        assert not controller_answers(broker.controller_port, account), account


def write(settings: Settings) -> None:
    refused: list[object] = []
    producer = Producer({**kafka_connection(settings), "acks": "all"})
    for number in range(MESSAGES):
        producer.produce(TOPIC, str(number), on_delivery=lambda error, _: refused.append(error) if error else None)
    assert producer.flush(20) == 0
    assert refused == []


def read(settings: Settings, messages: int) -> list[object]:
    consumer = Consumer({**kafka_connection(settings), "group.id": secrets.token_hex()})
    try:
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        return [message.value() for message in consumer.consume(messages, timeout=20)]
    finally:
        consumer.close()


def _write_with_the_release_before(small: SmallStack) -> None:
    """Writes messages to a broker with the configuration of the releases in which Kafka had no password."""
    settings = settings_of(small)
    [own] = brokers(settings)
    prepare(settings, own)
    settings.kafka_secret_file.unlink()
    own.properties_file.write_text(_without_passwords(own))
    process = subprocess.Popen(command(own), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: kafka_health(settings)() is None, "the broker of the release before is up", seconds=60)
        admin = AdminClient({**kafka_connection(settings)})
        admin.create_topics([NewTopic(TOPIC, num_partitions=1, replication_factor=1)])[TOPIC].result(timeout=20)
        write(settings)
    finally:
        process.terminate()
        process.wait(60)


def _without_passwords(own: Broker) -> str:
    lines = own.properties_file.read_text().replace("SASL_PLAINTEXT", "PLAINTEXT").splitlines()
    return "\n".join(line for line in lines if "sasl" not in line)


def _restarted_and_ready(line: dict[str, Any]) -> bool:
    return int(line["restarts"]) >= 1 and str(line["state"]) == "ready"
