"""Control plane databases for tests: a SQLite file, and a PostgreSQL server that runs for the whole session.

Fixture `control_url` runs a test on both. The tables and the lanes of the default settings exist.
Fixture `control_home` is for tests that need only SQLite, `empty_control_url` for tests of migrations, `postgresql` for
tests that concern only PostgreSQL. `write_migrated` and `write_tables` write a SQLite file for fixtures of a wider
scope and for tests of other numbers of lanes.
"""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import asyncpg
import pytest
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import Lane
from schema.migrate import upgrade_control_tables
from stack.install.steps import postgresql_binaries

OWNER: Final = "logsieve"
_PATIENCE_SECONDS: Final = 30
_SETTINGS: Final = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "16MB",
    "autovacuum": "off",
}


@dataclass(frozen=True, slots=True)
class PostgreSQL:
    """A PostgreSQL server that listens on a socket in `folder`."""

    folder: Path
    port: int = 5432
    """Number in the socket's name, and the TCP port if the server listens on an address."""

    def new_database(self, template: str = "template1") -> str:
        """Creates a copy of a database, by default an empty one, and returns its control URL."""
        name = f"control_{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return f"postgresql+asyncpg://{OWNER}@/{name}?host={self.folder}"

    def drop_database(self, url: str) -> None:
        """Drops a database and cuts its connections."""
        name = url.rpartition("/control_")[2].partition("?")[0]
        self.execute(f"DROP DATABASE IF EXISTS control_{name} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        async def run() -> None:
            connection = await asyncpg.connect(host=str(self.folder), port=self.port, user=OWNER, database="postgres")
            try:
                await connection.execute(statement)
            finally:
                await connection.close()

        asyncio.run(run())


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """Yields an empty server that listens on no TCP port, and does not sync its files."""
    with postgresql_server({}, {}) as server:
        yield server


@contextmanager
def postgresql_server(settings: Mapping[str, str], files: Mapping[str, bytes]) -> Iterator[PostgreSQL]:
    """Runs an empty server, which does not sync its files, until the block ends.

    `settings` are PostgreSQL's own. `files` are written into its data folder, readable only for the server.
    """
    binaries = postgresql_binaries()
    if binaries is None:
        pytest.fail("PostgreSQL's initdb was not found: run scripts/setup --tests")
    folder = Path(tempfile.mkdtemp(prefix="logsieve-pg-"))
    # The server runs as `nobody` if the tests run as root, because PostgreSQL refuses to run as root.
    account = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    user = account.pw_uid if os.geteuid() == 0 else None
    group = account.pw_gid if os.geteuid() == 0 else None
    os.chown(folder, account.pw_uid, account.pw_gid)
    data = folder / "data"
    make = [str(binaries / "initdb"), "-D", str(data), "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
    made = subprocess.run(
        make, cwd=folder, user=user, group=group, capture_output=True, text=True, check=False, timeout=120
    )
    assert made.returncode == 0, made.stderr
    for name, content in files.items():
        (data / name).write_bytes(content)
        os.chown(data / name, account.pw_uid, account.pw_gid)
        os.chmod(data / name, 0o600)
    options = [f"--{name}={value}" for name, value in {**_SETTINGS, **settings}.items()]
    serve = [str(binaries / "postgres"), "-D", str(data), "-k", str(folder), *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(serve, cwd=folder, user=user, group=group, stdout=log, stderr=log)
    try:
        server = PostgreSQL(folder, int(settings.get("port", 5432)))
        _wait(server, process)
        yield server
    finally:
        process.send_signal(signal.SIGQUIT)
        process.wait(_PATIENCE_SECONDS)
        shutil.rmtree(folder)


def _wait(server: PostgreSQL, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            server.execute("SELECT 1")
        except (OSError, asyncpg.PostgresError):
            assert process.poll() is None, (server.folder / "log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL does not answer"
            time.sleep(0.05)
        else:
            return


async def until_waiting(task: asyncio.Task[Any], engine: AsyncEngine) -> None:
    """Waits until a task waits for a lock of PostgreSQL, or has ended. SQLite tells nobody who waits: on it, waits for
    0.3 s."""
    if engine.dialect.name == "sqlite":
        await asyncio.wait([task], timeout=0.3)
        return
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while not task.done() and not await waits_for_a_lock(engine):
            await asyncio.sleep(0.01)


async def waits_for_a_lock(engine: AsyncEngine) -> bool:
    """Returns true if a session of PostgreSQL waits for a lock that another session of the same database holds."""
    query = "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with engine.connect() as connection:
        return bool(await connection.scalar(text(query)))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_control_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yields the URL of a control plane without tables. A test runs once for each kind of database."""
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'control.db'}"
        return
    server: PostgreSQL = request.getfixturevalue("postgresql")
    url = server.new_database()
    yield url
    server.drop_database(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def control_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yields the URL of a migrated control plane. A test runs once for each kind of database."""
    if request.param == "sqlite":
        file = tmp_path / "control.db"
        write_migrated(file)
        yield f"sqlite+aiosqlite:///{file}"
        return
    server: PostgreSQL = request.getfixturevalue("postgresql")
    url = server.new_database(request.getfixturevalue("_migrated_postgresql"))
    yield url
    server.drop_database(url)


@pytest.fixture
def control_home(tmp_path: Path) -> Path:
    """Returns a home whose control plane is a migrated SQLite file. It is `tmp_path`."""
    write_migrated(tmp_path / "control.db")
    return tmp_path


def write_migrated(file: Path) -> None:
    """Writes a SQLite database that has the tables, and the lanes of the default settings.

    Copies one of the process, because to run all migrations takes 0.2 s.
    """
    file.write_bytes(_sqlite(_migrate))


def write_tables(file: Path) -> None:
    """Writes a SQLite database that has the tables, and no lanes."""
    file.write_bytes(_sqlite(_make_tables))


@cache
def _sqlite(make: Callable[[str], Coroutine[Any, Any, None]]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="logsieve-test-") as folder:
        file = Path(folder, "made.db")
        asyncio.run(make(f"sqlite+aiosqlite:///{file}"))
        return file.read_bytes()


@pytest.fixture(scope="session")
def _migrated_postgresql(postgresql: PostgreSQL) -> str:
    """Returns the name of a migrated database."""
    url = postgresql.new_database()
    asyncio.run(_migrate(url))
    return f"control_{url.rpartition('/control_')[2].partition('?')[0]}"


async def _make_tables(url: str) -> None:
    async with opened(url) as engine, engine.begin() as connection:
        await connection.run_sync(upgrade_control_tables)


async def _migrate(url: str) -> None:
    """Creates the tables and the lanes of the default settings, also while a test has set other settings."""
    lanes = [{"number": number} for number in range(Settings.model_fields["lanes"].default)]
    await _make_tables(url)
    async with opened(url) as engine, engine.begin() as connection:
        await connection.execute(insert(Lane), lanes)
