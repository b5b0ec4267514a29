"""Starts Chromium under Playwright, without Chromium's own network traffic."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from kit.errors import InvalidRequest

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yields a browser. Raises InvalidRequest if Chromium is not installed; `scripts/setup --tests` installs it."""
    executable = os.environ.get("LOGSIEVE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        raise InvalidRequest("no chromium on PATH: run scripts/setup --tests, or set LOGSIEVE_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
