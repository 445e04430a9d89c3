"""Writes narrow.json.gz: what the numbers of ONNX's types of at most 8 bits are by code, and what float32 numbers are
rounded to, as ml_dtypes and onnx's own casts have it.

    python narrow.py            # with onnx 1.23.2, ml_dtypes 0.6.0 and NumPy 2.4.6
"""
import gzip
import json
import os

import ml_dtypes
import numpy as np
from onnx.numpy_helper import saturate_cast, to_float8e8m0

FLOATS = {"float8e4m3fn": "float8_e4m3fn", "float8e4m3fnuz": "float8_e4m3fnuz", "float8e5m2": "float8_e5m2", "float8e5m2fnuz": "float8_e5m2fnuz",
          "float4e2m1": "float4_e2m1fn", "float8e8m0": "float8_e8m0fnu"}


def bits(x):
    return "".join(f"{v:08x}" for v in np.asarray(x, np.float32).view(np.uint32))


def main():
    values, middles = {}, []
    for name, of in FLOATS.items():
        codes = np.arange(16 if name == "float4e2m1" else 256, dtype=np.uint8)
        x = codes.view(getattr(ml_dtypes, of)).astype(np.float32)
        values[name] = bits(x)
        if name != "float8e8m0":
            finite = np.unique(np.abs(x[np.isfinite(x)]))
            middles.append((finite[1:] + finite[:-1]) / 2)
            middles.append(np.float32([finite[-1] + (finite[-1] - finite[-2]) / 2, finite[-1]]))
    random = np.random.default_rng(0)
    middles = np.unique(np.concatenate(middles).astype(np.float32))
    sides = np.concatenate([middles, np.nextafter(middles, np.float32(0)), np.nextafter(middles, np.float32(np.inf))])
    wide = random.uniform(1, 2, 400) * 2.0 ** random.integers(-22, 18, 400)
    special = [0.0, np.inf, np.nan, 1e30, 3.4028235e38, 1e-30, 1.1754944e-38, 1e-45]
    x = np.concatenate([sides, wide, special]).astype(np.float32)
    x = np.concatenate([x, -x])
    rounded = {}
    for name, of in FLOATS.items():
        if name == "float8e8m0":
            continue
        kind = getattr(ml_dtypes, of)
        rounded[name] = bits(x.astype(kind).astype(np.float32))
        rounded[name + " saturate"] = bits(saturate_cast(x, kind).astype(np.float32))
    # Powers of two: onnx's function where it says what the standard does, which is for normal numbers up to the greatest power.
    x8 = np.concatenate([np.float32([1, 1.25, 1.5, 1.75, 1.9999999, 1.1754944e-38, 1.8e-38, 1.7014118e38]), wide, random.uniform(1, 2, 400) * 2.0 ** random.integers(-126, 127, 400)])
    x8 = x8.astype(np.float32)
    for mode in ("up", "down", "nearest"):
        rounded["float8e8m0 " + mode] = bits(to_float8e8m0(x8, True, mode).astype(np.float32))
    content = json.dumps({"values": values, "given": bits(x), "givenPowers": bits(x8), "rounded": rounded}, indent=1)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "narrow.json.gz"), "wb") as f, gzip.GzipFile("", "wb", mtime=0, fileobj=f) as z:
        z.write(content.encode())


if __name__ == "__main__":
    main()
