import io
import json
import logging

import pytest
import structlog
from opentelemetry import trace

from kit.telemetry import Telemetry, client_span


def logged(lines: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("telemetry")
def test_structlog_and_logging_look_alike(lines: io.StringIO) -> None:
    structlog.get_logger("ours").info("started", port=8080)
    logging.getLogger("theirs").info("started on %d", 8080)
    ours, theirs = logged(lines)
    assert ours | {"timestamp": ""} == {
        "event": "started",
        "level": "info",
        "logger": "ours",
        "port": 8080,
        "timestamp": "",
    }
    assert theirs | {"timestamp": ""} == {
        "event": "started on 8080",
        "level": "info",
        "logger": "theirs",
        "timestamp": "",
    }
    assert str(ours["timestamp"]).endswith("Z")


@pytest.mark.usefixtures("telemetry")
def test_lines_in_a_span_name_it(lines: io.StringIO) -> None:
    with client_span("SELECT logs_0", **{"db.system.name": "clickhouse"}) as span:
        structlog.get_logger("x").info("inside")
    structlog.get_logger("x").info("outside")
    inside, outside = logged(lines)
    context = span.get_span_context()
    assert inside["trace_id"] == trace.format_trace_id(context.trace_id)
    assert inside["span_id"] == trace.format_span_id(context.span_id)
    assert "trace_id" not in outside


@pytest.mark.usefixtures("telemetry")
def test_lines_below_the_level_are_left_out(lines: io.StringIO) -> None:
    structlog.get_logger("x").debug("too small")
    logging.getLogger("y").debug("too small")
    logging.getLogger("urllib3.connectionpool").info("chatty")
    assert logged(lines) == []


@pytest.mark.usefixtures("telemetry")
def test_an_exception_is_one_line(lines: io.StringIO) -> None:
    try:
        raise ValueError("bad")
    except ValueError:
        structlog.get_logger("x").exception("failed")
        logging.getLogger("y").exception("failed")
    for line in logged(lines):
        assert line["level"] == "error"
        assert str(line["exception"]).startswith("Traceback")
        assert str(line["exception"]).endswith("ValueError: bad")


@pytest.mark.usefixtures("telemetry")
def test_values_that_json_cannot_hold_do_not_lose_the_line(lines: io.StringIO) -> None:
    structlog.get_logger("x").info("odd", key=object(), big=2**70, half="\ud800", numbers={1: b"x"})
    [line] = logged(lines)
    assert line["event"] == "odd"
    assert line["big"] == 2**70
    assert line["half"] == "\ud800"
    assert str(line["key"]).startswith("<object")


@pytest.mark.parametrize("lines", [Terminal()])
def test_a_terminal_gets_columns(lines: io.StringIO, telemetry: Telemetry) -> None:
    structlog.get_logger("x").info("started", port=8080)
    assert telemetry.service == "test"
    assert "started" in lines.getvalue()
    assert not lines.getvalue().startswith("{")


@pytest.mark.parametrize("lines", [Terminal()])
@pytest.mark.usefixtures("telemetry")
def test_a_terminal_gets_tracebacks_without_local_variables(lines: io.StringIO) -> None:
    secret = "s3c" + "ret"
    try:
        raise ValueError(len(secret))
    except ValueError:
        structlog.get_logger("x").exception("failed")
    assert "ValueError: 6" in lines.getvalue()
    assert secret not in lines.getvalue()
