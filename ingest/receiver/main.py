"""The receiver: one process, or several behind the same ports."""

import uvloop

from ingest.receiver.sizing import worker_memory
from ingest.receiver.worker import Worker, serve
from kit.server.listener import bind
from kit.settings import Settings
from kit.telemetry import start_telemetry
from kit.workers import keep_workers


def run(settings: Settings) -> None:
    """Receives until SIGTERM or SIGINT, then answers the requests under way.

    Raises InvalidRequest when the largest request would not fit into a worker's memory, Conflict when a port is taken,
    Internal when the Kafka producer failed for good.
    """
    worker_memory(settings, settings.receiver_workers)  # here, or each of several workers would end over and over again
    telemetry = start_telemetry(settings, "receiver")
    try:
        if settings.receiver_workers == 1:
            uvloop.run(serve(settings, Worker(0, 1)))
        else:
            # Here, where the port is not shared: workers share it with anyone who shares it too, and could not tell.
            for port, purpose in ((settings.otlp_http_port, "OTLP/HTTP"), (settings.otlp_grpc_port, "OTLP/gRPC")):
                bind(settings.bind_host, settings.port(port), purpose).close()
            uvloop.run(keep_workers("receiver", "ingest.receiver.worker", settings.receiver_workers))
    finally:
        telemetry.shutdown()
