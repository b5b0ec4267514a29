"""Configuration of every HTTP port of ours: uvicorn with our limits."""

import uvicorn
from starlette.types import ASGIApp

from kit.server.connections import Connections
from kit.server.interrupted import AnswerInterrupted
from kit.server.limits import HttpLimits
from kit.server.protocol import LimitedHttp
from kit.server.turns import Turns

BACKLOG = 2048


def http_config(app: ASGIApp, limits: HttpLimits, graceful_seconds: int, *, lifespan: bool = False) -> uvicorn.Config:
    """Returns the configuration of one port. At shutdown, running requests may take `graceful_seconds`. Those that take
    longer are answered 503."""
    return uvicorn.Config(
        AnswerInterrupted(app),
        http=limited_http(limits),
        ws="none",
        lifespan="on" if lifespan else "off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(limits.per_address.unlimited),
        forwarded_allow_ips=[str(each) for each in limits.per_address.unlimited.networks],
        backlog=BACKLOG,
        timeout_keep_alive=round(limits.idle_seconds),
        timeout_graceful_shutdown=graceful_seconds,
    )


def limited_http(limits: HttpLimits) -> type[LimitedHttp]:
    """Returns the protocol class of one port, for `http` of its uvicorn.Config."""
    counted = Connections(limits.connections, limits.per_address)
    shared = {"limits": limits, "open_connections": counted, "lingering": set(), "turns": Turns()}
    return type("LimitedHttpOfPort", (LimitedHttp,), shared)
