"""Tests the doctor's finding about settings with which no client of Kafka can be made."""

from pathlib import Path

import pytest

from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.topic import admin
from stack.doctor.finding import Level
from stack.doctor.kafka import kafka_findings


def test_a_certificate_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    settings = Settings(kafka_bootstrap="127.0.0.1:1", kafka_security="SSL", kafka_ca_file=tmp_path / "none")

    (finding,) = kafka_findings(settings)

    assert finding.level is Level.fail
    assert "LOGSIEVE_KAFKA_" in finding.advice
    with pytest.raises(InvalidRequest, match="LOGSIEVE_KAFKA_"):
        admin(settings)
