"""ONNX Runtime's side of architectures.py: prints the seconds that a batch takes, the median of runs.

    peer_onnxruntime.py FOLDER NAME BATCH SECONDS
"""
import json
import statistics
import sys
import time


def seconds(run, budget):
    """The median of runs, of which there are three at least, and as many as end within a budget of seconds."""
    run()
    taken, end = [], time.perf_counter() + budget
    while len(taken) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def main():
    import numpy as np
    import onnxruntime
    folder, name, batch, budget = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    with open(f"{folder}/{name}.json") as f:
        x = np.random.default_rng(0).random((batch, *json.load(f)), dtype=np.float32)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(f"{folder}/{name}.onnx", options, providers=["CPUExecutionProvider"])
    print(seconds(lambda: session.run(None, {session.get_inputs()[0].name: x}), budget))


if __name__ == "__main__":
    main()
