"""Makes hostile query texts: near-misses of the grammar, garbage, control characters, deep nesting, great length.

Percent-encoded, each text fits into a URL of 64 KiB.
"""

import random
from collections.abc import Iterator
from typing import Final

_ATOMS: Final = (
    *("error", "time*", "*out*", '"connection reset"', "/re(set|fused) \\w+/", "10.0.0.1", "user-id=42", "*", "-", ":"),
    *(
        "service:checkout",
        "severity:>=warn",
        "severity:loud",
        "trace_id:4bf92f3577b34da6a3ce929d0e0e4736",
        "trace_id:x",
    ),
    *("http.status_code:>=500", "user.id:(7 OR 8)", "latency:[100 TO 500]", "latency:[1 TO", "a:{1 TO 2}", "k:web-*"),
    *("error.type:*", "resource.host.name:a", "attributes.a:b", "scope.name:x", 'body:"exact words"', "f:~word"),
    *("n:1e999", "n:>-0", "n:>=99999999999999999999999999", "n:<NaN", "timestamp:>0", "body:/(/", "/[/", "/a{1000}/"),
    *("'; DROP TABLE logs_0 --", "{tenant_id:UInt32}", "%s", "\\", "\\u0000", '"', "/", "(", ")", "[", "]", "()", "::"),
)
_JOINTS: Final = (" ", " AND ", " OR ", " NOT ", " -", "(", ")", ":", "", "\t", "\n", " AND NOT ", "*", '"', "\u00a0")
_RANGES: Final = ((0, 0x20), (0x20, 0x7F), (0x7F, 0x100), (0x100, 0xD800), (0xD800, 0xE000), (0xE000, 0x110000))


def hostile_texts(seed: int, count: int) -> Iterator[str]:
    """Yields `count` hostile query texts, which are equal for equal seeds. Some contain halves of surrogate pairs."""
    rng = random.Random(seed)
    makers = (_near_misses, _near_misses, _near_misses, _characters, _mutated, _deep, _long)
    for _ in range(count):
        yield rng.choice(makers)(rng)


def _near_misses(rng: random.Random) -> str:
    return "".join(rng.choice(_ATOMS) + rng.choice(_JOINTS) for _ in range(rng.randint(1, 8)))


def _characters(rng: random.Random) -> str:
    return "".join(chr(rng.randrange(*rng.choice(_RANGES))) for _ in range(rng.randint(1, 60)))


def _mutated(rng: random.Random) -> str:
    text = list(_near_misses(rng))
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(text) + 1)
        text[place : place + rng.randint(0, 2)] = _characters(rng)[: rng.randint(0, 2)]
        text = text or ["x"]
    return "".join(text)


def _deep(rng: random.Random) -> str:
    depth = rng.choice((10, 100, 1_000, 2_000))
    opening, closing = rng.choice(
        (("(", ")"), ("NOT (", ")"), ("a OR (b ", ")"), ("-(", ")"), ("NOT ", ""), ("f:(", ")"))
    )
    return opening * depth + "x" + closing * rng.choice((depth, depth - 1, 0))


def _long(rng: random.Random) -> str:
    piece = rng.choice(("a", "word ", "a OR ", '"x" ', "*a* ", "f:1 ", "\u00e9", "a.b", "-x ", "n:[1 TO 2] OR "))
    return piece * rng.choice((100, 1_000, 2_000))
