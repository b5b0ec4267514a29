"""Sends JSON as an HTTP answer. Counts the bytes of an answer of more than AT_ONCE_BYTES until the client has read
them."""

import math
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from typing import Final

from fastapi.responses import Response
from pydantic import BaseModel

from backend.answers.budget import AnswerBudget
from backend.answers.paced_response import SEND_SECONDS, PacedResponse
from backend.answers.pieces import PIECE_BYTES, pieces
from backend.answers.resources import Resources
from kit.errors import RateLimited

AT_ONCE_BYTES: Final = PIECE_BYTES
"""Largest answer, in bytes, that is sent as a whole and not counted."""

INLINE_CHARACTERS: Final = 64 * 2**10
"""Largest number of characters in the values of an answer that is written on the event loop. Writing so few characters
takes less time than a switch to a thread and back."""

VALUE_CHARACTERS: Final = 16
"""Number of characters that each value of a model counts for. The characters of texts count in addition."""

TURN_SECONDS: Final = 10.0
"""Longest wait of an answer, in seconds, until earlier answers of the same tenant are written. These may wait for
threads that are busy with answers of other tenants. A request may use the control plane for 30 s, so a longer wait
would look like a failure of its database."""

ONE_PIECE_BYTES: Final = 512 * 2**10
"""Largest answer, in bytes, that is sent as one piece. This takes less CPU time than several pieces of PIECE_BYTES. The
client has SEND_SECONDS for each PIECE_BYTES of it."""


async def model_response(model: BaseModel, tenant_id: int, resources: Resources, *, is_short: bool = False) -> Response:
    """Returns the answer for a model that may have long texts or many values. Raises what `written_response` raises.

    FastAPI would check each value again, and write the text on the event loop.
    """
    return await written_response(lambda: [model.model_dump_json().encode()], tenant_id, resources, is_short=is_short)


def is_short_model(values: int, texts: Iterable[str]) -> bool:
    """Returns true if a model may be written on the event loop. `values` is its number of values, `texts` are those of
    them that may be long."""
    return VALUE_CHARACTERS * values + sum(map(len, texts)) <= INLINE_CHARACTERS


async def built_response(build: Callable[[], BaseModel], tenant_id: int, resources: Resources) -> Response:
    """Like `model_response`, but makes the model on the separate thread too."""
    return await written_response(lambda: [build().model_dump_json().encode()], tenant_id, resources)


async def written_response(
    write: Callable[[], Iterable[bytes]], tenant_id: int, resources: Resources, *, is_short: bool = False
) -> Response:
    """Returns the answer for the JSON text whose parts `write` returns. Raises what `json_response` raises, and
    RateLimited if earlier answers of the tenant are not written after TURN_SECONDS.

    `write` and the iteration over its parts run on a separate thread, so they may make models. With `is_short`, they
    run at once on the event loop.
    """
    if is_short:
        return await json_response(pieces(write()), tenant_id, resources.answers)
    try:
        text = await resources.writers.run(tenant_id, lambda: pieces(write()), turn_seconds=TURN_SECONDS)
    except TimeoutError:
        raise RateLimited(
            f"earlier answers of this tenant were not written within {TURN_SECONDS:g} s, because they are large or "
            "because the threads that write answers are busy with other tenants: send fewer requests at the same "
            "time, request smaller answers, or try again later"
        ) from None
    return await json_response(text, tenant_id, resources.answers)


def listed(name: str, models: Iterable[BaseModel]) -> Iterator[bytes]:
    """Yields the parts of a JSON object whose only member is a list of models, one part for each model.

    Writes one model at a time. Other threads can run in between, and the text of all models is held only once.
    """
    yield b'{"%s":[' % name.encode()
    comma = b""
    for model in models:
        yield comma + model.model_dump_json().encode()
        comma = b","
    yield b"]}"


async def json_response(text: Sequence[bytes], tenant_id: int, answers: AnswerBudget) -> Response:
    """Returns the answer for the pieces of a JSON text.

    Raises QueryTooExpensive if the text alone is larger than the budget allows, RateLimited when the tenant's clients
    leave too many bytes unread.
    """
    size = sum(map(len, text))
    if size <= AT_ONCE_BYTES:
        return Response(b"".join(text), media_type="application/json")
    seconds = SEND_SECONDS
    if size <= ONE_PIECE_BYTES:
        text, seconds = [b"".join(text)], seconds * math.ceil(size / PIECE_BYTES)
    counted = _counted(text, size, tenant_id, answers)
    # The bytes are taken before the answer begins, so that a refusal still has a status of its own.
    await anext(counted)
    return PacedResponse(counted, "application/json", {"Content-Length": str(size)}, seconds)


async def _counted(text: Sequence[bytes], size: int, tenant_id: int, answers: AnswerBudget) -> AsyncGenerator[bytes]:
    with answers.share(tenant_id) as held:
        held.grow(size)
        yield b""
        for piece in text:
            yield piece
