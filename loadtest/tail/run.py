"""Runs many tails while records arrive.

Each tail must get each matching record exactly once, and no statement on log tables may reach ClickHouse.
"""

import asyncio
import random
from collections import Counter
from typing import Final

from kit.clickhouse import connect
from loadtest.bench import Bench
from loadtest.corpus.records import export_request
from loadtest.own_stack import OwnStack, Sender
from loadtest.services import API
from loadtest.tail.study import TailReport
from loadtest.traffic.otlp_http import HttpConnection
from loadtest.traffic.tail_client import TailClient, following, matching, record, tail_http

TENANTS: Final = 4
REQUESTS_PER_SECOND: Final = 10
QUERIES: Final = ("every", *("sometimes",) * 3, *("seldom",) * 3, *("never",) * 3)
"""Queries that tails use, one after the other. One tail in ten matches all records."""

_BREAK_ONE_IN: Final = 5
_LAST_SECONDS: Final = 30.0


class TailRun:
    """One run on one stack. The tails are spread evenly over TENANTS tenants."""

    def __init__(self, bench: Bench, stack: OwnStack) -> None:
        self._stack = stack
        self._random = random.Random(bench.seed)
        self._clock = bench.clock
        self._say = bench.say
        self._sent: Counter[int] = Counter()
        self._behind = 0.0

    def run(self, tails: int, seconds: float, rate: int) -> TailReport:
        """Opens `tails` tails and sends `rate` records per second of all tenants together for `seconds`.

        Breaks the connection of one tail in `_BREAK_ONE_IN`. Raises Internal if the API refuses a tail, Unavailable if
        the receiver does not acknowledge a request.
        """
        senders = [self._stack.create_sender(f"tail-{number}") for number in range(TENANTS)]
        keys = [self._stack.query_key(each.tenant) for each in senders]
        return asyncio.run(self._follow(senders, keys, tails, seconds, rate))

    async def _follow(
        self, senders: list[Sender], keys: list[str], tails: int, seconds: float, rate: int
    ) -> TailReport:
        async with tail_http(self._stack.api_url) as http:
            clients = []
            for number in range(tails):
                sender, query = senders[number % TENANTS], QUERIES[number // TENANTS % len(QUERIES)]
                clients.append(TailClient(http, keys[number % TENANTS], sender.tenant_id, query))
            async with following(clients) as group:
                self._say(f"{tails} tails are open; sending {rate} records a second for {seconds:g} s")
                started, cpu = self._clock.now_ns(), self._stack.services.cpu([API])
                sending_since = self._clock.monotonic()
                breaking = group.create_task(self._break(clients[::_BREAK_ONE_IN], seconds))
                await asyncio.gather(*(self._send(each, rate / TENANTS, seconds) for each in senders))
                used = self._stack.services.cpu([API]).since(cpu)[API]
                took = self._clock.monotonic() - sending_since
                await breaking
                await self._wait_for_last(clients)
        tenants = [each.tenant_id for each in senders]
        queries, inserts = await asyncio.to_thread(self._clickhouse_work, tenants, started, self._clock.now_ns())
        return self._report(clients, took, used / took, queries, inserts)

    async def _send(self, sender: Sender, rate: float, seconds: float) -> None:
        started, credit = self._clock.monotonic(), 0.0
        with HttpConnection(self._stack.otlp_http, sender.ingest_key) as connection:
            for number in range(round(seconds * REQUESTS_PER_SECOND)):
                due = started + number / REQUESTS_PER_SECOND
                await asyncio.sleep(max(0.0, due - self._clock.monotonic()))
                self._behind = max(self._behind, self._clock.monotonic() - due)
                credit += rate / REQUESTS_PER_SECOND
                first, time_ns = self._sent[sender.tenant_id], self._clock.now_ns()
                records = [record(number, time_ns) for number in range(first, first + int(credit))]
                credit -= int(credit)
                await asyncio.to_thread(connection.must_export, export_request(records, pod=1))
                self._sent[sender.tenant_id] += len(records)

    async def _break(self, clients: list[TailClient], seconds: float) -> None:
        for client in clients:
            await asyncio.sleep(self._random.uniform(0.5, 1.0) * seconds / len(clients))
            client.break_off()

    async def _wait_for_last(self, clients: list[TailClient]) -> None:
        deadline = self._clock.monotonic() + _LAST_SECONDS
        while self._clock.monotonic() < deadline and any(
            len(client.numbers) < len(self._expected(client)) for client in clients
        ):
            await asyncio.sleep(0.5)
        # A record that is sent twice may arrive late for the second time.
        await asyncio.sleep(1)

    def _expected(self, client: TailClient) -> set[int]:
        return matching(client.query, range(self._sent[client.tenant_id]))

    def _clickhouse_work(self, tenants: list[int], started_ns: int, ended_ns: int) -> tuple[int, int]:
        """Returns the number of SELECTs from log tables for the tenants, and of all inserts into log tables.

        `log_comment` of a SELECT has the number of its tenant (backend/store/execute.py).
        """
        with connect(self._stack.settings) as client:
            client.command("SYSTEM FLUSH LOGS")
            row = client.query(
                "SELECT countIf(query_kind = 'Select' AND log_comment IN {tenants:Array(String)}),"
                " countIf(query_kind = 'Insert') FROM system.query_log"
                " WHERE type = 'QueryStart' AND arrayExists(name -> name LIKE '%.logs\\_%', tables)"
                " AND event_time_microseconds BETWEEN"
                " fromUnixTimestamp64Nano({started:Int64}) AND fromUnixTimestamp64Nano({ended:Int64})",
                parameters={"tenants": list(map(str, tenants)), "started": started_ns, "ended": ended_ns},
            ).result_rows[0]
        return int(row[0]), int(row[1])

    def _report(
        self, clients: list[TailClient], seconds: float, cpu_share: float, queries: int, inserts: int
    ) -> TailReport:
        lost = doubled = foreign = expected = 0
        others: Counter[str] = Counter()
        for client in clients:
            wanted = self._expected(client)
            expected += len(wanted)
            lost += len(wanted - client.numbers.keys())
            foreign += len(client.numbers.keys() - wanted)
            doubled += sum(times - 1 for times in client.numbers.values())
            others += client.other_events
        sent = self._sent.total()
        return TailReport(
            tails=len(clients),
            rate=sent / seconds,
            sent=sent,
            expected=expected,
            lost=lost,
            doubled=doubled,
            foreign=foreign,
            other_events=dict(others),
            reconnects=sum(client.reconnects for client in clients),
            behind=self._behind,
            backend_cpu_share=cpu_share,
            backend_log_queries=queries,
            loader_inserts=inserts,
        )
