"""Exports modules of PyTorch to ONNX files."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import sys
import warnings
from typing import Any, Dict, Generator, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._errors import RepscopeError


def is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")  # there is no module where it was never imported
    return torch is not None and isinstance(value, torch.nn.Module)


class Exported(NamedTuple):
    path: str
    note: str  # what was done


def export(module: Any, path: str, examples: Sequence[Any], given: bool, name: str) -> Exported:
    """Writes a module as ONNX, with any size of batch, in evaluation mode and float32.

    examples are inputs, each a tuple of tensors; the first that the module accepts is
    traced. Two exporters are tried: torch.export, then TorchScript; for plain layers
    TorchScript is first. The module is left unchanged.
    """
    import torch

    wrapped = _wrapper(torch, module)
    with _evaluation(torch, module) as (work, device):
        wrapped.inner = work
        inputs = _first_taken(torch, wrapped, examples, device, given, name)
        with _quiet():
            how = _write(torch, wrapped, inputs, path, name)
    shapes = " and ".join("[" + ", ".join(["N", *map(str, t.shape[1:])]) + "]" for t in inputs)
    note = f"{name}: exported {type(module).__name__} to ONNX by {how}, for inputs {shapes}, in evaluation mode"
    if wrapped.taken:
        note += f"; output used: {wrapped.taken}"
    return Exported(path, note)


def _wrapper(torch: Any, module: Any) -> Any:
    class OneOutput(torch.nn.Module):  # type: ignore[misc]
        """Returns the single tensor of an output that is a tuple or a dictionary."""

        def __init__(self) -> None:
            super().__init__()
            self.inner: Any = module
            self.taken = ""

        def forward(self, *inputs: Any) -> Any:
            out = self.inner(*inputs)
            if isinstance(out, torch.Tensor):
                return out
            if isinstance(out, Mapping):
                pairs = [(repr(k), v) for k, v in out.items()]
            elif isinstance(out, (tuple, list)):
                pairs = [(f"number {i}", v) for i, v in enumerate(out)]
            else:
                raise TypeError(f"the module returns a {type(out).__name__}, want one or several tensors")
            for key, v in pairs:
                if isinstance(v, torch.Tensor):
                    self.taken = key if len(pairs) > 1 else ""
                    return v
            raise TypeError("the module returns no tensor")

    return OneOutput()


@contextlib.contextmanager
def _evaluation(torch: Any, module: Any) -> Generator[Tuple[Any, Any], None, None]:
    """The module in evaluation mode, or a float32 copy of it, and its device."""
    tensors = list(module.parameters()) + list(module.buffers())
    if any(t.is_floating_point() and t.dtype != torch.float32 for t in tensors):
        import copy

        work = copy.deepcopy(module).float().eval()
        yield work, tensors[0].device
        return
    modes = [(m, m.training) for m in module.modules()]
    module.eval()
    try:
        yield module, tensors[0].device if tensors else torch.device("cpu")
    finally:
        for m, training in modes:
            m.training = training


def _first_taken(torch: Any, wrapped: Any, examples: Sequence[Any], device: Any, given: bool, name: str) -> Tuple[Any, ...]:
    problems: List[str] = []
    last: Optional[Exception] = None
    for inputs in examples:
        inputs = tuple(t.to(device) for t in inputs)
        try:
            with torch.no_grad():
                wrapped(*inputs)
            return inputs
        except Exception as err:  # whatever the module raises
            shapes = " and ".join(str(list(t.shape)) for t in inputs)
            problems.append(f"{shapes}: {type(err).__name__}: {str(err).splitlines()[0] if str(err) else ''}")
            last = err
    hint = [] if given else ["give an example of its input with the module: model={%r: (module, tensor)}" % name]
    raise RepscopeError(1, f"model {name}: the module accepts none of the inputs tried:\n" + "\n".join(problems), hint) from last


@contextlib.contextmanager
def _quiet() -> Generator[None, None, None]:
    """Suppresses output and warnings of exporters."""
    import logging

    loggers = [logging.getLogger(n) for n in ("torch.onnx", "onnxscript", "torch.export", "onnx_ir")]
    levels = [x.level for x in loggers]
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        for x in loggers:
            x.setLevel(logging.ERROR)
        try:
            yield
        finally:
            for x, level in zip(loggers, levels):
                x.setLevel(level)


def _write(torch: Any, wrapped: Any, inputs: Tuple[Any, ...], path: str, name: str) -> str:
    """Exports with the first exporter that succeeds, and returns its name."""
    known = inspect.signature(torch.onnx.export).parameters
    names = ["input"] if len(inputs) == 1 else [f"input_{i}" for i in range(len(inputs))]
    problems: List[str] = []
    last: Optional[Exception] = None
    exporters = list(_exporters(torch, known, names, len(inputs)))
    if len(exporters) > 1 and _is_plain(wrapped.inner):
        exporters.insert(0, exporters[-1])
    for at, (how, options) in enumerate(exporters):
        wrapped.eval()  # an exporter that fails leaves the mode that it found
        try:
            with torch.no_grad(), warnings.catch_warnings():
                if at + 1 < len(exporters) and how == _TRACER:  # what depends on values is left to the other one
                    warnings.simplefilter("error", torch.jit.TracerWarning)
                torch.onnx.export(wrapped, inputs, path, input_names=names, output_names=["latents"], **options)
            return f"{how} of PyTorch {torch.__version__}"
        except Exception as err:  # of whatever kind: the other exporter may do it
            problems.append(f"{how}: {type(err).__name__}: {str(err).strip().splitlines()[0] if str(err).strip() else ''}")
            for leftover in (path, path + ".data"):
                if os.path.exists(leftover):
                    os.unlink(leftover)
            last = err
    import importlib.util

    missing = [package for package in ("onnx", "onnxscript") if importlib.util.find_spec(package) is None]
    install = [f"the exporters of PyTorch need more packages: pip install {' '.join(missing)}"] if missing else []
    raise RepscopeError(
        1, f"model {name}: PyTorch {torch.__version__} cannot export the module to ONNX:\n" + "\n".join(dict.fromkeys(problems)),
        [*install, "export it yourself and give the file, or compute the latents and give them as latents="],
    ) from last


# The exporter that records one run of a module.
_TRACER = "TorchScript"

# Modules of torch.nn whose run is the same for all values and sizes of a batch.
_PLAIN = ("activation", "batchnorm", "container", "conv", "dropout", "flatten", "linear", "normalization", "padding", "pooling")


def _is_plain(module: Any) -> bool:
    """Whether a module consists of plain layers: a recorded run is the module then, and torch.export, which takes ten times as long to
    load, is not needed.
    """
    for part in module.modules():
        package, _, file = type(part).__module__.rpartition(".")
        if package != "torch.nn.modules":
            if next(part.children(), None) is None:  # it computes by itself
                return False
        elif file not in _PLAIN or type(part).__name__ == "MultiheadAttention":
            return False
    return True


def _exporters(torch: Any, known: Mapping[str, Any], names: List[str], count: int) -> Iterator[Tuple[str, Dict[str, Any]]]:
    import importlib.util

    if "dynamo" in known and importlib.util.find_spec("onnxscript") is not None:
        batch = torch.export.Dim("batch", min=1) if hasattr(torch, "export") else None
        options: Dict[str, Any] = {"dynamo": True, "verbose": False}
        if "dynamic_shapes" in known:
            # the wrapper takes them as *inputs
            options["dynamic_shapes"] = (tuple({0: batch} for _ in range(count)),)
        if "external_data" in known:
            options["external_data"] = False
        yield "torch.export", options
    options = {"dynamic_axes": {n: {0: "N"} for n in [*names, "latents"]}, "opset_version": 17, "do_constant_folding": True}
    if "dynamo" in known:
        options["dynamo"] = False
    yield _TRACER, options


def inputs_for(shape: Optional[Tuple[int, ...]], options: Mapping[str, Any]) -> List[Tuple[int, ...]]:
    """Possible input shapes of one state, likeliest first: channels before rows and columns."""
    if shape is None:
        return []
    shape = tuple(shape)
    if len(shape) == 3 and shape[2] in (1, 3, 4) and shape[0] not in (1, 3, 4):
        shape = (shape[2], shape[0], shape[1])
    size = options.get("resize")
    channels: List[int] = []
    if options.get("preprocess") == "imagenet":
        size, channels = (224, 224), [3]
    if isinstance(size, str) and "x" in size:
        size = tuple(int(n) for n in size.split("x"))
    if isinstance(size, (tuple, list)) and len(size) == 2 and len(shape) >= 2:
        shape = (*shape[:-2], int(size[0]), int(size[1]))
    window = options.get("window")
    steps = int(window) if isinstance(window, (int, str)) and str(window).isdigit() else 0
    found: List[Tuple[int, ...]] = []
    if len(shape) == 1:
        found = [(steps, *shape)] if steps > 1 else []
        found += [shape]
    elif len(shape) == 2:
        if steps > 1:
            found = [(steps, *shape), (1, steps, *shape), (steps, 1, *shape)]
        found += [(c, *shape) for c in channels or [1, 3]] + [shape]
    elif len(shape) == 3:
        if steps > 1:
            found = [(steps, *shape), (shape[0], steps, *shape[1:])]
        if channels:
            found += [(channels[0], *shape[1:])]
        found += [shape, (1, *shape), (shape[0], 1, *shape[1:])]
        if shape[0] == 1:
            found += [(3, *shape[1:])]
    else:
        found = [shape]
    return list(dict.fromkeys(found))
