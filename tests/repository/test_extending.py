"""Tests that docs/extending.md names existing files and has all recipes."""

import re

from kit.folders import PACKAGES

PAGE = PACKAGES / "docs" / "extending.md"
PATH = re.compile(r"`((?:kit|schema|native|ingest|backend|frontend|loadtest|stack|tests|docs)(?:/[\w.-]+)*)`")
RECIPES = [
    "query operator",
    "function of `| stats`",
    "endpoint over logs",
    "CLI command",
    "setting",
    "attribute rule",
    "load test",
]


def test_there_is_a_recipe_for_each_thing() -> None:
    assert re.findall(r"^## An? (.+)$", PAGE.read_text(), re.MULTILINE) == RECIPES


def test_paths_that_the_recipes_name_exist() -> None:
    recipes = PAGE.read_text().split("\n## ")[1:]

    assert all(len(PATH.findall(recipe)) > 1 for recipe in recipes)
    assert {path for recipe in recipes for path in PATH.findall(recipe) if not (PACKAGES / path).exists()} == set()
