"""Values of NetCDF and Zarr variables by their attributes, as xarray decodes them by default.

Packed numbers (scale_factor, add_offset), missing ones (_FillValue, missing_value; _Unsigned), times and durations by
the convention CF. An array without such attributes stays as it is.
"""

from __future__ import annotations

import base64
import re
import struct
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

_NANOSECONDS = {"d": 86400 * 10**9, "h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_UNITS = {
    name: unit
    for unit, names in {
        "d": "days day d", "h": "hours hour hr hrs h", "m": "minutes minute min mins", "s": "seconds second sec secs s",
        "ms": "milliseconds millisecond msec msecs ms",
        "us": "microseconds microsecond", "ns": "nanoseconds nanosecond",
    }.items()
    for name in names.split()
}
_CALENDARS = ("standard", "gregorian", "proleptic_gregorian")
_DATE = re.compile(
    r"\s*(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d*)?))?)?)?"
    r"\s*(?:Z|UTC|GMT|([+-])(\d{1,2}):?(\d{2})?)?\s*$"
)


class Decoder(NamedTuple):
    """Converts stored values to decoded values; dtype is the type of the result, about a note on it."""

    dtype: np.dtype
    decode: Callable[[np.ndarray], np.ndarray]
    about: str


def decoder(source: Any) -> Optional[Decoder]:
    """The decoder of an array of h5py or Zarr from its attributes; None if values need no decoding."""
    attributes = _attributes(source)
    stored = np.dtype(getattr(source, "dtype", None))
    if stored.kind not in "iuf":
        return None
    kind = stored
    unsigned = _text(attributes.get("_Unsigned", "")).lower()
    if kind.kind == "i" and unsigned == "true" or kind.kind == "u" and unsigned == "false":
        kind = np.dtype(kind.str.replace(kind.kind, "u" if kind.kind == "i" else "i", 1))
    units = _text(attributes.get("units", ""))
    scale, offset = _number(attributes.get("scale_factor")), _number(attributes.get("add_offset"))
    missing = _missing(attributes, stored, kind)
    if " since " in units:
        return _times(units, _text(attributes.get("calendar", "standard")), missing)
    if _text(attributes.get("dtype", "")).startswith("timedelta64") and units in _UNITS:
        return _durations(units, missing)
    if scale is None and offset is None and not missing:
        if kind == stored:
            return None
        return Decoder(kind, lambda v: _as(v, kind).astype(kind), "decoded by _Unsigned")
    to = _float(kind, scale, offset)

    def decode(values: np.ndarray) -> np.ndarray:
        if kind != stored:
            values = _as(values, kind)
        out = values.astype(to)
        for m in missing:
            if m == m:
                out[values == m] = np.nan
        if scale is not None:
            out *= scale
        if offset is not None:
            out += offset
        return out

    names = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned")
    about = [name for name in names if name in attributes]
    if scale is None and offset is None and all(m != m for m in missing) and to == stored:
        return None  # NaN is that already
    return Decoder(to, decode, "decoded by " + ", ".join(about))


def _as(values: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Signed integers as unsigned ones with the same bits, or the reverse."""
    return values.view(kind.newbyteorder(values.dtype.byteorder))


def _attributes(source: Any) -> Dict[str, Any]:
    """The attributes of an array, with Zarr's own fill value."""
    held = getattr(source, "attrs", None)
    if held is None:
        return {}
    names = ("scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units", "calendar", "dtype")
    out = {name: held[name] for name in names if name in held}
    if not type(source).__module__.startswith("zarr"):
        return out
    dtype = np.dtype(source.dtype)
    fill = out.get("_FillValue")
    if isinstance(fill, str) and dtype.kind == "f":  # as xarray writes it in version 3
        out["_FillValue"] = struct.unpack("<d", base64.standard_b64decode(fill))[0]
    if fill is None and "_ARRAY_DIMENSIONS" in held and getattr(source, "fill_value", None) is not None:
        out["_FillValue"] = source.fill_value  # of version 2, which has no other place for it
    return out


def _text(value: Any) -> str:
    value = value[0] if isinstance(value, np.ndarray) and value.size == 1 else value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _number(value: Any) -> Any:
    """The number in an attribute, in its own type; None without one."""
    if value is None:
        return None
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "iuf":
        raise TypeError(f"a scale_factor or add_offset of {value!r}, want a number")
    return array.reshape(-1)[0]


def _missing(attributes: Dict[str, Any], stored: np.dtype, kind: np.dtype) -> List[Any]:
    """The stored numbers that mean missing values, in the type of the comparison."""
    out: List[Any] = []
    for name in ("_FillValue", "missing_value"):
        value = attributes.get(name)
        if value is None:
            continue
        array = np.asarray(value).reshape(-1)
        if array.dtype.kind not in "iuf":
            continue
        if kind != stored and array.dtype.kind in "iu":
            array = array.astype(stored).view(kind)
        elif stored.kind == "f":
            array = array.astype(stored)
        out.extend(array)
    return out


def _float(kind: np.dtype, scale: Any, offset: Any) -> np.dtype:
    """The type of numbers that are scaled or have missing values."""
    if scale is not None or offset is not None:
        types = {np.asarray(v).dtype for v in (scale, offset) if v is not None}
        if scale is not None and offset is not None and len(types) == 1 and types <= {np.dtype("f4"), np.dtype("f8")}:
            return np.dtype("f8") if kind.itemsize == 4 and kind.kind in "iu" else types.pop()
        if offset is not None:
            return np.dtype("f8")
        one: np.dtype = np.asarray(scale).dtype
        return one if one.kind == "f" else np.dtype("f8")
    small = 4 if kind.kind == "f" else 2
    return np.dtype("f4") if kind.itemsize <= small else np.dtype("f8")


def _times(units: str, calendar: str, missing: List[Any]) -> Optional[Decoder]:
    """Times since a date, in nanoseconds; None for calendars and units that NumPy lacks, which stay counts."""
    name, _, date = units.partition(" since ")
    unit, parts = _UNITS.get(name.strip().lower()), _DATE.match(date)
    if unit is None or parts is None or calendar.lower() not in _CALENDARS:
        return None
    year, month, day, hour, minute, second, sign, east, more = parts.groups()
    start = np.datetime64(f"{int(year):04d}-{int(month):02d}-{int(day):02d}", "s").astype(np.int64)
    start += 3600 * int(hour or 0) + 60 * int(minute or 0)
    if sign:
        start -= int(sign + "1") * (3600 * int(east) + 60 * int(more or 0))
    begin = int(start) * 10**9 + int(round(float(second or 0) * 1e9))
    step = _NANOSECONDS[unit]
    return Decoder(np.dtype("M8[ns]"), lambda v: _counts(v, step, begin, missing, units).view("M8[ns]"), "")


def _durations(units: str, missing: List[Any]) -> Decoder:
    step = _NANOSECONDS[_UNITS[units]]
    return Decoder(np.dtype("m8[ns]"), lambda v: _counts(v, step, 0, missing, units).view("m8[ns]"), "")


def _counts(values: np.ndarray, step: int, begin: int, missing: List[Any], units: str) -> np.ndarray:
    """Counts of a unit in nanoseconds; a missing value is the smallest integer."""
    none = np.zeros(values.shape, bool)
    for m in missing:
        none |= values == m if m == m else np.isnan(values)
    if values.dtype.kind == "f":
        none |= np.isnan(values)
    good = np.where(none, 0, values)
    low, high = (int(np.min(good)), int(np.max(good))) if good.size else (0, 0)
    if min(low * step, 0) + begin < -(2**63) + 1 or max(high * step, 0) + step + begin > 2**63 - 1:
        raise ValueError(f"times of {units!r} outside the years 1678 to 2262; give numbers")
    if good.dtype.kind == "f":
        good = good.astype(np.float64)
        whole = np.floor(good)
        out: np.ndarray = whole.astype(np.int64) * step + np.rint((good - whole) * step).astype(np.int64) + begin
    else:
        out = good.astype(np.int64) * step + begin
    out[none] = np.iinfo(np.int64).min
    return out
