"""Tests what a damaged file of demo keys is answered with."""

from pathlib import Path

import pytest

from kit.errors import Unavailable
from kit.settings import Settings
from schema.demo_keys import demo_keys_file, read_demo_keys


def test_a_damaged_file_of_demo_keys_is_no_bug_and_says_what_to_do(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert read_demo_keys(settings) is None
    demo_keys_file(settings).write_text('{"tenant": "demo"}')
    with pytest.raises(Unavailable, match=r"keys.json does not hold demo keys: remove the file, and `logsieve up`"):
        read_demo_keys(settings)
