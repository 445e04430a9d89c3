"""A kernel of Jupyter: how progress is shown there, and that its interrupt ends the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import unittest
from typing import Any, Callable, Dict, List

try:
    import ipykernel  # noqa: F401
    import jupyter_client
except ImportError:
    jupyter_client = None

import repscope

from .support import Case, until

SETUP = """
import os, numpy as np, repscope
r = np.random.default_rng(0)
x, z = r.normal(size=(N, 512)).astype("f4"), r.normal(size=(N, 16)).astype("f4")
print("ready", os.getpid())
"""
LONG = 'repscope.neighborhood(x, {"z": z}, coranking="full", permutations=200)'


def children(process: int) -> List[int]:
    """The children of a process that run the program."""
    said = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(process)], stdout=subprocess.PIPE, text=True).stdout
    return [int(line.split()[0]) for line in said.splitlines() if repscope.find_program() in line]


@unittest.skipIf(jupyter_client is None or os.name == "nt", "no jupyter_client and ipykernel, or no ps")
class Notebook(Case):
    def setUp(self) -> None:
        super().setUp()
        path = os.pathsep.join([os.path.dirname(os.path.dirname(os.path.abspath(repscope.__file__))), os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONPATH": path.rstrip(os.pathsep), "REPSCOPE_BIN": repscope.find_program(), "IPYTHONDIR": self.folder}
        manager = jupyter_client.KernelManager()
        manager.kernel_spec.argv[0] = sys.executable  # not that of a kernel installed elsewhere
        manager.start_kernel(env=env, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(manager.shutdown_kernel, now=True)
        self.manager, self.client = manager, manager.client()
        self.client.start_channels()
        self.addCleanup(self.client.stop_channels)
        self.client.wait_for_ready(timeout=120)

    def run_cell(self, code: str, during: Callable[[Dict[str, Any]], None] = lambda message: None) -> List[Dict[str, Any]]:
        """What the kernel publishes of a cell; a function sees each message when it comes."""
        request = self.client.execute(code)
        messages: List[Dict[str, Any]] = []
        end = time.monotonic() + 240
        while time.monotonic() < end:
            message = self.client.get_iopub_msg(timeout=240)
            if message["parent_header"].get("msg_id") != request:
                continue
            messages.append(message)
            during(message)
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return messages
        self.fail("the cell did not end")

    def prepare(self, n: int) -> int:
        said = "".join(m["content"]["text"] for m in self.run_cell(SETUP.replace("N", str(n))) if m["msg_type"] == "stream")
        self.assertTrue(said.startswith("ready "), said)
        return int(said.split()[1])

    def test_interrupt(self) -> None:
        kernel = self.prepare(9000)
        running: List[int] = []

        def interrupt(message: Dict[str, Any]) -> None:
            # with the first progress, the program is in the middle of its work
            if message["msg_type"] == "stream" and "%" in message["content"]["text"] and not running:
                running.extend(children(kernel))
                self.manager.interrupt_kernel()

        messages = self.run_cell(LONG, interrupt)
        self.assertEqual(len(running), 1, "no progress was shown, or no program ran")
        errors = [m["content"]["ename"] for m in messages if m["msg_type"] == "error"]
        self.assertEqual(errors, ["KeyboardInterrupt"])
        self.assertEqual(children(kernel), [], "the program goes on")
        with self.assertRaises(ProcessLookupError):
            os.kill(running[0], 0)
        # nothing of the run is left, and the kernel goes on
        said = self.run_cell("import glob; print(glob.glob(f'/dev/shm/repscope-*-{os.getpid()}-*'))")
        self.assertIn("[]\n", [m["content"]["text"] for m in said if m["msg_type"] == "stream"])
        said = self.run_cell("repscope.manifold({'z': z[:200]}, bootstrap=20)")
        self.assertEqual([m["content"].get("ename") for m in said if m["msg_type"] == "error"], [])

    def test_a_result_and_its_progress(self) -> None:
        self.prepare(1500)
        messages = self.run_cell('repscope.neighborhood(x, {"z": z}, block=50)')
        shown = [m["content"]["data"] for m in messages if m["msg_type"] == "execute_result"]
        self.assertEqual(len(shown), 1)
        self.assertIn("<pre", shown[0]["text/html"])
        self.assertIn("image/png", shown[0]["text/html"])
        progress = "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream" and m["content"]["name"] == "stderr")
        # One line, which is taken away at its end; then what is said of the result. A fast run has none.
        bars, _, rest = progress.rpartition("\r")
        self.assertNotIn("\n", bars)
        self.assertNotIn("%|", rest)

    def test_a_kernel_that_is_killed_takes_the_program_along(self) -> None:
        kernel = self.prepare(9000)
        request = self.client.execute(LONG)
        self.assertTrue(request)
        found: List[int] = []
        until(lambda: [] if found or found.extend(children(kernel)) or found else [0], 120)
        self.assertEqual(len(found), 1)
        os.kill(kernel, signal.SIGKILL)

        def still() -> List[int]:
            try:
                os.kill(found[0], 0)
            except ProcessLookupError:
                return []
            return found

        self.assertEqual(until(still, 30), [])


if __name__ == "__main__":
    unittest.main()
