import pytest

from stack.install.prerequisites import Prerequisite, missing, parse_major


@pytest.mark.parametrize(
    ("text", "major"),
    [
        ("v20.20.2", 20),
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_401"', 8),
        ("Apache Maven 3.8.7", 3),
        ("no version here", None),
    ],
)
def test_major_version_of_what_programs_say(text: str, major: int | None) -> None:
    assert parse_major(text) == major


def test_missing_and_old_programs_get_a_sentence_each() -> None:
    absent = Prerequisite("no-such-program", "Nothing", ("--version",), 1, "apt-get install x", "brew install x")
    old = Prerequisite("python3", "Python", ("--version",), 99, "apt-get install y", "brew install y")
    sentences = missing([absent, old])
    assert "Nothing 1 or newer is needed and was not found" in sentences[0]
    assert "`apt-get install x` on Debian" in sentences[0]
    assert "too old" in sentences[1]
