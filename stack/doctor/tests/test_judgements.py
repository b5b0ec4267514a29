"""Bad states that no test can make, made up."""

from datetime import timedelta

import pytest

from kit.folders import PACKAGES
from kit.settings import Settings
from schema.control.erasures import Erasure, Progress
from stack.doctor.descriptors import judge_descriptors
from stack.doctor.disks import judge_inodes, judge_space
from stack.doctor.finding import Level, graded
from stack.doctor.kafka import judge_copies, judge_lag
from stack.doctor.lifecycle import judge_clock, judge_erasures
from stack.doctor.memory import judge_parts_memory
from stack.doctor.parts import LANE_PARTS, judge_broken, judge_tokens
from stack.doctor.patches import PATCHES, judge_patches
from stack.doctor.waits import judge_lock, judge_planning

EVENTS = {patch.event for patch in PATCHES if patch.event is not None}


@pytest.mark.parametrize(
    ("version", "events", "missing"),
    [
        ("26.7.2.1", EVENTS, []),
        ("24.8.1.1", {"ContextLockWaitMicroseconds"}, ["shared parts lock"]),
        ("24.8.1.1", EVENTS, []),  # a build with the change of its own
        ("26.7.2.1", set(), ["shared parts lock", "Context lock split"]),
        ("21.12.3.32", set(), [patch.name for patch in PATCHES]),
    ],
)
def test_a_patch_is_proved_by_its_event_or_else_by_the_release(
    version: str, events: set[str], missing: list[str]
) -> None:
    found = judge_patches(version, events)

    assert [each.about.removeprefix("patch: ") for each in found if each.level is Level.fail] == missing
    assert all(("upgrade" in each.advice) == (each.level is Level.fail) for each in found)


@pytest.mark.parametrize(
    ("window", "blocks", "level"),
    [
        (30_000, 100, Level.ok),
        (30_000, 15_000, Level.warn),
        (30_000, 30_000, Level.fail),
        (10_000, 100, Level.warn),
        (0, 0, Level.fail),
    ],
)
def test_insert_tokens(window: int, blocks: int, level: Level) -> None:
    assert judge_tokens("logs_0", window, blocks).level is level


@pytest.mark.parametrize(
    ("free", "level"), [(100, Level.ok), (16, Level.ok), (15, Level.warn), (6, Level.warn), (4, Level.fail)]
)
def test_free_space_and_inodes(free: int, level: Level) -> None:
    space = judge_space("disk default", free * 2**30, 100 * 2**30)

    assert (space.level, space.seen) == (level, f"{free}.0 of 100.0 GiB are free ({free}%)")
    assert [each.level for each in judge_inodes("inodes", free, 100)] == [level]


def test_a_volume_without_a_size_is_no_fault() -> None:
    assert judge_space("disk s3", 0, 0).level is Level.ok
    assert judge_inodes("inodes of a file system that makes them", 0, 0) == []


@pytest.mark.parametrize(
    ("held", "limit", "level"),
    [(99, 1000, Level.ok), (100, 1000, Level.warn), (300, 1000, Level.fail), (10**12, 0, Level.ok)],
)
def test_memory_of_parts(held: int, limit: int, level: Level) -> None:
    assert judge_parts_memory(10, held, limit).level is level


def test_memory_of_each_part_is_shown() -> None:
    assert (
        judge_parts_memory(4, 8 * 2**20, 2**30).seen
        == "4 parts hold 8.0 MiB, 2048.0 KiB each: 0.8% of the server's memory"
    )
    assert judge_parts_memory(0, 0, 2**30).level is Level.ok


@pytest.mark.parametrize(
    ("used", "limit", "level"),
    [(69, 100, Level.ok), (70, 100, Level.warn), (90, 100, Level.fail), (10_000, -1, Level.ok)],
)
def test_open_files(used: int, limit: int, level: Level) -> None:
    assert judge_descriptors("clickhouse", used, limit).level is level


@pytest.mark.parametrize(("waited", "level"), [(0, Level.ok), (60, Level.warn), (2000, Level.fail)])
def test_waits_for_locks(waited: float, level: Level) -> None:
    assert judge_lock("PartsLockWaitMicroseconds", waited, uptime_seconds=1000).level is level


@pytest.mark.parametrize(
    ("searches", "seconds", "level"), [(0, 0, Level.ok), (100, 1, Level.ok), (100, 9, Level.warn), (10, 9, Level.fail)]
)
def test_planning(searches: int, seconds: float, level: Level) -> None:
    assert judge_planning(searches, seconds, took_seconds=10).level is level


@pytest.mark.parametrize(("messages", "level"), [(0, Level.ok), (20_000, Level.warn), (10**6, Level.fail)])
def test_lag(messages: int, level: Level) -> None:
    found = judge_lag({0: 0, 3: messages})

    assert found.level is level
    assert ("partition 3" in found.seen) == (messages > 0)


@pytest.mark.parametrize(("seconds", "level"), [(0.1, Level.ok), (10, Level.warn), (600, Level.fail)])
def test_clocks(seconds: float, level: Level) -> None:
    assert judge_clock(timedelta(seconds=seconds)).level is level


def test_the_study_of_parts_names_the_doctors_bound_of_a_lane() -> None:
    study = (PACKAGES / "docs" / "benchmarks" / "parts.md").read_text()

    assert f"warns of a lane from {LANE_PARTS.warn:,} parts on" in " ".join(study.split())
    assert f"more than {Settings().lane_parts:,} parts (`LOGSIEVE_LANE_PARTS`)" in study


@pytest.mark.parametrize(
    ("parts", "level"), [(9_999, Level.ok), (10_000, Level.warn), (29_999, Level.warn), (30_000, Level.fail)]
)
def test_a_lane_of_thirty_thousand_parts_fails(parts: int, level: Level) -> None:
    found = graded("parts of logs_0", parts, LANE_PARTS, f"{parts} parts")
    assert (found.level, "logsieve tenant move --lane" in found.advice) == (level, level is not Level.ok)


@pytest.mark.parametrize(
    ("hours", "level"), [((), Level.ok), ((0.5,), Level.ok), ((0.5, 2), Level.warn), ((30,), Level.fail)]
)
def test_a_deletion_that_is_not_erased_for_long_is_shown(hours: tuple[float, ...], level: Level) -> None:
    now_ns = 1_790_000_000_000_000_000
    unfinished = [
        Erasure(number, "gone", now_ns - round(each * 3.6e12), "store", None, Progress(), None)
        for number, each in enumerate(hours)
    ]

    assert judge_erasures(unfinished, now_ns).level is level


def test_missing_replicas_are_counted_and_one_partition_is_named() -> None:
    whole = judge_copies({0: (3, 3), 1: (3, 3)})
    alone = judge_copies({0: (1, 1)})
    missing = judge_copies({0: (3, 3), 1: (2, 3), 2: (1, 3)})

    assert (whole.level, alone.level, missing.level) == (Level.ok, Level.ok, Level.warn)
    assert missing.seen == "2 of 3 partitions lack replicas: partition 1 has 2 of 3 in sync"


def test_broken_parts() -> None:
    assert judge_broken({}).level is Level.ok
    found = judge_broken({"logs_1": 2, "logs_3": 1})
    assert found.level is Level.fail
    assert found.seen.endswith("2 in logs_1, 1 in logs_3")
    assert "`logsieve replica fill`" in found.advice
