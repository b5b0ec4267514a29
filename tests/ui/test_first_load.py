"""Tests of the files that a browser loads before somebody can search."""

from pathlib import PurePosixPath

import pytest
from playwright.sync_api import Page

from loadtest.explorer.first_load import first_load
from tests.running_stack import Stack

MAX_KILOBYTES = 350
"""Goal of `logsieve loadtest explorer` (docs/benchmarks/explorer.md)."""


@pytest.mark.usefixtures("samples")
def test_a_first_visit_loads_only_what_a_search_needs(stack: Stack, page: Page) -> None:
    loaded = first_load(page, f"{stack.ui_url}?from=now-7h&to=now")

    assert sum(loaded.values()) <= MAX_KILOBYTES * 1_000, loaded
    names = {PurePosixPath(path).name.partition("-")[0] for path in loaded}
    assert {"index", "react", "libraries", "editor"} <= names
    assert not names & {"SettingsPage", "GetStartedPage", "TracePage", "ValueTree"}


@pytest.mark.usefixtures("samples")
def test_the_page_names_every_script_so_that_none_waits_for_another(stack: Stack, page: Page) -> None:
    loaded = first_load(page, f"{stack.ui_url}?from=now-7h&to=now")

    scripts = [path for path in loaded if path.endswith((".js", ".css"))]
    html = page.request.get(stack.ui_url).text()
    assert scripts != []
    assert [path for path in scripts if path not in html] == []


@pytest.mark.usefixtures("samples")
def test_text_is_sent_as_the_build_compressed_it(stack: Stack, page: Page) -> None:
    loaded = first_load(page, f"{stack.ui_url}?from=now-7h&to=now")

    text = [path for path in loaded if path.endswith((".js", ".css", ".svg"))]
    answers = {path: page.request.get(stack.ui_url + path, headers={"Accept-Encoding": "br"}) for path in text}
    assert answers != {}
    assert {path: answer.headers.get("content-encoding") for path, answer in answers.items()} == dict.fromkeys(
        text, "br"
    )
