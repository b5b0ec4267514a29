from pathlib import Path

import pytest

from kit.errors import Internal
from stack.files import write_atomically
from stack.processes import ProcessIdentity
from stack.state import Phase, ServiceState, StackState, read_state, write_state


def test_state_reads_back_as_written(tmp_path: Path) -> None:
    service = ServiceState(
        name="kafka",
        phase=Phase.backing_off,
        detail="ended by SIGKILL",
        process=ProcessIdentity(pid=7, started="boot/12"),
        started_ns=1_700_000_000_123_456_789,
        restarts=3,
        last_exit=-9,
        ports=(9092, 9093),
        log_file=tmp_path / "kafka.log",
    )
    state = StackState(supervisor=ProcessIdentity(pid=6, started="boot/11"), port_offset=100, services=(service,))
    write_state(tmp_path / "stack.json", state)
    assert read_state(tmp_path / "stack.json") == state


def test_no_file_is_no_state(tmp_path: Path) -> None:
    assert read_state(tmp_path / "stack.json") is None


def test_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stack.json").write_text('{"services": 3}')
    with pytest.raises(Internal, match=r"stack\.json"):
        read_state(tmp_path / "stack.json")


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    state = StackState(supervisor=ProcessIdentity(pid=6, started="boot/11"), port_offset=100, services=())
    text = state.model_dump_json()
    (tmp_path / "stack.json").write_text(text.replace('"format":1', '"format":2'))
    with pytest.raises(Internal, match="another release of Logsieve"):
        read_state(tmp_path / "stack.json")


def test_failed_write_keeps_the_old_text_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_atomically(file, "old", mode=0o600)
    with pytest.raises(UnicodeEncodeError):
        write_atomically(file, "\udcff")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
    assert file.stat().st_mode & 0o777 == 0o600
