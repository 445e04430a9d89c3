"""Analyses of a model while it trains, in the background.

>>> import numpy as np, repscope
>>> frames = np.random.default_rng(0).normal(size=(60, 12)).astype("float32")
>>> with repscope.Monitor(frames, lambda batch: batch[:, :4], analyses=["manifold"], every=100, busy="wait") as monitor:
...     for step in range(250):
...         taken = monitor.step(step)
>>> [entry.step for entry in monitor.history]
[0, 100, 200]
>>> round(monitor.history[0].scalars["manifold/participation_ratio"]) in range(3, 5)
True
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
import warnings
from collections import deque
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

import numpy as np

from ._arrays import Workspace, as_array, is_path
from ._client import _call, _command
from ._errors import RepscopeError, RepscopeWarning, UsageError
from ._progress import Progress
from ._result import Figure, Result

__all__ = ["Entry", "Monitor", "scalars_of"]

# What is left out of an analysis beside training unless it is asked for: time, and files that nobody looks at.
_DEFAULTS: Dict[str, Dict[str, Any]] = {
    "": {"bootstrap": 0, "cache": "off", "threads": 1, "device": "cpu"},
    "neighborhood": {"permutations": 0, "coranking": "off"},
}


class Entry(NamedTuple):
    """The numbers of one analysis at one step.

    Attributes:
        step: step of the snapshot.
        analysis: name of the analysis.
        scalars: numbers by "analysis/path", such as "neighborhood/by_k/5/trustworthiness".
        seconds: duration of the analysis.
    """

    step: int
    analysis: str
    scalars: Dict[str, float]
    seconds: float


class _Snapshot(NamedTuple):
    step: int
    latents: str  # a file
    workspace: Workspace


class _Stopped(Exception):
    pass


class _Watch(Progress):
    """Ends a run when the monitor stops."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def event(self, event: Dict[str, Any]) -> None:
        self.tick()

    def tick(self) -> None:
        if self._stop.is_set():
            raise _Stopped


class Monitor:
    """Encodes a fixed set of frames at regular steps and analyzes the latents in the background.

    Training waits only for the encoding; analyses run one after the other in a separate
    program, at low priority and with one thread. Their numbers are delivered at the next
    :meth:`step`, in the calling thread, with the step of their snapshot. Errors in the
    background become warnings and are kept in :attr:`errors`; training continues.

    Args:
        frames: array [N, …] of the states, fixed for all steps.
        model: the encoder: a module of PyTorch, called on batches of float32 tensors on its device, in evaluation
            mode and without gradients; or a function from a batch of the original frames to latents
            [n, …]. None: pass the model or latents to :meth:`step`.
        analyses: names of functions of this package that take latents (manifold, geometry, neighborhood, smoothness
            …), or a mapping of these to their keywords: ``{"neighborhood": {"k": (5, 10)}}``. By default they
            have no intervals (bootstrap=0) and no figures.
        every: steps between two snapshots. The first snapshot is at the first step.
        episodes: episodes of the frames, as for the functions.
        log: receiver of the numbers: a function of a mapping and the step, a ``SummaryWriter`` of TensorBoard, or
            a run of Weights & Biases (or the module ``wandb``); several as a list. Weights & Biases rejects
            past steps, so numbers get a separate axis, "repscope/step".
        name: name of the model in results and figures.
        prefix: prefix of the names of numbers, such as "val/".
        scalars: patterns of the names to keep, such as ``["*/participation_ratio"]``; None: all.
        busy: handling of a snapshot while the queue is full: "skip" leaves it out and counts it
            in :attr:`skipped`, "wait" waits.
        queue: number of snapshots that can wait while one is analyzed.
        out: a folder for ``history.json``, ``history.csv`` and the files of each analysis; None: keep only
            :attr:`history`.
        batch: number of frames to encode at a time.
        threads: threads of an analysis; 0: all.
        nice: added to the niceness of an analysis; on Windows above 0 is a priority below the normal.

    Attributes:
        history: list of :class:`Entry`, in the order of delivery.
        errors: list of (step, analysis, exception).
        skipped: number of snapshots left out.
    """

    def __init__(
        self,
        frames: Any,
        model: Any = None,
        *,
        analyses: Union[str, Sequence[str], Mapping[str, Optional[Mapping[str, Any]]]] = ("manifold",),
        every: int = 1000,
        episodes: Any = None,
        log: Any = None,
        name: str = "model",
        prefix: str = "",
        scalars: Optional[Sequence[str]] = None,
        busy: str = "skip",
        queue: int = 1,
        out: Any = None,
        batch: int = 256,
        threads: int = 1,
        nice: int = 10,
    ) -> None:
        for key, value, least in (("every", every, 1), ("queue", queue, 0), ("batch", batch, 1), ("threads", threads, 0)):
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
                raise UsageError(2, f"{key}={value!r}: want a whole number from {least}")
        if busy not in ("skip", "wait"):
            raise UsageError(2, f"busy={busy!r}: want 'skip' or 'wait'")
        if not isinstance(name, str) or not name:
            raise UsageError(2, f"name={name!r} is not a name; want a text")
        if isinstance(nice, bool) or not isinstance(nice, (int, np.integer)):
            raise TypeError(f"nice: {nice!r} is not a whole number")
        scalars = [scalars] if isinstance(scalars, str) else scalars
        if scalars is not None and not (isinstance(scalars, (list, tuple)) and all(isinstance(s, str) for s in scalars)):
            raise TypeError(f"scalars: {scalars!r} are not patterns of names; want texts such as '*/participation_ratio'")
        self._analyses = _checked(analyses, threads)
        self._sinks = [_sink(s) for s in (log if isinstance(log, (list, tuple)) else [log]) if s is not None]
        self._model, self._every, self._batch, self._name, self._prefix, self._patterns = model, int(every), int(batch), name, prefix, scalars
        self._busy, self._queue, self._nice = busy, int(queue), int(nice)
        self._out = None if out is None else _folder(out)
        self._process = os.getpid()
        if is_path(frames):
            raise TypeError(f"frames: {frames!r} is a path; give the array, as np.load({os.fspath(frames)!r}, mmap_mode='r')")
        if isinstance(frames, Mapping) or not (hasattr(frames, "__len__") and hasattr(frames, "__getitem__")):
            raise TypeError(f"frames: a {type(frames).__name__} is not an array of states")
        self._frames = frames
        shape = getattr(frames, "shape", None)
        self._count = int(shape[0]) if shape is not None and len(shape) else len(frames)
        if self._count == 0:
            raise UsageError(2, "frames: want at least one")
        self._workspace = Workspace()
        try:
            self._common: Dict[str, Any] = {}
            if any("frames" in _command(a).flags for a in self._analyses):
                self._common["frames"] = self._workspace.save("frames", frames)
            if episodes is not None:
                self._common["episodes"] = self._workspace.save("episodes", episodes)
        except BaseException:
            self._workspace.close()
            raise
        self.history: List[Entry] = []
        self.errors: List[Tuple[int, str, BaseException]] = []
        self.skipped = 0
        self._due: Optional[int] = None
        self._steps = 0
        self._waiting: Deque[_Snapshot] = deque()
        self._done: Deque[Union[Entry, Tuple[int, str, BaseException]]] = deque()
        self._running = False
        self._closed = False
        self._condition = threading.Condition()
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None

    # in the thread that trains

    def step(self, step: Optional[int] = None, model: Any = None, *, latents: Any = None) -> bool:
        """Registers a step; returns whether a snapshot was taken.

        Args:
            step: number of the step; None: one more than the last.
            model: replaces the model of the monitor.
            latents: array [N, …] of the frames' latents, if computed already.
        """
        if self._closed:
            raise RuntimeError("the monitor is closed")
        if step is None:
            step = self._steps
        step = int(step)
        self._steps = step + 1
        self._deliver()
        if self._due is not None and step < self._due:
            return False
        self._due = (step // self._every + 1) * self._every
        return self.snapshot(step, model, latents=latents)

    __call__ = step

    def snapshot(self, step: int, model: Any = None, *, latents: Any = None) -> bool:
        """Takes a snapshot at any step; returns False if it is left out (see busy)."""
        if self._closed:
            raise RuntimeError("the monitor is closed")
        model = self._model if model is None else model
        if model is None and latents is None:
            raise UsageError(2, "no model: give one to the monitor or to step(), or latents")
        if not self._room():
            self.skipped += 1
            return False
        try:
            values = as_array(latents, "latents") if latents is not None else self._encode(model)
            self._check(values)
            workspace = Workspace()
            try:
                path = workspace.save("latents", np.array(values))  # a copy, also of what is mapped: training goes on
            except BaseException:
                workspace.close()
                raise
        except Exception as err:
            if not self.history and not self.errors and not self._waiting and not self._running:
                raise  # of the first, where it is a mistake in the script
            self._fail(step, "encode", err)
            return False
        with self._condition:
            self._waiting.append(_Snapshot(step, path, workspace))
            self._condition.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="repscope-monitor", daemon=True)
            self._thread.start()
        return True

    def _room(self) -> bool:
        # What is analyzed now is not among those that wait.
        with self._condition:
            full = self._full()
            if full and self._busy == "skip":
                return False
            while full:
                self._condition.wait(0.2)
                full = self._full()
        self._deliver()
        return True

    def _full(self) -> bool:
        return len(self._waiting) + self._running >= self._queue + 1

    def _check(self, values: np.ndarray) -> None:
        if values.ndim < 2:
            raise UsageError(2, f"latents of shape {list(values.shape)}, want one row for each of {self._count} frames")
        if len(values) != self._count:
            raise UsageError(2, f"{len(values)} latents for {self._count} frames")

    def _encode(self, model: Any) -> np.ndarray:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(model, torch.nn.Module):
            return _encode_module(torch, model, self._frames, self._count, self._batch)
        if not callable(model):
            raise TypeError(f"{type(model).__name__} is not a module or a function of frames")
        parts = []
        for lo in range(0, self._count, self._batch):
            hi = min(lo + self._batch, self._count)
            # a copy: the next batch may be written to the same place
            part = np.array(as_array(model(self._frames[lo:hi]), "latents"))
            if part.ndim == 0 or len(part) != hi - lo:
                raise UsageError(2, f"the model returned latents of shape {list(part.shape)} for {hi - lo} frames")
            parts.append(part)
        return np.concatenate(parts)

    def _deliver(self) -> None:
        """Delivers the numbers found since the last call."""
        changed = False
        while self._done:
            item = self._done.popleft()
            changed = True
            if not isinstance(item, Entry):
                self._fail(*item)
                continue
            self.history.append(item)
            for sink in self._sinks:
                try:
                    sink(item.scalars, item.step)
                except Exception as err:  # a network that is away must not end training
                    self._fail(item.step, "log", err)
        if changed and self._out is not None:
            try:
                self.save(self._out)
            except OSError as err:
                self._fail(self._steps, "save", err)

    def _fail(self, step: int, what: str, err: BaseException) -> None:
        self.errors.append((step, what, err))
        try:
            warnings.warn(f"{what} at step {step}: {err}", RepscopeWarning, stacklevel=4)
        except Warning as text:  # warnings are errors
            print(f"repscope: warning: {text}", file=sys.stderr)

    # in the background

    def _work(self) -> None:
        while True:
            with self._condition:
                while not self._waiting and not self._closed:
                    self._condition.wait()
                if not self._waiting:
                    return
                snapshot = self._waiting.popleft()
                self._running = True
            try:
                for analysis, options in self._analyses.items():
                    if self._stop.is_set():
                        break
                    self._analyze(analysis, options, snapshot)
            finally:
                snapshot.workspace.close()
                with self._condition:
                    self._running = False
                    self._condition.notify_all()

    def _analyze(self, analysis: str, options: Mapping[str, Any], snapshot: _Snapshot) -> None:
        start = time.perf_counter()
        values = {k: v for k, v in self._common.items() if k in _command(analysis).flags}
        values.update(latents={self._name: snapshot.latents}, progress=_Watch(self._stop), nice=self._nice)
        values.update(options)
        values["format"] = options.get("format", "png" if self._out else "none")
        if self._out is not None:
            values["out"] = str(self._out / f"step-{snapshot.step:08d}" / analysis)
        try:
            labels = {**self._workspace.labels, **snapshot.workspace.labels}
            result = _call(_command(analysis), values, stacklevel=2, labels=labels)
            found = {f"{self._prefix}{analysis}/{k}": v for k, v in scalars_of(result, self._name).items()}
            measured = (result.json.get("models") or {}).get(self._name) or {}
            result.close()
            if measured.get("skipped") is True:
                raise RepscopeError(1, f"not measured: {measured.get('reason') or 'no reason is recorded'}")
            self._done.append(Entry(snapshot.step, analysis, self._kept(found), time.perf_counter() - start))
        except _Stopped:
            pass
        except Exception as err:
            if not self._stop.is_set():
                self._done.append((snapshot.step, analysis, err))

    def _kept(self, found: Dict[str, float]) -> Dict[str, float]:
        if self._patterns is None:
            return found
        return {k: v for k, v in found.items() if any(fnmatchcase(k, p) or fnmatchcase(k, self._prefix + p) for p in self._patterns)}

    # its end

    def wait(self) -> None:
        """Waits until all snapshots are analyzed, and delivers their numbers."""
        if os.getpid() == self._process:
            with self._condition:
                while self._waiting or self._running:
                    self._condition.wait(0.2)  # with a timeout, as without one nothing interrupts it on Windows
        self._deliver()

    def close(self, wait: bool = True) -> None:
        """Ends the monitor, after all queued snapshots or at once. Can be called repeatedly."""
        if self._closed:
            return
        if os.getpid() != self._process:  # a fork, such as a worker of a loader, has no thread
            self._closed = True
            return
        try:
            if wait:
                self.wait()
        finally:
            with self._condition:
                self._closed = True
                self._stop.set()
                while self._waiting:
                    self._waiting.popleft().workspace.close()
                self._condition.notify_all()
            if self._thread is not None:
                self._thread.join(10)
            self._deliver()
            self._workspace.close()

    def __repr__(self) -> str:
        parts = [f"{len(self.history)} found"] + [f"{n} {what}" for n, what in ((self.skipped, "skipped"), (len(self.errors), "failed")) if n]
        return f"<repscope monitor of {', '.join(self._analyses)}: {', '.join(parts)}{'; closed' if self._closed else ''}>"

    def __enter__(self) -> "Monitor":
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self.close(wait=kind is None)  # after an error or Ctrl-C nobody waits

    # what was found

    @property
    def names(self) -> List[str]:
        """The names of all numbers, in the order of delivery."""
        return list(dict.fromkeys(n for e in self.history for n in e.scalars))

    def curve(self, name: str) -> Tuple[np.ndarray, np.ndarray]:
        """The steps and the values of one number."""
        rows = sorted((e.step, e.scalars[name]) for e in list(self.history) if name in e.scalars)
        if not rows:
            raise KeyError(f"no {name!r}; the numbers are {', '.join(self.names) or 'not there yet'}")
        return np.array([s for s, _ in rows]), np.array([v for _, v in rows])

    def save(self, folder: Any) -> Path:
        """Writes history.json and history.csv (a row for each step) into a folder; returns it.

        A step that could not be measured has a row without numbers, with the reason in the last column.
        """
        target = _folder(folder)
        target.mkdir(parents=True, exist_ok=True)
        content = {
            "schema": "repscope-monitor/1",
            "model": self._name,
            "skipped": self.skipped,
            "entries": [e._asdict() for e in self.history],
            "errors": [{"step": s, "analysis": a, "message": str(e)} for s, a, e in self.errors],
        }
        _replace(target / "history.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        names = self.names
        rows: Dict[int, Dict[str, float]] = {}
        for e in self.history:
            rows.setdefault(e.step, {}).update(e.scalars)
        reasons: Dict[int, List[str]] = {}
        for step, what, err in self.errors:
            if what not in ("log", "save"):
                rows.setdefault(step, {})
                reasons.setdefault(step, []).append(f"{what}: {err}")
        import csv
        import io

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        last = ["reason"] if reasons else []  # why a step has no numbers, of one or more analyses
        writer.writerow(["step", *names, *last])
        for step in sorted(rows):
            cells = [repr(rows[step][n]) if n in rows[step] else "" for n in names]
            writer.writerow([step, *cells, *("; ".join(reasons.get(step, [])).replace("\n", "; ") for _ in last)])
        _replace(target / "history.csv", text.getvalue())
        return target

    def figure(self, *names: str) -> Figure:
        """A figure of numbers by step, chosen by name or pattern (default: all); notebooks display it."""
        chosen = [n for n in self.names if not names or any(fnmatchcase(n, p) for p in names)]
        if not chosen:
            raise KeyError(f"no {', '.join(names) or 'numbers'}; the numbers are {', '.join(self.names) or 'not there yet'}")
        with Workspace() as workspace:
            folder = os.path.dirname(workspace.place("history.csv", 0))
            self.save(folder)
            result = _call(_command("compare"), {"losses": {self._name: os.path.join(folder, "history.csv")}, "loss_columns": ",".join(chosen).replace("/", "_")}, stacklevel=3)
        return result.figure()


def _checked(analyses: Any, threads: int) -> Dict[str, Dict[str, Any]]:
    if isinstance(analyses, str):
        analyses = [analyses]
    if not isinstance(analyses, Mapping):
        analyses = {name: None for name in analyses}
    if not analyses:
        raise UsageError(2, "analyses: none")
    out: Dict[str, Dict[str, Any]] = {}
    for name, options in analyses.items():
        command = _command(name)
        if "latents" not in command.flags:
            raise UsageError(2, f"{name} takes no latents")
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"{name}: {options!r} are no keywords; want a mapping of them")
        for key in options or {}:
            if key not in command.flags:
                raise UsageError(2, f"{name} has no option {key!r}")
            if key in ("latents", "out", "frames"):
                raise UsageError(2, f"{name}: {key} is what the monitor gives")
        preset = {**_DEFAULTS[""], "threads": threads, **_DEFAULTS.get(name, {})}
        out[name] = {**{k: v for k, v in preset.items() if k in command.flags}, **(options or {})}
    return out


def _encode_module(torch: Any, model: Any, frames: Any, count: int, batch: int) -> np.ndarray:
    """Latents by a module, which is left as it was: modes of its parts, gradients, random numbers."""
    first = next((p for p in [*model.parameters(), *model.buffers()]), None)
    device = first.device if first is not None else torch.device("cpu")
    modes = [(m, m.training) for m in model.modules()]
    devices = [device] if device.type == "cuda" else []
    parts = []
    try:
        with torch.random.fork_rng(devices=devices), torch.no_grad():
            model.eval()
            for lo in range(0, count, batch):
                part = frames[lo : min(lo + batch, count)]
                if not isinstance(part, torch.Tensor):
                    part = torch.from_numpy(np.array(as_array(part, "frames")))
                part = part.to(device)
                if not part.is_floating_point() or part.dtype == torch.float64:
                    part = part.float()
                made = model(part)
                if not isinstance(made, torch.Tensor):
                    raise TypeError(f"the module returns a {type(made).__name__}, want a tensor; give a function that takes it out")
                parts.append(made.float().cpu() if made.dtype == torch.bfloat16 else made.cpu())
    finally:
        for module, mode in modes:
            module.training = mode
    return np.asarray(torch.cat(parts).numpy())


def _sink(log: Any) -> Callable[[Dict[str, float], int], None]:
    """A function of numbers and a step."""
    if hasattr(log, "add_scalar"):

        def tensorboard(scalars: Dict[str, float], step: int) -> None:
            for name, value in scalars.items():
                log.add_scalar(name, value, step)

        return tensorboard
    if hasattr(log, "log"):
        defined: Set[str] = set()

        def wandb(scalars: Dict[str, float], step: int) -> None:
            if hasattr(log, "define_metric"):
                if not defined:
                    log.define_metric("repscope/step")
                for name in scalars.keys() - defined:
                    log.define_metric(name, step_metric="repscope/step")
                    defined.add(name)
            log.log({**scalars, "repscope/step": step})

        return wandb
    if callable(log):
        return lambda scalars, step: log(dict(scalars), step)
    raise TypeError(f"log: a {type(log).__name__} is no function and has neither add_scalar nor log")


def scalars_of(result: Result, model: str) -> Dict[str, float]:
    """The numbers of one model in a result, by their paths.

    Rows of a list are named by their first entry, as k is in "by_k/5/trustworthiness". Intervals, arrays and what
    is undefined are not among them.
    """
    models = result.json.get("models") or {}
    return dict(_flat(models.get(model, {}), ""))


def _flat(value: Any, path: str) -> Iterator[Tuple[str, float]]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, (int, float)):
        yield path, float(value)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if not str(key).endswith("_ci"):
                yield from _flat(part, f"{path}/{_tag(key)}" if path else _tag(key))
    elif isinstance(value, list) and value and all(isinstance(row, Mapping) and row for row in value):
        keys = [next(iter(row.items())) for row in value]
        named = len({name for name, _ in keys}) == 1 and len({str(v) for _, v in keys}) == len(keys) and all(isinstance(v, (int, float, str)) for _, v in keys)
        for i, row in enumerate(value):
            head, rest = (keys[i][1], dict(list(row.items())[1:])) if named else (i, row)
            yield from _flat(rest, f"{path}/{_tag(head)}")


def _tag(key: Any) -> str:
    """A part of a name as TensorBoard takes it."""
    return re.sub(r"[^\w.\-]", "_", f"{key:g}" if isinstance(key, float) else str(key))


def _folder(path: Any) -> Path:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"out: {path!r} is not a path")
    return Path(os.fsdecode(path))


def _replace(path: Path, text: str) -> None:
    """Writes a file that is whole at any time."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
