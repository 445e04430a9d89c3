"""Runs repscope and its peers on the same arrays, one after the other, several
times, and prints a Markdown table of medians. Peers need Debian's python3-sklearn,
python3-torch and python3-scipy; ORT_PYTHON names a Python with onnxruntime, which
is left out otherwise.

    make build && ORT_PYTHON=python3 python3 docs/benchmarks/run.py [--quick]

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


def benchmark(package, pattern, times=3, **variables):
    """Metrics of go test -bench: name -> unit -> median over runs."""
    out = subprocess.run(["go", "test", "-run", "^$", "-bench", pattern, "-count", str(times), package], cwd=root,
                         env=dict(os.environ, **variables), check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        if m := re.match(r"(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(.*)", line):
            fields = m[2].split()
            for value, unit in zip(fields[::2], fields[1::2]):
                found.setdefault(m[1], {}).setdefault(unit, []).append(float(value))
    return {name: {unit: statistics.median(v) for unit, v in units.items()} for name, units in found.items()}


def encoders(folder):
    """Three alternating rounds of repscope, PyTorch and, where ORT_PYTHON names a
    Python that has it, ONNX Runtime, on the same files; medians."""
    print("\n### Encoders, frames/s, batch 64, two threads\n")
    row("encoder", "repscope", "PyTorch", "ONNX Runtime", "÷ PyTorch", "÷ ONNX Runtime")
    row(*["---"] * 6)
    scripts = f"{root}/latent/testdata"
    subprocess.run([python, f"{scripts}/bench_models.py", folder, "64"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names = ["ConvEncoder", "DQN"] if quick else ["ConvEncoder", "DQN", "VideoViT", "ViT-S"]
    rates = {}

    def note(who, name, rate):
        rates.setdefault((who, name), []).append(rate)

    for _ in range(3):
        for name, units in benchmark("./latent", "^BenchmarkModels/(" + "|".join(names) + ")$", 1, REPSCOPE_BENCH_MODELS=folder).items():
            note("repscope", name.split("/")[1], units["frames/s"])
        peers = [("PyTorch", [python, f"{scripts}/bench_torch.py", "64", "3", *names])]
        if "ORT_PYTHON" in os.environ:
            peers.append(("ONNX Runtime", [os.environ["ORT_PYTHON"], f"{scripts}/bench_ort.py", folder, "64", "3", *names]))
        for who, command in peers:
            env = dict(os.environ, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="1")
            out = json.loads(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout)
            for name in names:
                note(who, name, out[name]["frames_per_second"])
    for name in names:
        ours, torch, ort = (statistics.median(rates.get((who, name), [float("nan")])) for who in ("repscope", "PyTorch", "ONNX Runtime"))
        row(name, f"{ours:.0f}", f"{torch:.0f}", f"{ort:.0f}", f"{ours / torch:.2f}", f"{ours / ort:.2f}")


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
with tempfile.TemporaryDirectory() as folder:
    encoders(folder)
    neighborhood(folder)
