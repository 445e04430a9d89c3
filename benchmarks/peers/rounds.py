"""Benchmarks of two trees in alternating rounds, to see what a change costs.

    python3 benchmarks/peers/rounds.py OLD_TREE PACKAGE[=OLD_PACKAGE] REGEX [BENCHTIME [ROUNDS]]

for example, with a clone of an earlier version next to this one:

    python3 benchmarks/peers/rounds.py ../old neighbors 'TrustworthinessContinuity' 8x 6
    python3 benchmarks/peers/rounds.py ../old model/cpu=latent/cpu Depthwise

Prints, for every benchmark that both have, the ratio new/old of the medians and of the minima.
"""
import collections
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main(old, package, regex, benchtime="1s", rounds="5"):
    package, _, earlier = package.partition("=")
    sides = {"old": (old, earlier or package), "new": (ROOT, package)}
    times = collections.defaultdict(lambda: {"old": [], "new": []})
    with tempfile.TemporaryDirectory() as folder:
        for side, (tree, path) in sides.items():
            subprocess.run(["go", "test", "-c", "-o", f"{folder}/{side}", f"./{path}"], cwd=tree, check=True)
        for _ in range(int(rounds)):
            for side, (tree, path) in sides.items():
                out = subprocess.run([f"{folder}/{side}", "-test.run", "^$", "-test.bench", regex, "-test.benchtime", benchtime],
                                     cwd=os.path.join(tree, path), check=True, capture_output=True, text=True).stdout
                for name, value in re.findall(r"^(Benchmark\S+)\s+\d+\s+([\d.]+) ns/op", out, re.M):
                    times[name][side].append(float(value))
    for name, t in times.items():
        if t["old"] and t["new"]:
            median = statistics.median(t["new"]) / statistics.median(t["old"])
            print(f"{name:75s} median {median:.3f}  minimum {min(t['new']) / min(t['old']):.3f}  old {statistics.median(t['old']) / 1e6:.2f} ms")


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
