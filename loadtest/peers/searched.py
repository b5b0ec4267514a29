"""Results of `--until-indexed`: the cost of the index on searched words, and the answers of all sides after it."""

from loadtest.peers.ratios import Disagreement, Timing
from loadtest.report.report import Part

_MIB = 2**20


class IndexBuild(Part):
    """Searches until Logsieve had the index on searched words for all records, and the cost of its builds in
    ClickHouse. `disk_bytes` are those of the records and their indexes afterwards."""

    searches: int
    search_cpu_seconds: float
    build_cpu_seconds: float
    build_peak_bytes: int
    disk_bytes: int


class Searched(Part):
    """The builds, and the answers of all sides to the same questions after them."""

    build: IndexBuild
    timings: tuple[Timing, ...]
    disagreements: tuple[Disagreement, ...] = ()

    def costs(self, disk_before: int) -> tuple[tuple[str, ...], ...]:
        """Returns the rows of the table about the builds. `disk_before` is in bytes."""
        build = self.build
        return (
            ("counts until the last build started", f"{build.searches:,}"),
            ("CPU seconds of ClickHouse meanwhile, without the builds", f"{build.search_cpu_seconds:.0f}"),
            ("CPU seconds of the builds", f"{build.build_cpu_seconds:.0f}"),
            ("MiB of memory of the build of a part, at most", f"{build.build_peak_bytes / _MIB:,.0f}"),
            ("MiB on disk before the builds", f"{disk_before / _MIB:,.0f}"),
            ("MiB on disk after the builds", f"{build.disk_bytes / _MIB:,.0f}"),
        )
