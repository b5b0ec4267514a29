"""Tests that a record that was found is found by all later searches, while records arrive and nodes hang one after the
other."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count, islice

from tests import otlp
from tests.api_client import Api, Json
from tests.eventually import eventually
from tests.replicas.conftest import WINDOW_NS
from tests.replicas.nodes import NODES, answers, is_unreachable
from tests.running_stack import Stack
from tests.spread_tenants import on_all_shards
from tests.tenants import TenantKeys

POLLS = 3
"""Readings of all records in each state of a node: while it hangs, and after it answers again."""

SENT = 8
"""Records that are sent during each reading. Their number must not grow with the time that readings take."""


class Watcher:
    """Reads all records of a tenant repeatedly. Fails if a record is missing that it has found before."""

    def __init__(self, api: Api, start_ns: int) -> None:
        self._api = api
        self._range = {"start": start_ns, "end": start_ns + WINDOW_NS}
        self._found: set[str] = set()
        self._count = 0

    def poll(self) -> int:
        """Counts the records and reads them page by page. A replica that must catch up first is waited for. Returns how
        many records were found."""
        total = sum(bucket["total"] for bucket in self._answer("/logs/histogram", buckets=30)["buckets"])
        assert total >= max(self._count, len(self._found))
        self._count = total
        ids, cursor = set[str](), None
        while cursor != "":
            page = self._answer("/logs/search", limit=50, order="asc", **({} if cursor is None else {"cursor": cursor}))
            ids |= {log["id"] for log in page["logs"]}
            cursor = page["next_cursor"] or ""
        assert self._found <= ids
        self._found = ids
        return len(ids)

    def _answer(self, path: str, **parameters: str | int) -> Json:
        answers: list[Json] = []

        def is_answered() -> bool:
            response = self._api.get(path, query="number", **self._range, **parameters)
            assert response.status_code in {200, 503}, response.text
            answers.extend([response.json()] if response.status_code == 200 else [])
            return bool(answers)

        eventually(is_answered, "a replica has what was found")
        return answers[0]


def send(stack: Stack, keys: TenantKeys, start_ns: int, numbers: Iterator[int]) -> None:
    """Sends the next records, one request for each."""
    for number in islice(numbers, SENT):
        record = otlp.record(f"number {number}", start_ns + number % 200 * 10**9)
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(record)).status_code == 200


def test_what_was_found_is_found_again(replicated: Stack, start_ns: int) -> None:
    keys, numbers = on_all_shards(replicated, "growing"), count()
    with Api(replicated.api_url, keys.query) as api, ThreadPoolExecutor(1) as senders:
        watcher = Watcher(api, start_ns)

        def poll(times: int) -> None:
            for _ in range(times):
                sending = senders.submit(send, replicated, keys, start_ns, numbers)
                watcher.poll()
                sending.result()

        for node in NODES:
            eventually(partial(answers, replicated, node), "the node answers")
            with replicated.hanging(node):
                poll(POLLS)
                eventually(partial(is_unreachable, replicated, node), "the node counts as unreachable")
                poll(1)
            poll(POLLS)
        sent = next(numbers)
        eventually(lambda: watcher.poll() == sent, "every record that was sent is found", 60)
