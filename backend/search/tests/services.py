"""Makes search services as tests use them."""

from backend.answers.resources import Resources
from backend.language.nodes import Node
from backend.logs.hint import Hint
from backend.search.service import SearchService
from backend.store.execute import Executor
from backend.store.scope import Scope
from kit.clock import Clock
from kit.settings import Settings


def search_service(settings: Settings, executor: Executor, clock: Clock) -> SearchService:
    """Returns a service that gives no hints."""
    return SearchService(settings, executor, clock, Resources.of(settings, clock), no_hints)


async def no_hints(_scope: Scope, _text: str, _node: Node) -> list[Hint]:
    """Returns no hints."""
    return []
