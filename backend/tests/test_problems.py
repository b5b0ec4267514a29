"""Tests of the API's error answers."""

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from structlog.testing import capture_logs

from backend.problems import Problem, install, responses
from kit.errors import Conflict, QueryTooExpensive, RateLimited, Unavailable


def answer_to(error: Exception, method: str = "GET") -> tuple[int, dict[str, str], dict[str, Any]]:
    """Returns status, headers and problem of a route for GET that raises the error."""
    app = FastAPI()
    install(app)

    @app.get("/")
    async def fail() -> None:
        raise error

    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.request(method, "/")
    return answer.status_code, dict(answer.headers), answer.json()


@pytest.mark.parametrize("error", [Unavailable("unreachable", 1.4), RateLimited("too much", 1.4)])
def test_what_may_succeed_later_says_when_and_not_too_early(error: Unavailable | RateLimited) -> None:
    status, headers, _ = answer_to(error)
    assert status == error.status
    assert headers["retry-after"] == "2"


def test_what_may_not_succeed_later_says_no_time() -> None:
    _, headers, problem = answer_to(Conflict("taken"))
    assert "retry-after" not in headers
    assert (problem["code"], problem["detail"]) == ("conflict", "taken")


def test_a_wrong_method_is_answered_with_those_that_the_path_takes() -> None:
    status, headers, problem = answer_to(KeyError("not reached"), "DELETE")
    assert (status, headers["allow"]) == (405, "GET")
    assert (problem["status"], problem["code"]) == (405, "invalid_request")
    assert problem["detail"] == "/ does not take DELETE: use GET"


def test_what_nobody_foresaw_keeps_its_words_to_itself() -> None:
    status, _, problem = answer_to(KeyError("oops"))
    assert (status, problem["code"]) == (500, "internal")
    assert "oops" not in problem["detail"]


def test_the_description_has_only_errors_that_the_api_answers_with() -> None:
    app = FastAPI()
    install(app)

    @app.post("/{id}", responses=responses(QueryTooExpensive))
    async def search(id: int, body: Problem) -> None: ...

    @app.get("/{id}")
    async def read(id: int) -> None: ...

    document = app.openapi()

    errors = {method: entry["responses"] for method, entry in document["paths"]["/{id}"].items()}
    assert {method: set(entry) for method, entry in errors.items()} == {
        "post": {"200", "400", "413", "422"},
        "get": {"200", "400"},
    }
    assert errors["post"]["422"]["description"] == QueryTooExpensive.title
    assert set(document["components"]["schemas"]) == {"Problem"}


def test_a_failure_is_logged_with_its_route_and_not_with_its_path() -> None:
    app = FastAPI()
    install(app)

    @app.get("/fields/{field}")
    async def fail(field: str) -> None:
        raise Unavailable(f"unreachable with {len(field)} characters")

    with TestClient(app) as client, capture_logs() as lines:
        client.get("/fields/" + "secret" * 1_000)
    assert [each["route"] for each in lines if each["event"] == "request failed"] == ["/fields/{field}"]
    assert "secret" not in str(lines)
