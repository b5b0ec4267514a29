"""Ingest's result: the ratio of each size to its goal, and where the CPU goes."""

from pydantic import BaseModel

from loadtest.report.findings import Findings, Row, Table


class Side(BaseModel):
    """One way in. Seconds of CPU by process."""

    cpu_seconds: dict[str, float]
    mb_per_cpu_second: float


class Size(BaseModel):
    record_bytes: int
    sent: int
    stored: int
    logsieve: Side
    native: Side
    goal: float
    ratio: float


class IngestFindings(Findings):
    sizes: tuple[Size, ...]

    def headline(self) -> tuple[Row, ...]:
        return tuple(
            Row(
                f"{each.record_bytes:,} bytes: bytes per CPU second over those of a bare Native insert",
                f"{each.ratio:.2f}",
                f"at least {each.goal:g}",
                each.ratio >= each.goal and each.sent == each.stored,
            )
            for each in self.sizes
        )

    def tables(self) -> tuple[Table, ...]:
        def line(what: str, cells: list[str]) -> tuple[str, ...]:
            return (what, *cells)

        def microseconds(side: str, process: str) -> list[str]:
            seconds = [getattr(each, side).cpu_seconds.get(process, 0.0) for each in self.sizes]
            return [f"{used / each.sent * 1e6:.1f}" for used, each in zip(seconds, self.sizes, strict=True)]

        processes = dict.fromkeys(name for each in self.sizes for name in each.logsieve.cpu_seconds)
        natives = dict.fromkeys(name for each in self.sizes for name in each.native.cpu_seconds)
        return (
            Table(
                "Where the CPU goes",
                ("", *(f"{each.record_bytes:,} bytes" for each in self.sizes)),
                (
                    line("records", [f"{each.sent:,}" for each in self.sizes]),
                    *(line(f"{name}, µs a record", microseconds("logsieve", name)) for name in processes),
                    *(line(f"Native insert: {name}, µs a record", microseconds("native", name)) for name in natives),
                    line("MB per CPU second", [f"{each.logsieve.mb_per_cpu_second:.1f}" for each in self.sizes]),
                    line(
                        "Native insert: MB per CPU second",
                        [f"{each.native.mb_per_cpu_second:.1f}" for each in self.sizes],
                    ),
                ),
            ),
        )
