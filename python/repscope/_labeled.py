"""Arrays of xarray: axes are put in order by their names, and fields go over with their coordinates."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

# Names of axes in the order that the program takes. Names of times, members, latitudes and longitudes are those that
# forecast aligns by.
_NAMES: Dict[str, str] = {
    "sample": "sample samples state states observation observations index batch",
    "initial time": "init_time init initial_time initialization_time forecast_reference_time reftime start_date forecast_time0",
    "time": "time valid_time verification_time frame frames",
    "lead": "lead_time lead leadtime prediction_timedelta step forecast_period forecast_lead_time fhour timedelta",
    "member": "number member members realization ensemble ensemble_member ens",
    "channel": "channel channels band variable level pressure_level isobaricinhpa plev lev",
    "lat": "latitude lat y",
    "lon": "longitude lon x",
    "feature": "feature features latent unit neuron embedding component",
}
_ORDER = list(_NAMES)
_ROWS = ("sample", "initial time", "time", "lead")
_SHOWN = "sample or time first, then member, level or channel, lat or y, lon or x, feature"

# Of fields: what has coordinates, and the axes in its order where it is taken by position. Others have no axis of samples.
_FIELDS = {
    "target": ("row", "channel", "lat", "lon"),
    "input": ("row", "channel", "lat", "lon"),
    "forecast": ("row", "member", "channel", "lat", "lon"),
    "climatology": ("row", "channel", "lat", "lon"),
}
_WITHOUT_SAMPLES = ("climatology", "lat", "weights", "regions")

# Attributes of values that are packed: xarray moves them to the encoding of what it has decoded.
_PACKED = ("scale_factor", "add_offset", "_FillValue", "missing_value")

_CHUNK = 32 << 20  # bytes of rows that are held at a time, at least one row


def is_labeled(value: Any) -> bool:
    """Whether a value is a DataArray."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(value, xarray.DataArray)


def decoded(value: Any) -> Any:
    """A DataArray with the values that its attributes say, as it is with xarray's mask_and_scale; any other value unchanged."""
    if not is_labeled(value) or not any(name in value.attrs for name in _PACKED):
        return value
    xarray = sys.modules["xarray"]
    variable = xarray.conventions.decode_cf_variable(value.name, value.variable, decode_times=False)
    return xarray.DataArray(variable, coords=value.coords, name=value.name)


def only_variable(value: Any, what: str) -> Any:
    """The DataArray of a Dataset of one variable, and a DataArray, with decoded values; any other value unchanged."""
    xarray = sys.modules.get("xarray")
    if xarray is None or not isinstance(value, xarray.Dataset):
        return decoded(value)
    names = [str(name) for name in value.data_vars]
    if len(names) != 1:
        example = f"; name one, as dataset[{names[0]!r}]" if names else ""
        raise TypeError(f"{what}: a Dataset of {len(names)} variables ({', '.join(names[:12])}), want one DataArray{example}")
    return decoded(value[names[0]])


def in_order(value: Any, what: str) -> Any:
    """A DataArray with its axes in the order that the program takes, found by their names.

    Arrays of one axis, and of axes that xarray has named itself (dim_0, dim_1), are returned as they are.
    """
    names = [str(d) for d in value.dims]
    if len(names) < 2 or all(re.match(r"dim_\d+$", n) for n in names):
        return value
    role = what.split(" ")[0].split("[")[0]
    kinds = _kinds(names, role, what)
    layout = _FIELDS.get(role)
    rows = [k for k in kinds if k in _ROWS]
    if not rows and role not in _WITHOUT_SAMPLES:
        raise ValueError(f"{what}: axes ({', '.join(names)}) without an axis of samples; want {_wanted(layout)}")
    if layout is not None:
        extra = [n for n, k in zip(names, kinds) if ("row" if k in _ROWS else k) not in layout]
        lacking = [k for k in ("lat", "lon") if k not in kinds]
        if extra or lacking or len(rows) > 1:
            raise ValueError(f"{what}: axes ({', '.join(names)}), want {_wanted(layout)}" + _advice(rows, extra))
    return _transposed(value, kinds)


def _kind(name: Any) -> str:
    """What an axis or a coordinate is, by its name; empty if unknown."""
    return next((kind for kind, known in _NAMES.items() if str(name).lower() in known.split()), "")


def _kinds(names: Sequence[str], role: str, what: str) -> List[str]:
    """What each axis is."""
    kinds: List[str] = []
    for name in names:
        kind = _kind(name)
        if not kind:
            raise ValueError(f"{what}: axes ({', '.join(names)}), {name!r} is unknown; want {_SHOWN}; rename({name}='feature') names it, .values keeps the order")
        kinds.append(kind)
    if role == "forecast" and "sample" in kinds and "member" not in kinds and any(k in kinds for k in _ROWS[1:]):
        kinds[kinds.index("sample")] = "member"
    for i, kind in enumerate(kinds):
        if kind in kinds[:i]:
            raise ValueError(f"{what}: the axes {names[kinds.index(kind)]} and {names[i]} both look like the {kind}; want {_SHOWN}")
    return kinds


def _wanted(layout: Optional[Tuple[str, ...]]) -> str:
    if layout is None:
        return _SHOWN
    return ", ".join({"row": "sample or time", "channel": "level"}.get(k, k) for k in layout)


def _advice(rows: Sequence[str], extra: Sequence[str]) -> str:
    if len(rows) > 1:
        return "; several axes of times need coordinates of times, lat and lon, by which fields are aligned"
    return f"; {extra[0]} is another axis: select one of it" if extra else ""


def _transposed(value: Any, kinds: Sequence[str]) -> Any:
    order = sorted(range(len(kinds)), key=lambda i: _ORDER.index(kinds[i]))
    return value.transpose(*(value.dims[i] for i in order))


def is_field(key: str) -> bool:
    """Whether a keyword takes fields that the program aligns by coordinates."""
    return key.split(" ")[0] in _FIELDS


def has_coordinates(value: Any, key: str) -> bool:
    """Whether a DataArray is a field whose times, latitudes and longitudes the program can align by."""
    if not is_field(key):
        return False
    kinds = {_kind(name): str(name) for name in value.coords}
    grid = all(kinds.get(k) in value.dims and kinds[k] not in ("x", "y") for k in ("lat", "lon"))
    return grid and (key.startswith("climatology") or any(k in kinds for k in _ROWS[1:]))


def implied(values: Mapping[str, Any]) -> Dict[str, Any]:
    """Options of forecast that follow from coordinates and were not set: names of variables, and for fields that are
    taken by position latitudes, leads and initial times of samples.
    """
    found: Dict[str, Any] = {}
    for key, option in (("target", "variables"), ("input", "input_variables")):
        field: Any = values.get(key)
        for axis in field.dims if is_labeled(field) else ():
            if _kind(axis) == "channel" and axis in field.coords and field.coords[axis].dtype.kind in "OTU":
                found[option] = [str(name) for name in field.coords[axis].values]
    target: Any = values.get("target")
    forecasts = values.get("forecast")
    if is_labeled(target) and not _aligned(target, forecasts, values):
        for name, coordinate in target.coords.items():
            option = {"lat": "lat", "lead": "leads", "initial time": "groups"}.get(_kind(name), "")
            of_rows = coordinate.ndim == 1 and (option == "lat" or _kind(coordinate.dims[0]) in _ROWS)
            if option and of_rows and str(name) != "y":
                found[option] = coordinate.values
    return {option: value for option, value in found.items() if values.get(option) is None}


def _aligned(target: Any, forecasts: Any, values: Mapping[str, Any]) -> bool:
    """Whether the program aligns the target and the forecasts by their coordinates."""
    several = list(forecasts.values()) if isinstance(forecasts, Mapping) else [forecasts]
    labeled = all(has_coordinates(f, "forecast") if is_labeled(f) else isinstance(f, (str, tuple)) for f in several)
    return has_coordinates(target, "target") and labeled and values.get("leads") is None and values.get("groups") is None


def save_field(value: Any, what: str, workspace: Any) -> str:
    """Writes a field with its coordinates as a Zarr store and returns FILE:key of it."""
    if value.ndim > len(_ORDER):
        raise ValueError(f"{what}: {value.ndim} axes, want at most {len(_ORDER)}")
    value = _transposed(value, [_kind(d) or "channel" for d in value.dims])
    key = re.sub(r"\W", "_", str(value.name or what.split(" ")[0])) or "field"
    while key in map(str, (*value.coords, *value.dims)):
        key += "_"
    path = workspace.write(workspace.place(what + ".zarr.zip", int(value.nbytes)), lambda f: _write_store(f, value, key, what))
    # with the key first, which messages name too
    for named in (f"{path}:{key}", path):
        workspace.labels[named] = f"{what} (DataArray {list(value.shape)}, {value.dtype})"
    return f"{path}:{key}"


def _write_store(file: Any, value: Any, key: str, what: str) -> None:
    """Writes an archive of a Zarr store: one file, the same bytes for the same values."""
    import zipfile

    from ._arrays import as_array

    xarray = sys.modules["xarray"]
    scalars: List[str] = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as store:
        _object(store, ".zgroup", json.dumps({"zarr_format": 2}).encode())
        for name, coordinate in value.coords.items():
            if coordinate.ndim > 1 or coordinate.ndim == 1 and name != coordinate.dims[0] or not re.fullmatch(r"[\w-]+", str(name)):
                continue
            numbers = xarray.conventions.encode_cf_variable(coordinate.variable)  # times as numbers since a date, with their calendar
            values = np.asarray(numbers.values)
            if values.dtype.kind not in "biuf":
                continue
            if coordinate.ndim == 0:
                scalars.append(str(name))
            _array(store, str(name), numbers.dims, values.shape, max(1, values.size), [values], numbers.attrs)
        attributes = {k: v for k, v in value.attrs.items() if k in ("units", "standard_name", "long_name")}
        if scalars:
            attributes["coordinates"] = " ".join(scalars)
        step = max(1, _CHUNK // max(1, int(value.nbytes) // max(1, value.shape[0])))
        parts = (as_array(value[lo : lo + step].values, what) for lo in range(0, max(1, value.shape[0]), step))
        _array(store, key, value.dims, value.shape, step, parts, attributes)


def _array(store: Any, name: str, dims: Sequence[Any], shape: Sequence[int], step: int, parts: Any, attributes: Mapping[Any, Any]) -> None:
    """Writes an array of Zarr, version 2, uncompressed, with chunks of step rows."""
    chunks = [max(1, min(step, n) if axis == 0 else n) for axis, n in enumerate(shape)]
    for i, part in enumerate(parts):
        part = np.asarray(part, dtype=part.dtype.newbyteorder("<"), order="C")
        if i == 0:
            header = {"zarr_format": 2, "shape": list(shape), "chunks": chunks, "dtype": part.dtype.str, "order": "C"}
            _object(store, name + "/.zarray", json.dumps({**header, "compressor": None, "filters": None, "fill_value": None}).encode())
            told = {"_ARRAY_DIMENSIONS": list(map(str, dims)), **{str(k): str(v) for k, v in attributes.items()}}
            _object(store, name + "/.zattrs", json.dumps(told).encode())
        raw = part.tobytes()
        whole = part.itemsize * int(np.prod(chunks, dtype=np.int64))  # also the last chunk
        _object(store, name + "/" + ".".join([str(i)] + ["0"] * (len(shape) - 1)), raw + bytes(whole - len(raw)))


def _object(store: Any, name: str, content: bytes) -> None:
    import zipfile

    with store.open(zipfile.ZipInfo(name), "w", force_zip64=True) as f:
        f.write(content)
