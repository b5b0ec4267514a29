"""A command whose settings cannot be read ends with a sentence, as wrong usage."""

import sys
from pathlib import Path

import pytest

from stack.cli.entry import main


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "which cannot be read: No such file"),
        ("lanes = ", "which is not TOML"),
        ("lanes = 0", "setting lanes: "),
        ("lane = 1", "setting lane: "),
    ],
)
def test_a_configuration_that_cannot_be_is_wrong_usage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
    said: str,
) -> None:
    config = tmp_path / "logsieve.toml"
    if content is not None:
        config.write_text(content)
    monkeypatch.setenv("LOGSIEVE_CONFIG", str(config))
    monkeypatch.setattr(sys, "argv", ["logsieve", "settings"])

    with pytest.raises(SystemExit) as ended:
        main()

    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert said in printed.err
