"""Writes the golden stores of package zarr with zarr-python, and values.json with what zarr-python and xarray read."""
import hashlib
import json
import pathlib
import shutil
import warnings

import numcodecs
import numpy as np
import xarray as xr
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec

warnings.filterwarnings("ignore")
FOLDER = pathlib.Path(__file__).parent
KINDS = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
BLOSC = [(name, shuffle) for name in ("lz4", "zstd", "zlib", "blosclz") for shuffle in ("noshuffle", "shuffle", "bitshuffle")]
SHUFFLES = ["noshuffle", "shuffle", "bitshuffle"]
rng = np.random.default_rng(1)


def smooth(shape, kind="f4"):
    return np.cumsum(rng.integers(-3, 4, shape), axis=-1).astype(kind)


def version2(group):
    for kind in KINDS:
        x = rng.integers(0, 2 if kind == "b1" else 100, (5, 4)).astype(kind)
        group.create_array(f"type_{kind}", shape=x.shape, chunks=(2, 3), dtype=x.dtype.newbyteorder(">") if kind[1] in "48" else x.dtype, order="CF"[len(kind) % 2 ^ (kind[0] == "f")],
                           compressors=None, fill_value=1)[:3] = x[:3]
    for name, shuffle in BLOSC:
        x = smooth((20, 30), "f4" if shuffle != "bitshuffle" else "i2")
        codec = numcodecs.Blosc(cname=name, clevel=5, shuffle=SHUFFLES.index(shuffle), blocksize=1024)
        group.create_array(f"blosc_{name}_{shuffle}", shape=x.shape, chunks=(20, 16), dtype=x.dtype, compressors=codec)[...] = x
    others = {"zlib": numcodecs.Zlib(), "gzip": numcodecs.GZip(), "zstd": numcodecs.Zstd(checksum=True), "lz4": numcodecs.LZ4()}
    for name, codec in others.items():
        x = smooth((9, 7))
        group.create_array(f"codec_{name}", shape=x.shape, chunks=(4, 4), dtype="f4", compressors=codec, fill_value=np.nan, filters=[numcodecs.Shuffle(4)] if name == "zlib" else None,
                           chunk_key_encoding={"name": "v2", "separator": "/" if name == "gzip" else "."})[:8] = x[:8]
    group.create_array("scalar", shape=(), dtype="f8", fill_value=-np.inf)
    group.create_array("a/b/nested", shape=(3,), chunks=(2,), dtype="i4", fill_value=None)[:] = [1, 2, 3]
    group.create_array("empty", shape=(0, 3), chunks=(1, 3), dtype="f4")
    group.create_array("bzip2", shape=(3,), chunks=(3,), dtype="i4", compressors=numcodecs.BZ2())[:] = 1
    group.create_array("complex", shape=(3,), chunks=(3,), dtype="c8")[:] = 1


def version3(group):
    for i, kind in enumerate(KINDS):
        x = rng.integers(0, 2 if kind == "b1" else 100, (5, 4)).astype(kind)
        group.create_array(f"type_{kind}", data=x, chunks=(2, 3), compressors=None, serializer=BytesCodec(endian="big") if i % 2 and x.itemsize > 1 else "auto")
    for i, (name, shuffle) in enumerate(BLOSC):
        x = smooth((20, 30))
        group.create_array(f"blosc_{name}_{shuffle}", data=x, chunks=(20, 16), compressors=BloscCodec(cname=name, shuffle=shuffle, typesize=4, blocksize=[0, 2048][i % 2]))
    x = smooth((6, 7, 8))
    group.create_array("transposed", data=x, chunks=(4, 3, 5), filters=[TransposeCodec(order=(2, 0, 1))], compressors=[GzipCodec(), Crc32cCodec()])
    group.create_array("transposed_twice", data=x, chunks=(4, 3, 5), filters=[TransposeCodec(order=(2, 0, 1)), TransposeCodec(order=(1, 0, 2))], compressors=ZstdCodec())
    group.create_array("shards", shape=(10, 9), chunks=(2, 3), shards=(4, 9), dtype="f4", fill_value=np.nan, compressors=ZstdCodec())[:7, :5] = smooth((7, 5))
    group.create_array("shards_blosc", data=smooth((10, 9), "i2"), chunks=(5, 3), shards=(10, 3), compressors=BloscCodec())
    group.create_array("shards_start", shape=(8, 6), chunks=(2, 2), dtype="f4", compressors=None, fill_value=0,
                       serializer=zarr.codecs.ShardingCodec(chunk_shape=(2, 2), codecs=[TransposeCodec(order=(1, 0)), BytesCodec(), ZstdCodec()], index_location="start"), filters=None)[:] = smooth((8, 6))
    for fill in (np.nan, np.inf, -np.inf, 1.5):
        group.create_array(f"fill_{fill}", shape=(3, 2), chunks=(2, 2), dtype="f4", fill_value=fill)
    group.create_array("keys_v2", data=smooth((5, 4)), chunks=(2, 2), chunk_key_encoding={"name": "v2", "separator": "."})
    group.create_array("keys_dots", data=smooth((5, 4)), chunks=(2, 2), chunk_key_encoding={"name": "default", "separator": "."})
    group.create_array("scalar", data=np.float64(2.5))
    group.create_array("a/b/nested", data=np.arange(3), chunks=(2,))


def dataset():
    t = np.datetime64("2020-01-01", "ns") + np.arange(3) * np.timedelta64(6, "h")
    x = smooth((3, 2, 4), "f8") + 273.15
    x[1, 0, 2] = np.nan
    d = xr.Dataset({"packed": (("time", "latitude", "longitude"), x, {"units": "K"}), "masked": (("time", "latitude", "longitude"), x.astype("f4"))},
                   {"time": t, "latitude": [10.0, -10.0], "longitude": [0.0, 90.0, 180.0, 270.0]}, {"title": "golden"})
    d["packed"].encoding = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32767}
    d["masked"].encoding = {"dtype": "f4", "_FillValue": np.float32(-999)}
    return d


def numbers(x):
    x = np.asarray(x)
    if x.size > 100:
        return {"shape": list(x.shape), "sha256": hashlib.sha256(x.astype("<f8").tobytes()).hexdigest()}
    return {"shape": list(x.shape), "values": [None if v != v else str(v) if np.isinf(v) else v for v in x.astype("f8").ravel().tolist()]}


found = {}
for version, fill in ((2, version2), (3, version3)):
    path = FOLDER / f"v{version}.zip"
    path.unlink(missing_ok=True)
    store = zarr.storage.ZipStore(path, mode="w")
    group = zarr.open_group(store, mode="w", zarr_format=version)
    fill(group)
    values = {}
    for name, a in group.members(max_depth=None):
        if isinstance(a, zarr.Array) and name not in ("bzip2", "complex"):
            values[name] = numbers(a[...])
    found[path.name] = values
    store.close()
    path = FOLDER / f"xarray_v{version}.zarr"
    shutil.rmtree(path, ignore_errors=True)
    dataset().to_zarr(path, zarr_format=version, consolidated=True)
    with xr.open_zarr(path) as d:
        found[path.name] = {k: numbers(d[k]) for k in ("packed", "masked", "latitude")}
(FOLDER / "values.json").write_text(json.dumps({"zarr": zarr.__version__, "numcodecs": numcodecs.__version__, "xarray": xr.__version__, "stores": found}) + "\n")
