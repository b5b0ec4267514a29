"""Sends what Python's logging logs over OTLP/HTTP.

Address and key come from the OTEL_EXPORTER_OTLP_… variables.
"""

import logging

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.logging.handler import LoggingHandler
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

provider = LoggerProvider(resource=Resource.create({"service.name": "hello-python"}))
provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
root = logging.getLogger()
root.setLevel(logging.INFO)
root.addHandler(LoggingHandler(logger_provider=provider))

# Prints why a log could not be sent, such as 401 for a wrong key.
errors = logging.getLogger("opentelemetry")
errors.addHandler(logging.StreamHandler())
errors.propagate = False

logging.getLogger("shop").info("My first log, sent with Python", extra={"order.id": 1001})

provider.shutdown()  # Sends what is still in the batch.
