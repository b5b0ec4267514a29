import os
from pathlib import Path

from stack.logfile import open_for_appending, rotate, tail


def test_large_log_is_moved_aside_while_its_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    writer = open_for_appending(log)
    try:
        os.write(writer, b"x" * 100)
        assert rotate(log, largest=99)
        os.write(writer, b"after\n")
    finally:
        os.close(writer)
    assert log.read_bytes() == b"after\n"
    assert (tmp_path / "a.log.1").read_bytes() == b"x" * 100


def test_small_or_absent_log_stays(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    assert not rotate(log)
    log.write_text("x")
    assert not rotate(log, largest=1)


def test_tail_is_the_last_lines_of_any_bytes(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    assert tail(log) == []
    log.write_bytes(b"1\n2\n\xff3\n")
    assert tail(log, 2) == ["2", "�3"]
