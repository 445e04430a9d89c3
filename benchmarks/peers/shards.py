"""Neighborhoods in shards: one process next to shards that run one after the other, and what merging them takes.

Writes seeded uint8 frames [N, D], which follow each other in 20 episodes, with 64-d latents; runs neighborhood whole and in
shards, merges the shards in reverse order, and compares all files byte by byte but for the time stamps. Prints seconds and
peak memory of each, and of the merges the median. With --folder the steps can be run one by one and continued: a shard that is
there is not made again. Ends with an error if a byte differs.

usage: python3 benchmarks/peers/shards.py --states 36000 --values 4096 --shards 64     (after make build; needs numpy)
       python3 benchmarks/peers/shards.py --states 100000 --values 4096 --shards 16
"""
import argparse
import glob
import json
import multiprocessing
import os
import statistics
import sys
import tempfile

from measure import ROOT, header, row, run

EPISODES = 20


def write(folder, states, values):
    """Writes frames and latents in pieces; in a process of its own, whose memory is not counted."""
    import numpy as np

    random = np.random.default_rng(0)
    frames = np.lib.format.open_memmap(f"{folder}/frames.npy", "w+", np.uint8, (states, values))
    latents = np.lib.format.open_memmap(f"{folder}/latents.npy", "w+", np.float32, (states, 64))
    episodes = np.lib.format.open_memmap(f"{folder}/episodes.npy", "w+", np.int64, (states,))
    basis = random.standard_normal((64, values)).astype(np.float32) * 8
    at = random.standard_normal(64)
    for i in range(states):
        at = 0.98 * at + 0.2 * random.standard_normal(64)
        latents[i] = at + 0.3 * random.standard_normal(64)
        frames[i] = np.clip(128 + at.astype(np.float32) @ basis + 4 * random.standard_normal(values, dtype=np.float32), 0, 255)
        episodes[i] = i * EPISODES // states
    os.rename(f"{folder}/frames.npy", f"{folder}/x.npy")  # the last: what is there is whole


def without_times(path):
    """The content of a file; of a result, without when it was made and how long it took."""
    with open(path, "rb") as file:
        data = file.read()
    if not path.endswith(".json"):
        return data
    result = json.loads(data)
    result.pop("started"), result.pop("elapsed_s")
    return json.dumps(result).encode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", type=int, default=36000)
    parser.add_argument("--values", type=int, default=4096)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--merges", type=int, default=3)
    parser.add_argument("--folder", help="keep the files here, and continue what is there")
    parser.add_argument("--steps", default="whole,shards,merge")
    parser.add_argument("--bin", default=f"{ROOT}/bin")
    parser.add_argument("flags", nargs="*", help="further flags of neighborhood, after --")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        measure(options, os.path.abspath(options.folder or temporary), options.steps.split(","))


def measure(options, folder, steps):
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(f"{folder}/x.npy"):
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(folder, options.states, options.values))
        writer.start()
        writer.join()
    command = [f"{options.bin}/neighborhood", "--frames", f"{folder}/x.npy", "--latents", f"model={folder}/latents.npy",
               "--episodes", f"{folder}/episodes.npy", "--quiet", *options.flags]
    header("step", "seconds", "processor seconds", "peak MB")
    if "whole" in steps:
        done = run(command + ["--out", f"{folder}/whole"])
        row("one process", f"{done.wall:.1f}", f"{done.cpu:.1f}", f"{done.peak:.0f}")
    if "shards" in steps:
        for i in range(options.shards):
            if os.path.exists(f"{folder}/shards/neighborhood.{i}-of-{options.shards}.shard"):
                continue
            done = run(command + ["--out", f"{folder}/shards", "--shard", f"{i}/{options.shards}"])
            row(f"shard {i}/{options.shards}", f"{done.wall:.1f}", f"{done.cpu:.1f}", f"{done.peak:.0f}")
    if "merge" not in steps:
        return
    files = sorted(glob.glob(f"{folder}/shards/*.shard"), reverse=True)
    size = sum(os.path.getsize(f) for f in files) / 1e6
    merges = [run([f"{options.bin}/scale", "merge", *files, "--quiet", "--out", f"{folder}/merged"]) for _ in range(options.merges)]
    row(f"merge of {len(files)} shards of {size:.1f} MB together, median of {len(merges)}", f"{statistics.median(m.wall for m in merges):.2f}",
        f"{statistics.median(m.cpu for m in merges):.2f}", f"{max(m.peak for m in merges):.0f}")
    if not os.path.isdir(f"{folder}/whole"):
        return
    names = sorted(os.listdir(f"{folder}/whole"))
    if names != sorted(os.listdir(f"{folder}/merged")):
        sys.exit("the merged result has other files")
    for name in names:
        if without_times(f"{folder}/whole/{name}") != without_times(f"{folder}/merged/{name}"):
            sys.exit(f"{name} differs")
    print(f"\n{len(names)} files, the same bytes: {', '.join(names)}")


if __name__ == "__main__":
    main()
