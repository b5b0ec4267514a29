"""Declares `logsieve loadtest tune`, a long study that continues after it was killed."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.study import Home, Smoke, Study
from loadtest.tune.report import TuneReport

DATABASE: Final = "tune"
_TENANTS: Final = 20
_SMOKE_ROWS: Final = 1_000


def run(
    bench: Bench,
    rows: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB.")] = 500_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds over all candidates.")] = 2,
    folder: Home = None,
    smoke: Smoke = False,
) -> TuneReport:
    """Compare indexes over the words of bodies: search time, size, cost of writing. Resumes after being killed."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.journal import Journal
    from loadtest.tune.candidates import ALL, SMOKE
    from loadtest.tune.results import tune_report
    from loadtest.tune.run import Step, Tuner
    from loadtest.tune.run import Study as Comparison

    corpus = Corpus(_SMOKE_ROWS if smoke else rows, "4k", _TENANTS, bench.seed, FIXED_DAY_NS)
    comparison = Comparison(corpus, SMOKE, 1) if smoke else Comparison(corpus, ALL, rounds)
    home = (folder or bench.home / "tune").resolve()
    journal = Journal(home / "journal.jsonl", repr(comparison), Step)
    with bench.stack_in(home, "clickhouse") as stack:
        with connect(stack.settings, "default") as client:
            bench.found_server(str(client.server_version))
            client.command(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        with connect(stack.settings, DATABASE) as client:
            tuner = Tuner(bench, client, comparison, journal)
            tuner.run()
            return tune_report(comparison, journal.steps, tuner.tokens_per_granule(), smoke=smoke)


STUDY: Final = Study(
    "tune",
    "Which index over the words of the body",
    TuneReport,
    run,
    smoke=("--smoke",),
)
