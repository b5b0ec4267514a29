"""Tests of the address for senders that the API names."""

from pathlib import Path

import pytest

from backend.ui.endpoints import ingest_grpc_port, ingest_url
from kit.settings import Settings


@pytest.mark.parametrize(
    ("options", "host", "expected"),
    [
        ({}, "logs.example.com", "http://logs.example.com:4318"),
        ({"port_offset": 100}, "127.0.0.1", "http://127.0.0.1:4418"),
        ({}, "::1", "http://[::1]:4318"),
        ({"ingest_url": "https://otlp.example.com/"}, "127.0.0.1", "https://otlp.example.com"),
    ],
)
def test_the_address_is_as_set_or_on_the_host_of_the_request(
    tmp_path: Path, options: dict[str, object], host: str, expected: str
) -> None:
    assert ingest_url(Settings.model_validate({"home": tmp_path, **options}), host) == expected


def test_the_port_of_grpc_has_the_offset_and_is_unknown_behind_another_address(tmp_path: Path) -> None:
    assert ingest_grpc_port(Settings(home=tmp_path, port_offset=12000)) == 16317
    assert ingest_grpc_port(Settings(home=tmp_path, ingest_url="https://otlp.example.com")) is None
