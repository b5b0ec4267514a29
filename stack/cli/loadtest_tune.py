"""`logsieve loadtest tune`: a long study that may be killed and goes on where it was."""

from pathlib import Path
from typing import Annotated, Final

import typer

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.loadtest_origin import as_asked
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Seed, own_stack_offset, telling

_SMOKE_ROWS: Final = 10_000


def tune(
    profile: Annotated[str, typer.Option(help="full, or smoke for a minute with three candidates.")] = "full",
    rows: Annotated[int | None, typer.Option(min=1_000, help="Records; 500,000 for full, 10,000 for smoke.")] = None,
    size: Annotated[str, typer.Option(help="Bodies of 128, 1k, 4k or mixed bytes.")] = "4k",
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds over all candidates; 2 for full, 1 for smoke.")
    ] = None,
    tenants: Annotated[int, typer.Option(min=4, help="Tenants, of very different size.")] = 20,
    seed: Seed = 1,
    folder: Annotated[Path | None, typer.Option("--home", help="Where the study and its data live.")] = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Compare indexes over the words of the body: search time, size, cost of writing. Goes on after being killed."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.journal import Journal
    from loadtest.machine import this_machine
    from loadtest.own_stack import own_stack_in
    from loadtest.tune.candidates import ALL, SMOKE
    from loadtest.tune.report import Outcome, as_plain, write_page
    from loadtest.tune.results import results
    from loadtest.tune.run import Study, Tuner
    from loadtest.tune.step import Step

    if profile not in ("full", "smoke"):
        raise typer.BadParameter("--profile is full or smoke")
    smoke = profile == "smoke"
    corpus = Corpus(rows or (_SMOKE_ROWS if smoke else 500_000), size, tenants, seed, FIXED_DAY_NS)
    study = Study(corpus, SMOKE if smoke else ALL, rounds or (1 if smoke else 2))
    home = (folder or Settings().home / "loadtest" / "tune").resolve()
    with telling(as_json) as say:
        journal = Journal(home / "journal.jsonl", repr(study), Step)
        with own_stack_in(home, own_stack_offset(), ("clickhouse",), {}) as stack:
            connect(stack.settings, "default").command("CREATE DATABASE IF NOT EXISTS tune")
            client = connect(stack.settings, "tune")
            tuner = Tuner(client, study, journal, SystemClock(), say)
            tuner.run()
            found = results(study.candidates, journal.steps)
            outcome = Outcome(study, found, journal.steps, this_machine(client), tuner.tokens_per_granule())
        if write is not None:
            write_page(outcome, as_asked(), write)
        report = as_plain(outcome, goals=not smoke)
        for kind, name in report["recommended"].items():
            say(f"{kind}: {name or 'no candidate is small enough'}")
    finish("tune", report, as_json, write)
