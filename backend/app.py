"""Assembles the backend: routes, error answers, and the services that live as long as the process."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TypedDict

from fastapi import Depends, FastAPI

from backend import problems
from backend.abandoned import CancelAbandoned
from backend.admin import endpoints as admin_endpoints
from backend.admin import erasure_endpoints, storage_endpoints
from backend.admin.service import AdminService
from backend.alerts import endpoints as alerts_endpoints
from backend.alerts.service import AlertService
from backend.answers.resources import Resources
from backend.answers.slots import LISTS, USAGES, AnswerSlots
from backend.audit import endpoints as audit_endpoints
from backend.bodies import GuardBodies
from backend.change_rate import ChangeRate
from backend.context import endpoints as context_endpoints
from backend.context.service import ContextService
from backend.dashboards import endpoints as dashboards_endpoints
from backend.dashboards.service import DashboardService
from backend.description import description_route
from backend.export import endpoints as export_endpoints
from backend.export.service import ExportService
from backend.fields import endpoints as fields_endpoints
from backend.fields.hints import HintService
from backend.fields.service import FieldsService
from backend.http_semantics import HttpSemantics
from backend.patterns import endpoints as patterns_endpoints
from backend.patterns.service import PatternService
from backend.policies import endpoints as policies_endpoints
from backend.policies import redaction_endpoints
from backend.problems import route_of
from backend.search import endpoints as search_endpoints
from backend.search.service import SearchService
from backend.state import State
from backend.stats import endpoints as stats_endpoints
from backend.stats.service import StatsService
from backend.store.execute import Executor
from backend.store.replicas.hedge import Hedging
from backend.store.replicas.watched import WatchedReplicas, running
from backend.store.result_budget import ResultBudget
from backend.store.scope import Scopes
from backend.store.scroll import ScrollReader
from backend.store.slots import export_slots, search_slots
from backend.tail import endpoints as tail_endpoints
from backend.tail.service import TailService
from backend.ui import endpoints as ui_endpoints
from backend.ui.files import ui_route
from backend.unknown_parameters import check_address
from backend.usage import endpoints as usage_endpoints
from backend.usage.repository import TenantUsage
from backend.views import endpoints as views_endpoints
from backend.views.service import ViewService
from kit.access_log import AccessLog
from kit.api_telemetry import fastapi_telemetry
from kit.clock import Clock
from kit.ops import ops_routes
from kit.server.compress import CompressJson
from kit.settings import Settings
from schema.control.database import open_database
from schema.control.directory import open_directory
from schema.control.limits import default_limits

OTHER_THREADS = 8
"""Number of threads for work that is neither search nor export: look-ups of names, shutdown, static files."""


ROUTES = (
    export_endpoints,
    fields_endpoints,
    patterns_endpoints,
    stats_endpoints,
    tail_endpoints,
    search_endpoints,
    context_endpoints,
    usage_endpoints,
    views_endpoints,
    dashboards_endpoints,
    alerts_endpoints,
    admin_endpoints,
    policies_endpoints,
    redaction_endpoints,
    erasure_endpoints,
    storage_endpoints,
    audit_endpoints,
    ui_endpoints,
)
"""Modules with routes. Exports, fields, patterns, stats and tails come before searches, whose `/logs/{id}` would match
their paths."""


class Lifespan(TypedDict):
    """Services that every request finds in its state."""

    backend: State
    search: SearchService
    context: ContextService
    export: ExportService
    fields: FieldsService
    patterns: PatternService
    stats: StatsService
    tail: TailService
    usage: TenantUsage
    admin: AdminService
    views: ViewService
    dashboards: DashboardService
    alerts: AlertService


def create_app(
    settings: Settings, clock: Clock, stopping: asyncio.Event | None = None, *, alone: bool = True
) -> FastAPI:
    """Returns the ASGI application. It connects to nothing until it is started. Setting `stopping` ends live tails.

    With `alone` false, the process shares its port with other workers. It then has no /metrics route, because a scrape
    would reach any one of the workers; each worker serves its metrics on a port of its own.
    """
    stopping = stopping or asyncio.Event()
    directory = open_directory(settings, clock)
    replicas = WatchedReplicas(settings, clock)
    hedging = Hedging(settings.query_hedge_percent, clock)
    results = ResultBudget.of(settings)
    executor = Executor(settings, search_slots(settings, directory, clock, results), replicas=replicas, hedging=hedging)
    export_executor = Executor(settings, export_slots(settings, clock, results), replicas=replicas)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[Lifespan]:
        # One thread for each ClickHouse answer that may arrive concurrently, because large answers are decoded on
        # threads.
        threads = settings.query_max_concurrent + settings.export_max_concurrent + OTHER_THREADS
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads, "answers"))
        await directory.start()
        resources = Resources.of(settings, clock)
        queries = resources.queries
        tail = TailService(settings, clock, queries)
        search = SearchService(settings, executor, clock, resources, HintService(executor, queries).find)
        patterns = PatternService(settings, executor, clock, queries)
        control = open_database(settings.control_plane_url)
        ending = asyncio.create_task(_end_tails(tail, stopping), name="end-tails")
        async with running(replicas):
            yield {
                "backend": State(
                    settings,
                    directory,
                    resources,
                    ChangeRate(clock),
                    AnswerSlots("list", LISTS, clock),
                    AnswerSlots("usage", USAGES, clock),
                ),
                "search": search,
                "context": ContextService(settings, executor, clock, resources),
                "export": ExportService(settings, ScrollReader(export_executor), clock, resources),
                "fields": FieldsService(settings, executor, clock, queries),
                "patterns": patterns,
                "stats": StatsService(settings, executor, clock, resources, search.tables),
                "tail": tail,
                "usage": TenantUsage(executor, Scopes(settings, clock), clock),
                "admin": AdminService(control, clock, default_limits(settings), settings.consumer_groups),
                "views": ViewService(control, clock, queries),
                "dashboards": DashboardService(control, clock),
                "alerts": AlertService(control, clock, queries, settings.smtp_host is not None),
            }
        ending.cancel()
        # The last uses of keys are written first, because the process is killed if a later step takes too long.
        await directory.stop()
        await tail.close()
        await control.dispose()
        patterns.close()
        await executor.close()
        await export_executor.close()
        resources.close()

    async def control_problem() -> str | None:
        return directory.problem()

    # With a single server, readiness shows why the server cannot be queried, and not only that it answers no probes.
    clickhouse_problem = replicas.problem if len(settings.topology.places) > 1 else executor.problem

    app = FastAPI(
        title="Logsieve",
        version=version("logsieve"),
        description="Searches OpenTelemetry logs. Requests need `Authorization: Bearer <key>` with a query key, or "
        "with an admin key under `/api/v1/admin`.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        dependencies=[Depends(check_address)],
        telemetry=fastapi_telemetry(),
    )
    app.add_middleware(CancelAbandoned)
    app.add_middleware(GuardBodies, directory=directory, proxies=settings.proxies)
    app.add_middleware(CompressJson)
    app.add_middleware(HttpSemantics)
    if settings.access_log != "off":
        app.add_middleware(AccessLog, clock=clock, route_of=route_of)
    problems.install(app)
    for endpoints in ROUTES:
        app.include_router(endpoints.router)
    operations = ops_routes({"control_plane": control_problem, "clickhouse": clickhouse_problem})
    app.router.routes += [route for route in operations if alone or route.path != "/metrics"]
    app.router.routes += [description_route(app.openapi), ui_route(settings.ui_dir)]
    return app


async def _end_tails(tail: TailService, stopping: asyncio.Event) -> None:
    await stopping.wait()
    tail.end()
