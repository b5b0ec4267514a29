"""`logs export --output`: a file has its name when it is whole, and a failed export says what is left where."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.errors import Conflict, Unavailable
from stack.cli.export import _require_free, _save


def broken(*pieces: bytes) -> Iterator[bytes]:
    yield from pieces
    raise Unavailable("the export ended early")


def test_a_failed_export_leaves_its_part_beside_the_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "logs.ndjson"
    with pytest.raises(Unavailable):
        _save(broken(b"{}\n", b"{}\n"), file, force=False)
    assert not file.exists()
    assert (tmp_path / "logs.ndjson.part").read_bytes() == b"{}\n{}\n"
    assert f"the 6 bytes before the failure are in {file}.part" in capsys.readouterr().err


def test_a_failure_before_the_first_record_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unavailable):
        _save(broken(), tmp_path / "logs.ndjson", force=False)
    assert list(tmp_path.iterdir()) == []
    assert "no record came before the failure" in capsys.readouterr().err


def test_a_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    file = tmp_path / "logs.ndjson"
    file.write_bytes(b"old")
    with pytest.raises(Conflict, match="--force"):
        _require_free(file, force=False)
    # The file may have come while the export ran.
    with pytest.raises(Conflict, match="--force"):
        _save(iter([b"new"]), file, force=False)
    assert file.read_bytes() == b"old"
    assert (tmp_path / "logs.ndjson.part").read_bytes() == b"new"
    _save(iter([b"new"]), file, force=True)
    assert file.read_bytes() == b"new"
