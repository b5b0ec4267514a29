"""Takes pictures of all scenes of the web UI, and tests that axe-core finds no violation in both themes.

Only `make screenshots` runs it. With LOGSIEVE_SCREENSHOT_WIDTHS, such as `390,1024,1440,2560`, it also takes pictures
of all scenes at these widths in both themes.
"""

import base64
import os
import time
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from stack.samples.send import send_samples
from tests.api_client import Api
from tests.running_stack import Stack
from tests.tenants import new_tenant
from tests.ui.axe import THEMES, violations
from tests.ui.conftest import on_a_thread, signed_in
from tests.ui.scenes import DARK, SCENES, Scene, Shop

FOLDER: Final = os.environ.get("LOGSIEVE_SCREENSHOTS")
"""Folder for the pictures. If it is None, the tests are skipped."""
WIDTHS: Final = [int(width) for width in os.environ.get("LOGSIEVE_SCREENSHOT_WIDTHS", "").split(",") if width]
HOUR_NS: Final = 3_600 * 10**9
SAMPLES: Final = 5_000
QUALITY: Final = 65
WHOLE: Final[ViewportSize] = {"width": 1440, "height": 1800}
"""Size at which a record is whole. If a name is cut, axe compares only its visible part with the label."""
DRAWN_MS: Final = 400
"""Milliseconds to wait before a picture, until the chart is drawn for a new size or theme."""


@pytest.fixture(scope="module")
def shop(stack: Stack) -> Shop:
    # For pictures of the tour the stack is new, so that these names are free without random digits.
    suffix = None if FOLDER is None or WIDTHS else ""
    keys = on_a_thread(new_tenant, stack, "shop", suffix=suffix)
    without_logs = on_a_thread(new_tenant, stack, "new-shop", suffix=suffix)
    end_ns = time.time_ns() // HOUR_NS * HOUR_NS
    start_ns = end_ns - 6 * HOUR_NS
    endpoint = stack.otlp_http_url.removesuffix("/v1/logs")
    sent = send_samples(endpoint, keys.ingest, count=SAMPLES, seed=1, now_ns=end_ns).records
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(sent, start_ns - HOUR_NS, end_ns + HOUR_NS)
    return Shop(stack, keys, without_logs, start_ns, end_ns)


@pytest.fixture
def page(shop: Shop, browser: Browser, request: pytest.FixtureRequest) -> Page:
    """Returns a page that is signed in to the tenant of the scene."""
    scene: Scene = request.getfixturevalue("scene")
    keys = {"shop": shop.keys, "without logs": shop.without_logs}.get(scene.key)
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
        storage_state=None if keys is None else signed_in(shop.stack, keys.query),
    )
    return context.new_page()


@pytest.mark.skipif(FOLDER is None, reason="takes pictures: `make screenshots` runs it")
@pytest.mark.parametrize("scene", SCENES, ids=[scene.name for scene in SCENES])
def test_a_scene_of_the_tour(shop: Shop, page: Page, scene: Scene) -> None:
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    scene.open(page, shop)
    take(page, scene.name)
    if scene.name == DARK:
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        take(page, f"{scene.name}-dark")
    page.set_viewport_size(WHOLE)
    found = violations(page)
    take_widths(page, scene.name)
    assert found == []


def take(page: Page, name: str) -> None:
    """Writes a picture of the page as WebP, which takes half as many bytes as PNG."""
    if FOLDER is None:
        return
    page.mouse.move(0, 0)
    page.add_style_tag(content="*, .cm-cursor { caret-color: transparent !important }")
    page.wait_for_timeout(DRAWN_MS)
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    Path(FOLDER, f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))


def take_widths(page: Page, name: str) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844 if width < 1_000 else 900})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.wait_for_timeout(DRAWN_MS)
            page.screenshot(path=Path(FOLDER or ".", f"{name}-{width}-{theme}.png"))
