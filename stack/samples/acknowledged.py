"""Exports log records, and reports every record that was lost.

The SDK's batch processor drops records that it could not send, and its exporter does not read the answer, in which OTLP
says which records were refused (partial success). This exporter waits for each answer and reads it.
"""

from collections.abc import Callable

import requests
from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import LogRecordProcessor, ReadableLogRecord, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource

from kit.errors import Forbidden, InvalidRequest, LogsieveError, RateLimited, Unauthenticated, Unavailable

REQUEST_RECORDS = 500


class Answers:
    """Stores the receiver's last answer, which it gets from the exporter's HTTP session."""

    def __init__(self) -> None:
        self._last: requests.Response | None = None

    def session(self) -> requests.Session:
        """Returns an HTTP session whose last answer is stored."""
        session = requests.Session()
        session.hooks["response"].append(self._keep)
        return session

    def forget(self) -> None:
        self._last = None

    def failure(self) -> LogsieveError:
        """Returns the error for the receiver's last answer, or Unavailable if it never answered."""
        if self._last is None:
            return Unavailable("the receiver did not answer")
        status = self._last.status_code
        said = f"the receiver answered {status}: {_message(self._last.content) or self._last.reason}"
        if status == requests.codes.unauthorized:
            return Unauthenticated(said)
        if status == requests.codes.forbidden:
            return Forbidden(said)
        if status == requests.codes.too_many_requests:
            return RateLimited(said)
        return Unavailable(said) if status >= 500 else InvalidRequest(said)

    def refused(self) -> tuple[int, str]:
        """Returns the number of records of the last request that were refused, and the receiver's reason."""
        content = b"" if self._last is None else self._last.content
        try:
            partial = ExportLogsServiceResponse.FromString(content).partial_success
        except DecodeError as error:
            raise Unavailable(
                "the answer is not OTLP, so another program may listen on the receiver's port; `logsieve status` "
                "shows the ports"
            ) from error
        return partial.rejected_log_records, partial.error_message

    def _keep(self, response: requests.Response, *_: object, **__: object) -> None:
        self._last = response


class AcknowledgedExport(LogRecordProcessor):
    """Sends every 500 records and waits for the answer.

    Loggers of all resources share one exporter, so that the order of time is kept.
    """

    def __init__(self, exporter: LogRecordExporter, answers: Answers, progress: Callable[[int], None]) -> None:
        self._exporter = exporter
        self._answers = answers
        self._progress = progress
        self._batch: list[ReadableLogRecord] = []
        self.acknowledged = 0
        self.requests = 0

    def on_emit(self, log_record: ReadWriteLogRecord) -> None:
        self._batch.append(
            ReadableLogRecord(
                log_record=log_record.log_record,
                resource=log_record.resource or Resource.get_empty(),
                instrumentation_scope=log_record.instrumentation_scope,
                limits=log_record.limits,
            )
        )
        if len(self._batch) == REQUEST_RECORDS:
            self.flush()

    def flush(self) -> None:
        """Sends the remaining records. Raises the error for the receiver's answer."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        self._answers.forget()
        if self._exporter.export(batch) is not LogRecordExportResult.SUCCESS:
            raise self._answers.failure()
        refused, reason = self._answers.refused()
        if refused:
            raise InvalidRequest(f"the receiver kept {len(batch) - refused} of {len(batch)} sample logs: {reason}")
        self.requests += 1
        self.acknowledged += len(batch)
        self._progress(self.acknowledged)

    def shutdown(self) -> None:
        """Does nothing, because nothing runs in the background."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:  # noqa: ARG002 the signature is the SDK's
        self.flush()
        return True


def _message(content: bytes) -> str:
    """Returns the message of a google.rpc.Status, the body of OTLP's error answers."""
    try:
        return str(Status.FromString(content).message)
    except DecodeError:
        return ""
