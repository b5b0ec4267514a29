"""State that every route of a backend process can reach. Each service is in `request.state` under its own name."""

from dataclasses import dataclass

from fastapi import Request

from backend.answer_budget import AnswerBudget
from backend.change_rate import ChangeRate
from kit.settings import Settings
from schema.control.directory import Directory


@dataclass(frozen=True, slots=True)
class State:
    """The process's settings, its copy of the control plane, and the limits that all routes share."""

    settings: Settings
    directory: Directory
    answers: AnswerBudget
    changes: ChangeRate


async def state_of(request: Request) -> State:
    """Returns the state that the application's lifespan put into the request."""
    state: State = request.state.backend
    return state
