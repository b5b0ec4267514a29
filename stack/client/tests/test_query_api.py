"""Tests what commands say about answers that are not the API's."""

import httpx2
import pytest
from pydantic import BaseModel

from kit.errors import Internal, Unavailable
from stack.client.query_api import SearchRefused, parsed, requested


class Page(BaseModel):
    logs: list[str]


def answering(status: int, content_type: str, body: bytes) -> httpx2.Client:
    def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, content=body, headers={"content-type": content_type})

    return httpx2.Client(base_url="http://api/", transport=httpx2.MockTransport(answer))


def test_a_page_to_sign_in_is_no_answer() -> None:
    with answering(200, "text/html", b"<html>please sign in</html>") as client:
        content = requested(client, "GET", "views", 1.0).content

    with pytest.raises(Internal, match="check --url"):
        parsed(Page, content)


def test_a_deep_member_that_the_command_does_not_show_is_passed_over() -> None:
    assert parsed(Page, b'{"logs": ["a"], "ast": ' + b"[" * 400 + b"]" * 400 + b"}").logs == ["a"]


def test_an_error_of_a_proxy_is_not_the_apis() -> None:
    with answering(502, "text/html", b"<html>Bad Gateway</html>") as client, pytest.raises(Unavailable, match="502"):
        requested(client, "GET", "views", 1.0)


def test_a_problem_of_the_api_is_told_even_with_the_status_of_a_proxy() -> None:
    problem = b'{"code": "unavailable", "detail": "ClickHouse is away"}'
    with (
        answering(503, "application/problem+json", problem) as client,
        pytest.raises(SearchRefused, match="ClickHouse is away"),
    ):
        requested(client, "GET", "views", 1.0)


@pytest.mark.parametrize(
    ("base_url", "error", "advice"),
    [
        (
            "https://api/",
            httpx2.ConnectError("certificate verify failed: unable to get local issuer certificate (_ssl.c:1006)"),
            "; set SSL_CERT_FILE to",
        ),
        (
            "http://api/",
            httpx2.RemoteProtocolError("Server disconnected without sending a response."),
            "if the API uses TLS, set LOGSIEVE_TLS_CERT_FILE",
        ),
        ("http://api/", httpx2.ConnectError("Connection refused"), "check --url, or run `logsieve status`"),
    ],
)
def test_an_api_without_an_answer_comes_with_advice(base_url: str, error: httpx2.HTTPError, advice: str) -> None:
    def fail(_request: httpx2.Request) -> httpx2.Response:
        raise error

    with (
        httpx2.Client(base_url=base_url, transport=httpx2.MockTransport(fail)) as client,
        pytest.raises(Unavailable) as raised,
    ):
        requested(client, "GET", "views", 1.0)
    assert advice in raised.value.detail
    assert ("TLS" in raised.value.detail) == ("TLS" in advice)
