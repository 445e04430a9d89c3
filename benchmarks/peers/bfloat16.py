"""What products of bfloat16 would leave open of the float32 neighborhood pass, and how fast VDPBF16PS is.

    python3 docs/benchmarks/bfloat16.py [--points 10000] [--values 7056] [--rows 200] [--screens FOLDER]

A float32 coordinate is split into two of bfloat16, v ≈ high + low, and a product of points into three: high·high + high·low +
low·high. The script computes distances of some points to all in float64, the error of leaving out the rest, and how many
comparisons the bound of the pass (neighbors/internal/rows/bounded.go) leaves open: with float32 products, with the three products
and the norms of what is left out, with them and what is certain in advance, and with the chains that decide permuted neighbors.
Frames are those of data.py, others of eight hidden dimensions, normal values and, with --screens, windows of the PNG files of a
folder (needs Pillow). With a C compiler and a processor that has avx512_bf16 it also runs a 12 × 32 kernel of either
instruction from packed panels of 256 depths, on one thread and on two."""
import argparse
import glob
import shutil
import subprocess
import tempfile

import numpy as np

from data import write

U, W, KC, K = 2.0**-24, 2.0**-53, 256, 20

KERNELS = r"""
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { ROWS = 12, STEPS = 256, RUNS = 20000 };
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
#define KERNEL(name, broadcast, load, product)                                                   \
  static __attribute__((noinline)) void name(const int *a, const int *b, float *c) {             \
    __m512 s[ROWS][2];                                                                           \
    for (int i = 0; i < ROWS; i++) s[i][0] = s[i][1] = _mm512_setzero_ps();                      \
    for (int k = 0; k < STEPS; k++, a += ROWS, b += 32) {                                        \
      _Pragma("GCC unroll 12") for (int i = 0; i < ROWS; i++) {                                  \
        s[i][0] = product(s[i][0], broadcast(a[i]), load(b));                                    \
        s[i][1] = product(s[i][1], broadcast(a[i]), load(b + 16));                               \
      }                                                                                          \
    }                                                                                            \
    for (int i = 0; i < ROWS; i++) { _mm512_storeu_ps(c + 32 * i, s[i][0]); _mm512_storeu_ps(c + 32 * i + 16, s[i][1]); } \
  }
#define SINGLE(x) _mm512_castsi512_ps(_mm512_set1_epi32(x))
#define SINGLES(p) _mm512_castsi512_ps(_mm512_loadu_si512(p))
#define FMA(s, x, y) _mm512_fmadd_ps(x, y, s)
#define PAIR(x) ((__m512bh)_mm512_set1_epi32(x))
#define PAIRS(p) ((__m512bh)_mm512_loadu_si512(p))
KERNEL(single, SINGLE, SINGLES, FMA)
KERNEL(pairs, PAIR, PAIRS, _mm512_dpbf16_ps)
static int kind;
static void *work(void *result) {
  int one = kind ? 0x3f803f80 : 0x3f800000, *a = aligned_alloc(64, 4 * STEPS * ROWS), *b = aligned_alloc(64, 4 * STEPS * 32);
  float c[32 * ROWS];
  for (int i = 0; i < STEPS * ROWS; i++) a[i] = one;
  for (int i = 0; i < STEPS * 32; i++) b[i] = one;
  double best = 1e9;
  for (int r = 0; r < 7; r++) {
    double t = now();
    for (int i = 0; i < RUNS; i++) kind ? pairs(a, b, c) : single(a, b, c);
    if ((t = now() - t) < best) best = t;
  }
  if (c[0] != STEPS * (kind + 1)) exit(1);
  *(double *)result = 2.0 * RUNS * ROWS * 32 * STEPS * (kind + 1) / best / 1e9;
  return 0;
}
int main(void) {
  for (int threads = 1; threads <= 2; threads++)
    for (kind = 0; kind < 2; kind++) {
      pthread_t t[2]; double rate[2], sum = 0;
      for (int i = 0; i < threads; i++) pthread_create(t + i, 0, work, rate + i);
      for (int i = 0; i < threads; i++) { pthread_join(t[i], 0); sum += rate[i]; }
      printf("%d thread(s), %s: %.0f GFLOP/s\n", threads, kind ? "VDPBF16PS" : "VFMADD231PS", sum);
    }
}
"""


def speed():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if "avx512_bf16" not in file.read() or not shutil.which("gcc"):
            print("no avx512_bf16 or no gcc: speed not measured")
            return
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/k.c", "w", encoding="utf-8") as file:
            file.write(KERNELS)
        subprocess.run(["gcc", "-O3", "-march=cooperlake", "-o", f"{folder}/k", f"{folder}/k.c", "-lpthread"], check=True)
        print(subprocess.run([f"{folder}/k"], check=True, capture_output=True, text=True).stdout, end="", flush=True)


def rounded(x):
    """x in bfloat16, to nearest even."""
    bits = x.view(np.uint32)
    return ((bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))) & np.uint32(0xFFFF0000)).view(np.float32)


def norms(x, weight):
    return np.concatenate([np.sqrt(x[i:i + 500].astype(np.float64)**2 @ weight) for i in range(0, len(x), 500)])


def case(name, x, z, count):
    n, dim = x.shape
    rng = np.random.default_rng(3)
    v = x - np.median(x[(n // 63) // 2::n // 63], axis=0).astype(np.float32)
    v *= np.float32(2.0**-np.ceil(np.log2(norms(v, np.ones(dim)).max())))
    high = rounded(v)
    low = rounded(v - high)
    depth, blocks = np.arange(dim), -(-dim // KC)
    roundings = np.minimum(KC, dim - depth // KC * KC) - depth % KC + blocks - np.maximum(1, depth // KC)
    one, g = np.ones(dim), (min(dim, KC) + blocks - 1) * U
    r, lows, rests = norms(v, one), norms(low, one), norms(v - high - low, one)
    q, q_high, q_low = norms(v, roundings), norms(high, roundings), norms(low, roundings)
    rows = np.sort(rng.choice(n, count, replace=False))
    exact = np.concatenate([v[rows].astype(np.float64) @ v[i:i + 1000].astype(np.float64).T for i in range(0, n, 1000)], axis=1)

    outer = lambda a, b: a[rows][:, None] * b
    size = outer(r, r)
    left_out = outer(lows, lows) + outer(rests, r) + outer(r, rests) + outer(rests, rests)
    some = rng.choice(n, min(n, 1000), replace=False)
    h, l, hs, ls = (a.astype(np.float64) for a in (high[rows], low[rows], high[some].T, low[some].T))
    error = h @ hs + h @ ls + l @ hs - exact[:, some]
    inside = (np.abs(error) <= left_out[:, some] * (1 + 1e-9)).all()
    print(f"\n{name}: {n:,} × {dim:,}; three products are off by at most {np.abs(error / size[:, some]).max() / U:.0f} u·r·r "
          f"(root mean square {np.sqrt(((error / size[:, some])**2).mean()) / U:.1f}), within their bound: {inside}\n", flush=True)

    squared = (r[rows][:, None] + r)**2 * (8 * U + (4 * dim + 64) * W)
    once = 2 * U / (1 - g)  # high·high in one accumulator, the two others, twice as many terms, in one more
    sums = once * (outer(q_high, q_high) + 2 * outer(q_high, q_low) + 2 * outer(q_low, q_high)) + 2 * U * size
    bounds = {"float32": once * outer(q, q) + squared, "bfloat16, norms of what is left out": sums + 2 * left_out + squared,
              "bfloat16, in advance": sums + 2 * 3.02 * 2.0**-16 * size + squared,
              "chains": 14 * U * size + (r[rows][:, None] + r)**2 * (2.01 * U + (4 * dim + 64) * W)}
    distance = r[rows][:, None]**2 + r**2 - 2 * exact
    distance[np.arange(count), rows] = np.inf
    near = []
    for i in rows:
        d = ((z - z[i]).astype(np.float64)**2).sum(1)
        d[i] = np.inf
        near.append(np.argpartition(d, K)[:K])
    far = [rng.choice(np.delete(np.arange(n), i), K) for i in rows]
    print(f"| products | bound ÷ u·r·r | candidates beyond {K} | open, neighbors | open, permuted |\n| --- | --- | --- | --- | --- |")
    for of, e in bounds.items():
        e = (1 + 2.0**-10) * e
        found = np.zeros(3)
        for t in range(count):
            a, b = distance[t], e[t]
            found[0] += (a <= np.partition(a, K - 1)[K - 1] + 2 * b.max()).sum() - K
            for at, lists in ((1, near), (2, far)):
                found[at] += sum((np.abs(a - a[j]) <= b + b[j]).sum() - 1 for j in lists[t])
        print(f"| {of} | {np.median(e / size) / U:.0f} | {found[0] / count:.2f} | {found[1] / count:.1f} | {found[2] / count:.1f} |", flush=True)


def windows(folder, n, dim, rng):
    from PIL import Image
    side = int(dim**0.5)
    screens = [np.asarray(Image.open(p).convert("L"), np.float32) / 255 for p in sorted(glob.glob(f"{folder}/*.png"))]
    out = []
    while len(out) < n:
        s = screens[rng.integers(len(screens))]
        y, x = rng.integers(s.shape[0] - side), rng.integers(s.shape[1] - side)
        if (w := s[y:y + side, x:x + side]).std() > 0.02:
            out.append(w.reshape(-1))
    return rng.permutation(np.unique(np.stack(out), axis=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=10000)
    parser.add_argument("--values", type=int, default=7056)
    parser.add_argument("--rows", type=int, default=200, help="points whose distances to all are looked at")
    parser.add_argument("--screens", metavar="FOLDER", help="PNG files, of which windows are taken")
    o = parser.parse_args()
    speed()
    n, dim, rng = o.points, o.values, np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        write(folder, n, dim, ("x", "z"))
        case("frames of data.py", np.load(f"{folder}/x_{n}x{dim}.npy"), np.load(f"{folder}/z_{n}.npy"), o.rows)
    hidden = rng.standard_normal((n, 8)).astype(np.float32)
    x = 0.5 + 0.35 * np.sin(0.6 * hidden @ rng.standard_normal((8, dim)) + 6.28 * rng.random(dim)) + 0.02 * rng.standard_normal((n, dim))
    case("eight hidden dimensions", np.clip(x, 0, 1).astype(np.float32), np.tanh(0.3 * hidden @ rng.standard_normal((8, 64))), o.rows)
    x = rng.standard_normal((n, dim), dtype=np.float32)
    case("normal values", x, x[:, :64], o.rows)
    if o.screens:
        x = windows(o.screens, n, dim, rng)
        case("windows of screens", x, x @ rng.standard_normal((x.shape[1], 64)) / 84, o.rows)


main()
