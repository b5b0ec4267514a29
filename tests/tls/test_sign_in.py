"""Tests all ways in which Logsieve's settings allow to sign in to a real Kafka broker."""

from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kit.kafka import kafka_connection
from kit.settings import Settings
from stack.health import kafka_health
from tests.eventually import eventually
from tests.tls.conftest import Stores

TOPIC: Final = "signed-in"
WAYS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "a client certificate")
SECONDS: Final = 60


def settings(way: str, stores: Stores, home: Path, **more: object) -> Settings:
    values: dict[str, Any] = {"home": home, "kafka_ca_file": stores.authority_file}
    if way == "a client certificate":
        files = {"kafka_certificate_file": stores.client.chain, "kafka_key_file": stores.client.key}
        values |= {"kafka_bootstrap": stores.kafka.mutual, "kafka_security": "SSL", **files}
    else:
        password = {"kafka_sasl_mechanism": way, "kafka_password": stores.kafka.password}
        values |= {"kafka_bootstrap": stores.kafka.sasl, "kafka_security": "SASL_SSL", **password}
    return Settings.model_validate(values | more)


@pytest.mark.parametrize("way", WAYS)
def test_a_message_goes_in_and_comes_out(way: str, stores: Stores, tmp_path: Path) -> None:
    config = kafka_connection(settings(way, stores, tmp_path))
    topic = f"{TOPIC}-{WAYS.index(way)}"
    admin = AdminClient({**config})
    admin.create_topics([NewTopic(topic, num_partitions=1, replication_factor=1)])[topic].result(timeout=SECONDS)
    producer = Producer({**config, "acks": "all"})
    producer.produce(topic, way)
    assert producer.flush(SECONDS) == 0
    consumer = Consumer({**config, "group.id": "signed-in"})
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert [message.value() for message in consumer.consume(1, timeout=SECONDS)] == [way.encode()]
    finally:
        consumer.close()


@pytest.mark.parametrize(
    ("way", "mistake", "setting"),
    [
        ("SCRAM-SHA-512", {"kafka_password": "wrong"}, "LOGSIEVE_KAFKA_PASSWORD"),
        (
            "a client certificate",
            {"kafka_certificate_file": None, "kafka_key_file": None},
            "LOGSIEVE_KAFKA_CERTIFICATE_FILE",
        ),
    ],
)
def test_a_refusal_names_the_setting(
    way: str, mistake: dict[str, object], setting: str, stores: Stores, tmp_path: Path
) -> None:
    check = kafka_health(settings(way, stores, tmp_path, **mistake))

    eventually(lambda: setting in str(check()), f"the check names {setting}")


def test_a_listener_without_tls_is_reported(stores: Stores, tmp_path: Path) -> None:
    """Tests that the health check names the wrong setting if the broker's port has no TLS."""
    plain = settings("a client certificate", stores, tmp_path, kafka_bootstrap=stores.kafka.plain)

    eventually(lambda: "LOGSIEVE_KAFKA_SECURITY" in str(kafka_health(plain)()), "the check names the protocol")
