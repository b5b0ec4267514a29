"""An incident of twelve minutes: service payments runs out of database connections, and then other services fail one
after the other."""

from collections.abc import Iterator

from schema.severity import Severity
from stack.samples.messages import CHECKOUT_STACK, POOL_STACK, PRODUCTS, order_id, user_id
from stack.samples.record import SampleRecord, Value
from stack.samples.scene import Scene, SceneAt
from stack.samples.shop import BROKEN_PAYMENTS, FIXED_PAYMENTS, Fleet
from stack.samples.shopping import access
from stack.samples.timeline import MINUTE, SECOND, Timeline

_DATABASE: dict[str, Value] = {"server.address": "orders-db.shop.example.com", "server.port": 5432}


def failing_checkout(scene: Scene) -> None:
    """Logs a checkout that payments cannot authorize in any of its tries."""
    rng = scene.rng
    user, order = user_id(rng), order_id(rng)
    about: dict[str, Value] = {"user.id": user, "order.id": order}
    scene.wait(9)
    scene.log("checkout", Severity.info, f"order {order} received with {rng.randrange(1, 6)} items", about)
    scene.log("inventory", Severity.info, f"reserved {rng.choice(PRODUCTS)} for order {order}", about)
    for attempt in range(1, rng.randrange(2, 4)):
        took = scene.wait(1500)
        body, reason = rng.choice(
            (
                ("connection error: could not connect to orders-db: connection reset by peer", "ECONNRESET"),
                (f"connection error: timeout after {took:.0f} ms waiting for a free connection", "pool_timeout"),
                ("connection to orders-db refused: too many clients already", "too_many_connections"),
            )
        )
        tried: dict[str, Value] = {"error.type": reason, "retry.attempt": attempt, **_DATABASE}
        scene.log(
            "payments", Severity.warn, f"authorization attempt {attempt} of 3 failed, retrying: {body}", about | tried
        )
    waiting = rng.randrange(12, 64)
    scene.wait(2000)
    failure: dict[str, Value] = {
        "error.type": "java.sql.SQLTransientConnectionException",
        "exception.type": "java.sql.SQLTransientConnectionException",
        "exception.message": "PaymentsPool-1 - connection is not available, request timed out",
        "exception.stacktrace": POOL_STACK,
        "pool.active": 20,
        "pool.waiting": waiting,
        "latency_ms": scene.elapsed_ms,
    }
    body = f"cannot authorize order {order}: connection pool exhausted (total=20, active=20, idle=0, waiting={waiting})"
    scene.log("payments", Severity.error, body, about | failure, "exception")
    status = rng.choice((503, 503, 504, 500))
    upstream: dict[str, Value] = {
        "error.type": "checkout.errors.UpstreamError",
        "exception.type": "checkout.errors.UpstreamError",
        "exception.message": "payments answered 503 Service Unavailable",
        "exception.stacktrace": CHECKOUT_STACK,
        "http.response.status_code": 503,
    }
    scene.log(
        "checkout",
        Severity.error,
        f"payment for order {order} failed, reservation released",
        about | upstream,
        "exception",
    )
    access(scene, "POST", "/api/checkout", status, user)


def starved_database(scene: Scene) -> None:
    """Logs lines of the database during the incident."""
    if scene.rng.random() < 0.35:
        scene.log(
            "orders-db",
            Severity.fatal,
            "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute",
            {"db.system.name": "postgresql", "db.response.status_code": "53300"},
        )
        return
    took = scene.wait(2400)
    query: dict[str, Value] = {
        "db.system.name": "postgresql",
        "db.query.duration_ms": took,
        "db.query.text": "SELECT * FROM payments WHERE order_id = $1 FOR UPDATE",
    }
    scene.log("orders-db", Severity.warn, f"duration: {took} ms  statement: SELECT * FROM payments … FOR UPDATE", query)


def chronicle(fleet: Fleet, timeline: Timeline, scene_at: SceneAt) -> Iterator[SampleRecord]:
    """Yields logs that occur once, each at its minute: early signs, the alert, the rollout, the clean-up."""
    start, end = timeline.incident_start_ns, timeline.incident_end_ns
    events: list[tuple[int, str, Severity, str, dict[str, Value]]] = [
        (
            start - 4 * MINUTE,
            "payments",
            Severity.warn,
            "connection pool: active=17 idle=3 waiting=0",
            {"pool.active": 17},
        ),
        (
            start - 90 * SECOND,
            "payments",
            Severity.warn,
            "connection pool: active=19 idle=1 waiting=2",
            {"pool.active": 19},
        ),
        (
            start,
            "payments",
            Severity.error,
            "connection pool exhausted: active=20 idle=0 waiting=9",
            {"pool.active": 20},
        ),
        (
            start + 3 * MINUTE,
            "alerting",
            Severity.error,
            "alert firing: CheckoutErrorRatio above 5 % for 2 minutes",
            {"alert.name": "CheckoutErrorRatio"},
        ),
        (
            start + 5 * MINUTE,
            "alerting",
            Severity.info,
            "alert CheckoutErrorRatio acknowledged by on-call",
            {"alert.name": "CheckoutErrorRatio"},
        ),
        (
            end - 3 * MINUTE,
            "deployer",
            Severity.info,
            f"rollout of payments {FIXED_PAYMENTS} started: close connections leaked by the refund job",
            {"deployment.name": "payments"},
        ),
        (
            end,
            "deployer",
            Severity.info,
            f"rollout of payments {FIXED_PAYMENTS} complete: 2 of 2 pods ready",
            {"deployment.name": "payments"},
        ),
        (
            end + 4 * MINUTE,
            "alerting",
            Severity.info,
            "alert resolved: CheckoutErrorRatio is 0.4 %",
            {"alert.name": "CheckoutErrorRatio"},
        ),
    ]
    for at_ns, service, severity, body, attributes in events:
        scene = scene_at(at_ns)
        scene.log(service, severity, body, attributes)
        yield from scene.records
    for number, pod in enumerate(fleet.pods("payments", BROKEN_PAYMENTS)):
        at_ns = end - (60 - 25 * number) * SECOND
        yield SampleRecord(at_ns, pod, Severity.info, "SIGTERM received, draining 20 connections", {"pool.active": 20})
        yield SampleRecord(at_ns + 9 * SECOND, pod, Severity.warn, "shutdown grace period over, 3 requests aborted", {})
    for number, pod in enumerate(fleet.pods("payments", FIXED_PAYMENTS)):
        at_ns = end - (50 - 20 * number) * SECOND
        yield SampleRecord(at_ns, pod, Severity.info, f"starting payments {FIXED_PAYMENTS}", {"process.pid": 1})
        yield SampleRecord(
            at_ns + 4 * SECOND,
            pod,
            Severity.info,
            "connection pool ready: active=0 idle=20 waiting=0",
            {"pool.active": 0},
        )
    yield from _reconciliation(timeline, scene_at)
    yield from _shard_restart(timeline, scene_at)


def _reconciliation(timeline: Timeline, scene_at: SceneAt) -> Iterator[SampleRecord]:
    for number in range(12):
        scene = scene_at(timeline.incident_end_ns + (150 + 45 * number) * SECOND)
        order = order_id(scene.rng)
        scene.log(
            "payments",
            Severity.info,
            f"reconciled order {order}: captured on retry",
            {"order.id": order, "job.name": "reconcile"},
        )
        yield from scene.records


def _shard_restart(timeline: Timeline, scene_at: SceneAt) -> Iterator[SampleRecord]:
    """Yields the logs of a smaller problem in the last half hour, unrelated to the incident."""
    start = timeline.end_ns - 22 * MINUTE
    shard: dict[str, Value] = {"search.shard": 2, "server.address": "search-2.shop.example.com"}
    for number in range(14):
        scene = scene_at(start + number * 11 * SECOND)
        if number % 4 == 3:
            failure: dict[str, Value] = {"error.type": "ECONNRESET"}
            scene.log("search", Severity.error, "index shard 2 failed: connection reset by peer", shard | failure)
        else:
            failure = {"error.type": "timeout", "latency_ms": 2000 + scene.rng.randrange(90)}
            scene.log("search", Severity.warn, "shard 2 ran into the query timeout of 2000 ms", shard | failure)
        yield from scene.records
    scene = scene_at(start + 4 * MINUTE)
    scene.log("search", Severity.info, "shard 2 is back after a restart, 48211 documents loaded", shard)
    yield from scene.records
