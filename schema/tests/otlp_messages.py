"""Generates, from a seed and without end, odd but valid export requests, and bytes that are almost valid."""

import math
import random
import struct
from collections.abc import Callable

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    EntityRef,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

_DOUBLES = (0.0, -0.0, 1.0, 1e15, 1e16, 1e22, 1e-4, 1e-5, 5e-324, math.nan, math.inf, -math.inf)
_TIMES = (0, 0, 1, 2**63 - 1, 2**63, 2**64 - 1, 1_795_000_000_000_000_000)
_DEEPEST = 50


def varint(number: int) -> bytes:
    """Encodes a number as LEB128."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def field(number: int, message: bytes) -> bytes:
    """Encodes a field of text, bytes or a message."""
    return varint(number << 3 | 2) + varint(len(message)) + message


def group(number: int, inner: bytes = b"") -> bytes:
    """Encodes a group. No field of OTLP is one."""
    return varint(number << 3 | 3) + inner + varint(number << 3 | 4)


class Messages:
    """Generates random messages from a seed."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def any(self) -> bytes:
        """Returns a message of a random kind."""
        kinds = (self.request, self.in_pieces, self.deep, self.mutated, self.mutated, self.spliced)
        return self._random.choice(kinds)()

    def request(self) -> bytes:
        """Returns a request with odd values, as the library encodes it."""
        request = ExportLogsServiceRequest()
        for _ in range(self._random.randrange(3)):
            scopes = []
            for _ in range(self._random.randrange(3)):
                scope = InstrumentationScope(name=self._text(), version=self._text(), attributes=[self._pair()])
                records = [self._record() for _ in range(self._random.randrange(4))]
                scopes.append(ScopeLogs(scope=self._random.choice((scope, None)), log_records=records, schema_url="u"))
            resource = Resource(
                attributes=[self._pair() for _ in range(self._random.randrange(4))],
                entity_refs=[EntityRef(type="host", id_keys=[self._text()])],
            )
            request.resource_logs.append(
                ResourceLogs(resource=self._random.choice((resource, None)), scope_logs=scopes, schema_url=self._text())
            )
        return request.SerializeToString()

    def in_pieces(self) -> bytes:
        """Returns messages in pieces that must be merged, with repeated values and unknown fields."""
        record = (
            self._record().SerializeToString()
            + self._junk()
            + b"".join(field(5, self._value_pieces()) for _ in range(self._random.randrange(3)))
            + field(6, self._pair_pieces())
        )
        scope = field(2, record) + field(1, field(1, b"n") + self._junk()) + field(1, field(2, b"v")) + field(2, record)
        resource = field(1, field(1, self._pair_pieces()))
        pieces = [resource, field(2, scope), resource, self._junk(), field(2, scope)]
        self._random.shuffle(pieces)
        return field(1, b"".join(pieces))

    def pieces_in_pieces(self) -> bytes:
        """Returns attributes and a body whose arrays and maps come in pieces at all levels."""
        record = self._pieces(5, self._nested_pieces(6)) + field(6, self._pieced_pair(6))
        return field(1, self._pieces(1, field(1, self._pieced_pair(6))) + field(2, field(2, record)))

    def deep(self) -> bytes:
        """Returns messages and groups nested about as deep as allowed."""
        value = b"\x18\x05"
        for _ in range(self._random.randrange(12)):
            value = group(99, value)
        for _ in range(self._random.randrange(_DEEPEST - 8, _DEEPEST + 2)):
            value = field(5, field(1, value)) if self._random.random() < 0.9 else field(6, field(1, field(2, value)))
        return field(1, field(2, field(2, field(5, value))))

    def mutated(self) -> bytes:
        """Returns a request with a few wrong bytes."""
        raw = bytearray(self._random.choice((self.request, self.in_pieces))())
        for _ in range(self._random.randrange(1, 4)):
            if raw:
                raw[self._random.randrange(len(raw))] = self._random.randrange(256)
        return bytes(raw)

    def spliced(self) -> bytes:
        """Returns the beginning of one request and the end of another."""
        first, second = self.request(), self.request()
        return first[: self._random.randint(0, len(first))] + second[self._random.randint(0, len(second)) :]

    def _text(self) -> str:
        pieces = ("a", "b", "é", "漢", "😀", '"', "\\", chr(self._random.randrange(128)), "x" * 60, "y" * 127)
        return "".join(self._random.choices(pieces, k=self._random.choice((0, 1, 2, 3, 9))))

    def _value(self, depth: int = 0) -> AnyValue:
        choose = self._random

        def few() -> range:
            return range(choose.choice((0, 1, 2, 30)) if depth < 3 else 0)

        def double() -> float:
            (any_bits,) = struct.unpack("<d", choose.randbytes(8))
            return choose.choice((*_DOUBLES, float(any_bits), choose.randrange(10**9) / 10**4))

        # Functions, so that only the value of the chosen kind is built, and not a tree for each kind.
        kinds: tuple[Callable[[], AnyValue], ...] = (
            AnyValue,
            lambda: AnyValue(string_value=self._text()),
            lambda: AnyValue(int_value=choose.choice((0, -1, 2**63 - 1, -(2**63), choose.getrandbits(40)))),
            lambda: AnyValue(double_value=double()),
            lambda: AnyValue(bool_value=choose.random() < 0.5),
            lambda: AnyValue(bytes_value=choose.randbytes(choose.randrange(4))),
            lambda: AnyValue(string_value_strindex=choose.randrange(2)),
            lambda: AnyValue(array_value=ArrayValue(values=[self._value(depth + 2) for _ in few()])),
            lambda: AnyValue(kvlist_value=KeyValueList(values=[self._pair(depth + 2) for _ in few()])),
        )
        return choose.choice(kinds)()

    def _pair(self, depth: int = 0) -> KeyValue:
        return KeyValue(key=self._random.choice(("a", "b", "service.name", "", self._text())), value=self._value(depth))

    def _record(self) -> LogRecord:
        choose = self._random
        return LogRecord(
            time_unix_nano=choose.choice(_TIMES),
            observed_time_unix_nano=choose.choice(_TIMES),
            severity_number=SeverityNumber.ValueType(choose.choice((0, 5, 24, 25, -1, 2**31 - 1))),
            severity_text=self._text(),
            body=choose.choice((self._value(), None)),
            attributes=[self._pair() for _ in range(choose.randrange(5))],
            trace_id=choose.randbytes(choose.choice((0, 3, 16))),
            span_id=choose.randbytes(choose.choice((0, 8, 9))),
            flags=choose.choice((0, 1, 2**32 - 1)),
            event_name=self._text(),
        )

    def _value_pieces(self) -> bytes:
        pieces = [self._value().SerializeToString() + self._junk() for _ in range(self._random.randrange(4))]
        return b"".join(pieces)

    def _pair_pieces(self) -> bytes:
        pieces = [field(1, b"k1"), field(1, b"k2"), field(2, self._value_pieces()), field(2, self._value_pieces())]
        return b"".join(self._random.sample([*pieces, self._junk()], self._random.randrange(6)))

    def _nested_pieces(self, levels: int) -> bytes:
        """Returns a value with arrays and maps in several pieces. Other members of the oneof may be between them."""
        if levels == 0:
            return self._value(2).SerializeToString() + self._junk()
        array = field(1, self._nested_pieces(levels - 1)) + field(1, self._value(2).SerializeToString())
        pairs = field(1, self._pieced_pair(levels - 1)) + field(1, self._pair(2).SerializeToString())
        other = self._random.choice((b"", b"", self._value(2).SerializeToString()))
        runs = [self._pieces(5, array), other, self._pieces(6, pairs), self._junk()]
        self._random.shuffle(runs)
        return b"".join(runs)

    def _pieced_pair(self, levels: int) -> bytes:
        return field(1, self._text().encode()) + self._pieces(2, self._nested_pieces(levels))

    def _pieces(self, number: int, message: bytes) -> bytes:
        """Returns fields with this number: the message among other pieces of it, of which some are empty."""
        pieces = [field(number, message), field(number, b""), field(number, self._junk()), self._junk()]
        self._random.shuffle(pieces)
        return b"".join(pieces)

    def _junk(self) -> bytes:
        odd = (b"\x98\x80\x80\x80\x00\x05", varint(99 << 3) + b"\xff" * 9 + b"\x7f", group(50, b"\x08\x01"))
        return self._random.choice((b"", field(77, b"zz"), varint(1 << 3) + b"\x01", *odd))
