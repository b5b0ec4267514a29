"""Makes and sends OTLP/JSON requests, in the form that a person writes for curl."""

import time
from typing import Any

import httpx2

from kit.tls import trusted


def request(*records: dict[str, Any], service: str = "checkout") -> dict[str, Any]:
    """Returns one ExportLogsServiceRequest with these log records."""
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": list(records)}]}]}


def record(body: str, timestamp_ns: int | None = None, **fields: Any) -> dict[str, Any]:
    """Returns one log record. Its timestamp is now by default. `fields` are further fields of OTLP/JSON."""
    now = time.time_ns() if timestamp_ns is None else timestamp_ns
    return {"timeUnixNano": str(now), "body": {"stringValue": body}} | fields


def attribute(key: str, value: str) -> dict[str, Any]:
    """Returns one attribute, whose value is a text."""
    return {"key": key, "value": {"stringValue": value}}


def send(url: str, key: str | None, body: Any) -> httpx2.Response:
    """Posts a JSON body to an OTLP/HTTP endpoint and returns the answer."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx2.post(url, json=body, headers=headers, timeout=30, verify=trusted())
