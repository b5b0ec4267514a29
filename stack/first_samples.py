"""Sends the sample logs to the demo tenant, once per home folder: `python -m stack.first_samples`."""

import re
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel

from kit.clock import DAY_NS, SystemClock
from kit.errors import Internal, InvalidRequest
from kit.settings import Settings
from kit.tls import own_ports
from schema.demo_keys import read_demo_keys
from stack.addresses import own_url
from stack.files import write_atomically

_SENT: Final = re.compile(r"\d+ records from (\d+) to (\d+)\n")


class _Begun(BaseModel):
    """Samples of which some may be stored: an interrupted first start continues with them, so that none is sent twice
    except those of a request that was not answered."""

    now_ns: int
    acknowledged: int = 0

    @classmethod
    def read(cls, file: Path, now_ns: int) -> Self:
        """Returns the content of the file; new samples if it does not exist, or if its samples may be too old for the
        retention of the demo tenant."""
        begun = cls.model_validate_json(file.read_bytes()) if file.exists() else cls(now_ns=now_ns)
        return begun if now_ns - begun.now_ns < DAY_NS else cls(now_ns=now_ns)


def samples_marker(settings: Settings) -> Path:
    """Returns the file whose existence means that the samples were sent."""
    return settings.home / "samples-sent"


def send_first_samples(settings: Settings) -> None:
    """Sends the samples, unless they were sent before. Raises the receiver's error if it refused them."""
    if samples_marker(settings).exists():
        return
    keys = read_demo_keys(settings)
    if keys is None:
        raise Internal("keys.json is missing, so no sample logs can be sent; run `logsieve up`")
    # Imported late, because only the first start needs the SDK.
    from stack.samples.send import send_samples  # noqa: PLC0415

    require_sendable(settings)
    tls = own_ports(settings) if settings.tls_cert_file else None
    file = settings.home / "samples-begun"
    begun = _Begun.read(file, SystemClock().now_ns())

    def keep(acknowledged: int) -> None:
        write_atomically(
            file, begun.model_copy(update={"acknowledged": begun.acknowledged + acknowledged}).model_dump_json()
        )

    keep(0)
    report = send_samples(
        own_url(settings, settings.otlp_http_port),
        keys.ingest_key,
        now_ns=begun.now_ns,
        skip=begun.acknowledged,
        progress=keep,
        tls=tls,
    )
    count = begun.acknowledged + report.records
    write_atomically(samples_marker(settings), f"{count} records from {report.first_ns} to {report.last_ns}\n")
    file.unlink()


def require_sendable(settings: Settings) -> None:
    """Raises InvalidRequest if samples are still to be sent and lack the client certificate that receivers require."""
    if settings.lacks_client_certificate and not samples_marker(settings).exists():
        raise InvalidRequest(
            "LOGSIEVE_TLS_CLIENT_CA_FILE makes OTLP clients show a certificate, and the sample logs have none: set"
            " LOGSIEVE_TLS_CLIENT_CERT_FILE and LOGSIEVE_TLS_CLIENT_KEY_FILE, or use `logsieve up --no-samples`"
        )


def samples_times(settings: Settings) -> tuple[int, int] | None:
    """Returns the times of the oldest and the newest sample, in Unix nanoseconds; None if none are known."""
    try:
        sent = _SENT.fullmatch(samples_marker(settings).read_text())
    except FileNotFoundError:
        return None
    return None if sent is None else (int(sent[1]), int(sent[2]))


if __name__ == "__main__":
    send_first_samples(Settings())
