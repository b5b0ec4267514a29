"""`scripts/setup [--tests]`, or `python -P -m stack.install` of an installed package.

Checks that the needed programs are there, then installs the rest, several steps at a time.
"""

import argparse
import fcntl
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

from stack.install.prerequisites import missing, required
from stack.install.step import Step, StepFailed
from stack.install.steps import steps
from stack.runtime import RUNTIME


def main() -> int:
    """Returns 0 when all is installed, 1 when a step failed or something must be installed by hand."""
    parser = argparse.ArgumentParser(
        description="Installs what Logsieve needs besides Python: into the checkout, or into the user's cache folder."
    )
    parser.add_argument("--tests", action="store_true", help="also what `make test` uses")
    arguments = parser.parse_args()
    RUNTIME.mkdir(parents=True, exist_ok=True)
    with (RUNTIME / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        open_steps = [step for step in steps(arguments.tests) if not step.is_done()]
        if not open_steps:
            say("everything is installed")
            return 0
        # Checked only if something is to be installed, because four programs take two seconds to print their versions.
        if sentences := missing(required(open_steps)):
            for sentence in sentences:
                say(sentence)
            return 1
        return install(open_steps)


def install(open_steps: list[Step]) -> int:
    """Runs these steps in parallel, each after the step named in its `after`. Prints the result of each."""
    futures: dict[str, Future[bool]] = {}
    with ThreadPoolExecutor(max_workers=len(open_steps)) as pool:
        for step in open_steps:
            futures[step.name] = pool.submit(_run, step, futures.get(step.after or ""))
        watching = threading.Event()
        watcher = threading.Thread(target=_report_waiting, args=(futures, watching), daemon=True)
        watcher.start()
        succeeded = [future.result() for future in futures.values()]
        watching.set()
    return 0 if all(succeeded) else 1


def _run(step: Step, before: "Future[bool] | None") -> bool:
    if before is not None and not before.result():
        say(f"{step.name}: skipped, because a step before it failed")
        return False
    say(f"{step.name}: installing")
    started = time.monotonic()
    try:
        step.run()
    except (StepFailed, OSError) as error:
        lines = step.log_file.read_text(errors="replace").splitlines()[-15:] if step.log_file.exists() else []
        say("\n".join([f"{step.name}: failed: {error}; its log is {step.log_file}", *(f"  {line}" for line in lines)]))
        return False
    say(f"{step.name}: installed in {time.monotonic() - started:.0f} s")
    return True


def _report_waiting(futures: dict[str, Future[bool]], ended: threading.Event) -> None:
    """Prints every ten seconds which steps still run."""
    while not ended.wait(10):
        if names := [name for name, future in futures.items() if not future.done()]:
            say(f"still installing: {', '.join(names)}")


def say(text: str) -> None:
    """Prints a line of progress."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 this is what the command says; rich is not installed yet


if __name__ == "__main__":
    sys.exit(main())
