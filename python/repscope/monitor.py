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

import difflib
import json
import logging
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

from . import _callbacks
from ._alarms import Alarm, Rule, Series
from ._arrays import Workspace, as_array, is_path
from ._client import _call, _command
from ._errors import RepscopeError, RepscopeWarning, UsageError
from ._progress import Progress
from ._result import Figure, Result

__all__ = ["Alarm", "Entry", "Monitor", "scalars_of"]

# What is left out of an analysis beside training unless it is asked for: time, and files that nobody looks at.
_DEFAULTS: Dict[str, Dict[str, Any]] = {
    "": {"bootstrap": 0, "cache": "off", "threads": 1, "device": "cpu"},
    "neighborhood": {"permutations": 0, "coranking": "off"},
}
_HEADLINE = 6  # numbers of an analysis that are logged by default


class Entry(NamedTuple):
    """The numbers of one analysis at one step.

    Attributes:
        step: step of the snapshot.
        analysis: name of the analysis.
        scalars: numbers by "analysis/path", such as "neighborhood/by_k/5/trustworthiness".
        seconds: duration of the analysis.
        fit: number of the fit, from 0: a step before the last one begins another.
    """

    step: int
    analysis: str
    scalars: Dict[str, float]
    seconds: float
    fit: int = 0


class _Snapshot(NamedTuple):
    step: int
    latents: str  # a file
    workspace: Workspace
    fit: int


class _Found(NamedTuple):
    entry: Entry
    logged: Dict[str, float]


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
        log: receiver of the numbers: a function of a mapping and the step, a ``SummaryWriter`` of TensorBoard, the
            module ``mlflow``, a logger of Lightning, a ``logging.Logger``, or a run of Weights & Biases or Trackio
            (or the module); several as a list. Weights & Biases rejects past steps, so numbers get a separate axis,
            "repscope/step".
        name: name of the model in results and figures.
        prefix: prefix of the names of numbers, such as "val/".
        scalars: patterns of the names to keep and to log, such as ``["*/participation_ratio"]``, or "*" for all;
            None: keep all, and log up to six headline numbers of each analysis.
        alarms: rules as text, such as ``"rank < 0.3 × first for 3 snapshots"``, ``"dead_dims > 0"``, or
            ``"effective_rank falls at 1 %"``. The name is the name of a number, its last parts, or a pattern; rank is
            effective_rank. A value may be multiplied by the first, previous, max or min one of earlier snapshots of the
            fit. "falls at 1 %" and "rises at 1 %" may be watched over a run of any length: if the values of a fit are
            exchangeable, as without trend and memory, the alarm is ever raised in at most 1 % of the fits, for each
            number. "after 10 snapshots" leaves the beginning out. Numbers that are undefined are passed over.
        on_alarm: a function that is called with an :class:`Alarm`; alarms are also warnings.
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
        alarms: list of :class:`Alarm`.
        model: the encoder.
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
        scalars: Union[str, Sequence[str], None] = None,
        alarms: Union[str, Sequence[str]] = (),
        on_alarm: Optional[Callable[[Alarm], Any]] = None,
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
        if on_alarm is not None and not callable(on_alarm):
            raise TypeError(f"on_alarm: a {type(on_alarm).__name__} is no function")
        self._rules = [Rule(text) for text in ([alarms] if isinstance(alarms, str) else alarms)]
        self._on_alarm = on_alarm
        self._analyses = _checked(analyses, threads)
        self._sinks = [_sink(s) for s in (log if isinstance(log, (list, tuple)) else [log]) if s is not None]
        self.model = model
        self._every, self._batch, self._name, self._prefix, self._patterns = int(every), int(batch), name, prefix, scalars
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
        self._error_fits: List[int] = []
        self.alarms: List[Alarm] = []
        self.skipped = 0
        self._watched: Dict[Tuple[int, int, str], Series] = {}  # by fit, rule and name
        self._unmatched: Optional[List[Rule]] = list(self._rules)
        self._due: Optional[int] = None
        self._steps = 0
        self._fit = 0
        self._waiting: Deque[_Snapshot] = deque()
        self._done: Deque[Union[_Found, Tuple[int, str, BaseException, int]]] = deque()
        self._running = False
        self._closed = False
        self._condition = threading.Condition()
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None

    # in the thread that trains

    def step(self, step: Optional[int] = None, model: Any = None, *, latents: Any = None) -> bool:
        """Registers a step; returns whether a snapshot was taken.

        Args:
            step: number of the step; None: one more than the last. A step before the last one begins another fit.
            model: replaces the model of the monitor.
            latents: array [N, …] of the frames' latents, if computed already.
        """
        if self._closed:
            raise RuntimeError("the monitor is closed")
        if step is None:
            step = self._steps
        step = int(step)
        self._deliver()
        due = self.due(step)
        if step < self._steps - 1:
            self._fit += 1
        self._steps = step + 1
        if not due:
            return False
        self._due = (step // self._every + 1) * self._every
        return self.snapshot(step, model, latents=latents)

    __call__ = step

    def due(self, step: int) -> bool:
        """Whether :meth:`step` would take a snapshot: at regular steps, and at the first step of a fit."""
        return self._due is None or step >= self._due or step < self._steps - 1

    def lightning(self, encoder: Optional[Callable[[Any], Any]] = None, stop: bool = False) -> Any:
        """A callback of Lightning, which steps the monitor after each batch with ``trainer.global_step``.

        Args:
            encoder: a function from the ``LightningModule`` to the encoder, such as ``lambda module: module.encoder``;
                None: the model of the monitor, or the whole module.
            stop: end training at an alarm.
        """
        return _callbacks.lightning(self, encoder, stop)

    def transformers(self, encoder: Optional[Callable[[Any], Any]] = None, stop: bool = False) -> Any:
        """A callback of the ``Trainer`` of Hugging Face, which steps the monitor with ``state.global_step``.

        Args:
            encoder: a function from the model to the encoder, or to a function of frames; None: the model of the monitor,
                or the whole model.
            stop: end training at an alarm.
        """
        return _callbacks.transformers(self, encoder, stop)

    def snapshot(self, step: int, model: Any = None, *, latents: Any = None) -> bool:
        """Takes a snapshot at any step; returns False if it is left out (see busy)."""
        if self._closed:
            raise RuntimeError("the monitor is closed")
        model = self.model if model is None else model
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
            self._waiting.append(_Snapshot(step, path, workspace, self._fit))
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
            if not isinstance(item, _Found):
                self._fail(*item)
                continue
            entry = item.entry
            self.history.append(entry)
            for sink in self._sinks:
                try:
                    sink(item.logged, entry.step)
                except Exception as err:  # a network that is away must not end training
                    self._fail(entry.step, "log", err)
            self._alarm(entry)
        if changed and self._out is not None:
            try:
                self.save(self._out)
            except OSError as err:
                self._fail(self._steps, "save", err)

    def _alarm(self, entry: Entry) -> None:
        """Raises the alarms of an entry."""
        for i, rule in enumerate(self._rules):
            for name in filter(rule.matches, entry.scalars):
                if self._unmatched and rule in self._unmatched:
                    self._unmatched.remove(rule)
                value, key = entry.scalars[name], (entry.fit, i, name)
                if key not in self._watched:
                    self._watched[key] = rule.series()
                if not self._watched[key].update(value):
                    continue
                alarm = Alarm(entry.step, name, value, rule.text, entry.fit)
                self.alarms.append(alarm)
                self._warn(f"alarm at step {entry.step}: {name} is {value:.6g} ({rule.text})")
                try:
                    if self._on_alarm is not None:
                        self._on_alarm(alarm)
                except Exception as err:
                    self._fail(entry.step, "on_alarm", err)
        if self._unmatched and {e.analysis for e in self.history} == set(self._analyses):
            unmatched, self._unmatched = self._unmatched, None
            for rule in unmatched:
                near = difflib.get_close_matches(rule.name, self.names + [n.split("/", 1)[-1] for n in self.names], 3, 0.4)
                hint = f"; similar: {', '.join(near)}" if near else ""
                self._fail(entry.step, "alarms", UsageError(2, f"{rule.text!r} is about none of the {len(self.names)} numbers{hint}"))

    def _fail(self, step: int, what: str, err: BaseException, fit: Optional[int] = None) -> None:
        self.errors.append((step, what, err))
        self._error_fits.append(self._fit if fit is None else fit)
        self._warn(f"{what} at step {step}: {err}")

    def _warn(self, text: str) -> None:
        try:
            warnings.warn(text, RepscopeWarning, stacklevel=5)
        except Warning as warning:  # warnings are errors
            print(f"repscope: warning: {warning}", file=sys.stderr)

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
            fit = f"fit-{snapshot.fit}" if snapshot.fit else ""
            values["out"] = str(self._out / fit / f"step-{snapshot.step:08d}" / analysis)
        try:
            labels = {**self._workspace.labels, **snapshot.workspace.labels}
            result = _call(_command(analysis), values, stacklevel=2, labels=labels)
            found = {f"{self._prefix}{analysis}/{k}": v for k, v in scalars_of(result, self._name).items()}
            measured = (result.json.get("models") or {}).get(self._name) or {}
            result.close()
            if measured.get("skipped") is True:
                raise RepscopeError(1, f"not measured: {measured.get('reason') or 'no reason is recorded'}")
            kept = self._kept(found)
            logged = kept if self._patterns is not None else headline(result.json, kept, f"{self._prefix}{analysis}/")
            entry = Entry(snapshot.step, analysis, kept, time.perf_counter() - start, snapshot.fit)
            self._done.append(_Found(entry, logged))
        except _Stopped:
            pass
        except Exception as err:
            if not self._stop.is_set():
                self._done.append((snapshot.step, analysis, err, snapshot.fit))

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

    def curve(self, name: str, fit: int = -1) -> Tuple[np.ndarray, np.ndarray]:
        """The steps and the values of one number in a fit, by default in the last one that has it."""
        entries = [e for e in list(self.history) if name in e.scalars]
        if fit < 0:
            fit = max((e.fit for e in entries), default=0)
        rows = sorted((e.step, e.scalars[name]) for e in entries if e.fit == fit)
        if not rows:
            raise KeyError(f"no {name!r}; the numbers are {', '.join(self.names) or 'not there yet'}")
        return np.array([s for s, _ in rows]), np.array([v for _, v in rows])

    def save(self, folder: Any) -> Path:
        """Writes history.json and history.csv (a row for each step of each fit) into a folder; returns it.

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
            "alarms": [a._asdict() for a in self.alarms],
        }
        _replace(target / "history.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        _replace(target / "history.csv", self._csv(range(self._fit + 1)))
        return target

    def _csv(self, fits: Sequence[int]) -> str:
        """A row for each step of some fits, with their numbers if there are several."""
        import csv
        import io

        names = self.names
        rows: Dict[Tuple[int, int], Dict[str, float]] = {}
        for e in self.history:
            rows.setdefault((e.fit, e.step), {}).update(e.scalars)
        reasons: Dict[Tuple[int, int], List[str]] = {}
        for (step, what, err), fit in zip(self.errors, self._error_fits):
            if what not in ("log", "save", "alarms", "on_alarm"):
                rows.setdefault((fit, step), {})
                reasons.setdefault((fit, step), []).append(f"{what}: {err}")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        first = ["fit"] if len(fits) > 1 else []
        last = ["reason"] if reasons else []  # why a step has no numbers, of one or more analyses
        writer.writerow([*first, "step", *names, *last])
        for fit, step in sorted(rows):
            if fit not in fits:
                continue
            row = rows[fit, step]
            cells = [repr(row[n]) if n in row else "" for n in names]
            reason = "; ".join(reasons.get((fit, step), [])).replace("\n", "; ")
            writer.writerow([*(fit for _ in first), step, *cells, *(reason for _ in last)])
        return text.getvalue()

    def figure(self, *names: str) -> Figure:
        """A figure of numbers by step in the last fit, chosen by name or pattern (default: all); notebooks display it."""
        chosen = [n for n in self.names if not names or any(fnmatchcase(n, p) for p in names)]
        if not chosen:
            raise KeyError(f"no {', '.join(names) or 'numbers'}; the numbers are {', '.join(self.names) or 'not there yet'}")
        with Workspace() as workspace:
            folder = os.path.dirname(workspace.place("history.csv", 0))
            _replace(Path(folder) / "history.csv", self._csv([max((e.fit for e in self.history), default=0)]))
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
    if isinstance(log, logging.Logger):
        return lambda scalars, step: log.info("step %d: %s", step, ", ".join(f"{name} {value:.6g}" for name, value in scalars.items()))
    if hasattr(log, "add_scalar"):

        def tensorboard(scalars: Dict[str, float], step: int) -> None:
            for name, value in scalars.items():
                log.add_scalar(name, value, step)

        return tensorboard
    if hasattr(log, "log_metrics"):  # mlflow, and loggers of Lightning

        def metrics(scalars: Dict[str, float], step: int) -> None:
            log.log_metrics(dict(scalars), step=step)

        return metrics
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

        def called(scalars: Dict[str, float], step: int) -> None:
            log(dict(scalars), step)

        return called
    raise TypeError(f"log: a {type(log).__name__} is no function and has none of add_scalar, log_metrics and log")


def headline(result: Mapping[str, Any], scalars: Dict[str, float], prefix: str) -> Dict[str, float]:
    """Up to six headline numbers of a result: the first row of each, then further rows."""
    rounds: Dict[str, int] = {}
    for metric, described in (result.get("metrics") or {}).items():
        if described.get("headline"):
            parts = [_tag(p) for p in metric.split(".")]
            for i, name in enumerate(n for n in scalars if _is_row(n[len(prefix) :].split("/"), parts)):
                rounds.setdefault(name, i)
    chosen = sorted(rounds, key=lambda name: rounds[name])[:_HEADLINE]
    return {name: scalars[name] for name in scalars if name in chosen}


def _is_row(name: List[str], metric: List[str]) -> bool:
    """Whether a name is the path of a metric, with tags of rows between its parts."""
    rest = iter(name)
    return name[0] == metric[0] and name[-1] == metric[-1] and all(part in rest for part in metric)


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
