"""Writes the golden VideoViT and ViT-MAE files beside this script; see README.md.

As generate.py, with the list in golden_transformers.json. Weights are exact in
bfloat16 and in half precision, so that every file of a module has one output.
"""
import json
import os
import struct
import sys
import warnings

import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "..", "model", "checkpoint", "testdata"))
import reference

warnings.filterwarnings("ignore")
torch.manual_seed(30)
torch.set_num_threads(1)
rng = np.random.default_rng(30)
cases = []


def path(name):
    return os.path.join(here, name)


def case(file, inputs, expected, **options):
    cases.append(dict(file=file, input=inputs, expected=expected, **options))


def randomise(module):
    """Sharp attention and large positions, so that a wrong angle or a mixed-up tensor shows."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            if "norm" in name:
                p.copy_(torch.rand_like(p) + (0.5 if name.endswith("weight") else -0.5))
            elif any(part in name for part in ("qkv", "query", "key")):
                p.copy_(p * 3)
            else:
                p.copy_(p * 1.5)
            p.copy_(p.bfloat16().half().float())
    return module.eval()


def run(module, x):
    with torch.no_grad():
        return module(torch.from_numpy(x)).numpy()


def safetensors(name, state):
    header, data = {}, b""
    kinds = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}
    for key, t in state.items():
        t = t.contiguous()
        raw = (t.view(torch.int16) if t.dtype == torch.bfloat16 else t).numpy().tobytes()
        header[key] = {"dtype": kinds[t.dtype], "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path(name), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def mixed(state):
    """The same values in all float types, transposed and strided views, and one storage for several tensors."""
    out, seen = {}, {}
    kinds = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
    for i, (key, t) in enumerate(state.items()):
        if key.endswith("inv_freq"):
            # One storage for all blocks, as a shared buffer is saved.
            out[key] = seen.setdefault(key.split(".")[-1] + str(t.shape), t)
            continue
        t = t.to(kinds[i % 4])
        if t.dim() == 2 and i % 3 == 0:
            t = t.t().contiguous().t()
        elif t.dim() == 2:
            wide = torch.zeros(t.shape[0], 2 * t.shape[1] + 1, dtype=t.dtype)
            wide[:, 1::2] = t
            t = wide[:, 1::2]
        elif t.dim() == 1:
            two = torch.stack([t, t + 1], 1)
            t = two[:, 0]
        out[key] = t
    return out


def export(module, example, name, opset, axes):
    torch.onnx.export(module, example, path(name), opset_version=opset, input_names=["x"], output_names=["z"], dynamic_axes=axes)


# VideoViT, small: 16 tokens a frame.
video = randomise(reference.VideoViT(width=16, patch=4, depth=2, temporal_depth=2, heads=2))
x = rng.standard_normal((5, 1, 3, 16, 16)).astype(np.float32)
np.save(path("video_input.npy"), x)
np.save(path("video.npy"), run(video, x))
state = video.state_dict()
torch.save(state, path("video.pth"))
case("video.pth", "video_input.npy", "video.npy")
torch.save(state, path("video_legacy.pt"), _use_new_zipfile_serialization=False)
case("video_legacy.pt", "video_input.npy", "video.npy")
# Two layers share their weights, and so does the target encoder in all float types.
torch.save({"epoch": 7, "config": {"encoder": {"type": "video_vit", "num_heads": 2}}, "encoder_state_dict": state,
            "target_encoder_state_dict": mixed(state)}, path("video_checkpoint.pth"))
case("video_checkpoint.pth", "video_input.npy", "video.npy")
case("video_checkpoint.pth", "video_input.npy", "video.npy", state="target")
safetensors("video.safetensors", {k: v if k.endswith("inv_freq") else v.bfloat16() for k, v in state.items()})
case("video.safetensors", "video_input.npy", "video.npy")
torch.save({k: v.half() for k, v in state.items() if not k.endswith("inv_freq")}, path("video_no_buffers.pth"))
case("video_no_buffers.pth", "video_input.npy", "video.npy", heads=2)
axes = {"x": {0: "batch", 2: "time", 3: "height", 4: "width"}, "z": {0: "batch", 1: "time"}}
for opset in (13, 17):
    export(video, torch.randn(2, 1, 3, 16, 16), f"video_opset{opset}.onnx", opset, axes)
    case(f"video_opset{opset}.onnx", "video_input.npy", "video.npy")

tied = randomise(reference.VideoViT(width=12, patch=2, depth=3, temporal_depth=1, heads=1, channels=2))
tied.blocks[2] = tied.blocks[0]
tied.blocks[1].mlp = tied.temporal_blocks[0].mlp
y = rng.standard_normal((3, 2, 2, 6, 10)).astype(np.float32)
np.save(path("video_tied_input.npy"), y)
np.save(path("video_tied.npy"), run(tied, y))
torch.save({"module.encoder." + k: v for k, v in tied.state_dict().items()}, path("video_tied.pth"))
case("video_tied.pth", "video_tied_input.npy", "video_tied.npy")

# Any number of frames, and any size of a frame.
clip = rng.standard_normal((2, 1, 8, 16, 16)).astype(np.float32)
other = rng.standard_normal((1, 1, 2, 8, 20)).astype(np.float32)
np.savez(path("video_time.npz"), clip=clip, other=other, size=run(video, other), **{f"t{t}": run(video, clip[:, :, :t].copy()) for t in range(1, 9)})

# ViT-MAE, small: 16 patches and CLS.
mae = randomise(reference.ViTMAE(width=16, patch=7, layers=2, hidden=24, channels=4, size=28))
x = rng.standard_normal((5, 4, 28, 28)).astype(np.float32)
np.save(path("mae_input.npy"), x)
np.save(path("mae.npy"), run(mae, x))
state = mae.state_dict()
torch.save(state, path("mae.pth"))
case("mae.pth", "mae_input.npy", "mae.npy")
torch.save(state, path("mae_legacy.pt"), _use_new_zipfile_serialization=False)
case("mae_legacy.pt", "mae_input.npy", "mae.npy")
safetensors("mae.safetensors", {k: v.half() for k, v in state.items()})
case("mae.safetensors", "mae_input.npy", "mae.npy")
axes = {"x": {0: "batch"}, "z": {0: "batch"}}
for opset in (13, 17):
    export(mae, torch.randn(2, 4, 28, 28), f"mae_opset{opset}.onnx", opset, axes)
    case(f"mae_opset{opset}.onnx", "mae_input.npy", "mae.npy")
for layer in mae.encoder.layer:
    layer.heads = 4
np.save(path("mae_heads.npy"), run(mae, x))
case("mae.pth", "mae_input.npy", "mae_heads.npy", heads=4)
decoder = {"decoder.decoder_embed.weight": torch.randn(3, 16), "decoder.mask_token": torch.randn(1, 1, 3)}
torch.save({"config": {"image_size": 28, "num_attention_heads": 4, "decoder": {"num_attention_heads": 2}},
            "state_dict": {**{"vit." + k: v for k, v in mixed(state).items()}, **decoder}}, path("mae_checkpoint.pth"))
case("mae_checkpoint.pth", "mae_input.npy", "mae_heads.npy")
# Without biases of query, key and value, as qkv_bias=False has it.
for layer in mae.encoder.layer:
    layer.heads = 8
    for f in (layer.attention.attention.query, layer.attention.attention.key, layer.attention.attention.value):
        f.bias = None
np.save(path("mae_no_bias.npy"), run(mae, x))
safetensors("mae_no_bias.safetensors", {k: v.bfloat16() for k, v in mae.state_dict().items()})
case("mae_no_bias.safetensors", "mae_input.npy", "mae_no_bias.npy")

with open(path("golden_transformers.json"), "w") as f:
    json.dump(cases, f, indent=1)
    f.write("\n")

# How much the details weigh in these files: the output without them differs by as much as it is large.
def without(change, module, x):
    want = run(module, x)
    change()
    return np.abs(run(module, x) - want).max() / np.abs(want).max()


x = rng.standard_normal((5, 1, 3, 16, 16)).astype(np.float32)
gelu, turn = torch.nn.functional.gelu, reference.Rotary.forward
print("GELU by tanh: %.1e" % without(lambda: setattr(torch.nn.functional, "gelu", lambda v: gelu(v, approximate="tanh")), video, x))
torch.nn.functional.gelu = gelu
print("no rotary embedding: %.1e" % without(lambda: setattr(reference.Rotary, "forward", lambda self, v: v), video, x))
reference.Rotary.forward = turn
