"""The process that is kept for scores: whatever happens to it, numbers are right and nothing is left."""

from __future__ import annotations

import _thread
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from typing import Any
from unittest import mock

import numpy as np

import repscope
from repscope import _arrays, _server, metrics
from repscope.metrics import continuity, trustworthiness

from .support import Case, environment, leftovers, until
from .test_metrics import direct, pair


def child() -> int:
    return metrics.server()._child.pid


def in_fork(queue, X, Z) -> None:
    mine = metrics.server()
    queue.put((mine._child is None, trustworthiness(X, Z)))
    mine.close()


KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows ends processes by either


def alive(process: int) -> bool:
    if os.name == "nt":
        import ctypes

        kernel, code = ctypes.windll.kernel32, ctypes.c_ulong()
        handle = kernel.OpenProcess(0x1000, False, process)  # to ask for its exit code, which is 259 while it runs
        running = bool(kernel.GetExitCodeProcess(handle, ctypes.byref(code))) and code.value == 259
        kernel.CloseHandle(handle)
        return running
    try:
        os.kill(process, 0)
        return True
    except ProcessLookupError:
        return False


# The process as it is used where there are no files in memory, and reads from pipes hold interrupts up.
ELSEWHERE = (
    "import os\nfrom repscope import _arrays, _server\n"
    "_arrays.has_room = _server.has_room = lambda size: False\n_server._READS_HOLD_INTERRUPTS = True\n"
    "if hasattr(os, 'posix_fallocate'): del os.posix_fallocate\n"
)


class Kept(Case):
    before = ""  # what scripts do first

    def right(self, X: np.ndarray, Z: np.ndarray, k: int = 5) -> None:
        self.assertAlmostEqual(trustworthiness(X, Z, n_neighbors=k), direct(X, Z, k), delta=1e-12)
        self.assertAlmostEqual(continuity(X, Z, n_neighbors=k), direct(Z, X, k), delta=1e-12)

    def test_sizes_in_turn(self) -> None:
        first = None
        for n, D, d, dtype in ((30, 3, 2, "f8"), (200, 50, 9, "f4"), (30, 3, 2, "f8"), (150, 1700, 2, "f8"), (31, 4, 4, "f4"), (200, 700, 2, "f8")):
            self.right(*pair(n, D, d, dtype=dtype))
            first = first or child()
            self.assertEqual(child(), first)
        bytes_ = np.random.default_rng(0).integers(0, 256, (60, 40)).astype(np.uint8)
        self.assertEqual(trustworthiness(bytes_, pair(60, 3, 2)[0]), trustworthiness(bytes_.astype(float), pair(60, 3, 2)[0]))

    def test_values_that_change(self) -> None:
        X, Z = pair(120, 1500, 3)
        for row in (0, 119, 60):
            self.right(X, Z)
            with mock.patch.object(metrics.server(), "ask", side_effect=AssertionError("asked again")):
                self.right(X, Z)
            X[row, 17] += 50
            self.right(X, Z)
            Z[row] += 3
            self.right(X, Z)
        kept = metrics.server()
        with mock.patch.object(kept, "ask", side_effect=kept.ask) as asked:
            for k, questions in ((5, 0), (10, 1), (20, 1), (7, 2), (59, 3)):  # both for several k
                self.right(X, Z, k)
                self.assertEqual(asked.call_count, questions)
            kept.pair = metrics.Pair()
            for k, questions in ((5, 1), (7, 2), (20, 2)):
                self.assertAlmostEqual(trustworthiness(X, Z, n_neighbors=k), direct(X, Z, k), delta=1e-12)
                self.assertEqual(asked.call_count, 3 + questions)

    def test_shared_arrays_are_read_where_they_are(self) -> None:
        X, Z = pair(50, 4, 2)
        shared = repscope.empty(X.shape, X.dtype)
        for _ in range(3):
            shared[:] = X
            self.right(shared, Z)
            X[3] += 2  # the file changes without a word
        self.right(np.asfortranarray(X), Z[::-1][::-1])
        self.right(X[::2], Z[::2])

    def test_errors_then_a_good_call(self) -> None:
        X, Z = pair(40, 3, 2)
        self.right(X, Z)
        first, bad = child(), X.copy()
        bad[7, 1] = np.inf
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, r"^X \(array \[40, 3\], float64\): point 7, coordinate 1 is \+?Inf"):
                trustworthiness(bad, Z)
            self.right(X, Z)
        self.assertEqual(child(), first)

    def test_killed(self) -> None:
        X, Z = pair(40, 3, 2)
        for _ in range(3):
            self.right(X, Z)
            os.kill(child(), KILL)
            Z = Z + 1
        # It ends at every question: then scores have a process of their own.
        kept = metrics.server()
        start = kept._start

        def killed() -> None:
            start()
            kept._child.kill()
            kept._child.wait()

        with mock.patch.object(kept, "_start", side_effect=killed) as starts:
            self.right(X, -Z)
        self.assertEqual(starts.call_count, 4)

    def test_idle(self) -> None:
        X, Z = pair(40, 3, 2)
        with mock.patch.object(_server, "IDLE", 0.1):
            self.right(X, Z)
            metrics.server()._child.wait(10)
        self.right(X, Z + 1)

    def test_interrupted(self) -> None:
        X, Z = pair(6000, 300, 2)
        small = pair(40, 3, 2)
        self.right(*small)
        threading.Timer(0.05, _thread.interrupt_main).start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(200):
                metrics.server().pair = metrics.Pair()
                trustworthiness(X, Z)
        self.right(*small)
        self.assertFalse(metrics.server().lock.locked())

    @unittest.skipIf(os.name == "nt", "Windows sends no signals to one process; packaging/wheels/wine.py interrupts it")
    def test_interrupts_of_the_terminal_are_not_its(self) -> None:
        small = pair(40, 3, 2)
        self.right(*small)
        first = child()
        os.kill(first, signal.SIGINT)
        self.right(small[0], small[1] * 3 + 1)
        self.assertEqual(child(), first)

    def test_threads(self) -> None:
        wrong = []

        def work(seed: int) -> None:
            for at in range(4):
                X, Z = pair(60 + seed, 5, 2, seed + at)
                if abs(trustworthiness(X, Z) - direct(X, Z, 5)) > 1e-12:
                    wrong.append((seed, at))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "no forks")
    def test_forked(self) -> None:
        X, Z = pair(50, 4, 2)
        self.right(X, Z)
        first = child()
        fork = multiprocessing.get_context("fork")
        queue = fork.Queue()
        workers = [fork.Process(target=in_fork, args=(queue, X, Z + at)) for at in range(3)]
        for w in workers:
            w.start()
        for _ in workers:
            own, value = queue.get(timeout=60)
            self.assertTrue(own)
            self.assertAlmostEqual(value, direct(X, Z, 5), delta=1e-12)
        for w in workers:
            w.join(60)
            self.assertEqual(w.exitcode, 0)
        self.right(X, Z + 7)
        self.assertEqual(child(), first)

    def test_environment(self) -> None:
        X, Z = pair(40, 3, 2)
        self.right(X, Z)
        first = child()
        with environment(GOMAXPROCS="1"):
            self.right(X, Z + 1)
            self.assertNotEqual(child(), first)
        with environment(REPSCOPE_BIN=os.path.join(self.folder, "nowhere")):
            with self.assertRaisesRegex(repscope.RepscopeError, "but there is no program"):
                trustworthiness(X, Z + 2)
        self.right(X, Z + 2)

    def test_no_room(self) -> None:
        X, Z = pair(40, 3, 2)
        with mock.patch.object(_server, "has_room", return_value=False), mock.patch.object(_server, "has_room_on_disk", return_value=False):
            self.right(X, Z)
        self.assertIsNone(metrics.server()._child)
        with mock.patch.object(_server, "allocate", side_effect=OSError(28, "No space left on device")):
            self.right(X, Z)
        self.assertIsNone(metrics.server()._child)

    def test_much_memory_is_not_kept(self) -> None:
        X, Z = pair(100, 30, 2)
        with mock.patch.object(_server, "_KEPT", 1000):
            self.right(X, Z)
            self.assertEqual(leftovers() & {getattr(metrics.server()._workspace, "_folders", {}).get(True)}, set())
        self.right(X, Z)

    def ended(self, last: str, code: int = 0, **variables: str) -> None:
        """A Python that says which processes are its, and ends somehow."""
        script = self.before + (
            "import os, sys, signal, numpy as np\nfrom repscope import metrics\n"
            "X = np.random.default_rng(0).normal(size=(50, 4))\nmetrics.trustworthiness(X, X[:, :2])\n"
            "print(metrics.server()._child.pid, os.path.dirname(metrics.server()._path), flush=True)\n" + last
        )
        package = os.path.dirname(os.path.dirname(os.path.abspath(repscope.__file__)))
        env = {**os.environ, "PYTHONPATH": package, **variables}
        done = subprocess.run([sys.executable, "-X", "dev", "-c", script], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        process, folder = done.stdout.rstrip("\n").split(" ", 1)
        self.assertFalse(until(lambda: alive(int(process))), "a process is left")
        if code == 0 and "_exit" not in last:
            self.assertFalse(os.path.exists(folder), "files are left")

    def test_the_end_of_python(self) -> None:
        self.ended("")
        self.ended("import time; start = time.time(); sys.exit(0)")
        self.ended("os._exit(0)")
        self.ended(f"os.kill(os.getpid(), {int(KILL)})", KILL if os.name == "nt" else -KILL)
        trustworthiness(*pair(40, 3, 2))  # sweeps what the killed ones left

    def test_odd_places(self) -> None:
        odd = os.path.join(self.folder, "Ünïcode tmp")
        os.mkdir(odd)
        home = os.path.join(self.folder, "home")
        os.mkdir(home, 0o555)
        self.ended("", TMPDIR=odd, HOME=home)


class KeptElsewhere(Kept):
    """All of it again, by temporary files on disk."""

    before = ELSEWHERE

    def setUp(self) -> None:
        super().setUp()
        for module in (_arrays, _server):
            self.patch(mock.patch.object(module, "has_room", return_value=False))
        self.patch(mock.patch.object(_server, "_READS_HOLD_INTERRUPTS", True))
        if hasattr(os, "posix_fallocate"):
            self.patch(mock.patch.object(os, "posix_fallocate"))
            del os.posix_fallocate

    def patch(self, patch: Any) -> None:
        patch.start()
        self.addCleanup(patch.stop)

    def test_forked(self) -> None:
        with mock.patch.object(_server, "_READS_HOLD_INTERRUPTS", False):  # as wherever there are forks
            super().test_forked()

    def test_where_the_files_are(self) -> None:
        self.right(*pair(40, 3, 2))
        kept = metrics.server()
        self.assertEqual(os.path.dirname(os.path.dirname(kept._path)), tempfile.gettempdir())
        if os.name != "nt":
            self.assertGreater(os.stat(kept._path).st_blocks * 512, kept._size - 1)  # no holes


if __name__ == "__main__":
    unittest.main()
