"""Runs repscope and its peers on the same arrays, one after the other, several
times, and prints a Markdown table of medians. Peers need Debian's python3-sklearn,
python3-torch and python3-scipy.

    make build && python3 docs/benchmarks/run.py [--quick]

Whole programs are timed, from start to files written: wall time, processor time
and peak memory as the kernel reports them.
"""
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
python = "/usr/bin/python3"
quick = "--quick" in sys.argv
threads = dict(os.environ, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")


def measure(command, times, env=threads):
    """Median wall seconds, processor seconds and peak megabytes of a command."""
    walls, cpus, peaks = [], [], []
    for _ in range(times):
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=root, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        error = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{command}: {error.decode()}")
        walls.append(time.perf_counter() - start)
        cpus.append(usage.ru_utime + usage.ru_stime)
        peaks.append(usage.ru_maxrss / 1024)
    return statistics.median(walls), statistics.median(cpus), max(peaks)


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def neighborhood(folder):
    print("\n### Trustworthiness and continuity, k = 5, 10, 20, 64-d latents\n")
    row("n", "D", "type", "repscope wall / cpu s", "peak MB", "scikit-learn wall / cpu s", "peak MB", "wall ratio", "cpu ratio")
    row(*["---"] * 9)
    for n in [2000] + ([] if quick else [10000]):
        for dim, letter, kind in ((4096, "u", "uint8"), (7056, "x", "float32")):
            subprocess.run([python, f"{here}/data.py", folder, str(n), str(dim)], check=True)
            latents, frames = f"{folder}/z_{n}.npy", f"{folder}/{letter}_{n}x{dim}.npy"
            ours = measure(["bin/neighborhood", "--frames", frames, "--latents", f"z={latents}", "--k", "5,10,20", "--bootstrap", "0",
                            "--permutations", "0", "--coranking", "off", "--quiet", "--out", f"{folder}/out"], 5)
            peer = measure([python, f"{here}/peer_trustworthiness.py", frames, latents], 1 if n > 5000 else 3)
            row(n, dim, kind, f"{ours[0]:.2f} / {ours[1]:.2f}", f"{ours[2]:.0f}", f"{peer[0]:.2f} / {peer[1]:.2f}", f"{peer[2]:.0f}",
                f"{peer[0] / ours[0]:.1f}", f"{peer[1] / ours[1]:.1f}")


def benchmark(package, pattern, times=3):
    """Metrics of go test -bench: name -> unit -> median over runs."""
    out = subprocess.run(["go", "test", "-run", "^$", "-bench", pattern, "-count", str(times), package], cwd=root,
                         check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        if m := re.match(r"(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(.*)", line):
            fields = m[2].split()
            for value, unit in zip(fields[::2], fields[1::2]):
                found.setdefault(m[1], {}).setdefault(unit, []).append(float(value))
    return {name: {unit: statistics.median(v) for unit, v in units.items()} for name, units in found.items()}


def encoders():
    print("\n### Encoders, frames/s, batch 64, two threads\n")
    row("encoder", "repscope", "PyTorch", "ratio")
    row(*["---"] * 4)
    rounds = []
    for _ in range(3):
        env = dict(os.environ, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="1")
        peer = json.loads(subprocess.run([python, f"{root}/latent/testdata/bench_torch.py", "64"], env=env, check=True, capture_output=True, text=True).stdout)
        ours = benchmark("./latent", "^(BenchmarkConvEncoder|BenchmarkDQN|BenchmarkVideoViT|BenchmarkViT)", 1)
        rounds.append((ours, peer))
    for name in [key for key, value in rounds[0][1].items() if isinstance(value, float)]:
        pairs = []
        for ours, peer in rounds:
            rates = [units["frames/s"] for bench, units in ours.items() if name in bench and "frames/s" in units and "batch=1" not in bench.split("/")]
            if rates:
                pairs.append((max(rates), peer[name]))
        if pairs:
            a, b = statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)
            row(name, f"{a:.0f}", f"{b:.0f}", f"{a / b:.2f}")


def bootstrap():
    print("\n### Bootstrap of a mean, n = 6,000, 2,000 resamples, BCa interval\n")
    row("what", "ms")
    row(*["---"] * 2)
    for name, units in benchmark("./stat", "^BenchmarkBootstrap").items():
        row("repscope " + name.removeprefix("Benchmark"), f"{units['ns/op'] / 1e6:.1f}")
    peer = subprocess.run([python, f"{here}/peer_bootstrap.py"], check=True, capture_output=True, text=True).stdout.strip()
    row("scipy, independent observations", peer)


def processor():
    with open("/proc/cpuinfo") as info:
        names = re.findall(r"model name\s*:\s*(.*)", info.read())
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


print(f"{processor()}; {subprocess.run(['go', 'version'], capture_output=True, text=True).stdout.strip()}")
bootstrap()
encoders()
with tempfile.TemporaryDirectory() as folder:
    neighborhood(folder)
