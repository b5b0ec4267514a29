"""Tests that files are short, have names of their content, and that documents which code names exist."""

import re
import subprocess
from pathlib import Path

import pytest

from kit.folders import PACKAGES

MAX_LINES = 300
CODE = {".py", ".pyi", ".rs", ".ts", ".tsx", ".css"}
GENERATED = {"frontend/src/api/schema.d.ts"}
EMPTY_NAMES = re.compile(r"(^|[_-])(utils?|helpers?|manager|common|misc|v\d)([_-]|$)", re.IGNORECASE)

DOCUMENT = re.compile(r"[\w./-]*\w\.md\b")
DECISION = re.compile(r"docs/decisions/(\d{4})")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=PACKAGES, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in listed.splitlines() if (PACKAGES / name).is_file()]


def test_no_file_of_code_is_longer_than_it_can_be_read() -> None:
    long = {
        str(path): lines
        for path in tracked()
        if path.suffix in CODE and str(path) not in GENERATED
        if (lines := len((PACKAGES / path).read_text().splitlines())) > MAX_LINES
    }

    assert long == {}


def test_names_say_the_domain() -> None:
    named_for_nothing = [
        str(path) for path in tracked() if any(EMPTY_NAMES.search(part.split(".")[0]) for part in path.parts)
    ]

    assert named_for_nothing == []


def test_documents_that_code_names_are_there() -> None:
    """Compares only the ends of paths, because links may be relative to their own folder."""
    documents = [f"/{path}" for path in tracked() if path.suffix == ".md"]
    decisions = {path.name[:4] for path in (PACKAGES / "docs" / "decisions").glob("0*.md")}
    named = [(str(path), (PACKAGES / path).read_text()) for path in tracked() if path.suffix in CODE]
    missing = {
        (path, document)
        for path, text in named
        for document in DOCUMENT.findall(text)
        if not any(each.endswith("/" + document.removeprefix("./").replace("../", "")) for each in documents)
    } | {(path, number) for path, text in named for number in DECISION.findall(text) if number not in decisions}

    assert any(DOCUMENT.search(text) for _, text in named)
    assert missing == set()


@pytest.mark.parametrize(
    "decision", sorted((PACKAGES / "docs" / "decisions").glob("0*.md")), ids=lambda path: path.stem
)
def test_a_decision_fits_on_a_page_and_is_in_the_list(decision: Path) -> None:
    text = decision.read_text()

    assert len(text.splitlines()) < 50
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences", "How it is guarded"]
    number, title = text.splitlines()[0].removeprefix("# ").split(" ", 1)
    assert f"| [{number}]({decision.name}) | {title} |" in (decision.parent / "README.md").read_text()
