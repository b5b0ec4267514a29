"""The reference pages say what the code says; `make docs` writes them."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from kit.folders import PACKAGES
from kit.settings import Settings
from stack.generate.command_list import render_commands
from stack.generate.setting_list import MASK, render_markdown, setting_lines


def test_settings_page_lists_the_settings() -> None:
    assert (PACKAGES / "docs" / "settings.md").read_text() == render_markdown(setting_lines(Settings()))


def test_commands_page_lists_the_commands() -> None:
    assert (PACKAGES / "docs" / "commands.md").read_text() == render_commands()


def test_secrets_are_masked_and_values_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_API_PORT", "18080")
    control_url = "postgresql+asyncpg://me:s3cret@p@host:5432/database"
    settings = Settings(home=Path("/srv/home"), clickhouse_password=SecretStr("s3cret"), control_url=control_url)
    lines = {line.variable: line for line in setting_lines(settings)}
    assert lines["LOGSIEVE_CLICKHOUSE_PASSWORD"].value == MASK
    assert (lines["LOGSIEVE_API_PORT"].default, lines["LOGSIEVE_API_PORT"].value) == ("8080", "18080")
    assert lines["LOGSIEVE_HOME"].value == "/srv/home"
    assert lines["LOGSIEVE_CONTROL_URL"].value == f"postgresql+asyncpg://me:{MASK}@host:5432/database"
    assert "s3cret" not in "".join(map(str, lines.values()))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "postgresql+asyncpg://db:5432/logsieve?user=me&password=s3cret",
            f"postgresql+asyncpg://db:5432/logsieve?user=me&password={MASK}",
        ),
        (
            "postgresql+asyncpg://db/logsieve?password=s3@cret&sslkey=/a.pem",
            f"postgresql+asyncpg://db/logsieve?password={MASK}&sslkey=/a.pem",
        ),
        (
            "postgresql+asyncpg://me:s3cret@db/logsieve?pass%77ord=s3cret",
            f"postgresql+asyncpg://me:{MASK}@db/logsieve?pass%77ord={MASK}",
        ),
        ("postgresql+asyncpg://db/logsieve?sslPassword=s3cret", f"postgresql+asyncpg://db/logsieve?sslPassword={MASK}"),
    ],
)
def test_passwords_in_the_query_of_a_url_are_masked(url: str, shown: str) -> None:
    lines = {line.variable: line for line in setting_lines(Settings(control_url=url))}
    assert lines["LOGSIEVE_CONTROL_URL"].value == shown


def test_the_page_of_commands_names_the_variables_that_options_are_read_from() -> None:
    assert "Environment variable: `LOGSIEVE_QUERY_KEY`." in render_commands()
