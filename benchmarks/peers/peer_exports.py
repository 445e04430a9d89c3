"""The other side of exports.py: names of networks, their exports, and what ONNX Runtime makes of them.

    peer_exports.py list MILLIONS                      prints names as JSON
    peer_exports.py export NAME script|dynamo FILE
    peer_exports.py fill FOLDER SECONDS [script|dynamo] NAME …    exports each, by one exporter or both, unless it is there or takes longer,
                                                       with its state's shape next to it, for architectures.py --folder FOLDER
    peer_exports.py run FILE STATES OUTPUTS            writes three random states and their outputs as .npy files
    peer_exports.py compare FOUND WANTED               prints the largest difference over the largest output
"""
import json
import sys

import numpy as np


def build(name):
    """A network and its state's shape."""
    import torch
    torch.manual_seed(0)
    source, _, name = name.partition("/")
    if source == "timm":
        import timm
        net = timm.create_model(name, pretrained=False)
        return net.eval(), net.pretrained_cfg["input_size"]
    import torchvision
    extra = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    net = torchvision.models.get_model(name, weights=None, **extra)
    return net.eval(), (3, 299, 299) if name == "inception_v3" else (3, 224, 224)


def names(millions):
    """Classification networks of torchvision, and of each family of timm the smallest."""
    import timm
    import torch
    import torchvision
    from timm.models import _registry as registry

    def size(make):
        try:
            with torch.device("meta"):
                return sum(p.numel() for p in make().parameters())
        except Exception:
            return float("inf")

    found = []
    for name in torchvision.models.list_models(module=torchvision.models):
        if size(lambda: torchvision.models.get_model(name, weights=None)) <= millions * 1e6:
            found.append("torchvision/" + name)
    for family in sorted(registry._module_to_models):
        sizes = {n: size(lambda: timm.create_model(n, pretrained=False)) for n in sorted(registry._module_to_models[family])[:12]}
        smallest = min(sizes, key=sizes.get)
        if sizes[smallest] <= millions * 1e6:
            found.append("timm/" + smallest)
    return found


def export(name, exporter, file):
    import torch
    net, state = build(name)
    x = (torch.rand(2, *state),)
    if exporter == "dynamo":
        torch.onnx.export(net, x, file, input_names=["x"], output_names=["y"], dynamo=True, external_data=False, dynamic_shapes=({0: torch.export.Dim("batch")},))
    else:
        torch.onnx.export(net, x, file, input_names=["x"], output_names=["y"], opset_version=17, dynamo=False,
                          dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}})
    return state


def fill(folder, seconds, *names):
    import os
    import signal

    def late(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    exporters = ("script", "dynamo")
    if names[0] in exporters:
        exporters, names = names[:1], names[1:]
    for name in names:
        for exporter in exporters:
            file = f"{folder}/{name.replace('/', '_')}_{exporter}.onnx"
            if os.path.exists(file):
                continue
            signal.alarm(int(seconds))
            try:
                state = export(name, exporter, file + ".part")
                signal.alarm(0)
                with open(file[:-5] + ".json", "w") as f:
                    json.dump(state, f)
                os.rename(file + ".part", file)
            except BaseException as e:
                signal.alarm(0)
                print(f"{name} {exporter}: {type(e).__name__} {str(e)[:200]}", flush=True)
                for rest in (file + ".part", file + ".part.data"):
                    if os.path.exists(rest):
                        os.remove(rest)


def run(file, states, outputs):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    x = np.random.default_rng(1).random((3, *session.get_inputs()[0].shape[1:]), dtype=np.float32)
    np.save(states, x)
    np.save(outputs, session.run(None, {session.get_inputs()[0].name: x})[0])


def compare(found, wanted):
    z, y = np.load(found), np.load(wanted)
    y = y.reshape(len(y), -1)
    z = z.reshape(len(z), -1)
    if z.shape != y.shape:
        sys.exit(f"shape {z.shape}, want {y.shape}")
    print(np.abs(z - y).max() / (np.abs(y).max() or 1))


def main():
    kind, *rest = sys.argv[1:]
    if kind == "list":
        print(json.dumps(names(float(rest[0]))))
    else:
        {"export": export, "fill": fill, "run": run, "compare": compare}[kind](*rest)


main()
