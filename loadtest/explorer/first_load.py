"""Visits the search page for the first time."""

from dataclasses import dataclass

from playwright.sync_api import Page


@dataclass(frozen=True, slots=True)
class FirstLoad:
    """The files of a first visit, without answers of the REST API."""

    bytes_by_path: dict[str, int]
    """Bytes of body and headers as they were sent, by the path of the address."""

    @property
    def kilobytes(self) -> float:
        """Size of all files in kilobytes of 1,000 bytes."""
        return sum(self.bytes_by_path.values()) / 1_000


def first_load(page: Page, url: str) -> FirstLoad:
    """Opens the page without a cache, waits for its rows, and until it loads nothing more."""
    answers = []
    page.on("response", lambda answer: answers.append(answer) if "/api/" not in answer.url else None)
    page.goto(url, wait_until="networkidle")
    page.get_by_test_id("result-row").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.evaluate("() => document.fonts.ready.then(() => {})")
    sizes = {answer.url.split("://")[1].partition("/")[2]: answer.request.sizes() for answer in answers}
    return FirstLoad({path: each["responseBodySize"] + each["responseHeadersSize"] for path, each in sizes.items()})
