"""Tests that a bucket of a real S3 server can be the cold volume."""

from datetime import date, timedelta
from pathlib import Path

from clickhouse_connect.driver.client import Client

from ingest.retention.every_shard import drop_everywhere
from ingest.storage.measure import read_log_volume
from ingest.tiering.every_shard import move_everywhere
from kit.clickhouse import connect
from kit.clock import DAY_NS, ManualClock, SystemClock
from schema.control.storage import EPOCH
from tests.eventually import eventually
from tests.ingest.clickhouse_alone import LARGE, new_store
from tests.ingest.s3_server import Bucket, clickhouse_with_bucket, s3_bucket

ROWS = 500
WAIT_SECONDS = 90.0
AGES = (0, 3, 40)
"""Ages in days of the partitions. Retention drops the last one."""


def insert(client: Client, day: date) -> None:
    client.command(
        "INSERT INTO logs_0 (tenant_id, cohort, timestamp, id, body)"
        f" SELECT {LARGE}, 'r30', toDateTime64('{day} 00:00:00', 9, 'UTC'), number,"
        f" 'word ' || randomPrintableASCII(1000) FROM numbers({ROWS})"
    )


def stored_bytes(bucket: Bucket) -> int:
    return sum(path.stat().st_size for path in bucket.folder.rglob("*") if path.is_file())


def test_old_partitions_move_to_a_bucket_are_searched_there_and_removed_from_it(tmp_path: Path) -> None:
    with s3_bucket(tmp_path) as bucket, clickhouse_with_bucket(tmp_path / "home", bucket) as server:
        store = new_store(server, tmp_path, "s3", cold_after_days=2)
        # The clock stands still, so that the ages are the same until the end, even at midnight.
        clock = ManualClock(SystemClock().now_ns())
        today = EPOCH + timedelta(days=clock.now_ns() // DAY_NS)
        with connect(store) as client:
            for age in AGES:
                insert(client, today - timedelta(days=age))
            before = stored_bytes(bucket)
            moved = move_everywhere([store], clock, dry_run=False)
            after = stored_bytes(bucket)

            assert [each.rows for each in moved] == [ROWS, ROWS]
            assert after - before >= 0.95 * sum(each.bytes for each in moved)
            found = client.query("SELECT count() FROM logs_0 WHERE hasToken(lower(body), 'word')").result_rows
            assert found == [(ROWS * len(AGES),)]
            assert read_log_volume(client).total == 0

            drop_everywhere([store], clock, dry_run=False)
            dropped = 0.95 * moved[0].bytes
            eventually(lambda: stored_bytes(bucket) <= after - dropped, "its objects are removed", WAIT_SECONDS)
            assert client.query("SELECT count() FROM logs_0").result_rows == [(ROWS * 2,)]
