"""Shows the last report on the disks in metrics, as long as this process examines the disks."""

from kit import metrics
from schema.control.storage import StorageReport


class ShownReport:
    """The gauges of the report. A gauge keeps its last value, so a server that is no longer examined is set to 0."""

    def __init__(self) -> None:
        self._servers: set[str] = set()

    def show(self, report: StorageReport) -> None:
        """Shows this report instead of an earlier one."""
        _forget(self._servers - {each.server for each in report.volumes})
        for each in report.volumes:
            _show_server(each.server, each.used_percent / 100, each.over)
        self._servers = {each.server for each in report.volumes}
        _show_losing(sum(each.loss is not None for each in report.tenants.values()))

    def hide(self) -> None:
        """Sets to 0 what was shown, because another process may examine the disks now. Its values would count twice in
        sums, and old values would hide newer ones in maxima."""
        if self._servers:
            _forget(self._servers)
            _show_losing(0)
        self._servers = set()


def _forget(servers: set[str]) -> None:
    for each in servers:
        _show_server(each, 0.0, 0)


def _show_server(server: str, used_share: float, over: int) -> None:
    labels = {"server": server}
    metrics.gauge(metrics.STORAGE_USED).set(used_share, labels)
    metrics.gauge(metrics.STORAGE_OVER).set(over, labels)


def _show_losing(tenants: int) -> None:
    metrics.gauge(metrics.STORAGE_LOSING).set(tenants)
