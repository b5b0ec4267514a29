"""Configuration of the broker that `up` starts."""

from pathlib import Path

import pytest

from ingest.receiver.producer import DELIVERY_MS
from kit.errors import Conflict, Internal, InvalidRequest
from kit.settings import Settings
from stack.broker import prepare
from stack.broker.accounts import Accounts
from stack.broker.choose_brokers import choose_brokers, kept_brokers
from stack.broker.node import Broker, brokers
from stack.broker.prepare import command
from stack.broker.properties import render_properties
from stack.tests.java_text import java_text


def test_its_garbage_collector_takes_large_messages_for_ordinary_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/java")
    monkeypatch.setattr(prepare, "broker_jars", lambda: tmp_path)

    assert "-XX:+UseSerialGC" in command(brokers(Settings(home=tmp_path))[0])


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

    assert (f"-XX:SharedArchiveFile={archive}" in command(brokers(Settings(home=tmp_path))[0])) is is_written


@pytest.mark.parametrize("number", [1, 3])
def test_every_listener_requires_a_password(tmp_path: Path, number: int) -> None:
    found = properties_of(brokers(Settings(home=tmp_path, kafka_nodes=number))[0])

    listeners = [each.partition("://")[0] for each in found["listeners"].split(",")]
    protocols = dict(each.split(":") for each in found["listener.security.protocol.map"].split(","))
    assert protocols == dict.fromkeys(listeners, "SASL_PLAINTEXT")


def test_its_sockets_have_the_buffers_of_the_system(tmp_path: Path) -> None:
    found = properties(tmp_path)

    assert (found["socket.receive.buffer.bytes"], found["socket.send.buffer.bytes"]) == ("-1", "-1")


def test_it_writes_metadata_rarely_while_it_is_idle(tmp_path: Path) -> None:
    assert int(properties(tmp_path)["metadata.max.idle.interval.ms"]) >= 10_000


def test_three_brokers_confirm_each_message_twice_and_find_each_other(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, kafka_nodes=3)
    second = brokers(settings)[1]
    found = properties_of(second)

    assert found["controller.quorum.voters"] == "1@127.0.0.1:9093,2@127.0.0.1:9095,3@127.0.0.1:9097"
    assert (found["node.id"], found["advertised.listeners"]) == ("2", "CLIENT://127.0.0.1:9094")
    factors = {name: value for name, value in found.items() if name.endswith("replication.factor")}
    smallest = {name: value for name, value in found.items() if name.endswith(("min.isr", "min.insync.replicas"))}
    assert set(factors.values()) == {"3"}
    assert set(smallest.values()) == {"2"}
    assert {"default.replication.factor", "min.insync.replicas"} <= factors.keys() | smallest.keys()
    assert found["unclean.leader.election.enable"] == "false"
    assert int(found["broker.session.timeout.ms"]) < DELIVERY_MS / 2


def test_memory_of_each_of_several_brokers_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/java")
    monkeypatch.setattr(prepare, "broker_jars", lambda: tmp_path)

    words = command(brokers(Settings(home=tmp_path, kafka_nodes=3))[2])

    assert {word.rstrip("0123456789m") for word in words} >= {
        "-Xmx",
        "-XX:MaxDirectMemorySize=",
        "-XX:MaxMetaspaceSize=",
    }


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1)])
def test_data_of_another_number_of_brokers_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, before: int, after: int
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/java")
    monkeypatch.setattr(prepare, "broker_jars", lambda: tmp_path)
    monkeypatch.setattr(prepare, "_run", lambda arguments: write_meta(tmp_path, arguments))
    same, other = (Settings(home=tmp_path, kafka_nodes=number) for number in (before, after))
    for _ in range(2):
        prepare.prepare(same, brokers(same)[0])

    with pytest.raises(Conflict, match="another LOGSIEVE_HOME"):
        prepare.prepare(other, brokers(other)[0])


def keep_brokers(home: Path, wanted: int) -> None:
    with kept_brokers(choose_brokers(Settings(home=home), wanted, is_running=False)):
        pass


def test_a_broker_alone_starts_again_after_formatting_of_several_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_arguments: list[str]) -> str:
        raise Internal("formatting failed")

    monkeypatch.setattr("shutil.which", lambda _name: "/bin/java")
    monkeypatch.setattr(prepare, "broker_jars", lambda: tmp_path)
    monkeypatch.setattr(prepare, "_run", fail)
    keep_brokers(tmp_path, 3)
    with pytest.raises(Internal):
        prepare.prepare(Settings(home=tmp_path), brokers(Settings(home=tmp_path))[0])

    monkeypatch.setattr(prepare, "_run", lambda arguments: write_meta(tmp_path, arguments))
    keep_brokers(tmp_path, 1)
    for _ in range(2):
        prepare.prepare(Settings(home=tmp_path), brokers(Settings(home=tmp_path))[0])
    with pytest.raises(Conflict, match="--brokers 1, and their number cannot change"):
        choose_brokers(Settings(home=tmp_path), 3, is_running=False)


@pytest.mark.parametrize(("file", "is_removed"), [("00000000000000000000.log", False), ("1.checkpoint", True)])
def test_records_are_not_removed_if_the_file_of_their_cluster_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, is_removed: bool
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: "/bin/java")
    monkeypatch.setattr(prepare, "broker_jars", lambda: tmp_path)
    monkeypatch.setattr(prepare, "_run", lambda _arguments: "")
    settings = Settings(home=tmp_path)
    broker = brokers(settings)[0]
    left = broker.data / "logs.otlp-0" / file
    left.parent.mkdir(parents=True)
    left.touch()

    if is_removed:
        prepare.prepare(settings, broker)
    else:
        with pytest.raises(Conflict, match=r"meta\.properties is missing, although .*logs\.otlp-0 has records"):
            prepare.prepare(settings, broker)
    assert left.exists() != is_removed


def write_meta(home: Path, arguments: list[str]) -> str:
    """Writes the file of the first broker that formatting would write with these arguments."""
    first = brokers(Settings(home=home))[0]
    first.data.mkdir(parents=True, exist_ok=True)
    first.meta.write_text(f"cluster.id={arguments[arguments.index('-t') + 1]}\n")
    return ""


def properties(home: Path) -> dict[str, str]:
    return properties_of(brokers(Settings(home=home))[0])


def properties_of(broker: Broker) -> dict[str, str]:
    text = render_properties(broker, Accounts("me", "s3cret", "0wn"))
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


@pytest.mark.parametrize("name", ["Übung", "back\\slash", "ключ 🔑"])
def test_its_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    written = properties(tmp_path / name)["log.dirs"]

    assert written.isascii()
    assert java_text(written) == str(tmp_path / name / "kafka" / "data")


def test_a_folder_that_kafka_would_take_for_two_is_refused(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "a,b")

    with pytest.raises(InvalidRequest, match="comma"):
        prepare.prepare(settings, brokers(settings)[0])
