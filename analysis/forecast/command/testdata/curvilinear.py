"""Writes coordinates/curved*.nc and curvilinear.json: forecasts on a curvilinear grid, and their errors by xarray and NumPy.

python curvilinear.py  (numpy, xarray, netCDF4, pandas)
"""

import json
import pathlib

import numpy as np
import pandas as pd
import xarray as xr

here = pathlib.Path(__file__).parent
random = np.random.default_rng(7)
samples, members, leads, height, width = 4, 2, 2, 4, 3
rows, columns = np.meshgrid(np.linspace(30, 75, height), np.linspace(-3, 20, width), indexing="ij")
latitude, longitude = rows + 0.3 * columns, columns + 0.2 * rows
times = pd.date_range("2020-01-01", periods=samples + leads, freq="D")
truth = random.normal(size=(len(times), height, width))


def field(dimensions, values, **coordinates):
    data = xr.Dataset({"t2m": (dimensions, values)}, coords=coordinates)
    data = data.assign_coords(lat=(("y", "x"), latitude), lon=(("y", "x"), longitude))
    data.lat.attrs = {"units": "degrees_north"}
    data.lon.attrs = {"standard_name": "longitude"}
    return data


target = field(("time", "y", "x"), truth, time=times)
forecast = field(
    ("time", "step", "number", "y", "x"),
    random.normal(size=(samples, leads, members, height, width)),
    time=times[:samples],
    step=pd.to_timedelta([1, 2], unit="D"),
    number=range(members),
)
folder = here / "coordinates"
classic = {"format": "NETCDF3_64BIT", "engine": "netcdf4"}
target.to_netcdf(folder / "curved.nc", **classic)
forecast.to_netcdf(folder / "curved_forecast.nc", format="NETCDF4", engine="netcdf4")
moved = forecast.isel(time=[0], step=[0], number=[0]).assign_coords(lat=forecast.lat + 0.01)
moved.to_netcdf(folder / "curved_moved.nc", **classic)
both = moved.assign_coords(ulat=(("y", "x"), latitude, {"units": "degrees_north"}))
both.to_netcdf(folder / "curved_twice.nc", **classic)
flat = xr.Dataset({"t2m": (("time", "lat", "lon"), truth)}, coords={"time": times, "lat": latitude[:, 0], "lon": longitude[0]})
flat.to_netcdf(folder / "curved_not.nc", **classic)

north, east = np.deg2rad(latitude), np.deg2rad(longitude)
centers = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], -1)
areas = np.linalg.norm(np.cross(np.gradient(centers, axis=0), np.gradient(centers, axis=1)), axis=-1)
weights = xr.DataArray(areas, dims=("y", "x"))
squares = []
for lead in range(leads):
    valid = forecast.t2m.isel(step=lead).mean("number").assign_coords(time=times[lead + 1 : lead + 1 + samples])
    squares.append((((valid - target.t2m) ** 2).weighted(weights).mean(("y", "x"))).values)
result = {"rmse": float(np.sqrt(np.mean(squares))), "samples": samples * leads, "areas": areas.ravel().tolist()}
(here / "curvilinear.json").write_text(json.dumps(result) + "\n")
