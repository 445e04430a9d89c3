"""Arrays of xarray by the names of their axes, and fields with their coordinates."""

from __future__ import annotations

import inspect
import os
import unittest
from typing import Any

import numpy as np

import repscope
from repscope import _labeled
from repscope._arrays import as_array

from .support import Case, states

try:
    import pandas as pd
    import xarray as xr
except ImportError:
    xr = None

TIMES, LEADS, MEMBERS, ROWS, COLUMNS = 12, 3, 4, 6, 8


def crps(forecast: np.ndarray, truth: np.ndarray, latitudes: np.ndarray) -> float:
    """The fair CRPS of members [S,H,W] by its definition, with cells weighted by the cosine of their latitude."""
    members = len(forecast)
    spread = sum(np.abs(a - b) for a in forecast for b in forecast) / (members * (members - 1))
    weights = np.cos(np.radians(latitudes))[:, None] * np.ones(truth.shape)
    return float(np.average(np.abs(forecast - truth).mean(0) - spread / 2, weights=weights))


@unittest.skipIf(xr is None, "xarray is not installed")
class Order(Case):
    def test_values(self) -> None:
        x = np.arange(120).reshape(5, 2, 3, 4)
        for names in (("sample", "channel", "lat", "lon"), ("time", "member", "latitude", "longitude"), ("sample", "time", "y", "x"), ("time", "level", "lat", "feature")):
            labeled = xr.DataArray(x, dims=names)
            for order in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
                got = as_array(labeled.transpose(*(names[i] for i in order)), "frames")
                self.assertEqual(got.tolist(), x.tolist(), (names, order))
        # of one axis, and without names, nothing is to be found
        self.assertEqual(as_array(xr.DataArray(x[:, 0, 0, 0], dims="anything")).tolist(), x[:, 0, 0, 0].tolist())
        self.assertEqual(as_array(xr.DataArray(x)).tolist(), x.tolist())

    def test_wrong(self) -> None:
        x = xr.DataArray(np.zeros((4, 5, 6)), dims=("time", "lat", "lon"))
        for value, what, message in (
            (x.rename(time="run"), "frames", r"frames: axes \(run, lat, lon\), 'run' is unknown; want sample or time first.*rename"),
            (x.rename(time="level"), "latents a", r"latents a: axes \(level, lat, lon\) without an axis of samples; want sample or time first"),
            (x.rename(lon="y"), "frames", "the axes lat and y both look like the lat"),
            (x.rename(lon="feature"), "target", r"target: axes \(time, lat, feature\), want sample or time, level, lat, lon; feature is another axis"),
            (x.rename(lat="lead", lon="lat"), "target", "several axes of times need coordinates"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                as_array(value, what)
        with self.assertRaisesRegex(TypeError, r"target: a Dataset of 2 variables \(a, b\), want one DataArray; name one, as dataset\['a'\]"):
            repscope.forecast(xr.Dataset({"a": x, "b": x}), {"m": x}, progress=False)

    def test_analyses(self) -> None:
        """neighborhood, similarity and generation have the numbers of arrays in the right order."""
        rng = np.random.default_rng(0)
        frames = xr.DataArray(rng.normal(size=(60, 3, 4, 5)), dims=("time", "channel", "lat", "lon"))
        a = xr.DataArray(states(60, 6), dims=("sample", "feature"))
        b = xr.DataArray(states(60, 4, seed=1), dims=("sample", "feature"))
        options: Any = {"k": 5, "progress": False, "format": "none"}
        got = repscope.neighborhood(frames.transpose("lon", "lat", "channel", "time"), {"a": a.T}, **options)
        self.assertEqual(got.json["models"], repscope.neighborhood(frames.values, {"a": a.values}, **options).json["models"])
        options["permutations"] = 20
        got = repscope.similarity({"a": a.T, "b": b.T}, **options)
        self.assertEqual(got.json["pairs"], repscope.similarity({"a": a.values, "b": b.values}, **options).json["pairs"])
        grids = xr.DataArray((rng.normal(size=(40, 1, 5, 4)) > 0).astype(np.uint8), dims=("sample", "channel", "y", "x"))
        got = repscope.generation({"m": grids[:20].transpose("x", "sample", "channel", "y")}, grids[20:].transpose("y", "x", "sample", "channel"), progress=False)
        self.assertEqual(got.json["models"], repscope.generation({"m": grids[:20].values}, grids[20:].values, progress=False).json["models"])


@unittest.skipIf(xr is None, "xarray is not installed")
class Fields(Case):
    def setUp(self) -> None:
        super().setUp()
        rng = np.random.default_rng(0)
        times = pd.date_range("2020-01-01", periods=TIMES + LEADS - 1, freq="6h")
        self.latitudes, longitudes = np.linspace(75, -60, ROWS), np.arange(COLUMNS) * 45.0
        grid = {"lat": self.latitudes, "lon": longitudes}
        self.target = xr.DataArray(rng.normal(size=(len(times), ROWS, COLUMNS)), dims=("time", "lat", "lon"), coords={"time": times, **grid}, name="t2m")
        leads = pd.to_timedelta(6 * np.arange(LEADS), unit="h")
        self.forecast = xr.DataArray(
            rng.normal(size=(TIMES, LEADS, MEMBERS, ROWS, COLUMNS)), dims=("time", "step", "number", "lat", "lon"), coords={"time": times[:TIMES], "step": leads, **grid}
        )

    def score(self, target: Any, forecast: Any, **options: Any) -> Any:
        return repscope.forecast(target, {"m": forecast}, metrics="crps", progress=False, format="none", **options)

    def want(self, leads: range = range(LEADS)) -> float:
        y, x = self.target.values, self.forecast.values
        return float(np.mean([crps(x[t, i], y[t + i], self.latitudes) for t in range(TIMES) for i in leads]))

    def test_aligned(self) -> None:
        """Times, leads and latitudes are those of the coordinates, whatever the order of the axes."""
        got = self.score(self.target, self.forecast)
        self.assertAlmostEqual(got.models.m.crps, self.want(), 12)
        self.assertEqual([row.lead for row in got.models.m.by_lead], [0, 6, 12])
        for i, row in enumerate(got.models.m.by_lead):
            self.assertAlmostEqual(row.crps, self.want(range(i, i + 1)), 12)
        self.assertEqual(got.json["inputs"][0]["path"], f"target (DataArray [{TIMES + LEADS - 1}, {ROWS}, {COLUMNS}], float64)")
        again = self.score(self.target.transpose("lon", "time", "lat"), self.forecast.transpose("lon", "number", "lat", "time", "step"))
        self.assertEqual(again.json["models"], got.json["models"])
        reversed_rows = self.score(self.target[5:], self.forecast[:, :, :, ::-1, ::-1])
        self.assertEqual(reversed_rows.models.m.samples, (TIMES - 5) * LEADS)
        other = self.forecast.assign_coords(lat=self.latitudes + 1)
        with self.assertRaisesRegex(repscope.RepscopeError, "latitude"):
            self.score(self.target, other)

    def test_files_are_aligned_too(self) -> None:
        """A path of NetCDF or Zarr gives the numbers of the DataArray in it."""
        try:
            import zarr  # noqa: F401
        except ImportError:
            self.skipTest("zarr, with which xarray writes, is not installed")
        paths = []
        for name, field in (("target", self.target), ("forecast", self.forecast)):
            paths.append(os.path.join(self.folder, name + ".zarr"))
            dataset = field.to_dataset(name="t2m")
            version = "zarr_format" if "zarr_format" in inspect.signature(dataset.to_zarr).parameters else "zarr_version"  # of old releases of xarray
            dataset.to_zarr(paths[-1], **{version: 2})
        got = self.score(f"{paths[0]}:t2m", (paths[1], "t2m"))
        self.assertEqual(got.json["models"], self.score(self.target, self.forecast).json["models"])

    def test_by_position(self) -> None:
        """Without times, fields are taken by position; latitudes, leads and initial times come from coordinates where there are any."""
        y, x = self.target[:TIMES].drop_vars("time"), self.forecast[:, 0].drop_vars(["time", "step"])
        got = self.score(y.transpose("lon", "lat", "time"), x.transpose("number", "lat", "time", "lon"))
        self.assertIn("lat: from the coordinates of the DataArrays", got.notes)
        self.assertAlmostEqual(got.models.m.crps, self.want(range(1)), 12)
        flat = self.score(y, x, lat=np.zeros(ROWS))
        self.assertEqual(flat.models.m.crps, self.score(y.values, x.values).models.m.crps)
        samples = self.target[:TIMES].rename(time="sample").drop_vars("sample")
        leads, init = pd.to_timedelta([6, 12] * (TIMES // 2), unit="h"), np.repeat(self.target.time.values[: TIMES // 2], 2)
        samples = samples.assign_coords(lead_time=("sample", leads), init_time=("sample", init))
        got = self.score(samples, x.rename(time="sample"))
        self.assertEqual([row.lead for row in got.models.m.by_lead], [6, 12])

    def test_variables(self) -> None:
        y = xr.Dataset({"t2m": self.target, "msl": 2 * self.target}).to_array("variable")
        x = xr.concat([self.forecast, 2 * self.forecast], dim=xr.Variable("variable", ["t2m", "msl"]))
        got = self.score(y, x)
        self.assertEqual(list(got.models.m.by_variable), ["t2m", "msl"])
        self.assertAlmostEqual(got.models.m.by_variable.msl.crps, 2 * self.want(), 12)

    def test_in_a_suite(self) -> None:
        section = {"target": self.target, "forecast": {"m": self.forecast}, "metrics": "crps"}
        suite = {"out": os.path.join(self.folder, "study"), "analyses": ["forecast"], "datasets": {"d": {"forecast": section}}}
        study = repscope.evaluate(suite, progress=False)
        self.assertEqual([t["state"] for t in study.json["tasks"]], ["done"])
        with open(os.path.join(self.folder, "study", "d", "forecast", "forecast.json"), encoding="utf-8") as f:
            self.assertIn(repr(self.score(self.target, self.forecast).models.m.crps), f.read())
        # the same fields are the same files
        self.assertIn("d/forecast: unchanged", repscope.evaluate(suite, progress=False).notes)
        with self.assertRaisesRegex(repscope.UsageError, "d, forecast: 'm' is no option of forecast"):
            repscope.evaluate({"datasets": {"d": {"target": self.target, "forecast": {"m": self.forecast}}}}, progress=False)

    def test_chunks(self) -> None:
        """Fields that are written in several chunks are the same fields."""
        want = self.score(self.target, self.forecast).json["models"]
        step, _labeled._CHUNK = _labeled._CHUNK, 5 * ROWS * COLUMNS * 8
        self.addCleanup(setattr, _labeled, "_CHUNK", step)
        self.assertEqual(self.score(self.target, self.forecast).json["models"], want)


if __name__ == "__main__":
    unittest.main()
