from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stack.files import create_once, write_atomically


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
