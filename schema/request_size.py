"""What a request becomes as rows, and the bounds of that: they keep a small request from making a huge insert.

The bounds are constants, not settings: receivers and loaders must agree on them, and a range that is loaded again must
refuse the same messages.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

MAX_ROW_BYTES: Final = 256 * 2**20
"""Bytes of one request's rows, of which each has its resource and scope: some 2.5 KB of them for 100,000 records."""

MAX_NESTED_VALUES: Final = 500_000
"""Values inside arrays and maps in one request. 16 MiB of real ones has fewer; 16 MiB of empty ones has eight million,
which as JSON cost a loader some 7 s."""

_LEAST_VALUE_BYTES: Final = 2


def row_bytes(request: ExportLogsServiceRequest, size: int) -> int:
    """About how many bytes the rows have of a request that has `size` as protobuf."""
    total = size
    for resource_logs in request.resource_logs:
        shared = resource_logs.resource.ByteSize()
        for scope_logs in resource_logs.scope_logs:
            repeated = len(scope_logs.log_records) - 1
            if repeated > 0:
                total += repeated * (shared + len(scope_logs.scope.name) + len(scope_logs.scope.version))
    return total


def has_too_many_values(request: ExportLogsServiceRequest, size: int) -> bool:
    """Whether bodies and attributes have more than MAX_NESTED_VALUES values inside arrays and maps.

    Stops counting there, and does not begin for a request that is too small to have them.
    """
    if size < MAX_NESTED_VALUES * _LEAST_VALUE_BYTES:
        return False
    open_values = [value for value in _values(request) if _is_nested(value)]
    count = 0
    while open_values:
        value = open_values.pop()
        is_array = value.WhichOneof("value") == "array_value"
        inner = value.array_value.values if is_array else value.kvlist_value.values
        count += len(inner)
        if count > MAX_NESTED_VALUES:
            return True
        if is_array:
            open_values += [each for each in value.array_value.values if _is_nested(each)]
        else:
            open_values += [pair.value for pair in value.kvlist_value.values if _is_nested(pair.value)]
    return False


def _values(request: ExportLogsServiceRequest) -> Iterable[AnyValue]:
    for resource_logs in request.resource_logs:
        yield from (pair.value for pair in resource_logs.resource.attributes)
        for record in chain.from_iterable(scope_logs.log_records for scope_logs in resource_logs.scope_logs):
            yield record.body
            yield from (pair.value for pair in record.attributes)


def _is_nested(value: AnyValue) -> bool:
    return value.WhichOneof("value") in ("array_value", "kvlist_value")
