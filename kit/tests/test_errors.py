"""Tests that the page about errors lists the whole tree of errors."""

import re

import pytest

from kit import errors
from kit.folders import PACKAGES


def test_docs_list_every_code_with_its_status_and_title() -> None:
    page = (PACKAGES / "docs" / "errors.md").read_text()
    listed = re.findall(r"^\| `(\w+)` \| (\d+) \| ([^|]+?) +\|", page, re.MULTILINE)

    assert listed == [(error.code, str(error.status), error.title) for error in errors.ALL]


def test_the_list_is_the_whole_tree() -> None:
    def leaves(error: type[errors.LogsieveError]) -> set[type[errors.LogsieveError]]:
        return {error}.union(*(leaves(child) for child in error.__subclasses__()))

    listed = {error for error in leaves(errors.LogsieveError) if error.__module__ == "kit.errors"}

    assert listed == {errors.LogsieveError, errors.RetryableError, *errors.ALL}


def test_codes_are_unique() -> None:
    codes = [error.code for error in errors.ALL]

    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(("seconds", "header"), [(0.0, "1"), (0.2, "1"), (1.0, "1"), (1.4, "2"), (60.0, "60")])
def test_clients_are_never_invited_early(seconds: float, header: str) -> None:
    assert errors.Unavailable("unreachable", seconds).retry_after_header == header
