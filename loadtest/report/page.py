"""A study's page, where it can be made of its results alone."""

from collections.abc import Iterable, Sequence

from loadtest.report.findings import Row, Table
from loadtest.report.result import FOLDER, Result, file_name
from loadtest.report.studies import Study


def page(study: Study, results: Sequence[Result], method: str) -> str:
    """Markdown: how it is measured, then the numbers of each result."""
    parts = [
        f"# {study.title}",
        method.strip(),
        "## Results",
        *(_section(result) for result in results),
    ]
    if not results:
        parts.append(f"`logsieve loadtest {study.name}` has not been run with `--write` yet.")
    return "\n\n".join(parts) + "\n"


def _section(result: Result) -> str:
    file = file_name(result)
    told = f"Written by `logsieve loadtest report` from [{file}]({FOLDER}/{file}). {origin(result)}"
    picture = result.findings.picture()
    shown = () if picture is None else (f"![{picture.shows}]({picture.name})",)
    tables = (f"{each.title}:\n\n{_table(each)}" for each in result.findings.tables())
    return "\n\n".join((told, headline(result.findings.headline()), *shown, *tables))


def origin(result: Result) -> str:
    """Where the numbers come from, as sentences."""
    where = result.origin
    commit = "" if where.commit is None else f", commit {where.commit}"
    return f"`{where.command}`, {where.day:%d %B %Y}{commit}; {where.machine}."


def headline(rows: Iterable[Row]) -> str:
    """Goals and what was measured, as a table."""
    lines = ["| | measured | goal | |", "| --- | ---: | --- | --- |"]
    lines += [f"| {each.what} | {each.measured} | {each.goal} | {verdict(each)} |" for each in rows]
    return "\n".join(lines)


def verdict(row: Row) -> str:
    return {True: "met", False: "**missed**", None: ""}[row.met]


def _table(table: Table) -> str:
    lines = [
        f"| {' | '.join(table.head)} |",
        "| --- |" + " ---: |" * (len(table.head) - 1),
        *(f"| {' | '.join(cells)} |" for cells in table.rows),
    ]
    return "\n".join(lines)
