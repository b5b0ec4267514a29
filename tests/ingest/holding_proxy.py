"""A TCP proxy in front of ClickHouse that delays statements until a test releases them."""

import threading

from loadtest.faults.forwarding import Connection, ForwardingProxy


class HoldingProxy(ForwardingProxy):
    """Holds requests that contain `marker`."""

    def __init__(self, target: tuple[str, int], marker: bytes) -> None:
        super().__init__(target)
        self._marker = marker
        self._released = threading.Event()
        self.held = False
        """True if a request was held."""

    def __exit__(self, *error: object) -> None:
        self.release()
        super().__exit__(*error)

    @property
    def url(self) -> str:
        """URL of ClickHouse through the proxy."""
        host, port = self.address
        return f"http://{host}:{port}"

    def release(self) -> None:
        """Forwards the held requests, and all later ones without delay."""
        self._released.set()

    def forward(self, chunk: bytes, connection: Connection) -> None:
        if self._marker in chunk and not self._released.is_set():
            self.held = True
            self._released.wait()
        super().forward(chunk, connection)
