import pytest

from backend.fields.equals_signs import with_colons
from backend.language.parse import parse

KNOWN = ("service", "user.id", "http-code")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("service=cart", "service:cart"),
        ("service==cart", "service:cart"),
        ('service="check out" error', 'service:"check out" error'),
        ("timeout -service=cart user.id=7", "timeout -service:cart user.id:7"),
        ("(service=cart OR http-code=500)", "(service:cart OR http-code:500)"),
        ("severity=error", "severity:error"),
        ("level=error", "severity:error"),
        ("service=cart path=/x", "service:cart path=/x"),
        ("unknown=cart", None),
        ("service", None),
        ("service= cart", None),
        ('"service=cart"', None),
        ('"a service=cart b"', None),
        ("/service=cart/", None),
        ("service:a=b", None),
    ],
)
def test_fields_with_an_equals_sign(text: str, meant: str | None) -> None:
    assert with_colons(text, KNOWN) == meant
    if meant is not None:
        parse(meant)
