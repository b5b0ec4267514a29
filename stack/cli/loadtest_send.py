"""`logsieve loadtest send`."""

import dataclasses
from typing import Annotated

import typer

from kit.clock import SystemClock
from kit.errors import InvalidRequest
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Keep, Seed, own_stack_offset, telling


def send(
    profile: Annotated[str, typer.Option(help="smoke, steady, burst, soak, or a TOML file like theirs.")] = "smoke",
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Send at fixed rates from several processes, and judge latency and loss by the profile's thresholds."""
    from loadtest.own_stack import own_stack
    from loadtest.send.profile import read_profile
    from loadtest.send.run import run_profile

    try:
        chosen = read_profile(profile)
    except InvalidRequest as error:
        raise typer.BadParameter(error.detail) from error
    with telling(as_json) as say, own_stack(own_stack_offset(), ("receiver", "loader"), keep, say) as stack:
        judgement = run_profile(stack, chosen, seed, SystemClock(), say)
        say(f"{judgement.acknowledged} acknowledged, {judgement.stored} stored, {judgement.refused} refused")
        say(f"p50 {judgement.p50:.3f} s, p99 {judgement.p99:.3f} s, sender {judgement.behind:.2f} s late at most")
        for sentence in judgement.missed:
            say(sentence)
        machine = stack.machine().line()
    asked = {"profile": profile, "seed": seed, "machine": machine}
    finish("send", {"passed": judgement.passed, **asked, **dataclasses.asdict(judgement)}, as_json, write)
