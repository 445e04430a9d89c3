"""Writes photos.json: WebP and JPEG files of every kind, and files of all formats with an orientation, and the pixels
that Pillow reads from them, turned upright by ImageOps.exif_transpose.

    python photos.py            # Pillow 13.0.0, NumPy 2.4.6
"""
import base64
import io
import json
import os
import struct
import zlib

import numpy as np
import PIL
from PIL import Image, ImageOps

rng = np.random.default_rng(39)
files = []


def photo(height, width, channels=3):
    """A smooth picture with an edge and some noise."""
    y, x = np.mgrid[:height, :width]
    planes = [120 + 90 * np.sin(x / 3 + k) * np.cos(y / (2 + k)) + 60 * (x + k * y > width / 2) for k in range(channels)]
    a = np.stack(planes, -1) + rng.normal(0, 6, (height, width, channels))
    return np.clip(np.rint(a), 0, 255).astype(np.uint8)


def exif(orientation, order="<", size=3):
    """Exif metadata with the orientation between other entries."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    value = struct.pack(order + ("HH" if size == 3 else "I"), *((orientation, 0) if size == 3 else (orientation,)))
    entries = [struct.pack(order + "HHIHH", 259, 3, 1, 6, 0), struct.pack(order + "HHI", 274, size, 1) + value,
               struct.pack(order + "HHIHH", 296, 3, 1, 2, 0)]
    return mark + struct.pack(order + "IH", 8, len(entries)) + b"".join(entries) + struct.pack(order + "I", 0)


def saved(image, kind, **options):
    b = io.BytesIO()
    image.save(b, kind, **options)
    return b.getvalue()


def add(name, data, ending, gray=False, tolerance=0, error="", note=""):
    with Image.open(io.BytesIO(data)) as im:
        values = np.asarray(ImageOps.exif_transpose(im).convert("L" if gray else "RGB"))
    values = values if gray else values.transpose(2, 0, 1)
    files.append({"name": name + ending, "data": base64.b64encode(data).decode(), "shape": list(values.shape), "tolerance": tolerance,
                  "pixels": base64.b64encode(values.tobytes()).decode(), "error": error, "note": note})


def with_chunk(png, kind, content):
    """A PNG file with a chunk before its end."""
    chunk = struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return png[:-12] + chunk + png[-12:]


XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' \
      '<rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="%d"/></rdf:RDF></x:xmpmeta>'

# WebP.
for height, width in ((1, 1), (1, 2), (2, 1), (5, 7), (16, 16), (17, 33), (40, 30)):
    for quality in (20, 95):
        add(f"lossy_{width}x{height}_{quality}", saved(Image.fromarray(photo(height, width)), "webp", quality=quality), ".webp")
    add(f"lossless_{width}x{height}", saved(Image.fromarray(photo(height, width)), "webp", lossless=True), ".webp")
add("one_color", saved(Image.new("RGB", (900, 900), (10, 200, 30)).crop((0, 0, 60, 40)), "webp", lossless=True), ".webp")
half = np.dstack([photo(9, 12), np.full((9, 12), 255, np.uint8)])
half[4, 5, 3] = 90
for lossless in (True, False):
    label = "lossless" if lossless else "lossy"
    add(f"{label}_transparent", saved(Image.fromarray(half, "RGBA"), "webp", lossless=lossless, exact=True), ".webp",
        error="pixel at column 5, row 4 is transparent; remove the alpha channel", note="alpha channel")
frames = [Image.fromarray(photo(8, 8)) for _ in range(3)]
add("animated", saved(frames[0], "webp", save_all=True, append_images=frames[1:]), ".webp", error="is an animated WebP")

# JPEG: libjpeg rounds its cosine transform in another way.
for label, options in {"444": {"subsampling": 0}, "422": {"subsampling": 1}, "420": {"subsampling": 2}}.items():
    for progressive in (False, True):
        add(f"{label}{'_progressive' if progressive else ''}",
            saved(Image.fromarray(photo(21, 35)), "jpeg", quality=90, progressive=progressive, **options), ".jpg",
            tolerance=3)
for progressive in (False, True):
    add(f"gray{'_progressive' if progressive else ''}",
        saved(Image.fromarray(photo(21, 35, 1)[:, :, 0]), "jpeg", quality=90, progressive=progressive), ".jpg", gray=True, tolerance=1)
add("restart", saved(Image.fromarray(photo(40, 40)), "jpeg", quality=90, subsampling=0, restart_marker_blocks=2), ".jpg", tolerance=3)
add("cmyk", saved(Image.fromarray(photo(16, 16, 4), "CMYK"), "jpeg", quality=90), ".jpg", error="CMYK")

# Orientations.
turned = "as their Exif orientation says"
upright = photo(3, 5)
for o in range(10):
    note = turned if 2 <= o <= 8 else ""
    for order in "<>":
        label = f"orientation{o}{'le' if order == '<' else 'be'}"
        whole = photo(16, 24, 1)[:, :, 0]
        add(label, saved(Image.fromarray(whole), "jpeg", quality=95, exif=b"Exif\0\0" + exif(o, order)), ".jpg", gray=True, tolerance=1, note=note)
        add(label, with_chunk(saved(Image.fromarray(upright), "png"), b"eXIf", exif(o, order)), ".png", note=note)
        add(label, saved(Image.fromarray(upright), "webp", lossless=True, exif=exif(o, order)), ".webp", note=note)
    add(f"orientation{o}long", saved(Image.fromarray(upright), "webp", lossless=True, exif=b"Exif\0\0" + exif(o, size=4)), ".webp", note=note)
    if o:
        add(f"orientation{o}", saved(Image.fromarray(upright), "tiff", tiffinfo={274: o}), ".tif", note=note)
add("xmp6", saved(Image.fromarray(upright), "webp", lossless=True, xmp=(XMP % 6).encode()), ".webp", note=turned)
add("xmp6", saved(Image.fromarray(photo(16, 24, 1)[:, :, 0]), "jpeg", quality=95, xmp=(XMP % 6).encode()), ".jpg", gray=True, tolerance=1, note=turned)
add("xmp8", with_chunk(saved(Image.fromarray(upright), "png"), b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + (XMP % 8).encode()), ".png", note=turned)
add("exif3xmp6", saved(Image.fromarray(upright), "webp", lossless=True, exif=exif(3), xmp=(XMP % 6).encode()), ".webp", note=turned)

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "photos.json"), "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(x, separators=(",", ":")) for x in files) + "\n]\n")
print(len(files), "files, Pillow", PIL.__version__, "NumPy", np.__version__)
