"""Runs the revisions on one ClickHouse server, however long they take, and reports errors as sentences."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from clickhouse_connect.cc_sqlalchemy.alembic import clickhouse_writer  # noqa: F401 registers the dialect's operations
from clickhouse_connect.driver.exceptions import Error
from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from kit.clickhouse import ALTER_SECONDS, LOCK_TIMEOUT
from kit.clickhouse_tls import tls_options
from kit.errors import LogsieveError, Unavailable
from kit.settings import Settings
from schema.revisions import revisions, upgrade_to

_SUBJECT: Final = "the log tables were"


def upgrade_server(
    settings: Settings,
    shard: int,
    lanes: Sequence[int],
    report: Callable[[str], None],
    require_alone: Callable[[], None],
) -> None:
    """Runs the revisions that the shard's server lacks, on the tables of `lanes`. `report` receives a sentence before
    each revision of a server that has some already, because it may take minutes.

    `require_alone` is called before and after each revision. It raises an error if another process may have created
    lanes meanwhile. The next migration then repeats the revision. Raises this error, and Conflict if a newer release
    has migrated the tables.
    """
    require_alone()
    config = revisions("clickhouse")
    config.attributes["lanes"] = tuple(lanes)
    engine = create_engine(_url(settings, shard), poolclass=NullPool)
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        former = next(iter(MigrationContext.configure(connection).get_current_heads()), "base")
        for script in _missing(config, connection):
            report(f"upgrading log tables: {script.doc} (revision {script.revision})")
            _upgrade(config, script.revision, former, require_alone)
            former = script.revision
        _upgrade(config, "head", former, require_alone)


def _upgrade(config: Config, revision: str, former: str, require_alone: Callable[[], None]) -> None:
    """Upgrades the server from the revision `former`. Stores `former` again if `require_alone` raises an error."""
    upgrade_to(config, revision, _SUBJECT)
    try:
        require_alone()
    except LogsieveError:
        # A lane that was copied from lane 0 during the upgrade may lack what the upgrade adds, and is not in `lanes`.
        command.stamp(config, former)
        raise


@contextmanager
def errors_as_sentences(url: str) -> Iterator[None]:
    """Translates errors of ClickHouse, and of SQLAlchemy on ClickHouse, within the block. `url` is the server's.

    Raises Unavailable, with a text that says what to do.
    """
    try:
        yield
    except DBAPIError as error:
        raise _sentence(error.orig or error, url) from error
    except Error as error:
        raise _sentence(error, url) from error


def _missing(config: Config, connection: Connection) -> list[Script]:
    """Returns the revisions that the server lacks, in their order. Returns none for a server without any, and for one
    that a newer release has migrated."""
    # Earlier releases allowed two migrations at the same time. These have left two equal rows.
    current, *others = {*MigrationContext.configure(connection).get_current_heads()} or {""}
    scripts = list(ScriptDirectory.from_config(config).walk_revisions())
    known = [script.revision for script in scripts]
    return scripts[: known.index(current)][::-1] if current in known and not others else []


def _sentence(error: BaseException, url: str) -> Unavailable:
    where = f"ClickHouse at {url}"
    if not isinstance(error, Error) or error.code is None:
        return Unavailable(
            f"{where} stopped answering during the migration: start it if it has ended, then run `logsieve migrate`"
            " again, which continues with the step that was interrupted"
        )
    said = str(error).split("\n", 1)[0]
    return Unavailable(
        f"{where} refused a step of the migration: {said}; remove the cause, then run `logsieve migrate` again, which"
        " continues with this step"
    )


def _url(settings: Settings, shard: int) -> URL:
    """Returns the server's URL for SQLAlchemy, with the limits of `connect_to_alter`. ClickHouse's driver takes names
    that are no options of its own, such as LOCK_TIMEOUT, for settings of ClickHouse."""
    http = make_url(settings.clickhouse_http_urls[shard])
    waits = {"send_receive_timeout": str(ALTER_SECONDS), LOCK_TIMEOUT: str(ALTER_SECONDS)}
    return URL.create(
        "clickhousedb",
        username=settings.clickhouse_user,
        password=settings.clickhouse_secret,
        host=http.host,
        port=http.port,
        database=settings.clickhouse_database,
        query=waits | ({"secure": "true"} if http.drivername == "https" else {}) | tls_options(settings),
    )
