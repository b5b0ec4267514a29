"""Tests the routes of dashboards over the whole application, with keys of each purpose."""

import json

import pytest
from fastapi.testclient import TestClient

DASHBOARDS = "/api/v1/dashboards"


@pytest.fixture
def members(client: TestClient) -> dict[str, object]:
    """Returns a dashboard with a panel."""
    view = client.post("/api/v1/views", json={"name": "Errors", "query": "| stats count()"}).json()["id"]
    panel = {"view": view, "title": "All errors", "width": 2, "height": 1}
    return {"name": "Shop", "start": "now-6h", "end": "now", "refresh_seconds": 60, "panels": [panel]}


def test_a_dashboard_comes_back_as_it_was_saved(client: TestClient, members: dict[str, object]) -> None:
    made = client.post(DASHBOARDS, json=members)
    assert (made.status_code, made.json()["revision"]) == (201, 1)
    path = f"{DASHBOARDS}/{made.json()['id']}"
    opened = client.get(path).json()
    (view,) = opened.pop("views")
    assert opened == made.json()
    assert members.items() <= opened.items()
    assert (view["name"], view["query"]) == ("Errors", "| stats count()")
    assert client.get(DASHBOARDS).json() == {"dashboards": [opened]}

    changed = client.put(path, json={"name": "Shop", "revision": 1}).json()
    assert (changed["panels"], changed["start"], changed["refresh_seconds"]) == ([], "now-1h", None)
    for refused in (client.put(path, json=members | {"revision": 1}), client.delete(path, params={"revision": 1})):
        assert (refused.status_code, refused.json()["code"]) == (409, "revision_conflict")
    refused = client.post(DASHBOARDS, json=members)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert client.delete(path, params={"revision": 2}).status_code == 204
    assert client.get(path).json()["code"] == "not_found"


@pytest.mark.parametrize(
    "change",
    [
        {"name": "\ud800"},
        {"panel": []},
        {"panels": [{"view": "0" * 12}]},
        {"panels": [{"view": "0" * 12, "size": 1}]},
        {"panels": [{"view": "0" * 12, "width": 10**30}]},
        {"refresh_seconds": -1},
    ],
)
def test_invalid_members_are_refused(client: TestClient, members: dict[str, object], change: dict[str, object]) -> None:
    # Python's text of JSON writes a lone surrogate as an escape, as a hostile client would.
    body = json.dumps(members | change)
    refused = client.post(DASHBOARDS, content=body, headers={"content-type": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert client.get(DASHBOARDS).json() == {"dashboards": []}


@pytest.mark.parametrize("id", ["x", "0" * 12, "a%00b", "%F0%9F%8D%8E", "0" * 500])
def test_any_id_is_not_found(shared_client: TestClient, id: str) -> None:
    assert shared_client.get(f"{DASHBOARDS}/{id}").json()["code"] == "not_found"


@pytest.mark.parametrize("purpose", ["ingest", "admin"])
def test_only_query_keys_reach_dashboards(shared_client: TestClient, keys: dict[str, str], purpose: str) -> None:
    headers = {"authorization": keys[purpose]}
    for answer in (
        shared_client.get(DASHBOARDS, headers=headers),
        shared_client.post(DASHBOARDS, json={}, headers=headers),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
