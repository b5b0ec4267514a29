"""Tests that the grammar splits queries into the tokens of `frontend/src/language/tokenCases.json`.

`frontend/src/language/tokenize.test.ts` compares the web UI's tokenizer with the same file, so both split alike.
"""

import json
import re
from typing import Any, Final

import pytest

from backend.language.operators import OPERATORS
from backend.language.parse import parse, tokens_of
from kit.folders import PACKAGES

CASES: Final[list[dict[str, Any]]] = json.loads(
    (PACKAGES / "frontend" / "src" / "language" / "tokenCases.json").read_text()
)

KINDS: Final = {
    "FIELD": "field",
    "_BODY": "field",
    "QUOTED": "phrase",
    "REGEX": "regex",
    "COMPARATOR": "comparison",
    "TILDE": "comparison",
    "_AND": "boolean",
    "_OR": "boolean",
    "_NOT": "boolean",
    "_MINUS": "negation",
    "LPAR": "open",
    "RPAR": "close",
}
"""The web UI's kind of token for each terminal of the grammar. Other terminals are words or wildcards.

A range is one token of the web UI.
"""

COLOURED_OTHERWISE: Final = {"group"}
"""Forms whose example the web UI splits in another way. In a group of values, it takes `>=` as a part of the word."""


def split(query: str) -> list[list[str]]:
    """Returns the tokens of a query by the grammar, each as the web UI's kind and the text."""
    found: list[list[str]] = []
    range_from: int | None = None
    for token in tokens_of(query):
        kind, start, end = token.type, token.start_pos or 0, token.end_pos or 0
        if kind == "RANGE_OPEN":
            range_from = start
        elif kind == "RANGE_CLOSE":
            found.append(["range", query[range_from:end]])
            range_from = None
        elif range_from is None:
            text = query[start:end]
            has_star = "*" in re.sub(r"\\.", "", text, flags=re.DOTALL)
            found.append([KINDS.get(kind, "wildcard" if has_star else "word"), text])
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["query"])
def test_the_grammar_splits_a_query_as_the_case_says(case: dict[str, Any]) -> None:
    parse(case["query"])
    assert split(case["query"]) == case["tokens"]


def test_the_example_of_every_form_is_a_case() -> None:
    examples = {operator.example for operator in OPERATORS if operator.name not in COLOURED_OTHERWISE}
    assert examples <= {case["query"] for case in CASES}
