"""Actions of shoppers on a calm day: view, search, sign in, buy."""

from collections.abc import Callable

from schema.severity import Severity
from stack.samples.messages import PRODUCTS, SEARCHES, TEMPLATE_STACK, USER_AGENTS, client_address, order_id, user_id
from stack.samples.record import Body, Value
from stack.samples.scene import Scene


def access(scene: Scene, method: str, path: str, status: int, user: str | None = None) -> None:
    """Logs the gateway's access line, which ends every request."""
    attributes: dict[str, Value] = {
        "http.request.method": method,
        "http.response.status_code": status,
        "url.path": path,
        "url.scheme": "https",
        "server.address": "shop.example.com",
        "client.address": client_address(scene.rng),
        "user_agent.original": scene.rng.choice(USER_AGENTS),
        "http.response.body.size": scene.rng.randrange(180, 48_000),
        "latency_ms": scene.elapsed_ms,
    }
    if user is not None:
        attributes["user.id"] = user
    if status >= 500:
        attributes["error.type"] = str(status)
    severity = Severity.error if status >= 500 else Severity.warn if status >= 400 else Severity.info
    scene.log("web-gateway", severity, f"{method} {path} {status} in {scene.elapsed_ms:.0f} ms", attributes)


def view(scene: Scene) -> None:
    """Logs a product page; the cache answers most of them."""
    rng = scene.rng
    product = rng.choice(PRODUCTS)
    scene.wait(6)
    if rng.random() < 0.35:
        scene.log("inventory", Severity.debug, f"cache miss for product {product}", {"product.id": product})
        took = scene.wait(12)
        rows = rng.randrange(1, 6)
        attributes: dict[str, Value] = {
            "product.id": product,
            "db.system.name": "postgresql",
            "db.query.duration_ms": took,
            "db.response.returned_rows": rows,
        }
        scene.log("inventory", Severity.debug, f"SELECT stock returned {rows} rows in {took} ms", attributes)
    if rng.random() < 0.03:
        scene.log(
            "inventory",
            Severity.warn,
            f"stock of {product} is low: {rng.randrange(1, 4)} left",
            {"product.id": product},
        )
    missing = rng.random() < 0.04
    access(scene, "GET", f"/api/products/{'gone-' if missing else ''}{product}", 404 if missing else 200)


def search(scene: Scene) -> None:
    """Logs a search; now and then the index is slow, and rarely it ends the connection."""
    rng = scene.rng
    words = rng.choice(SEARCHES)
    took = scene.wait(35)
    hits = 0 if words == "kettel" else rng.randrange(1, 240)
    attributes: dict[str, Value] = {"search.query": words, "search.hits": hits, "latency_ms": took}
    if rng.random() < 0.025:
        scene.wait(900)
        attributes["error.type"] = "ECONNRESET"
        scene.log("search", Severity.error, "index shard 2 failed: connection reset by peer", attributes)
        access(scene, "GET", "/api/search", 502)
        return
    if took > 75:
        scene.log("search", Severity.warn, f"slow search '{words}': {took:.0f} ms, timeout is 2000 ms", attributes)
    else:
        scene.log("search", Severity.info, f"search '{words}' found {hits} products", attributes)
    access(scene, "GET", "/api/search", 200)


def sign_in(scene: Scene) -> None:
    """Logs a sign-in; some people mistype their password."""
    rng = scene.rng
    user = user_id(rng)
    scene.wait(90)
    if rng.random() < 0.12:
        reason = rng.choice(("wrong password", "unknown user", "session expired"))
        attributes: dict[str, Value] = {"user.id": user, "error.type": reason.replace(" ", "_")}
        scene.log("auth", Severity.warn, f"sign-in refused: {reason}", attributes)
        access(scene, "POST", "/api/session", 401, user)
        return
    scene.log(
        "auth",
        Severity.info,
        f"user {user} signed in",
        {"user.id": user, "auth.method": rng.choice(("password", "passkey"))},
    )
    scene.log("auth", Severity.debug, "session token issued, expires in 3600 s", {"user.id": user})
    access(scene, "POST", "/api/session", 201, user)


def buy(scene: Scene) -> None:
    """Logs a checkout from the basket to the mail."""
    rng = scene.rng
    user, order, product = user_id(rng), order_id(rng), rng.choice(PRODUCTS)
    amount = round(rng.lognormvariate(3.4, 0.7), 2)
    about: dict[str, Value] = {"user.id": user, "order.id": order}
    scene.wait(8)
    scene.log("checkout", Severity.info, f"order {order} received with {rng.randrange(1, 6)} items", about)
    scene.wait(10)
    scene.log("inventory", Severity.info, f"reserved {product} for order {order}", about | {"product.id": product})
    took = scene.wait(120)
    if rng.random() < 0.06:
        scene.log(
            "payments",
            Severity.warn,
            f"card declined for order {order}: insufficient funds",
            about | {"error.type": "card_declined"},
        )
        access(scene, "POST", "/api/checkout", 402, user)
        return
    scene.log(
        "payments",
        Severity.info,
        f"authorized {amount:.2f} EUR for order {order}",
        about | {"payment.amount": amount, "payment.currency": "EUR", "latency_ms": took},
    )
    total: dict[str, Value] = {"amount": amount, "currency": "EUR"}
    placed: Body = {"order": order, "user": user, "items": rng.randrange(1, 6), "total": total}
    scene.log("checkout", Severity.info, placed, about, event_name="shop.order.placed")
    access(scene, "POST", "/api/checkout", 201, user)
    scene.wait(700)
    _send_mail(scene, order, about)


def _send_mail(scene: Scene, order: str, about: dict[str, Value]) -> None:
    luck = scene.rng.random()
    if luck < 0.02:
        failure: dict[str, Value] = {
            "exception.type": "KeyError",
            "exception.message": "'street'",
            "exception.stacktrace": TEMPLATE_STACK,
        }
        scene.log(
            "notifications", Severity.error, f"cannot render mail for order {order}", about | failure, "exception"
        )
    elif luck < 0.06:
        failure = {"error.type": "timeout", "server.address": "mail.example.com"}
        scene.log(
            "notifications", Severity.warn, "timeout talking to mail.example.com, will retry in 30 s", about | failure
        )
    else:
        scene.log(
            "notifications",
            Severity.info,
            f"mail for order {order} handed over",
            about | {"server.address": "mail.example.com"},
        )


CALM: tuple[tuple[Callable[[Scene], None], int], ...] = ((view, 50), (search, 22), (sign_in, 10), (buy, 12))
"""Actions of shoppers, each with its relative frequency."""
