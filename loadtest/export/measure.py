"""Measures the memory that the backend takes while clients read exports at full speed, slowly, or disconnect early."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.errors import Internal
from loadtest.background import repeating
from loadtest.bench import Bench
from loadtest.export.study import ExportReport, Growth
from loadtest.own_stack import OwnStack, Sender
from loadtest.process_stat import family_status_bytes
from loadtest.query_api import QueryApi
from loadtest.services import API
from schema.clickhouse.tables import table_name

_COHORT: Final = "r30"
_BACK_SECONDS: Final = 3 * 3600
_WARM_UP_RECORDS: Final = 20_000
_WARM_UP_NS: Final = 2 * 10**9
"""Nanoseconds that contain the `_WARM_UP_RECORDS` records, at ten records per millisecond."""
_VANISHING: Final = 20
_PIECE: Final = 64 * 1024
_SAMPLE_SECONDS: Final = 0.02


def measure_exports(bench: Bench, stack: OwnStack, records: int, slow_seconds: float) -> ExportReport:
    """Stores the records, then lets one client after the other export them. The slow client reads for `slow_seconds`.

    Raises Internal if an export is empty.
    """
    sender = stack.create_sender("export")
    start_ns = (bench.clock.now_ns() // 10**9 - _BACK_SECONDS) * 10**9
    bench.say(f"storing {records} records")
    with connect(stack.settings) as client:
        end_ns = _insert_rows(client, sender, records, start_ns)
    with stack.query_api(sender.tenant) as api:
        pid = stack.services.pid(API)
        # A first export is not measured, because it takes memory that the backend allocates only once.
        warm_up = _Exports(api, pid, {"start": start_ns, "end": start_ns + _WARM_UP_NS}, _WARM_UP_RECORDS)
        warm_up.at_full_speed("ndjson")
        exports = _Exports(api, pid, {"start": start_ns, "end": end_ns}, records)
        growths = []
        clients: tuple[Callable[[], Growth], ...] = (
            lambda: exports.at_full_speed("ndjson"),
            lambda: exports.slowly(slow_seconds),
            lambda: exports.vanishing(_VANISHING),
            lambda: exports.at_full_speed("csv"),
        )
        for export in clients:
            growth = export()
            bench.say(f"{growth.client}: {growth.records} records, {growth.grown_bytes / 2**20:.0f} MiB more")
            growths.append(growth)
    return ExportReport(records=records, clients=tuple(growths))


class _Exports:
    """Clients of one backend process that export one time range."""

    def __init__(self, api: QueryApi, pid: int, parameters: dict[str, str | int], records: int) -> None:
        self._api = api
        self._pid = pid
        self._parameters = parameters
        self._records = records
        self._bytes = 0

    def at_full_speed(self, format: str) -> Growth:
        """Reads a whole export as fast as the backend sends it."""
        started = time.monotonic()
        with watched(self._pid) as sizes:
            received, last = self._read({**self._parameters, "format": format}, seconds=None, pause=0.0)
        records = received - (1 if format == "csv" else 0)
        complete = records == self._records and b'"error"' not in last[:9]
        return self._growth(f"{format} at full speed", records, started, sizes, complete)

    def slowly(self, seconds: float) -> Growth:
        """Reads a piece of 64 KiB every tenth of a second, and disconnects after `seconds`."""
        started = time.monotonic()
        with watched(self._pid) as sizes:
            records, _ = self._read(self._parameters, seconds, pause=0.1)
        return self._growth("slow", records, started, sizes, 0 < records < self._records)

    def vanishing(self, times: int) -> Growth:
        """Opens `times` exports one after the other, and disconnects from each after the first piece of 64 KiB."""
        started = time.monotonic()
        with watched(self._pid) as sizes:
            records = sum(self._read(self._parameters, seconds=0.0, pause=0.0)[0] for _ in range(times))
        return self._growth(f"{times} that vanish", records, started, sizes, 0 < records < times * self._records)

    def _read(self, parameters: dict[str, str | int], seconds: float | None, pause: float) -> tuple[int, bytes]:
        """Returns the number of lines that were read, and the last complete line. Raises Internal for an empty export.

        Reads for `seconds`, or to the end if `seconds` is None, with `pause` seconds after each piece.
        """
        lines, size, piece, started = 0, 0, b"", time.monotonic()
        with self._api.export(parameters) as answer:
            for piece in answer.iter_bytes(_PIECE):
                lines += piece.count(b"\n")
                size += len(piece)
                if seconds is not None and time.monotonic() - started >= seconds:
                    break
                if pause:
                    time.sleep(pause)
        if not size:
            raise Internal("the export was empty")
        self._bytes = size
        return lines, piece[-4096:].rpartition(b"\n")[0].rpartition(b"\n")[2]

    def _growth(self, client: str, records: int, started: float, sizes: list[int], complete: bool) -> Growth:
        return Growth(
            client=client,
            records=records,
            bytes=self._bytes,
            seconds=time.monotonic() - started,
            grown_bytes=max(sizes) - sizes[0],
            complete=complete,
        )


@contextmanager
def watched(pid: int) -> Iterator[list[int]]:
    """Yields a list of the resident bytes of a process and its descendants, such as the workers of the API.

    The list grows during the block. The first sample is from before it.
    """
    sizes = [family_status_bytes(pid, "VmRSS")]
    with repeating("memory", lambda: sizes.append(family_status_bytes(pid, "VmRSS")), _SAMPLE_SECONDS):
        yield sizes


def _insert_rows(client: Client, sender: Sender, count: int, start_ns: int) -> int:
    """Lets ClickHouse make records of about 800 bytes, ten per millisecond.

    Returns a time after all of them, in nanoseconds since the Unix epoch.
    """
    client.command(
        f"INSERT INTO {table_name(sender.lane)}"
        " (tenant_id, cohort, timestamp, id, severity_number, severity_text, service, body, attributes)"
        " SELECT {tenant:UInt32}, {cohort:String},"
        " fromUnixTimestamp64Nano({start:Int64} + intDiv(number, 10) * 1000000, 'UTC'),"
        " toUInt128(number + 1), 9, 'INFO',"
        " concat('service-', toString(number % 8)),"
        " concat('request ', toString(number), ' took ', toString(sipHash64(number) % 5000), ' ms ',"
        " repeat(hex(sipHash128(number)), 20)),"
        " map('number', toString(number), 'http.route', '/checkout', 'user.id', toString(sipHash64(number) % 10000))"
        " FROM numbers({count:UInt64})",
        parameters={"tenant": sender.tenant_id, "cohort": _COHORT, "start": start_ns, "count": count},
        settings={"max_partitions_per_insert_block": 1000},
    )
    return start_ns + (count // 10 + 1) * 10**6
