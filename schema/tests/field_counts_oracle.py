"""Counts fields and values in plain Python, and reads the counts from a block in Native format."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from io import BytesIO

from schema.clickhouse.fields_rollup import BUCKET_SECONDS, COLUMNS, MAX_FIELDS, MAX_TEXT_BYTES
from schema.log_columns import LogColumns
from schema.severity import UNSPECIFIED, name_of

MAX_VALUES = 64
LAST_SECOND = 2**32 - 1
"""Last second of a DateTime. Later records are counted in its quarter of an hour."""

Key = tuple[int, str, str, str, str, int, str]
"""Tenant, cohort, source, kind, field, bucket, value."""

_Context = tuple[int, str, int]
_Place = tuple[str, str]
"""Source and name of a field."""


def counted(rows: LogColumns) -> dict[Key, int]:
    """Returns the expected counts of the rows."""
    by_context: defaultdict[_Context, list[int]] = defaultdict(list)
    for index, (tenant, cohort, time) in enumerate(zip(rows.tenant_id, rows.cohort, rows.timestamp, strict=True)):
        seconds = min(time // 10**9, LAST_SECOND)
        by_context[tenant, cohort, seconds // BUCKET_SECONDS * BUCKET_SECONDS].append(index)
    counts: dict[Key, int] = {}
    for (tenant, cohort, bucket), indexes in by_context.items():
        for of in (_attributes, _record):
            values: defaultdict[_Place, Counter[str]] = defaultdict(Counter)
            for index in indexes:
                for source, name, text in of(rows, index):
                    values[source, name][text] += 1
            for (source, name), texts in _most_frequent(values):
                key = (tenant, cohort, source)
                counts[*key, "field", name, bucket, ""] = texts.total()
                for value, records in _kept(texts):
                    counts[*key, "value", name, bucket, value] = records
    return counts


def _attributes(rows: LogColumns, index: int) -> Iterator[tuple[str, str, str]]:
    for name, text in rows.attributes[index].items():
        yield "attributes", name, text


def _record(rows: LogColumns, index: int) -> Iterator[tuple[str, str, str]]:
    severity = name_of(rows.severity_number[index])
    fields = {
        "service": rows.service[index],
        "severity": "" if severity == UNSPECIFIED else severity,
        "severity_text": rows.severity_text[index],
        "event_name": rows.event_name[index],
        "scope.name": rows.scope_name[index],
        "scope.version": rows.scope_version[index],
    }
    for name, text in fields.items():
        if text:
            yield "record", name, text
    for name, text in rows.resource[index].items():
        yield "resource", name, text


def _most_frequent(values: dict[_Place, Counter[str]]) -> list[tuple[_Place, Counter[str]]]:
    def order(entry: tuple[_Place, Counter[str]]) -> tuple[int, bytes, str]:
        (source, name), texts = entry
        return -texts.total(), name.encode(), source

    short = (each for each in values.items() if len(each[0][1].encode()) <= MAX_TEXT_BYTES)
    return sorted(short, key=order)[:MAX_FIELDS]


def _kept(texts: Counter[str]) -> list[tuple[str, int]]:
    total = texts.total()
    short = [each for each in texts.items() if len(each[0].encode()) <= MAX_TEXT_BYTES]
    found = sorted(short, key=lambda each: (-each[1], each[0].encode()))[:MAX_VALUES]
    if len(found) < MAX_VALUES and len(found) <= max(16, total / 2):
        return found
    return [(value, records) for value, records in found if records >= max(2, total / 200)]


def read_block(block: bytes) -> dict[Key, int]:
    """Returns the counts in a block of a fields table; empty for no bytes. Fails if a key occurs twice."""
    if not block:
        return {}
    stream = BytesIO(block)
    width, height = _varint(stream), _varint(stream)
    columns: dict[str, list[int] | list[str]] = {}
    for column in COLUMNS[:width]:
        assert (_text(stream), _text(stream)) == (column.name, column.type)
        columns[column.name] = _column(stream, column.type, height)
    assert stream.read() == b""
    kinds = ["field" if kind == 0 else "value" for kind in columns["kind"]]
    names = ("field", "bucket", "value")
    keys = zip(
        columns["tenant_id"],
        columns["cohort"],
        columns["source"],
        kinds,
        *(columns[each] for each in names),
        strict=True,
    )
    counts = dict(zip(keys, columns["records"], strict=True))
    assert len(counts) == height, "a key is there twice"
    return counts  # type: ignore[return-value]  # each column has its type


def _column(stream: BytesIO, kind: str, height: int) -> list[int] | list[str]:
    sizes = {"UInt32": 4, "UInt64": 8, "DateTime('UTC')": 4}
    if kind == "String":
        return [_text(stream) for _ in range(height)]
    if kind.startswith("Enum8"):
        return list(stream.read(height))
    if kind == "LowCardinality(String)":
        _version, index = _numbers(stream, 8, 2)
        [size] = _numbers(stream, 8, 1)
        distinct = [_text(stream) for _ in range(size)]
        [count] = _numbers(stream, 8, 1)
        return [distinct[number] for number in _numbers(stream, 1 << (index & 0xFF), count)]
    return _numbers(stream, sizes[kind], height)


def _numbers(stream: BytesIO, size: int, count: int) -> list[int]:
    return [int.from_bytes(stream.read(size), "little") for _ in range(count)]


def _text(stream: BytesIO) -> str:
    return stream.read(_varint(stream)).decode()


def _varint(stream: BytesIO) -> int:
    number = shift = 0
    while True:
        [byte] = stream.read(1)
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number


def together(parts: Iterable[LogColumns]) -> LogColumns:
    """Returns the rows of all parts, in order."""
    whole = LogColumns()
    for part in parts:
        whole.extend(part)
    return whole
