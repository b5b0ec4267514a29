"""The table of all attacks, in the order of the study: what each sends, and the answers that are documented for it."""

import dataclasses
import secrets
from collections.abc import Callable
from functools import partial
from typing import Final

from kit.clock import SystemClock
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.hostile import attacks_grpc, attacks_http, bodies
from loadtest.hostile.attack import Act, Attack, Effort, Target
from loadtest.hostile.connections import ADDRESSES, door, hold, http_doors, pour
from loadtest.hostile.posting import (
    JSON,
    PARTIAL,
    PROTOBUF,
    Attacker,
    export_headers,
    flood,
    gets,
    post_at_once,
    posts,
    query_headers,
    streams,
)
from loadtest.hostile.report import NAMES
from schema.control.keys import make_key
from schema.control.models import Purpose

FLOOD: Final = "a flood over the rate"
"""Name of the attack of a tenant that sends more than its limit."""
LARGE: Final = "413, also 429"
"""Answers to requests that are too large. On a busy machine, they may take longer than 10 s to arrive: 429."""

_SEARCH: Final = "/api/v1/logs/search"
_LONG_REQUESTS: Final = 6
_FLOOD_RECORDS: Final = 400
_PING_SECONDS: Final = 5.0
"""Longest wait, in seconds, for the port to close a connection that has sent all its pings.

On a busy machine, gRPC may accept the connection only later.
"""
_BODY_BYTES: Final = 64 * 2**20
_SEARCHERS: Final = 32
"""Searches under way at once: twice as many as a tenant may have running."""
_STREAMS: Final = 8
"""Smallest number of exports and tails that are open at once: twice as many exports as a tenant may have."""
_EXPENSIVE: Final = ("*e* *a* *o*", r"/(a|e).*(i|o).*(u|y)\d{2,9}x$/", "-absent -missing *zq*", "*qx* OR *zj* OR *vw*")

Prepare = Callable[[Target, Effort], Act]


def _export(body: Callable[[Effort], bytes], content_type: str = PROTOBUF, encoding: str = "") -> Prepare:
    """Repeats one OTLP request of the first attacking tenant."""
    return lambda target, effort: posts(
        target.otlp_http, effort, body(effort), export_headers(target.ingest_keys[0], content_type, encoding)
    )


def _names(tenants: int) -> Prepare:
    """Sends one request with many names for each of so many tenants, at the same time."""
    return lambda target, effort: post_at_once(
        target.otlp_http,
        bodies.distinct_names(effort),
        [export_headers(key, encoding="gzip") for key in target.ingest_keys[:tenants]],
    )


def _long_resource(target: Target, effort: Effort) -> Act:
    few = dataclasses.replace(effort, requests=min(effort.requests, _LONG_REQUESTS))
    return _export(bodies.long_resource)(target, few)


def _keyless(target: Target, effort: Effort) -> Act:
    return posts(target.otlp_http, effort, bodies.keyless(effort), {"content-type": PROTOBUF})


def _query(text: str) -> Prepare:
    """Repeats one search, whose query is sent by POST."""
    return lambda target, effort: posts(
        target.api, effort, f'{{"query": "{text}"}}'.encode(), query_headers(target.query_key, JSON), _SEARCH
    )


def _searches(*queries: str, threads: int = 2) -> Prepare:
    """Repeats searches with these queries in turn."""
    parameters = [{"query": query, "limit": 1000} for query in queries]
    return lambda target, effort: gets(target, effort, _SEARCH, parameters, threads)


def _streams(path: str, count: int) -> Prepare:
    return lambda target, effort: streams(target, effort, path, min(count, max(_STREAMS, effort.connections // 2)))


def _over_the_rate(target: Target, effort: Effort) -> Act:
    """Sends as fast as the receiver answers, and ignores Retry-After. The key is of the tenant with a low limit."""
    records = RecordSource(SMALL, 1).take(_FLOOD_RECORDS, SystemClock().now_ns())
    body, headers = export_request(records, pod=1), export_headers(target.ingest_keys[-1])
    return flood(target.otlp_http, effort, lambda attacker: attacker.post(body, headers))


def _wrong_keys(purpose: Purpose) -> Prepare:
    """Sends another key with each request."""

    def request(attacker: Attacker) -> str:
        key = make_key(purpose, secrets.token_bytes).text
        if purpose is Purpose.ingest:
            return attacker.post(b"", export_headers(key))
        return attacker.get(f"{_SEARCH}?limit=1", query_headers(key))

    return lambda target, effort: flood(target.otlp_http if purpose is Purpose.ingest else target.api, effort, request)


def _held(attack: Callable[[attacks_http.Door, int, float], attacks_http.Holding], share: int) -> Prepare:
    """Opens connections to both HTTP ports: `Effort.connections` divided by `share` to each."""
    return lambda target, effort: hold(
        [partial(attack, each, effort.connections // share, effort.hold_seconds) for each in http_doors(target)]
    )


def _flood_of_connections(target: Target, effort: Effort) -> Act:
    doors = [door(address, source) for address in (target.otlp_http, target.api) for source in ADDRESSES]
    return hold([partial(attacks_http.idle, each, effort.connections // 2, effort.hold_seconds) for each in doors])


def _idle_grpc(target: Target, effort: Effort) -> Act:
    return hold([partial(attacks_grpc.idle, door(target.otlp_grpc), effort.connections, effort.hold_seconds)])


def _endless_bodies(target: Target, effort: Effort) -> Act:
    wanted = zip(http_doors(target), ("/v1/logs", "/api/v1/admin/tenants"), strict=True)
    return pour(effort, [partial(attacks_http.endless_body, *each, limit=_BODY_BYTES) for each in wanted])


def _poured(attack: Callable[[attacks_http.Door], attacks_http.Pouring]) -> Prepare:
    return lambda target, effort: pour(effort, [partial(attack, each) for each in http_doors(target)])


def _poured_grpc(attack: Callable[[attacks_http.Door], attacks_http.Pouring]) -> Prepare:
    return lambda target, effort: pour(effort, [partial(attack, door(target.otlp_grpc))])


_PORTS: Final = "on the ports of OTLP and REST"
_EACH_PORT: Final = "on each of the ports of OTLP and REST"

ATTACKS: Final = (
    Attack(
        NAMES,
        "50,000 records of 19 attributes each, of which no two have the same name, as 2 MB of gzip",
        PARTIAL,
        _names(1),
    ),
    Attack("the same from three tenants at once", "one such request for each of three partitions", PARTIAL, _names(3)),
    Attack(
        "tiny attributes",
        "950,000 attributes of 9 bytes in a request, sent again and again",
        "200, also 429",
        _export(bodies.tiny_attributes, encoding="gzip"),
    ),
    Attack(
        "tiny attributes in JSON",
        "a third of that in JSON",
        "200, also 429",
        _export(bodies.tiny_attributes_in_json, JSON, "gzip"),
    ),
    Attack(
        "a long resource",
        "60,000 records of one resource of 4 KB: 240 MB of rows in a request of 1 MB",
        "200, also 429",
        _long_resource,
    ),
    Attack("texts that are not UTF-8", "in bodies, names and values", "200", _export(bodies.not_utf8)),
    Attack("oversized protobuf", "more than 16 MiB", LARGE, _export(bodies.oversized)),
    Attack("oversized JSON", "more than 16 MiB", LARGE, _export(bodies.oversized_json, JSON)),
    Attack("deep JSON", "100,000 arrays inside each other", "400, also 429", _export(bodies.deep_json, JSON)),
    Attack("deep protobuf", "5,000 arrays inside each other", "400", _export(bodies.deep_protobuf)),
    Attack("gzip bomb", "256 MiB of zeros", LARGE, _export(bodies.gzip_bomb, encoding="gzip")),
    Attack("deflate bomb", "256 MiB of zeros", LARGE, _export(bodies.deflate_bomb, encoding="deflate")),
    Attack("zstd bomb", "256 MiB of zeros", LARGE, _export(bodies.zstd_bomb, encoding="zstd")),
    Attack("bodies without a key", "16 MiB each", "401", _keyless),
    Attack("endless bodies without a key", f"in chunks, {_PORTS}", "401", _endless_bodies),
    Attack("endless headers", _PORTS, "431", _poured(attacks_http.endless_header)),
    Attack("endless URLs", _PORTS, "414", _poured(attacks_http.endless_request_line)),
    Attack(
        "huge gRPC headers", "16 MiB in continued frames", "RESOURCE_EXHAUSTED", _poured_grpc(attacks_grpc.huge_headers)
    ),
    Attack(
        "gRPC pings",
        "without an end",
        "closed, also silent",
        _poured_grpc(partial(attacks_grpc.pings, seconds=_PING_SECONDS)),
    ),
    Attack("half-sent requests", f"500 {_EACH_PORT}, which then say nothing", "408", _held(attacks_http.half_sent, 3)),
    Attack("headers byte by byte", f"250 {_EACH_PORT}", "408", _held(attacks_http.slow_headers, 6)),
    Attack("idle connections", f"1,500 from one address {_EACH_PORT}", "200 and 503", _held(attacks_http.idle, 1)),
    Attack("idle gRPC connections", "1,500 from one address", "closed, also open", _idle_grpc),
    Attack(
        "a flood of connections",
        f"750 from each of six addresses {_EACH_PORT}, more than there may be in all",
        "200, also closed",
        _flood_of_connections,
    ),
    Attack(
        FLOOD,
        "small requests as fast as they are answered, of a tenant that may send 100 KB a second",
        "200 and 429",
        _over_the_rate,
    ),
    Attack("wrong ingest keys", "another one with each request", "401 and 429", _wrong_keys(Purpose.ingest)),
    Attack("wrong query keys", "another one with each request", "401 and 429", _wrong_keys(Purpose.query)),
    Attack(
        "expensive searches",
        "that no index answers, 32 at once",
        "200, also 422, 429",
        _searches(*_EXPENSIVE, threads=_SEARCHERS),
    ),
    Attack("exports", "of everything, 8 at once", "200 and 429", _streams("/api/v1/logs/export", 8)),
    Attack("tails", "120 at once", "200 and 429", _streams("/api/v1/logs/tail", 120)),
    Attack("a huge URL", "256 KiB", "414", _searches("x" * 256 * 2**10)),
    Attack("a huge query", "4 MiB by POST", "413", _query("x " * 2**21)),
    Attack("a deep query", "2,000 parentheses inside each other", "400", _query("(" * 2_000 + "x" + ")" * 2_000)),
)
