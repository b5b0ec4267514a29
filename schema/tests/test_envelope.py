from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.envelope import Envelope, Undecodable
from schema.refusals import Refusal

ENVELOPE = Envelope(tenant_id=7, lane=2, cohort="r30", body_max_bytes=4096, received_at=1_700_000_000_000_000_000)


@given(
    st.builds(
        Envelope,
        tenant_id=st.integers(0, 2**32 - 1),
        lane=st.integers(0, 2**16 - 1),
        cohort=st.text(min_size=1, max_size=40),
        body_max_bytes=st.integers(0, 2**32 - 1),
        received_at=st.integers(0, 2**63 - 1),
    )
)
def test_headers_read_back(envelope: Envelope) -> None:
    assert Envelope.from_headers(envelope.headers()) == envelope


def test_other_headers_are_ignored() -> None:
    assert Envelope.from_headers([("traceparent", b"\xff"), *ENVELOPE.headers()]) == ENVELOPE


def test_refusals_travel_in_a_header() -> None:
    refusals = (Refusal(29_000_000, "too_old", 0, 2**62, 5), Refusal(29_000_001, "bytes_per_second", 3, 0, 0))
    reporting = replace(ENVELOPE, refusals=refusals)
    assert Envelope.from_headers(reporting.headers()) == reporting


@pytest.mark.parametrize("text", [b"x", b"1 too old 1 1 1", b"-1 old 1 1 1", b"1 old 1 1 9223372036854775808", b"\xff"])
def test_malformed_refusals_are_refused(text: bytes) -> None:
    with pytest.raises(Undecodable, match="header refusals"):
        Envelope.from_headers([*ENVELOPE.headers(), ("refusals", text)])


@pytest.mark.parametrize("missing", [name for name, _ in ENVELOPE.headers()])
def test_a_missing_header_is_named(missing: str) -> None:
    headers = [(name, value) for name, value in ENVELOPE.headers() if name != missing]
    with pytest.raises(Undecodable, match=f"header {missing} is missing"):
        Envelope.from_headers(headers)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("tenant_id", b"4294967296", "not a number below"),
        ("lane", b"-1", "not a number below"),
        ("received_at", b"1e9", "not a number below"),
        ("body_max_bytes", "٣".encode(), "not a number below"),
        ("cohort", b"\xff", "not UTF-8"),
        ("logsieve-version", b"2", "envelope version 2"),
    ],
)
def test_a_wrong_header_is_refused(name: str, value: bytes, reason: str) -> None:
    headers = [(each, value if each == name else good) for each, good in ENVELOPE.headers()]
    with pytest.raises(Undecodable, match=reason):
        Envelope.from_headers(headers)


def test_a_message_without_headers_is_refused() -> None:
    with pytest.raises(Undecodable):
        Envelope.from_headers(None)
