"""Scores of masked residues over a dump that is larger than the memory it may take, next to NumPy: writes a seeded dump
of N sequences of 320 tokens with logits of 32 tokens (4.4 GB for N = 100,000), and measures

    sequence   the program from start to end: reading, its checks, the digest of the file, all scores by region with intervals
    metrics    the pass of its metrics alone, of the dump once it is opened and checked (BenchmarkStream)
    whole      a NumPy pass as validation code has it: log-softmax of the logits [n,320,32] of a batch, then what is masked
    gathered   a NumPy pass that takes the masked positions out first

Both NumPy passes stream the file in batches of 256 sequences and give no intervals; their numbers must be those of the program.

usage: python3 benchmarks/peers/sequence_stream.py [N] [FOLDER]      (N 10,000; from the repository's root, after make build; needs numpy)
"""
import json
import os
import re
import sys
import tempfile
import time
import zipfile

from measure import PYTHON, ROOT, THREADS, header, row, run

L, V, BATCH = 320, 32, 256
HEAVY, LIGHT = (35, 11, 24, 11, 54, 18, 15), (37, 8, 24, 4, 51, 13, 13)  # frameworks and CDRs, 318 residues
REGIONS = [chain + name for chain in "hl" for name in ("fwr1", "cdr1", "fwr2", "cdr2", "fwr3", "cdr3", "fwr4")]
GROUPS = {r: [r] for r in REGIONS} | {
    "all_cdr": [r for r in REGIONS if "cdr" in r], "all_fwr": [r for r in REGIONS if "fwr" in r],
    "heavy": [r for r in REGIONS if r[0] == "h"], "light": [r for r in REGIONS if r[0] == "l"], "overall": REGIONS}


def layout():
    """Chains, CDRs, special tokens and regions (0 … 13; −1: none) of a sequence."""
    import numpy as np

    cdr = np.concatenate([[0], *[np.full(n, k // 2 + 1 if k % 2 else 0) for part in (HEAVY, LIGHT) for k, n in enumerate(part)], [0]])
    chains = np.concatenate([np.zeros(1 + sum(HEAVY)), np.ones(sum(LIGHT) + 1)])
    region = np.concatenate([[-1], np.repeat(np.arange(14), HEAVY + LIGHT), [-1]])
    return chains.astype(np.int8), cdr.astype(np.int8), (region < 0).astype(np.int8), region


def write(path, n):
    """Writes the dump chunk by chunk, array after array."""
    import numpy as np

    chains, cdr, special, _ = layout()
    noise = np.random.default_rng(0).standard_normal((BATCH, L, V), dtype=np.float32)

    def chunks(seed):
        for lo in range(0, n, BATCH):
            yield np.random.default_rng([seed, lo]), min(BATCH, n - lo)

    def tokens():
        for random, m in chunks(1):
            ids = random.integers(4, 24, (m, L))
            ids[:, 0], ids[:, -1] = 0, 2
            yield ids.astype(np.int32)

    def logits():
        for ids, (random, m) in zip(tokens(), chunks(2)):
            out = np.roll(noise[:m], random.integers(V), axis=2)
            np.put_along_axis(out, ids[..., None], np.take_along_axis(out, ids[..., None], 2) + np.float32(2), 2)
            yield out

    def constant(values):
        for _, m in chunks(0):
            yield np.broadcast_to(values, (m, L))

    arrays = {"token_ids": (np.int32, (n, L), tokens()), "chain_ids": (np.int8, (n, L), constant(chains)), "cdr_mask": (np.int8, (n, L), constant(cdr)),
              "special_tokens_mask": (np.int8, (n, L), constant(special)), "attention_mask": (np.int8, (n, L), constant(np.int8(1))),
              "non_templated_mask": (np.int8, (n, L), (((random.random((m, L)) < 0.1) & (special == 0)).astype(np.int8) for random, m in chunks(3))),
              "mask_labels": (np.int8, (n, L), (((random.random((m, L)) < 0.15) & (special == 0)).astype(np.int8) for random, m in chunks(4))),
              "logits": (np.float32, (n, L, V), logits())}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, (dtype, shape, parts) in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as f:
                np.lib.format.write_array_header_1_0(f, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape})
                for part in parts:
                    f.write(np.ascontiguousarray(part, dtype).tobytes())


def stream(path, names):
    """Yields batches of arrays of a stored archive, in which zipfile would check what NumPy does not."""
    import numpy as np

    files = []
    with zipfile.ZipFile(path) as archive:
        for name in names:
            info = archive.getinfo(name + ".npy")
            f = open(path, "rb")
            f.seek(info.header_offset + 26)
            a, b = np.frombuffer(f.read(4), "<u2")
            f.seek(info.header_offset + 30 + int(a) + int(b))
            np.lib.format.read_magic(f)
            shape, _, dtype = np.lib.format.read_array_header_1_0(f)
            files.append((f, shape, dtype))
    for lo in range(0, files[0][1][0], BATCH):
        m = min(BATCH, files[0][1][0] - lo)
        yield [np.fromfile(f, dtype, m * int(np.prod(shape[1:]))).reshape(m, *shape[1:]) for f, shape, dtype in files]


def peer(path, kind):
    """Prints the seconds after imports and the scores."""
    import numpy as np

    start = time.perf_counter()
    region = layout()[3]
    sums = np.zeros((3, 14))  # count, correct, NLL
    for ids, labels, logits in stream(path, ["token_ids", "mask_labels", "logits"]):
        masked = labels == 1
        if kind == "whole":
            shifted = logits - logits.max(-1, keepdims=True)
            logp = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
            nll = -np.take_along_axis(logp, ids[..., None].astype(np.int64), -1)[..., 0]
            correct = logits.argmax(-1) == ids
            at, nll, correct = np.broadcast_to(region, ids.shape)[masked], nll[masked], correct[masked]
        else:
            x, targets, at = logits[masked].astype(np.float64), ids[masked], np.broadcast_to(region, ids.shape)[masked]
            x -= x.max(-1, keepdims=True)
            nll = np.log(np.exp(x).sum(-1)) - x[np.arange(len(x)), targets]
            correct = x.argmax(-1) == targets
        for k, weights in enumerate((None, correct, nll)):
            sums[k] += np.bincount(at, weights, 14)
    out = {}
    for name, parts in GROUPS.items():
        n, c, s = sums[:, [REGIONS.index(r) for r in parts]].sum(1)
        out |= {f"region/{name}/accuracy": c / n, f"region/{name}/loss": s / n, f"region/{name}/ppl": float(np.exp(s / n))}
    out |= {"mask_acc": out["region/overall/accuracy"], "loss": out["region/overall/loss"], "ppl": out["region/overall/ppl"]}
    print(json.dumps([time.perf_counter() - start, out]))


def main(n, folder):
    path = os.path.join(folder, "dump.npz")
    if not os.path.exists(path):
        run([PYTHON, __file__, "write", path, str(n)])
    size = os.path.getsize(path) / 1e9
    done = {"sequence": run([f"{ROOT}/bin/sequence", "--dump", f"model={path}", "--metrics",
                             "masked_accuracy,loss,perplexity,region_accuracy,region_loss,region_perplexity",
                             "--memory", "128MB", "--threads", "2", "--format", "pdf", "--out", f"{folder}/out", "--quiet"])}
    timed = run(["go", "test", "-run", "^$", "-bench", "Stream", "-benchtime", "1x", "./analysis/sequence"], env={**THREADS, "REPSCOPE_BENCH_DUMP": path})
    metrics = float(re.search(r"BenchmarkStream\S*\s+\d+\s+(\S+) ns/op", timed.output).group(1)) / 1e9
    for kind in ("whole", "gathered"):
        done[kind] = run([PYTHON, __file__, "peer", path, kind])
    with open(f"{folder}/out/sequence.json") as f:
        got = json.load(f)["models"]["model"]
    header("N", "GB", "pass", "s", "processor s", "÷ sequence", "÷ metrics", "peak MB", "largest difference of a score")
    for kind, r in done.items():
        worst = ""
        if kind != "sequence":
            scores = json.loads(r.output)[1]
            worst = f"{max(abs(got[k] - v) for k, v in scores.items()):.1e}"
        row(n, f"{size:.2f}", kind, f"{r.wall:.1f}", f"{r.cpu:.1f}", f"{r.wall / done['sequence'].wall:.1f}", f"{r.wall / metrics:.1f}", f"{r.peak:.0f}", worst)
    row(n, f"{size:.2f}", "metrics", f"{metrics:.1f}", "", "", "1.0", "", "")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1:2] == ["peer"]:
        peer(sys.argv[2], sys.argv[3])
    elif len(sys.argv) > 2:
        main(int(sys.argv[1]), sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as made:
            main(int((sys.argv + ["10000"])[1]), made)
