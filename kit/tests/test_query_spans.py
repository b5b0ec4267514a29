from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient

from kit.query_spans import REMOVED, URL_QUERY, WithoutQueries


def test_the_words_of_a_search_are_in_no_span() -> None:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(WithoutQueries())
    provider.add_span_processor(SimpleSpanProcessor(spans))
    app = FastAPI(telemetry=TelemetryConfig(tracer_provider=provider, metrics=False, logs=False, operation_spans=False))

    @app.get("/search")
    async def search(query: str) -> str:
        return query

    with TestClient(app) as client:
        assert client.get("/search", params={"query": "alice"}).json() == "alice"
    [span] = spans.get_finished_spans()
    assert span.attributes is not None
    assert span.attributes[URL_QUERY] == REMOVED
    assert "alice" not in span.to_json()
