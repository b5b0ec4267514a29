"""Tests that the web UI knows the names of built-in fields, so that it writes attributes with those names correctly."""

import json

from backend.language.fields import BUILT_IN, NOT_SEARCHABLE
from kit.folders import PACKAGES

NAMES = PACKAGES / "frontend" / "src" / "language" / "recordNames.json"


def test_the_ui_knows_which_names_are_the_records_own() -> None:
    assert json.loads(NAMES.read_text()) == sorted([*BUILT_IN, *NOT_SEARCHABLE])
