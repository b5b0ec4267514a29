"""Makes the broker's folder ready to start: server.properties, and the storage formatted once."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.errors import Internal, Unavailable
from kit.settings import Settings
from stack.files import write_atomically
from stack.runtime import BROKER_SOURCE, broker_jars

HEAP: Final = ("-Xms128m", "-Xmx384m")
_FORMAT_SECONDS: Final = 60

_PROPERTIES: Final = """\
# Written by `logsieve up` on every start; changes made here are lost.
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller_port}
listeners=CLIENT://127.0.0.1:{client_port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=CLIENT://127.0.0.1:{client_port}
listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENT
controller.listener.names=CONTROLLER
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
    """The broker under home."""
    return Broker(
        client_port=settings.port(settings.kafka_port),
        controller_port=settings.port(settings.kafka_controller_port),
        root=settings.home.resolve() / "kafka",
    )


def render_properties(broker: Broker) -> str:
    """The text of server.properties."""
    return _PROPERTIES.format(client_port=broker.client_port, controller_port=broker.controller_port, data=broker.data)


def prepare(broker: Broker) -> None:
    """Write the broker's configuration and format its storage if that was not done yet; keeps data.

    Raises Unavailable when Java or the jars are missing, Internal when formatting fails.
    """
    java = _java()
    write_atomically(broker.properties_file, render_properties(broker))
    if (broker.data / "meta.properties").exists():
        return
    # meta.properties is what formatting writes last; a folder without it holds no records yet.
    shutil.rmtree(broker.data, ignore_errors=True)
    tool = [*java, "kafka.tools.StorageTool"]
    cluster_id = _run([*tool, "random-uuid"]).split()[-1]
    _run([*tool, "format", "--standalone", "-t", cluster_id, "-c", str(broker.properties_file)])


def command(broker: Broker) -> list[str]:
    """The command line of a prepared broker. Raises Unavailable when Java or the jars are missing."""
    return [*_java(), "kafka.Kafka", str(broker.properties_file)]


def _java() -> list[str]:
    java = shutil.which("java")
    if java is None:
        raise Unavailable("there is no `java` on PATH: Kafka needs Java 17 or newer, or set LOGSIEVE_KAFKA_BOOTSTRAP")
    jars = broker_jars()
    if jars is None:
        raise Unavailable("Kafka is not installed: run `make setup`, or set LOGSIEVE_KAFKA_BOOTSTRAP")
    log4j = BROKER_SOURCE / "log4j2.properties"
    options = ["-XX:+ExitOnOutOfMemoryError", f"-Dlog4j2.configurationFile=file:{log4j}", "-Djava.awt.headless=true"]
    return [java, *HEAP, *options, "-cp", f"{jars}/*"]


def _run(arguments: list[str]) -> str:
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=_FORMAT_SECONDS, check=True)
    except subprocess.CalledProcessError as error:
        raise Internal(f"formatting Kafka's storage failed: {(error.stderr or error.stdout).strip()[-500:]}") from error
    except subprocess.TimeoutExpired as error:
        raise Internal(f"formatting Kafka's storage took more than {_FORMAT_SECONDS} s") from error
    return done.stdout
