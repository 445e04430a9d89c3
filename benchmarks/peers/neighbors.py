"""The neighborhood pass next to its peers, on the same arrays, two threads each, in alternating
rounds; prints a Markdown table of medians with the bar that each ratio is held to.

Trustworthiness and continuity for k = 5, 10, 20 of 10,000 frames of 7,056 values and 64-d latents,
for float32 frames, for the same in little memory, and for uint8 frames; the search for 2 and for 64
neighbors. Ours is measured twice: the pass inside a process (BenchmarkFiles of package neighbors) and
the whole program, from start to result file and figure. Peers: numba on OpenBLAS, scikit-learn, and
OpenBLAS's ssyrk, a floor under all distances; their seconds are without imports, compilation and reading
unless the row says so. Scores of both sides are compared. The silhouette has its own script, geometry.py."""
import argparse
import collections
import os
import re
import statistics
import subprocess
import sys
import tempfile

from measure import HERE, PYTHON, ROOT, THREADS, header, row, run

SMALL_MEMORY = 95_000_000  # next to an input of 282 MB a process of less than 450 MB
WORKS = ["float32", "memory", "uint8", "twonn"]


class Measured:
    """Seconds and peak memory of one side, over the rounds, and the numbers that it printed."""

    def __init__(self):
        self.seconds, self.peaks, self.numbers = [], [], None

    def add(self, seconds, peak, numbers):
        self.seconds.append(seconds)
        self.peaks.append(peak)
        self.numbers = numbers

    def median(self):
        return statistics.median(self.seconds)


class Bench:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.n, self.dim = (2000, 7056) if options.quick else (10000, 7056)
        self.points = 4000 if options.quick else 20000  # of the search in 64 dimensions
        self.kernels = [k for k in options.kernels.split(",") if k]
        self.measured = collections.defaultdict(Measured)
        self.program, self.tests = f"{folder}/neighborhood", f"{folder}/neighbors.test"
        static = dict(os.environ, CGO_ENABLED="0")
        subprocess.run(["go", "build", "-o", self.program, "./cmd/neighborhood"], cwd=ROOT, check=True, env=static)
        subprocess.run(["go", "test", "-c", "-o", self.tests, "./neighbors"], cwd=ROOT, check=True, env=static)

    def data(self, n, dim, arrays):
        """Writes arrays unless --data has them; their path by letter."""
        paths = {"x": f"{self.folder}/x_{n}x{dim}.npy", "u": f"{self.folder}/u_{n}x{dim}.npy", "z": f"{self.folder}/z_{n}.npy"}
        missing = [a for a in arrays if not os.path.exists(paths[a])]
        if missing:
            run([PYTHON, f"{HERE}/data.py", self.folder, str(n), str(dim), "--arrays", ",".join(missing)])
        return paths

    # One measurement each. Numbers of both sides must be comparable: scores, or the Two-NN estimate.

    def benchmark(self, key, kernel=None, **variables):
        """The pass inside a process, with kernels of that name, or the best that the processor has."""
        env = dict(THREADS, **({"REPSCOPE_KERNEL": kernel} if kernel else {}), **{f"REPSCOPE_BENCH_{name}": str(value) for name, value in variables.items()})
        r = run([self.tests, "-test.run", "^$", "-test.bench", "Files", "-test.benchtime", "1x"], env)
        found = {unit: float(value) for value, unit in re.findall(r"([\d.]+) ([\w/-]+)", r.output)}
        if "two-nn" in found:
            numbers = [found["two-nn"]]
        else:
            worst = self.n * 20 * (2 * self.n - 61) / 2
            numbers = [1 - found[name] / worst for name in ("trust-penalty", "cont-penalty")]
        self.measured[key].add(found["ns/op"] / 1e9, r.peak, numbers)

    def whole(self, key, frames, latents, memory=0):
        """The whole program."""
        r = run([self.program, "--frames", frames, "--latents", f"z={latents}", "--k", "5,10,20", "--bootstrap", "0", "--permutations", "0",
                 "--coranking", "off", "--out", f"{self.folder}/out", *(["--memory", str(memory)] if memory else [])])
        scores = re.search(r"^\s+20 +([\d.]+) +([\d.]+)", r.output, re.M)
        self.measured[key].add(r.wall, r.peak, [float(v) for v in scores.groups()])

    def peer(self, key, script, *arguments, whole=None):
        """A peer's script: its own seconds, and as whole if given those of the program."""
        r = run([PYTHON, f"{HERE}/{script}", *map(str, arguments)])
        scores = re.search(r"^(?:20|two-nn) (.*)", r.output, re.M)
        numbers = [float(v) for v in scores[1].split()] if scores else None
        self.measured[key].add(float(re.findall(r"(?:seconds|warm) ([\d.]+)", r.output)[-1]), r.peak, numbers)
        if whole:
            self.measured[whole].add(r.wall, r.peak, numbers)

    def preservation(self, works, first):
        """One round of trustworthiness and continuity."""
        paths = self.data(self.n, self.dim, "xuz")
        frames, quantised, latents = paths["x"], paths["u"], paths["z"]
        if "float32" in works:
            self.benchmark("float32 pass", FRAMES=frames, LATENTS=latents)
        if "float32" in works or "memory" in works:
            self.peer("numba", "peer_numba.py", frames, latents)
        if "float32" in works:
            self.whole("float32 program", frames, latents)
        self.peer("ssyrk", "peer_ssyrk.py", frames, 1)
        if "memory" in works:
            self.benchmark("memory pass", FRAMES=frames, LATENTS=latents, MEMORY=SMALL_MEMORY)
            self.whole("memory program", frames, latents, SMALL_MEMORY)
        if "uint8" in works:
            self.benchmark("uint8 pass", FRAMES=quantised, LATENTS=latents)
            for kernel in self.kernels:
                self.benchmark(f"uint8 {kernel}", kernel, FRAMES=quantised, LATENTS=latents)
            self.peer("numba uint8", "peer_numba.py", quantised, latents)
            self.whole("uint8 program", quantised, latents)
        if self.options.sklearn and first:
            for work, path in (("float32", frames), ("uint8", quantised)):
                if work in works:
                    self.peer(f"sklearn {work}", "peer_trustworthiness.py", path, latents, whole=f"sklearn whole {work}")

    def search(self):
        """One round of the search for neighbors."""
        for name, path in self.searched():
            for k in (2, 64):
                self.benchmark(f"{name} {k}", FRAMES=path, NEIGHBORS=k)
                self.peer(f"sklearn {name} {k}", "peer_twonn.py", path, k)

    def searched(self):
        yield "points", self.data(self.points, 64, "z")["z"]
        yield "frames", self.data(self.n, self.dim, "x")["x"]

    # The table.

    def compare(self, work, ours, peer, title, bar=None, tolerance=1e-4):
        """A row: the ratio is ours ÷ peer for a bar "≤ …" and "< …", peer ÷ ours for "≥ …"."""
        if ours not in self.measured or peer not in self.measured:
            return
        a, b = self.measured[ours], self.measured[peer]
        if a.numbers and b.numbers and any(abs(v - w) > tolerance * max(1, abs(w)) for v, w in zip(a.numbers, b.numbers)):
            sys.exit(f"{ours} found {a.numbers}, {peer} {b.numbers}")
        ratio, met = b.median() / a.median(), ""
        if bar:
            sign, limit = bar.split()
            if sign != "≥":
                ratio = 1 / ratio
            met = {"≥": ratio >= float(limit), "≤": ratio <= float(limit), "<": ratio < float(limit)}[sign]
            met = self.verdict(met)
        row(work, title, f"{a.median():.2f}", f"{b.median():.2f}", f"{ratio:.2f}", bar or "", met, f"{max(a.peaks):.0f}", f"{max(b.peaks):.0f}")

    def limit(self, work, what, value, unit, limit, peak):
        """A row without a peer."""
        row(work, what, f"{value:.2f}" if unit == "s" else "", "", "", f"≤ {limit} {unit}", self.verdict(value <= limit), f"{peak:.0f}", "")

    def verdict(self, met):
        if self.options.quick:
            return "(quick)"  # bars are for the full sizes
        return "met" if met else "**not met**"

    def print(self, works):
        header("work", "beside", "ours s", "peer s", "ratio", "bar", "", "ours MB", "peer MB")
        size = f"n = {self.n:,}, D = {self.dim:,}"
        for work, title, numba, bars, most in (
                ("float32", f"float32, {size}", "numba", ("≤ 0.65", "≤ 1.5", "≥ 22"), 700),
                ("memory", "the same, 95 MB of working memory", "numba", ("≤ 1.0", "≤ 2.3", None), 450),
                ("uint8", f"uint8, {size}", "numba uint8", ("≤ 0.3", "< 1.0", "≥ 50"), None)):
            for how in ("pass", "program"):
                ours = f"{work} {how}"
                self.compare(f"{title}: {how}", ours, numba, "numba", bars[0])
                self.compare(f"{title}: {how}", ours, "ssyrk", "ssyrk, warm", bars[1])
                self.compare(f"{title}: {how}", ours, f"sklearn {work}", "scikit-learn", bars[2])
                if how == "program":
                    self.compare(f"{title}: {how}", ours, f"sklearn whole {work}", "scikit-learn, whole program")
                if ours == "uint8 program":
                    self.compare(f"{title}: {how}", ours, "uint8 pass", "its pass", "≤ 1.2")
                # The driver of the pass reads the frames twice: from the file and into memory.
                if most and work in works and how == "program":
                    peak = max(self.measured[ours].peaks)
                    self.limit(f"{title}: {how}", "memory with the input", peak, "MB", most, peak)
        if "uint8" in works:
            for kernel in self.kernels:
                self.compare(f"uint8, {size}: pass, {kernel}", f"uint8 {kernel}", "ssyrk", "ssyrk, warm", "≤ 0.25" if kernel == "amx" else None)
        if "twonn" in works:
            for name, title in (("points", f"n = {self.points:,}, d = 64"), ("frames", size)):
                self.compare(f"2 neighbors, {title}", f"{name} 2", f"sklearn {name} 2", "scikit-learn, 2 neighbors", "≥ 3", 1e-3)
                self.compare(f"64 neighbors, {title}", f"{name} 64", f"sklearn {name} 64", "scikit-learn, 64 neighbors", "≥ 3", 1e-3)
                self.compare(f"64 neighbors, {title}", f"{name} 64", f"sklearn {name} 2", "scikit-learn, 2 neighbors", None, 1e-3)

    def full(self):
        """Frames as many and as large as the published study's full set, once."""
        n, dim = (3000, 16384) if self.options.quick else (36343, 16384)
        paths = self.data(n, dim, "uz")
        self.whole("full", paths["u"], paths["z"])
        m = self.measured["full"]
        title = f"uint8, n = {n:,}, D = {dim:,}: program"
        self.limit(title, "time", m.median(), "s", 600, m.peaks[0])
        self.limit(title, "memory with the input", m.peaks[0], "MB", 2000, m.peaks[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that everything runs, not how fast")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of which medians are taken (default: %(default)s)")
    parser.add_argument("--sklearn", action="store_true", help="scikit-learn's trustworthiness too, once: minutes, and 4 GB of memory")
    parser.add_argument("--full", action="store_true", help="36,343 uint8 frames of 16,384 values too, once: minutes, and 1 GB of disk")
    parser.add_argument("--only", default=",".join(WORKS), metavar="LIST", help="of the work: %(default)s; empty with --full for that alone")
    parser.add_argument("--kernels", default="", metavar="LIST", help="the uint8 pass with each of these kernels too: avx2, avx512, amx")
    parser.add_argument("--data", metavar="FOLDER", help="where arrays are kept for the next run (default: a temporary folder)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: want at least 1")
    works = [w for w in options.only.split(",") if w]
    if unknown := set(works) - set(WORKS):
        parser.error(f"--only {', '.join(sorted(unknown))}: want some of {', '.join(WORKS)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(options.data or temporary)
        os.makedirs(folder, exist_ok=True)
        bench = Bench(folder, options)
        for i in range(options.rounds):
            if set(works) - {"twonn"}:
                bench.preservation(works, i == 0)
            if "twonn" in works:
                bench.search()
        if works:
            bench.print(works)
        if options.full:
            bench.full()


main()
