"""Prepares the broker's folder for a start: writes server.properties, and formats the storage once."""

import secrets
import shutil
import subprocess
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from kit.errors import Internal, Unavailable
from kit.kafka_settings import OWN_KAFKA_USER
from kit.settings import Settings
from stack.broker.accounts import Accounts
from stack.files import create_once, write_atomically
from stack.runtime import BROKER_SOURCE, CLASS_ARCHIVE, INSTALL_COMMAND, broker_jars

HEAP: Final = ("-Xms128m", "-Xmx384m")
COLLECTOR: Final = ("-XX:+UseSerialGC",)
"""Garbage collector of the broker's JVM.

Java's default, G1, would treat each message of more than half a MiB as humongous and give it regions of its own. Only a
cycle over the whole heap frees these. Costs are in docs/decisions/0033.
"""
COMPILER: Final = ("-XX:TieredStopAtLevel=1",)
"""Java's first compiler only. The second one takes several CPU seconds after each start, and its code is not faster for
a broker, whose work is copying and checksums. Costs are in docs/decisions/0033.
"""
_FORMAT_SECONDS: Final = 60

_PROPERTIES: Final = """\
# Written by `logsieve up` on every start; changes made here are lost.
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller_port}
listeners=CLIENT://127.0.0.1:{client_port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=CLIENT://127.0.0.1:{client_port}
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT
inter.broker.listener.name=CLIENT
controller.listener.names=CONTROLLER
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
sasl.mechanism.controller.protocol=PLAIN
listener.name.client.plain.sasl.jaas.config={client_sign_in}
listener.name.controller.plain.sasl.jaas.config={controller_sign_in}
log.dirs={data}

auto.create.topics.enable=false
# One broker cannot hold more than one copy of its own topics.
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
# No-op records show several controllers how far each of them is; this one is alone. Kafka's default is 500 ms.
metadata.max.idle.interval.ms=10000

# An OTLP request of 16 MiB with its envelope fits into one message.
message.max.bytes=20971520
replica.fetch.max.bytes=20971520

# Topics that set nothing of their own: three days, at most 8 GiB a partition, in segments that retention can drop.
log.retention.hours=72
log.retention.bytes=8589934592
log.segment.bytes=134217728
log.retention.check.interval.ms=60000
# Written to disk when the operating system does it, as Kafka recommends: an acknowledged record survives the death of
# the broker (the page cache is the system's), not that of the machine. Several brokers make up for the latter.

# The system's own sizes, which grow: with Kafka's 100 KiB a message of 2 MiB took twenty reads.
socket.receive.buffer.bytes=-1
socket.send.buffer.bytes=-1
num.network.threads=2
num.io.threads=4
"""


@dataclass(frozen=True, slots=True)
class Broker:
    """The one Kafka process: broker and controller in KRaft mode, on loopback."""

    client_port: int
    controller_port: int
    root: Path

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def properties_file(self) -> Path:
        return self.root / "server.properties"


def broker(settings: Settings) -> Broker:
    """Returns the broker under home."""
    return Broker(
        client_port=settings.port(settings.kafka_port),
        controller_port=settings.port(settings.kafka_controller_port),
        root=settings.home.resolve() / "kafka",
    )


def render_properties(broker: Broker, accounts: Accounts) -> str:
    """Returns the text of server.properties, which holds the passwords of both accounts."""
    return _PROPERTIES.format(
        client_port=broker.client_port,
        controller_port=broker.controller_port,
        data=broker.data,
        client_sign_in=accounts.clients_may_sign_in(),
        controller_sign_in=accounts.only_the_broker_may_sign_in(),
    )


def read_password(settings: Settings) -> str:
    """Returns the password of the broker's clients. Generates its file (mode 0600) on the first call."""
    if not settings.kafka_secret:
        create_once(settings.kafka_secret_file, secrets.token_urlsafe(24) + "\n", mode=0o600)
    return settings.kafka_secret


def prepare(settings: Settings, broker: Broker) -> None:
    """Writes the broker's configuration, and formats its storage unless that was done before. Keeps data.

    Only the configuration holds passwords, and each start writes it. A data folder of an older release without
    passwords is therefore used as it is. Raises Unavailable when Java or the jars are missing, Internal when formatting
    fails.
    """
    java = _java()
    accounts = Accounts(OWN_KAFKA_USER, read_password(settings), secrets.token_urlsafe(24))
    write_atomically(broker.properties_file, render_properties(broker, accounts), mode=0o600)
    if (broker.data / "meta.properties").exists():
        return
    # Formatting writes meta.properties last, so a folder without it holds no records yet.
    shutil.rmtree(broker.data, ignore_errors=True)
    options = ["--standalone", "-t", _cluster_id(), "-c", str(broker.properties_file)]
    _run([*java, "kafka.tools.StorageTool", "format", *options])


def _cluster_id() -> str:
    """Returns a random id of 16 bytes in URL-safe base64 without padding.

    Kafka's own tool makes the same kind of id, but takes a second.
    """
    while (made := urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass  # The tool would read an id with a leading dash as an option.
    return made


def command(broker: Broker) -> list[str]:
    """Returns the command line of a prepared broker. Raises Unavailable when Java or the jars are missing."""
    return [*_java(), "kafka.Kafka", str(broker.properties_file)]


def _java() -> list[str]:
    java = shutil.which("java")
    if java is None:
        raise Unavailable("there is no `java` on PATH: Kafka needs Java 17 or newer, or set LOGSIEVE_KAFKA_BOOTSTRAP")
    jars = broker_jars()
    if jars is None:
        raise Unavailable(f"Kafka is not installed: run `{INSTALL_COMMAND}`, or set LOGSIEVE_KAFKA_BOOTSTRAP")
    log4j = BROKER_SOURCE / "log4j2.properties"
    options = ["-XX:+ExitOnOutOfMemoryError", f"-Dlog4j2.configurationFile=file:{log4j}", "-Djava.awt.headless=true"]
    archive = [f"-XX:SharedArchiveFile={CLASS_ARCHIVE}"] if CLASS_ARCHIVE.exists() else []
    return [java, *HEAP, *COLLECTOR, *COMPILER, *archive, *options, "-cp", f"{jars}/*"]


def _run(arguments: list[str]) -> str:
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=_FORMAT_SECONDS, check=True)
    except subprocess.CalledProcessError as error:
        raise Internal(f"formatting Kafka's storage failed: {(error.stderr or error.stdout).strip()[-500:]}") from error
    except subprocess.TimeoutExpired as error:
        raise Internal(f"formatting Kafka's storage took more than {_FORMAT_SECONDS} s") from error
    return done.stdout
