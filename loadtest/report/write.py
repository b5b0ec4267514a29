"""Writes the pages, pictures and index of docs/benchmarks from stored results."""

from pathlib import Path
from typing import Final

from loadtest.report.page import index_row, page
from loadtest.report.result import kept
from loadtest.studies import STUDIES

INDEX: Final = "README.md"
_TEMPLATE: Final = Path(__file__).with_name("index.md")


def write_report(folder: Path) -> list[Path]:
    """Writes the pages, their pictures and the index into `folder`. Returns the paths of the pages and the index.

    Equal results give equal files. Raises InvalidRequest if a file among the results is not a result, or if a picture
    must be drawn and matplotlib is not installed.
    """
    results = kept(folder)
    by_study = {study: [each for each in results if each.study is study] for study in STUDIES.values()}
    for study, own in by_study.items():
        (folder / study.page).write_text(page(study, own, study.method.read_text()))
    for picture in (each for result in results for each in result.report.pictures()):
        picture.draw(folder / picture.name)
    rows = "\n".join(index_row(study, own) for study, own in by_study.items())
    (folder / INDEX).write_text(_TEMPLATE.read_text().replace("{rows}", rows))
    return [folder / name for name in (*(study.page for study in by_study), INDEX)]
