"""Logs that no shopper causes: probes, the database's housekeeping, timers."""

from schema.severity import Severity
from stack.samples.messages import RESET_STACK
from stack.samples.record import Value
from stack.samples.scene import Scene


def housekeeping(scene: Scene) -> None:
    """Logs one line of a service about itself."""
    rng = scene.rng
    kind = rng.randrange(7)
    if kind == 0:
        buffers = rng.randrange(40, 900)
        attributes: dict[str, Value] = {"db.system.name": "postgresql", "checkpoint.buffers": buffers}
        scene.log("orders-db", Severity.info, f"checkpoint complete: wrote {buffers} buffers", attributes)
    elif kind == 1:
        service = rng.choice(("checkout", "payments", "inventory", "search", "auth"))
        scene.log(service, Severity.trace, "GET /healthz 200", {"http.request.method": "GET", "url.path": "/healthz"})
    elif kind == 2:
        freed = rng.randrange(20, 400)
        scene.log(
            "search",
            Severity.debug,
            f"garbage collection freed {freed} MiB in {scene.wait(18)} ms",
            {"gc.freed_mib": freed},
        )
    elif kind == 3:
        used = rng.randrange(4, 13)
        pool: dict[str, Value] = {"pool.active": used, "pool.idle": 20 - used, "pool.waiting": 0, "pool.max": 20}
        scene.log("payments", Severity.debug, f"connection pool: active={used} idle={20 - used} waiting=0", pool)
    elif kind == 4:
        scene.log(
            "auth", Severity.info, f"removed {rng.randrange(3, 60)} expired sessions", {"job.name": "session-sweep"}
        )
    elif kind == 5:
        scene.log(
            "inventory",
            Severity.info,
            f"stock synchronised: {rng.randrange(200, 900)} products",
            {"job.name": "stock-sync"},
        )
    else:
        _refunds(scene)


def _refunds(scene: Scene) -> None:
    """Logs a run of the refund job, whose leaked connections cause the incident. The job sometimes fails."""
    job: dict[str, Value] = {"job.name": "refunds"}
    if scene.rng.random() < 0.3:
        failure: dict[str, Value] = {
            "error.type": "java.net.SocketException",
            "exception.type": "java.net.SocketException",
            "exception.message": "Connection reset by peer",
            "exception.stacktrace": RESET_STACK,
            "server.address": "orders-db.shop.example.com",
            "server.port": 5432,
        }
        scene.log(
            "payments",
            Severity.error,
            "refund job: connection error: Connection reset by peer",
            job | failure,
            "exception",
        )
    else:
        scene.log("payments", Severity.info, f"refund job: {scene.rng.randrange(0, 9)} refunds done", job)
