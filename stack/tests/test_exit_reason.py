from pathlib import Path

import pytest

from stack.exit_reason import describe_exit, exit_reason


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ('{"event":"loader stopped"}\ninternal: 21 of the last 21 messages\n', "internal: 21 of the last 21 messages"),
        ("internal: before\n" + '{"event":"loader stopped"}\n', ""),
        ("Traceback (most recent call last):\nValueError: no\n", ""),
        ("", ""),
        ("x" * 10_000 + "\nunavailable: Kafka is unreachable\n", "unavailable: Kafka is unreachable"),
    ],
)
def test_the_last_line_counts_when_it_is_a_sentence_of_ours(tmp_path: Path, output: str, said: str) -> None:
    log = tmp_path / "service.log"
    log.write_text(output)
    assert exit_reason(log) == said


def test_a_process_that_wrote_nothing_said_nothing(tmp_path: Path) -> None:
    assert exit_reason(tmp_path / "missing.log") == ""


@pytest.mark.parametrize(("code", "said"), [(-9, "ended by SIGKILL"), (-35, "ended by signal 35")])
def test_a_signal_is_named_if_it_has_a_name(tmp_path: Path, code: int, said: str) -> None:
    assert describe_exit(code, tmp_path / "service.log") == said
