"""Tests that threads share a few heaps, so that freed messages do not stay in many of them."""

import subprocess
import sys

import pytest

from kit.malloc import ARENAS

PROGRAM = """
import ctypes, threading
from kit.malloc import share_heaps

share_heaps()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
together = threading.Barrier(16)

def work():
    together.wait()
    library.malloc(1000)
    together.wait()

threads = [threading.Thread(target=work) for _ in range(16)]
for each in threads:
    each.start()
for each in threads:
    each.join()
library.fopen.restype = ctypes.c_void_p
stream = ctypes.c_void_p(library.fopen(b"/dev/stdout", b"w"))
library.malloc_info(0, stream)
library.fclose(stream)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="heaps of threads are glibc's")
def test_threads_share_heaps() -> None:
    report = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout

    assert 1 <= report.count("<heap nr=") <= ARENAS
