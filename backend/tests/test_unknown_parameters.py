"""Tests that URLs and bodies with unknown or repeated names are refused with a helpful text."""

from collections.abc import Iterator
from typing import Annotated

import pytest
from fastapi import Depends, FastAPI, Query
from fastapi.testclient import TestClient
from pydantic import Field

from backend.problems import install
from backend.search.parameters import PageParameters
from backend.strict_body import StrictBody, Texts
from backend.unknown_parameters import check_address


class _Channel(StrictBody):
    kind: str
    url: str = ""


class _Condition(StrictBody):
    column: str
    threshold: float | None = None


class _Rule(StrictBody):
    name: str = ""
    condition: _Condition | None = None
    channels: list[_Channel] | None = Field(None, fail_fast=True)
    labels: Texts = Field(default_factory=dict)
    until: str | int | None = None


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = FastAPI(dependencies=[Depends(check_address)])
    install(app)

    @app.get("/search")
    async def search(requested: Annotated[PageParameters, Query()]) -> PageParameters:
        return requested

    @app.post("/search")
    async def search_by_body(requested: PageParameters) -> PageParameters:
        return requested

    @app.post("/rules")
    async def rules(requested: _Rule) -> _Rule:
        return requested

    @app.get("/plain/{id}")
    async def plain(id: str, before: Annotated[int, Query(alias="from")] = 1) -> str:
        return id * before

    @app.get("/none")
    async def none() -> None: ...

    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("address", "detail"),
    [
        (
            "/search?qeury=a&limti=3",
            "unknown parameter `limti`, `qeury`: allowed here are `query`, `start`, `end`, `order`, `limit`, `plan`, "
            "`cursor`",
        ),
        ("/plain/1?before=2", "unknown parameter `before`: allowed here are `from`"),
        ("/none?x", "unknown parameter `x`: no parameters are allowed here"),
        ("/none?=1", "unknown parameter ``: no parameters are allowed here"),
        ("/search?query=a&query=b", "the parameter `query` is given more than once: give it once"),
        ("/search?query=a&%71uery=b", "the parameter `query` is given more than once: give it once"),
        ("/search?limit=many", "`limit` is 'many': input should be a valid integer, unable to parse string"),
        ("/search?limit=0", "`limit` is '0': input should be greater than or equal to 1"),
    ],
)
def test_an_address_says_what_is_wrong(client: TestClient, address: str, detail: str) -> None:
    refused = client.get(address)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert refused.json()["detail"].startswith(detail)


def test_parameters_beside_a_body_belong_into_the_body(client: TestClient) -> None:
    refused = client.post("/search?limit=5", json={"query": "error"})
    assert refused.json()["detail"] == (
        "unknown parameter `limit`: no parameters are allowed here; send them as members of the JSON body"
    )


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ('{"query": "a", "limti": 3}', "unknown member `limti`: allowed here are `query`, `start`"),
        ('{"query": ', "the body is not valid JSON: expecting value at character 10"),
        (b'{"query": "\xff"}', "the body is not valid UTF-8 from byte 11 on: send JSON in UTF-8"),
        pytest.param("[" * 50_000, "the objects and lists of the body are nested too deeply: send the", id="nested"),
        pytest.param('{"limit": ' + "1" * 4_301 + "}", "the body has a number of more than 4,300 digits", id="digits"),
        ("[]", "the body is not a JSON object: send a JSON object with `Content-Type: application/json`"),
        ("", "there is no body: send a JSON object"),
        ('{"limit": 5000}', "`limit` is 5000: input should be less than or equal to 1000"),
        ('{"cursor": "\\ud800"}', "`cursor` is '\\ud800': value error, it should be text without halves"),
        ('{"query": 5}', "`query` is 5: input should be a valid string"),
    ],
)
def test_a_body_says_what_is_wrong(client: TestClient, body: str | bytes, detail: str) -> None:
    refused = client.post("/search", content=body, headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert refused.json()["detail"].startswith(detail)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"nam": 1}, "unknown member `nam`: allowed here are `name`, `condition`, `channels`, `labels`, `until`"),
        (
            {"condition": {"column": "a", "colum": 1, "treshold": 2}},
            "unknown member `condition.colum`, `condition.treshold`: allowed here are `column`, `threshold`",
        ),
        (
            {"condition": {"column": "a", "colum": 1}, "nam": 1},
            "unknown member `condition.colum`: allowed here are `column`, `threshold`",
        ),
        (
            {"channels": [{"kind": "a"}, {"kind": "b", "u": 1}]},
            "unknown member `channels.1.u`: allowed here are `kind`",
        ),
        ({"channels": [{}]}, "`channels.0.kind` is missing: give it a value"),
        ({"labels": {"team": 1}}, "`labels.team` is 1: input should be a valid string"),
        ({"until": [1]}, "`until` is [1]: input should be a valid string, or input should be a valid integer"),
    ],
)
def test_a_nested_member_is_named_with_its_path(client: TestClient, body: object, detail: str) -> None:
    refused = client.post("/rules", json=body)
    assert refused.status_code == 400
    assert refused.json()["detail"].startswith(detail)


def test_a_body_of_another_type_says_which_one_is_taken(client: TestClient) -> None:
    refused = client.post("/search", content='{"query": "a"}', headers={"Content-Type": "text/plain"})
    assert refused.status_code == 400
    assert "with `Content-Type: application/json`" in refused.json()["detail"]


def test_both_mean_the_same(client: TestClient) -> None:
    requested: dict[str, str | int] = {"query": "a ü", "start": "1700000000000000000", "limit": 3, "order": "asc"}
    by_address, by_body = client.get("/search", params=requested), client.post("/search", json=requested)
    assert by_address.json() == by_body.json()
    assert client.post("/search", json=requested | {"start": 1_700_000_000_000_000_000}).status_code == 200
