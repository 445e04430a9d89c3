"""What a result has, and how it is shown."""

from __future__ import annotations

import base64
import copy
import io
import os
import pickle
import unittest
import warnings
from unittest import mock

import numpy as np

import repscope
from repscope import _progress

from .support import Case, states

try:
    import pandas
except ImportError:
    pandas = None


class Closed(Case):
    def test_files_that_are_gone(self) -> None:
        with repscope.manifold({"z": states()}, block=10, progress=False) as result:
            pass
        for use in (result.figure, result.table, lambda: result.save(self.folder), lambda: result.path):
            with self.assertRaisesRegex(FileNotFoundError, "^the files of this result of manifold no longer exist: it was closed"):
                use()
        self.assertEqual(os.listdir(self.folder), [])
        self.assertTrue(result.models.z.nominal_dimension and result.text)


class Unmeasured(Case):
    def test_a_model_of_nan_beside_others(self) -> None:
        z = states()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = repscope.manifold({"z": z}, block=10, progress=False)
        with self.assertWarnsRegex(repscope.RepscopeWarning, r"^model bad is not measured: latents bad \(array \["):
            both = repscope.manifold({"z": z, "bad": np.full_like(z, np.nan)}, block=10, progress=False)
        self.assertEqual(both.models.z, alone.models.z)
        self.assertIs(both.models.bad.skipped, True)
        self.assertRegex(both.models.bad.reason, r"^latents bad \(array \[\d+, \d+\], float\d\d\): NaN or Inf in \d+ of \d+ rows")
        self.assertTrue(any(w.startswith("model bad is not measured") and ".npy" not in w for w in both.warnings))
        self.assertIn("bad", both.table("dimension_summary")["Model"])


class Results(Case):
    @classmethod
    def setUpClass(cls) -> None:
        z = states(150, 6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cls.result = repscope.neighborhood(z, {"half": z[:, :3], "all": z}, k=(5, 10), format=("png", "svg", "pdf"))

    @classmethod
    def tearDownClass(cls) -> None:
        del cls.result

    def test_numbers(self) -> None:
        r = self.result
        self.assertEqual(r.analysis, "neighborhood")
        self.assertEqual(r["models"], r.json["models"])
        self.assertEqual([row.k for row in r.models.half.by_k], [5, 10])
        self.assertEqual(r.get("models.half.by_k.1.k"), 10)
        self.assertEqual(r.get("models.half.by_k.-1.k"), 10)
        self.assertIsNone(r.get("models.none.by_k"))
        self.assertEqual(r.get("models.half.by_k.7", 3), 3)
        self.assertIn("models", r)
        self.assertEqual(list(r), list(r.json))
        self.assertIn("half", dir(r.models))
        with self.assertRaisesRegex(AttributeError, "half, all"):
            r.models.none
        with self.assertRaisesRegex(AttributeError, "models"):
            r.none
        self.assertEqual([e.path for e in r.inputs][0], "frames (array [150, 6], float32)")

    def test_text_names_arrays_as_messages_do(self) -> None:
        x = states()
        episodes = np.repeat([0, 1], 60)
        result = repscope.neighborhood(x, {"my-net": x[:, :2]}, episodes=episodes, k=5, progress=False)
        self.assertIn("frames (array [120, 6], float32)", result.text)
        self.assertIn(f"episodes (array [120], {episodes.dtype})", result.text)
        self.assertNotRegex(result.text, r"frames:? frames|episodes:? episodes|latents-|repscope-py")

    def test_tables(self) -> None:
        r = self.result
        self.assertEqual(r.tables[0], "metrics")
        t = r.table()
        at = (t["Model"] == "half") & (t["Metric"] == "by_k.trustworthiness") & (t["Parameter"] == "k=5")
        self.assertEqual(t["Estimate"][at].tolist(), [r.models.half.by_k[0].trustworthiness])
        self.assertEqual(r.table("neighborhood_metrics.csv").keys(), t.keys())
        with self.assertRaisesRegex(KeyError, "comparisons"):
            r.table("none")

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self) -> None:
        frame = self.result.to_frame()
        self.assertEqual(frame.Estimate.tolist(), self.result.table()["Estimate"].tolist())
        self.assertEqual(frame.dtypes["Estimate"], np.float64)
        self.assertGreater(len(self.result.to_frame("comparisons")), 0)

    @unittest.skipUnless(pandas is None, "pandas is installed")
    def test_without_pandas(self) -> None:
        with self.assertRaisesRegex(ImportError, "pandas"):
            self.result.to_frame()

    def test_figures(self) -> None:
        r = self.result
        self.assertEqual(r.figures, ["preservation", "rnx_curves"])
        bundle, metadata = r.figure()._repr_mimebundle_()
        self.assertEqual(base64.b64decode(bundle["image/png"])[:8], b"\x89PNG\r\n\x1a\n")
        self.assertLessEqual(metadata["image/png"]["width"], 1000)
        bundle, _ = r.figure("rnx_curves", "svg")._repr_mimebundle_()
        self.assertIn("<svg", bundle["image/svg+xml"])
        saved = r.figure(format="pdf").save(self.folder)
        self.assertEqual(saved.read_bytes()[:5], b"%PDF-")
        with self.assertRaisesRegex(ValueError, "png"):
            r.figure().save(os.path.join(self.folder, "x.svg"))
        with self.assertRaises(LookupError):
            r.figure(format="tif")
        with self.assertRaises(KeyError):
            r.figure("none")

    def test_shown(self) -> None:
        r = self.result
        self.assertEqual(repr(r)[:34], "<repscope neighborhood: half, all;")
        self.assertIn("Trustworthiness", str(r))
        self.assertNotIn("/dev/shm", str(r))
        page = r._repr_html_()
        self.assertIn("Trustworthiness", page)
        self.assertIn('src="data:image/png;base64,', page)
        with mock.patch.object(r, "text", "<script>"), mock.patch.object(r, "warnings", ["a < b"]):
            self.assertNotIn("<script>", r._repr_html_())
            self.assertIn("a &lt; b", r._repr_html_())

    def test_saved(self) -> None:
        r = self.result
        to = r.save(os.path.join(self.folder, "a", "b"))
        self.assertEqual(sorted(p.name for p in to.iterdir()), sorted(p.name for p in r.files))

    def test_pickled(self) -> None:
        again = pickle.loads(pickle.dumps(self.result))
        self.assertEqual(again.json, self.result.json)
        self.assertNotEqual(again.dir, self.result.dir)
        self.assertEqual(again.figure().data, self.result.figure().data)
        self.assertEqual(copy.deepcopy(self.result).models.half.by_k, self.result.models.half.by_k)

    def test_encode(self) -> None:
        frames = np.random.default_rng(0).integers(0, 256, (40, 8, 8)).astype(np.uint8)
        result = repscope.encode(frames=frames, baseline="pca:4")
        self.assertEqual(result.array("pca").shape, (40, 4))
        with self.assertRaises(LookupError):
            result.figure()


class Bars(Case):
    def event(self, done: int, total: int = 200, task: str = "distances") -> dict:
        return {"task": task, "unit": "rows", "done": done, "total": total}

    def test_line(self) -> None:
        bar = _progress._Bar("manifold", io.StringIO())
        line = bar.line(self.event(50), 10.0, 0, 80)
        self.assertEqual(line, "manifold: distances:  25%|████▊              | 50/200 [00:10<00:30, 5.0 rows/s]")
        for columns in range(5, 120):
            self.assertLess(len(bar.line(self.event(50), 10.0, 0, columns)), columns)
        self.assertIn("2.0 s/rows", bar.line(self.event(5), 10.0, 0, 100))
        self.assertIn("? rows/s", bar.line(self.event(0), 10.0, 0, 100))
        self.assertIn("1:00:00", bar.line(self.event(1), 3600.0, 0, 100))

    def test_drawn_and_erased(self) -> None:
        out = io.StringIO()
        bar = _progress._Bar("manifold", out)
        bar.event(self.event(1))
        self.assertIn("1/200", out.getvalue())
        bar.event(self.event(200))
        self.assertTrue(out.getvalue().endswith(" \r"))

    def test_terminal_of_few_characters(self) -> None:
        raw = io.BytesIO()
        bar = _progress._Bar("manifold", io.TextIOWrapper(raw, encoding="ascii", write_through=True))
        bar.event(self.event(100))
        self.assertIn(b"50%|####", raw.getvalue())

    def test_function(self) -> None:
        seen = []
        z = states(300, 8)
        repscope.neighborhood(z, {"a": z[:, :2]}, k=5, progress=lambda *a: seen.append(a)).close()
        for task, done, total in seen:
            self.assertTrue(task and 0 <= done <= total)
        self.assertTrue(seen)

    def test_nobody_looks(self) -> None:
        self.assertIs(type(_progress.progress_of(False, "x")), _progress.Progress)
        with mock.patch("sys.stderr", io.StringIO()):
            self.assertIs(type(_progress.progress_of(None, "x")), _progress.Progress)
            self.assertIs(type(_progress.progress_of(True, "x")), _progress._Bar)


if __name__ == "__main__":
    unittest.main()
