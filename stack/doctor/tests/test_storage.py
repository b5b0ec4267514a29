"""Tests the doctor's line about the target of disks."""

import pytest

from schema.control.storage import StorageReport, VolumeStorage
from stack.doctor.finding import Level
from stack.doctor.storage import judge_storage

TODAY = 20_000


def report(used: int, over: int, reached: int | None) -> StorageReport:
    volume = VolumeStorage(
        server="http://one:8123",
        total=1_000 * 2**30,
        used=used * 2**30,
        logs=0,
        freed_later=0,
        over=over * 2**30,
        target_reached_on=reached,
    )
    empty = volume.model_copy(update={"server": "http://two:8123", "used": 0, "over": 0, "target_reached_on": None})
    return StorageReport(examined_at_ns=0, target_percent=90, guaranteed=0, volumes=(empty, volume), tenants={})


@pytest.mark.parametrize(
    ("used", "over", "reached", "level", "words"),
    [
        (500, 0, None, Level.ok, "http://one:8123 uses 50.0 %, the target is 90 %"),
        (890, 0, TODAY + 7, Level.ok, "uses 89.0 %"),
        (890, 0, TODAY + 6, Level.warn, "is exceeded on 2024-10-10; tenants that lose days: acme, beta, gamma, …"),
        (
            950,
            30,
            TODAY,
            Level.warn,
            "http://one:8123: 30.0 GiB above the target of 90 % cannot be freed, because no tenant may lose more days",
        ),
    ],
)
def test_a_disk_that_exceeds_its_target_soon_is_a_warning(
    used: int, over: int, reached: int | None, level: Level, words: str
) -> None:
    finding = judge_storage(report(used, over, reached), ["acme", "beta", "gamma", "delta"], TODAY)
    assert finding.level is level
    assert words in finding.seen
    assert bool(finding.advice) == (level is not Level.ok)
