"""Tests that TLS files which cannot be used are named by their settings, with the reason."""

from pathlib import Path

import pytest
import trustme

from kit.clock import SystemClock
from kit.errors import InvalidRequest
from kit.pem_files import unreadable_file
from kit.server.certificates import certificates
from kit.settings import Settings
from kit.tls import own_ports


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Writes a certificate, its key and another key."""
    authority = trustme.CA()
    made, other = authority.issue_cert("127.0.0.1"), authority.issue_cert("127.0.0.1")
    paths = {name: tmp_path / f"{name}.pem" for name in ("ca", "chain", "key", "other")}
    authority.cert_pem.write_to_path(str(paths["ca"]))
    made.cert_chain_pems[0].write_to_path(str(paths["chain"]))
    made.private_key_pem.write_to_path(str(paths["key"]))
    other.private_key_pem.write_to_path(str(paths["other"]))
    return paths | {"missing": tmp_path / "missing.pem"}


def test_the_first_unreadable_file_is_named(files: dict[str, Path]) -> None:
    assert unreadable_file({"A": files["ca"], "B": None}) is None
    sentence = str(unreadable_file({"A": files["ca"], "B": None, "C": files["missing"], "D": files["missing"]}))
    assert sentence.startswith(f"C is {files['missing']}, which cannot be read (No such file or directory): ")


@pytest.mark.parametrize(
    ("chain", "key", "client_ca", "said"),
    [
        ("missing", "key", "ca", "LOGSIEVE_TLS_CERT_FILE is "),
        ("chain", "missing", "ca", "LOGSIEVE_TLS_KEY_FILE is "),
        ("chain", "key", "missing", "LOGSIEVE_TLS_CLIENT_CA_FILE is "),
        ("chain", "other", "ca", "LOGSIEVE_TLS_CERT_FILE \\(.*KEY_VALUES_MISMATCH"),
        ("chain", "key", "key", "LOGSIEVE_TLS_CLIENT_CA_FILE \\("),
    ],
)
def test_a_port_names_the_file_that_it_cannot_use(
    files: dict[str, Path], chain: str, key: str, client_ca: str, said: str
) -> None:
    settings = Settings(tls_cert_file=files[chain], tls_key_file=files[key], tls_client_ca_file=files[client_ca])

    with pytest.raises(InvalidRequest, match=said):
        certificates(settings, SystemClock(), requires_client_certificates=True)


@pytest.mark.parametrize(
    ("certificate", "shown", "said"),
    [
        ("missing", "chain", "LOGSIEVE_TLS_CERT_FILE is "),
        ("key", "chain", "LOGSIEVE_TLS_CERT_FILE \\("),
        ("chain", "missing", "LOGSIEVE_TLS_CLIENT_CERT_FILE is "),
    ],
)
def test_a_client_of_our_ports_names_the_file(files: dict[str, Path], certificate: str, shown: str, said: str) -> None:
    settings = Settings(
        tls_cert_file=files[certificate], tls_client_cert_file=files[shown], tls_client_key_file=files["key"]
    )

    with pytest.raises(InvalidRequest, match=said):
        own_ports(settings)
