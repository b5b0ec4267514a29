"""Tests of the last route: the page for every path that is no file, and problems below /api."""

import asyncio
import gzip
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Message

from backend import problems
from backend.ui.files import MAX_PATH_CHARACTERS, ui_route


@pytest.fixture
def built(tmp_path: Path) -> Path:
    ui = tmp_path / "dist"
    (ui / "assets").mkdir(parents=True)
    (ui / "index.html").write_text("the page")
    (ui / "assets" / "app-1f.js").write_text("the script")
    (tmp_path / "secret").write_text("not to be served")
    return ui


def get(ui: Path, path: str, headers: dict[str, str] | None = None) -> httpx2.Response:
    app = FastAPI()
    problems.install(app)
    app.router.routes.append(ui_route(ui))

    async def send() -> httpx2.Response:
        # Makes an error the answer that a client would see, instead of raising it in the test.
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://ui") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(send())


@pytest.mark.parametrize(
    "path", ["/", "/explore", "/%00", "/a%00b/c", f"/{'x' * 300}", "/%2e%2e/secret", "/..%2fsecret", "/assets", "/%ff"]
)
def test_what_is_no_file_is_the_page(built: Path, path: str) -> None:
    answer = get(built, path)

    assert (answer.status_code, answer.text) == (200, "the page")
    assert answer.headers["cache-control"] == "no-cache"


def test_a_path_that_is_longer_than_any_file_name_is_not_looked_up(built: Path) -> None:
    longer = built.joinpath(*["a"] * (MAX_PATH_CHARACTERS // 2 + 1))
    longest = longer.relative_to(built).as_posix()[:MAX_PATH_CHARACTERS].rstrip("/")
    longer.mkdir(parents=True)
    (built / longest / "b").write_text("a file")
    (longest_file := built / longest[:-2] / "c").write_text("a file")

    assert get(built, f"/{longest}/b").text == "the page"
    assert get(built, f"/{longest_file.relative_to(built)}").text == "a file"


def test_a_file_is_served_for_ever(built: Path) -> None:
    answer = get(built, "/assets/app-1f.js")

    assert (answer.status_code, answer.text) == (200, "the script")
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize("path", ["/api/nothing", "/api/v1/%00", f"/api/v1/{'x' * 300}", "/assets/gone.js"])
def test_what_is_not_there_is_a_problem(built: Path, path: str) -> None:
    answer = get(built, path)

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert answer.json()["code"] == "not_found"


def test_the_api_answers_with_problems_also_without_a_built_ui(tmp_path: Path) -> None:
    assert get(tmp_path / "none", "/api/nothing").json()["code"] == "not_found"
    assert get(tmp_path / "none", "/").status_code == 404


def compress(file: Path) -> None:
    """Writes files beside this one as the build does. Their lengths say which one is sent."""
    for suffix, text in ((".br", "by brotli"), (".gz", "by the older gzip")):
        file.with_name(file.name + suffix).write_bytes(gzip.compress(text.encode()))


@pytest.mark.parametrize(
    ("accepts", "encoding", "suffix"),
    [("gzip, deflate, br, zstd", "br", ".br"), ("gzip, deflate", "gzip", ".gz"), ("br;q=0.5, gzip", "gzip", ".gz")],
)
def test_a_file_is_sent_as_the_build_compressed_it_and_known_again(
    built: Path, accepts: str, encoding: str, suffix: str
) -> None:
    compress(file := built / "assets" / "app-1f.js")
    answer = get(built, f"/assets/{file.name}", {"accept-encoding": accepts})

    assert answer.headers["content-encoding"] == encoding
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-length"] == str(file.with_name(file.name + suffix).stat().st_size)
    again = get(built, f"/assets/{file.name}", {"accept-encoding": accepts, "if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("accepts", ["", "zstd", "identity", "br;q=0"])
def test_a_client_that_takes_no_encoding_of_the_build_gets_the_file_itself(built: Path, accepts: str) -> None:
    compress(built / "assets" / "app-1f.js")
    answer = get(built, "/assets/app-1f.js", {"accept-encoding": accepts})

    assert "content-encoding" not in answer.headers
    assert answer.text == "the script"


def test_a_new_build_is_served_at_once(built: Path) -> None:
    compress(page := built / "index.html")
    before = get(built, "/", {"accept-encoding": "gzip"})
    page.with_name("index.html.gz").write_bytes(gzip.compress(b"the next page"))

    answer = get(built, "/", {"accept-encoding": "gzip", "if-none-match": before.headers["etag"]})
    assert (before.text, answer.text) == ("by the older gzip", "the next page")


def test_large_files_come_in_pieces_of_one_content(built: Path) -> None:
    """Tests that answers that nobody reads hold little memory, however many there are, because they need no key."""
    text = "the script " * 30_000
    (built / "assets" / "app-1f.js").write_text(text)
    read = 0

    class Counted(type(built)):  # type: ignore[misc]  # the class of the system's paths
        def read_bytes(self) -> bytes:
            nonlocal read
            read += 1
            content: bytes = super().read_bytes()
            return content

    route, sent = ui_route(Counted(built)), []

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError("disconnected")

    async def send(message: Message) -> None:
        sent.append(message)

    async def request() -> None:
        path = "/assets/app-1f.js"
        scope = {"type": "http", "method": "GET", "path": path, "path_params": {"path": path[1:]}, "headers": []}
        await route.app(scope, receive, send)

    for _ in range(2):
        sent.clear()
        asyncio.run(request())
        pieces = [message["body"] for message in sent[1:]]
        assert dict(sent[0]["headers"])[b"content-length"] == str(len(text)).encode()
        assert b"".join(pieces).decode() == text
        assert max(map(len, pieces)) <= 64 * 2**10
    assert read == 1
