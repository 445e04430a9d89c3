"""Writes saliency.json, saliency.onnx, saliency_last.onnx and saliency_two.onnx (a model of two maps): what NumPy and ONNX Runtime say of saliency maps of screens,
from files to numbers, for saliency_golden_test.go.

Usage: python3 saliency.py   (in this folder)
Needs numpy, Pillow, onnx, onnxruntime, and torch, which resizes the screens of models.
"""
import base64
import io
import json

import numpy as np
import onnx
import onnxruntime as ort
import PIL
import torch
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

rng = np.random.default_rng(1507)


def blobs(h, w, n):
    y, x = np.mgrid[:h, :w]
    out = np.zeros((h, w))
    for _ in range(n):
        cx, cy, s = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(2, w / 3)
        out += rng.uniform(0.3, 1) * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * s * s))
    return out / out.max()


def png(a):
    f = io.BytesIO()
    Image.fromarray(a).save(f, "PNG")
    return base64.b64encode(f.getvalue()).decode()


def npy(a):
    f = io.BytesIO()
    np.save(f, a)
    return base64.b64encode(f.getvalue()).decode()


def text(rows, header="x,y"):
    return base64.b64encode((header + "\n" + "".join(f"{x!r},{y!r}\n" for x, y in rows)).encode()).decode()


def triangles(n, m):
    """The matrix of an axis of n pixels resized to m, bilinear with antialiasing."""
    if n == m:
        return np.eye(n)
    out = np.zeros((m, n))
    scale = n / m
    for i in range(m):
        for j in range(n):
            out[i, j] = max(0, 1 - abs((j + 0.5 - (i + 0.5) * scale) / max(scale, 1)))
        out[i] /= out[i].sum()
    return out


def resize(a, h, w):
    return triangles(a.shape[0], h) @ a @ triangles(a.shape[1], w).T


def unit(a):
    return (a - a.min()) / (a.max() - a.min())


def curve(tp, fp):
    return float(np.trapezoid([0] + tp + [1], [0] + fp + [1]))


def cc(p, q):
    return float(np.corrcoef(p.ravel(), q.ravel())[0, 1])


def sim(p, q):
    return float(np.minimum(p / p.sum(), q / q.sum()).sum())


def kl(p, q):
    p, q = p / p.sum() + 1e-8, q / q.sum() + 1e-8
    return float((p * np.log(p / q)).sum())


def nss(m, at):
    return float(((m - m.mean()) / m.std())[at].mean())


def judd(m, at):
    mask = np.zeros(m.shape, bool)
    mask[at] = True
    steps = np.unique(m[at])[::-1]
    return curve([np.mean(m[at] >= t) for t in steps], [np.mean(m[~mask] >= t) for t in steps])


def borji(m, at):
    u = unit(m)
    steps = [k / 10 for k in range(10, -1, -1)]
    return curve([np.mean(u[at] >= t) for t in steps], [np.mean(u >= t) for t in steps])


def shuffled(m, at, others):
    a, b = m[at][:, None], m[others][None]
    return float(((a > b) + 0.5 * (a == b)).mean())


def gain(m, base, at):
    e = 2.0**-52
    return float(np.mean(np.log2(m / m.sum() + e)[at] - np.log2(base / base.sum() + e)[at]))


def bell(n):
    return np.exp(-(((np.arange(n) - (n - 1) / 2) / (n / 4)) ** 2) / 2)


def center(h, w):
    """As a product, so that pixels on opposite sides are equal to the last bit."""
    return np.outer(bell(h), bell(w))


def pixels(points, h, w, of_h, of_w):
    """Rows and columns of the points within a picture of of_h x of_w, brought to h x w."""
    kept = [(x, y) for x, y in points if 0 <= x < of_w and 0 <= y < of_h]
    return (np.array([int(y * (h / of_h)) for _, y in kept]), np.array([int(x * (w / of_w)) for x, _ in kept]))


def scores(p, q, at, others, documented=False):
    """The keys of a row; p is the reference's map, q the generated design's, at its own size."""
    q = resize(q, *p.shape)
    if documented:
        p, q = unit(p), unit(q)
    prior, flat = center(*p.shape), np.ones(p.shape)
    row = {"saliency_cc": cc(p, q), "saliency_sim": sim(p, q), "saliency_kl": kl(p, q), "saliency_nss": nss(q, at),
           "saliency_auc_judd": judd(q, at), "saliency_auc_borji": borji(q, at), "saliency_information_gain": gain(q, prior, at),
           "center_prior_cc": cc(p, prior), "center_prior_sim": sim(p, prior), "center_prior_kl": kl(p, prior),
           "center_prior_nss": nss(prior, at), "center_prior_auc_judd": judd(prior, at), "center_prior_auc_borji": borji(prior, at),
           "uniform_sim": sim(p, flat), "uniform_kl": kl(p, flat), "uniform_information_gain": gain(flat, prior, at)}
    if others is not None:
        row["saliency_auc_shuffled"] = shuffled(q, at, others)
        row["center_prior_auc_shuffled"] = shuffled(prior, at, others)
    return row


def points(n, h, w):
    return [(round(float(x), 2), round(float(y), 2)) for x, y in zip(rng.uniform(-2, w + 2, n), rng.uniform(-2, h + 2, n))]


def files():
    """Maps of several kinds of files; fixations in pixels of the reference's map."""
    h, w = 23, 37  # no two distances of pixels from the middle agree but by symmetry, so that rounding orders none
    p, q = np.uint8(blobs(h, w, 3) * 255), blobs(18, 20, 3)
    looked, other = points(15, h, w), points(40, h, w)
    at, others = pixels(looked, h, w, h, w), pixels(other, h, w, h, w)
    q8 = np.uint8(q * 255)
    yield {"name": "pictures of unequal sizes", "reference": png(p), "generated": png(q8), "fixations": text(looked), "others": text(other),
           "want": scores(p.astype(float), q8.astype(float), at, others)}
    yield {"name": "documented", "definition": "documented", "reference": png(p), "generated": npy(q), "fixations": text(looked), "others": text(other),
           "want": scores(p.astype(float), q, at, others, True)}
    mask = np.zeros((h, w), np.uint8)
    mask[at] = 255
    there = np.nonzero(mask)
    deep = np.uint16(blobs(h, w, 4) * 60000)
    yield {"name": "16 bits, fixations of a picture", "reference": png(p), "generated": png(deep), "fixations": png(mask), "others": text(other),
           "want": scores(p.astype(float), deep.astype(float), there, others)}
    top = np.sort(p.ravel())[::-1][int(np.ceil(0.07 * p.size)) - 1]
    yield {"name": "highest 7 %", "top": 7, "reference": png(p), "generated": npy(q.astype(np.float32)),
           "want": scores(p.astype(float), q.astype(np.float32).astype(float), np.nonzero(p >= top), None)}
    screen = np.full((4 * h, 2 * w, 3), 200, np.uint8)
    looked, other = points(15, 4 * h, 2 * w), points(40, 4 * h, 2 * w)
    yield {"name": "fixations on a screen of another size", "reference_screen": png(screen), "reference": png(p), "generated": npy(q),
           "fixations": text(looked, "X,Y"), "others": text(other),
           "want": scores(p.astype(float), q, pixels(looked, h, w, 4 * h, 2 * w), pixels(other, h, w, 4 * h, 2 * w))}


def weights(name, *shape):
    return numpy_helper.from_array((rng.normal(size=shape) * 0.5).astype(np.float32), name)


def network(last, maps=1):
    """Three channels to maps of half the size; last: channels are the last axis, and sizes are fixed."""
    nodes, x = [], "screen"
    if last:
        nodes.append(helper.make_node("Transpose", ["screen"], ["first"], perm=[0, 3, 1, 2]))
        x = "first"
    nodes += [helper.make_node("Conv", [x, "w1", "b1"], ["c1"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
              helper.make_node("Relu", ["c1"], ["r1"]),
              helper.make_node("AveragePool", ["r1"], ["a1"], kernel_shape=[2, 2], strides=[2, 2]),
              helper.make_node("Conv", ["a1", "w2", "b2"], ["c2"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
              helper.make_node("Sigmoid", ["c2"], ["map"] if not last else ["s"])]
    if last:
        nodes.append(helper.make_node("Transpose", ["s"], ["map"], perm=[0, 2, 3, 1]))
    shape = ["n", 3, "h", "w"], ["n", maps, None, None]
    if last:
        shape = [1, 16, 12, 3], [1, 8, 6, 1]
    g = helper.make_graph(nodes, "saliency", [helper.make_tensor_value_info("screen", TensorProto.FLOAT, shape[0])],
                          [helper.make_tensor_value_info("map", TensorProto.FLOAT, shape[1])],
                          [weights("w1", 4, 3, 3, 3), weights("b1", 4), weights("w2", maps, 4, 3, 3), weights("b2", maps)])
    m = helper.make_model(g, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(m)
    name = "saliency_last.onnx" if last else "saliency.onnx" if maps == 1 else "saliency_two.onnx"
    onnx.save(m, name)
    return name


def antialiased(a, h, w):
    """A screen [H, W, 3] by torch, in float64."""
    t = torch.tensor(a.transpose(2, 0, 1)[None].astype(np.float64))
    return torch.nn.functional.interpolate(t, size=(h, w), mode="bilinear", antialias=True, align_corners=False)[0].numpy()


def model_map(screen, session, last, size, bgr, raw, mean, std):
    if screen.shape[2] == 4:
        a = screen[:, :, 3:].astype(np.float64)
        screen = np.floor((screen[:, :, :3] * a + 255 * (255 - a)) / 255 + 0.5)
    x = antialiased(screen, *size)
    x = (x[::-1] if bgr else x) / (1 if raw else 255)
    x = ((x - np.reshape(mean, (-1, 1, 1))) / np.reshape(std, (-1, 1, 1))).astype(np.float32)[None]
    y = session.run(None, {"screen": x.transpose(0, 2, 3, 1) if last else x})[0]
    return (y[0, :, :, 0] if last else y[0, 0]).astype(np.float64)


def screen(h, w, alpha=False):
    a = np.zeros((h, w, 4 if alpha else 3), np.uint8)
    a[:] = 255
    for _ in range(6):
        y, x = rng.integers(0, h - 4), rng.integers(0, w - 4)
        a[y : y + rng.integers(3, h // 2), x : x + rng.integers(3, w // 2)] = rng.integers(0, 256, a.shape[2])
    return a


def models():
    """Maps that a model makes of the screens; the reference's is brought to its screen."""
    for last, size, bgr, raw, mean, std, alpha in [
        (False, (20, 14), False, False, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225], True),
        (True, (16, 12), True, True, [103.939, 116.779, 123.68], [60.0], False),
    ]:
        session = ort.InferenceSession(network(last), providers=["CPUExecutionProvider"])
        a, b = screen(44, 30, alpha), screen(33, 41)
        looked, other = points(12, 44, 30), points(30, 44, 30)
        run = lambda s: model_map(s, session, last, size, bgr, raw, mean, std)
        want = scores(resize(run(a), 44, 30), run(b), pixels(looked, 44, 30, 44, 30), pixels(other, 44, 30, 44, 30))
        yield {"name": "model, channels last" if last else "model", "reference_screen": png(a), "generated_screen": png(b), "fixations": text(looked),
               "others": text(other), "model": "saliency_last.onnx" if last else "saliency.onnx", "size": "" if last else "20x14", "bgr": bgr, "raw": raw,
               "mean": mean, "std": std, "tolerance": 1e-5, "want": want}


cases = list(files()) + list(models())
network(False, 2)
with open("saliency.json", "w") as f:
    json.dump({"versions": {"numpy": np.__version__, "pillow": PIL.__version__, "onnx": onnx.__version__, "onnxruntime": ort.__version__,
                            "torch": torch.__version__}, "cases": cases}, f, indent=1)
    f.write("\n")
