"""Texts of the story that need more than a line: stack traces, user agents, what people buy and search for."""

import random

PRODUCTS = (
    "kettle-blue",
    "desk-lamp",
    "oak-shelf",
    "wool-blanket",
    "garden-hose",
    "tea-set",
    "wall-clock",
    "rain-jacket",
    "travel-mug",
    "floor-rug",
)
SEARCHES = (
    "blue kettle",
    "lamp",
    "wool blanket 200x140",
    "oak shelf",
    "teapot",
    "gift under 20",
    "rain jacket size m",
    "clock quiet",
    "kettel",
    "rug runner hallway",
)
USER_AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) ExampleBrowser/140.0",
    "Mozilla/5.0 (Mobile; rv:139.0) ExampleBrowser/139.0",
    "ShopApp/5.2.1 (phone)",
    "ShopApp/5.1.9 (tablet)",
    "ExampleBot/2.1 (+https://bot.example.com)",
    "curl/8.5.0",
)

POOL_STACK = """\
java.sql.SQLTransientConnectionException: PaymentsPool-1 - connection is not available, request timed out
\tat com.example.shop.pool.ConnectionPool.createTimeoutException(ConnectionPool.java:694)
\tat com.example.shop.pool.ConnectionPool.getConnection(ConnectionPool.java:181)
\tat com.example.shop.payments.PaymentRepository.lockOrder(PaymentRepository.java:77)
\tat com.example.shop.payments.AuthorizationService.authorize(AuthorizationService.java:142)
\tat com.example.shop.payments.PaymentResource.post(PaymentResource.java:58)
Caused by: java.net.SocketTimeoutException: connect timed out
\tat java.base/java.net.Socket.connect(Socket.java:633)
\t... 14 more"""
RESET_STACK = """\
java.net.SocketException: Connection reset by peer
\tat java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:318)
\tat com.example.shop.pool.ProxyConnection.prepareStatement(ProxyConnection.java:327)
\tat com.example.shop.payments.RefundRepository.findOpen(RefundRepository.java:51)
\tat com.example.shop.payments.RefundJob.run(RefundJob.java:39)"""
CHECKOUT_STACK = """\
Traceback (most recent call last):
  File "/app/checkout/orders.py", line 211, in place_order
    payment = await payments.authorize(order, timeout=6.0)
  File "/app/checkout/clients/payments.py", line 64, in authorize
    response.raise_for_status()
checkout.errors.UpstreamError: payments answered 503 Service Unavailable"""
TEMPLATE_STACK = """\
Traceback (most recent call last):
  File "/app/notifications/mail.py", line 88, in render
    return template.render(order=order)
  File "/app/notifications/templates/order.py", line 19, in render
    street = order["address"]["street"]
KeyError: 'street'"""


def client_address(rng: random.Random) -> str:
    """Returns an IP address from a range for documentation (RFC 5737, RFC 3849)."""
    if rng.random() < 0.15:
        return f"2001:db8::{rng.randrange(1, 0xFFFF):x}"
    return f"{rng.choice(('192.0.2', '198.51.100', '203.0.113'))}.{rng.randrange(1, 255)}"


def user_id(rng: random.Random) -> str:
    """Returns the id of a customer. Some customers come far more often than others."""
    return str(1 + int(rng.expovariate(1 / 150)))


def order_id(rng: random.Random) -> str:
    return f"ord-{rng.randrange(10**7, 10**8)}"
