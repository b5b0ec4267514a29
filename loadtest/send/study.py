"""Declares `logsieve loadtest send`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.send.report import SendReport
from loadtest.study import Study, checked_options


def run(
    bench: Bench,
    profile: Annotated[
        str, typer.Option(help="smoke, steady, burst, soak, or a TOML file of the same form.")
    ] = "smoke",
) -> SendReport:
    """Send at fixed rates from several processes, and judge latency and loss by the profile's thresholds."""
    from loadtest.send.measure import run_profile
    from loadtest.send.profile import read_profile

    with checked_options():
        chosen = read_profile(profile)
    with bench.stack("receiver", "loader") as stack:
        return run_profile(bench, stack, profile, chosen)


STUDY: Final = Study("send", "Sending at fixed rates", SendReport, run, smoke=("--profile", "smoke"))
