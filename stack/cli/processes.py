"""`logsieve receiver`, `loader`, `api` and `alerts`: Logsieve's own processes, each until SIGTERM."""

from kit.settings import Settings


def receiver() -> None:
    """Run the OTLP receiver in the foreground until SIGTERM."""
    from ingest.receiver.main import run

    run(Settings())


def loader() -> None:
    """Run the loader from Kafka into ClickHouse in the foreground until SIGTERM."""
    from ingest.loader.main import run

    run(Settings())


def api() -> None:
    """Run the REST API and the web UI in the foreground until SIGTERM."""
    from backend.main import run

    run(Settings())


def alerts() -> None:
    """Run the alert worker, which evaluates alert rules and sends notices, in the foreground until SIGTERM."""
    from backend.alerts.worker import run

    run(Settings())
