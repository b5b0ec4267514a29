"""`logsieve logs explain`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from stack.cli.console import errors, output
from stack.cli.query_options import Key, Order, QueryText, Since, Until, Url, api_client, time_range
from stack.terminal_text import escape_json, one_line

if TYPE_CHECKING:
    from stack.client.log_explain import Analysis, IndexUse


def explain(
    query: QueryText = "",
    since: Since = "1h",
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Largest number of logs on the page.")] = 100,
    order: Order = "desc",
    analyze: Annotated[
        bool, typer.Option("--analyze", help="Read the page, and show the cost of each statement.")
    ] = False,
    url: Url = None,
    key: Key = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's answer as JSON.")] = False,
) -> None:
    """Explain a search: its plan, its SQL, and the granules that each index leaves to be read."""
    from stack.client.log_explain import ExplainRequest, explain_search

    start, end = time_range(since, until)
    with api_client(query, url, key) as client:
        found, raw = explain_search(client, ExplainRequest(query, start, end, order, limit, analyze))
    if as_json:
        typer.echo(escape_json(raw.decode()))
        return
    console = output()
    _print(console, f"query    {found.query or '(every record)'}")
    _print(console, f"plan     {found.plan}: {found.why}")
    if len(found.shards) > 1:
        _print(console, f"shards   {', '.join(map(str, found.shards))}: each runs the SQL over its own tables")
    if found.scan is not None:
        _print(console, f"scan     every row in range is tested: {found.scan}")
    _print_indexes(console, found.indexes)
    if found.analysis is not None:
        _print_analysis(console, found.analysis)
    for sql in (found.sql, found.second_phase_sql):
        if sql is not None:
            console.print()
            for line in sql.splitlines():
                _print(console, line)


def _print_indexes(console: Console, indexes: "Sequence[IndexUse]") -> None:
    table = Table("index", "type", "parts", "granules", "bytes", box=None, pad_edge=False)
    for index in indexes:
        size = "-" if index.bytes is None else f"{index.bytes:,}"
        parts = f"{index.parts_read:,} of {index.parts_total:,}"
        table.add_row(
            one_line(index.name), index.type, parts, f"{index.granules_read:,} of {index.granules_total:,}", size
        )
    console.print()
    console.print(table)


def _print_analysis(console: Console, analysis: "Analysis") -> None:
    console.print()
    _print(console, f"read     {analysis.logs:,} logs in {analysis.elapsed_ms:,.1f} ms")
    table = Table(
        "reads", "from", "ms", "answered", "cpu ms", "rows read", "bytes read", "granules", "files", "memory", "rows",
        box=None, pad_edge=False,
    )  # fmt: skip
    for each in analysis.statements:
        table.add_row(
            each.reads,
            each.start[:19],
            f"{each.elapsed_ms:.1f}",
            f"{each.answered_ms:.1f}",
            "-" if each.cpu_ms is None else f"{each.cpu_ms:.1f}",
            f"{each.rows_read:,}",
            f"{each.bytes_read:,}",
            "-" if each.marks_read is None else f"{each.marks_read:,} of {each.marks_total:,}",
            _count(each.files_opened),
            _count(each.memory_bytes),
            f"{each.rows:,}",
        )
    console.print(table)
    has_shards = len({each.shard for each in analysis.statements}) > 1
    for number, each in enumerate(analysis.statements, start=1):
        if len(analysis.statements) > 1:
            console.print()
            of_shard = f" of shard {each.shard}" if has_shards else ""
            what = f"{each.reads}{of_shard} from {each.start[:19]} to {each.end[:19]}"
            _print(console, f"statement {number}, which reads {what}")
        _print_indexes(console, each.indexes)
    if analysis.unknown is not None:
        errors().print(one_line(analysis.unknown), style="dim", highlight=False)


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _print(console: Console, line: str) -> None:
    console.print(one_line(line), markup=False, highlight=False, soft_wrap=True)
