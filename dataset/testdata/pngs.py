"""Writes pngs.json: PNG files of every kind of sample, with tRNS and gAMA, plain and interlaced, and the pixels that Pillow
reads from them. Samples of 16 bits in colors, which Pillow halves, are those that were written, whose upper bytes Pillow has.

    python pngs.py            # Pillow 13.0.0, NumPy 2.4.6
"""
import base64
import io
import json
import os
import struct
import zlib

import numpy as np
import PIL
from PIL import Image

rng = np.random.default_rng(67)
GRAY, RGB, PALETTE, GRAY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGB_ALPHA: 4}
# First column and row, and steps, of the passes of an interlaced image.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def rows(samples, depth):
    """Lines without a filter of samples [height, width, channels]."""
    out = b""
    for line in samples.reshape(len(samples), -1):
        bits = "".join(f"{int(v):0{depth}b}" for v in line)
        bits += "0" * (-len(bits) % 8)
        out += b"\0" + bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    return out


def png(samples, kind, depth, interlaced, chunks):
    height, width, _ = samples.shape
    data = rows(samples, depth)
    if interlaced:
        parts = [samples[y::down, x::right] for x, y, right, down in PASSES]
        data = b"".join(rows(p, depth) for p in parts if p.size)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunks) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def pixels(data, samples, kind, depth, gray):
    """What Pillow reads, as [height, width] or [3, height, width]."""
    with Image.open(io.BytesIO(data)) as im:
        if kind == GRAY:
            if depth == 16:
                assert (np.asarray(im) == samples[:, :, 0]).all()
                return samples[:, :, 0]
            return np.asarray(im.convert("L"))
        if kind == GRAY_ALPHA:
            assert (np.asarray(im.convert("LA"))[:, :, 0] == samples[:, :, 0] >> depth - 8).all()
            return samples[:, :, 0]
        colors = np.asarray(im.convert("RGB"))
        if depth == 16:
            assert (colors == samples[:, :, :3] >> 8).all()
            colors = samples[:, :, :3]
        return colors[:, :, 0] if gray else colors.transpose(2, 0, 1)


files = []


def add(name, samples, kind, depth, interlaced=False, chunks=(), gray=False, error="", note=""):
    data = png(samples, kind, depth, interlaced, chunks)
    values = pixels(data, samples, kind, depth, gray)
    files.append({"name": name, "png": base64.b64encode(data).decode(), "shape": list(values.shape), "deep": depth == 16,
                  "pixels": [int(v) for v in values.reshape(-1)], "error": error, "note": note})


def gamma(v):
    return chunk(b"gAMA", struct.pack(">I", round(v * 100000)))


marked = "the chunk tRNS marks"
for interlaced in (False, True):
    way = "_interlaced" if interlaced else ""
    for depth in (1, 2, 4, 8, 16):
        top = 1 << depth
        for height, width in ((1, 2), (5, 9)):
            size = f"_{width}x{height}{way}"
            x = rng.integers(0, top, (height, width, 1))
            x[0, 0], x[0, 1] = top - 1, 0
            add(f"gray{depth}{size}", x, GRAY, depth, interlaced)
            add(f"gray{depth}_gamma{size}", x, GRAY, depth, interlaced, [gamma(0.35)], note="gamma")
            add(f"gray{depth}_marked{size}", x, GRAY, depth, interlaced, [chunk(b"tRNS", struct.pack(">H", int(x[0, 0, 0])))], error=marked)
            if depth > 2:
                y = np.where(x == 3, 5, x)
                add(f"gray{depth}_marked_none{size}", y, GRAY, depth, interlaced, [chunk(b"tRNS", struct.pack(">H", 3))], note="tRNS")
            if depth > 8:
                continue
            # A palette of as many colors as there are, or of fewer.
            for entries in {2, top}:
                z = rng.integers(0, entries, (height, width, 1))
                z[0, 0], z[0, 1] = 1, 0
                colors = rng.integers(0, 256, (entries, 3), np.uint8)
                colors[:2] = [[255, 0, 10], [0, 128, 255]]
                plte = chunk(b"PLTE", colors.tobytes())
                label = f"palette{depth}_{entries}"
                add(label + size, z, PALETTE, depth, interlaced, [plte])
                add(f"{label}_opaque{size}", z, PALETTE, depth, interlaced, [plte, chunk(b"tRNS", b"\xff" * entries)])
                add(f"{label}_transparent{size}", z, PALETTE, depth, interlaced, [plte, chunk(b"tRNS", b"\xff\x00")], error=marked)
                add(f"{label}_half{size}", z, PALETTE, depth, interlaced, [plte, chunk(b"tRNS", b"\x80")], error=marked)
                if entries > 2:
                    unused = np.where(z == 2, 3, z)
                    add(f"{label}_unused{size}", unused, PALETTE, depth, interlaced, [plte, chunk(b"tRNS", b"\xff\xff\x00")], note="tRNS")
                grays = chunk(b"PLTE", np.repeat(colors[:, 1:2], 3, 1).tobytes())
                add(f"{label}_grays{size}", z, PALETTE, depth, interlaced, [grays], gray=True)
                add(f"{label}_gamma{size}", z, PALETTE, depth, interlaced, [gamma(1), plte, chunk(b"tRNS", b"\xff")], note="gamma")
    for depth in (8, 16):
        top = 1 << depth
        x = rng.integers(0, top, (3, 5, 4))
        x[:, :, 3] = top - 1
        add(f"rgb{depth}{way}", x[:, :, :3], RGB, depth, interlaced)
        add(f"rgb{depth}_srgb{way}", x[:, :, :3], RGB, depth, interlaced, [chunk(b"sRGB", b"\0"), gamma(0.45455)])
        add(f"rgb{depth}_gamma{way}", x[:, :, :3], RGB, depth, interlaced, [gamma(0.55)], note="gamma")
        key = chunk(b"tRNS", struct.pack(">3H", *(int(v) for v in x[1, 2, :3])))
        add(f"rgb{depth}_marked{way}", x[:, :, :3], RGB, depth, interlaced, [key], error=marked)
        other = chunk(b"tRNS", struct.pack(">3H", *(int(v) for v in x[1, 2, [0, 0, 0]])))
        add(f"rgb{depth}_marked_none{way}", x[:, :, :3], RGB, depth, interlaced, [other], note="tRNS")
        add(f"rgba{depth}{way}", x, RGB_ALPHA, depth, interlaced, note="alpha channel")
        add(f"gray_alpha{depth}{way}", x[:, :, 2:], GRAY_ALPHA, depth, interlaced, note="alpha channel")
        x = x.copy()
        x[1, 1, 3] = top // 2
        add(f"rgba{depth}_half{way}", x, RGB_ALPHA, depth, interlaced, error="remove the alpha channel")
        add(f"gray_alpha{depth}_half{way}", x[:, :, 2:], GRAY_ALPHA, depth, interlaced, error="remove the alpha channel")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pngs.json"), "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(x, separators=(",", ":")) for x in files) + "\n]\n")
print(len(files), "files, Pillow", PIL.__version__, "NumPy", np.__version__)
