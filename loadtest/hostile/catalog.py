"""Every attack there is, in the order of the study."""

from typing import Final

from loadtest.hostile import bodies, connections, content, floods, reading
from loadtest.hostile.attack import CLOSED, OPEN, SILENT, Attack, Documented, Queue
from loadtest.hostile.posting import PARTIAL

NAMES: Final = "950,000 attribute names in one request"
"""The attack with goals of its own."""

_TOO_SLOW: Final = ("429",)
"""Large requests of a busy machine may not have arrived whole after 10 s."""

ATTACKS: Final = (
    Attack(
        NAMES,
        "50,000 records of 19 attributes each, of which no two have the same name, as 2 MB of gzip",
        Documented.of(PARTIAL),
        content.distinct_names,
    ),
    Attack(
        "the same from three tenants at once",
        "one such request for each of three partitions",
        Documented.of(PARTIAL),
        content.distinct_names_of_three_tenants,
    ),
    Attack(
        "tiny attributes",
        "950,000 attributes of 9 bytes in a request, sent again and again",
        Documented.of("200", also=_TOO_SLOW),
        content.tiny_attributes,
    ),
    Attack(
        "tiny attributes in JSON",
        "a third of that in JSON",
        Documented.of("200", also=_TOO_SLOW),
        content.tiny_attributes_in_json,
    ),
    Attack(
        "a long resource",
        "60,000 records of one resource of 4 KB: 240 MB of rows in a request of 1 MB",
        Documented.of("200", also=_TOO_SLOW),
        content.long_resource,
    ),
    Attack("texts that are not UTF-8", "in bodies, names and values", Documented.of("200"), content.not_utf8),
    Attack("oversized protobuf", "more than 16 MiB", Documented.of("413", also=_TOO_SLOW), bodies.oversized),
    Attack("oversized JSON", "more than 16 MiB", Documented.of("413", also=_TOO_SLOW), bodies.oversized_json),
    Attack(
        "deep JSON",
        "100,000 arrays inside each other",
        Documented.of("400", also=_TOO_SLOW),
        bodies.deep_json,
    ),
    Attack("deep protobuf", "5,000 arrays inside each other", Documented.of("400"), bodies.deep_protobuf),
    Attack("gzip bomb", "256 MiB of zeros", Documented.of("413", also=_TOO_SLOW), bodies.gzip_bomb),
    Attack("deflate bomb", "256 MiB of zeros", Documented.of("413", also=_TOO_SLOW), bodies.deflate_bomb),
    Attack("zstd bomb", "256 MiB of zeros", Documented.of("413", also=_TOO_SLOW), bodies.zstd_bomb),
    Attack("bodies without a key", "16 MiB each", Documented.of("401"), bodies.keyless),
    Attack(
        "endless bodies without a key",
        "in chunks, on the ports of OTLP and REST",
        Documented.of("401"),
        connections.endless_bodies,
        Queue.HTTP_CONNECTIONS,
    ),
    Attack(
        "endless headers",
        "on the ports of OTLP and REST",
        Documented.of("431"),
        connections.endless_headers,
        Queue.HTTP_CONNECTIONS,
    ),
    Attack(
        "endless URLs",
        "on the ports of OTLP and REST",
        Documented.of("414"),
        connections.endless_urls,
        Queue.HTTP_CONNECTIONS,
    ),
    Attack(
        "huge gRPC headers",
        "16 MiB in continued frames",
        Documented.of("RESOURCE_EXHAUSTED"),
        connections.huge_grpc_headers,
        Queue.GRPC_CONNECTIONS,
    ),
    Attack(
        "gRPC pings",
        "without an end",
        Documented.of(CLOSED, also=(SILENT,)),
        connections.grpc_pings,
        Queue.GRPC_CONNECTIONS,
    ),
    Attack(
        "half-sent requests",
        "500 on each of the ports of OTLP and REST, which then say nothing",
        Documented.of("408"),
        connections.half_sent,
        Queue.HTTP_CONNECTIONS,
    ),
    Attack(
        "headers byte by byte",
        "250 on each of the ports of OTLP and REST",
        Documented.of("408"),
        connections.slow_headers,
        Queue.HTTP_CONNECTIONS,
    ),
    Attack(
        "idle connections",
        "1,500 from one address on each of the ports of OTLP and REST",
        Documented.of("200", "503"),
        connections.idle_http,
        Queue.HTTP_CONNECTIONS,
    ),
    Attack(
        "idle gRPC connections",
        "1,500 from one address",
        Documented.of(CLOSED, also=(OPEN,)),
        connections.idle_grpc,
        Queue.GRPC_CONNECTIONS,
    ),
    Attack(
        "a flood of connections",
        "750 from each of six addresses on each of the ports of OTLP and REST, more than there may be in all",
        Documented.of("200", also=(CLOSED,)),
        connections.flood,
        Queue.HTTP_CONNECTIONS,
    ),
    Attack(
        "a flood over the rate",
        "small requests as fast as they are answered, of a tenant that may send 100 KB a second",
        Documented.of("200", "429"),
        floods.over_the_rate,
    ),
    Attack(
        "wrong ingest keys",
        "another one with each request",
        Documented.of("401", "429"),
        floods.wrong_ingest_keys,
    ),
    Attack(
        "wrong query keys",
        "another one with each request",
        Documented.of("401", "429"),
        floods.wrong_query_keys,
        Queue.REST,
    ),
    Attack(
        "expensive searches",
        "that no index answers, 32 at once",
        Documented.of("200", also=("422", "429")),
        reading.expensive_searches,
        Queue.REST,
    ),
    Attack("exports", "of everything, 8 at once", Documented.of("200", "429"), reading.exports, Queue.REST),
    Attack("tails", "120 at once", Documented.of("200", "429"), reading.tails, Queue.REST),
    Attack("a huge URL", "256 KiB", Documented.of("414"), reading.huge_url, Queue.REST),
    Attack("a huge query", "4 MiB by POST", Documented.of("413"), reading.huge_query, Queue.REST),
    Attack("a deep query", "2,000 parentheses inside each other", Documented.of("400"), reading.deep_query, Queue.REST),
)
