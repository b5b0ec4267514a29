"""Writes everything that can be made of the results in a folder."""

from pathlib import Path
from typing import Final

from loadtest.report.index import rows
from loadtest.report.page import page
from loadtest.report.result import kept
from loadtest.report.studies import STUDIES
from loadtest.report.summary import draw_summary

INDEX: Final = "README.md"
_TEMPLATE: Final = Path(__file__).with_name("index.md")


def write_report(folder: Path) -> list[Path]:
    """The pages, their pictures and the index; the same results make the same files. What was written.

    Raises InvalidRequest for a file among the results that is none, or where there is something to draw without
    matplotlib.
    """
    results = kept(folder)
    pages = {
        study.page: page(study, [each for each in results if each.study is study], study.method.read_text())
        for study in STUDIES.values()
        if study.method is not None
    }
    for name, text in pages.items():
        (folder / name).write_text(text)
    for result in results:
        if (picture := result.findings.picture()) is not None:
            picture.draw(folder / picture.name)
    there = {file.name for file in folder.glob("*.md")}
    text = _TEMPLATE.read_text().replace("{summary}", draw_summary(results, folder))
    (folder / INDEX).write_text(text.replace("{rows}", rows(STUDIES.values(), results, there)))
    return [folder / name for name in (*pages, INDEX)]
