import pytest

from stack.cli.query_options import say_hint


@pytest.mark.parametrize(
    ("detail", "query", "printed"),
    [
        ("did you mean severity?", "severity:error", "hint: did you mean severity? Try severity:error"),
        ("write a colon, as in name:value", "a:b", "hint: write a colon, as in name:value. Try a:b"),
        ("no record has the field colour", None, "hint: no record has the field colour"),
    ],
)
def test_a_hint_ends_with_the_query_that_was_probably_meant(
    capsys: pytest.CaptureFixture[str], detail: str, query: str | None, printed: str
) -> None:
    say_hint(detail, query)
    assert capsys.readouterr().err == f"{printed}\n"
