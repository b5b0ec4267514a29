"""Matches of each redaction in a text, and the text that is left."""

import time

import pytest

from logsieve_native import Redactor
from schema.redactions import BUILT_IN, Redaction, redactor_of

FOUND = [
    ("card", "paid with 4111 1111 1111 1111 today", "paid with *** today"),
    ("card", "4111111111111111", "***"),
    ("card", "order 12 5500-0000-0000-0004 378282246310005,6011111111111117", "order 12 *** ***,***"),
    ("card", "2223003122003222", "***"),
    ("email", "mail ann.lee+x@shop.example.com!", "mail ***!"),
    ("bearer", "Authorization: Bearer abcDEF123.-_~+/==, next", "Authorization: ***, next"),
    ("jwt", "t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN", "t=***"),
    ("aws-key", "id AKIAIOSFODNN7EXAMPLE", "id ***"),
    ("aws-key", 'aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"', '***"'),
    ("private-key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----.", "***."),
]
LEFT = [
    ("card", "4111 1111 1111 1112, 1795000000000000000, 12345678901234567890, 4111111111111111123456"),
    ("email", "user@host, @here, a@b"),
    ("bearer", "the bearer of bad news"),
    ("jwt", "eyJ.eyJ.x"),
    ("aws-key", "AKIA123"),
    ("private-key", "-----BEGIN PUBLIC KEY-----"),
]


def redact(name: str, text: str, expression: str | None = None) -> tuple[str, int]:
    redactor = redactor_of([Redaction(name, expression)])
    assert redactor is not None
    return redactor.redact(text)


@pytest.mark.parametrize(("name", "text", "expected"), FOUND)
def test_secrets_are_replaced(name: str, text: str, expected: str) -> None:
    assert redact(name, text) == (expected, expected.count("***"))


@pytest.mark.parametrize(("name", "text"), LEFT)
def test_what_looks_like_one_is_left(name: str, text: str) -> None:
    assert redact(name, text) == (text, 0)


def test_several_are_found_in_one_text() -> None:
    redactor = redactor_of([Redaction(name, None) for name in BUILT_IN] + [Redaction("own", "k=[0-9]+")])
    assert redactor is not None
    assert redactor.redact("k=1 a@b.cd 4111111111111111 k=22") == ("*** *** *** ***", 4)
    assert redactor_of([]) is None


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        (r"x.", "xé xé", "*** ***"),
        (r"[^a]", "aéa", "a***a"),
        (r"\w+", "é1", "é***"),
        ("é", "né", "n***"),
        (r"(?i)SECRET-\d+", "secret-12", "***"),
    ],
)
def test_matches_are_of_whole_characters(expression: str, text: str, expected: str) -> None:
    assert redact("own", text, expression)[0] == expected


@pytest.mark.parametrize("expression", ["(", "a*", "", r"(?:a{1000}){1000}", r"\p{Greek}", r"(a)\1", "(?=a)"])
def test_what_cannot_be_used_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        Redactor([expression], False)


def test_a_text_that_would_become_too_long_is_not_returned_unchanged() -> None:
    redactor = Redactor([r"\*"] * 20, False)
    with pytest.raises(ValueError, match="its redactions make a text more than four times as long"):
        redactor.redact("*" * 100_000)


def test_a_name_that_is_not_built_in_is_refused() -> None:
    with pytest.raises(ValueError, match="not built in"):
        redactor_of([Redaction("unknown", None)])


@pytest.mark.parametrize("unit", ["4", "4111 ", "4-", "a@", "a.", "aws secret", "bearer ", "eyJ", "-----BEGIN "])
def test_hostile_texts_take_linear_time(unit: str) -> None:
    """Sixteen times the text may take 16 times as long. The bound catches quadratic work, which takes 256 times as
    long."""
    redactor = redactor_of([Redaction(name, None) for name in BUILT_IN])
    assert redactor is not None
    spent = []
    for size in (2**16, 2**20):
        text = unit * (size // len(unit))
        started = time.thread_time()
        redactor.redact(text)
        spent.append(time.thread_time() - started)
    assert spent[1] < max(80 * spent[0], 0.5)
