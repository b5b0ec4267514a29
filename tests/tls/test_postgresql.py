"""Tests of a control plane on a real PostgreSQL server that accepts only TLS with client certificates."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
from sqlalchemy import text

from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.database import opened
from schema.control.directory import open_directory
from schema.migrate import migrate_control
from stack.doctor.control import control_finding
from stack.doctor.finding import Level
from tests.control_database import OWNER, postgresql_server
from tests.running_stack import borrowed_ports
from tests.tls.certificates import write_authority, write_certificate

# If the server ends a connection after the TLS handshake, asyncpg closes its TLS transport. asyncio closes the socket
# below it only if the event loop continues long enough, and here the loop ends at once.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

HOST = "localhost"
ACCESS = "local all all trust\nhostssl all all 127.0.0.1/32 trust clientcert=verify-ca\n"


@dataclass(frozen=True, slots=True)
class Database:
    """The server's port, and the files that clients need. `other_authority` did not issue the server's certificate."""

    port: int
    authority: Path
    other_authority: Path
    chain: Path
    key: Path

    def url(self, host: str = HOST, authority: Path | None = None) -> str:
        """Returns the URL of the control plane, with a client certificate."""
        files = f"sslrootcert={authority or self.authority}&sslcert={self.chain}&sslkey={self.key}"
        return f"postgresql+asyncpg://{OWNER}@{host}:{self.port}/control?sslmode=verify-full&{files}"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("postgresql")
    authority = trustme.CA()
    served = write_certificate(folder, "server", authority.issue_cert(HOST))
    client = write_certificate(folder, "client", authority.issue_cert("client.example"))
    settings = {
        "listen_addresses": "127.0.0.1",
        "ssl": "on",
        "ssl_cert_file": "server.crt",
        "ssl_key_file": "server.key",
        "ssl_ca_file": "authority.crt",
    }
    files = {
        "server.crt": served.chain.read_bytes(),
        "server.key": served.key.read_bytes(),
        "authority.crt": authority.cert_pem.bytes(),
        "pg_hba.conf": ACCESS.encode(),
    }
    with borrowed_ports(1) as [port], postgresql_server({**settings, "port": str(port)}, files) as server:
        server.execute("CREATE DATABASE control")
        yield Database(
            port,
            write_authority(folder, "authority", authority),
            write_authority(folder, "other", trustme.CA()),
            client.chain,
            client.key,
        )


def test_the_control_plane_is_migrated_and_read_over_tls(database: Database, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, control_url=database.url())

    async def migrated_and_read() -> bool:
        await migrate_control(settings)
        async with opened(database.url()) as engine, engine.connect() as connection:
            requested = await connection.execute(text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
            return bool(requested.scalar_one())

    assert asyncio.run(migrated_and_read())
    assert control_finding(settings, SystemClock()).level is Level.ok


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        ("another authority", "is not trusted .*sslrootcert in LOGSIEVE_CONTROL_URL"),
        ("another host", "another name .*'127.0.0.1'.*the host of LOGSIEVE_CONTROL_URL"),
        ("no client certificate", "requires a client certificate .*sslcert and sslkey in LOGSIEVE_CONTROL_URL"),
    ],
)
def test_an_error_names_the_part_of_the_url(database: Database, tmp_path: Path, mistake: str, sentence: str) -> None:
    url = {
        "another authority": database.url(authority=database.other_authority),
        "another host": database.url(host="127.0.0.1"),
        "no client certificate": database.url().partition("&sslcert")[0],
    }[mistake]

    with pytest.raises(Unavailable, match=sentence):
        asyncio.run(_read(url))
    settings = Settings(home=tmp_path, control_url=url)
    assert control_finding(settings, SystemClock()).level is Level.fail
    assert re.search(sentence, str(asyncio.run(_readiness(settings))))


async def _read(url: str) -> None:
    async with opened(url) as engine, engine.connect():
        pass


async def _readiness(settings: Settings) -> str | None:
    """Returns the text about tenants and keys that /readyz of a receiver or API has."""
    directory = open_directory(settings, SystemClock())
    await directory.start()
    try:
        return directory.problem()
    finally:
        await directory.stop()
