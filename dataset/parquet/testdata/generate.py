"""Writes Parquet files and values.json, which has the values that pyarrow reads from them: a digest of the bytes of each
column, its type and shape, or the error that it must be.

    python generate.py                    # the files of this folder; pyarrow 26.0.1, NumPy 2.4.6
    python generate.py random 400 FOLDER  # random files, for PARQUET_GOLDEN=FOLDER go test ./dataset/parquet
"""
import datetime
import decimal
import glob
import hashlib
import json
import os
import struct
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

TIMES = {"s": "ms", "ms": "ms", "us": "us", "ns": "ns"}
files = {}


def joined(column):
    """A column as one array, without extension types."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def numbers(values, t):
    """Values of a flat array as NumPy has them, NaN or NaT for null; None where integers have a null."""
    if pa.types.is_timestamp(t) or pa.types.is_date32(t) or pa.types.is_time(t):
        ints = values.cast(pa.int32() if pa.types.is_date32(t) or pa.types.is_time32(t) else pa.int64())
        a = np.array([-2**63 if v is None else v for v in ints.to_pylist()], "<i8")
        return a
    if values.null_count and not pa.types.is_floating(t):
        return None
    if pa.types.is_boolean(t):
        return np.array(values.to_pylist(), bool)
    if values.null_count:
        kind = {16: "<f2", 32: "<f4", 64: "<f8"}[t.bit_width]
        plain = [np.nan if v is None else v for v in values.to_pylist()]
        return np.array(plain, kind)
    return values.to_numpy(zero_copy_only=False)


def expected(name, column):
    """What the reader must give for a column, as {name: expectation}."""
    column = joined(column)
    t, shape, rows = column.type, [], len(column)
    if pa.types.is_struct(t):
        out = {}
        for i in range(t.num_fields):
            out.update(expected(f"{name}.{t.field(i).name}", column.flatten()[i]))
        return out
    while pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t):
        if len(column) == 0:
            return {name: {"type": "any", "shape": [0], "sha256": "", "error": "no rows"}}
        if column.null_count:
            return {name: {"error": "null"}}
        sizes = {len(v) for v in column.to_pylist()}
        if 0 in sizes:
            return {name: {"error": "empty list" if len(sizes) == 1 or len(column[0]) == 0 else " "}}
        if len(sizes) > 1:
            return {name: {"error": " "}}
        shape.append(sizes.pop())
        column = column.flatten()
        t = column.type
    if pa.types.is_decimal(t):
        return {name: {"error": "decimal"}}
    if pa.types.is_dictionary(t):
        column = column.dictionary_decode()
        t = column.type
    if pa.types.is_fixed_size_binary(t):
        return {name: {"error": "without a meaning"}}
    if pa.types.is_string(t) or pa.types.is_binary(t) or pa.types.is_large_string(t) or pa.types.is_large_binary(t):
        if shape:
            return {name: {"error": "want texts"}}
        h = hashlib.sha256()
        for v in column.to_pylist():
            if v is None:
                h.update(b"\0")
                continue
            raw = v.encode() if isinstance(v, str) else v
            h.update(b"\1" + struct.pack("<I", len(raw)) + raw)
        return {name: {"type": "text" if pa.types.is_string(t) or pa.types.is_large_string(t) else "bytes", "shape": [], "sha256": h.hexdigest()}}
    values = numbers(column, t)
    if values is None:
        return {name: {"error": "is null"}}
    kind = str(values.dtype)
    if pa.types.is_timestamp(t):
        kind = f"M8[{TIMES[t.unit]}]"
    elif pa.types.is_date32(t):
        kind = "M8[D]"
    elif pa.types.is_time(t):
        kind = f"m8[{TIMES[t.unit]}]"
    return {name: {"type": kind, "shape": shape, "sha256": hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()}}


def save(folder, name, table, want=None, **options):
    path = os.path.join(folder, name + ".parquet")
    pq.write_table(table, path, **options)
    back = pq.read_table(path)
    columns = {}
    for field, column in zip(back.schema.names, back.columns):
        columns.update(expected(field, column))
    columns.update(want or {})
    files[name + ".parquet"] = {"rows": back.num_rows, "columns": columns}


def vectors(rng, rows, size, kind=pa.float32(), fixed=False):
    values = pa.array(rng.normal(0, 9, rows * size).astype(kind.to_pandas_dtype()), kind)
    if fixed:
        return pa.FixedSizeListArray.from_arrays(values, size)
    return pa.ListArray.from_arrays(pa.array(np.arange(rows + 1) * size, pa.int32()), values)


def all_types(rng, n):
    """A column of every type."""
    words = ["", "a", "naïve", "longer than twelve bytes", "雪"]
    columns = {
        "bool": pa.array(rng.integers(0, 2, n).astype(bool)),
        "text": pa.array([words[i] for i in rng.integers(0, 5, n)]),
        "bytes": pa.array([bytes(rng.integers(0, 256, k, np.uint8)) for k in rng.integers(0, 9, n)], pa.binary()),
        "date": pa.array(rng.integers(-9000, 20000, n).astype("int32"), pa.int32()).cast(pa.date32()),
        "time32": pa.array(rng.integers(0, 86400000, n).astype("int32"), pa.time32("ms")),
        "time64": pa.array(rng.integers(0, 86400000, n), pa.time64("us")),
        "f2": pa.array(rng.normal(0, 3, n).astype("f2")),
    }
    for k in (8, 16, 32, 64):
        for sign in "iu":
            t = np.dtype(f"{sign}{k // 8}")
            i = np.iinfo(t)
            columns[f"{sign}{k}"] = pa.array(rng.integers(i.min, i.max, n, t, endpoint=True))
    for k in (32, 64):
        columns[f"f{k}"] = pa.array(rng.normal(0, 1e3, n).astype(f"f{k // 8}"))
    for unit in ("s", "ms", "us", "ns"):
        columns[f"at_{unit}"] = pa.array(rng.integers(-10**9, 10**9, n) * 1000, pa.timestamp(unit))
    return columns


def holed(rng, column, share):
    """A column with some values missing."""
    return pa.array([None if rng.random() < share else v for v in column], column.type)


def systematic(folder):
    rng = np.random.default_rng(59)
    n = 70
    plain = pa.table(all_types(rng, n))
    null = pa.table({k: holed(rng, c, 0.2) for k, c in all_types(rng, n).items()})
    for version in ("1.0", "2.4", "2.6"):
        for page in ("1.0", "2.0"):
            label = f"v{version[0]}{version[2]}_p{page[0]}"
            save(folder, f"types_{label}", plain, version=version, data_page_version=page, use_dictionary=False)
            save(folder, f"null_{label}", null, version=version, data_page_version=page)
    lists = pa.table({"e": vectors(rng, n, 8), "fixed": vectors(rng, n, 3, pa.int16(), True), "one": vectors(rng, n, 1, pa.float64()), "k": pa.array(np.arange(n))})
    for codec in ("none", "snappy", "gzip", "zstd", "lz4"):
        for page in ("1.0", "2.0"):
            save(folder, f"lists_{codec}_p{page[0]}", lists, compression=codec, data_page_version=page, data_page_size=300, write_page_checksum=page == "2.0",
                 row_group_size=29, write_batch_size=8, use_dictionary=["k"])
    save(folder, "brotli", lists, want={k: {"error": "compressed by brotli"} for k in lists.column_names}, compression="brotli")
    for encoding, names in {
        "DELTA_BINARY_PACKED": ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "at_ms", "date"],
        "DELTA_LENGTH_BYTE_ARRAY": ["text", "bytes"], "DELTA_BYTE_ARRAY": ["text", "bytes"],
        "BYTE_STREAM_SPLIT": ["f2", "f32", "f64", "i32", "i64"], "RLE": ["bool"], "PLAIN": ["i64", "text", "bool"],
    }.items():
        for page in ("1.0", "2.0"):
            for label, t in {"": plain, "_null": null}.items():
                save(folder, f"{encoding.lower()}_p{page[0]}{label}", t.select(names), use_dictionary=False, data_page_version=page,
                     column_encoding={k: encoding for k in names}, data_page_size=256, write_batch_size=16)
    stairs = pa.array(np.cumsum(rng.integers(-5, 6, 1000)))
    save(folder, "deltas_long", pa.table({"x": stairs, "y": pa.array(np.full(1000, 7))}), use_dictionary=False,
         column_encoding={"x": "DELTA_BINARY_PACKED", "y": "DELTA_BINARY_PACKED"})
    cube = pa.array(rng.normal(0, 1, (20, 3, 4)).tolist(), pa.list_(pa.list_(pa.float32())))
    deep = pa.FixedSizeListArray.from_arrays(pa.FixedSizeListArray.from_arrays(pa.array(rng.integers(0, 255, 20 * 6).astype("u1")), 2), 3)
    save(folder, "cubes", pa.table({"cube": cube, "deep": deep}), data_page_size=64, write_batch_size=5)
    save(folder, "groups", pa.table({"obs": pa.array([{"state": [1.0 * i, 2.0], "id": i, "deep": {"x": i}} for i in range(9)]), "list": pa.array([[1, 2]] * 9)}))
    ragged = {"a": [[1., 2.], [3.], [4., 5.]], "b": [[1.], [], [2.]], "c": [[1.], None, [2.]], "d": [[], [], []], "e": [None, [1.], [1.]],
              "f": [[1., None], [2., 3.], [None, None]], "g": [[1., 2.], [3., 4., 5.], [6.]], "h": [[1.], [2., 3.], [4.]]}
    save(folder, "ragged", pa.table({k: pa.array(v, pa.list_(pa.float32())) for k, v in ragged.items()}))
    save(folder, "ragged_deep", pa.table({"a": pa.array([[[1.], [2.]], [[3.], []]]), "b": pa.array([[[1.], [2.]], [[3.], None]]),
                                          "c": pa.array([[[1., 2.], [3.]], [[1., 2.], [3.]]]), "d": pa.array([[[1., 2.]], [[1.], [3.]]])}))
    save(folder, "ragged_null", pa.table({"a": pa.array([[1, 2], [3, None]])}))
    save(folder, "empty", pa.table({"x": pa.array([], pa.int64()), "t": pa.array([], pa.string())}))
    save(folder, "other", pa.table({"d": pa.array([decimal.Decimal("1.5")] * 3), "f": pa.array([b"abc"] * 3, pa.binary(3)),
                                    "c": pa.array(["x", "y", "x"]).dictionary_encode(), "n": pa.array([None] * 3, pa.float32())}))
    save(folder, "int96", pa.table({"at": pa.array(rng.integers(-10**17, 10**18, 30), pa.timestamp("ns"))}), use_deprecated_int96_timestamps=True)
    save(folder, "runs", pa.table({"x": pa.array(np.repeat([1, 2, 3], 400)), "s": pa.array(["a"] * 700 + ["b", None] * 250)}), compression="none")


def random(count, folder):
    for number in range(count):
        rng = np.random.default_rng([59, number])
        rows = int(rng.choice([1, 2, 7, 33, 100, 1000, 5000]))
        columns, encodings = {}, {}
        every = all_types(rng, rows)
        for name in rng.choice(list(every), 4, replace=False):
            columns[name] = every[name]
            if rng.random() < 0.4:
                columns[name] = holed(rng, every[name], rng.choice([0.01, 0.3, 0.9]))
        for k in range(2):
            size, kind = int(rng.integers(1, 40)), [pa.float32(), pa.float64(), pa.int8(), pa.uint16(), pa.int64()][rng.integers(5)]
            columns[f"list{k}"] = vectors(rng, rows, size, kind, bool(rng.integers(2)))
        if rng.random() < 0.3:
            columns["cube"] = pa.array(rng.integers(0, 9, (rows, int(rng.integers(1, 4)), int(rng.integers(1, 5)))).tolist(), pa.list_(pa.list_(pa.int32())))
        if rng.random() < 0.3:
            columns["ragged"] = pa.array([[1.0] * int(k) for k in rng.integers(0 if rng.random() < 0.5 else 1, 4, rows)], pa.list_(pa.float32()))
        if rng.random() < 0.4:
            columns["steps"] = pa.array(np.cumsum(rng.integers(-3, 4, rows)).astype("i4"))
            columns["classes"] = pa.array([f"class {k}" for k in rng.integers(0, 5, rows)])
        dictionary = bool(rng.integers(2))
        if not dictionary:
            for name, c in columns.items():
                if pa.types.is_integer(c.type) and rng.random() < 0.6:
                    encodings[name] = "DELTA_BINARY_PACKED"
                elif pa.types.is_string(c.type) or pa.types.is_binary(c.type):
                    encodings[name] = str(rng.choice(["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "PLAIN"]))
                elif pa.types.is_floating(c.type) and rng.random() < 0.6:
                    encodings[name] = "BYTE_STREAM_SPLIT"
        save(folder, f"random{number:04d}", pa.table(columns), version=str(rng.choice(["1.0", "2.4", "2.6"])), data_page_version=str(rng.choice(["1.0", "2.0"])),
             compression=str(rng.choice(["none", "snappy", "gzip", "zstd", "lz4"])), data_page_size=int(rng.choice([100, 2000, 1 << 20])),
             write_batch_size=int(rng.choice([3, 64, 1024])), row_group_size=int(rng.choice([5, 400, 10**6])) if rows < 500 else 2000,
             use_dictionary=dictionary, column_encoding=encodings or None, write_page_checksum=bool(rng.integers(2)),
             dictionary_pagesize_limit=int(rng.choice([64, 1 << 20])))


here = os.path.dirname(os.path.abspath(__file__))
if len(sys.argv) > 1:
    here = sys.argv[3]
    os.makedirs(here, exist_ok=True)
    random(int(sys.argv[2]), here)
else:
    for old in glob.glob(os.path.join(here, "*.parquet")):
        os.remove(old)
    systematic(here)
with open(os.path.join(here, "values.json"), "w") as f:
    f.write("{" + ",\n".join(json.dumps(k) + ": " + json.dumps(v, separators=(",", ":")) for k, v in files.items()) + "}\n")
print(len(files), "files, pyarrow", pa.__version__, "NumPy", np.__version__)
