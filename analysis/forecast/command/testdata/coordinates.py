"""Writes small forecasts and targets in the layouts of WeatherBench-X, WeatherBench 2 and of a climate center, and
coordinates.json: the root mean squared errors of each case, after xarray has aligned target and forecast by coordinates."""
import json
import pathlib
import shutil
import warnings

import numpy as np
import xarray as xr

warnings.filterwarnings("ignore")
FOLDER = pathlib.Path(__file__).parent / "coordinates"
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir()
rng = np.random.default_rng(7)
LAT, LON = np.array([-60.0, -20, 20, 60]), np.arange(0, 360, 72.0)
START = np.datetime64("2020-02-27T00", "ns")
HOUR = np.timedelta64(1, "h")
truth = xr.DataArray(np.cumsum(rng.standard_normal((24, 4, 5)), 0).round(3) + 280, dims=("time", "latitude", "longitude"), name="t2m",
                     coords={"time": START + np.arange(24) * 6 * HOUR, "latitude": LAT, "longitude": LON}, attrs={"units": "K"})
inits = START + np.arange(4) * 12 * HOUR
leads = np.arange(1, 4) * 6 * HOUR
valid = xr.DataArray(inits, dims="init_time", coords={"init_time": inits}) + xr.DataArray(leads, dims="lead_time", coords={"lead_time": leads})


def forecast(members, sd):
    x = truth.sel(time=valid).drop_vars("time")
    noise = xr.DataArray(rng.standard_normal((members,) + x.shape).round(3) * sd, dims=("number",) + x.dims)
    return (x + noise).rename("t2m").assign_attrs(units="K")


def scores(f, t=truth, variables=None):
    """RMSE of the ensemble mean, over samples and cells with the weights cos(latitude), as xarray aligns."""
    when = (f.init_time + f.lead_time) if "lead_time" in f.dims else f.time
    when = when.where(when.isin(t.time), drop=True) if "lead_time" not in f.dims else when
    if "lead_time" in f.dims:
        keep = [l for l in f.lead_time.values if np.isin(f.init_time.values + l, t.time.values).all()]
        f = f.sel(lead_time=keep)
        when = f.init_time + f.lead_time
    t = t.sel(time=when).drop_vars("time", errors="ignore")
    f = f.mean("number") if "number" in f.dims else f
    f = f.assign_coords(longitude=f.longitude % 360).sortby("longitude").sortby("latitude")
    f, t = xr.align(f, t.sortby("latitude"), join="exact", exclude=("level",))
    w = np.cos(np.deg2rad(t.latitude))
    return float(np.sqrt((((f - t) ** 2) * w).sum() / (w * xr.ones_like(t)).sum()))


cases = []


def add(name, target, forecast, rmse, n):
    cases.append({"name": name, "target": target, "forecast": forecast, "rmse": rmse, "samples": n})


def zarr(d, name, version=2, **encoding):
    d.to_zarr(FOLDER / name, zarr_format=version, consolidated=True, encoding=encoding)


# WeatherBench 2: time, prediction_timedelta, longitude before latitude; the target has latitudes in the other order.
f = forecast(3, 1.0)
zarr(truth.isel(latitude=slice(None, None, -1)).transpose("time", "longitude", "latitude").to_dataset(), "era5.zarr", 2)
zarr(f.rename(init_time="time", lead_time="prediction_timedelta").transpose("time", "number", "prediction_timedelta", "longitude", "latitude").to_dataset(), "wb2.zarr", 2)
add("WeatherBench 2", "era5.zarr:t2m", "wb2.zarr:t2m", scores(f), 12)
# WeatherBench-X: init_time, lead_time, realization; version 3; longitudes from −180.
g = f.assign_coords(longitude=(LON + 180) % 360 - 180).sortby("longitude")
zarr(g.rename(number="realization").transpose("realization", "init_time", "lead_time", "latitude", "longitude").to_dataset(), "wbx.zarr", 3)
add("WeatherBench-X", "era5.zarr:t2m", "wbx.zarr:t2m", scores(f), 12)
# A climate center: NetCDF with number, time, step, as cfgrib names them, packed; target in NetCDF-3 in hours since 1900.
h = f.rename(init_time="time", lead_time="step").transpose("number", "time", "step", "latitude", "longitude").to_dataset()
h.to_netcdf(FOLDER / "center.nc", format="NETCDF4", encoding={"t2m": {"dtype": "i2", "scale_factor": 0.002, "add_offset": 280.0, "_FillValue": -32767, "zlib": True},
                                                              "time": {"units": "hours since 1900-01-01", "dtype": "i4"}, "step": {"units": "hours", "dtype": "i4"}})
truth.to_dataset().to_netcdf(FOLDER / "truth3.nc", format="NETCDF3_64BIT", encoding={"time": {"units": "days since 1850-01-01", "dtype": "f8", "calendar": "standard"}})
with xr.open_dataset(FOLDER / "center.nc", decode_timedelta=True) as d:
    back = d["t2m"].rename(time="init_time", step="lead_time").load()
add("climate center", "truth3.nc:t2m", "center.nc:t2m", scores(back), 12)
# One initial time as a single value, leads along the first axis; one lead that the target lacks.
one = xr.DataArray(np.zeros((5, 4, 5)) + 281, dims=("step", "latitude", "longitude"), name="t2m", attrs={"units": "K"},
                   coords={"step": np.array([6, 12, 18, 24, 9]) * HOUR, "latitude": LAT, "longitude": LON, "time": inits[0]})
one.to_dataset().to_netcdf(FOLDER / "single.nc", format="NETCDF4", encoding={"step": {"units": "hours"}, "time": {"units": "hours since 1900-01-01"}})
add("one initial time", "truth3.nc:t2m", "single.nc:t2m", scores(one.rename(step="lead_time").assign_coords(init_time=inits[0]).drop_vars("time").expand_dims("init_time")), 4)
# A calendar without leap days, valid times alone, on both sides.
import cftime
times = [cftime.DatetimeNoLeap(2020, 2, 27, 6) + k * __import__("datetime").timedelta(days=1) for k in range(6)]
a = xr.DataArray(rng.standard_normal((6, 4, 5)).round(3), dims=("time", "latitude", "longitude"), name="t2m", coords={"time": times, "latitude": LAT, "longitude": LON})
b = (a.isel(time=[4, 3, 2, 1]) + 0.5).isel(latitude=slice(None, None, -1))
a.to_dataset().to_netcdf(FOLDER / "noleap.nc", format="NETCDF4")
b.to_dataset().to_netcdf(FOLDER / "noleap_forecast.nc", format="NETCDF4", encoding={"time": {"units": "days since 2000-01-01", "calendar": "365_day"}})
add("noleap", "noleap.nc:t2m", "noleap_forecast.nc:t2m", scores(b, a), 4)
# Refused or warned of.
(truth - 273.15).assign_attrs(units="degC").to_dataset().to_netcdf(FOLDER / "celsius.nc", format="NETCDF4")
truth.isel(longitude=slice(0, 4)).to_dataset().to_netcdf(FOLDER / "grid.nc", format="NETCDF4")
truth.assign_coords(time=truth.time + 8760 * HOUR).to_dataset().to_netcdf(FOLDER / "late.nc", format="NETCDF4")
# Climatologies: ten times the day of the year plus the hour, and a field that does not change.
hour, day = np.arange(0, 24, 6), np.arange(1, 367)
c = xr.DataArray(hour[:, None, None, None] + 10.0 * day[None, :, None, None] + np.zeros((4, 366, 4, 5)), dims=("hour", "dayofyear", "latitude", "longitude"), name="t2m",
                 coords={"hour": hour, "dayofyear": day, "latitude": LAT, "longitude": LON})
c.to_dataset().to_netcdf(FOLDER / "climatology.nc", format="NETCDF4", encoding={"t2m": {"dtype": "i2", "zlib": True, "complevel": 9}})
xr.full_like(truth[0].drop_vars("time"), 7.0).to_dataset().to_netcdf(FOLDER / "mean.nc", format="NETCDF4")
np.save(FOLDER / "fixed.npy", np.zeros((24, 4, 5), "f4"))
(FOLDER.parent / "coordinates.json").write_text(json.dumps({"xarray": xr.__version__, "cases": cases}, indent=1) + "\n")
