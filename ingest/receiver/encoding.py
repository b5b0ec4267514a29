"""The two encodings of OTLP over HTTP."""

from enum import StrEnum

from kit.errors import UnsupportedMediaType


class Encoding(StrEnum):
    """An encoding of OTLP. Its value is the content type."""

    protobuf = "application/x-protobuf"
    json = "application/json"

    @classmethod
    def of(cls, content_type: str) -> "Encoding":
        """Returns the encoding for a content type, ignoring its parameters, such as a charset.

        Raises UnsupportedMediaType.
        """
        try:
            return cls(content_type.partition(";")[0].strip().lower())
        except ValueError:
            raise UnsupportedMediaType(
                f"the content type is {content_type[:80]!r}; it must be {' or '.join(cls)}"
            ) from None
