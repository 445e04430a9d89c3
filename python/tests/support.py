"""What the tests share."""

from __future__ import annotations

import contextlib
import gc
import glob
import os
import tempfile
import time
import unittest
import warnings
from typing import Any, Iterator

import numpy as np

import repscope
import repscope._folders
import repscope.metrics


def states(n: int = 120, d: int = 6, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


class Case(unittest.TestCase):
    """A test with a folder of its own, which leaves nothing in the folders of temporary files."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="tests of répscope ")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        catch = warnings.catch_warnings()
        catch.__enter__()
        self.addCleanup(catch.__exit__, None, None, None)
        warnings.simplefilter("ignore", repscope.RepscopeWarning)
        before = leftovers()
        self.addCleanup(lambda: self.assertEqual(until(lambda: leftovers() - before), set(), "files that were left"))
        self.addCleanup(repscope.metrics.server().close)  # which has some


def until(of: Any, seconds: float = 10) -> Any:
    """The value of a function once it is empty, or after a time."""
    end = time.monotonic() + seconds
    while of() and time.monotonic() < end:
        time.sleep(0.05)
    return of()


def leftovers() -> set:
    """Folders of this process in memory and among temporary files."""
    gc.collect()
    repscope._folders.remove_later()  # Windows removes nothing that an array still had mapped
    bases = ("/dev/shm", tempfile.gettempdir())
    return {p for base in bases for name in (f"repscope-*-{os.getpid()}-*", "repscope-py-study-*") for p in glob.glob(os.path.join(base, name))}


@contextlib.contextmanager
def environment(**values: Any) -> Iterator[None]:
    before = {k: os.environ.get(k) for k in values}
    try:
        for k, v in values.items():
            os.environ.pop(k, None) if v is None else os.environ.__setitem__(k, v)
        yield
    finally:
        for k, v in before.items():
            os.environ.pop(k, None) if v is None else os.environ.__setitem__(k, v)
