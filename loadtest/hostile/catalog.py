"""The table of all attacks, in the order of the study: what each sends, and the answers that are documented for it."""

from functools import partial
from typing import Final

from loadtest.hostile import attacks_grpc, attacks_http, bodies, connections, requests
from loadtest.hostile.attack import Attack
from loadtest.hostile.report import NAMES
from loadtest.hostile.requests import JSON, PARTIAL
from schema.control.models import Purpose

FLOOD: Final = "a flood over the rate"
"""Name of the attack of a tenant that sends more than its limit."""
LARGE: Final = "413, also 429"
"""Answers to requests that are too large. On a busy machine, they may take longer than 10 s to arrive: 429."""

_LONG_REQUESTS: Final = 6
_FORMS: Final = 500
_SEARCHERS: Final = 32
"""Searches in progress at once: twice as many as a tenant may have running."""
_EXPENSIVE: Final = ("*e* *a* *o*", r"/(a|e).*(i|o).*(u|y)\d{2,9}x$/", "-absent -missing *zq*", "*qx* OR *zj* OR *vw*")
_PORTS: Final = "on the ports of OTLP and REST"
_EACH_PORT: Final = "on each of the ports of OTLP and REST"

ATTACKS: Final = (
    Attack(
        NAMES,
        "50,000 records of 19 attributes each, of which no two have the same name, as 2 MB of gzip",
        PARTIAL,
        requests.names(1),
    ),
    Attack(
        "the same from three tenants at once",
        "one such request of each of three tenants, whose messages go to three partitions",
        PARTIAL,
        requests.names(3),
    ),
    Attack(
        "tiny attributes",
        "950,000 attributes of 9 bytes in a request, sent again and again",
        "200, also 429",
        requests.export(bodies.tiny_attributes, encoding="gzip"),
    ),
    Attack(
        "tiny attributes in JSON",
        "a third of these attributes, as JSON",
        "200, also 429",
        requests.export(bodies.tiny_attributes_in_json, JSON, "gzip"),
    ),
    Attack(
        "a long resource",
        "60,000 records of one resource of 4 KB: 240 MB of rows in a request of 1 MB",
        "200, also 429",
        requests.export(bodies.long_resource, most=_LONG_REQUESTS),
    ),
    Attack(
        "a resource of control characters",
        "100,000 records of one resource with a map of 2.4 KB: 1.4 GB of JSON in rows",
        LARGE,
        requests.export(bodies.escaped_resource),
    ),
    Attack(
        "records of every day",
        "requests with one record of each day of the retention, as fast as they are answered",
        "200, also 429",
        requests.every_day(),
    ),
    Attack(
        "slow redactions",
        "bodies in which a redaction takes seconds to search, from three tenants, two requests of each at once",
        "200, also 413, 429",
        requests.redacted(),
    ),
    Attack("texts that are not UTF-8", "in bodies, names and values", "200", requests.export(bodies.not_utf8)),
    Attack("oversized protobuf", "more than 16 MiB", LARGE, requests.export(bodies.oversized)),
    Attack("oversized JSON", "more than 16 MiB", LARGE, requests.export(bodies.oversized_json, JSON)),
    Attack("deep JSON", "100,000 nested arrays", "400, also 429", requests.export(bodies.deep_json, JSON)),
    Attack("deep protobuf", "5,000 nested arrays", "400", requests.export(bodies.deep_protobuf)),
    Attack("gzip bomb", "256 MiB of zeros", LARGE, requests.export(bodies.gzip_bomb, encoding="gzip")),
    Attack("deflate bomb", "256 MiB of zeros", LARGE, requests.export(bodies.deflate_bomb, encoding="deflate")),
    Attack("zstd bomb", "256 MiB of zeros", LARGE, requests.export(bodies.zstd_bomb, encoding="zstd")),
    Attack("bodies without a key", "16 MiB each", "401", requests.keyless()),
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
        requests.over_the_rate(),
    ),
    Attack(
        "wrong ingest keys", "a different key with each request", "401 and 429", requests.wrong_keys(Purpose.ingest)
    ),
    Attack("wrong query keys", "a different key with each request", "401 and 429", requests.wrong_keys(Purpose.query)),
    Attack(
        "expensive searches",
        "that no index answers, 32 at once",
        "200, also 422, 429",
        requests.searches(*_EXPENSIVE, threads=_SEARCHERS),
    ),
    Attack(
        "changes",
        "a view that is saved again and again under the same name, as fast as the API answers",
        "201, also 409, 429",
        requests.changes(),
    ),
    Attack("scrapes", "of metrics, without a key, as fast as the port answers", "200", requests.scrapes()),
    Attack(
        "scrapes in made-up forms",
        "each with a different version in its header Accept",
        "200",
        requests.scrapes(_FORMS),
    ),
    Attack("exports", "of everything, 8 at once", "200 and 429", connections.streams("/api/v1/logs/export", 8)),
    Attack("tails", "120 at once", "200 and 429", connections.streams("/api/v1/logs/tail", 120)),
    Attack(
        "tails of different queries",
        "100 at once, all of which receive records of a long resource",
        "200, also 429",
        connections.together(
            connections.streams("/api/v1/logs/tail?query=-absent{}", 100),
            requests.export(bodies.long_resource, most=2),
        ),
    ),
    Attack("a huge URL", "256 KiB", "414", requests.searches("x" * 256 * 2**10)),
    Attack("a path of many folders", "30,000, without a key", "404", requests.keyless_url("/assets/" + "a/" * 30_000)),
    Attack(
        "many parameters",
        "30,000 in a URL, without a key",
        "400",
        requests.keyless_url("/api/v1/logs/search?" + "a&" * 30_000),
    ),
    Attack("a huge query", "4 MiB by POST", "413", requests.query("x " * 2**21)),
    Attack("stars", "200 in a term", "400", requests.query("x-" + "*-" * 200 + "y")),
    Attack("a deep query", "2,000 nested parentheses", "400", requests.query("(" * 2_000 + "x" + ")" * 2_000)),
)
