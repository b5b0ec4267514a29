"""Checks that the server has the patches that keep it fast with many parts: by its version, or by an event that the
patch has added."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from stack.doctor.finding import Finding, Level


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of ClickHouse: its pull request, the first release that has it, and the event in system.events that it
    added."""

    name: str
    pull_request: int
    since: tuple[int, int]
    event: str | None


PATCHES: Final = (
    Patch("shared parts lock", 85535, (25, 11), "SharedPartsLocks"),
    Patch("Context lock split", 55121, (23, 10), "ContextLockWaitMicroseconds"),
    # This patch only skips work, so only the release number shows it.
    Patch("early exit in selectPartsForMove", 33225, (22, 1), None),
)


def patch_findings(client: Client) -> list[Finding]:
    """Returns a finding for each patch."""
    events = client.query("SELECT event FROM system.events", settings={"system_events_show_zero_values": 1}).result_rows
    return judge_patches(str(client.server_version), {str(event) for (event,) in events})


def judge_patches(version: str, events: Collection[str]) -> list[Finding]:
    """Rates the patches by the server's version and the names of all its events."""
    release = tuple(int(number) for number in version.split(".")[:2])
    return [_judged(patch, version, release, events) for patch in PATCHES]


def _judged(patch: Patch, version: str, release: tuple[int, ...], events: Collection[str]) -> Finding:
    about = f"patch: {patch.name}"
    if patch.event is not None and patch.event in events:
        return Finding(about, Level.ok, f"the server has #{patch.pull_request}, because it counts event {patch.event}")
    if patch.event is None and release >= patch.since:
        return Finding(
            about, Level.ok, f"the server has #{patch.pull_request}, as every release since {_text(patch.since)}"
        )
    missing = f"does not count event {patch.event}" if patch.event is not None else "is too old"
    advice = f"upgrade to {_text(patch.since)} or newer, or a build with ClickHouse #{patch.pull_request}"
    return Finding(about, Level.fail, f"ClickHouse {version} {missing}", advice)


def _text(release: tuple[int, int]) -> str:
    return ".".join(map(str, release))
