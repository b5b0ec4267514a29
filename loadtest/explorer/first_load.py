"""Visits the search page for the first time."""

from playwright.sync_api import Page


def first_load(page: Page, url: str) -> dict[str, int]:
    """Opens the page without a cache, waits for its rows, and until it loads nothing more.

    Returns the bytes of headers and body as they were sent, by the path of the address, without answers of the REST
    API.
    """
    answers = []
    page.on("response", lambda answer: answers.append(answer) if "/api/" not in answer.url else None)
    page.goto(url, wait_until="networkidle")
    page.get_by_test_id("result-row").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.evaluate("() => document.fonts.ready.then(() => {})")
    sizes = {answer.url.split("://")[1].partition("/")[2]: answer.request.sizes() for answer in answers}
    return {path: each["responseBodySize"] + each["responseHeadersSize"] for path, each in sizes.items()}
