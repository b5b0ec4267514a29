"""Declares `logsieve loadtest tune`, a long study that continues after it was killed."""

from pathlib import Path
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.study import Study, profile_is_smoke
from loadtest.tune.report import TuneReport


def run(
    bench: Bench,
    profile: Annotated[
        str, typer.Option(help="`full`, or `smoke` for a run of a minute with three candidates.")
    ] = "full",
    rows: Annotated[
        int | None, typer.Option(min=1_000, help="Records; 500,000 for `full` and 10,000 for `smoke` when left out.")
    ] = None,
    size: Annotated[str, typer.Option(help="Size of bodies in bytes: 128, 1k, 4k or mixed.")] = "4k",
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Rounds over all candidates; 2 for `full` and 1 for `smoke` when left out."),
    ] = None,
    tenants: Annotated[int, typer.Option(min=4, help="Number of tenants, which differ much in size.")] = 20,
    folder: Annotated[Path | None, typer.Option("--home", help="Folder of the study and its data.")] = None,
) -> TuneReport:
    """Compare indexes over the words of bodies: search time, size, cost of writing. Resumes after being killed."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.journal import Journal
    from loadtest.tune.candidates import ALL, SMOKE
    from loadtest.tune.results import tune_report
    from loadtest.tune.run import Study as Comparison
    from loadtest.tune.run import Tuner
    from loadtest.tune.step import Step

    smoke = profile_is_smoke(profile)
    corpus = Corpus(rows or (10_000 if smoke else 500_000), size, tenants, bench.seed, FIXED_DAY_NS)
    comparison = Comparison(corpus, SMOKE if smoke else ALL, rounds or (1 if smoke else 2))
    home = (folder or bench.home / "tune").resolve()
    journal = Journal(home / "journal.jsonl", repr(comparison), Step)
    with bench.stack_in(home, "clickhouse") as stack:
        connect(stack.settings, "default").command("CREATE DATABASE IF NOT EXISTS tune")
        client = connect(stack.settings, "tune")
        bench.found_server(str(client.server_version))
        tuner = Tuner(bench, client, comparison, journal)
        tuner.run()
        return tune_report(comparison, journal.steps, tuner.tokens_per_granule(), smoke=smoke)


STUDY: Final = Study(
    "tune",
    "Which index over the words of the body",
    TuneReport,
    run,
    smoke=("--profile", "smoke", "--rows", "3000"),
    takes_keep=False,
)
