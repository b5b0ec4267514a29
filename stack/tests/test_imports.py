"""Every command starts a process: what only some of them need is imported when they run."""

import subprocess
import sys


def test_the_command_line_starts_without_libraries_that_few_commands_need() -> None:
    heavy = {"sqlalchemy", "aiohttp", "clickhouse_connect", "fastapi", "grpc", "matplotlib"}
    program = f"import sys, stack.cli.commands; print(sorted({heavy!r} & sys.modules.keys()))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "[]\n"
