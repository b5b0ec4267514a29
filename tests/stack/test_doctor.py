"""Tests of `logsieve doctor` on a running stack: healthy, with faults that the test makes, and without a service."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.clickhouse import connect
from stack.doctor import disks
from stack.doctor.disks import disk_findings
from stack.doctor.finding import Bounds, Level
from stack.doctor.memory import memory_findings
from tests.forked_module import ForkedModule
from tests.running_stack import Stack, stack_environment

TABLE = "logs_999"
"""Name of a separate log table for the faults, so that they do not disturb other tests."""


@pytest.fixture
def ill_table(stack: Stack) -> Iterator[None]:
    """Makes a log table with many small parts, few remembered insert tokens, a failing mutation, an unknown cohort."""
    with connect(stack.settings) as client:
        client.command(f"DROP TABLE IF EXISTS {TABLE} SYNC")  # A killed run leaves it on a kept stack.
        client.command(f"CREATE TABLE {TABLE} AS logs_0")
        client.command(
            f"ALTER TABLE {TABLE} MODIFY SETTING non_replicated_deduplication_window = 10,"
            " parts_to_delay_insert = 1000000, parts_to_throw_insert = 1000000,"
            " max_bytes_to_merge_at_max_space_in_pool = 1"
        )
        client.command(
            f"INSERT INTO {TABLE} (tenant_id, cohort, timestamp, id, body)"
            " SELECT 4000000001, 'nobody', now(), number, 'x' FROM numbers(600)"
            " SETTINGS max_block_size = 1, min_insert_block_size_rows = 1, max_insert_threads = 1"
        )
        client.command(
            f"ALTER TABLE {TABLE} UPDATE severity_number = throwIf(1) WHERE 1", settings={"mutations_sync": 0}
        )
        client.command("SYSTEM FLUSH LOGS part_log")
        yield
        client.command(f"KILL MUTATION WHERE table = '{TABLE}'")
        client.command(f"DROP TABLE {TABLE} SYNC")


def levels(report: str) -> dict[str, str]:
    """Returns the worst level of the findings about each thing, by the thing's name."""
    worst: dict[str, str] = {}
    order = ("ok", "warn", "fail")
    for finding in json.loads(report):
        worst[finding["about"]] = max(worst.get(finding["about"], "ok"), finding["level"], key=order.index)
    return worst


def test_a_stack_has_every_patch_and_nothing_fails(stack: Stack) -> None:
    done = stack.logsieve("doctor", "--json")

    found = levels(done.stdout)
    assert (done.returncode, "fail" in found.values()) == (0, False), done.stdout
    assert {about for about in found if about.startswith("patch: ")} == {
        "patch: shared parts lock",
        "patch: Context lock split",
        "patch: early exit in selectPartsForMove",
    }
    assert {found[about] for about in ("clickhouse", "kafka", "clocks", "control plane", "schema")} == {"ok"}
    assert {
        "disk default",
        "memory of parts",
        "disk of Kafka",
        "open files of clickhouse",
        "open files of kafka",
    } <= set(found)
    assert "what to do" in stack.logsieve("doctor").stdout


def test_a_real_server_reports_its_disk_and_the_memory_of_its_parts(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks, "FULL", Bounds(0, 2, "make room"))
    with connect(stack.settings) as client:
        client.command("CREATE OR REPLACE TABLE parted (n UInt64) ENGINE = MergeTree ORDER BY n PARTITION BY n")
        client.command("INSERT INTO parted SELECT number FROM numbers(20)")
        client.command("SELECT count() FROM parted WHERE n > 3")
        found = {each.about: each for each in disk_findings(client, stack.clickhouse_url)}
        (memory,) = memory_findings(client)
        client.command("DROP TABLE parted SYNC")

    used = shutil.disk_usage(stack.home)
    measured = re.match(r"([\d.]+) of ([\d.]+) GiB are free", found["disk default"].seen)
    assert measured is not None
    assert float(measured[2]) == pytest.approx(used.total / 2**30, rel=0.02)
    assert 0 < float(measured[1]) < float(measured[2])
    assert (found["disk default"].level, found["disk default"].advice) == (Level.warn, "make room")
    held = re.match(r"(\d+) parts hold ([\d.]+) MiB", memory.seen)
    assert held is not None
    assert int(held[1]) >= 20
    assert "of the server's memory" in memory.seen


@pytest.mark.usefixtures("ill_table")
def test_what_is_wrong_with_a_table_is_found(stack: Stack) -> None:
    done = stack.logsieve("doctor", "--json")

    found = levels(done.stdout)
    assert done.returncode == 1
    assert found["parts of one partition"] == "warn"
    assert found[f"insert tokens of {TABLE}"] == "fail"
    assert found["mutations"] in {"warn", "fail"}
    assert found["retention"] in {"warn", "fail"}  # other tests leave partitions that should be dropped
    assert found["schema"] == "warn"


def test_unreachable_services_are_findings_and_the_rest_is_checked(stack: Stack, tmp_path: Path) -> None:
    unreachable = {
        "LOGSIEVE_KAFKA_BOOTSTRAP": "127.0.0.1:9",
        "LOGSIEVE_CLICKHOUSE_URL": "http://127.0.0.1:9",
        "LOGSIEVE_CONTROL_URL": "postgresql+asyncpg://logsieve@127.0.0.1:9/control",
    }
    # The commands run at once, because each of them waits for timeouts most of its time.
    started = {
        name: ForkedModule(
            ("stack", "doctor", "--json"),
            stack_environment(stack.home, stack.settings.port_offset, {name: url}),
            tmp_path / name,
            tmp_path / f"{name}.errors",
        )
        for name, url in unreachable.items()
    }
    codes = {name: process.wait(120) for name, process in started.items()}

    assert set(codes.values()) == {1}
    no_kafka, no_clickhouse, no_control = (levels((tmp_path / name).read_text()) for name in unreachable)
    assert (no_kafka["kafka"], no_kafka["clickhouse"]) == ("fail", "ok")
    assert (no_clickhouse["clickhouse"], no_clickhouse["kafka"]) == ("fail", "ok")
    assert no_clickhouse["control plane"] == "ok"
    assert no_control["control plane"] == "fail"
    assert {no_control[about] for about in ("clickhouse", "kafka", "schema")} == {"ok"}
