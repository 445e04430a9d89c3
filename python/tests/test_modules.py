"""Modules of PyTorch as encoders."""

from __future__ import annotations

import importlib.util
import unittest
from unittest import mock

import numpy as np

import repscope
from repscope import _modules

from .support import Case

try:
    import torch
except ImportError:
    torch = None


class Shapes(unittest.TestCase):
    def test_likeliest_first(self) -> None:
        for shape, options, want in (
            ((7,), {}, (7,)),
            ((8, 9), {}, (1, 8, 9)),
            ((3, 8, 9), {}, (3, 8, 9)),
            ((8, 9, 3), {}, (3, 8, 9)),
            ((8, 9), {"window": 4}, (4, 8, 9)),
            ((8, 9), {"resize": (5, 6)}, (1, 5, 6)),
            ((8, 9), {"resize": "5x6"}, (1, 5, 6)),
            ((8, 9), {"preprocess": "imagenet"}, (3, 224, 224)),
            ((1, 8, 9), {"preprocess": "imagenet"}, (3, 224, 224)),
            ((2, 1, 8, 9), {}, (2, 1, 8, 9)),
        ):
            self.assertEqual(_modules.inputs_for(shape, options)[0], want)
        self.assertEqual(_modules.inputs_for(None, {}), [])


@unittest.skipIf(torch is None, "PyTorch is not installed")
class WithoutExporters(Case):
    def test_what_to_install(self) -> None:
        found = importlib.util.find_spec
        with mock.patch.object(importlib.util, "find_spec", lambda name: None if name.startswith("onnx") else found(name)):
            with mock.patch.object(torch.onnx, "export", side_effect=ImportError("no onnx")):
                with self.assertRaises(repscope.RepscopeError) as caught:
                    repscope.encode({"net": torch.nn.Linear(4, 2)}, np.zeros((30, 4), np.float32))
        self.assertIn("pip install onnx onnxscript", caught.exception.hints[0])


@unittest.skipIf(torch is None or importlib.util.find_spec("onnx") is None, "PyTorch and onnx, which its exporters need, are not installed")
class Modules(Case):
    def setUp(self) -> None:
        super().setUp()
        torch.manual_seed(0)
        self.frames = np.random.default_rng(0).integers(0, 256, (70, 12, 10)).astype(np.uint8)
        self.net = torch.nn.Sequential(
            torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.GELU(), torch.nn.Dropout(), torch.nn.Flatten(), torch.nn.Linear(320, 5)
        )

    def want(self, module: object) -> np.ndarray:
        x = torch.from_numpy(self.frames[:, None].astype(np.float32))
        with torch.no_grad():
            return module.eval()(x).numpy()

    def check(self, got: np.ndarray, want: np.ndarray) -> None:
        self.assertEqual(got.shape, want.shape)
        self.assertLess(np.abs(got - want).max(), 1e-5 * np.abs(want).max())

    def test_latents_are_those_of_the_module(self) -> None:
        self.net.train()
        self.net[3].eval()
        result = repscope.encode(self.net, self.frames, progress=False)
        self.assertEqual([m.training for m in self.net], [True, True, True, False, True, True])
        self.assertIn("exported Sequential to ONNX", result.notes[0])
        self.check(result.array("Sequential"), self.want(self.net))

    def test_both_exporters(self) -> None:
        exporters = list(_modules._exporters(torch, {"dynamo": 1, "dynamic_shapes": 1, "external_data": 1}, ["input"], 1))
        for how, options in exporters:
            with mock.patch.object(_modules, "_exporters", lambda *_: [(how, options)]):
                result = repscope.encode({"net": self.net}, self.frames, progress=False)
            self.assertIn(how, result.notes[0])
            self.check(result.array("net"), self.want(self.net))

    def test_the_second_exporter_where_the_first_fails(self) -> None:
        exporters = list(_modules._exporters(torch, {"dynamo": 1}, ["input"], 1))
        with mock.patch.object(_modules, "_exporters", lambda *_: [("none", {"no_such_option": 1}), exporters[-1]]):
            result = repscope.encode(self.net, self.frames, progress=False)
        self.assertIn("TorchScript", result.notes[0])

    def test_plain_layers_need_no_second_exporter(self) -> None:
        """Layers whose run is the same for all values are recorded; what depends on values or sizes goes through torch.export."""
        result = repscope.encode({"net": self.net}, self.frames, progress=False)
        self.assertIn("TorchScript", result.notes[0])
        self.check(result.array("net"), self.want(self.net))

        class Sized(torch.nn.Module):
            def __init__(self, net: object) -> None:
                super().__init__()
                self.net = net

            def forward(self, x: object) -> object:
                return self.net(x) if x.shape[2] == 12 else self.net(x[:, :, :12])

        self.assertTrue(_modules._is_plain(Sized(self.net)))
        for module in (torch.nn.LSTM(3, 4), torch.nn.MultiheadAttention(4, 2), torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.GRU(3, 4))):
            self.assertFalse(_modules._is_plain(module))
        if importlib.util.find_spec("onnxscript") is None:
            self.skipTest("onnxscript, which torch.export needs, is not installed")
        result = repscope.encode(Sized(self.net), self.frames, progress=False)
        self.assertIn("torch.export", result.notes[0])
        self.check(result.array("Sized"), self.want(self.net))

    def test_in_a_suite(self) -> None:
        suite = {"analyses": ["manifold"], "defaults": {"bootstrap": 0}, "datasets": {"d": {"frames": self.frames, "model": {"net": self.net}}}}
        out = repscope.evaluate(suite, out=self.folder, progress=False)
        self.assertIn("exported Sequential to ONNX", out.notes[0])
        self.assertEqual([t["state"] for t in out.json["tasks"]], ["done"])
        self.assertIn("d/manifold: unchanged", repscope.evaluate(suite, out=self.folder, progress=False).notes)

    def test_several_outputs(self) -> None:
        class Two(torch.nn.Module):
            def __init__(self, net: object, of: object) -> None:
                super().__init__()
                self.net, self.of = net, of

            def forward(self, x: object) -> object:
                return self.of(self.net(x), x)

        for of in (lambda z, x: (z, x), lambda z, x: {"latent": z, "input": x}):
            result = repscope.encode(Two(self.net, of), self.frames, progress=False)
            self.assertIn("output used: ", result.notes[0])
            self.check(result.array("Two"), self.want(self.net))

    def test_half_precision(self) -> None:
        half = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(120, 4)).bfloat16()
        result = repscope.encode(half, torch.from_numpy(self.frames), progress=False)
        self.assertEqual(half[1].weight.dtype, torch.bfloat16)
        self.check(result.array("Sequential"), self.want(torch.nn.Sequential(torch.nn.Flatten(), half[1]).float()))

    def test_an_example_beside_it(self) -> None:
        result = repscope.manifold(model={"net": (self.net, torch.zeros(1, 1, 12, 10))}, frames=self.frames)
        self.assertEqual(list(result.models), ["net"])

    def test_what_cannot_be(self) -> None:
        with self.assertRaisesRegex(repscope.RepscopeError, "accepts none of the inputs tried:\n(.*\n)*hint: give an example"):
            repscope.encode(torch.nn.Linear(3, 4), self.frames)
        with self.assertRaisesRegex(repscope.UsageError, "does not follow from the frames"):
            repscope.encode(self.net, example=True)

        class Silent(torch.nn.Module):
            def forward(self, x: object) -> str:
                return "nothing"

        with self.assertRaisesRegex(repscope.RepscopeError, "returns a str"):
            repscope.encode(Silent(), self.frames)
        with self.assertRaisesRegex(TypeError, "want the path of a model or a module"):
            repscope.encode({"a": 3}, self.frames)


if __name__ == "__main__":
    unittest.main()
