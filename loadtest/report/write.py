"""Writes everything that can be made of the results in a folder."""

from pathlib import Path
from typing import Final

from loadtest.report.page import index_rows, page
from loadtest.report.result import kept
from loadtest.report.summary import draw_summary
from loadtest.studies import STUDIES

INDEX: Final = "README.md"
_TEMPLATE: Final = Path(__file__).with_name("index.md")


def write_report(folder: Path) -> list[Path]:
    """Writes the pages, their pictures and the index, and returns the files; the same results make the same files.

    Raises InvalidRequest for a file among the results that is none, or where there is something to draw without
    matplotlib.
    """
    results = kept(folder)
    by_study = {study: [each for each in results if each.study is study] for study in STUDIES.values()}
    pages = {
        study.page: page(study, own, study.method.read_text())
        for study, own in by_study.items()
        if study.method is not None
    }
    for name, text in pages.items():
        (folder / name).write_text(text)
    for result in results:
        if (picture := result.report.picture()) is not None:
            picture.draw(folder / picture.name)
    there = {file.name for file in folder.glob("*.md")}
    rows = "\n".join(row for study, own in by_study.items() for row in index_rows(study, own, there))
    text = _TEMPLATE.read_text().replace("{summary}", draw_summary(results, folder))
    (folder / INDEX).write_text(text.replace("{rows}", rows))
    return [folder / name for name in (*pages, INDEX)]
