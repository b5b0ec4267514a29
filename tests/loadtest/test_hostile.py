"""The small study of hostile clients: answers, the victims' records, and memory; no times."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from loadtest.hostile.catalog import ATTACKS

SECONDS: Final = 540


@pytest.mark.timeout(SECONDS + 30)
def test_every_attack_is_answered_as_documented_and_takes_nothing_from_others(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}
    command = [sys.executable, "-m", "stack", "loadtest", "hostile", "--smoke", "--json", "--write", str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)

    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert [each["name"] for each in report["attacks"]] == [attack.name for attack in ATTACKS]
    answered = {each["name"]: each["answers"] for each in report["attacks"] if not each["as_documented"]}
    assert answered == {}
    assert {each["name"]: each["over_bound"] for each in report["attacks"] if each["over_bound"]} == {}
    assert {each["name"]: each["ended"] for each in report["attacks"] if each["ended"]} == {}
    assert (report["lost"], report["doubled"], report["foreign"]) == (0, 0, 0)
    assert report["dead_letters"].keys() == {"insert_limit"}
    assert report["passed"]
    assert done.returncode == 0
    assert "Beside each attack" in (tmp_path / "hostile.md").read_text()
