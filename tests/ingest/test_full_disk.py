"""Fills a real volume on purpose: inserts stop and continue, and the largest tenant makes room while records arrive."""

import asyncio
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from backend.tenants.storage import ShownStorage, StorageService
from ingest.loader.insert import Inserter
from ingest.storage.periodic import Storage
from kit.clickhouse import connect
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.database import opened
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import LogMessage
from tests.eventually import eventually
from tests.ingest.clickhouse_alone import LARGE, SMALL, WITHOUT_INDEXES, clickhouse_alone, new_store
from tests.ingest.small_volume import fill, mounted, used_share, volume_of

DAY_NS = 86_400 * 10**9
NOW_NS = time.time_ns()
DAYS = 5
ROWS = {LARGE: 2_000, SMALL: 10}
"""Records of each tenant and day. Bodies have 4 KB and do not compress: 8 MB a day, 2 % of the volume."""

WAIT_SECONDS = 90.0


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Yields a log store on a volume of its own, with logs of both tenants."""
    home = tmp_path_factory.mktemp("full") / "home"
    with mounted(home), clickhouse_alone(home) as server:
        settings = new_store(server, home, "full_disk", storage_guaranteed_bytes=100_000)
        with connect(settings) as client:
            # Files of rewritten parts go at once, not after eight minutes.
            client.command(
                "ALTER TABLE logs_0 MODIFY SETTING old_parts_lifetime = 1, cleanup_delay_period = 1,"
                " cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 1"
            )
            for age in range(DAYS):
                selects = (
                    f"SELECT {tenant} AS tenant_id, 'r30' AS cohort,"
                    f" fromUnixTimestamp64Nano({NOW_NS - age * DAY_NS}, 'UTC') AS timestamp, number AS id,"
                    f" randomString(4000) AS body FROM numbers({rows})"
                    for tenant, rows in ROWS.items()
                )
                client.command(
                    "INSERT INTO logs_0 (tenant_id, cohort, timestamp, id, body)"
                    f" SELECT * FROM ({' UNION ALL '.join(selects)}) SETTINGS max_insert_threads = 1, max_threads = 1,"
                    f" {WITHOUT_INDEXES}"
                )
        yield settings


@pytest.fixture
def filler(store: Settings) -> Iterator[Path]:
    """Returns the path of a file on the volume, which is removed after the test."""
    path = volume_of(store.home) / "filler"
    yield path
    path.unlink(missing_ok=True)


def replaced_bytes(store: Settings) -> int:
    """Returns the bytes of merged, rewritten or dropped parts whose files are not removed yet."""
    with connect(store) as client:
        return int(client.query("SELECT sum(bytes_on_disk) FROM system.parts WHERE NOT active").result_rows[0][0])


def unfinished_deletions(store: Settings) -> int:
    """Returns the number of deletions of rows that ClickHouse has yet to finish. It runs them in the background, for
    parts that have rows of several tenants."""
    with connect(store) as client:
        return int(client.query("SELECT count() FROM system.mutations WHERE NOT is_done").result_rows[0][0])


def insert(inserter: Inserter, offset: int) -> None:
    """Inserts a message of the small tenant with one record, as the loader does."""
    record = LogRecord(time_unix_nano=NOW_NS, body=AnyValue(string_value=secrets.token_hex(12)))
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    envelope = Envelope(SMALL, 0, "r30", 4096, NOW_NS)
    message = LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, offset))
    inserter.insert(0, 0, [message], f"full-disk-{offset}", lambda: None)


def inserted(inserter: Inserter, offset: int) -> bool:
    """Returns false if the message must be inserted again."""
    try:
        insert(inserter, offset)
    except Unavailable:
        return False
    return True


def stored(store: Settings, tenant: int) -> dict[int, int]:
    """Returns the tenant's stored records by age in days."""
    with connect(store) as client:
        rows = client.query(
            f"SELECT {NOW_NS // DAY_NS} - toUInt16(toDate(timestamp)) AS age, count() FROM logs_0"
            f" WHERE tenant_id = {tenant} GROUP BY age"
        ).result_rows
    return {int(age): int(count) for age, count in rows}


def test_inserts_stop_with_a_reason_and_continue_when_there_is_room(store: Settings, filler: Path) -> None:
    before = stored(store, SMALL)
    fill(filler, 0.965)
    inserter = Inserter(store)
    with pytest.raises(Unavailable, match=r"96\.\d % full.*LOGSIEVE_LOADER_STOP_PERCENT"):
        insert(inserter, 1_000_000)
    assert stored(store, SMALL) == before
    filler.unlink()

    eventually(lambda: inserted(inserter, 1_000_000), "the inserter sees that there is room", WAIT_SECONDS)
    assert stored(store, SMALL) == before | {0: before[0] + 1}
    inserter.close()


def test_the_largest_tenant_makes_room_while_records_arrive(store: Settings, filler: Path) -> None:
    before, storage, stopping, sent = stored(store, SMALL), Storage(store, SystemClock()), threading.Event(), [0]
    # Files of merged parts are freed without a loss.
    eventually(lambda: replaced_bytes(store) < 2**20, "files of merged parts are gone", WAIT_SECONDS)

    def keep_inserting() -> None:
        inserter = Inserter(store)
        while not stopping.wait(0.1):
            sent[0] += inserted(inserter, sent[0])
        inserter.close()

    def has_room() -> bool:
        storage.run_once()
        return used_share(store.home) < 0.9 and len(stored(store, LARGE)) < DAYS

    inserting = threading.Thread(target=keep_inserting)
    inserting.start()
    try:
        # Three percent of the volume are one and a half days of the large tenant.
        fill(filler, 0.93)
        eventually(has_room, "the volume is under its target", WAIT_SECONDS)
    finally:
        stopping.set()
        inserting.join()

    # The last run may have decided about a day whose rows are being deleted.
    eventually(lambda: unfinished_deletions(store) == 0, "rows of the lost days are deleted", WAIT_SECONDS)
    assert sent[0] > 0
    assert stored(store, SMALL) == before | {0: before[0] + sent[0]}
    left = stored(store, LARGE)
    assert left == dict.fromkeys(range(len(left)), ROWS[LARGE])
    shown = asyncio.run(read_storage(store))
    [losing] = [each.tenant for each in shown.tenants if each.tenant.kept_from_day]
    assert (losing.name, losing.kept_from_day) == ("large", NOW_NS // DAY_NS - len(left) + 1)


async def read_storage(store: Settings) -> ShownStorage:
    async with opened(store.control_plane_url) as engine:
        return await StorageService(engine).storage()
