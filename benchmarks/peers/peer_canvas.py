"""scikit-image's and SciPy's side of canvas.py: the ten published metrics of every case of a tree, by one process for each
core. With --make it makes the tree instead: designs of NODES nodes and screens of 375 × 812 pixels that show them.

usage: peer_canvas.py FOLDER --make CASES NODES SEED | FOLDER CORES"""
import json
import math
import os
import sys
from multiprocessing import Pool

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from PIL import Image, ImageDraw
from scipy.optimize import linear_sum_assignment
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

WIDTH, HEIGHT, MODELS = 375, 812, ("exact", "near", "far", "half")
WORDS = "create account password email sign in up settings profile search home cart order the quick brown fox total price".split()
TASK, VARIANT = "replication_gen", "image_only"
references = os.path.join(sys.argv[1], "benchmarks", "replication_gt")
results = os.path.join(sys.argv[1], "results", TASK, VARIANT)


def draw(rng, nodes):
    """A hierarchy of frames, rectangles and texts, as lists of (parent, type, box, color, text)."""
    out = [(-1, "FRAME", (0.0, 0.0, float(WIDTH), float(HEIGHT)), (1.0, 1.0, 1.0), "")]
    open_frames = [0]
    for _ in range(nodes - 1):
        while len(open_frames) > 1 and rng.random() < 0.3 or len(open_frames) > 6:
            open_frames.pop()
        parent = open_frames[int(rng.integers(len(open_frames)))]
        kind = ("FRAME", "RECTANGLE", "TEXT", "TEXT")[int(rng.integers(4))]
        w, h = float(rng.integers(8, 90)), float(rng.integers(8, 40))
        x, y = float(rng.integers(0, WIDTH - int(w))), float(rng.integers(0, HEIGHT - int(h)))
        text = " ".join(rng.choice(WORDS, int(rng.integers(1, 5)))) if kind == "TEXT" else ""
        if kind == "FRAME":
            open_frames.append(len(out))
        out.append((parent, kind, (x, y, w, h), tuple(rng.integers(0, 256, 3) / 255), text))
    return out


def damage(rng, nodes, model):
    """A design of which a model moves, leaves out and misspells some."""
    share = {"exact": 0, "near": 0.1, "far": 0.5, "half": 0.5}[model]
    out, place = [], {-1: -1}
    for i, (parent, kind, (x, y, w, h), color, text) in enumerate(nodes):
        if i and model == "half" and rng.random() < share:
            place[i] = place[parent]
            continue
        if i and rng.random() < share:
            x, y = x + float(rng.integers(-9, 10)), y + float(rng.integers(-9, 10))
            text = text.replace("e", "a")
        place[i] = len(out)
        out.append((place[parent], kind, (x, y, w, h), color, text))
    return out


def write(nodes, image, design):
    """The screen and the JSON of a design."""
    screen = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(screen)
    items = []
    for i, (parent, kind, (x, y, w, h), color, text) in enumerate(nodes):
        paint = {"type": "SOLID", "blendMode": "NORMAL", "color": dict(zip("rgba", (*color, 1.0)))}
        item = {"id": f"1:{i}", "name": f"{kind.title()} {i}", "type": kind, "visible": True, "opacity": 1, "blendMode": "PASS_THROUGH",
                "absoluteBoundingBox": {"x": x, "y": y, "width": w, "height": h}, "constraints": {"vertical": "TOP", "horizontal": "LEFT"},
                "fills": [paint], "strokes": [], "strokeWeight": 1.0, "strokeAlign": "INSIDE", "effects": [], "children": []}
        if kind == "TEXT":
            item.update(characters=text, style={"fontFamily": "Inter", "fontSize": 12.0, "fontWeight": 400})
        items.append(item)
        if parent >= 0:
            items[parent]["children"].append(item)
        ink = tuple(round(255 * c) for c in color)
        if kind == "TEXT":
            pen.text((x, y), text, fill=ink)
        else:
            pen.rectangle((x, y, x + w, y + h), fill=ink)
    screen.save(image)
    with open(design, "w") as f:
        json.dump({"document": items[0]}, f)


def make(cases, nodes, seed):
    os.makedirs(references)
    rng = np.random.default_rng(seed)
    for sample in range((cases + len(MODELS) - 1) // len(MODELS)):
        gid = f"gid{sample // 100}-{sample}"
        design = draw(rng, nodes)
        write(design, f"{references}/{gid}.png", f"{references}/{gid}.json")
        for model in MODELS[: cases - sample * len(MODELS)]:
            case = f"{gid}-{model}-{VARIANT}"
            own = f"{results}/{case}/{case}"
            os.makedirs(os.path.dirname(own))
            write(damage(rng, design, model), own + "-canvas.png", own + "-json-structure.json")
            calls = [{"role": "tool", "name": str(rng.choice(["create_frame", "create_text", "set_fill_color"]))} for _ in range(40)]
            with open(own + "-json-response.json", "w") as f:
                json.dump({"json_response": {"messages": calls, "step_count": 20}}, f)


def read(path):
    """The boxes of the visible nodes, depth first."""
    with open(path) as f:
        root = json.load(f)["document"]
    boxes, painted = [], []

    def visit(node):
        if not node.get("visible", True) or node.get("opacity", 1) <= 0.01:
            return
        b = node.get("absoluteBoundingBox")
        if b:
            boxes.append((b["x"], b["y"], b["x"] + b["width"], b["y"] + b["height"]))
            painted.append(bool(node.get("fills")))
        for child in node.get("children", ()):
            visit(child)

    visit(root)
    return np.array(boxes), np.array(painted)


def fill(boxes, painted):
    covered = np.zeros((HEIGHT, WIDTH), bool)
    for left, top, right, bottom in boxes[1:][painted[1:]].round().astype(int):
        covered[max(top, 0):max(bottom, 0), max(left, 0):max(right, 0)] = True
    return covered.mean()


def overlap(a, b):
    """The intersection over union of all pairs of boxes."""
    a, b = a[:, None], b[None]
    inter = np.clip(np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2]), 0, None).prod(-1)
    area = lambda x: (x[..., 2] - x[..., 0]) * (x[..., 3] - x[..., 1])
    union = area(a) + area(b) - inter
    return np.divide(inter, union, out=np.zeros_like(inter), where=union > 0)


def lines(boxes):
    """The boxes around elements whose edges or centers share one of 50 stripes."""
    scaled = boxes / (WIDTH, HEIGHT, WIDTH, HEIGHT)
    positions = [scaled[:, 0], (scaled[:, 0] + scaled[:, 2]) / 2, scaled[:, 2], scaled[:, 1], (scaled[:, 1] + scaled[:, 3]) / 2, scaled[:, 3]]
    out = []
    for position in positions:
        groups = {}
        for i, stripe in enumerate(np.round(position / 0.02)):
            groups.setdefault(stripe, []).append(i)
        out += [(*scaled[g, :2].min(0), *scaled[g, 2:].max(0)) for g in groups.values() if len(g) > 1]
    return np.array(out)


def f1(matched, a, b):
    return 2 * matched / (a + b) if a + b else 0.0


def score(case):
    gid = "-".join(case.split("-")[:2])
    own = f"{results}/{case}/{case}"
    x, y = (np.asarray(Image.open(p).convert("RGB")) for p in (f"{references}/{gid}.png", own + "-canvas.png"))
    (a, _), (b, painted) = read(f"{references}/{gid}.json"), read(own + "-json-structure.json")
    iou = overlap(a, b)
    rows, columns = linear_sum_assignment(-iou)
    pairs = iou[rows, columns]
    over = overlap(lines(a), lines(b))
    r, c = linear_sum_assignment(-over)
    with open(own + "-json-response.json") as f:
        trace = json.load(f)["json_response"]
    calls = [m["name"] for m in trace["messages"] if m["role"] == "tool"]
    mse = np.mean((x.astype(float) - y) ** 2)
    return {
        "canvas_fill_ratio": fill(b, painted),
        "ssim": structural_similarity(x, y, channel_axis=2),
        "psnr": peak_signal_noise_ratio(x, y) if mse else math.nan,
        "rmse": math.sqrt(mse),
        "element_ratio_symmetric": min(len(a), len(b)) / max(len(a), len(b)),
        "layout_iou": pairs.sum() / max(len(a), len(b)),
        "layout_f1": f1((pairs >= 0.5).sum(), len(a), len(b)),
        "alignment": f1((over[r, c] >= 0.5).sum(), len(over), over.shape[1]),
        "tool_calls": len(calls),
        "tool_efficiency": 1 / (trace["step_count"] + len(calls) + len(set(calls)) + 1),
    }


if __name__ == "__main__":
    if sys.argv[2] == "--make":
        make(*map(int, sys.argv[3:6]))
    else:
        with Pool(int(sys.argv[2])) as pool:
            rows = pool.map(score, sorted(os.listdir(results)), chunksize=4)
        json.dump({key: np.nanmean([row[key] for row in rows]) for key in rows[0]}, sys.stdout)
