"""Frames per second of the encoders of bench_models.py in PyTorch on a GPU, host memory
to host memory (pinned), a line per case in the form of Go's benchmarks.

[MODES=eager,compile,max-autotune] python3 bench_torch_cuda.py [seconds]

Cases: eager and torch.compile (default mode and max-autotune), in fp32, tf32 and bf16
(autocast), batches of 1, 64 and 512, of float32 and at 512 of bytes too. Images are channels-last. The median of the runs'
times is told; two batches are under way, as far as PyTorch lets them.
"""
import os
import statistics
import sys
import time

import torch

import bench_models


def measure(model, x, seconds):
    """Seconds per batch: upload, compute and download, each batch begun before the one before it is collected."""
    device = torch.device("cuda")
    out = model(x.to(device).float())
    landing = [torch.empty(out.shape, dtype=torch.float32, pin_memory=True) for _ in range(2)]
    ends = [torch.cuda.Event() for _ in range(2)]

    def submit(i):
        on = x.to(device, non_blocking=True)
        landing[i].copy_(model(on.float() / 255 if on.dtype == torch.uint8 else on).float(), non_blocking=True)
        ends[i].record()

    for i in range(6):
        submit(i % 2)
    torch.cuda.synchronize()
    times, count, start = [], 0, time.perf_counter()
    submit(0)
    while len(times) < 10 or time.perf_counter() - start < seconds:
        at = time.perf_counter()
        count += 1
        submit(count % 2)
        ends[(count + 1) % 2].synchronize()
        times.append(time.perf_counter() - at)
    torch.cuda.synchronize()
    return statistics.median(times)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    if not torch.cuda.is_available():
        print("skipped: PyTorch finds no GPU")
        return
    print(f"# torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")
    for name, (model, state) in bench_models.models().items():
        model = model.eval().cuda()
        if len(state) == 3:
            model = model.to(memory_format=torch.channels_last)
        for precision in ("fp32", "tf32", "bf16"):
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
            for mode in (os.environ.get("MODES") or "eager,compile,max-autotune").split(","):
                torch._dynamo.reset()
                run = model if mode == "eager" else torch.compile(model, mode="default" if mode == "compile" else mode)
                for batch, kind in ((1, ""), (64, ""), (512, ""), (512, "/bytes")):
                    x = torch.randint(0, 256, (batch, *state), dtype=torch.uint8) if kind else torch.rand(batch, *state)
                    x = x.pin_memory()
                    with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
                        try:
                            took = measure(run, x, seconds)
                        except Exception as error:  # torch.compile needs a compiler, which a machine may lack
                            print(f"skipped: {name}/{precision}/batch={batch}{kind} {mode}: {str(error).splitlines()[0][:100]}")
                            continue
                    print(f"PyTorch-{mode}/{name}/{precision}/batch={batch}{kind} {batch / took:.0f} frames/s", flush=True)


if __name__ == "__main__":
    main()
