"""Tests that addresses of the web which cannot work are refused."""

import pytest
from pydantic import ValidationError

from kit.settings import Settings
from kit.web_addresses import split_origins


@pytest.mark.parametrize("url", ["https://otlp.example:4318", "http://10.0.0.7/", "http://[::1]:4318"])
def test_a_base_url_has_a_scheme_and_a_host(url: str) -> None:
    assert Settings(ingest_url=url).ingest_url == url


@pytest.mark.parametrize(
    "url", ["", "otlp.example:4318", "grpc://otlp.example", "https://", "https://a/v1/logs", "http://a:0", "http://[a"]
)
def test_other_base_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is not a URL with http or https and without a path"):
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
        ("https://shop.example, http://localhost:5173,", ("https://shop.example", "http://localhost:5173")),
        ("capacitor://localhost,null", ("capacitor://localhost", "null")),
    ],
)
def test_origins_are_separated_by_commas(text: str, origins: tuple[str, ...]) -> None:
    assert split_origins(Settings(otlp_cors_origins=text).otlp_cors_origins) == origins


@pytest.mark.parametrize(
    "origin", ["shop.example", "https://shop.example/", "https://Shop.example", "https://*.shop.example/a", "http://"]
)
def test_an_origin_that_no_browser_sends_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match="is not an origin that browsers send"):
        Settings(otlp_cors_origins=f"https://first.example,{origin}")
