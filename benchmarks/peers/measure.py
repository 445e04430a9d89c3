"""What the benchmark scripts share: programs run with two threads and measured, table rows."""
import os
import subprocess
import sys
import time
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PYTHON = os.environ.get("PEER_PYTHON", "/usr/bin/python3")  # with the packages of the peers
THREADS = dict(os.environ, GOMAXPROCS="2", OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", NUMBA_NUM_THREADS="2")


class Run(NamedTuple):
    wall: float  # seconds from start to end
    cpu: float  # seconds of processor time
    peak: float  # resident memory at most, MB = 10⁶ bytes
    output: str  # what was printed


def run(command, env=THREADS):
    """Runs a program to its end; ends this one if it fails."""
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command}: {output}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, output)


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(*cells):
    row(*cells)
    row(*["---"] * len(cells))
