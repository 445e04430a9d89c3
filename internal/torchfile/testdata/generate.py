"""Writes the PyTorch files that the tests read, and expected.json with what is in them.

    /usr/bin/python3 generate.py        (PyTorch 1.13, NumPy 1.24)
"""
import collections
import io
import json
import pathlib
import sys
import types
import zipfile

import numpy as np
import torch

out = pathlib.Path(__file__).parent
torch.manual_seed(7)
expected = {}


def describe(value):
    if isinstance(value, torch.Tensor):
        t = value.detach()
        return {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape),
                "data": t.double().flatten().tolist()}
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.name, "shape": list(value.shape), "data": value.astype(float).flatten().tolist()}
    if isinstance(value, dict):
        return [[str(k), describe(v)] for k, v in value.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return {"list": [describe(v) for v in value]}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (pathlib.PurePath, torch.device, torch.dtype)):
        return str(value)
    return value


def save(name, value, **options):
    torch.save(value, out / name, **options)
    expected[name] = describe(value)


base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
tied = torch.arange(6, dtype=torch.float32)
tensors = collections.OrderedDict(
    float32=torch.randn(2, 3), float64=torch.randn(3, dtype=torch.float64), float16=torch.randn(5).half(),
    bfloat16=torch.randn(5).bfloat16(), int64=torch.tensor([-(2**40), 5]), int32=torch.tensor([[-7], [8]], dtype=torch.int32),
    int16=torch.tensor([-300, 300], dtype=torch.int16), int8=torch.tensor([-128, 127], dtype=torch.int8),
    uint8=torch.tensor([0, 255], dtype=torch.uint8), bool=torch.tensor([True, False, True]), scalar=torch.tensor(2.5),
    empty=torch.zeros(0, 3), transposed=base.t(), sliced=base[1:3, 1:6:2], column=base[:, 2], expanded=torch.ones(1, 3).expand(4, 3),
    permuted=torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1), tied_a=tied, tied_b=tied[2:], parameter=torch.nn.Parameter(torch.randn(2, 2)))
save("tensors.pt", tensors)
save("tensors_legacy.pt", tensors, _use_new_zipfile_serialization=False)
for protocol in (3, 4, 5):
    save(f"tensors_protocol{protocol}.pt", tensors, pickle_protocol=protocol)

net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.SiLU(), torch.nn.LayerNorm(3))
save("state_dict.pth", net.state_dict())
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
net(torch.randn(8, 4)).square().sum().backward()
optimizer.step()
save("checkpoint.pth", {
    "epoch": 12, "encoder_state_dict": net.state_dict(), "target_encoder_state_dict": net.state_dict(),
    "optimizer_state_dict": optimizer.state_dict(), "best_loss": np.float64(0.125), "steps": np.int64(99), "flag": np.bool_(True),
    "config": {"lr": 1e-3, "channels": [32, 64], "shape": torch.Size([1, 64, 64]), "name": "jépa", "big": 2**80, "none": None,
               "device": torch.device("cuda", 1), "dtype": torch.float16, "path": pathlib.PurePosixPath("a/b"),
               "tags": {"x"}, "half": np.float16(0.5)},
    "mean": np.arange(6, dtype=np.float32).reshape(2, 3), "order": np.asfortranarray(np.arange(6, dtype=">i2").reshape(2, 3))})
save("tensor_only.pt", torch.arange(5))
save("list.pt", [1, 2.5, "three", (True, None), torch.ones(2)])

# The zip members may be compressed by other tools.
with zipfile.ZipFile(out / "state_dict.pth") as source, zipfile.ZipFile(out / "deflated.pth", "w", zipfile.ZIP_DEFLATED) as target:
    for item in source.infolist():
        target.writestr(zipfile.ZipInfo(item.filename), source.read(item), zipfile.ZIP_DEFLATED)
expected["deflated.pth"] = expected["state_dict.pth"]

# A big-endian file: the bytes of every storage swapped, and the record that newer versions write.
wide = {"x": torch.tensor([1.5, -2.0]), "n": torch.tensor([3, -4])}
buffer = io.BytesIO()
torch.save(wide, buffer)
widths = {"0": 4, "1": 8}
with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(out / "big_endian.pt", "w") as target:
    for item in source.infolist():
        data = source.read(item)
        folder, _, key = item.filename.rpartition("/")
        if folder.endswith("/data"):
            data = b"".join(data[i:i + widths[key]][::-1] for i in range(0, len(data), widths[key]))
        target.writestr(zipfile.ZipInfo(item.filename), data)
    target.writestr(zipfile.ZipInfo("archive/byteorder"), "big")
expected["big_endian.pt"] = describe(wide)

# Files that must be refused.
torch.save(net, out / "module.pt")
torch.jit.script(net).save(str(out / "script.pt"))
torch.save({"z": torch.ones(2, dtype=torch.complex64)}, out / "complex.pt")


class Evil:
    def __reduce__(self):
        import os
        return os.system, ("touch /tmp/repscope-was-here",)


torch.save({"weights": torch.ones(2), "payload": Evil()}, out / "evil.pt")

# A published dataset, in small: two splits of pickled objects.
names = ["src", "src.data", "src.data.dataset"]
for name in names:
    sys.modules[name] = types.ModuleType(name)


class ExperienceDataset:
    pass


ExperienceDataset.__module__ = names[-1]
ExperienceDataset.__qualname__ = "ExperienceDataset"
sys.modules[names[-1]].ExperienceDataset = ExperienceDataset


def experience(seed, frames, ends, leading, as_tensor):
    d = ExperienceDataset()
    generator = torch.Generator().manual_seed(seed)
    d.sequence_length = 3
    states = torch.randint(0, 256, (frames, 5, 4), generator=generator).float() / 255
    d.states = states[None] if leading else states
    d.actions = torch.randint(0, 6, (frames,), generator=generator, dtype=torch.int32)
    d.rewards = torch.randint(0, 2, (frames,), generator=generator).float()
    stop = [i in ends for i in range(frames)]
    d.stop_episodes = torch.tensor(stop) if as_tensor else stop
    d.valid_start_indices = [i for i in range(frames - 3) if not any(stop[i:i + 4])]
    return d


train, val = experience(1, 20, {7, 14}, True, False), experience(2, 12, {5, 11}, True, False)
torch.save({"train_dataset": train, "val_dataset": val, "metadata": {"game": "pong", "frames": 32}}, out / "experience.pth")
plain = experience(2, 12, {5, 11}, False, True)
torch.save({"train_dataset": plain, "val_dataset": plain, "metadata": None}, out / "experience_plain.pth")
expected["experience.pth"] = {"val": {"states": describe(val.states[0]), "actions": describe(val.actions), "rewards": describe(val.rewards),
                                      "stop": val.stop_episodes, "starts": val.valid_start_indices},
                              "train_starts": train.valid_start_indices}

(out / "expected.json").write_text(json.dumps(expected, indent=None, separators=(",", ":")) + "\n")
