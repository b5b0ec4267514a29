"""Tests that errors of client libraries, with texts of real servers, become sentences that name a setting."""

import pytest
from confluent_kafka import KafkaError

from kit.clickhouse import translate
from kit.kafka_refusal import KafkaRefusal, refusal
from kit.refused_connection import CLICKHOUSE, certificate_refusal

UNTRUSTED = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)"
MISNAMED = (
    "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: Hostname mismatch, certificate is not valid for"
    " 'ch.example'. (_ssl.c:1006)"
)
NOT_TLS = "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)"
WANTED = "[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED] tlsv13 alert certificate required (_ssl.c:2580)"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (UNTRUSTED, "not trusted (self-signed certificate): set LOGSIEVE_CLICKHOUSE_CA_FILE to a PEM file"),
        (MISNAMED, "not valid for 'ch.example'): use a name from the certificate in LOGSIEVE_CLICKHOUSE_URL"),
        (NOT_TLS, "does not speak TLS on this port: correct the port or the scheme in LOGSIEVE_CLICKHOUSE_URL"),
        (WANTED, "set LOGSIEVE_CLICKHOUSE_CERTIFICATE_FILE and LOGSIEVE_CLICKHOUSE_KEY_FILE"),
    ],
)
def test_a_certificate_that_is_refused_names_the_setting(text: str, sentence: str) -> None:
    error = RuntimeError("of a client library")
    error.__cause__ = OSError(1, text)

    assert sentence in str(certificate_refusal(error, CLICKHOUSE))
    assert sentence in translate(error).detail


def test_other_errors_are_not_about_certificates() -> None:
    error = OSError(111, "Connection refused")
    error.__context__ = error

    assert certificate_refusal(error, CLICKHOUSE) is None
    assert translate(error).detail == "ClickHouse cannot be reached"


@pytest.mark.parametrize(
    ("code", "text", "setting"),
    [
        (KafkaError._SSL, "sasl_ssl://k:1/bootstrap: SSL handshake failed: certificate verify failed", "_CA_FILE"),
        (KafkaError._AUTHENTICATION, "sasl_ssl://k:1/bootstrap: SASL authentication error", "_KAFKA_PASSWORD"),
        (KafkaError._TRANSPORT, "ssl://k:1/1: Receive failed: ssl/tls alert bad certificate", "_CERTIFICATE_FILE"),
        (KafkaError._TRANSPORT, "ssl://k:1/1: connecting to a PLAINTEXT broker listener?", "_KAFKA_SECURITY"),
    ],
)
def test_a_broker_that_refuses_names_the_setting(code: int, text: str, setting: str) -> None:
    sentence = refusal(KafkaError(code, text))

    assert setting in str(sentence)
    assert "the broker k:1" in str(sentence)


def test_the_reason_stays_until_brokers_answer() -> None:
    """Tests that the error "all brokers are down", which follows the reason, does not replace the reason."""
    refusal = KafkaRefusal()

    class Client:
        def poll(self, _seconds: float) -> None:
            refusal(KafkaError(KafkaError._AUTHENTICATION, "wrong"))
            refusal(KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))

    assert "LOGSIEVE_KAFKA_PASSWORD" in str(refusal.reason(Client()))
    refusal.clear()
    assert refusal.reason(type("Silent", (), {"poll": lambda *_: None})()) is None
