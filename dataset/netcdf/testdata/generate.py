"""Writes the golden files of package netcdf with netCDF4, and values.json with what netCDF4 reads.

The values of packed variables are computed here in float64 from the stored numbers and the attributes, as xarray defines them."""
import json
import pathlib

import netCDF4
import numpy as np

FOLDER = pathlib.Path(__file__).parent
FORMATS = {"cdf1": "NETCDF3_CLASSIC", "cdf2": "NETCDF3_64BIT_OFFSET", "cdf5": "NETCDF3_64BIT_DATA", "nc4": "NETCDF4", "nc4_classic": "NETCDF4_CLASSIC"}
KINDS = ["i1", "i2", "i4", "f4", "f8"]


def fill(d, rng, fmt):
    d.title = "golden"
    d.createDimension("time", None)
    d.createDimension("lat", 3)
    d.createDimension("lon", 4)
    d.createDimension("name", 5)
    d.createVariable("lat", "f8", ("lat",))[:] = [10, 0, -10]
    d.createVariable("lon", "f4", ("lon",))[:] = [0, 90, 180, 270]
    t = d.createVariable("time", "i4", ("time",))
    t.units = "hours since 1900-01-01"
    kinds = KINDS + (["u1", "u2", "u4", "i8", "u8"] if fmt in ("cdf5", "nc4") else [])
    for kind in kinds:
        v = d.createVariable(f"fixed_{kind}", kind, ("lat", "lon"), fill_value=False)
        v[:] = rng.integers(0, 100, (3, 4)).astype(kind)
        v = d.createVariable(f"growing_{kind}", kind, ("time", "lat"), fill_value=False)
        v[:] = rng.integers(0, 100, (6, 3)).astype(kind)
    t[:] = np.arange(6) * 6
    v = d.createVariable("packed", "i2", ("time", "lat", "lon"), fill_value=-32767)
    v.set_auto_maskandscale(False)
    v.scale_factor, v.add_offset, v.units = 0.01, 273.15, "K"
    x = rng.integers(-1000, 1000, (6, 3, 4)).astype("i2")
    x[2, 1, 1] = -32767
    v[:] = x
    v = d.createVariable("missing", "f4", ("lat", "lon"), fill_value=np.float32(1e20))
    v.set_auto_maskandscale(False)
    v.missing_value = np.float32(-999)
    y = rng.integers(0, 100, (3, 4)).astype("f4")
    y[0, 1], y[2, 2] = 1e20, -999
    v[:] = y
    v = d.createVariable("unsigned", "i1", ("lat",), fill_value=np.int8(-1))
    v.set_auto_maskandscale(False)
    v.setncattr("_Unsigned", "true")
    v.scale_factor = 2.0
    v[:] = np.array([1, -56, -1], "i1")
    v = d.createVariable("labels", "S1", ("lat", "name"))
    v[:] = netCDF4.stringtochar(np.array(["red", "green", "blue"], "S5"))
    d.createVariable("scalar", "f8", ())[...] = 2.5


def values(path):
    out = {}
    with netCDF4.Dataset(path) as d:
        d.set_auto_maskandscale(False)
        for name, v in d.variables.items():
            if v.dtype.kind == "S":
                continue
            x = np.asarray(v[...]).astype("f8")
            a = {k: v.getncattr(k) for k in v.ncattrs()}
            bad = np.zeros(x.shape, bool)
            for k in ("_FillValue", "missing_value"):
                if k in a:
                    bad |= x == float(a[k])
            if a.get("_Unsigned") == "true":
                x = np.where(x < 0, x + 256, x)
            if "scale_factor" in a:
                x = x * float(a["scale_factor"]) + float(a.get("add_offset", 0))
            x = np.where(bad, np.nan, x)
            out[name] = {"shape": list(x.shape), "values": [None if np.isnan(t) else t for t in x.ravel().tolist()]}
    return out


found = {}
for i, (name, fmt) in enumerate(FORMATS.items()):
    path = FOLDER / f"{name}.nc"
    with netCDF4.Dataset(path, "w", format=fmt) as d:
        fill(d, np.random.default_rng(i), name)
    found[path.name] = values(path)
# One variable that grows, of bytes: its records are not padded. Records of different sizes, of which none is written.
with netCDF4.Dataset(FOLDER / "single.nc", "w", format="NETCDF3_CLASSIC") as d:
    d.createDimension("t", None)
    d.createDimension("x", 3)
    d.createVariable("b", "i1", ("t", "x"), fill_value=False)[:] = np.arange(15).reshape(5, 3)
found["single.nc"] = values(FOLDER / "single.nc")
with netCDF4.Dataset(FOLDER / "empty.nc", "w", format="NETCDF3_CLASSIC") as d:
    d.createDimension("t", None)
    d.createDimension("x", 3)
    d.createVariable("b", "i2", ("t", "x"))
    d.createVariable("c", "f8", ("t",))
found["empty.nc"] = values(FOLDER / "empty.nc")
(FOLDER / "values.json").write_text(json.dumps({"netCDF4": netCDF4.__version__, "files": found}, indent=1) + "\n")
