"""Tests of the doctor on a running stack: healthy, with faults made by the test, and with services away."""

import json
from collections.abc import Iterator

import pytest

from kit.clickhouse import connect
from tests.running_stack import Stack, logsieve

TABLE = "logs_999"
"""A separate log table, so that other tests do not meet its faults."""


@pytest.fixture
def ill_table(stack: Stack) -> Iterator[None]:
    """Yields while a table has many small parts, few remembered tokens, a failing mutation and an unknown cohort."""
    with connect(stack.settings) as client:
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
    """Returns the worst level of each checked thing."""
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
    assert "what to do" in stack.logsieve("doctor").stdout


@pytest.mark.usefixtures("ill_table")
def test_what_is_wrong_with_a_table_is_found(stack: Stack) -> None:
    done = stack.logsieve("doctor", "--json")

    found = levels(done.stdout)
    assert done.returncode == 1
    assert found["parts of one partition"] == "warn"
    assert found[f"insert tokens of {TABLE}"] == "fail"
    assert found["mutations"] in {"warn", "fail"}
    assert found["retention"] in {"warn", "fail"}  # other tests of this stack leave partitions past their time
    assert found["schema"] == "warn"


def test_services_that_are_away_are_findings_and_the_rest_is_asked(stack: Stack) -> None:
    no_kafka = logsieve(
        stack.home, stack.settings.port_offset, "doctor", "--json", LOGSIEVE_KAFKA_BOOTSTRAP="127.0.0.1:9"
    )
    no_clickhouse = logsieve(
        stack.home, stack.settings.port_offset, "doctor", "--json", LOGSIEVE_CLICKHOUSE_URL="http://127.0.0.1:9"
    )
    no_control = logsieve(
        stack.home,
        stack.settings.port_offset,
        "doctor",
        "--json",
        LOGSIEVE_CONTROL_URL="postgresql+asyncpg://logsieve@127.0.0.1:9/control",
    )

    found = levels(no_kafka.stdout)
    assert (no_kafka.returncode, found["kafka"], found["clickhouse"]) == (1, "fail", "ok")
    found = levels(no_clickhouse.stdout)
    assert (no_clickhouse.returncode, found["clickhouse"], found["kafka"]) == (1, "fail", "ok")
    assert found["control plane"] == "ok"
    found = levels(no_control.stdout)
    assert (no_control.returncode, found["control plane"]) == (1, "fail"), no_control.stderr
    assert {found[about] for about in ("clickhouse", "kafka", "schema")} == {"ok"}
