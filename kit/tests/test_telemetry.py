import subprocess
import sys
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from kit.folders import PACKAGES
from kit.telemetry import Telemetry, client_span
from kit.tests.otlp_collector import collecting

PROGRAM = """
from kit.settings import Settings
from kit.telemetry import client_span, start_telemetry
telemetry = start_telemetry(Settings(), "loader")
with client_span("INSERT logs_3", **{"db.system.name": "clickhouse"}):
    pass
telemetry.shutdown()
"""


def test_spans_have_ids_without_an_exporter(telemetry: Telemetry) -> None:
    assert isinstance(trace.get_tracer_provider(), TracerProvider)
    assert telemetry.tracer_provider is trace.get_tracer_provider()
    with client_span("SELECT logs_0") as span:
        assert span.get_span_context().is_valid
        assert not span.is_recording(), "nobody would receive it"


def test_spans_are_sent_where_an_endpoint_is_set(tmp_path: Path) -> None:
    """Runs in a process of its own, because OpenTelemetry's providers can be set only once."""
    with collecting() as collector:
        environment = {
            "PYTHONPATH": str(PACKAGES),
            "LOGSIEVE_HOME": str(tmp_path),
            "LOGSIEVE_TRACES_ENDPOINT": f"{collector.endpoint}/v1/traces",
        }
        subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM], env=environment, check=True, timeout=60)
    [resource_spans] = collector.traces[0].resource_spans
    names = {item.key: item.value.string_value for item in resource_spans.resource.attributes}
    assert names["service.name"] == "logsieve-loader"
    assert names["service.instance.id"]
    [span] = resource_spans.scope_spans[0].spans
    assert span.name == "INSERT logs_3"
    assert {item.key: item.value.string_value for item in span.attributes} == {"db.system.name": "clickhouse"}
