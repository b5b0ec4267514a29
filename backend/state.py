"""What a backend process holds for its whole life, reachable from every route."""

from dataclasses import dataclass

from fastapi import Request

from backend.admin.service import AdminService
from backend.context.service import ContextService
from backend.export.service import ExportService
from backend.fields.service import FieldsService
from backend.search.service import SearchService
from backend.tail.service import TailService
from backend.usage.service import UsageService
from kit.settings import Settings
from schema.control.directory import Directory


@dataclass(frozen=True, slots=True)
class State:
    settings: Settings
    directory: Directory
    search: SearchService
    context: ContextService
    export: ExportService
    usage: UsageService
    fields: FieldsService
    tail: TailService
    admin: AdminService


def state_of(request: Request) -> State:
    """The state that the application's lifespan made."""
    state: State = request.state.backend
    return state
