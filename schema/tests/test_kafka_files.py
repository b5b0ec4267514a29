"""Tests that a Kafka client which cannot be made names the setting of the file that it cannot use."""

from pathlib import Path

import pytest
import trustme

from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.topic import admin


@pytest.mark.parametrize(
    ("option", "setting"),
    [
        ("kafka_ca_file", "LOGSIEVE_KAFKA_CA_FILE"),
        ("kafka_certificate_file", "LOGSIEVE_KAFKA_CERTIFICATE_FILE"),
        ("kafka_key_file", "LOGSIEVE_KAFKA_KEY_FILE"),
    ],
)
def test_a_file_that_no_client_can_read_is_named_by_its_setting(tmp_path: Path, option: str, setting: str) -> None:
    authority = trustme.CA()
    made = authority.issue_cert("k")
    files = {f"kafka_{name}_file": tmp_path / f"{name}.pem" for name in ("ca", "certificate", "key")}
    authority.cert_pem.write_to_path(str(files["kafka_ca_file"]))
    made.cert_chain_pems[0].write_to_path(str(files["kafka_certificate_file"]))
    made.private_key_pem.write_to_path(str(files["kafka_key_file"]))
    files[option].write_text("no certificate")
    brokers = {"kafka_bootstrap": "k:1", "kafka_security": "SSL"}
    settings = Settings.model_validate({"home": tmp_path, **brokers, **files})

    assert f"{setting} ({files[option]}) cannot be used: " in _refused(settings)
    files[option].unlink()
    assert f"{setting} is {files[option]}, which cannot be read" in _refused(settings)


def _refused(settings: Settings) -> str:
    with pytest.raises(InvalidRequest) as raised:
        admin(settings)
    return raised.value.detail
