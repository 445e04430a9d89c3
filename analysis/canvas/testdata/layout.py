"""Writes layout.json: random designs, and how they are filled, matched, aligned and what is wrong with them, by
literal loops and scipy's linear_sum_assignment. What depends on which of several best assignments is found has two
ends.

Usage: python3 layout.py   (in this folder)
Needs numpy and scipy.
"""
import json
from fractions import Fraction

import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

rng = np.random.default_rng(15)
W, H = 375.0, 812.0


def design(n):
    """Nodes of frames in frames on a grid of 4 pixels: parent, x, y, width, height, text, painted."""
    nodes = [(-1, 0.0, 0.0, W, H, False, True)]
    for _ in range(n):
        parent = int(rng.integers(len(nodes)))
        while nodes[parent][5]:
            parent = int(rng.integers(len(nodes)))
        _, px, py, pw, ph, _, _ = nodes[parent]
        w, h = np.round(rng.choice([0.1, 0.25, 0.5, 0.9, 1.0, rng.random()], 2) * (pw, ph) / 4) * 4
        if rng.random() < 0.1:
            h = 0.0
        x, y = np.round((px + (pw - w) * rng.choice([0, 0.5, 1, rng.random() * 1.2]), py + (ph - h) * rng.random()))
        nodes.append((parent, float(x), float(y), float(w), float(h), bool(rng.random() < 0.3), bool(rng.random() < 0.8)))
    return nodes


def damaged(nodes):
    """Moves some nodes and leaves some without children out."""
    leaves = set(range(1, len(nodes))) - {n[0] for n in nodes}
    gone = {i for i in leaves if rng.random() < 0.2}
    number, out = {}, []
    for i, (parent, x, y, w, h, text, painted) in enumerate(nodes):
        if i in gone:
            continue
        number[i] = len(out)
        if i and rng.random() < 0.5:
            x, y = x + float(rng.integers(-12, 13)), y + float(rng.integers(-12, 13))
        out.append((number.get(parent, -1), x, y, w, h, text, painted))
    return out


def boxes(nodes):
    return [(x / W, y / H, x / W if w == 0 else (x + w) / W, y / H if h == 0 else (y + h) / H) for _, x, y, w, h, _, _ in nodes]


def area(b):
    return max(0, b[2] - b[0]) * max(0, b[3] - b[1])


def intersection(a, b):
    return area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))


def iou(a, b):
    both = intersection(a, b)
    union = area(a) + area(b) - both
    return both / union if union > 0 else 0.0


def grown(b, by):
    b = [Fraction(v) for v in b]
    return (b[0], b[1], b[2] + (by if b[2] == b[0] else 0), b[3] + (by if b[3] == b[1] else 0))


def extent_iou(a, b):
    """The limit for boxes without area, at ever thinner ones."""
    if area(a) > 0 and area(b) > 0:
        return iou(a, b)
    v = float(iou(grown(a, Fraction(1, 10**40)), grown(b, Fraction(1, 10**40))))
    return v if v > 1e-20 else 0.0


def union(list_, clip=None):
    """Cells between all coordinates that are in a box."""
    if clip:
        list_ = [(max(b[0], clip[0]), max(b[1], clip[1]), min(b[2], clip[2]), min(b[3], clip[3])) for b in list_]
    list_ = [b for b in list_ if area(b) > 0]
    xs, ys = sorted({v for b in list_ for v in b[::2]}), sorted({v for b in list_ for v in b[1::2]})
    total = 0.0
    for x0, x1 in zip(xs, xs[1:]):
        for y0, y1 in zip(ys, ys[1:]):
            if any(b[0] <= x0 and x1 <= b[2] and b[1] <= y0 and y1 <= b[3] for b in list_):
                total += (x1 - x0) * (y1 - y0)
    return total


def assigned(share):
    if 0 in share.shape:
        return [], 0.0
    rows, columns = linear_sum_assignment(1 - share)
    return [(i, j) for i, j in zip(rows, columns)], float(share[rows, columns].sum())


def counted(share, counts):
    """The fewest and the most pairs that count in any best assignment."""
    n, m = share.shape
    counts = np.array([[bool(counts(i, j) and share[i, j] > 0) for j in range(m)] for i in range(n)]).reshape(n, m)
    ends = []
    for sign in (1, -1):
        rows, columns = linear_sum_assignment(1 - share + sign * 1e-8 * counts)
        ends.append(int(counts[rows, columns].sum()))
    return ends


def matrix(a, b, of):
    return np.array([[of(x, y) for y in b] for x in a]).reshape(len(a), len(b))


def lines(b):
    return [b[0], (b[0] + b[2]) / 2, b[2], b[1], (b[1] + b[3]) / 2, b[3]]


def linked_groups(list_, tolerance=0.02):
    """Complete linkage of each line: the neighbors with the smallest spread become one, the first of equal ones."""
    groups = []
    for line in range(6):
        at = [lines(b)[line] for b in list_]
        found = [[i] for i in sorted(range(len(list_)), key=lambda i: at[i])]
        while len(found) > 1:
            spreads = [round(at[h[-1]] - at[g[0]], 12) for g, h in zip(found, found[1:])]
            k = int(np.argmin(spreads))
            if spreads[k] > tolerance:
                break
            found[k:k + 2] = [found[k] + found[k + 1]]
        groups += [(line, g) for g in found if len(g) >= 2]
    return groups


def published_rects(nodes):
    """Corner and size in units of the canvas, depth first: the order decides which assignment is found."""
    def below(i):
        yield i
        for k, node in enumerate(nodes):
            if node[0] == i:
                yield from below(k)

    return [(nodes[i][1] / W, nodes[i][2] / H, nodes[i][3] / W, nodes[i][4] / H) for i in below(0)]


def published_iou(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(0, width) * max(0, height)
    either = a[2] * a[3] + b[2] * b[3] - both
    return both / either if either > 0 else 0.0


def published_groups(rects, width=0.02):
    """Type and union box of the groups whose rounded lines agree, in the order in which they are met."""
    buckets = {}
    for r in rects:
        x, y, w, h = r
        for line, at in enumerate((x, x + w / 2, x + w, y, y + h / 2, y + h)):
            buckets.setdefault((line, round(at / width)), []).append(r)
    groups = []
    for (line, _), members in buckets.items():
        if len(members) >= 2:
            left, top = min(r[0] for r in members), min(r[1] for r in members)
            right, bottom = max(r[0] + r[2] for r in members), max(r[1] + r[3] for r in members)
            groups.append((line, (left, top, right - left, bottom - top)))
    return groups


def alignment(a, b, pairs):
    """Groups found by their members, of which pairs are the same elements, and how many groups there are."""
    reference = {j: i for i, j in pairs}
    ga, gb = linked_groups(a), linked_groups(b)

    def jaccard(g, h):
        if g[0] != h[0]:
            return 0.0
        mine, theirs = set(g[1]), {reference.get(j, ("none", j)) for j in h[1]}
        return len(mine & theirs) / len(mine | theirs)

    share = matrix(ga, gb, jaccard)
    return counted(share, lambda i, j: share[i, j] >= 0.5), len(ga), len(gb)


def documented_alignment(reference, generated):
    """Groups found by scipy's assignment, and the fewest and the most of any that is as good."""
    ga, gb = published_groups(published_rects(reference)), published_groups(published_rects(generated))
    share = matrix(ga, gb, lambda g, h: published_iou(g[1], h[1]))
    rows, columns = linear_sum_assignment(1 - share)
    found = sum(bool(share[i, j] > 0 and ga[i][0] == gb[j][0]) for i, j in zip(rows, columns))
    return found, len(ga), len(gb), counted(share, lambda i, j: ga[i][0] == gb[j][0])


def documented_fill(nodes, list_):
    first = next(i for i, n in enumerate(nodes) if n[0] == 0)
    size = [list_[first][2] - list_[first][0], list_[first][3] - list_[first][1]]
    if size[0] * size[1] == 0:
        return None
    others = [b for i, b in enumerate(list_) if i != first and
              not (abs(b[2] - b[0] - size[0]) < 0.01 and abs(b[3] - b[1] - size[1]) < 0.01)]
    return min(1.0, union(others) / (size[0] * size[1]))


def defects(nodes, list_):
    leaves = [i for i in range(1, len(nodes)) if i not in {n[0] for n in nodes} and nodes[i][6] and area(list_[i]) > 0]
    bad, pairs = set(), 0
    for k, i in enumerate(leaves):
        for j in leaves[k + 1:]:
            share = intersection(list_[i], list_[j]) / min(area(list_[i]), area(list_[j]))
            if share > 0.1 + 1e-9 and (share < 0.99 or nodes[i][5] and nodes[j][5]):
                bad |= {i, j}
                pairs += 1

    def leaves_parent(i):
        b, p = list_[i], list_[nodes[i][0]]
        return max(p[0] - b[0], b[2] - p[2], p[1] - b[1], b[3] - p[3]) > 0.005 + 1e-9

    out = [i for i in range(1, len(nodes)) if leaves_parent(i)]
    texts = [i for i in range(1, len(nodes)) if nodes[i][5]]
    painted = [list_[i] for i in range(1, len(nodes)) if nodes[i][6]]
    everything = union(painted)
    return {"overlap_defects": len(bad) / len(leaves) if leaves else None, "pairs": pairs,
            "overflow_defects": len(out) / (len(nodes) - 1),
            "text_overflow_defects": sum(i in out for i in texts) / len(texts) if texts else None,
            "offcanvas_share": 1 - union(painted, (0, 0, 1, 1)) / everything if everything else None}


def case(n):
    reference = design(n)
    generated = damaged(reference)
    a, b = boxes(reference), boxes(generated)
    share, published = matrix(a, b, extent_iou), matrix(a, b, iou)
    pairs, total = assigned(share)
    _, published_total = assigned(published)
    pairs = [(i, j) for i, j in pairs if share[i, j] > 0]
    found, of, groups = alignment(a, b, pairs)
    for _ in range(100):  # other assignments of elements that are as good
        others = zip(*linear_sum_assignment(1 - share + rng.random(share.shape) * 1e-9))
        other, _, _ = alignment(a, b, [(i, j) for i, j in others if share[i, j] > 0])
        found = [min(found[0], other[0]), max(found[1], other[1])]
    painted = [x for x, node in zip(b[1:], generated[1:]) if node[6]]
    return {
        "reference": reference, "generated": generated,
        "fill": union(painted, (0, 0, 1, 1)), "documented_fill": documented_fill(generated, b),
        "iou": total / max(len(a), len(b)), "documented_iou": published_total / min(len(a), len(b)),
        "found": counted(share, lambda i, j: share[i, j] >= 0.5),
        "aligned": [found, of, groups], "documented_aligned": documented_alignment(reference, generated),
        "defects": defects(generated, b),
    }


out = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__}, "cases": [case(n) for n in (2, 3, 5, 8, 12, 17, 25, 32, 40, 60)]}
with open("layout.json", "w") as file:
    json.dump(out, file, separators=(",", ":"))
    file.write("\n")
for c in out["cases"]:
    print(len(c["reference"]), c["found"], c["aligned"], c["documented_aligned"], c["defects"], c["fill"], c["documented_fill"])
