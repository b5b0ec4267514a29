"""Starts Chromium under Playwright, without Chromium's own network traffic."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from kit.errors import InvalidRequest

BROWSERS: Final = ("chromium", "google-chrome")
HEADLESS_SHELL: Final = "chromium-headless-shell"
"""Chromium without the parts that draw windows. Takes less CPU than Chromium, so that tests prefer it."""

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # By default, the headless shell alone rounds the width of each character to pixels.
    "--font-render-hinting=none",
)


@contextmanager
def chromium(programs: Sequence[str] = BROWSERS) -> Iterator[Browser]:
    """Yields the browser that LOGSIEVE_CHROMIUM names, or the first of these programs on PATH.

    Raises InvalidRequest if there is none; `scripts/setup --tests` installs it.
    """
    executable = os.environ.get("LOGSIEVE_CHROMIUM") or next(filter(None, map(shutil.which, programs)), None)
    if executable is None:
        raise InvalidRequest("no chromium on PATH: run scripts/setup --tests, or set LOGSIEVE_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
