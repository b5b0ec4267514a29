"""State that every route of an API process can reach. Each service is in `request.state` under its own name."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from backend.answers.resources import Resources
from backend.answers.slots import AnswerSlots
from backend.change_rate import ChangeRate
from kit.settings import Settings
from schema.control.directory import Directory


@dataclass(frozen=True, slots=True)
class State:
    """The process's settings, its copy of the control plane, and the limits that all routes share."""

    settings: Settings
    directory: Directory
    resources: Resources
    changes: ChangeRate
    lists: AnswerSlots
    """Slots for lists of saved items, and for lists that admin keys read."""
    usages: AnswerSlots
    """Slots for answers about usage."""


async def state_of(request: Request) -> State:
    """Returns the state that the application's lifespan put into the request."""
    state: State = request.state.backend
    return state


ProcessState = Annotated[State, Depends(state_of)]
"""Parameter of a route that needs the state of the process."""
