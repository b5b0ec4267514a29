"""Tests that `logsieve up` refuses unusable TLS files before it starts a service."""

from pathlib import Path

import pytest
import trustme

from kit.errors import InvalidRequest
from kit.settings import Settings
from stack.cli import up
from stack.first_samples import require_sendable, samples_marker


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes a certificate for `up` and returns its home."""
    authority = trustme.CA()
    made = authority.issue_cert("127.0.0.1")
    made.cert_chain_pems[0].write_to_path(str(tmp_path / "chain.pem"))
    made.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOGSIEVE_TLS_CERT_FILE", str(tmp_path / "chain.pem"))
    monkeypatch.setenv("LOGSIEVE_TLS_KEY_FILE", str(tmp_path / "key.pem"))

    def started(*_arguments: object) -> None:
        raise AssertionError("services are started")

    monkeypatch.setattr(up, "_started", started)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("setting", "file", "said"),
    [
        ("LOGSIEVE_TLS_CERT_FILE", "missing.pem", "LOGSIEVE_TLS_CERT_FILE is "),
        ("LOGSIEVE_TLS_KEY_FILE", "chain.pem", "LOGSIEVE_TLS_CERT_FILE .* and LOGSIEVE_TLS_KEY_FILE .* cannot be used"),
        ("LOGSIEVE_TLS_CLIENT_CA_FILE", "missing.pem", "LOGSIEVE_TLS_CLIENT_CA_FILE is "),
        ("LOGSIEVE_TLS_CLIENT_CA_FILE", "ca.pem", "LOGSIEVE_TLS_CLIENT_CERT_FILE .* or use `logsieve up --no-samples`"),
    ],
)
def test_unusable_files_are_refused_before_the_start(
    home: Path, monkeypatch: pytest.MonkeyPatch, setting: str, file: str, said: str
) -> None:
    monkeypatch.setenv(setting, str(home.parent / file))

    with pytest.raises(InvalidRequest, match=said):
        up.up()


def test_usable_files_are_not_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_TLS_CLIENT_CA_FILE", str(home.parent / "ca.pem"))

    with pytest.raises(AssertionError, match="services are started"):
        up.up(samples=False)


def test_samples_that_were_sent_need_no_certificate(home: Path) -> None:
    home.mkdir()
    settings = Settings(tls_client_ca_file=home.parent / "ca.pem")
    with pytest.raises(InvalidRequest):
        require_sendable(settings)

    samples_marker(settings).touch()

    require_sendable(settings)
