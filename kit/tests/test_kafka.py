"""Tests the configuration of a Kafka client for each security protocol."""

from pathlib import Path

import pytest
from confluent_kafka import Producer
from pydantic import ValidationError

from kit.kafka import kafka_connection
from kit.settings import Settings

BROKERS = {"kafka_bootstrap": "a:1,b:2"}
PASSWORD = {"kafka_user": "me", "kafka_password": "s3cret"}
OAUTH = {
    "kafka_sasl_mechanism": "OAUTHBEARER",
    "kafka_oauth_token_url": "https://id.example/token",
    "kafka_oauth_client_id": "logsieve",
    "kafka_oauth_client_secret": "s3cret",
}


def settings(home: Path, **values: object) -> Settings:
    return Settings.model_validate({"home": home, **BROKERS, **values})


def test_brokers_without_security_need_no_more_settings(tmp_path: Path) -> None:
    assert kafka_connection(settings(tmp_path)) == {"bootstrap.servers": "a:1,b:2", "security.protocol": "PLAINTEXT"}


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_password_is_sent_over_tls(tmp_path: Path, mechanism: str) -> None:
    configured = settings(
        tmp_path, kafka_security="SASL_SSL", kafka_sasl_mechanism=mechanism, kafka_ca_file="/etc/ca.pem", **PASSWORD
    )

    assert kafka_connection(configured) == {
        "bootstrap.servers": "a:1,b:2",
        "security.protocol": "SASL_SSL",
        "ssl.ca.location": "/etc/ca.pem",
        "sasl.mechanism": mechanism,
        "sasl.username": "me",
        "sasl.password": "s3cret",
    }


def test_a_client_certificate_is_configured(tmp_path: Path) -> None:
    files = {"kafka_certificate_file": "/etc/me.pem", "kafka_key_file": "/etc/me.key", "kafka_key_password": "k3y"}

    assert kafka_connection(settings(tmp_path, kafka_security="SSL", **files)) == {
        "bootstrap.servers": "a:1,b:2",
        "security.protocol": "SSL",
        "ssl.certificate.location": "/etc/me.pem",
        "ssl.key.location": "/etc/me.key",
        "ssl.key.password": "k3y",
    }


def test_librdkafka_takes_the_keys_of_every_mechanism(tmp_path: Path) -> None:
    for more in ({}, {"kafka_security": "SASL_SSL", **PASSWORD}, {"kafka_security": "SASL_SSL", **OAUTH}):
        Producer({**kafka_connection(settings(tmp_path, **more)), "log_level": 0})


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"kafka_security": "SASL_SSL"}, "PLAIN needs LOGSIEVE_KAFKA_PASSWORD"),
        ({"kafka_security": "SASL_SSL", **OAUTH, "kafka_oauth_token_url": None}, "LOGSIEVE_KAFKA_OAUTH_TOKEN_URL"),
        ({"kafka_security": "SSL", "kafka_key_file": "/etc/me.key"}, "belong together"),
        ({"kafka_security": "PLAINTEXT", "kafka_ca_file": "/etc/ca.pem"}, "set SSL or SASL_SSL"),
    ],
)
def test_what_is_incomplete_is_said_at_the_start(tmp_path: Path, values: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        settings(tmp_path, **values)


def test_a_secret_comes_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "logsieve_kafka_password").write_text("from-a-file\n")
    monkeypatch.setenv("LOGSIEVE_SECRETS_DIR", str(tmp_path))

    assert Settings(home=tmp_path, kafka_bootstrap="a:1", kafka_security="SASL_SSL").kafka_secret == "from-a-file"


@pytest.mark.parametrize(
    ("values", "codec"),
    [
        ({"kafka_bootstrap": None}, "none"),
        ({}, "lz4"),
        ({"kafka_bootstrap": None, "kafka_compression": "zstd"}, "zstd"),
        ({"kafka_compression": "none"}, "none"),
    ],
)
def test_messages_are_compressed_where_the_brokers_are_elsewhere(
    tmp_path: Path, values: dict[str, str], codec: str
) -> None:
    assert settings(tmp_path, **values).kafka_codec == codec
