import pytest

from stack.install import steps
from stack.install.prerequisites import Prerequisite, missing, parse_version, required


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v20.20.2", (20, 20)),
        ('openjdk version "17.0.15" 2025-04-15', (17, 0)),
        ('java version "1.8.0_401"', (1, 8)),
        ("Apache Maven 3.8.7", (3, 8)),
        ("cargo 1.85.0 (d73d2caf9 2024-12-31)", (1, 85)),
        ("no version here", None),
    ],
)
def test_version_of_what_programs_say(text: str, version: tuple[int, int] | None) -> None:
    assert parse_version(text) == version


def test_missing_and_old_programs_get_a_sentence_each() -> None:
    absent = Prerequisite(
        "no-such-program", "Nothing", ("--version",), (1,), "`apt-get install x` on Debian", "brew install x"
    )
    old = Prerequisite("python3", "Python", ("--version",), (3, 99), "`apt-get install y` on Debian", "brew install y")
    sentences = missing([absent, old])
    assert "Nothing 1 or newer is needed and was not found" in sentences[0]
    assert "not found: `apt-get install x` on Debian, `brew install x` on macOS" in sentences[0]
    assert "Python 3.99 or newer" in sentences[1]
    assert "too old" in sentences[1]


@pytest.mark.parametrize(
    ("setting", "programs"),
    [
        ("LOGSIEVE_KAFKA_BOOTSTRAP", {"node", "npm"}),
        ("LOGSIEVE_CLICKHOUSE_URL", {"java", "mvn"}),
        ("LOGSIEVE_HOME", {"node", "npm", "java", "mvn"}),
    ],
)
def test_an_installed_package_needs_only_the_programs_of_what_it_starts(
    setting: str, programs: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "IS_CHECKOUT", False)
    monkeypatch.setattr(steps, "engine_package", lambda: "@chdb/lib-linux-x64-gnu")
    for name in ("LOGSIEVE_KAFKA_BOOTSTRAP", "LOGSIEVE_CLICKHOUSE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(setting, "elsewhere")

    assert {each.program for each in required(steps.steps(with_tests=False))} == programs


def test_a_checkout_needs_rust_only_to_install_python_packages() -> None:
    wanted = {step.name: step for step in steps.steps(with_tests=True)}

    assert [each.program for each in required([wanted["python-tests"]])] == ["cargo"]
    assert required([wanted["browser"]]) == []
