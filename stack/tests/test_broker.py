"""Configuration of the broker that `up` starts."""

from pathlib import Path

import pytest

from kit.settings import Settings
from stack.broker import prepare
from stack.broker.accounts import Accounts
from stack.broker.prepare import broker, command, render_properties


def test_its_garbage_collector_takes_large_messages_for_ordinary_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/java")
    monkeypatch.setattr(prepare, "broker_jars", lambda: tmp_path)

    assert "-XX:+UseSerialGC" in command(broker(Settings(home=tmp_path)))


@pytest.mark.parametrize("is_written", [True, False])
def test_it_starts_from_the_archive_of_its_classes_if_there_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_written: bool
) -> None:
    archive = tmp_path / "classes.jsa"
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/java")
    monkeypatch.setattr(prepare, "broker_jars", lambda: tmp_path)
    monkeypatch.setattr(prepare, "CLASS_ARCHIVE", archive)
    if is_written:
        archive.touch()

    assert (f"-XX:SharedArchiveFile={archive}" in command(broker(Settings(home=tmp_path)))) is is_written


def test_its_sockets_have_the_buffers_of_the_system(tmp_path: Path) -> None:
    found = properties(tmp_path)

    assert (found["socket.receive.buffer.bytes"], found["socket.send.buffer.bytes"]) == ("-1", "-1")


def test_it_writes_metadata_rarely_while_it_is_idle(tmp_path: Path) -> None:
    assert int(properties(tmp_path)["metadata.max.idle.interval.ms"]) >= 10_000


def properties(home: Path) -> dict[str, str]:
    text = render_properties(broker(Settings(home=home)), Accounts("me", "s3cret", "0wn"))
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
