"""Tests the routes of saved views over the whole application, with keys of each purpose."""

import json

import pytest
from fastapi.testclient import TestClient

VIEWS = "/api/v1/views"
MEMBERS = {
    "name": "Errors",
    "folder": "checkout",
    "query": "severity:>=error",
    "start": "now-6h",
    "end": "now",
    "order": "asc",
    "columns": [{"field": "service", "width": None}, {"field": "user.id", "width": 120}],
    "chart_by": "service",
    "chart_kind": "bars",
    "is_default": True,
}


def test_a_view_comes_back_as_it_was_saved(client: TestClient) -> None:
    made = client.post(VIEWS, json=MEMBERS)
    assert (made.status_code, made.json()["revision"]) == (201, 1)
    view = client.get(f"{VIEWS}/{made.json()['id']}").json()
    assert view == made.json()
    assert MEMBERS.items() <= view.items()
    (listed,) = client.get(VIEWS).json()["views"]
    assert listed == {name: view[name] for name in ("id", "name", "folder", "is_default", "revision")}

    changed = client.put(f"{VIEWS}/{view['id']}", json={"name": "Errors", "revision": 1}).json()
    assert (changed["query"], changed["columns"]) == ("", [{"field": "service", "width": None}])
    assert client.delete(f"{VIEWS}/{view['id']}", params={"revision": 2}).status_code == 204
    assert client.get(f"{VIEWS}/{view['id']}").json()["code"] == "not_found"


def test_conflicts_have_codes_of_their_own(client: TestClient) -> None:
    path = f"{VIEWS}/{client.post(VIEWS, json=MEMBERS).json()['id']}"
    refused = client.post(VIEWS, json=MEMBERS)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    for refused in (client.put(path, json=MEMBERS | {"revision": 7}), client.delete(path, params={"revision": 7})):
        assert (refused.status_code, refused.json()["code"]) == (409, "revision_conflict")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"query": "(a"}, "invalid_query"),
        ({"name": "\ud800"}, "invalid_request"),
        ({"colums": []}, "invalid_request"),
        ({"columns": [{"field": "\ud800"}]}, "invalid_request"),
        ({"columns": [{"field": "a", "width": 10**30}]}, "invalid_request"),
        ({"start": "now-1y"}, "invalid_request"),
        ({"chart_kind": "pie"}, "invalid_request"),
    ],
)
def test_invalid_members_are_refused(shared_client: TestClient, change: dict[str, object], code: str) -> None:
    # Python's text of JSON writes a lone surrogate as an escape, as a hostile client would.
    refused = shared_client.post(
        VIEWS, content=json.dumps(MEMBERS | change), headers={"content-type": "application/json"}
    )
    assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert shared_client.get(VIEWS).json() == {"views": []}


@pytest.mark.parametrize("id", ["x", "0" * 12, "a%00b", "%F0%9F%8D%8E", "0" * 500])
def test_any_id_is_not_found(shared_client: TestClient, id: str) -> None:
    assert shared_client.get(f"{VIEWS}/{id}").json()["code"] == "not_found"


@pytest.mark.parametrize("purpose", ["ingest", "admin"])
def test_only_query_keys_reach_views(shared_client: TestClient, keys: dict[str, str], purpose: str) -> None:
    headers = {"authorization": keys[purpose]}
    for answer in (shared_client.get(VIEWS, headers=headers), shared_client.post(VIEWS, json=MEMBERS, headers=headers)):
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
