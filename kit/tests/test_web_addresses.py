"""Tests that addresses of the web which cannot work are refused."""

import pytest
from pydantic import ValidationError

from kit.settings import Settings
from kit.web_addresses import split_origins


@pytest.mark.parametrize(
    "url", ["https://otlp.example:4318", "http://10.0.0.7/", "http://[::1]:4318", "https://logs.example/in"]
)
def test_a_base_url_has_a_scheme_and_a_host(url: str) -> None:
    assert Settings(ingest_url=url).ingest_url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "otlp:4318",
        "grpc://a",
        "https://",
        "http://a:0",
        "http://[a",
        "http://a b:4318",
        "http://u:p@a",
        "http://a?b",
    ],
)
def test_other_base_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is not a URL of http or https without a query"):
        Settings(ingest_url=url)


@pytest.mark.parametrize("url", ["ftp://collector/v1/logs", "http://u:secret@ h", "http://", "collector:4318"])
def test_an_endpoint_that_is_no_url_is_refused_without_its_text(url: str) -> None:
    with pytest.raises(ValidationError, match="it must begin with http:// or https:// and have no space") as refused:
        Settings(traces_endpoint=url)
    assert "secret" not in refused.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", ()),
        ("*", ("*",)),
        ("https://shop.example, http://localhost:8080,", ("https://shop.example", "http://localhost:8080")),
        ("capacitor://localhost,null,file://", ("capacitor://localhost", "null", "file://")),
    ],
)
def test_origins_are_separated_by_commas(text: str, origins: tuple[str, ...]) -> None:
    assert split_origins(Settings(otlp_cors_origins=text).otlp_cors_origins) == origins


@pytest.mark.parametrize(
    "origin",
    [
        "shop.example",
        "https://shop.example/",
        "https://Shop.example",
        "https://*.shop.example",
        "https://shop.example:443",
        "http://",
    ],
)
def test_an_origin_that_no_browser_sends_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match="is not an origin that browsers send"):
        Settings(otlp_cors_origins=f"https://first.example,{origin}")
