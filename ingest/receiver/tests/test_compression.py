import gzip
import sys
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.receiver.compression import MAX_STREAMS, decompress
from kit.errors import InvalidRequest, TooLarge, UnsupportedMediaType

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LIMIT = 1 << 20


def bare_deflate(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-15)


COMPRESSIONS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    (" GZIP ", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", bare_deflate),
    ("zstd", zstd.compress),
]
every_compression = pytest.mark.parametrize(("encoding", "compress"), COMPRESSIONS)


@every_compression
@given(data=st.binary(max_size=300))
def test_what_was_compressed_comes_back(encoding: str, compress: Callable[[bytes], bytes], data: bytes) -> None:
    assert decompress(compress(data), encoding, LIMIT) == data


@every_compression
def test_the_limit_is_exact(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    assert len(decompress(compress(bytes(LIMIT)), encoding, LIMIT)) == LIMIT
    with pytest.raises(TooLarge):
        decompress(compress(bytes(LIMIT + 1)), encoding, LIMIT)


@every_compression
def test_a_bomb_costs_no_more_than_the_limit(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    bomb = compress(bytes(16 * LIMIT))
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            decompress(bomb, encoding, LIMIT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * LIMIT


@every_compression
def test_a_body_cut_short_is_refused(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    with pytest.raises(InvalidRequest):
        decompress(compress(b"some text " * 100)[:-3], encoding, LIMIT)


@every_compression
def test_bytes_after_the_end_are_refused(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    with pytest.raises(InvalidRequest, match=r"4 bytes that are not [-\w]+ follow the"):
        decompress(compress(b"some text") + bytes(4), encoding, LIMIT)


@pytest.mark.parametrize("compress", [zlib.compress, bare_deflate])
def test_deflate_is_one_stream(compress: Callable[[bytes], bytes]) -> None:
    with pytest.raises(InvalidRequest, match="follow the deflate body"):
        decompress(compress(b"some text") * 2, "deflate", LIMIT)


several = pytest.mark.parametrize(("encoding", "compress"), [("gzip", gzip.compress), ("zstd", zstd.compress)])


@several
def test_several_streams_are_one_body(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    texts = [b"first", b"", bytes(100_000), b"last"]
    assert decompress(b"".join(compress(text) for text in texts), encoding, LIMIT) == b"".join(texts)


@several
def test_several_streams_have_one_limit(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    largest = compress(bytes(LIMIT - 1)) + compress(b"a")
    assert len(decompress(largest, encoding, LIMIT)) == LIMIT
    with pytest.raises(TooLarge):
        decompress(largest + compress(b"b"), encoding, LIMIT)


@several
def test_the_second_stream_cut_short_is_refused(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    with pytest.raises(InvalidRequest, match="body is incomplete"):
        decompress(compress(b"first") + compress(b"some text" * 100)[:-3], encoding, LIMIT)


@several
def test_a_crowd_of_empty_streams_is_refused(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    assert decompress(compress(b"") * MAX_STREAMS, encoding, LIMIT) == b""
    with pytest.raises(InvalidRequest, match="streams"):
        decompress(compress(b"") * (MAX_STREAMS + 1), encoding, LIMIT)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
@given(data=st.binary(max_size=100))
def test_any_bytes_decompress_or_are_refused(encoding: str, data: bytes) -> None:
    try:
        decompress(data, encoding, LIMIT)
    except (InvalidRequest, TooLarge):
        return


def test_other_encodings_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedMediaType, match="br"):
        decompress(b"", "br", LIMIT)
