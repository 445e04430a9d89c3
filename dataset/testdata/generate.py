"""Writes the arrays that the tests read, and expected.json with what is in them.

    /usr/bin/python3 generate.py        (NumPy 1.24)
"""
import io
import json
import pathlib
import struct
import zipfile
import zlib

import numpy as np

out = pathlib.Path(__file__).parent
(out / "bad").mkdir(exist_ok=True)
rng = np.random.default_rng(3)
expected = {}


def describe(a):
    values = a.astype(float).flatten().tolist() if a.dtype.kind == "f" else a.astype(object).flatten().tolist()
    return {"dtype": a.dtype.name, "shape": list(a.shape), "data": [int(v) if isinstance(v, bool) else v for v in values]}


def npy(name, a, version=None):
    with open(out / name, "wb") as f:
        np.lib.format.write_array(f, np.asanyarray(a), version=version)
    expected[name] = describe(np.asanyarray(a))


def handmade(name, header, data, version=(1, 0), pad=True):
    text = header.encode()
    length = "<H" if version == (1, 0) else "<I"
    if pad:
        text += b" " * (-(8 + struct.calcsize(length) + len(text) + 1) % 64) + b"\n"
    (out / name).write_bytes(b"\x93NUMPY" + bytes(version) + struct.pack(length, len(text)) + text + data)


for code in ["u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8"]:
    info = np.iinfo(code)
    low, high = max(info.min, -2**53), min(info.max, 2**53)
    npy(f"{code}.npy", np.array([low, 0, 1, high, high // 3, 7], dtype=code).reshape(3, 2))
for code in ["f2", "f4", "f8"]:
    npy(f"{code}.npy", rng.normal(size=(4, 3)).astype(code))
    npy(f"{code}_big.npy", rng.normal(size=(4, 3)).astype(">" + code))
npy("i4_big.npy", np.arange(-3, 3, dtype=">i4"))
npy("bool.npy", np.array([[True, False], [False, True], [True, True]]))
npy("scalar.npy", np.float32(2.5))
npy("empty.npy", np.zeros((0, 4, 4), np.uint8))
npy("empty_rows.npy", np.zeros((3, 0), np.float32))
npy("fortran2.npy", np.asfortranarray(rng.integers(0, 256, (5, 3), dtype=np.uint8)))
npy("fortran3.npy", np.asfortranarray(rng.normal(size=(5, 3, 4)).astype("f4")))
npy("fortran_big.npy", np.asfortranarray(np.arange(24).reshape(4, 3, 2).astype(">f8")))
npy("v2.npy", rng.normal(size=(2, 3)), version=(2, 0))
npy("v3.npy", rng.normal(size=(2, 3)), version=(3, 0))
npy("frames.npy", rng.integers(0, 256, (30, 6, 5), dtype=np.uint8))
npy("clips.npy", rng.integers(0, 256, (4, 2, 3, 6, 5), dtype=np.uint8))

# Headers that other writers make.
plain = np.arange(6, dtype="<f4").reshape(3, 2)
for name, header in {
    "other_order.npy": "{'shape': (3, 2), 'fortran_order': False, 'descr': '<f4'}",
    "double_quotes.npy": '{"descr": "<f4", "fortran_order": False, "shape": (3, 2)}',
    "python2.npy": "{'descr': u'<f4', 'fortran_order': False, 'shape': (3L, 2L), }",
    "tight.npy": "{'descr':'<f4','fortran_order':False,'shape':(3,2,),}",
    "list_shape.npy": "{'descr': '<f4', 'fortran_order': False, 'shape': [3, 2]}",
}.items():
    handmade(name, header, plain.tobytes(), pad=name != "tight.npy")
    expected[name] = describe(plain)
handmade("no_comma.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", plain.tobytes())
expected["no_comma.npy"] = describe(plain.flatten())

bad = {
    "no_dict": "[1, 2]", "empty_dict": "{}", "no_shape": "{'descr': '<f4', 'fortran_order': False}",
    "negative": "{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 2)}",
    "huge": "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,)}",
    "overflow": "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296)}",
    "object": "{'descr': '|O', 'fortran_order': False, 'shape': (3, 2)}",
    "complex": "{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}",
    "text": "{'descr': '<U4', 'fortran_order': False, 'shape': (3,)}",
    "records": "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}",
    "code": "{'descr': '<f4', 'fortran_order': False, 'shape': (exit(),)}",
    "twice": "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}",
    "unclosed": "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2",
    "unknown_key": "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), 'extra': 1}",
    "longer": "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}",
    "shorter": "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3)}",
}
for name, header in bad.items():
    handmade(f"bad/{name}.npy", header, plain.tobytes())
(out / "bad/magic.npy").write_bytes(b"\x93NUMPX\x01\x00" + bytes(70))
(out / "bad/version.npy").write_bytes(b"\x93NUMPY\x09\x00" + bytes(70))
(out / "bad/empty.npy").write_bytes(b"")

arrays = {"frames": rng.integers(0, 256, (7, 4, 4), dtype=np.uint8), "episode": np.repeat([4, 9], [3, 4]).astype("i8"),
          "half": np.asfortranarray(rng.normal(size=(7, 3)).astype("f2"))}
np.savez(out / "stored.npz", **arrays)
np.savez_compressed(out / "deflated.npz", **arrays)
np.savez(out / "single.npz", frames=arrays["frames"])
for key, a in arrays.items():
    expected[f"stored.npz:{key}"] = expected[f"deflated.npz:{key}"] = describe(a)
expected["single.npz"] = describe(arrays["frames"])


def member(a):
    buffer = io.BytesIO()
    np.save(buffer, a)
    return buffer.getvalue()


stored = (out / "stored.npz").read_bytes()
(out / "bad/truncated.npz").write_bytes(stored[:-30])
flipped = bytearray(stored)
flipped[flipped.index(b"'fortran_order'") + 200] ^= 1
(out / "bad/flipped.npz").write_bytes(flipped)
# An honest zip bomb, whose header says that it holds four values.
with zipfile.ZipFile(out / "bad/bomb.npz", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.npy", member(np.zeros(4, "f4")) + bytes(3_000_000))
# One that lies about its size in the directory.
small = io.BytesIO()
with zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.npy", member(np.zeros(4, "f4")))
data = bytearray(small.getvalue())
central = data.index(b"PK\x01\x02")
struct.pack_into("<I", data, central + 24, 0xf0000000)
(out / "bad/lying.npz").write_bytes(data)
with zipfile.ZipFile(out / "bad/none.npz", "w") as z:
    z.writestr("readme.txt", "nothing here")


def safetensors(name, header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    (out / name).write_bytes(struct.pack("<Q", len(text)) + text + data)


bf16 = np.array([0x3f80, 0xc000, 0x3e80], "<u2")
x = rng.normal(size=(2, 3)).astype("<f4")
y = np.array([1, -2, 3], "<i8")
safetensors("weights.safetensors", {"__metadata__": {"format": "pt"}, "x": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
                                    "y": {"dtype": "I64", "shape": [3], "data_offsets": [24, 48]},
                                    "b": {"dtype": "BF16", "shape": [3], "data_offsets": [48, 54]},
                                    "scalar": {"dtype": "F32", "shape": [], "data_offsets": [54, 58]},
                                    "none": {"dtype": "F32", "shape": [0, 2], "data_offsets": [58, 58]}},
            x.tobytes() + y.tobytes() + bf16.tobytes() + np.float32(7).tobytes())
expected["weights.safetensors:x"] = describe(x)
expected["weights.safetensors:y"] = describe(y)
expected["weights.safetensors:b"] = {"dtype": "bfloat16", "shape": [3], "data": [1, -2, 0.25]}
expected["weights.safetensors:scalar"] = describe(np.float32(7))
expected["weights.safetensors:none"] = describe(np.zeros((0, 2), "f4"))
entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
safetensors("bad/overlap.safetensors", {"a": entry, "b": {**entry, "data_offsets": [4, 12]}}, bytes(12))
safetensors("bad/truncated.safetensors", {"a": {"dtype": "F32", "shape": [200], "data_offsets": [0, 800]}}, bytes(12))
safetensors("bad/size.safetensors", {"a": {**entry, "shape": [3]}}, bytes(8))
safetensors("bad/overflow.safetensors", {"a": {**entry, "shape": [2**62, 4]}}, bytes(8))
safetensors("bad/twice.safetensors", b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', bytes(8))
safetensors("bad/json.safetensors", b'{"a":{"dtype":"F32"', bytes(8))
(out / "bad/header.safetensors").write_bytes(struct.pack("<Q", 1 << 60) + b"{}")


def png(path, a, depth=8, colour=None):
    """Writes grey [H,W], RGB [H,W,3] or RGBA [H,W,4] pixels, or palette indices."""
    height, width = a.shape[:2]
    kind = {2: 0, 3: {3: 2, 4: 6}.get(a.shape[-1])}[a.ndim] if colour is None else 3

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = a.astype(">u2" if depth == 16 else "u1").reshape(height, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    palette = b"" if colour is None else chunk(b"PLTE", np.asarray(colour, "u1").tobytes())
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)) + palette +
                     chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


grey = rng.integers(0, 256, (12, 4, 5), dtype=np.uint8)
for i, a in enumerate(grey):
    png(out / f"grey/frame{i}.png", a)
expected["grey"] = describe(grey)
rgb = rng.integers(0, 256, (3, 4, 5, 3), dtype=np.uint8)
for i, a in enumerate(rgb):
    png(out / f"rgb/{i:03}.png", a)
expected["rgb"] = describe(rgb.transpose(0, 3, 1, 2))
deep = rng.integers(0, 65536, (2, 3, 3), dtype=np.uint16)
for i, a in enumerate(deep):
    png(out / f"deep/{i}.png", a, depth=16)
expected["deep"] = describe(deep)
indices = rng.integers(0, 4, (3, 3), dtype=np.uint8)
png(out / "palette/0.png", indices, colour=[[9, 9, 9], [50, 50, 50], [100, 100, 100], [255, 255, 255]])
expected["palette"] = describe(np.array([9, 50, 100, 255], np.uint8)[indices][None])
png(out / "bad/mixed/a2.png", grey[0])
png(out / "bad/mixed/a10.png", grey[0, :3])
png(out / "bad/colours/a.png", grey[0])
png(out / "bad/colours/b.png", rgb[0])
transparent = np.full((2, 2, 4), 255, np.uint8)
transparent[1, 0, 3] = 7
png(out / "bad/alpha/a.png", transparent)
png(out / "bad/cut/a.png", grey[0])
png(out / "bad/cut/b.png", grey[1])
cut = out / "bad/cut/b.png"
cut.write_bytes(cut.read_bytes()[:50])
png(out / "bad/large/a.png", grey[0])
large = bytearray((out / "bad/large/a.png").read_bytes())
struct.pack_into(">II", large, 16, 60000, 60000)
struct.pack_into(">I", large, 29, zlib.crc32(bytes(large[12:29])))
(out / "bad/large/a.png").write_bytes(large)

(out / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")
