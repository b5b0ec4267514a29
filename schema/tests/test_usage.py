from itertools import permutations

from schema.envelope import Envelope
from schema.refusals import Refusal
from schema.usage import Usage

MINUTE_NS = 60 * 10**9


def envelope(tenant_id: int, minute: int, *refusals: Refusal) -> Envelope:
    return Envelope(tenant_id, 0, "r30", 10, minute * MINUTE_NS + 59 * 10**9, refusals)


MESSAGES = [
    (envelope(2, 10), 3, 30),
    (envelope(1, 11), 1, 10),
    (envelope(1, 10), 2, 20),
    (envelope(1, 10), 5, 50),
    (envelope(1, 12, Refusal(10, "too_old", 0, 4, 40), Refusal(11, "invalid_request", 1, 0, 7)), 0, 0),
]


def test_the_same_messages_make_the_same_rows_in_any_order() -> None:
    for order in permutations(MESSAGES):
        usage = Usage()
        for message in order[:2]:
            usage.add_message(*message)
        rest = Usage()
        for message in order[2:]:
            rest.add_message(*message)
        usage.update(rest)
        assert list(zip(*usage.columns(), strict=True)) == [
            (1, 600, "accepted", 2, 7, 70),
            (1, 600, "too_old", 0, 4, 40),
            (1, 660, "accepted", 1, 1, 10),
            (1, 660, "invalid_request", 1, 0, 7),
            (2, 600, "accepted", 1, 3, 30),
        ]
