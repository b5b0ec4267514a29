"""docs/benchmarks/README.md: a row a number, with its goal and the command that measures it."""

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain

from loadtest.report.page import verdict
from loadtest.report.result import Result
from loadtest.report.studies import Study


def rows(studies: Iterable[Study], results: Sequence[Result], pages: Container[str]) -> str:
    """Lines of the table; `pages` are the files that can be linked to."""
    found = (_rows(study, [each for each in results if each.study is study], pages) for study in studies)
    return "\n".join(chain.from_iterable(found))


def _rows(study: Study, results: Sequence[Result], pages: Container[str]) -> Iterator[str]:
    link = f"[{study.title}]({study.page})" if study.page in pages else study.title
    if not results:
        yield f"| {link} | | not run yet | | | `logsieve loadtest {study.name}` |"
    for result in results:
        cells = [link, f"`{result.origin.command}`"]
        for row in result.findings.headline():
            yield f"| {cells[0]} | {row.what} | {row.measured} | {row.goal} | {verdict(row)} | {cells[1]} |"
            cells = ["", ""]
        link = ""
