"""Finds the tenant of the message in a dead letter."""

from schema.dead_letter import DeadLetter
from schema.envelope import Envelope, Undecodable


def tenant_of(letter: DeadLetter) -> int | None:
    """Returns the tenant whose message the letter holds, from its headers or else its key; None if neither names
    one."""
    try:
        return Envelope.from_headers(letter.headers).tenant_id
    except Undecodable:
        number = (letter.key or b"").partition(b"/")[0]
        return int(number) if number.isdigit() and len(number) < 11 else None
