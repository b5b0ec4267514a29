"""Declares `logsieve loadtest peers`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.peers.report import PeersReport
from loadtest.study import Smoke, Study
from schema.clickhouse.index_profiles import Profile

_SMOKE_RECORDS: Final = 1_000


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to store and to search in.")] = 300_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of times that each query runs on each side.")] = 7,
    index_profile: Annotated[
        Profile | None, typer.Option(help="Index profile of Logsieve; the default profile when left out.")
    ] = None,
    victoria_logs: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, resolve_path=True, help="Program of VictoriaLogs.")
    ] = None,
    loki: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, resolve_path=True, help="Program of Loki.")
    ] = None,
    collector: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            resolve_path=True,
            help="Program of an OpenTelemetry Collector with the ClickHouse exporter.",
        ),
    ] = None,
    smoke: Smoke = False,
) -> PeersReport:
    """Send the same OTLP requests and the same questions to Logsieve and to other log stores.

    Stores whose program is not named are left out.
    """
    from kit.settings import Settings
    from loadtest.peers.measure import measure, starts

    if smoke:
        records, rounds = _SMOKE_RECORDS, 1
    profile = index_profile or Profile(Settings().index_profile)
    programs = {"VictoriaLogs": victoria_logs, "Loki": loki, "Collector + exporter": collector}
    report = measure(bench, starts(bench, profile, programs), records, rounds, profile.value)
    absent = tuple(name for name, program in programs.items() if program is None)
    return report.model_copy(update={"smoke": smoke, "absent": absent})


STUDY: Final = Study("peers", "Beside other log stores", PeersReport, run, smoke=("--smoke",))
