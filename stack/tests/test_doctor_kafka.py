"""Tests the doctor's finding about settings with which no client of Kafka can be made."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.topic import admin
from stack.doctor.finding import Level
from stack.doctor.kafka import kafka_findings


def test_a_certificate_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    settings = Settings(kafka_bootstrap="127.0.0.1:1", kafka_security="SSL", kafka_ca_file=tmp_path / "none")

    (finding,) = kafka_findings(settings)

    assert finding.level is Level.fail
    assert "LOGSIEVE_KAFKA_CA_FILE" in finding.seen
    with pytest.raises(InvalidRequest, match="LOGSIEVE_KAFKA_"):
        admin(settings)


def test_the_advice_is_given_once() -> None:
    (finding,) = kafka_findings(token_settings(kafka_oauth_client_id=""))

    assert "`sasl.oauthbearer.client.id` is mandatory" in finding.seen
    assert finding.seen.endswith("correct them")
    assert finding.advice == "restart the receivers, the loaders and the APIs with corrected settings"


def test_a_file_of_the_token_providers_authorities_is_named_with_its_setting(tmp_path: Path) -> None:
    (finding,) = kafka_findings(token_settings(kafka_oauth_ca_file=tmp_path / "none"))

    assert f"LOGSIEVE_KAFKA_OAUTH_CA_FILE is {tmp_path / 'none'}" in finding.seen


def token_settings(**changed: object) -> Settings:
    settings = Settings(
        kafka_bootstrap="127.0.0.1:1",
        kafka_security="SASL_PLAINTEXT",
        kafka_sasl_mechanism="OAUTHBEARER",
        kafka_oauth_token_url="https://provider.invalid",
        kafka_oauth_client_id="loader",
        kafka_oauth_client_secret=SecretStr("secret"),
    )
    # The values are not checked again, as if a check of the settings had missed them.
    return settings.model_copy(update=changed)
