"""Tests that files and names in the code map of docs/architecture.md exist."""

import re
from pathlib import Path

from kit.folders import PACKAGES

PATH = re.compile(r"`((?:kit|schema|native|ingest|backend|frontend|loadtest|stack|tests)/[\w./-]+)`")
SYMBOLS = re.compile(r"`((?:\w+/)+\w+\.py)` \(((?:`\w+`(?:, )?)+)\)")
QUESTIONS = 12


def code_map() -> str:
    """Returns the section of docs/architecture.md with the table of questions."""
    text = (PACKAGES / "docs" / "architecture.md").read_text()
    return text.split("## Where to look\n")[1].split("\n## ")[0]


def test_each_question_is_answered_with_a_file() -> None:
    questions = [line for line in code_map().splitlines() if "? |" in line]

    assert len(questions) >= QUESTIONS
    assert [line for line in questions if not PATH.search(line)] == []


def test_paths_that_the_architecture_names_exist() -> None:
    named = set(PATH.findall((PACKAGES / "docs" / "architecture.md").read_text()))

    assert len(named) > QUESTIONS
    assert {path for path in named if not (PACKAGES / path).exists()} == set()


def test_what_the_code_map_names_is_defined_in_its_file() -> None:
    named = [(path, symbol) for path, symbols in SYMBOLS.findall(code_map()) for symbol in re.findall(r"\w+", symbols)]

    assert len(named) > 2 * QUESTIONS
    assert [(path, symbol) for path, symbol in named if not is_defined(symbol, PACKAGES / path)] == []


def is_defined(symbol: str, path: Path) -> bool:
    """Returns whether a module, or a class in it, defines the name."""
    definition = rf"^ *(?:(?:async )?def|class) {symbol}\b|^{symbol}\b.* = "
    return re.search(definition, path.read_text(), re.MULTILINE) is not None
