"""Calls: keywords, numbers, errors, interrupts, threads, and where files lie."""

from __future__ import annotations

import concurrent.futures
import glob
import json
import os
import pathlib
import pickle
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from typing import Any
from unittest import mock

import numpy as np

import repscope
from repscope import _client
from repscope._arrays import Workspace

from .support import Case, environment, states, until

try:
    import pandas
except ImportError:
    pandas = None
try:
    import polars
except ImportError:
    polars = None


def flags(function: str, **values: object) -> list:
    """The command line of a call, without what the workspace is for."""
    with Workspace() as workspace:
        return _client._flags(_client._command(function), values, workspace)


class Suites(Case):
    """A study from a mapping: arrays in it go over as files."""

    def test_mapping(self) -> None:
        x = states()
        suite = {
            "defaults": {"bootstrap": 0, "latent_scale": "rms", "neighborhood": {"k": np.array([5, 10])}},
            "analyses": ["manifold", "neighborhood"],
            "datasets": {"my_data": {"frames": x, "latents": {"a": x[:, :3], "b": x[:, 3:]}}, "other": {"only": ["manifold"], "latents": {"a": x}}},
        }
        out = os.path.join(self.folder, "study")
        result = repscope.evaluate(suite, out=out, progress=False)
        tasks = [(t["dataset"], t["analysis"], t["state"]) for t in result.json["tasks"]]
        self.assertEqual(tasks, [("my_data", "neighborhood", "done"), ("my_data", "manifold", "done"), ("other", "manifold", "done")])
        with open(os.path.join(out, "my_data", "neighborhood", "neighborhood.json"), encoding="utf-8") as f:
            got = json.load(f)
        want = repscope.neighborhood(x, {"a": x[:, :3], "b": x[:, 3:]}, k=(5, 10), bootstrap=0, latent_scale="rms", progress=False)
        self.assertEqual(got["models"], want.json["models"])

    def test_plan(self) -> None:
        suite = {"datasets": {"d": {"only": "manifold", "latents": {"z": states()}}}}
        plan = repscope.evaluate(suite, dry_run=True, progress=False)
        self.assertEqual([t["state"] for t in plan.json["tasks"]], ["run"])

    def test_again(self) -> None:
        """A study with the same arrays is not computed again; its folder can be in the mapping, and so can an outcome."""
        x = states()
        out = os.path.join(self.folder, "study")
        suite = {"out": out, "analyses": ["manifold"], "datasets": {"d": {"latents": {"a": x[:, :3], "b": list(x[:, 3:])}}}}
        first = repscope.evaluate(suite, progress=False)
        self.assertEqual(str(first.dir), out)
        again = repscope.evaluate({**suite, "datasets": {"d": {"latents": {"a": x[:, :3].copy(), "b": x[:, 3:]}}}}, progress=False)
        self.assertIn("d/manifold: unchanged", again.notes)
        x[0, 0] += 1
        self.assertNotIn("d/manifold: unchanged", repscope.evaluate(suite, progress=False).notes)
        with self.assertRaisesRegex(repscope.UsageError, "outcome names no number"):
            repscope.evaluate({**suite, "outcome": {"permutations": 99}}, dry_run=True, progress=False)

    def test_wrong(self) -> None:
        for suite, message in (
            ({"dataset": {}}, r"suite \(a mapping\).*unknown key \"dataset\" of a suite\nhint: did you mean datasets"),
            ({"datasets": {"d": {"only": "manifold", "latens": {"z": states()}}}}, r"suite \(a mapping\).*unknown key \"latens\" of d"),
            ({"datasets": ["d"]}, "datasets is a list, want a mapping"),
            ({"defaults": {"neighborhood": {"kk": 1}}, "datasets": {"d": {"latents": {"z": states()}}}}, "unknown key \"kk\" of neighborhood"),
        ):
            with self.assertRaisesRegex(repscope.UsageError, message):
                repscope.evaluate(suite, progress=False)
        with self.assertRaisesRegex(TypeError, "k of d: a ndarray cannot be written to a configuration"):
            repscope.evaluate({"datasets": {"d": {"only": "manifold", "k": states()}}}, progress=False)


class Crashes(Case):
    """A program that a signal ends is a run that failed, not wrong usage."""

    def test_signal(self) -> None:
        said = _client._Said("manifold", "fatal error: newosproc\n\ngoroutine 1 [running]:\n" + "x\n" * 100, Workspace())
        err = said.error(-signal.SIGABRT)
        self.assertEqual((type(err), err.exit_code), (repscope.RepscopeError, 1))
        self.assertTrue(err.message.startswith("the program ended by SIGABRT\nfatal error: newosproc\n"), err.message)
        self.assertLess(err.message.count("\n"), 20)
        self.assertIn("killed", said.error(-9).message)
        self.assertEqual(type(said.error(2)), repscope.UsageError)


class OddInputs(Case):
    """What a hand slips into: each is told in the words of Python."""

    def refused(self, kind: type, message: str, *inputs: object, **options: object) -> None:
        with self.assertRaisesRegex(kind, message):
            repscope.neighborhood(*inputs, **{"block": 20, "progress": False, "k": 5, **options})

    def test_arrays(self) -> None:
        x, z = states(), {"z": states()[:, :2]}
        with_mask = np.ma.masked_array(x, x > 1)
        self.refused(TypeError, r"frames: a masked array .* frames\.filled\(np\.nan\)", with_mask, z)
        self.refused(TypeError, r"latents z: a masked array", x, {"z": with_mask})
        whole = repscope.manifold({"z": np.ma.masked_array(z["z"])}, block=20, progress=False)
        self.assertEqual(whole.models.z.nominal_dimension, 2)
        self.refused(TypeError, r"frames: elements of text type <U1; give numbers instead", np.full((120, 2), "a"), z)
        self.refused(ValueError, r"^frames: setting an array element", [[1, 2], [3]], z)

    def test_options(self) -> None:
        x, z = states(), {"z": states()[:, :2]}
        self.refused(TypeError, r"^nice: 'low' is not a whole number", x, z, nice="low")
        self.refused(TypeError, r"^k: \(\) contains no number", x, z, k=())
        self.refused(repscope.UsageError, r"^configuration config \(a mapping\), line 1: unknown option", x, z, config={"bloc": 3})
        self.refused(repscope.UsageError, r"is not a name; want a text without zero bytes", x, {"a\0b": z["z"]})
        part = repscope.neighborhood(x, z, block=20, k=5, shard="1/3", progress=False)
        with self.assertRaisesRegex(AttributeError, "no 'models'; want one of \\(no result file\\)"):
            part.models

    def test_what_a_message_names(self) -> None:
        x, z = states(), {"my-net": states()[:, :2]}
        self.refused(TypeError, r"^latents my-net: elements of type object, want numbers; \.astype\(float\)", x, {"my-net": z["my-net"].astype(object)})
        self.refused(repscope.UsageError, r"^k: \"1000000000000000000000000000000\" is too large: want integers from", x, z, k=10**30)
        self.refused(repscope.UsageError, r"^bootstrap: invalid value .* want a whole number below 2\^63", x, z, bootstrap=10**30)
        self.refused(TypeError, r"^out: 3 is not a path", x, z, out=3)
        self.refused(repscope.UsageError, r"is not a name; it contains half a surrogate pair", x, {"a\ud800": z["my-net"]})

    def test_given_as_none(self) -> None:
        result = repscope.manifold({"z": states()}, block=20, progress=None, nice=None, out=None)
        self.assertEqual(result.models.z.nominal_dimension, 6)

    def test_options_of_a_mapping_by_their_names_in_python(self) -> None:
        x = states()
        x[3, 0] = np.nan
        result = repscope.manifold({"my_z": x}, block=20, progress=False, config={"skip_nan": True, "latent_scale": "rms"})
        self.assertEqual(list(result.models), ["my_z"])

    def test_names_in_an_archive(self) -> None:
        x, z = states(), {"z": states()[:, :2]}
        want = repscope.neighborhood(x, z, block=20, k=5, progress=False).json["models"]
        for name in ("file", "f", "args", "a/b", ".npy", "日本"):  # np.savez has file and more for itself
            got = repscope.neighborhood({name: x}, z, block=20, k=5, progress=False)
            self.assertEqual(got.json["models"], want, name)

    def test_more_threads_than_there_can_be(self) -> None:
        want = repscope.manifold({"z": states()}, block=20, progress=False).json["models"]
        self.assertEqual(repscope.manifold({"z": states()}, block=20, progress=False, threads=10**6).json["models"], want)

    def test_equals_signs(self) -> None:
        found = repscope.manifold({"epoch=1-step=100": states(), "b\\=c": states(seed=1)}, block=20, progress=False)
        self.assertEqual(list(found.json["models"]), ["epoch=1-step=100", "b\\=c"])

    def test_a_long_name(self) -> None:
        name = "ü" * 300
        self.assertIn(name, repscope.manifold({name: states()}, block=20, progress=False).models)


class Keywords(unittest.TestCase):
    def check(self, function: str, want: list, **values: object) -> None:
        self.assertEqual(flags(function, **values), want)

    def test_values(self) -> None:
        self.check("neighborhood", ["--k=5,10"], k=(5, 10))
        self.check("neighborhood", ["--k=5,10"], k=np.array([5, 10]))
        self.check("neighborhood", ["--k=0,1,2"], k=range(3))
        self.check("neighborhood", ["--k=5"], k=5)
        self.check("neighborhood", ["--k=5,10"], k="5,10")
        self.check("neighborhood", ["--k=7", "--seed=3"], k=np.int64(7), seed=3.0)
        self.check("neighborhood", [], k=None, frames=None)
        self.check("neighborhood", ["--skip-nan", "--approx=false"], skip_nan=True, approx=np.bool_(False))
        self.check("robustness", ["--levels=0.1,0.25"], levels=[0.1, np.float64(0.25)])
        self.check("neighborhood", ["--block=8", "--pixel-range=0,255"], block=8, pixel_range=(0, 255))
        self.check("neighborhood", ["--shard=1/4"], shard=(1, 4))
        self.check("neighborhood", ["--memory=450MB"], memory="450MB")
        self.check("neighborhood", ["--memory=1000"], memory=1000)
        self.check("neighborhood", ["--format=png,svg"], format=["png", "svg"])

    def test_by_model(self) -> None:
        self.check("neighborhood", ["--resize=32x48"], resize=(32, 48))
        self.check("neighborhood", ["--resize=a=32x48", "--resize=b=8x8"], resize={"a": (32, 48), "b": "8x8"})
        self.check("neighborhood", ["--mean=0.5,0.25"], mean=[0.5, 0.25])
        self.check("neighborhood", ["--window=a=3"], window={"a": 3})
        self.check("neighborhood", ["--baseline=pca:8", "--baseline=random"], baseline=["pca:8", "random"])
        self.check("neighborhood", ["--baseline=pca"], baseline="pca")
        self.check("compare", ["--fail-if-worse=mse>5"], fail_if_worse={"mse": 5})
        self.check("sequence", ["--set=probe.folds=3", "--columns=id=name,heavy=h"], set={"probe.folds": 3}, columns={"id": "name", "heavy": "h"})

    def test_files(self) -> None:
        path = pathlib.Path("a dir") / "zé.npy"
        self.check("neighborhood", [f"--frames={path}"], frames=path)
        self.check("neighborhood", ["--frames=val.npz:frames"], frames=("val.npz", "frames"))
        self.check("neighborhood", [f"--latents=a={path}", "--latents=b=b.npz:z"], latents={"a": path, "b": ("b.npz", "z")})
        self.check("neighborhood", ["--latents=a=b.npy"], latents="a=b.npy")
        self.check("neighborhood", ["--latents=a=b.npy", "--latents=c=d.npy"], latents=["a=b.npy", "c=d.npy"])
        self.check("neighborhood", ["--model=best=runs/best.onnx"], model=pathlib.PurePosixPath("runs/best.onnx"))
        self.check("compare", ["a.json", "T=b.json", "T=c.json"][:1], files="a.json")
        self.check("compare", ["T=b.json", "T=c.json"], files={"T": ["b.json", "c.json"]})

    def test_equals_signs(self) -> None:
        # A mapping has names and values apart; a text is split as on the command line.
        file = "runs/epoch=1-step=100.ckpt"
        self.check("neighborhood", [f"--model=epoch\\=1={file}", f"--model=b={file}"], model={"epoch=1": file, "b": file})
        self.check("neighborhood", [f"--latents=a\\\\b=c={file}"], latents={"a\\b": "c=" + file})
        self.check("neighborhood", [f"--model=epoch\\=1-step\\=100={file}"], model=pathlib.PurePosixPath(file))
        self.check("neighborhood", [f"--model={file}"], model=file)
        self.check("neighborhood", ["--pool=epoch\\=1=mean"], pool={"epoch=1": "mean"})
        self.check("compare", ["lr\\=1=a=b.json"], files={"lr=1": "a=b.json"})
        self.check("compare", ["--names=lr\\=1=one", "a.json"], names={"lr=1": "one"}, files="a.json")
        with tempfile.TemporaryDirectory() as folder:
            here = os.path.join(folder, "epoch=2.npy")
            np.save(here, states())
            self.check("neighborhood", [f"--latents=epoch\\=2={here}"], latents=here)

    def test_arrays_become_files(self) -> None:
        z = states()
        with Workspace() as workspace:
            frames, latents, npz = _client._flags(
                _client._command("neighborhood"), {"frames": z, "latents": {"a/b:c": z[:, :2], "m": {"z": z}}}, workspace
            )
            self.assertTrue(np.array_equal(np.load(frames.partition("=")[2]), z))
            name, _, path = latents[len("--latents=") :].partition("=")
            self.assertEqual(name, "a/b:c")
            self.assertNotIn(":", os.path.basename(path))
            self.assertTrue(np.array_equal(np.load(path), z[:, :2]))
            self.assertTrue(np.array_equal(np.load(npz.rpartition("=")[2])["z"], z))
            self.assertEqual(workspace.save("frames", z) == frames.partition("=")[2], False, "a name is used twice")
        self.assertFalse(os.path.exists(path))

    def test_wrong_values(self) -> None:
        for values in (
            {"k": [1.5]}, {"k": True}, {"seed": "x" and 1.5}, {"seed": (1, 2)}, {"skip_nan": "yes"}, {"config": 3}, {"out": None, "block": object()},
        ):
            with self.assertRaises(TypeError, msg=str(values)):
                flags("neighborhood", **values)
        with self.assertRaises(repscope.UsageError):
            flags("neighborhood", latents={"": states()})
        with self.assertRaises(repscope.UsageError):
            flags("compare", files=["-x.json"])
        with self.assertRaises(TypeError):
            repscope.neighborhood(nothing=3)
        with self.assertRaises(repscope.UsageError):
            repscope.run("nothing")


class Numbers(Case):
    def test_those_of_the_program(self) -> None:
        z = states(150, 8)
        np.save(os.path.join(self.folder, "z.npy"), z)
        out = os.path.join(self.folder, "out")
        subprocess.run(
            [repscope.find_program(), "manifold", "--latents", "a=" + os.path.join(self.folder, "z.npy"), "--out", out, "--quiet"],
            check=True, stderr=subprocess.DEVNULL,
        )
        with open(os.path.join(out, "manifold.json"), encoding="utf-8") as f:
            want = json.load(f)["models"]
        for given in (z, os.path.join(self.folder, "z.npy"), pathlib.Path(self.folder, "z.npy")):
            self.assertEqual(repscope.manifold({"a": given}).models, want)

    def test_trustworthiness_by_its_definition(self) -> None:
        x, z, k = states(60, 5), states(60, 5)[:, :2], 5
        row = repscope.neighborhood(x, {"z": z}, k=k, permutations=0).models.z.by_k[0]
        n = len(x)

        def order(a: np.ndarray) -> np.ndarray:
            a = a.astype(np.float64)
            d = ((a[:, None] - a[None]) ** 2).sum(-1)
            np.fill_diagonal(d, -1)
            return np.argsort(d, axis=1)[:, 1:]

        ranks = np.empty((n, n), int)
        for i, o in enumerate(order(x)):
            ranks[i, o] = np.arange(1, n)
        penalty = sum(max(0, ranks[i, j] - k) for i, o in enumerate(order(z)) for j in o[:k])
        self.assertAlmostEqual(row.trustworthiness, 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * penalty, places=12)

    def test_positions_and_run(self) -> None:
        z = states()
        a = repscope.run("neighborhood", z, {"h": z[:, :3]}, k=5)
        b = repscope.neighborhood(frames=z, latents={"h": z[:, :3]}, k=[5])
        self.assertEqual(a.models, b.models)

    def test_configuration(self) -> None:
        z = states()
        result = repscope.manifold({"a": z}, config={"seed": 7, "manifold": {"neighbors": [8, 12]}})
        self.assertEqual((result.seed, result.options.neighbors), (7, [8, 12]))
        self.assertEqual(repscope.manifold({"a": z}, config={"seed": 7}, seed=8).seed, 8)

    def test_compare_takes_results(self) -> None:
        a = repscope.manifold({"a": states(seed=1)})
        b = repscope.manifold({"b": states(seed=2)})
        table = repscope.compare([a, b])
        self.assertIn("participation_ratio", json.dumps(table.json))

    def test_plan(self) -> None:
        result = repscope.manifold({"a": states()}, dry_run=True)
        self.assertTrue(result.json)
        self.assertEqual(result.files, [])


class Errors(Case):
    def test_messages(self) -> None:
        with self.assertRaises(repscope.UsageError) as caught:
            repscope.neighborhood(states(), {"a": states()}, k=0)
        self.assertEqual((caught.exception.exit_code, caught.exception.message), (2, "k 0: want at least 1"))
        frames = states()
        frames[3, 0] = np.nan
        with self.assertRaises(repscope.RepscopeError) as caught:
            repscope.neighborhood(states(), {"a": frames})
        self.assertEqual(caught.exception.hints, ["drop such states for all models with skip_nan=True"])
        self.assertRegex(caught.exception.message, r"^latents a \(array \[\d+, \d+\], float\d+\): NaN or Inf in 1 of")
        with self.assertRaises(repscope.RepscopeError) as caught:
            repscope.neighborhood(states(10), {"a": states(9)})
        self.assertEqual(caught.exception.exit_code, 1)
        self.assertIn("latents a (array [9, 6], float32) has shape [9 6], but frames (array [10, 6], float32) of", str(caught.exception))
        self.assertNotIn("/dev/shm", str(caught.exception))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.exit_code, str(again)), (1, str(caught.exception)))
        with self.assertRaises(repscope.UsageError) as caught:
            repscope.neighborhood(states(), {"a": states()}, metric="cosin")
        self.assertEqual(caught.exception.hints, ["did you mean cosine?", "help(repscope.neighborhood) lists all keywords"])

    def test_hints_in_the_words_of_python(self) -> None:
        with self.assertRaises(repscope.UsageError) as caught:
            repscope.manifold()
        self.assertIn("latents={NAME: FILE[:key]}", caught.exception.message)
        self.assertEqual(caught.exception.hints, ["or run the built-in example: repscope.manifold(example=True)"])
        with self.assertRaises(repscope.RepscopeError) as caught:
            repscope.manifold({"z": states().reshape(120, 3, 2)})
        self.assertEqual(caught.exception.hints, ["choose with pool={NAME: MODE}"])

    def test_a_failed_run_leaves_nothing(self) -> None:
        out = os.path.join(self.folder, "out")
        with self.assertRaises(repscope.RepscopeError):
            repscope.manifold({"a": os.path.join(self.folder, "none.npy")}, out=out)
        self.assertEqual(os.listdir(out) if os.path.isdir(out) else [], [])

    def test_no_program(self) -> None:
        with environment(REPSCOPE_BIN=os.path.join(self.folder, "none")):
            with self.assertRaisesRegex(repscope.RepscopeError, "REPSCOPE_BIN"):
                repscope.manifold({"a": states()})

    def test_a_program_that_is_none(self) -> None:
        path = os.path.join(self.folder, "repscope")
        with open(path, "w") as f:
            f.write("no program")
        with environment(REPSCOPE_BIN=path):
            with self.assertRaises(repscope.RepscopeError):
                repscope.manifold({"a": states()})

    def test_warnings(self) -> None:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            result = repscope.neighborhood(states(), {"a": states()}, k=5)
        self.assertTrue(result.warnings)
        self.assertEqual([str(w.message) for w in seen if w.category is repscope.RepscopeWarning], result.warnings)
        self.assertEqual({os.path.basename(w.filename) for w in seen}, {"test_calls.py"})


class Files(Case):
    def test_unicode_and_spaces(self) -> None:
        path = os.path.join(self.folder, "große Läufe 日本.npy")
        np.save(path, states())
        out = os.path.join(self.folder, "Ergebnis é")
        result = repscope.manifold({"日本": path}, out=out)
        self.assertEqual(list(result.models), ["日本"])
        self.assertTrue(os.path.isfile(os.path.join(out, "manifold.json")))
        del result
        self.assertTrue(os.path.isfile(os.path.join(out, "manifold.json")), "a folder that was named is removed")

    @unittest.skipIf(os.name == "nt", "Windows has no such locale")
    def test_names_that_the_locale_has_not(self) -> None:
        code = (
            "import sys, numpy as np, repscope\n"
            "z = np.random.default_rng(0).normal(size=(60, 4))\n"
            "result = repscope.manifold({'\\u65e5\\u672c': z}, block=20, progress=False)\n"
            "print(ascii(list(result.models)), sys.getfilesystemencoding())\n"
        )
        values = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=values, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("['\\u65e5\\u672c']", done.stdout)

    def test_a_home_that_cannot_be_written(self) -> None:
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        os.chmod(home, stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(os.chmod, home, 0o700)
        frames = np.random.default_rng(0).integers(0, 256, (60, 8, 8)).astype(np.uint8)
        for value in (home, os.path.join(os.devnull, "none")):
            with environment(HOME=value, XDG_CACHE_HOME=None):
                self.assertEqual(list(repscope.manifold(frames=frames, baseline="pca:4").models), ["pca"])

    def test_temporary_files_go_with_the_result(self) -> None:
        result = repscope.manifold({"a": states()})
        folder = str(result.dir)
        self.assertTrue(os.path.isdir(folder))
        with result:
            pass
        self.assertFalse(os.path.exists(folder))
        result = repscope.manifold({"a": states()})
        folder = str(result.dir)
        del result
        self.assertFalse(until(lambda: os.path.exists(folder)))


class Frames(Case):
    rows = [(model, task, seed, 0.5 + 0.1 * (model == "b") + 0.01 * seed + 0.002 * len(task) * seed) for model in "ab" for task in ("go", "pong") for seed in (1, 2, 3)]
    columns = {"model": "algo", "task": "env", "run": "seed", "score": "return"}

    def compared(self, frame: Any) -> Any:
        return repscope.compare(frame, columns=self.columns, higher="return", format="none", baseline="a")

    def test_pandas(self) -> None:
        if pandas is None:
            self.skipTest("no pandas")
        frame = pandas.DataFrame(self.rows, columns=["algo", "env", "seed", "return"])
        path = os.path.join(self.folder, "long.csv")
        frame.to_csv(path, index=False)
        want = self.compared(path)["table"]
        self.assertEqual(self.compared(frame)["table"], want)
        self.assertEqual(self.compared(frame.set_index(["algo", "env"]))["table"], want)
        wide = frame.groupby(["env", "seed", "algo"])["return"].mean().unstack()
        result = repscope.compare({"games": wide}, higher="score", format="none")
        self.assertEqual(result["tasks"], ["games/go", "games/pong"])
        with self.assertRaisesRegex(TypeError, r"files: the columns of the data frame are \[0, 1\]; want names"):
            repscope.compare(pandas.DataFrame([[1, 2]]))
        with self.assertRaisesRegex(repscope.RepscopeError, r"files \(data frame \[12, 4\]\): columns model=nothing"):
            repscope.compare(frame, columns={"model": "nothing"})

    def test_tables_of_generation(self) -> None:
        """Columns of frames are joined by name, as those of files; arrays would be joined by position."""
        if pandas is None:
            self.skipTest("no pandas")
        r = np.random.default_rng(0)
        real = pandas.DataFrame({"a": r.normal(0, 1, 60), "b": r.normal(50, 1, 60).astype(np.float32), "c": r.random(60) < 0.5})
        other = pandas.DataFrame({"c": r.random(60) < 0.5, "b": r.normal(50, 1, 60).astype(np.float32), "a": r.normal(0, 1, 60)})
        paths = [os.path.join(self.folder, name) for name in ("real.csv", "other.csv")]
        for frame, path in zip((real, other), paths):
            frame.astype({"b": float}).to_csv(path, index=False)

        def scores(generated: Any, real: Any) -> Any:
            return repscope.generation({"g": generated}, real, metrics="similarity", bootstrap=0, format="none").json["models"]

        want = scores(paths[1], paths[0])
        pairs = [(other, real), (other, paths[0])]
        if polars is not None:
            pairs.append((polars.from_pandas(other).lazy(), polars.from_pandas(real)))
        for generated, given in pairs:
            self.assertEqual(scores(generated, given), want)
        plain = real[["a", "b"]].set_axis([0, 1], axis=1)
        self.assertEqual(list(scores(plain, plain)), ["g"])
        with self.assertRaisesRegex(repscope.RepscopeError, r"generated g \(data frame \[60, 3\]\) does not have the same columns as real \(data frame \[60, 3\]\): missing a; extra d"):
            scores(other.rename(columns={"a": "d"}), real)

    def test_columns_in_another_order(self) -> None:
        if pandas is None:
            self.skipTest("no pandas")
        train = pandas.DataFrame(states(40, 3), columns=list("abc"))
        for test in (train[["c", "a", "b"]], train[["a", "b"]]):
            with self.assertRaisesRegex(TypeError, "test: a frame with the columns .*, but train has a, b, c; give the same columns in the same order"):
                repscope.audit(train=train, test=test)
        # models have features of their own
        self.assertTrue(repscope.manifold({"x": train, "y": train[["c", "a", "b"]]}, bootstrap=0, format="none").models)

    def test_what_is_no_table(self) -> None:
        for value, message in (
            (np.zeros((2, 2)), "files: a ndarray is not a path, a result or a data frame"),
            ([1.5], r"files: 1.5 is not a path"),
        ):
            with self.assertRaisesRegex(TypeError, message):
                repscope.compare(value)
        if pandas is None:
            return
        frame = pandas.DataFrame(self.rows, columns=["algo", "env", "seed", "return"])
        for value, message in (
            (frame["return"], "files: a Series is not a path.*such as .reset_index"),
            (frame.groupby("algo"), "files: a DataFrameGroupBy is not a path"),
            (frame.rename_axis("seed"), "files: 'seed' is the name of a column and of the index"),
            (pandas.DataFrame(), "files: a data frame without columns"),
            (frame.pivot_table(index="seed", columns=["env", "algo"], values="return"), "files: the columns of the data frame have 2 levels"),
        ):
            with self.assertRaisesRegex(TypeError, message):
                repscope.compare(value)

    def test_polars(self) -> None:
        if polars is None:
            self.skipTest("no polars")
        frame = polars.DataFrame(self.rows, schema=["algo", "env", "seed", "return"], orient="row")
        path = os.path.join(self.folder, "long.csv")
        frame.write_csv(path)
        want = self.compared(path)["table"]
        self.assertEqual(self.compared(frame)["table"], want)
        self.assertEqual(self.compared(frame.lazy())["table"], want)


class Threads(Case):
    def test_several_at_once(self) -> None:
        z = [states(100 + i, 5, seed=i) for i in range(6)]
        want = [repscope.manifold({"a": v}).models for v in z]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            got = list(pool.map(lambda v: repscope.manifold({"a": v}).models, z))
        self.assertEqual(got, want)

    def test_nice(self) -> None:
        self.assertTrue(repscope.manifold({"a": states()}, nice=10).models)


@unittest.skipIf(os.name == "nt", "by signals of POSIX")
class Interrupts(Case):
    """A run of minutes ends when it is interrupted, and so does what it began."""

    LONG = (
        "import numpy as np, repscope, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background of a shell ignores it
        "z = np.random.default_rng(0).normal(size=(40000, 64)).astype('float32')\n"
        "sys.stderr.write('begin\\n'); sys.stderr.flush()\n"
        "repscope.neighborhood(z, {'a': z[:, :32]}, progress=False)\n"
    )

    def begin(self, code: str) -> subprocess.Popen:
        p = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "TMPDIR": self.folder},
        )
        self.addCleanup(p.stderr.close)
        self.addCleanup(p.stdout.close)
        self.assertEqual(p.stderr.readline(), "begin\n")
        self.assertEqual(until(lambda: not children(p.pid), 60), False, "no program runs")
        return p

    def ended(self, p: subprocess.Popen, program: int) -> None:
        self.assertFalse(until(lambda: alive(program), 30), "the program runs on")
        self.assertEqual(os.listdir(self.folder), [], "files remain")

    def test_the_process_alone(self) -> None:
        p = self.begin(self.LONG)
        program = children(p.pid)[0]
        os.kill(p.pid, signal.SIGINT)
        _, said = p.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", said)
        self.ended(p, program)

    def test_the_group_as_a_terminal_does(self) -> None:
        p = self.begin(self.LONG)
        program = children(p.pid)[0]
        os.killpg(p.pid, signal.SIGINT)
        _, said = p.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", said)
        self.ended(p, program)

    def test_a_killed_process_takes_its_program_along(self) -> None:
        p = self.begin(self.LONG)
        program = children(p.pid)[0]
        p.kill()
        p.communicate(timeout=60)
        self.assertFalse(until(lambda: alive(program), 30), "the program runs on")

    def test_at_any_moment(self) -> None:
        code = (
            "import glob, os, signal, sys, threading, numpy as np, repscope\n"
            "class Interrupt(Exception): pass\n"
            "def interrupt(*_): raise Interrupt\n"
            "signal.signal(signal.SIGALRM, interrupt)\n"
            "threading.excepthook = lambda *_: None\n"
            "z = np.random.default_rng(0).normal(size=(400, 8)).astype('float32')\n"
            "for i in range(120):\n"
            "    try:\n"
            "        signal.setitimer(signal.ITIMER_REAL, 0.0002 * (i + 1))\n"
            "        repscope.manifold({'z': z}, bootstrap=0, format='none', cache='off', progress=False)\n"
            "        signal.setitimer(signal.ITIMER_REAL, 0)\n"
            "    except Interrupt:\n"
            "        pass\n"
            "print('whole', os.getpid())\n"
        )
        values = {**os.environ, "TMPDIR": self.folder}
        # what the interpreter itself says of a thread that was interrupted as it began goes to standard error
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=values, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        process = done.stdout.split()[1]
        self.assertEqual(until(lambda: os.listdir(self.folder)), [], "files remain")
        self.assertEqual(glob.glob(f"/dev/shm/repscope-py-{process}-*/*"), [], "arrays remain")

    def test_the_first_question_for_temporary_files(self) -> None:
        code = (
            "import os, signal, repscope._folders as folders\n"
            "class Interrupt(Exception): pass\n"
            "def interrupt(*_): raise Interrupt\n"
            "signal.signal(signal.SIGALRM, interrupt)\n"
            "plain = os.open\n"
            "def opened(*args, **options):\n"
            "    file = plain(*args, **options)\n"
            "    os.kill(os.getpid(), signal.SIGALRM)\n"
            "    return file\n"
            "os.open = opened\n"
            "try:\n"
            "    folders.temporary()\n"
            "    print('not interrupted')\n"
            "except Interrupt:\n"
            "    print('interrupted')\n"
        )
        line = [sys.executable, "-W", "ignore", "-c", code]
        values = {**os.environ, "TMPDIR": self.folder}
        # several at once, as the thread that asks is still at work at the interrupt on a busy machine
        for p in [subprocess.Popen(line, env=values, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]:
            out, said = p.communicate()
            self.assertEqual((p.returncode, out), (0, "interrupted\n"), said)
        self.assertEqual(os.listdir(self.folder), [], "files remain")

    def test_an_error_of_progress_ends_the_run(self) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError

        z = states(6000, 32)
        with self.assertRaises(ZeroDivisionError):
            repscope.neighborhood(z, {"a": z[:, :8]}, progress=fail)

    def test_a_program_that_does_not_listen_is_killed(self) -> None:
        path = os.path.join(self.folder, "repscope")
        with open(path, "w") as f:
            f.write("#!/bin/sh\ntrap '' INT TERM\nprintf '\\036{\"task\":\"t\",\"done\":1,\"total\":2}\\n' >&2\nwhile :; do sleep 1; done\n")
        os.chmod(path, 0o755)

        def fail(*_: object) -> None:
            raise ZeroDivisionError

        with environment(REPSCOPE_BIN=path), mock.patch.object(_client, "_PATIENCE", (0.2, 0.2, 2)):
            with self.assertRaises(ZeroDivisionError):
                repscope.manifold({"a": states()}, progress=fail)


def children(pid: int) -> list:
    out = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat=,comm="], stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split(None, 3) for line in out.splitlines()]
    return [int(r[0]) for r in rows if int(r[1]) == pid and not r[2].startswith("Z") and r[3].startswith("repscope")]


def alive(pid: int) -> bool:
    out = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], stdout=subprocess.PIPE, text=True).stdout.strip()
    return bool(out) and not out.startswith("Z")


if __name__ == "__main__":
    unittest.main()
