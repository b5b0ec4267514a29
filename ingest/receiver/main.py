"""Starts the receiver: one process, or several behind the same ports."""

import uvloop

from ingest.receiver.sizing import worker_memory
from ingest.receiver.worker import Worker, serve
from kit.server.listener import bind
from kit.settings import Settings
from kit.telemetry import start_telemetry
from kit.workers import keep_workers


def run(settings: Settings) -> None:
    """Receives until SIGTERM or SIGINT, then answers the requests in progress.

    Raises InvalidRequest if the largest request would not fit into a worker's memory, or if there is no port for the
    operations routes of a worker. Raises Conflict if a port is taken, Internal if the Kafka producer failed
    permanently.
    """
    # The memory is checked before workers start. Otherwise, each of several workers would end again after each start.
    worker_memory(settings, settings.receiver_workers)
    if settings.receiver_workers > 1:
        settings.worker_port("receiver", settings.receiver_ops_port, settings.receiver_workers - 1)
    telemetry = start_telemetry(settings, "receiver")
    try:
        if settings.receiver_workers == 1:
            uvloop.run(serve(settings, Worker(0, 1)))
        else:
            # Each port is opened here for a moment, without sharing it. Workers share it, so they could not detect
            # that another program has it.
            for port, purpose in ((settings.otlp_http_port, "OTLP/HTTP"), (settings.otlp_grpc_port, "OTLP/gRPC")):
                bind(settings.bind_host, settings.port(port), purpose).close()
            uvloop.run(keep_workers("receiver", "ingest.receiver.worker", settings.receiver_workers))
    finally:
        telemetry.shutdown(receiver_ended=True)
