"""Prepares a broker's folder for a start: writes server.properties, and formats the storage once."""

import secrets
import shutil
import subprocess
from base64 import urlsafe_b64encode
from typing import Final
from uuid import uuid4

from kit.errors import Conflict, Internal, InvalidRequest, Unavailable
from kit.kafka_settings import OWN_KAFKA_USER
from kit.settings import Settings
from stack.broker.accounts import Accounts
from stack.broker.node import Broker, cluster_id_file
from stack.broker.properties import render_properties
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
MEMORY: Final = ("-XX:MaxDirectMemorySize=128m", "-Djdk.nio.maxCachedBufferSize=2097152", "-XX:MaxMetaspaceSize=96m")
"""Bounds of a JVM's memory outside of its heap, for several brokers. By default, Java allows as much direct memory as
heap, and each network thread keeps a buffer of the largest message that it has copied."""
_FORMAT_SECONDS: Final = 60


def read_password(settings: Settings) -> str:
    """Returns the password of the broker's clients. Generates its file (mode 0600) on the first call."""
    if not settings.kafka_secret:
        create_once(settings.kafka_secret_file, secrets.token_urlsafe(24) + "\n", mode=0o600)
    return settings.kafka_secret


def prepare(settings: Settings, broker: Broker) -> None:
    """Writes the broker's configuration, and formats its storage unless that was done before. Keeps data.

    Only the configuration holds passwords, and each start writes it. A data folder of an older release without
    passwords is therefore used as it is.

    Raises Unavailable if Java or the jars are missing, InvalidRequest if Kafka cannot use the folder, Internal if
    formatting fails. Raises Conflict if the data belong to another number of brokers, or lack the file of their
    cluster.
    """
    if "," in str(broker.data):
        raise InvalidRequest(
            f"LOGSIEVE_HOME is {settings.home.resolve()}: Kafka's folder cannot have a comma in its path"
        )
    java = _java()
    accounts = Accounts(OWN_KAFKA_USER, read_password(settings), _broker_password(settings, broker))
    write_atomically(broker.properties_file, render_properties(broker, accounts), mode=0o600)
    if broker.is_formatted:
        _check_number(settings, broker)
        return
    _require_no_records(broker)
    shutil.rmtree(broker.data, ignore_errors=True)
    if broker.is_alone:
        # If an earlier start of several brokers failed while it formatted, it has left the file. With the file, the
        # next start would take the data for those of several brokers.
        cluster_id_file(settings).unlink(missing_ok=True)
    # With `controller.quorum.voters`, all brokers are voters from the start. A broker that is alone needs an option.
    alone = ["--standalone"] if broker.is_alone else []
    options = [*alone, "-t", _cluster_id(settings, broker), "-c", str(broker.properties_file)]
    _run([*java, "kafka.tools.StorageTool", "format", *options])


def _require_no_records(broker: Broker) -> None:
    """Raises Conflict if a folder that is not formatted has segments of a log. Formatting, which may have been
    interrupted, writes none."""
    if segment := next(broker.data.glob("*/*.log"), None):
        raise Conflict(
            f"{broker.meta} is missing, although {segment.parent} has records: restore the file, for example from a"
            f" backup, or delete the folder {broker.data} if nobody needs its records"
        )


def _check_number(settings: Settings, broker: Broker) -> None:
    """Raises Conflict if the data of a formatted broker belong to another number of brokers.

    Several brokers share an id, which the data of a broker that was alone do not have.
    """
    shared = cluster_id_file(settings)
    if broker.is_alone:
        is_right = not shared.exists()
    else:
        is_right = shared.exists() and f"cluster.id={shared.read_text().strip()}" in broker.meta.read_text().split()
    if not is_right:
        wanted = "1 is" if broker.is_alone else f"{len(broker.controller_ports)} are"
        raise Conflict(
            f"{broker.root} has the data of {'several brokers' if broker.is_alone else 'one broker'}, and {wanted} to "
            "be started: keep the number (--brokers, LOGSIEVE_KAFKA_NODES), or start in another LOGSIEVE_HOME"
        )


def _broker_password(settings: Settings, broker: Broker) -> str:
    """Returns the password of connections between brokers. If there are several, they share a generated one (0600), so
    that each can be started again while the others run."""
    if broker.is_alone:
        return secrets.token_urlsafe(24)
    file = settings.home.resolve() / "secrets" / "kafka-broker-password"
    create_once(file, secrets.token_urlsafe(24) + "\n", mode=0o600)
    return file.read_text().strip()


def _cluster_id(settings: Settings, broker: Broker) -> str:
    """Returns a new id for a broker that is alone, and the common one of several."""
    if broker.is_alone:
        return _new_cluster_id()
    file = cluster_id_file(settings)
    create_once(file, _new_cluster_id() + "\n", mode=0o600)
    return file.read_text().strip()


def _new_cluster_id() -> str:
    """Returns a random id of 16 bytes in URL-safe base64 without padding.

    Kafka's own tool makes the same kind of id, but takes a second.
    """
    while (made := urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass  # The tool would read an id with a leading dash as an option.
    return made


def command(broker: Broker) -> list[str]:
    """Returns the command line of a prepared broker. Raises Unavailable when Java or the jars are missing."""
    return [*_java(*(() if broker.is_alone else MEMORY)), "kafka.Kafka", str(broker.properties_file)]


def _java(*more: str) -> list[str]:
    java = shutil.which("java")
    if java is None:
        raise Unavailable("there is no `java` on PATH: Kafka needs Java 17 or newer, or set LOGSIEVE_KAFKA_BOOTSTRAP")
    jars = broker_jars()
    if jars is None:
        raise Unavailable(f"Kafka is not installed: run `{INSTALL_COMMAND}`, or set LOGSIEVE_KAFKA_BOOTSTRAP")
    log4j = BROKER_SOURCE / "log4j2.properties"
    options = ["-XX:+ExitOnOutOfMemoryError", f"-Dlog4j2.configurationFile=file:{log4j}", "-Djava.awt.headless=true"]
    archive = [f"-XX:SharedArchiveFile={CLASS_ARCHIVE}"] if CLASS_ARCHIVE.exists() else []
    return [java, *HEAP, *COLLECTOR, *COMPILER, *archive, *options, *more, "-cp", f"{jars}/*"]


def _run(arguments: list[str]) -> str:
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=_FORMAT_SECONDS, check=True)
    except subprocess.CalledProcessError as error:
        raise Internal(f"formatting Kafka's storage failed: {(error.stderr or error.stdout).strip()[-500:]}") from error
    except subprocess.TimeoutExpired as error:
        raise Internal(f"formatting Kafka's storage took more than {_FORMAT_SECONDS} s") from error
    return done.stdout
