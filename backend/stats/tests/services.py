"""Makes a service for `| stats` as tests use it."""

from backend.answers.resources import Resources
from backend.stats.service import StatsService
from backend.store.execute import Executor
from backend.store.known_tables import KnownTables
from kit.clock import Clock
from kit.settings import Settings


def stats_service(settings: Settings, executor: Executor, clock: Clock) -> StatsService:
    """Returns a service with threads and caches of its own."""
    return StatsService(settings, executor, clock, Resources.of(settings, clock), KnownTables.read_by(executor, clock))
