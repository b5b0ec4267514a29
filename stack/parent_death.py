"""Starts a service so that it ends with its supervisor: `python -m stack.parent_death SUPERVISOR_PID COMMAND …`.

On Linux the kernel sends the service SIGTERM when the supervisor has ended, even by SIGKILL (prctl(2),
PR_SET_PDEATHSIG, which survives exec). Elsewhere the next `up` ends the processes that the state file names. It is a
separate program, because a preexec_fn is not safe in a supervisor with threads. It imports only the standard library.
"""

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def main(arguments: list[str]) -> None:
    """Ties this process to the supervisor and becomes the command."""
    supervisor, *command = arguments
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl PR_SET_PDEATHSIG")
    if os.getppid() != int(supervisor):
        sys.exit("the supervisor ended before its service started")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
