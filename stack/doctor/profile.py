"""Profiles all ClickHouse servers of an installation at the same time, and writes the flame graphs."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from kit.clickhouse import connect
from kit.errors import InvalidRequest
from kit.profile.flame_svg import flame_svg
from kit.profile.places import Place, places
from kit.profile.read_samples import Selection
from kit.profile.record import Recorded, Window, record
from kit.profile.stacks import Profile, below, merged
from kit.settings import Settings
from kit.topology import Place as Server


@dataclass(frozen=True, slots=True)
class DoctorProfile:
    """Profile of all servers together, its sources, and sentences about what it lacks."""

    profile: Profile
    sources: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def places(self) -> Sequence[Place]:
        return places(self.profile)


def profile_servers(settings: Settings, selection: Selection, window: Window) -> DoctorProfile:
    """Records a profile of every server. With several servers, the outermost frame of a stack names the server.

    Raises Unavailable if a server does not answer, Forbidden if it allows neither source.
    """

    def one(server: Server) -> Recorded:
        name = settings.topology.name(server)
        with connect(settings.of_replica(server.replica), shard=server.shard) as client:
            recorded = record(client, selection, window)
        return replace(recorded, profile=below(name, recorded.profile)) if name else recorded

    servers = settings.topology.places
    with ThreadPoolExecutor(len(servers)) as pool:
        recorded = list(pool.map(one, servers))
    return DoctorProfile(
        merged(each.profile for each in recorded),
        tuple(dict.fromkeys(str(each.source) for each in recorded)),
        tuple(dict.fromkeys(note for each in recorded for note in each.notes)),
    )


def write_flames(found: DoctorProfile, folder: Path, window: Window) -> Path:
    """Writes the SVG file into the folder, and returns its path. Raises InvalidRequest if it cannot be written."""
    moment = datetime.fromtimestamp(window.clock.now_ns() / 1e9, UTC)
    file = folder / f"profile-{moment:%Y%m%dT%H%M%SZ}.svg"
    title = f"ClickHouse, {window.seconds:g} s until {moment:%Y-%m-%d %H:%M:%S} UTC"
    explanation = f"from {', '.join(found.sources)}; a frame is as wide as its share of the samples"
    try:
        file.write_text(flame_svg(found.profile, title, explanation))
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be written ({error.strerror}): give another folder with --out") from error
    return file
