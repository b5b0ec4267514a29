"""`logsieve down`."""

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.console import errors
from stack.launch import end_leftovers, require_unlocked, running_state, stop_supervisor


def down() -> None:
    """Stop what `up` started, in reverse order; data stays. Does nothing when nothing runs."""
    settings, clock, progress = Settings(), SystemClock(), errors()
    state = running_state(settings)
    if state is None:
        if settings.home.exists():
            require_unlocked(settings)
        sentences = end_leftovers(settings, clock)
        for sentence in sentences or [f"no stack is running for {settings.home.resolve()}"]:
            progress.print(sentence, highlight=False, soft_wrap=True)
        return
    with progress.status("stopping"):
        last = stop_supervisor(state, settings, clock)
    for service in last.services:
        if service.log_file is not None:
            line = f"{service.name:<11} {service.phase} {service.detail}".rstrip()
            progress.print(line, highlight=False)
