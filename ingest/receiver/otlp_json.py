"""Converts OTLP's JSON to protobuf; native/src/otlp_json.rs does the work."""

from kit.errors import InvalidRequest, TooLarge
from logsieve_native import TooManyParts, json_to_protobuf


def read_json(body: bytes) -> tuple[bytes, int]:
    """Returns the request in protobuf, and the number of replacements by U+FFFD: of byte sequences that are not UTF-8,
    and of halves of surrogate pairs. Takes Python's global lock only to copy the result.

    Raises InvalidRequest if the body is not JSON, not an export request, or nested too deeply; TooLarge if it has too
    many parts.
    """
    try:
        return json_to_protobuf(body)
    except TooManyParts as error:
        raise TooLarge(str(error)) from None
    except ValueError as error:
        raise InvalidRequest(str(error)) from None
