"""Tests that a wrong method is answered with all methods of the path, and an unknown path of the API with 404."""

import pytest
from fastapi.testclient import TestClient

from backend.app import create_app
from kit.clock import SystemClock
from kit.settings import Settings


@pytest.fixture(scope="module")
def client() -> TestClient:
    # Not started: routes are found without any service.
    return TestClient(create_app(Settings(access_log="off"), SystemClock()))


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/v1/logs/search", "GET, POST"),
        ("POST", "/api/v1/views/4bf92f3577b3", "GET, PUT, DELETE"),
        ("GET", "/api/v1/alerts/4bf92f3577b3/mute", "POST"),
        ("DELETE", "/explore", "GET"),
    ],
)
def test_a_wrong_method_is_answered_with_all_methods_of_the_path(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, path)

    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["detail"] == f"{path} does not take {method}: use {allowed}"


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/logs/search/", "/api/"])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_unknown_path_of_the_api_is_not_found_by_any_method(client: TestClient, method: str, path: str) -> None:
    answer = client.request(method, path, follow_redirects=False)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
