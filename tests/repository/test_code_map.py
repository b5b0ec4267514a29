"""The code map of docs/architecture.md names files that exist."""

import re

from kit.settings import CHECKOUT

PATH = re.compile(r"`((?:kit|schema|native|ingest|backend|frontend|loadtest|stack|tests)/[\w./-]+)`")
QUESTIONS = 12


def code_map() -> str:
    """The section with the table of questions."""
    text = (CHECKOUT / "docs" / "architecture.md").read_text()
    return text.split("## Where to look\n")[1].split("\n## ")[0]


def test_each_question_is_answered_with_a_file() -> None:
    questions = [line for line in code_map().splitlines() if "? |" in line]

    assert len(questions) >= QUESTIONS
    assert [line for line in questions if not PATH.search(line)] == []


def test_paths_that_the_architecture_names_exist() -> None:
    named = set(PATH.findall((CHECKOUT / "docs" / "architecture.md").read_text()))

    assert len(named) > QUESTIONS
    assert {path for path in named if not (CHECKOUT / path).exists()} == set()
