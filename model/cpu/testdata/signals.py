"""Writes signals.tar.gz: cases of Fourier transforms, windows, sampling, poolings, blocks of pixels, bits and running products, in the ONNX
node-test format; see README.md. Outputs are ONNX Runtime's, or those of onnx's reference evaluator where it lacks the operator.

    python signals.py
"""
import numpy as np
from onnx import TensorProto, helper

from cases import TYPES, Cases

F, I = TensorProto.FLOAT, TensorProto.INT64
archive = Cases(29)
rng, normal, graph, case = archive.rng, archive.normal, archive.graph, archive.case


def const(*values, dtype=np.int64):
    return ("const", np.array(values, dtype))


def number(value, dtype=np.int64):
    return ("const", np.array(value, dtype))


# Transforms: of real and complex numbers, short and cut, on every axis; lengths of one factor and of several.
for n in (1, 2, 7, 12, 64, 127, 360):
    exact = dict(reference=n > 64)  # ONNX Runtime rounds the angles of long ones
    case(f"dft_real_{n}", "DFT", 17, normal(2, n, 1), **exact)
    case(f"dft_complex_{n}", "DFT", 17, normal(2, n, 2), **exact)
    case(f"dft_onesided_{n}", "DFT", 17, normal(2, n, 1), onesided=1, **exact)
    case(f"dft_inverse_{n}", "DFT", 17, normal(2, n, 2), inverse=1, **exact)
for length in (5, 8, 13):
    case(f"dft_length_{length}", "DFT", 17, normal(2, 8, 3, 1), number(length), axis=1)
    case(f"dft_length_axis_{length}", "DFT", 20, normal(2, 3, 8, 2), number(length), number(-2))
    case(f"dft_irfft_{length}", "DFT", 20, normal(2, 5, 2), number(length), number(1), inverse=1, onesided=1, reference=True)
case("dft_axis_0", "DFT", 17, normal(6, 4, 3, 2), axis=0)
case("dft_axis_2", "DFT", 19, normal(6, 4, 3, 2), axis=2)
case("dft_axis_2_input", "DFT", 20, normal(6, 4, 3, 1), None, number(2))
case("dft_axis_default", "DFT", 20, normal(2, 4, 6, 1))
case("dft_irfft_default", "DFT", 20, normal(2, 5, 3, 2), None, number(1), inverse=1, onesided=1, reference=True)

hann = np.hanning(17)[:-1].astype(np.float32)
case("stft", "STFT", 17, normal(2, 128, 1), number(8), ("const", hann), number(16))
case("stft_frames", "STFT", 17, normal(2, 100, 1), number(7), None, number(16))
case("stft_window", "STFT", 17, normal(2, 100, 1), number(16), ("const", hann))
case("stft_window_given", "STFT", 17, normal(2, 100, 1), number(5), normal(16), number(16))
case("stft_twosided", "STFT", 17, normal(2, 100, 1), number(20), ("const", hann), number(16), onesided=0)
case("stft_complex", "STFT", 17, normal(2, 100, 2), number(20), ("const", hann), number(16), onesided=0)
case("stft_long", "STFT", 17, normal(1, 1200, 1), number(160), ("const", np.hanning(401)[:-1].astype(np.float32)), number(400), reference=True)

for op in "HannWindow HammingWindow BlackmanWindow".split():
    for periodic in (0, 1):
        for n in (1 + (1 - periodic), 8, 13):
            case(f"{op.lower()}_{n}_{periodic}", op, 17, number(n), periodic=periodic)
for bins, length, rate, low, high in ((8, 16, 8192, 0, 4096), (10, 64, 16000, 20, 8000), (40, 400, 16000, 0, 8000), (5, 20, 8000, 300, 3000)):
    case(f"melweights_{bins}_{length}", "MelWeightMatrix", 17, number(bins), number(length), number(rate), number(low, np.float32), number(high, np.float32))

# Antialiased resizing.
image = normal(2, 3, 13, 17)
for mode in ("linear", "cubic"):
    for how in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"):
        case(f"resize_antialias_{mode}_{how}", "Resize", 18, image, None, None, const(2, 3, 5, 6), mode=mode, antialias=1, coordinate_transformation_mode=how)
    for sizes in ((20, 31), (5, 31), (13, 6), (1, 1), (3, 17), (12, 16)):
        case(f"resize_antialias_{mode}_{sizes[0]}_{sizes[1]}", "Resize", 19, image, None, None, const(*sizes), mode=mode, antialias=1, axes=[2, 3])
    case(f"resize_antialias_{mode}_scales", "Resize", 18, image, None, const(1, 1, 0.6, 0.3, dtype=np.float32), mode=mode, antialias=1)
    case(f"resize_antialias_{mode}_outside", "Resize", 18, image, None, None, const(2, 3, 5, 6), mode=mode, antialias=1, exclude_outside=1)
case("resize_antialias_slope", "Resize", 18, image, None, None, const(2, 3, 5, 6), mode="cubic", antialias=1, cubic_coeff_a=-0.5)
case("resize_antialias_smaller", "Resize", 18, image, None, None, const(6, 6), mode="linear", antialias=1, axes=[2, 3], keep_aspect_ratio_policy="not_larger")

# Sampling of volumes, and grids.
volume = normal(2, 3, 4, 5, 6)
for align in (0, 1):
    for padding in ("zeros", "border", "reflection"):
        for mode in ("linear", "nearest"):
            grid = rng.uniform(-1.6, 1.6, (2, 3, 2, 4, 3)).astype(np.float32)
            case(f"gridsample_volume_{mode}_{padding}_{align}", "GridSample", 20, volume, grid, mode=mode, padding_mode=padding, align_corners=align)
    case(f"affinegrid_{align}", "AffineGrid", 20, normal(2, 2, 3), const(2, 3, 4, 5), align_corners=align)
    case(f"affinegrid_volume_{align}", "AffineGrid", 20, normal(2, 3, 4), const(2, 3, 4, 5, 6), align_corners=align)

# Poolings.
for p in (1, 2, 3):
    case(f"lppool_{p}", "LpPool", 18, normal(2, 3, 7, 8), p=p, kernel_shape=[3, 2])
    case(f"lppool_{p}_strides", "LpPool", 18, normal(2, 3, 7, 8), p=p, kernel_shape=[3, 3], strides=[2, 3], pads=[1, 0, 2, 1])
    case(f"globallppool_{p}", "GlobalLpPool", 11, normal(2, 3, 4, 5), p=p)
case("lppool_1d", "LpPool", 11, normal(2, 3, 9), kernel_shape=[4], strides=[2])
case("lppool_3d", "LpPool", 18, normal(2, 2, 5, 4, 6), kernel_shape=[2, 3, 2])
case("lppool_dilations", "LpPool", 18, normal(2, 3, 9, 8), kernel_shape=[3, 2], dilations=[2, 3])
case("lppool_ceil", "LpPool", 18, normal(2, 3, 8, 8), kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
case("lppool_same", "LpPool", 18, normal(2, 3, 8, 7), kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_LOWER")
for shape, kernel, strides, pads in (((2, 3, 6, 8), [2, 2], [2, 2], [0] * 4), ((1, 2, 7, 7), [3, 3], [2, 2], [1] * 4), ((2, 3, 9), [3], [3], [0, 0])):
    kw = dict(kernel_shape=kernel, strides=strides, pads=pads)
    nodes = [helper.make_node("MaxPool", ["x"], ["p", "i"], **kw), helper.make_node("MaxUnpool", ["p", "i"], ["y"], **kw)]
    graph(f"maxunpool_{len(kernel)}_{kernel[0]}", 13, nodes, {"x": normal(*shape)}, ["y"])

# Blocks of pixels, crops and margins.
for name, blocks, image, block, kw in (("plain", 12, (5, 6), (2, 3), {}), ("strides", 4, (6, 6), (3, 3), dict(strides=[2, 2], pads=[0, 0, 0, 0])),
                                       ("pads", 20, (4, 5), (3, 3), dict(pads=[1, 1, 1, 1])), ("dilations", 8, (6, 6), (3, 2), dict(dilations=[2, 2])),
                                       ("patches", 6, (4, 6), (2, 2), dict(strides=[2, 2]))):
    steps, far, pads = kw.get("strides", [1, 1]), kw.get("dilations", [1, 1]), kw.get("pads", [0] * 4)
    count = int(np.prod([(n + pads[i] + pads[2 + i] - far[i] * (b - 1) - 1) // steps[i] + 1 for i, (n, b) in enumerate(zip(image, block))]))
    case(f"col2im_{name}", "Col2Im", 18, normal(2, 3 * block[0] * block[1], count), const(*image), const(*block), **kw)
case("col2im_volume", "Col2Im", 18, normal(2, 2 * 8, 12), const(3, 4, 3), const(2, 2, 2))
for shape in ((4, 7, 3), (9, 3, 3), (1, 8, 2)):
    case("centercroppad_" + "_".join(map(str, shape)), "CenterCropPad", 18, normal(5, 6, 3), const(*shape), reference=True)
case("centercroppad_axes", "CenterCropPad", 18, normal(2, 5, 6), const(8, 3), axes=[-1, 1], reference=True)

# Bits.
for kind in (np.int32, np.uint8, np.uint32, np.uint64):
    a, b = (rng.integers(0, np.iinfo(kind).max, s, dtype=kind, endpoint=True) for s in ((3, 5), (5,)))
    if kind is np.uint64:
        a, b = a >> np.uint64(9), b >> np.uint64(9)  # so that shifted ones are below 2^63
    for op in ("And", "Or", "Xor"):
        case(f"bitwise{op.lower()}_{kind.__name__}", "Bitwise" + op, 18, a, b, out=TYPES[np.dtype(kind)])
    if kind is not np.uint64:
        case(f"bitwisenot_{kind.__name__}", "BitwiseNot", 18, a, out=TYPES[np.dtype(kind)])
    if kind is not np.int32:
        for direction in ("LEFT", "RIGHT"):
            case(f"bitshift_{direction.lower()}_{kind.__name__}", "BitShift", 11, a, (b % 8).astype(kind), direction=direction, out=TYPES[np.dtype(kind)])
for direction in ("LEFT", "RIGHT"):
    case(f"bitshift_{direction.lower()}_int16", "BitShift", 28, rng.integers(-(1 << 15), 1 << 15, (4, 6), dtype=np.int16),
         rng.integers(-2, 20, (6,), dtype=np.int16), direction=direction, out=TensorProto.INT16, reference=True)

# Running products, determinants, n-grams.
for exclusive in (0, 1):
    for reverse in (0, 1):
        case(f"cumprod_{exclusive}_{reverse}", "CumProd", 26, normal(2, 7, 3), number(1), exclusive=exclusive, reverse=reverse, reference=True)
        case(f"cumprod_int64_{exclusive}_{reverse}", "CumProd", 26, rng.integers(-3, 4, (3, 5)), number(-1), exclusive=exclusive, reverse=reverse, reference=True, out=I)
for n in (1, 2, 3, 6):
    case(f"det_{n}", "Det", 11, normal(2, 3, n, n))
singular = normal(3, 4, 4)
singular[:, 2] = 2 * singular[:, 0]
singular[1, :, 1] = 0
case("det_singular", "Det", 11, singular, reference=True)
grams = dict(ngram_counts=[0, 4], ngram_indexes=[0, 1, 2, 3, 4, 5, 6], pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7])
for mode, weights in (("TF", {}), ("IDF", dict(weights=[1.0, 2, 3, 4, 5, 6, 7])), ("TFIDF", dict(weights=[1.0, 2, 3, 4, 5, 6, 7]))):
    for low, high, skip in ((1, 1, 0), (2, 2, 0), (1, 2, 0), (2, 2, 3), (1, 2, 5)):
        case(f"tfidf_{mode.lower()}_{low}_{high}_{skip}", "TfIdfVectorizer", 11, rng.integers(2, 9, (3, 12)), mode=mode, min_gram_length=low, max_gram_length=high,
             max_skip_count=skip, **grams, **weights)

# Normalizations.
zeros = normal(3, 4, 5)
zeros[:, 1, 2] = 0
for p in (1, 2):
    case(f"lpnormalization_zeros_{p}", "LpNormalization", 22, zeros, axis=0, p=p, reference=p == 2)
for n in (1, 3):
    case(f"batchnormalization_training_{n}", "BatchNormalization", 15, ("const", normal(n, 4, 5, 3)), normal(4), normal(4), normal(4), np.abs(normal(4)),
         outputs=3, training_mode=1, momentum=0.7)
weights = normal(4, 2, 3, 3)
nodes = [helper.make_node("Reshape", ["w", "rows"], ["r"]),
         helper.make_node("BatchNormalization", ["r", "ones", "zeros", "m", "v"], ["n", "m1", "v1"], training_mode=1, epsilon=1e-6, momentum=1.0),
         helper.make_node("Reshape", ["n", "form"], ["k"]), helper.make_node("Mul", ["k", "gain"], ["g"]), helper.make_node("Conv", ["x", "g"], ["y"])]
graph("standardized_convolution", 17, nodes, {"x": normal(2, 2, 6, 6)}, ["y"],
      {"w": weights, "rows": np.array([1, 4, 18]), "form": np.array(weights.shape), "ones": np.ones(4, np.float32), "zeros": np.zeros(4, np.float32),
       "m": np.zeros(4, np.float32), "v": np.ones(4, np.float32), "gain": np.abs(normal(4, 1, 1, 1))})
case("dropout_training_zero", "Dropout", 13, normal(3, 4), number(0.0, np.float32), number(True, np.bool_), outputs=2, out=[F, TensorProto.BOOL])

archive.write("signals.tar.gz")
