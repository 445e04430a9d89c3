"""How the neighborhood pass grows: trustworthiness and continuity for k = 5, 10, 20
of n points in D dimensions and 64-d latents, by n, D and threads, with the share of
processor time that is spent in the matrix kernels. Prints Markdown tables of the
better of two runs.

    python3 benchmarks/peers/growth.py [--quick]
"""
import os
import re
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
quick = "--quick" in sys.argv
# The generated micro-kernels: those of latents are counted with those of frames.
KERNEL = re.compile(r"kernel\.(float32|float64|uint8)\w*(R\d+V\d+|Generic)")


def run(program, folder, kind, n, dim, threads):
    """Seconds of a pass and the share of the matrix kernels in percent."""
    profile = f"{folder}/profile"
    env = dict(os.environ, REPSCOPE_BENCH_GROWTH=f"{kind} {n} {dim} {threads}")
    out = subprocess.run([program, "-test.run", "^$", "-test.bench", "Growth", "-test.benchtime", "1x", "-test.count", "2", "-test.cpuprofile", profile],
                         cwd=folder, env=env, check=True, capture_output=True, text=True).stdout
    seconds = min(float(m) / 1e9 for m in re.findall(r"([\d.]+) ns/op", out))
    top = subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=1000", program, profile], cwd=root, check=True, capture_output=True, text=True).stdout
    total = kernel = 0.0
    for line in top.splitlines():
        if m := re.match(r"\s*([\d.]+)(ms|s)\s+[\d.]+%\s+[\d.]+%\s+\S+\s+[\d.]+%\s+(.*)", line):
            value = float(m[1]) / (1000 if m[2] == "ms" else 1)
            # The data are made by the benchmark itself.
            if re.search(r"neighbors\.(rendered|gaussian64|quantised)|math/rand|math\.|runtime\.mem", m[3]):
                continue
            total += value
            kernel += value if KERNEL.search(m[3]) else 0
    return seconds, 100 * kernel / total if total else 0


def table(program, folder, title, cases):
    print(f"\n{title}\n\n| n | D | threads | uint8 s | kernel | float32 s | kernel |\n| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for n, dim, threads in cases:
        cells = []
        for kind in ("uint8", "float32"):
            seconds, share = run(program, folder, kind, n, dim, threads)
            cells += [f"{seconds:.2f}", f"{share:.0f} %"]
        print(f"| {n:,} | {dim:,} | {threads} | " + " | ".join(cells) + " |", flush=True)


with tempfile.TemporaryDirectory() as folder:
    program = f"{folder}/neighbors.test"
    subprocess.run(["go", "test", "-c", "-o", program, "./neighbors"], cwd=root, check=True, env=dict(os.environ, CGO_ENABLED="0"))
    table(program, folder, "Growth with n", [(n, 4096, 2) for n in ([1000, 2000] if quick else [1000, 2500, 5000, 10000, 20000])])
    table(program, folder, "Growth with D", [(5000, dim, 2) for dim in ([64, 256] if quick else [64, 256, 1024, 4096, 16384])])
    table(program, folder, "Threads", [(2000 if quick else 10000, 4096, threads) for threads in (1, 2)])
