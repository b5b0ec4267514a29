from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stack.files import create_once, restored_on_error, write_atomically


def test_of_several_that_create_a_file_at_once_all_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "password"

    def create(text: str) -> str:
        create_once(path, text, mode=0o600)
        return path.read_text()

    with ThreadPoolExecutor(8) as threads:
        seen = set(threads.map(create, map(str, range(40))))
    assert len(seen) == 1
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_atomically(path, "old")
    write_atomically(path, "new", mode=0o600)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("before", ["2\n", None])
def test_a_file_is_restored_with_its_permissions_if_the_block_raises(before: str | None, tmp_path: Path) -> None:
    path = tmp_path / "nodes"
    if before is not None:
        write_atomically(path, before, mode=0o600)

    def start() -> None:
        write_atomically(path, "3\n", mode=0o600)
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"), restored_on_error(path):
        start()
    assert path.exists() is (before is not None)
    if before is not None:
        assert (path.read_text(), path.stat().st_mode & 0o777) == (before, 0o600)
