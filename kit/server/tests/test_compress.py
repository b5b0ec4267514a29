"""Which encoding a client gets, by its Accept-Encoding (RFC 9110, 12.5.3)."""

import pytest

from kit.server.compress import accepted


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("br", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.5, gzip", "gzip"),
        ("zstd;q=0, gzip;q=0", None),
        ("*", "zstd"),
        ("*;q=0", None),
        ("zstd;q=0, *", "gzip"),
        ("GZIP;Q=1", "gzip"),
        ("gzip;q=much", None),
    ],
)
def test_the_best_that_the_client_takes(header: str, encoding: str | None) -> None:
    assert accepted(header) == encoding
