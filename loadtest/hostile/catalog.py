"""The table of all attacks, in the order of the study: what each sends, and the answers that are documented for it."""

from functools import partial
from typing import Final
from urllib.parse import urlencode

from loadtest.hostile import attacks_grpc, attacks_http, bodies, connections
from loadtest.hostile.attack import Attack
from loadtest.hostile.report import NAMES
from loadtest.hostile.requests import JSON, LOGS, PARTIAL, SEARCH, export, flooded, get, post, query, sent, wrong_keys
from schema.control.models import Purpose

FLOOD: Final = "a flood over the rate"
"""Name of the attack of a tenant that sends more than its limit."""
LARGE: Final = "413, also 429"
"""Answers to requests that are too large. On a busy machine, they may take longer than 10 s to arrive: 429."""

_LONG_REQUESTS: Final = 6
_REDACTED: Final = 6
"""Requests with slow bodies in progress at once: two of each redacting tenant."""
_FORMS: Final = tuple(f"application/openmetrics-text; version=1.0.{number}" for number in range(500))
_SEARCHERS: Final = 32
"""Searches in progress at once: twice as many as a tenant may have running."""
_EXPENSIVE: Final = tuple(
    f"{SEARCH}?{urlencode({'query': each, 'limit': 1000})}"
    for each in ("*e* *a* *o*", r"/(a|e).*(i|o).*(u|y)\d{2,9}x$/", "-absent -missing *zq*", "*qx* OR *zj* OR *vw*")
)
_PORTS: Final = "on the ports of OTLP and REST"
_EACH_PORT: Final = "on each of the ports of OTLP and REST"

ATTACKS: Final = (
    Attack(
        NAMES,
        "50,000 records of 19 attributes each, of which no two have the same name, as 2 MB of gzip",
        PARTIAL,
        sent(export(bodies.distinct_names, encoding="gzip"), threads=1, most=1),
    ),
    Attack(
        "the same from three tenants at once",
        "one such request of each of three tenants, whose messages go to three partitions",
        PARTIAL,
        sent(export(bodies.distinct_names, encoding="gzip", keys=lambda target: target.ingest_keys), threads=3, most=3),
    ),
    Attack(
        "tiny attributes",
        "950,000 attributes of 9 bytes in a request, sent again and again",
        "200, also 429",
        sent(export(bodies.tiny_attributes, encoding="gzip")),
    ),
    Attack(
        "tiny attributes in JSON",
        "a third of these attributes, as JSON",
        "200, also 429",
        sent(export(bodies.tiny_attributes_in_json, JSON, "gzip")),
    ),
    Attack(
        "a long resource",
        "60,000 records of one resource of 4 KB: 240 MB of rows in a request of 1 MB",
        "200, also 429",
        sent(export(bodies.long_resource), most=_LONG_REQUESTS),
    ),
    Attack(
        "a resource of control characters",
        "100,000 records of one resource with a map of 2.4 KB: 1.4 GB of JSON in rows",
        LARGE,
        sent(export(bodies.escaped_resource)),
    ),
    Attack(
        "records of every day",
        "requests with one record of each day of the retention, as fast as they are answered",
        "200, also 429",
        flooded(export(bodies.every_day), threads=2),
    ),
    Attack(
        "slow redactions",
        "bodies in which a redaction takes seconds to search, from three tenants, two requests of each at once",
        "200, also 413, 429",
        sent(export(bodies.digits, keys=lambda target: target.redacting_keys), threads=_REDACTED),
    ),
    Attack("texts that are not UTF-8", "in bodies, names and values", "200", sent(export(bodies.not_utf8))),
    Attack("oversized protobuf", "more than 16 MiB", LARGE, sent(export(bodies.oversized))),
    Attack("oversized JSON", "more than 16 MiB", LARGE, sent(export(bodies.oversized_json, JSON))),
    Attack("deep JSON", "100,000 nested arrays", "400, also 429", sent(export(bodies.deep_json, JSON))),
    Attack("deep protobuf", "5,000 nested arrays", "400", sent(export(bodies.deep_protobuf))),
    Attack("gzip bomb", "256 MiB of zeros", LARGE, sent(export(bodies.gzip_bomb, encoding="gzip"))),
    Attack("deflate bomb", "256 MiB of zeros", LARGE, sent(export(bodies.deflate_bomb, encoding="deflate"))),
    Attack("zstd bomb", "256 MiB of zeros", LARGE, sent(export(bodies.zstd_bomb, encoding="zstd"))),
    Attack("bodies without a key", "16 MiB each", "401", sent(export(bodies.zeros, keys=lambda _: [""]))),
    Attack("endless bodies without a key", f"in chunks, {_PORTS}", "401", connections.endless_bodies),
    Attack(
        "bodies of tiny chunks",
        f"with a key, in chunks of one byte, {_PORTS}",
        "413, also 429",
        connections.bodies_of_tiny_chunks,
    ),
    Attack("endless headers", _PORTS, "431", connections.poured(attacks_http.endless_header)),
    Attack("endless URLs", _PORTS, "414", connections.poured(attacks_http.endless_request_line)),
    Attack(
        "huge gRPC headers",
        "16 MiB in continued frames",
        "RESOURCE_EXHAUSTED",
        connections.poured(attacks_grpc.huge_headers, connections.grpc_port),
    ),
    Attack(
        "gRPC pings",
        "without an end",
        "closed, also silent",
        connections.poured(partial(attacks_grpc.pings, seconds=connections.BUSY_SECONDS), connections.grpc_port),
    ),
    Attack(
        "half-sent requests",
        f"500 {_EACH_PORT}, which then send nothing",
        "408",
        connections.held(attacks_http.half_sent, 3),
    ),
    Attack("headers byte by byte", f"250 {_EACH_PORT}", "408", connections.held(attacks_http.slow_headers, 6)),
    Attack(
        "bodies byte by byte",
        "with a key, 750 from each of six addresses on the port of OTLP/HTTP, more than a port accepts in all",
        "silent, also 503, closed",
        connections.slow_bodies,
    ),
    Attack(
        "idle connections",
        f"1,500 from one address {_EACH_PORT}",
        "200 and 503",
        connections.held(attacks_http.idle, 1),
    ),
    Attack(
        "idle gRPC connections",
        "1,500 from one address",
        "closed, also open",
        connections.held(attacks_grpc.idle, 1, connections.grpc_port),
    ),
    Attack(
        "a flood of connections",
        f"750 from each of six addresses {_EACH_PORT}, more than a port accepts in all",
        "200, also closed",
        connections.held(attacks_http.idle, 2, connections.http_ports_from_all_addresses),
    ),
    Attack(
        FLOOD,
        "small requests as fast as they are answered, of a tenant that may send 100 KB a second",
        "200 and 429",
        flooded(export(bodies.ordinary, keys=lambda target: target.ingest_keys[-1:])),
    ),
    Attack(
        "wrong ingest keys",
        "a different key with each request",
        "401 and 429",
        flooded(wrong_keys(Purpose.ingest, lambda key: post(LOGS, key, b""))),
    ),
    Attack(
        "wrong query keys",
        "a different key with each request",
        "401 and 429",
        flooded(wrong_keys(Purpose.query, lambda key: get(f"{SEARCH}?limit=1", key))),
    ),
    Attack(
        "expensive searches",
        "that no index answers, 32 at once",
        "200, also 422, 429",
        sent(lambda target, _: [get(path, target.query_key) for path in _EXPENSIVE], _SEARCHERS),
    ),
    Attack(
        "changes",
        "a view that is saved again and again under the same name, as fast as the API answers",
        "201, also 409, 429",
        flooded(lambda target, _: [post("/api/v1/views", target.query_key, b'{"name": "hostile"}', JSON)]),
    ),
    Attack(
        "scrapes",
        "of metrics, without a key, as fast as the port answers",
        "200",
        flooded(lambda *_: [get("/metrics")]),
    ),
    Attack(
        "scrapes in made-up forms",
        "each with a different version in its header Accept",
        "200",
        flooded(lambda *_: [get("/metrics", accept=each) for each in _FORMS]),
    ),
    Attack("exports", "of everything, 8 at once", "200 and 429", connections.streams("/api/v1/logs/export", 8)),
    Attack("tails", "120 at once", "200 and 429", connections.streams("/api/v1/logs/tail", 120)),
    Attack(
        "tails of different queries",
        "100 at once, all of which receive records of a long resource",
        "200, also 429",
        connections.together(
            connections.streams("/api/v1/logs/tail?query=-absent{}", 100), sent(export(bodies.long_resource), most=2)
        ),
    ),
    Attack(
        "a huge URL",
        "256 KiB",
        "414",
        sent(lambda target, _: [get(f"{SEARCH}?query=" + "x" * 2**18, target.query_key)]),
    ),
    Attack(
        "a path of many folders", "30,000, without a key", "404", sent(lambda *_: [get("/assets/" + "a/" * 30_000)])
    ),
    Attack(
        "many parameters", "30,000 in a URL, without a key", "400", sent(lambda *_: [get(f"{SEARCH}?" + "a&" * 30_000)])
    ),
    Attack("a huge query", "4 MiB by POST", "413", sent(query("x " * 2**21))),
    Attack("stars", "200 in a term", "400", sent(query("x-" + "*-" * 200 + "y"))),
    Attack("a deep query", "2,000 nested parentheses", "400", sent(query("(" * 2_000 + "x" + ")" * 2_000))),
)
