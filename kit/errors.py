"""The tree of errors that leave a process, each with a stable code and an HTTP status.

    LogsieveError
    ├── InvalidRequest             400 invalid_request       a parameter or body is not what the endpoint takes
    │   ├── InvalidQuery           400 invalid_query         query text; carries position and expected
    │   ├── InvalidCursor          400 invalid_cursor        not a cursor or event id of this query
    │   └── UnsupportedMediaType   415 unsupported_media_type  a content type or encoding that is not supported
    ├── Unauthenticated            401 unauthenticated       the key is missing, unknown, revoked or expired
    ├── Forbidden                  403 forbidden             the key does not allow this request
    ├── NotFound                   404 not_found
    ├── Conflict                   409 conflict              a name is taken, or another state forbids it
    │   └── RevisionConflict       409 revision_conflict     changed by another client since it was read
    ├── TooLarge                   413 too_large             more bytes, records or attributes than allowed
    ├── QueryTooExpensive          422 query_too_expensive   a limit was exceeded; says what to narrow
    ├── RetryableError             (abstract)                carries retry_after seconds
    │   ├── RateLimited            429 rate_limited          a limit on rate or concurrency was reached
    │   └── Unavailable            503 unavailable           a service is unreachable or full
    └── Internal                   500 internal              a bug in Logsieve, or a service refused a statement

Over HTTP each becomes `application/problem+json` (RFC 9457). Commands print `code: detail` and exit with 1.
"""

import math
from typing import ClassVar


class LogsieveError(Exception):
    """Base of all errors that users see. `detail` says what is wrong, what is allowed and what to do next."""

    code: ClassVar[str]
    status: ClassVar[int]
    title: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class InvalidRequest(LogsieveError):
    code = "invalid_request"
    status = 400
    title = "The request is not valid"


class InvalidQuery(InvalidRequest):
    """Query text that does not parse or has no meaning. `position` counts characters from 0."""

    code = "invalid_query"
    title = "The query is not valid"

    def __init__(self, detail: str, position: int, expected: tuple[str, ...] = ()) -> None:
        super().__init__(detail)
        self.position = position
        self.expected = expected
        self.search_as_text: str | None = None
        """A valid query for the words of the refused text, next to each other."""


class InvalidCursor(InvalidRequest):
    code = "invalid_cursor"
    title = "The cursor or event id does not belong to this query"


class UnsupportedMediaType(InvalidRequest):
    code = "unsupported_media_type"
    status = 415
    title = "The content type or encoding is not supported"


class Unauthenticated(LogsieveError):
    code = "unauthenticated"
    status = 401
    title = "A valid key is needed"


class Forbidden(LogsieveError):
    code = "forbidden"
    status = 403
    title = "The key does not allow this request"


class NotFound(LogsieveError):
    code = "not_found"
    status = 404
    title = "Not found"


class Conflict(LogsieveError):
    code = "conflict"
    status = 409
    title = "Already taken or in use"


class RevisionConflict(Conflict):
    """The request changes an older revision than the stored one. It would overwrite another client's change."""

    code = "revision_conflict"
    title = "Changed by another client since it was read"


class TooLarge(LogsieveError):
    code = "too_large"
    status = 413
    title = "The request is too large"


class QueryTooExpensive(LogsieveError):
    code = "query_too_expensive"
    status = 422
    title = "The query exceeded a limit"


class RetryableError(LogsieveError):
    """Abstract: may succeed when tried again after `retry_after` seconds."""

    def __init__(self, detail: str, retry_after: float = 1.0) -> None:
        super().__init__(detail)
        self.retry_after = retry_after

    @property
    def retry_after_header(self) -> str:
        """Value of the header Retry-After in whole seconds (RFC 9110, 10.2.3), never less than `retry_after`."""
        return str(max(1, math.ceil(self.retry_after)))


class RateLimited(RetryableError):
    code = "rate_limited"
    status = 429
    title = "A limit on rate or concurrency was reached"


class Unavailable(RetryableError):
    code = "unavailable"
    status = 503
    title = "Not available now"


class Internal(LogsieveError):
    code = "internal"
    status = 500
    title = "Internal error in Logsieve"


ALL: tuple[type[LogsieveError], ...] = (
    InvalidRequest,
    InvalidQuery,
    InvalidCursor,
    UnsupportedMediaType,
    Unauthenticated,
    Forbidden,
    NotFound,
    Conflict,
    RevisionConflict,
    TooLarge,
    QueryTooExpensive,
    RateLimited,
    Unavailable,
    Internal,
)
