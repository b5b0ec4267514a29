"""Removes the parameters of requests from spans, because a search has its words there."""

from typing import Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import Span, SpanProcessor

URL_QUERY: Final = "url.query"
"""Attribute of the HTTP semantic conventions, which FastAPI sets on the span of a request."""

REMOVED: Final = "REDACTED"
"""Value that the conventions recommend for a removed part of a URL."""


class WithoutQueries(SpanProcessor):
    """Replaces the attribute `url.query` of each span when the span starts."""

    def on_start(
        self,
        span: Span,
        parent_context: Context | None = None,  # noqa: ARG002 the signature is OpenTelemetry's
    ) -> None:
        if span.attributes is not None and URL_QUERY in span.attributes:
            span.set_attribute(URL_QUERY, REMOVED)
