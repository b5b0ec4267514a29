"""Makes the page of a study and its row of the index, as Markdown, from stored results."""

from collections.abc import Iterable, Sequence

from loadtest.report.report import Row
from loadtest.report.result import FOLDER, Result
from loadtest.study import Study


def page(study: Study, results: Sequence[Result], method: str) -> str:
    """Returns a study's page: the text `method` about how it measures, then the numbers of each result."""
    parts = [f"# {study.title}", method.strip(), "## Results", *(_section(result) for result in results)]
    if not results:
        parts.append(f"`logsieve loadtest {study.name}` has not been run with `--write` yet.")
    return "\n\n".join(parts) + "\n"


def _section(result: Result) -> str:
    file = result.file_name
    source = f"Written by `logsieve loadtest report` from [{file}]({FOLDER}/{file}). {origin(result)}"
    shown = (f"![{each.shows}]({each.name})" for each in result.report.pictures())
    tables = (f"{each.title}:\n\n{markdown_table(each.head, each.rows)}" for each in result.report.tables())
    return "\n\n".join((source, headline(result.report.headline()), *shown, *tables))


def origin(result: Result) -> str:
    """Returns a sentence about the origin of a result: the command, day, commit and machine."""
    where = result.origin
    commit = "" if where.commit is None else f", commit {where.commit}"
    return f"`{where.command}`, {where.day:%d %B %Y}{commit}; {where.machine}."


def headline(rows: Iterable[Row]) -> str:
    """Returns a table of measured values and their goals."""
    lines = ["| | measured | goal | |", "| --- | ---: | --- | --- |"]
    lines += [f"| {each.what} | {each.measured} | {each.goal} | {_verdict(each)} |" for each in rows]
    return "\n".join(lines)


def index_row(study: Study, results: Sequence[Result]) -> str:
    """Returns a study's row of the table in the index: the first value of its first result, and how many of the goals
    of all its results are met."""
    link = f"[{study.title}]({study.page})"
    if not results:
        return f"| {link} | not run yet: `logsieve loadtest {study.name}` | | | |"
    values = [row for result in results for row in result.report.headline()]
    first, met = values[0], [row.met for row in values if row.met is not None]
    goals = f"{met.count(True)} of {len(met)}" if met else "no goals"
    return f"| {link} | {first.what} | {first.measured} | {first.goal} | {goals} |"


def _verdict(row: Row) -> str:
    return {True: "met", False: "**missed**", None: ""}[row.met]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table. The first column is text, the others are numbers and therefore right-aligned."""
    lines = [f"| {' | '.join(head)} |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])
