"""Declares `logsieve loadtest policy`, which needs no stack."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.policy.report import Effort, PolicyReport
from loadtest.study import Study


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=10, help="Records per request.")] = 512,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds; the result is their median.")] = 15,
) -> PolicyReport:
    """Measure the cost of attribute rules and redactions of bodies, in microseconds of CPU per record."""
    import time

    from loadtest.policy.request_cost import measure_redactions, measure_requests

    effort = Effort(records=records, rounds=rounds, seed=bench.seed)
    return PolicyReport(
        effort=effort,
        requests=tuple(measure_requests(effort, time.thread_time, bench.say)),
        redactions=tuple(measure_redactions(effort, time.thread_time, bench.say)),
    )


STUDY: Final = Study(
    "policy",
    "What attribute rules and redactions cost",
    PolicyReport,
    run,
    smoke=("--records", "10", "--rounds", "1"),
    own_page="attribute-policy.md",
)
