"""Writes modules_*.onnx and modules.npz: exports of tiny models, and what forward hooks see of their modules.

    python3 generate_modules.py

Arrays are named "FILE|MODULE"; "NAME" is the input of the models of a name. Made with torch 2.9.1, timm 1.0.31,
transformers 5.24.0 and onnxscript.
"""

import os
import re
import warnings

import numpy as np
import onnx
import timm
import torch
import transformers as T

warnings.filterwarnings("ignore")
torch.set_grad_enabled(False)
here = os.path.dirname(os.path.abspath(__file__))
arrays = {}


def without_traces(file):
    """Drops the lines of source code that an export records, with the folders of the machine."""
    model = onnx.load(file)
    for item in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output, *model.graph.initializer]:
        item.ClearField("doc_string")
        kept = [p for p in item.metadata_props if p.key == "pkg.torch.onnx.name_scopes"]
        del item.metadata_props[:]
        item.metadata_props.extend(kept)
    onnx.save(model, file)


class Tokens(torch.nn.Module):
    """The tokens of a model of transformers."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x).last_hidden_state


def export(name, model, side, modules, dynamic=True):
    torch.manual_seed(sum(map(ord, name)))
    for p in model.parameters():
        p.copy_(torch.randn(p.shape) * (0.5 if p.ndim < 2 else (p.numel() / p.shape[0]) ** -0.5))
    model.eval()
    x = torch.randn(2, 3, side, side)
    arrays[name] = x.numpy()
    file = os.path.join(here, f"modules_{name}_%s.onnx")
    names = dict(input_names=["x"], output_names=["z"])
    torch.onnx.export(model, x, file % "script", dynamo=False, opset_version=17, dynamic_axes={"x": {0: "b"}, "z": {0: "b"}}, **names)
    torch.onnx.export(model, (x,), file % "dynamo", dynamo=True, dynamic_shapes=({0: torch.export.Dim("b")},) if dynamic else None, external_data=False, **names)
    for form in ("script", "dynamo"):
        without_traces(file % form)
    seen = {}
    for module, m in model.named_modules():
        if re.fullmatch(modules, module):
            m.register_forward_hook(lambda m, x, y, module=module: seen.__setitem__(module, (y[0] if isinstance(y, tuple) else y).numpy().copy()))
    model(x)
    for form in ("script", "dynamo"):
        for module, value in seen.items():
            arrays[f"modules_{name}_{form}.onnx|{module}"] = value
    print(name, sorted(seen))


export("vit", timm.create_model("vit_tiny_patch16_224", img_size=16, patch_size=8, embed_dim=12, depth=2, num_heads=2, num_classes=0), 16,
       r"blocks\.\d+(\.(attn|mlp))?")
resnet = timm.models.resnet
export("resnet", resnet.ResNet(resnet.BasicBlock, layers=[1, 2, 1, 1], channels=(4, 4, 4, 8), num_classes=0), 32, r"layer\d(\.\d+)?")
settings = dict(hidden_size=12, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16, image_size=16, patch_size=8)
export("dinov2", Tokens(T.Dinov2Model(T.Dinov2Config(**settings))), 16, r"model\.encoder\.layers?\.\d+",
       dynamic=False)  # its export fixes the batch
np.savez_compressed(os.path.join(here, "modules.npz"), **arrays)
