"""Writes the golden files of package hdf5 with h5py, and values.json with what h5py reads from them.

python generate.py [FOLDER [COUNT]]: COUNT random datasets in each of the files random_*.h5 (default 24)."""
import hashlib
import json
import pathlib
import sys

import h5py
import numpy as np

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 24
VERSIONS = ["earliest", "v108", "v110", "latest"]
TYPES = ["u1", "i1", "<u2", ">i2", "<i4", ">u4", "<i8", ">i8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "?"]


def values(rng, shape, kind):
    if kind == "?":
        return rng.random(shape) < 0.5
    t = np.dtype(kind)
    if t.kind == "f":
        return rng.integers(-50, 50, shape).astype(t) / t.type(8)
    return rng.integers(0, 100, shape).astype(t)


def early(f, name, data, chunks):
    """Chunks that exist when the dataset is made, which later formats store without an index."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(chunks)
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    d = h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(data.dtype), h5py.h5s.create_simple(data.shape), plist)
    h5py.Dataset(d)[...] = data


def layouts(f, rng):
    f["contiguous"] = values(rng, (5, 3, 4), "<f4")
    f["scalar"] = np.float64(2.5)
    f["empty"] = np.zeros((0, 3), "<f4")
    f.create_dataset("null", data=h5py.Empty("<f4"))
    f.create_dataset("unwritten", (4, 3), "<i4", fillvalue=7)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    compact = values(rng, (3, 5), "<i2")
    d = h5py.h5d.create(f.id, b"compact", h5py.h5t.py_create(compact.dtype), h5py.h5s.create_simple(compact.shape), plist)
    h5py.Dataset(d)[...] = compact
    for compression in ["none", "gzip"]:
        c = {} if compression == "none" else {"compression": compression, "shuffle": True}
        data = values(rng, (7, 6, 5), "<f4")
        f.create_dataset(f"single/{compression}", data=data, chunks=data.shape, **c)
        f.create_dataset(f"fixed/{compression}", data=data, chunks=(2, 4, 5), **c)
        f.create_dataset(f"extensible/{compression}", data=data, chunks=(2, 4, 5), maxshape=(None, 6, 8), **c)
        f.create_dataset(f"middle/{compression}", data=data, chunks=(2, 4, 2), maxshape=(9, None, 7), **c)
        f.create_dataset(f"tree/{compression}", data=data, chunks=(2, 4, 2), maxshape=(None, None, 5), **c)
        # Parts of the chunks are not stored.
        d = f.create_dataset(f"sparse/{compression}", (40, 6), "<i4", chunks=(3, 4), maxshape=(None, 6), fillvalue=-3, **c)
        d[10:14, 2:5] = 5
        d[39] = 6
        d = f.create_dataset(f"sparse_fixed/{compression}", (40, 6), "<i4", chunks=(3, 4), fillvalue=9, **c)
        d[17, 3] = 1
    early(f, "implicit", values(rng, (7, 6), "<i2"), (2, 4))


def filters(f, rng):
    data = values(rng, (9, 11), "<i4")
    for name, options in {
        "gzip": dict(compression="gzip", compression_opts=9), "lzf": dict(compression="lzf"), "shuffle": dict(shuffle=True),
        "fletcher": dict(fletcher32=True), "all": dict(compression="gzip", shuffle=True, fletcher32=True),
        "lzf_all": dict(compression="lzf", shuffle=True, fletcher32=True),
    }.items():
        f.create_dataset(name, data=data, chunks=(4, 5), **options)
    f.create_dataset("lzf_noise", data=rng.integers(0, 256, (9, 50), dtype="u1"), chunks=(4, 50), compression="lzf")
    f.create_dataset("lzf_runs", data=np.repeat(np.arange(4, dtype="u1"), 500).reshape(4, 500), chunks=(2, 500), compression="lzf")
    f.create_dataset("odd", data=rng.integers(0, 256, 7, dtype="u1"), chunks=(7,), fletcher32=True, shuffle=True)
    f.create_dataset("szip_like", data=data, chunks=(4, 5), scaleoffset=0)


def types(f, rng):
    for kind in TYPES:
        f["numbers/" + kind.strip("<>").replace("?", "bool") + ("_big" if kind[0] == ">" else "")] = values(rng, (4, 3), kind)
    f["enum"] = np.array([0, 2, 1], "i2")
    f.create_dataset("colors", data=np.array([0, 2, 1], "i2"), dtype=h5py.enum_dtype({"RED": 0, "GREEN": 1, "BLUE": 2}, "i2"))
    f.create_dataset("vectors", (4,), np.dtype(("<f4", (3,))))[...] = np.arange(12, dtype="<f4").reshape(4, 3)
    f["text/fixed"] = np.array([b"red", b"green", b""], "S5")
    f.create_dataset("text/variable", data=["blue", "", "größer"], dtype=h5py.string_dtype())
    f.create_dataset("text/utf8", data=np.array(["ab".encode(), "é".encode()], dtype=h5py.string_dtype("utf-8", 4)))
    f.create_dataset("text/chunked", data=[f"row {i}" for i in range(20)], dtype=h5py.string_dtype(), chunks=(7,), compression="gzip")
    f["compound"] = np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")])
    f["complex"] = np.array([1 + 2j])
    f["long"] = np.zeros(3, np.longdouble)
    d = f.create_dataset("lists", (2,), h5py.vlen_dtype("i4"))
    d[0] = [1, 2]
    f["named"] = np.dtype("<i8")
    f.create_dataset("of_named", data=np.arange(3), dtype=f["named"])
    d = f["numbers/f4"]
    d.attrs["units"] = "m s-1"
    d.attrs["fixed"] = np.bytes_("K")
    d.attrs["scale_factor"] = 0.5
    d.attrs["range"] = np.array([1, 9], ">i2")
    d.attrs["labels"] = ["a", "bc"]
    d = f["numbers/f8"]
    for i in range(20):
        d.attrs[f"attribute_{i:02}"] = i


def groups(f, rng):
    f["a/b/c/deep"] = np.arange(3)
    for i in range(60):
        f[f"many/member_{i:03}"] = np.int32(i)
    f["soft"] = h5py.SoftLink("/a/b/c/deep")
    f["a/relative"] = h5py.SoftLink("b/c/deep")
    f["a/group"] = h5py.SoftLink("/a/b")
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["round"] = h5py.SoftLink("/round")
    f["external"] = h5py.ExternalLink("other.h5", "/data")
    f["hard"] = f["a/b/c/deep"]
    f["a/cycle"] = f["a"]
    f.create_group("nothing")
    f["spaces and: colons"] = np.arange(2)


def indexes(f, rng):
    """Indexes of several levels: pages, super blocks, nodes."""
    n = 300 if f.libver[0] == "earliest" else 3000
    f.create_dataset("fixed", data=np.arange(n, dtype="<i2"), chunks=(1,))
    f.create_dataset("extensible", data=np.arange(n, dtype="<i2"), chunks=(1,), maxshape=(None,))
    f.create_dataset("tree", data=np.arange(n, dtype="<i2").reshape(n // 50, 50), chunks=(1, 1), maxshape=(None, None))
    d = f.create_dataset("fixed_sparse", (100000,), "u1", chunks=(8,), fillvalue=1)
    d[50000], d[99999] = 3, 4
    d = f.create_dataset("extensible_sparse", (200000,), "u1", chunks=(2,), maxshape=(None,), fillvalue=1)
    d[1], d[150000], d[199999] = 2, 3, 4


def virtual(f, rng):
    layout = h5py.VirtualLayout(shape=(4,), dtype="i4")
    layout[:] = h5py.VirtualSource("other.h5", "x", shape=(4,))
    f.create_virtual_dataset("virtual", layout)
    f.create_dataset("elsewhere", (4,), "i4", external=[("values.bin", 0, 16)])


def random(f, rng):
    for i in range(COUNT):
        rank = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(1, [40, 12, 7, 5][rank - 1] + 1, rank))
        options = {}
        if rng.random() < 0.8:
            options["chunks"] = tuple(int(rng.integers(1, n + 2)) for n in shape)
            limits = [None if rng.random() < 0.3 else n + int(rng.integers(0, 4)) for n in shape]
            limits = tuple(None if limit is None else max(limit, c) for limit, c in zip(limits, options["chunks"]))
            options["maxshape"] = limits
            options["shuffle"] = bool(rng.random() < 0.4)
            options["fletcher32"] = bool(rng.random() < 0.3)
            options["compression"] = [None, "gzip", "lzf"][int(rng.integers(0, 3))]
        data = values(rng, shape, TYPES[int(rng.integers(0, len(TYPES)))])
        d = f.create_dataset(f"d{i:03}", shape, data.dtype, **options)
        if rng.random() < 0.7:
            d[...] = data
        else:
            part = tuple(slice(*sorted(rng.integers(0, n + 1, 2))) for n in shape)
            d[part] = data[part]


def describe(f):
    """What h5py reads: of numbers the digest of their bytes, little-endian in C order."""
    out = {}

    def visit(name, d):
        if not isinstance(d, h5py.Dataset):
            return
        item = {"type": str(d.dtype), "shape": list(d.shape) if d.shape is not None else None}
        if d.dtype.base.kind in "biuf" and d.shape is not None and d.dtype.base.itemsize <= 8:
            try:
                data = d[()]
            except OSError:
                data = None
            if data is not None:
                data = np.asarray(data)
                item["shape"] = list(data.shape)
                item["type"] = data.dtype.newbyteorder("=").name
                item["sha256"] = hashlib.sha256(data.astype(data.dtype.newbyteorder("<")).tobytes()).hexdigest()
        elif h5py.check_string_dtype(d.dtype):
            item["texts"] = [t.decode() if isinstance(t, bytes) else t for t in d[()].ravel()]
        if len(d.attrs):
            item["attributes"] = {k: v.decode() if isinstance(v, bytes) else np.asarray(v).tolist() for k, v in d.attrs.items()}
        out[name] = item

    f.visititems(visit)
    return out


def main():
    FOLDER.mkdir(exist_ok=True)
    found = {}
    for number, make in enumerate([layouts, filters, types, groups, indexes, virtual, random]):
        for version in VERSIONS:
            if make in (indexes, virtual, groups, filters) and version not in ("earliest", "latest"):
                continue
            name = f"{make.__name__}_{version}.h5"
            with h5py.File(FOLDER / name, "w", libver=version if version == "earliest" else (version, version), track_order=None) as f:
                make(f, np.random.default_rng(number * 100 + VERSIONS.index(version)))
            with h5py.File(FOLDER / name) as f:
                found[name] = describe(f)
    with h5py.File(FOLDER / "userblock.h5", "w", userblock_size=1024) as f:
        f.create_dataset("x", data=np.arange(12, dtype="<i4").reshape(4, 3), chunks=(2, 3), compression="gzip")
        f["group/y"] = np.arange(3)
    with h5py.File(FOLDER / "userblock.h5") as f:
        found["userblock.h5"] = describe(f)
    with h5py.File(FOLDER / "ordered.h5", "w", libver="latest", track_order=True) as f:
        for i in range(12):
            f[f"z{11 - i:02}"] = np.arange(i + 1)
        f["z00"].attrs["a"] = 1
    with h5py.File(FOLDER / "ordered.h5") as f:
        found["ordered.h5"] = describe(f)
    text = json.dumps({"h5py": h5py.__version__, "hdf5": h5py.version.hdf5_version, "files": found}, indent=1, ensure_ascii=False)
    (FOLDER / "values.json").write_text(text + "\n")


main()
