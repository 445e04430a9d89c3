"""Runs repscope and its peers on the same arrays, one after the other, several times, and prints
Markdown tables of medians. Whole programs of the neighborhood analysis are timed from start to
files written: wall time, processor time and peak memory as the kernel reports them. Peers need
Debian's python3-sklearn, python3-torch and python3-scipy; the environment variable ORT_PYTHON names a
Python with onnxruntime, which is left out otherwise. Needs bin/, which make build makes.
The neighborhood pass next to stronger peers has its own script, neighbors.py, the geometry
analysis geometry.py, and how the pass grows growth.py."""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import tempfile

from measure import HERE, PYTHON, ROOT, header, row, run

SECTIONS = ["bootstrap", "encoders", "neighborhood"]


def measure(command, times):
    """Median wall seconds, median processor seconds and peak megabytes of a command."""
    runs = [run(command) for _ in range(times)]
    return statistics.median(r.wall for r in runs), statistics.median(r.cpu for r in runs), max(r.peak for r in runs)


def neighborhood(folder, quick):
    print("\n### Trustworthiness and continuity, k = 5, 10, 20, 64-d latents\n")
    header("n", "D", "type", "repscope wall / cpu s", "peak MB", "scikit-learn wall / cpu s", "peak MB", "wall ratio", "cpu ratio")
    for n in [2000] + ([] if quick else [10000]):
        for dim, letter, kind in ((4096, "u", "uint8"), (7056, "x", "float32")):
            subprocess.run([PYTHON, f"{HERE}/data.py", folder, str(n), str(dim)], check=True)
            latents, frames = f"{folder}/z_{n}.npy", f"{folder}/{letter}_{n}x{dim}.npy"
            ours = measure(["bin/neighborhood", "--frames", frames, "--latents", f"z={latents}", "--k", "5,10,20", "--bootstrap", "0",
                            "--permutations", "0", "--coranking", "off", "--quiet", "--out", f"{folder}/out"], 5)
            peer = measure([PYTHON, f"{HERE}/peer_trustworthiness.py", frames, latents], 1 if n > 5000 else 3)
            row(n, dim, kind, f"{ours[0]:.2f} / {ours[1]:.2f}", f"{ours[2]:.0f}", f"{peer[0]:.2f} / {peer[1]:.2f}", f"{peer[2]:.0f}",
                f"{peer[0] / ours[0]:.1f}", f"{peer[1] / ours[1]:.1f}")


def benchmark(package, pattern, times=3, **variables):
    """Metrics of go test -bench: name -> unit -> median over runs."""
    out = subprocess.run(["go", "test", "-run", "^$", "-bench", pattern, "-count", str(times), package], cwd=ROOT,
                         env=dict(os.environ, **variables), check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        if m := re.match(r"(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(.*)", line):
            fields = m[2].split()
            for value, unit in zip(fields[::2], fields[1::2]):
                found.setdefault(m[1], {}).setdefault(unit, []).append(float(value))
    return {name: {unit: statistics.median(v) for unit, v in units.items()} for name, units in found.items()}


def encoders(folder, quick):
    """Three alternating rounds of repscope, PyTorch and, where ORT_PYTHON names a
    Python that has it, ONNX Runtime, on the same files; medians."""
    print("\n### Encoders, frames/s, batch 64, two threads\n")
    header("encoder", "repscope", "PyTorch", "ONNX Runtime", "÷ PyTorch", "÷ ONNX Runtime")
    scripts = f"{ROOT}/latent/testdata"
    subprocess.run([PYTHON, f"{scripts}/bench_models.py", folder, "64"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names = ["ConvEncoder", "DQN"] if quick else ["ConvEncoder", "DQN", "VideoViT", "ViT-S"]
    rates = {}

    def note(who, name, rate):
        rates.setdefault((who, name), []).append(rate)

    for _ in range(3):
        for name, units in benchmark("./latent", "^BenchmarkModels/(" + "|".join(names) + ")$", 1, REPSCOPE_BENCH_MODELS=folder).items():
            note("repscope", name.split("/")[1], units["frames/s"])
        peers = [("PyTorch", [PYTHON, f"{scripts}/bench_torch.py", "64", "3", *names])]
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
    header("what", "ms")
    for name, units in benchmark("./stat", "^BenchmarkBootstrap").items():
        row("repscope " + name.removeprefix("Benchmark"), f"{units['ns/op'] / 1e6:.1f}")
    peer = subprocess.run([PYTHON, f"{HERE}/peer_bootstrap.py"], check=True, capture_output=True, text=True).stdout.strip()
    row("scipy, independent observations", peer)


def processor():
    with open("/proc/cpuinfo") as info:
        names = re.findall(r"model name\s*:\s*(.*)", info.read())
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes and two encoders")
    parser.add_argument("--only", default=",".join(SECTIONS), metavar="LIST", help="of the sections (default: %(default)s)")
    options = parser.parse_args()
    sections = options.only.split(",")
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"--only {', '.join(sorted(unknown))}: want some of {', '.join(SECTIONS)}")
    print(f"{processor()}; {subprocess.run(['go', 'version'], capture_output=True, text=True).stdout.strip()}", flush=True)
    if "bootstrap" in sections:
        bootstrap()
    with tempfile.TemporaryDirectory() as folder:
        if "encoders" in sections:
            encoders(folder, options.quick)
        if "neighborhood" in sections:
            neighborhood(folder, options.quick)


main()
