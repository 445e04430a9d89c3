"""Writes resizes.tar.gz: Resize with random settings, in the ONNX node-test format, with the outputs of ONNX Runtime; see README.md and
cases.py. Sizes that stay under a scale other than 1 are left out in the modes where PyTorch's numbers are followed.

    python resizes.py
"""
import numpy as np

import cases

archive = cases.Cases(59)
rng = archive.rng
COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"]


def constant(values, kind):
    return ("const", np.array(values, kind))


count = {}
while len(archive.cases) < 260:
    mode, coordinates = str(rng.choice(["nearest", "linear", "cubic"])), str(rng.choice(COORDINATES))
    opset = {"tf_half_pixel_for_nn": 11, "half_pixel_symmetric": 19}.get(coordinates) or int(rng.choice([11, 13, 18, 19]))
    spatial = 2 if mode == "cubic" else int(rng.choice([1, 2, 2, 3]))
    shape = [1, 2, *(int(n) for n in rng.integers(1, 9, spatial))]
    attributes = dict(mode=mode, coordinate_transformation_mode=coordinates)
    if mode == "nearest":
        attributes["nearest_mode"] = str(rng.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]))
    crop = coordinates == "tf_crop_and_resize"
    if mode == "cubic":
        attributes |= dict(cubic_coeff_a=float(rng.choice([-0.75, -0.5])), exclude_outside=int(not crop and rng.integers(0, 2)))
    scaled, chosen = rng.integers(0, 2) > 0, False
    if opset >= 18:
        if mode != "nearest" and spatial == 2 and rng.integers(0, 3) == 0:
            attributes["antialias"] = 1
        if chosen := rng.integers(0, 2) > 0:
            attributes["axes"] = list(range(2, 2 + spatial))
            if not scaled:
                attributes["keep_aspect_ratio_policy"] = str(rng.choice(["stretch", "not_larger", "not_smaller"]))
    lead = 0 if chosen else 2
    scales = np.round(rng.uniform(0.3, 3.3, spatial), 2).astype(np.float32)
    lengths = np.floor(np.array(shape[2:], np.float32) * scales).astype(int) if scaled else rng.integers(1, 12, spatial)
    if lengths.min() < 1 or scaled and (lengths == shape[2:]).any() or crop and (lengths == shape[2:]).any():
        continue
    region = None
    if crop:
        attributes["extrapolation_value"] = 7.0
        region = constant([0] * lead + list(np.round(rng.uniform(-0.1, 0.5, spatial), 2)) + [1] * lead + list(np.round(rng.uniform(0.5, 1.2, spatial), 2)), np.float32)
    elif opset < 13:
        region = constant([], np.float32)
    if scaled:
        last = [constant([1] * lead + list(scales), np.float32)]
    else:
        last = [constant([], np.float32) if opset < 13 else None, constant(shape[:lead] + list(lengths), np.int64)]
    name = f"{mode}_{coordinates}"
    count[name] = count.get(name, 0) + 1
    archive.case(f"resizes/{name}_{count[name]}", "Resize", opset, archive.normal(*shape), region, *last, **attributes)
# F.interpolate(x, scale_factor=1.6, mode="bilinear", align_corners=True) of [2, 4, 9, 11], as PyTorch exports it.
archive.case("resizes/pytorch_bilinear", "Resize", 18, archive.normal(2, 4, 9, 11), None, constant([1, 1, 1.6, 1.6], np.float32), mode="linear",
             coordinate_transformation_mode="align_corners")
# Integers, as files of quantized models have them.
for kind in (np.int8, np.uint8):
    for mode, coordinates in (("nearest", "asymmetric"), ("linear", "half_pixel")):
        x = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max + 1, (1, 2, 5, 4)).astype(kind)
        archive.case(f"resizes/{np.dtype(kind)}_{mode}_{coordinates}", "Resize", 13, x, None, constant([1, 1, 1.6, 2], np.float32), mode=mode,
                     coordinate_transformation_mode=coordinates, nearest_mode="floor", out=cases.TYPES[np.dtype(kind)])
archive.write("resizes.tar.gz")
