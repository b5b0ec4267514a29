"""Writes the archive of Kafka's classes, from which a broker starts with about half the CPU time.

Java maps the archive instead of reading and checking some thousand classes of the jars (class data sharing, JEP 350).
Java starts without an archive that it cannot use, such as one of another version.
"""

import subprocess
import tempfile
import threading
import uuid
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Final, TextIO

from kit.free_ports import free_ports
from stack.install.step import StepFailed, call
from stack.runtime import BROKER_SOURCE, CLASS_ARCHIVE, broker_jars

_STARTED: Final = "Kafka Server started"
_MAX_SECONDS: Final = 120.0
"""Longest time that the broker may take to start and end, in seconds; then it is killed."""
_PROPERTIES: Final = """\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller_port}
listeners=CLIENT://127.0.0.1:{client_port},CONTROLLER://127.0.0.1:{controller_port}
listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENT
controller.listener.names=CONTROLLER
log.dirs={folder}/data
"""


def write_class_archive(log: TextIO) -> None:
    """Runs an empty broker on free ports until it is started. When it ends, Java writes the classes that it loaded.

    Raises StepFailed.
    """
    jars = broker_jars()
    if jars is None:
        raise StepFailed("Kafka is not installed")
    # The garbage collector must be that of the broker that `up` starts.
    java = ["java", "-XX:+UseSerialGC", f"-Dlog4j2.configurationFile=file:{BROKER_SOURCE / 'log4j2.properties'}"]
    classes = ["-cp", f"{jars}/*"]
    fresh = CLASS_ARCHIVE.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="logsieve-kafka-") as folder:
        properties = Path(folder, "server.properties")
        client_port, controller_port = free_ports(2)
        properties.write_text(
            _PROPERTIES.format(client_port=client_port, controller_port=controller_port, folder=folder)
        )
        cluster = "A" + urlsafe_b64encode(uuid.uuid4().bytes).decode()[1:22]
        format_options = ["format", "--standalone", "-t", cluster, "-c", str(properties)]
        call(log, [*java, *classes, "kafka.tools.StorageTool", *format_options])
        _start_and_stop(log, [*java, f"-XX:ArchiveClassesAtExit={fresh}", *classes, "kafka.Kafka", str(properties)])
    if not fresh.exists():
        raise StepFailed("Java wrote no archive")
    fresh.replace(CLASS_ARCHIVE)


def _start_and_stop(log: TextIO, command: list[str]) -> None:
    log.write(f"$ {' '.join(command)}\n")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as broker:
        killing = threading.Timer(_MAX_SECONDS, broker.kill)
        killing.start()
        assert broker.stdout is not None
        for line in broker.stdout:
            log.write(line)
            if _STARTED in line:
                broker.terminate()
        broker.wait()
        killing.cancel()
