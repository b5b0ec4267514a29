import io
import json
import re

import pytest
import structlog
from fastapi import APIRouter, FastAPI
from prometheus_client import REGISTRY, generate_latest
from starlette.testclient import TestClient

from kit.api_telemetry import MAX_PARAMETERS, fastapi_telemetry
from kit.metrics import HTTP_ACTIVE, HTTP_SECONDS, SECONDS_BUCKETS
from kit.ops import ops_routes


@pytest.fixture
def client() -> TestClient:
    kettles = APIRouter(prefix="/kettles")

    @kettles.get("/{id}")
    async def one(id: str) -> str:
        structlog.get_logger("backend").info("read", id=id)
        return id

    api = APIRouter(prefix="/api/v1")
    api.include_router(kettles)
    app = FastAPI(telemetry=fastapi_telemetry())
    app.include_router(api)
    app.router.routes.extend(ops_routes({}))
    return TestClient(app)


@pytest.mark.usefixtures("telemetry")
def test_a_request_is_timed_under_its_template(client: TestClient) -> None:
    client.get("/api/v1/kettles/7e57")
    text = generate_latest(REGISTRY).decode()
    assert f"# TYPE {HTTP_ACTIVE.prometheus_name} gauge\n" in text
    counts = re.findall(rf"^{HTTP_SECONDS.prometheus_name}_count{{(.*)}} \d", text, re.MULTILINE)
    [labels] = [labels for labels in counts if 'http_route="/api/v1/kettles/{id}"' in labels]
    assert set(re.findall(r"(\w+)=", labels)) <= set(HTTP_SECONDS.labels)
    assert "7e57" not in text
    bounds = re.findall(rf'^{HTTP_SECONDS.prometheus_name}_bucket{{.*kettles.*le="([\d.]+)"', text, re.MULTILINE)
    assert [float(bound) for bound in bounds] == list(SECONDS_BUCKETS)


@pytest.mark.usefixtures("telemetry")
def test_operators_questions_are_not_counted(client: TestClient) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        assert client.get(path).status_code == 200
    assert "/healthz" not in generate_latest(REGISTRY).decode()
    assert "/readyz" not in generate_latest(REGISTRY).decode()


@pytest.mark.usefixtures("telemetry")
def test_lines_of_a_request_carry_the_callers_trace(client: TestClient, lines: io.StringIO) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    client.get("/api/v1/kettles/1", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    [line] = [json.loads(text) for text in lines.getvalue().splitlines() if '"read"' in text]
    assert line["trace_id"] == trace


@pytest.mark.usefixtures("telemetry")
@pytest.mark.parametrize(("count", "is_traced"), [(MAX_PARAMETERS, True), (MAX_PARAMETERS + 1, False)])
def test_no_span_is_made_of_too_many_parameters(
    client: TestClient, lines: io.StringIO, count: int, is_traced: bool
) -> None:
    client.get("/api/v1/kettles/1?" + "&".join(["a=1"] * count))
    [line] = [json.loads(text) for text in lines.getvalue().splitlines() if '"read"' in text]
    assert ("trace_id" in line) is is_traced
