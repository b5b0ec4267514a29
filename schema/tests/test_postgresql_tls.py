"""TLS options in URLs of PostgreSQL mean what they mean to libpq."""

import ssl
from pathlib import Path

import pytest
import trustme
from sqlalchemy.engine import make_url

from kit.errors import InvalidRequest
from schema.control.database import open_database
from schema.control.postgresql_tls import without_tls

URL = "postgresql+asyncpg://logsieve:s3cret@db.example/logsieve"


@pytest.fixture
def ca(tmp_path: Path) -> Path:
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return tmp_path / "ca.pem"


def test_a_url_that_says_nothing_stays(ca: Path) -> None:
    url = make_url(f"{URL}?host=/run/postgresql")

    assert without_tls(url) == (url, {})
    assert ca.exists()


@pytest.mark.parametrize(("mode", "name_is_checked"), [("", True), ("verify-full", True), ("verify-ca", False)])
def test_an_authority_is_trusted_and_the_name_is_checked(ca: Path, mode: str, name_is_checked: bool) -> None:
    url, options = without_tls(make_url(f"{URL}?sslrootcert={ca}" + (f"&sslmode={mode}" if mode else "")))

    context = options["ssl"]
    assert url == make_url(URL)
    assert isinstance(context, ssl.SSLContext)
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, name_is_checked)
    assert len(context.get_ca_certs()) == 1


def test_encryption_alone_is_passed_on() -> None:
    assert without_tls(make_url(f"{URL}?sslmode=require")) == (make_url(URL), {"ssl": "require"})


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("sslmode=full", "use one of disable"),
        ("sslmode=require&sslrootcert=/ca.pem", "does not check certificates"),
        ("sslrootcert=/nowhere/ca.pem", "sslrootcert of LOGSIEVE_CONTROL_URL is /nowhere/ca.pem, which cannot be read"),
    ],
)
def test_what_cannot_be_is_said(query: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        without_tls(make_url(f"{URL}?{query}"))


def test_a_parameter_that_the_driver_does_not_know_is_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"the parameter 'sslrootcrt', .* sslmode, sslrootcert, sslcert, sslkey"):
        open_database(f"{URL}?sslmode=verify-full&sslrootcrt=/ca.pem")


@pytest.mark.parametrize("query", ["ssl=require", "host=/run/postgresql", "prepared_statement_cache_size=0"])
def test_parameters_of_the_driver_and_of_sqlalchemy_are_allowed(query: str) -> None:
    assert open_database(f"{URL}?{query}").dialect.name == "postgresql"
