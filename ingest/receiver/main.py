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

    Raises InvalidRequest when the largest request would not fit into a worker's memory, or there is no port for the
    operations routes of a worker, Conflict when a port is taken, Internal when the Kafka producer failed permanently.
    """
    # Checked first, or each of several workers would end repeatedly.
    worker_memory(settings, settings.receiver_workers)
    if settings.receiver_workers > 1:
        settings.worker_port("receiver", settings.receiver_ops_port, settings.receiver_workers - 1)
    telemetry = start_telemetry(settings, "receiver")
    try:
        if settings.receiver_workers == 1:
            uvloop.run(serve(settings, Worker(0, 1)))
        else:
            # Checked here, without sharing the port. Workers share it, and could not detect whether a stranger shares
            # it too.
            for port, purpose in ((settings.otlp_http_port, "OTLP/HTTP"), (settings.otlp_grpc_port, "OTLP/gRPC")):
                bind(settings.bind_host, settings.port(port), purpose).close()
            uvloop.run(keep_workers("receiver", "ingest.receiver.worker", settings.receiver_workers))
    finally:
        telemetry.shutdown(receiver_ended=True)
