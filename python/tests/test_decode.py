"""Values of NetCDF and Zarr files as xarray decodes them, and times and texts of NumPy and pandas."""

from __future__ import annotations

import itertools
import os
import unittest
import warnings
from typing import Any, Dict, Iterator, Tuple

import numpy as np

import repscope
from repscope import _arrays, _decode, _readers

from .support import Case

try:
    import h5py
except ImportError:
    h5py = None
try:
    import zarr
except ImportError:
    zarr = None
try:
    import xarray
except ImportError:
    xarray = None
try:
    import netCDF4
except ImportError:
    netCDF4 = None
try:
    import pandas
except ImportError:
    pandas = None


def read(spec: Any) -> np.ndarray:
    stream = _readers.resolve("x", spec)
    try:
        out = np.concatenate(list(stream.chunks()))
    finally:
        stream.close()
    assert out.dtype == stream.dtype
    return out


class Attributes:
    """An array with attributes, as h5py has them."""

    def __init__(self, values: Any, **attrs: Any) -> None:
        self.values = np.asarray(values)
        self.shape, self.dtype, self.attrs = self.values.shape, self.values.dtype, attrs

    def __getitem__(self, rows: Any) -> np.ndarray:
        return self.values[rows]


class ByHand(unittest.TestCase):
    """Without any library: the rules of the conventions CF, by numbers that are computed here."""

    def equal(self, source: Attributes, want: Any, dtype: str) -> None:
        found = _decode.decoder(source)
        self.assertIsNotNone(found)
        got = found.decode(source.values)
        self.assertEqual((got.dtype, found.dtype), (np.dtype(dtype), np.dtype(dtype)))
        np.testing.assert_array_equal(got, np.asarray(want, dtype))

    def test_numbers(self) -> None:
        nan = np.nan
        packed = np.array([[0, 100], [-32768, 7]], np.int16)
        self.equal(
            Attributes(
                packed,
                scale_factor=np.array([0.01]),
                add_offset=np.array([273.0]),
                _FillValue=np.array([-32768], np.int16),
            ),
            [[273, 274], [nan, 7 * 0.01 + 273]],
            "f8",
        )
        self.equal(Attributes(packed, scale_factor=np.float32(0.5)), [[0, 50], [-16384, 3.5]], "f4")
        self.equal(Attributes(packed, missing_value=np.array([7, 100], np.int16)), [[0, nan], [-32768, nan]], "f4")
        self.equal(Attributes(np.array([1, 2], np.int32), _FillValue=np.int32(2)), [1, nan], "f8")
        self.equal(
            Attributes(np.array([1, -1], np.int8), _Unsigned=b"true", scale_factor=2.0, _FillValue=np.int8(-1)),
            [2, nan],
            "f8",
        )
        self.equal(Attributes(np.array([1, -1], np.int8), _Unsigned="true"), [1, 255], "u1")
        self.equal(
            Attributes(np.array([9.969209968386869e36, 1], ">f4"), _FillValue=np.float32(9.969209968386869e36)),
            [nan, 1],
            "f4",
        )
        for plain in (
            Attributes(packed),
            Attributes(packed, units="K"),
            Attributes(np.array([1.5, nan]), _FillValue=nan),
            Attributes(np.array([b"a"]), _FillValue=b""),
        ):
            self.assertIsNone(_decode.decoder(plain))
        with self.assertRaisesRegex(TypeError, "scale_factor or add_offset of 'x', want a number"):
            _decode.decoder(Attributes(packed, scale_factor="x"))

    def test_times(self) -> None:
        def times(*of: str) -> np.ndarray:
            return np.array(of, "M8[ns]")

        self.equal(
            Attributes(np.array([0, 24], np.int32), units=b"hours since 1900-01-01 00:00:00.0"),
            times("1900-01-01", "1900-01-02"),
            "M8[ns]",
        )
        self.equal(
            Attributes([0.5, np.nan], units="days since 2020-2-3", calendar="standard"),
            times("2020-02-03T12", "NaT"),
            "M8[ns]",
        )
        self.equal(
            Attributes(np.array([3, -9]), units="seconds since 1970-01-01T00:00:00Z", _FillValue=-9),
            times("1970-01-01T00:00:03", "NaT"),
            "M8[ns]",
        )
        self.equal(
            Attributes([60], units="minutes since 2000-01-01 12:30:00 -06:00"), times("2000-01-01T19:30"), "M8[ns]"
        )
        self.equal(Attributes([6, 24], units="hours", dtype="timedelta64[ns]"), np.array([6, 24], "m8[h]"), "m8[ns]")
        for counts in (
            Attributes([1], units="days since 2001-01-01", calendar="noleap"),
            Attributes([1], units="months since 2001-01-01"),
            Attributes([1], units="hours"),
        ):
            self.assertIsNone(_decode.decoder(counts))
        far = _decode.decoder(Attributes([10**6], units="days since 1970-01-01"))
        with self.assertRaisesRegex(ValueError, "outside the years 1678 to 2262"):
            far.decode(np.array([10**6]))


@unittest.skipIf(
    xarray is None or h5py is None or zarr is None or netCDF4 is None, "no xarray with h5py, netCDF4 and zarr"
)
class LikeXarray(Case):
    """Files that xarray or netCDF4 write are read with the values that xarray reads."""

    def setUp(self) -> None:
        super().setUp()
        warnings.simplefilter("ignore")

    def files(self, stored: np.ndarray, attributes: Dict[str, Any]) -> Iterator[str]:
        path = os.path.join(self.folder, "a.nc")
        with netCDF4.Dataset(path, "w") as f:
            for name, size in zip("ab", stored.shape):
                f.createDimension(name, size)
            v = f.createVariable(
                "v", stored.dtype, tuple("ab"[: stored.ndim]), fill_value=attributes.get("_FillValue")
            )
            v.set_auto_maskandscale(False)
            v.setncatts({k: value for k, value in attributes.items() if k != "_FillValue"})
            v[:] = stored
        yield path
        for version in (2, 3):
            path = os.path.join(self.folder, f"a{version}.zarr")
            raw = xarray.Dataset({"v": (tuple("ab"[: stored.ndim]), stored, attributes)})
            raw.to_zarr(path, zarr_format=version, mode="w")
            yield path

    def check(self, stored: np.ndarray, attributes: Dict[str, Any]) -> None:
        for path in self.files(stored, attributes):
            with xarray.open_dataset(path, engine="zarr" if path.endswith("zarr") else "netcdf4") as f:
                want = f["v"].values
            got = read(path + ":v")
            with self.subTest(path=path, attributes=attributes, stored=stored.dtype):
                if want.dtype.kind in "mM":
                    np.testing.assert_array_equal(got, want.astype(got.dtype))
                else:
                    np.testing.assert_allclose(got, want, rtol=2e-7, equal_nan=True)

    def test_packed(self) -> None:
        r = np.random.default_rng(1)
        for dtype, scale, offset, fill in itertools.product(
            ("i1", "u1", "i2", "i4", "f4"), (None, np.float32(0.01), 0.01), (None, 273.15), (None, 100)
        ):
            stored = r.integers(0, 100, (4, 3)).astype(dtype)
            attributes: Dict[str, Any] = {
                k: v for k, v in (("scale_factor", scale), ("add_offset", offset)) if v is not None
            }
            if fill is not None:
                stored[1, 1] = fill
                attributes["_FillValue"] = np.dtype(dtype).type(fill)
            self.check(stored, attributes)

    def test_unsigned_and_times(self) -> None:
        self.check(
            np.arange(-3, 9, dtype="i1").reshape(4, 3),
            {"_Unsigned": "true", "_FillValue": np.int8(-1), "scale_factor": 0.5},
        )
        for units in (
            "hours since 1900-01-01 00:00:00.0",
            "days since 2020-2-3",
            "minutes since 2000-01-01 12:30:00 -06:00",
        ):
            self.check(np.arange(12, dtype="i4").reshape(4, 3), {"units": units})
            self.check(np.arange(12).reshape(4, 3) / 2, {"units": units})

    def test_written_by_xarray(self) -> None:
        """A truth of 273 ± 10 K and a forecast 1 K above it, packed into int16: the bias is 1."""
        r = np.random.default_rng(0)
        axes = ("time", "lat", "lon")
        truth = xarray.DataArray(
            273 + 10 * r.normal(size=(12, 4, 5)),
            dims=axes,
            coords={"time": np.datetime64("2020-01-01", "ns") + np.arange(12) * np.timedelta64(12, "h")},
        )
        lead = ("time", np.tile(np.array([6, 24], "m8[h]").astype("m8[ns]"), 6))
        day = (
            "time",
            np.repeat(np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-07")), 2).astype("M8[ns]"),
        )
        data = xarray.Dataset({"t2m": truth, "forecast": truth + 1, "lead": lead, "day": day})
        packed = {"dtype": "int16", "_FillValue": -32768, "scale_factor": 0.002}
        encoding = {"t2m": {**packed, "add_offset": 273.0}, "forecast": {**packed, "add_offset": 250.0}}
        paths = [os.path.join(self.folder, name) for name in ("t.nc", "t2.zarr", "t3.zarr")]
        data.to_netcdf(paths[0], encoding=encoding)
        data.to_zarr(paths[1], zarr_format=2, encoding=encoding)
        data.to_zarr(paths[2], zarr_format=3, encoding=encoding)
        for path in paths:
            result = repscope.forecast(
                target=path + ":t2m",
                forecast={"f": path + ":forecast"},
                leads=path + ":lead",
                groups=path + ":day",
                metrics="errors",
                bootstrap=0,
                format="none",
            )
            f = result.models.f
            self.assertAlmostEqual(f.bias, 1, places=2)
            self.assertEqual([row.lead for row in f.by_lead], [6, 24])
        with _arrays.Workspace() as workspace:
            _readers.resolve("x", paths[0] + ":t2m").save("x", workspace)
            self.assertIn("decoded by scale_factor, add_offset, _FillValue", workspace.notes[0])
        # raw values in memory, as of mask_and_scale=False
        raw = xarray.open_dataset(paths[0], mask_and_scale=False)
        self.assertEqual(raw.t2m.dtype, np.int16)
        np.testing.assert_allclose(_arrays.as_array(raw.t2m, "z"), truth.values, atol=0.002)
        raw.close()
        with h5py.File(paths[0], "r") as f:
            np.testing.assert_allclose(_values(f["t2m"]), truth.values, atol=0.002)
        alone = os.path.join(self.folder, "alone.nc")
        data[["t2m"]].to_netcdf(alone, encoding={"t2m": encoding["t2m"]})
        np.testing.assert_allclose(read(alone), truth.values, atol=0.002)  # the time is an axis


def _values(source: Any) -> np.ndarray:
    return np.concatenate(list(_readers.resolve("x", source).chunks()))


@unittest.skipIf(zarr is None, "no zarr")
class PlainZarr(Case):
    def test_zeros_are_kept(self) -> None:
        """The fill value of chunks that are not there is no missing value, but in files of xarray."""
        path = os.path.join(self.folder, "a.zarr")
        if zarr.__version__.startswith("2."):  # what Python 3.9 has
            zarr.open_group(path, mode="w").create_dataset("z", shape=(3,), dtype="u1", fill_value=0)[:] = [0, 1, 0]
        else:
            group = zarr.open_group(path, mode="w", zarr_format=2)
            group.create_array("z", shape=(3,), dtype="u1", fill_value=0)[:] = [0, 1, 0]
        np.testing.assert_array_equal(read(path), np.array([0, 1, 0], np.uint8))


class Arrays(Case):
    def test_times_and_texts(self) -> None:
        times = np.array(["2020-01-01", "2020-01-02"], "M8[ns]")
        self.assertIs(_arrays.as_array(times), times)
        self.assertEqual(_arrays.as_array(np.array(["a", "bc"], object)).dtype, np.dtype("U2"))
        with self.assertRaisesRegex(TypeError, "want numbers; .astype"):
            _arrays.as_array(np.array([1, 2.5], object))
        with self.assertRaisesRegex(TypeError, "array: element 0 is 1 among texts, want texts only, or numbers only"):
            _arrays.as_array(np.array([1, "a"], object))
        with self.assertRaisesRegex(TypeError, "array: element 1 is None among texts"):
            _arrays.as_array(np.array(["a", None], object))
        with self.assertRaisesRegex(TypeError, "array: records with the fields 'x', 'y', want numbers"):
            _arrays.as_array(np.zeros(3, [("x", "f4"), ("y", "i2")]))
        r = np.random.default_rng(0)
        truth = r.normal(size=(12, 3, 4))
        members = truth[:, None] + 1
        days = np.repeat(np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-07")), 2)
        want = None
        for groups in (
            days,
            days.astype("M8[ns]"),
            days.astype(str),
            days.astype(str).astype(object),
            np.repeat(np.arange(6), 2),
        ):
            for leads in (np.tile([6, 24], 6), np.tile(np.array([6, 24], "m8[h]"), 6).astype("m8[ns]")):
                result = repscope.forecast(
                    target=truth, forecast={"f": members}, leads=leads, groups=groups, metrics="mae", format="none"
                )
                got = [(row.lead, row.mae, row.mae_ci) for row in result.models.f.by_lead], result.models.f.mae_ci
                want = want or got
                self.assertEqual(got, want)
        with self.assertRaisesRegex(repscope.RepscopeError, "times are not supported here"):
            repscope.forecast(target=times.reshape(2, 1, 1), forecast={"f": members})

    @unittest.skipIf(pandas is None, "no pandas")
    def test_pandas(self) -> None:
        frame = pandas.DataFrame({"flag": [True, False, True], "x": [0.5, 1, 2]})
        np.testing.assert_array_equal(_arrays.as_array(frame), [[1, 0.5], [0, 1], [1, 2]])
        np.testing.assert_array_equal(_arrays.as_array(pandas.array([1, None, 3], dtype="Int64")), [1, np.nan, 3])
        np.testing.assert_array_equal(_arrays.as_array(pandas.Series(["b", "a"])), ["b", "a"])
        with self.assertRaises(TypeError):
            _arrays.as_array(pandas.DataFrame({"a": ["x", "y"], "b": [1, 2]}))


if __name__ == "__main__":
    unittest.main()
