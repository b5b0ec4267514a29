"""`logsieve replica …`."""

from typing import TYPE_CHECKING, Annotated

import typer

from kit.settings import Settings
from stack.cli.console import errors, output
from stack.running_settings import running_settings

if TYPE_CHECKING:
    from ingest.refill.tables import Copied


def fill_replica(
    replica: Annotated[
        int, typer.Argument(help="Number of the replica to fill, counted from 0. The rows that it has are replaced.")
    ],
    source: Annotated[
        int, typer.Option("--from", help="Number of the replica to copy. It must have all logs of each filled shard.")
    ],
    shard: Annotated[
        int | None,
        typer.Option(help="Fill only this shard, counted from 0, if no replica has all logs of every shard."),
    ] = None,
    ignore_offsets: Annotated[
        bool,
        typer.Option(
            "--ignore-offsets",
            help="Fill the replica although its loaders have stored messages that the loaders of the --from replica"
            " have not. Searches may get 503 until loaders have caught up.",
        ),
    ] = False,
) -> None:
    """Fill a replica of all shards, or of one shard, from another replica.

    Stop the loaders of both replicas first. If interrupted, run it again.
    """
    from ingest.refill.refill import Fill, refill

    def report(shard: int, copied: "Copied") -> None:
        errors().print(
            f"shard {shard}: {copied.rows_done} of {copied.rows} rows, {copied.table} {copied.partition}",
            markup=False,
            highlight=False,
        )

    def say(text: str) -> None:
        errors().print(text, highlight=False)

    fill = Fill(replica, source, shard, ignore_offsets)
    rows = refill(running_settings(Settings()), fill, report, say)
    where = "" if shard is None else f" on shard {shard}"
    output().print(
        f"replica {replica} has the {rows} rows of replica {source}{where}: start the loaders of both, and run"
        " `logsieve doctor --compare` when they have caught up",
        highlight=False,
    )


def admit_replica(
    replica: Annotated[int, typer.Argument(min=0, help="Number of the replica, counted from 0.")],
) -> None:
    """Let searches read a replica that its loaders have filled from Kafka, if it equals the others.

    The comparison reads every body of all replicas once.
    """
    from ingest.refill.refill import admit
    from stack.doctor.compare import compare_replicas
    from stack.doctor.finding import Level

    settings = running_settings(Settings())
    if replica >= settings.topology.replicas:
        raise typer.BadParameter(f"there are {settings.topology.replicas} replicas, counted from 0")
    findings = compare_replicas(settings)
    for finding in findings:
        advice = f": {finding.advice}" if finding.advice else ""
        output().print(f"{finding.about}: {finding.seen}{advice}", markup=False, highlight=False)
    if any(finding.level is Level.fail for finding in findings):
        raise typer.Exit(1)
    admit(settings, replica)
    output().print(f"searches may read replica {replica}", highlight=False)
