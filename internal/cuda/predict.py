#!/usr/bin/env python3
"""What a GPU could reach, on paper: no GPU is needed, and nothing here is measured.

    predict.py PTXAS NVDISASM [MODELS]

PTXAS and NVDISASM are NVIDIA's (check.sh fetches ptxas into bin/nvidia, pip has
nvidia-cuda-nvdisasm); MODELS is the folder that latent/testdata/bench_models.py
writes, and needs onnx. Prints the tables of docs/develop/kernels-and-ptx.md: registers, spills, occupancy
and machine instructions of the kernels on sm_80 and sm_90; what tiles leave of the
tensor cores' speed; and rooflines of encoders and of the neighborhood pass.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Per second: bytes of memory, and operations (a multiplication and an addition are two) as the
# data sheets have them, dense: H200 SXM, A100 SXM 80 GB, GeForce RTX 4090.
MACHINES = {
    "H200": dict(memory=4.8e12, fp32=67e12, tf32=494e12, bf16=989e12, u8=1979e12, fp64=34e12),
    "A100": dict(memory=2.04e12, fp32=19.5e12, tf32=156e12, bf16=312e12, u8=624e12, fp64=9.7e12),
    "RTX 4090": dict(memory=1.01e12, fp32=82.6e12, tf32=82.6e12, bf16=165e12, u8=660e12, fp64=1.29e12),
}

# Machine instructions by what they do.
KINDS = [("tensor", r"[HIQ]MMA|IMMA"), ("ldmatrix", r"LDSM"), ("async", r"LDGSTS"), ("ld.global", r"LDG|LD"),
         ("st.global", r"STG|ST"), ("ld.shared", r"LDS"), ("st.shared", r"STS"), ("local", r"LDL|STL"), ("fma", r"FFMA|DFMA")]


def threads(text, kernel):
    m = re.search(r"\.entry %s\(.*?\.maxntid (\d+)" % re.escape(kernel), text, re.S)
    return int(m.group(1)) if m else 1024


def occupancy(registers, block, shared):
    """Share of a multiprocessor's 64 warps: 65,536 registers by 256 a warp, 164 KB of shared memory."""
    warps = (block + 31) // 32
    per_warp = (registers * 32 + 255) // 256 * 256
    blocks = min(65536 // (per_warp * warps), 64 // warps, 32, (164 << 10) // (shared + 1024))
    return blocks * warps / 64


def kernels(ptxas, nvdisasm):
    print("| family | kernel | threads | registers sm_80, sm_90 | spilled bytes | warps of 64, by registers | " + " | ".join(k for k, _ in KINDS) + " |")
    print("| --- " * (6 + len(KINDS)) + "|")
    for path in sorted(glob.glob(os.path.join(HERE, "kernels/ptx/*.ptx"))):
        family, text = os.path.basename(path)[:-4], open(path).read()
        if family == "selftest":
            continue
        rows = {}
        for arch in ("sm_80", "sm_90"):
            with tempfile.TemporaryDirectory() as folder:
                cubin = os.path.join(folder, "x.cubin")
                log = subprocess.run([ptxas, "-arch=" + arch, "-v", path, "-o", cubin], capture_output=True, text=True, check=True).stderr
                name = of = None
                for line in log.split("\n"):
                    if m := re.search(r"Compiling entry function '(\w+)'", line):
                        name = m.group(1)
                    if m := re.search(r"Function properties for (\w+)", line):
                        of = m.group(1)  # the kernel, or a function that it calls
                    if (m := re.search(r"(\d+) bytes spill stores", line)) and of == name:
                        rows.setdefault(name, {}).setdefault("spill", {})[arch] = int(m.group(1))
                    if m := re.search(r"Used (\d+) registers", line):
                        rows[name].setdefault("registers", {})[arch] = int(m.group(1))
                        rows[name]["shared"] = int((re.search(r"(\d+) bytes smem", line) or [0, 0])[1])
                if arch != "sm_90":
                    continue
                name = None
                for line in subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout.split("\n"):
                    if m := re.match(r"\.text\.(\w+):", line):
                        name = m.group(1)
                    m = re.search(r"\*/\s+(?:@!?U?P\w+ )?([A-Z]\w*)", line)
                    if m and name in rows:
                        for kind, pattern in KINDS:
                            if re.fullmatch(pattern, m.group(1)):
                                rows[name][kind] = rows[name].get(kind, 0) + 1
        for name, r in sorted(rows.items()):
            block = threads(text, name)
            print("| %s | %s | %d | %d, %d | %d, %d | %.0f | %s |" % (family, name, block, r["registers"]["sm_80"], r["registers"]["sm_90"],
                r["spill"]["sm_80"], r["spill"]["sm_90"], 64 * occupancy(r["registers"]["sm_90"], block, r["shared"]),
                " | ".join(str(r.get(k, 0)) for k, _ in KINDS)))


def tiles():
    """A warp's part of WM×WN per 8 terms: its fragments come from shared memory at 128 bytes a clock of the
    multiprocessor; A100's tensor cores multiply 512 tf32 pairs a clock, H200's mma.sync 2/3 of 1024. bf16 is
    packed from float32 in shared memory, at twice the speed of multiplication. A block loads (BM+BN)·32 bytes
    for BM·BN·8 terms from L2, about 64 bytes a clock."""
    print("\n| tile | warp's part | tf32 on A100: shared memory, L2 | tf32 on H200 | bf16 on A100 | bf16 on H200 |")
    print("| --- | --- | --- | --- | --- | --- |")
    for bm, bn, wm, wn in ((128, 128, 64, 32), (128, 64, 64, 32), (64, 64, 32, 32), (64, 32, 32, 16), (16, 32, 16, 8)):
        shares = []
        for speed in (512, 683, 1024, 1365):
            math = wm * wn * 8 / speed
            shared = (wm + wn) * 32 / 128
            l2 = (bm + bn) * 32 / 64 / ((bm // wm) * (bn // wn))
            shares.append("%.0f %%, %.0f %%" % (100 * min(1, math / shared), 100 * min(1, math / l2)))
        print("| %d×%d | %d×%d | %s |" % (bm, bn, wm, wn, " | ".join(shares)))


def encoder(path, batch):
    """Multiplications and additions, and bytes: weights once, inputs and outputs of products and of what sums rows."""
    import numpy
    import onnx
    from onnx import shape_inference
    model = shape_inference.infer_shapes(onnx.load(path), data_prop=True)
    shapes = {v.name: [d.dim_value or 1 for d in v.type.tensor_type.shape.dim] for v in list(model.graph.value_info) + list(model.graph.input) + list(model.graph.output)}
    weights = {w.name: list(w.dims) for w in model.graph.initializer}
    operations = moved = stored = 0
    size = lambda name: int(numpy.prod(shapes.get(name, weights.get(name, [0]))))
    for node in model.graph.node:
        if node.op_type not in ("Conv", "MatMul", "Gemm", "LayerNormalization", "Softmax", "ReduceMean", "BatchNormalization", "InstanceNormalization", "GroupNormalization"):
            continue
        out = size(node.output[0])
        moved += out * 4
        for name in node.input:
            if name in weights:
                stored += size(name) * 4
            else:
                moved += size(name) * 4
        if node.op_type == "Conv":
            operations += 2 * out * int(numpy.prod(weights[node.input[1]][1:]))
        elif node.op_type == "Gemm":
            operations += 2 * out * shapes.get(node.input[0], [1])[-1]
        elif node.op_type == "MatMul":
            operations += 2 * out * (shapes.get(node.input[0]) or [1])[-1]
    return operations * batch, moved * batch + stored


def rooflines(models):
    print("\n| work | operations | bytes | " + " | ".join("%s: memory, arithmetic, at most" % m for m in MACHINES) + " |")
    print("| --- " * (3 + len(MACHINES)) + "|")
    def row(name, operations, moved, kind, units, unit):
        cells = []
        for m in MACHINES.values():
            memory, arithmetic = moved / m["memory"], operations / m[kind]
            cells.append("%.3g ms, %.3g ms, %s" % (1e3 * memory, 1e3 * arithmetic, "%.3g %s" % (units / max(memory, arithmetic), unit)))
        print("| %s | %.3g | %.3g | %s |" % (name, operations, moved, " | ".join(cells)))
    if models:
        for name in ("DQN", "ConvEncoder", "ViT-S"):
            operations, moved = encoder(os.path.join(models, name + ".onnx"), 512)
            for kind in ("fp32", "tf32", "bf16"):
                row("%s, batch 512, %s" % (name, kind), operations, moved, kind, 512, "frames/s")
    n, d = 36343, 16384
    # Half of all pairs by tiles of 128×128 that read both factors; 4 bytes of each distance written, and read by lists and ranks.
    row("neighborhood, n = 36,343, D = 16,384, u8", n * n * d, n * n / 2 * d * 2 / 128 + 3 * 4 * n * n, "u8", 1, "passes/s")


if __name__ == "__main__":
    kernels(sys.argv[1], sys.argv[2])
    tiles()
    rooflines(sys.argv[3] if len(sys.argv) > 3 else None)
