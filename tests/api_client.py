"""A client of the REST API for black-box tests. It returns answers as plain JSON."""

import json
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import httpx2

from kit.tls import trusted

Json = dict[str, Any]


class Api:
    """A client with one key, or without a key."""

    def __init__(self, url: str, key: str | None) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = httpx2.Client(base_url=url, headers=headers, timeout=60, verify=trusted())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, path: str, **parameters: str | int) -> httpx2.Response:
        """Returns the API's answer, which may be an error. A path with a query string takes no parameters."""
        return self._http.get(path, params=parameters or None)

    def post(self, path: str, body: Json) -> httpx2.Response:
        """Returns the API's answer to a JSON body, which may be an error. Halves of surrogate pairs are escaped."""
        return self._http.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})

    def put(self, path: str, body: Json) -> httpx2.Response:
        """Sends a JSON body that replaces a stored object, and returns the API's answer, which may be an error."""
        return self._http.put(path, json=body)

    def delete(self, path: str) -> httpx2.Response:
        """Returns the API's answer, which may be an error."""
        return self._http.delete(path)

    def ok(self, path: str, **parameters: str | int) -> Json:
        """Returns the answer's JSON. A status other than 200 fails the test with the answer's text."""
        response = self.get(path, **parameters)
        assert response.status_code == 200, response.text
        answer: Json = response.json()
        return answer

    def pages(self, query: str, start_ns: int, end_ns: int, order: str = "desc", limit: int = 1000) -> Iterator[Json]:
        """Yields all matching records, page after page."""
        parameters: dict[str, str | int] = {
            "query": query,
            "start": start_ns,
            "end": end_ns,
            "order": order,
            "limit": limit,
        }
        while True:
            page = self.ok("/logs/search", **parameters)
            yield from page["logs"]
            if page["next_cursor"] is None:
                return
            assert len(page["logs"]) == limit
            parameters["cursor"] = page["next_cursor"]

    def count(self, query: str, start_ns: int, end_ns: int) -> int:
        """Returns the number of matching records by the histogram."""
        histogram = self.ok("/logs/histogram", query=query, start=start_ns, end=end_ns, buckets=30)
        for bucket in histogram["buckets"]:
            assert bucket["total"] == sum(bucket["by_severity"].values())
        return sum(bucket["total"] for bucket in histogram["buckets"])

    def record(self, record_id: str) -> Json:
        return self.ok(f"/logs/{record_id}")

    def wait_for_count(self, expected: int, start_ns: int, end_ns: int, query: str = "", seconds: float = 60) -> None:
        """Waits until exactly `expected` records match. Fails the test if more match, or fewer after `seconds`."""
        deadline = time.monotonic() + seconds
        while (found := self.count(query, start_ns, end_ns)) != expected:
            assert found < expected, f"{found} records, only {expected} were sent"
            assert time.monotonic() < deadline, f"{found} of {expected} records after {seconds} s"
            time.sleep(0.2)
