"""Declares `logsieve loadtest search`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.search.report import SearchReport
from loadtest.study import Home, Study


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to search in.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of times that each search runs on each side.")] = 20,
    folder: Home = None,
) -> SearchReport:
    """Measure pages of the newest records, each plan over both index profiles, against a plain exporter's table."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.search.measure import measure

    home = ((folder or bench.home / "search") / f"{records}-{bench.seed}").resolve()
    corpus = Corpus(records, "4k", 1, bench.seed, FIXED_DAY_NS)
    with bench.stack_in(home, "migrate") as stack, connect(stack.settings) as client:
        bench.found_server(str(client.server_version))
        return measure(bench, stack, client, corpus, rounds)


STUDY: Final = Study(
    "search",
    "How fast a page of search results is",
    SearchReport,
    run,
    smoke=("--records", "2000", "--rounds", "1"),
)
