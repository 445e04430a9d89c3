"""The monitor of training loops: what it records, what it leaves alone, and what goes wrong."""

from __future__ import annotations

import csv
import json
import os
import threading
import time
import unittest
import warnings
from unittest import mock

import numpy as np

import repscope
from repscope import monitor as monitors
from repscope.monitor import Monitor

from .support import Case, states

try:
    import torch
except ImportError:
    torch = None


def first(d: int):
    return lambda batch: batch[:, :d]


class Writer:
    """A SummaryWriter, as far as it is used."""

    def __init__(self) -> None:
        self.rows = []

    def add_scalar(self, tag, scalar_value, global_step=None) -> None:
        self.rows.append((tag, scalar_value, global_step))


class Run:
    """A run of Weights & Biases, as far as it is used."""

    def __init__(self) -> None:
        self.logged, self.metrics = [], []

    def define_metric(self, name, step_metric=None) -> None:
        self.metrics.append((name, step_metric))

    def log(self, data) -> None:
        self.logged.append(data)


class Recording(Case):
    def test_steps(self) -> None:
        with Monitor(states(), first(3), every=10, busy="wait") as m:
            taken = [s for s in range(35) if m.step(s)]
        self.assertEqual(taken, [0, 10, 20, 30])
        self.assertEqual([e.step for e in m.history], taken)
        self.assertEqual(m.errors, [])

    def test_steps_that_are_not_multiples(self) -> None:
        with Monitor(states(), first(3), every=10, busy="wait") as m:
            taken = [s for s in (3, 7, 14, 15, 19, 33, 34, 40) if m.step(s)]
            self.assertEqual(taken, [3, 14, 33, 40])
            self.assertTrue(all(not m.step() for _ in range(9)))  # counts on from 41
            self.assertTrue(m.step())

    def test_numbers_are_those_of_the_functions(self) -> None:
        x = states(200)
        with Monitor(x, first(3), analyses={"neighborhood": {"k": (5, 10)}, "manifold": {}}, name="jepa", prefix="val/") as m:
            m.step(0)
        want = repscope.neighborhood(x, {"jepa": x[:, :3]}, k=(5, 10), bootstrap=0).models.jepa
        scalars = m.history[0].scalars
        self.assertEqual(scalars["val/neighborhood/by_k/5/trustworthiness"], want.by_k[0].trustworthiness)
        self.assertEqual(scalars["val/neighborhood/by_k/10/continuity"], want.by_k[1].continuity)
        self.assertFalse(any(n.endswith("_ci") for n in scalars))
        steps, values = m.curve("val/manifold/participation_ratio")
        self.assertEqual(steps.tolist(), [0])
        self.assertEqual(values[0], repscope.manifold({"z": x[:, :3]}, bootstrap=0).models.z.participation_ratio)

    def test_patterns(self) -> None:
        with Monitor(states(), first(3), scalars=["*/participation_ratio"]) as m:
            m.step(0)
        self.assertEqual(m.names, ["manifold/participation_ratio"])

    def test_loggers(self) -> None:
        writer, run, seen = Writer(), Run(), []
        only = {"scalars": "manifold/participation_ratio"}
        with Monitor(states(), first(3), every=5, busy="wait", log=[writer, run, lambda s, step: seen.append((step, s))], **only) as m:
            for s in range(10):
                m.step(s)
        value = m.history[0].scalars["manifold/participation_ratio"]
        self.assertEqual(writer.rows, [("manifold/participation_ratio", value, 0), ("manifold/participation_ratio", value, 5)])
        self.assertEqual([d["repscope/step"] for d in run.logged], [0, 5])
        self.assertEqual(run.metrics, [("repscope/step", None), ("manifold/participation_ratio", "repscope/step")])
        self.assertEqual(seen, [(0, {"manifold/participation_ratio": value}), (5, {"manifold/participation_ratio": value})])

    def test_the_thread_that_trains_logs(self) -> None:
        threads = set()
        with Monitor(states(), first(3), log=lambda s, step: threads.add(threading.current_thread())) as m:
            m.step(0)
        self.assertEqual(threads, {threading.current_thread()})

    def test_tensorboard(self) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            self.skipTest("no TensorBoard")
        writer = SummaryWriter(self.folder)
        with Monitor(states(), first(3), log=writer) as m:
            m.step(7)
        writer.close()
        self.assertEqual(m.errors, [])
        self.assertTrue(any("tfevents" in f for f in os.listdir(self.folder)))

    def test_files(self) -> None:
        with Monitor(states(), first(3), every=1, busy="wait", out=self.folder + "/run") as m:
            m.step(0)
            m.step(1)
        with open(self.folder + "/run/history.json", encoding="utf-8") as f:
            content = json.load(f)
        self.assertEqual([e["step"] for e in content["entries"]], [0, 1])
        self.assertEqual(content["entries"][0]["scalars"], m.history[0].scalars)
        with open(self.folder + "/run/history.csv", newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([r["step"] for r in rows], ["0", "1"])
        self.assertEqual(float(rows[1]["manifold/participation_ratio"]), m.history[1].scalars["manifold/participation_ratio"])
        self.assertTrue(os.path.isfile(self.folder + "/run/step-00000001/manifold/manifold.json"))

    def test_figure(self) -> None:
        with Monitor(states(), first(3), every=1, busy="wait") as m:
            for s in range(3):
                m.step(s)
        figure = m.figure("manifold/participation_ratio")
        self.assertTrue(figure.data.startswith(b"\x89PNG"))
        with self.assertRaises(KeyError):
            m.figure("manifold/none")

    def test_latents_that_are_known(self) -> None:
        x = states()
        with Monitor(x, every=1) as m:
            self.assertTrue(m.step(0, latents=x[:, :2]))
            m.wait()
            self.assertTrue(m.step(1, first(2)))
        self.assertEqual(m.history[0].scalars, m.history[1].scalars)

    def test_latents_are_those_of_the_step(self) -> None:
        buffer = states()[:, :4].copy()
        with Monitor(states(), lambda batch: buffer, batch=1000) as m:
            m.step(0)
            buffer[:] = 0  # training goes on in place
        self.assertEqual(m.errors, [])
        self.assertGreater(m.history[0].scalars["manifold/participation_ratio"], 1)


class Busy(Case):
    def slow(self, **options):
        """A monitor whose analyses wait until they are let go."""
        gate = threading.Event()
        real = monitors._call

        def held(*args, **kwargs):
            gate.wait(60)
            return real(*args, **kwargs)

        patch = mock.patch.object(monitors, "_call", held)
        patch.start()
        self.addCleanup(patch.stop)
        self.addCleanup(gate.set)
        return Monitor(states(), first(3), every=1, **options), gate

    def test_skip(self) -> None:
        m, gate = self.slow(queue=1)
        calls = []
        m.model = lambda batch: calls.append(len(batch)) or batch[:, :2]
        start = time.monotonic()
        taken = [m.step(s) for s in range(6)]
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(taken, [True, True, False, False, False, False])
        self.assertEqual(m.skipped, 4)
        self.assertEqual(len(calls), 2)  # what is left out is not encoded
        gate.set()
        m.close()
        self.assertEqual([e.step for e in m.history], [0, 1])

    def test_wait(self) -> None:
        m, gate = self.slow(queue=0, busy="wait")
        m.step(0)
        threading.Timer(0.3, gate.set).start()
        self.assertTrue(m.step(1))
        m.close()
        self.assertEqual(([e.step for e in m.history], m.skipped), ([0, 1], 0))

    def test_nobody_waits_after_an_error(self) -> None:
        with self.assertRaises(KeyboardInterrupt):
            with Monitor(states(4000, 64), analyses={"neighborhood": {"coranking": "full"}}, every=1) as m:
                m.step(0, latents=states(4000, 64, 1))
                raise KeyboardInterrupt
        self.assertFalse(m._thread.is_alive())


class Wrong(Case):
    def test_training_goes_on(self) -> None:
        x = states()
        nan = np.full((len(x), 2), np.nan, dtype=np.float32)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with Monitor(x, every=1, busy="wait") as m:
                m.step(0, latents=nan)
                m.wait()
                m.step(1, latents=x[:, :2])
        self.assertEqual([(s, a) for s, a, _ in m.errors], [(0, "manifold")])
        self.assertRegex(str(m.errors[0][2]), r"latents \(array \[120, 2\], float32\): NaN")
        self.assertTrue(any("manifold at step 0" in str(w.message) for w in caught))
        self.assertEqual([e.step for e in m.history], [1])

    def test_rows_with_reasons(self) -> None:
        x = states()
        nan = np.full((len(x), 2), np.nan, dtype=np.float32)
        folder = self.folder
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Monitor(x, every=1, busy="wait", out=folder) as m:
                for step, latents in enumerate((x[:, :2], nan, x[:, :3])):
                    m.step(step, latents=latents)
                    m.wait()
                figure = m.figure("*/participation_ratio")  # of the steps that were measured
        self.assertTrue(figure.data.startswith(b"\x89PNG"))
        with open(os.path.join(folder, "history.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([r["step"] for r in rows], ["0", "1", "2"])
        self.assertEqual([bool(r["reason"]) for r in rows], [False, True, False])
        self.assertRegex(rows[1]["reason"], r"^manifold: .*NaN")
        self.assertEqual({v for k, v in rows[1].items() if k not in ("step", "reason")}, {""})

    def test_a_model_that_was_left_out(self) -> None:
        class Lacking(dict):
            json = {"models": {"model": {"skipped": True, "reason": "NaN in 3 of 9 rows"}}}

            def close(self) -> None:
                pass

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with mock.patch.object(monitors, "_call", return_value=Lacking()):
                with Monitor(states(), first(2), name="model") as m:
                    m.step(0)
                    m.wait()
        self.assertEqual([(s, a, str(e)) for s, a, e in m.errors], [(0, "manifold", "not measured: NaN in 3 of 9 rows")])
        self.assertEqual(m.history, [])

    def test_warnings_that_are_errors(self) -> None:
        x = states()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with mock.patch("sys.stderr"):
                with Monitor(x) as m:
                    m.step(0, latents=np.full((len(x), 2), np.nan))
        self.assertEqual(len(m.errors), 1)

    def test_a_logger_that_fails(self) -> None:
        def log(scalars, step):
            raise OSError("the network is away")

        with Monitor(states(), first(3), log=log) as m:
            m.step(0)
        self.assertEqual([(s, a, str(e)) for s, a, e in m.errors], [(0, "log", "the network is away")])
        self.assertEqual(len(m.history), 1)

    def test_a_model_that_fails(self) -> None:
        def model(batch):
            raise RuntimeError("out of memory")

        with Monitor(states(), model, every=1) as m:
            with self.assertRaisesRegex(RuntimeError, "out of memory"):  # the first: the script is wrong
                m.step(0)
            m.step(1, first(2))
            m.wait()
            self.assertFalse(m.step(2))
        self.assertEqual([(s, a) for s, a, _ in m.errors], [(2, "encode")])

    def test_arguments(self) -> None:
        x = states()
        for message, options in {
            "unknown function 'manyfold'": {"analyses": "manyfold"},
            "no option 'kk'": {"analyses": {"neighborhood": {"kk": 3}}},
            "takes no latents": {"analyses": ["forecast"]},
            "analyses: none": {"analyses": []},
            "out is what the monitor gives": {"analyses": {"manifold": {"out": "x"}}},
            "every=0": {"every": 0},
            "queue=-1": {"queue": -1},
            "busy='perhaps'": {"busy": "perhaps"},
        }.items():
            with self.assertRaisesRegex(repscope.UsageError, message):
                Monitor(x, first(2), **options)
        with self.assertRaisesRegex(TypeError, "has none of add_scalar, log_metrics and log"):
            Monitor(x, first(2), log=3)
        with self.assertRaisesRegex(TypeError, "is a path"):
            Monitor("frames.npy", first(2))
        for message, options in {
            "nice: 'low' is not a whole number": {"nice": "low"},
            r"scalars: \[1\] are not patterns": {"scalars": [1]},
            "manifold: 5 are no keywords": {"analyses": {"manifold": 5}},
            "out: 3 is not a path": {"out": 3},
        }.items():
            with self.assertRaisesRegex(TypeError, message):
                Monitor(x, first(2), **options)
        for frames in (None, 3, {"a": x}, iter(x)):
            with self.assertRaisesRegex(TypeError, "frames: a .* is not an array of states"):
                Monitor(frames, first(2))
        with self.assertRaisesRegex(repscope.UsageError, "want at least one"):
            Monitor(x[:0], first(2))
        with Monitor(x) as m:
            with self.assertRaisesRegex(repscope.UsageError, "no model"):
                m.step(0)
            with self.assertRaisesRegex(repscope.UsageError, "3 latents for 120 frames"):
                m.snapshot(0, latents=x[:3])
            with self.assertRaisesRegex(repscope.UsageError, r"latents of shape \[\] for 120 frames"):
                m.snapshot(0, lambda batch: np.float32(1))
            with self.assertRaisesRegex(repscope.UsageError, "want one row"):
                m.snapshot(0, lambda batch: batch[:, 0])
            with self.assertRaisesRegex(TypeError, "is not a module or a function"):
                m.snapshot(0, 3)
        with self.assertRaisesRegex(RuntimeError, "is closed"):
            m.step(1)
        m.close()
        self.assertRegex(repr(m), r"^<repscope monitor of manifold: 0 found; closed>$")

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_fork(self) -> None:
        with Monitor(states(), first(3), every=1, busy="wait") as m:
            m.step(0)
            child = os.fork()
            if child == 0:
                m.close()
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            m.step(1)
        self.assertEqual([e.step for e in m.history], [0, 1])


@unittest.skipIf(torch is None, "no PyTorch")
class Modules(Case):
    def test_a_module(self) -> None:
        x = states(60, 8)
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 4))
        model[1].eval()  # frozen
        model.train()
        model[1].eval()
        before = {k: v.clone() for k, v in model.state_dict().items()}
        state = torch.get_rng_state()
        with Monitor(x, model, batch=16) as m:
            m.step(0)
            want = model.eval()(torch.from_numpy(x)).detach().numpy()
            model.train()
            model[1].eval()
        self.assertTrue(torch.equal(torch.get_rng_state(), state))
        self.assertTrue(model.training and model[2].training and not model[1].training)
        for k, v in model.state_dict().items():
            self.assertTrue(torch.equal(v, before[k]), k)
        value = repscope.manifold({"z": want}, bootstrap=0).models.z.participation_ratio
        self.assertAlmostEqual(m.history[0].scalars["manifold/participation_ratio"], value, places=4)

    def test_frames_of_bytes_and_tensors(self) -> None:
        frames = np.random.default_rng(0).integers(0, 255, (50, 4, 4), dtype=np.uint8)
        model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 3))
        histories = []
        for f in (frames, torch.from_numpy(frames)):
            with Monitor(f, model.train(), analyses="neighborhood") as m:
                m.step(0)
            histories.append(m.history[0].scalars)
        self.assertEqual(*histories)

    def test_what_a_module_returns(self) -> None:
        class Two(torch.nn.Module):
            def forward(self, x):
                return x, x

        model = Two().train()
        with Monitor(states(), model) as m:
            with self.assertRaisesRegex(TypeError, "want a tensor; give a function"):
                m.step(0)
        self.assertTrue(model.training)


if __name__ == "__main__":
    unittest.main()
