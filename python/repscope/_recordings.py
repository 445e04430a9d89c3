"""Recordings of environments: reads episodes of Minari, Gymnasium and similar sources as frames, episodes, actions and rewards."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._arrays import Workspace, as_array
from ._errors import UsageError

_OBSERVATIONS = ("observations", "observation", "obs", "states", "frames")
_ACTIONS = ("actions", "action", "acts", "act")
_REWARDS = ("rewards", "reward", "rews", "rew")
_ENDS = ("terminations", "terminals", "terminated", "dones", "done", "termination", "timeouts", "truncations", "truncated", "truncation", "is_last")


class Recording(NamedTuple):
    """Frames of consecutive episodes, for the functions of this package.

    Attributes:
        frames: [N, …]; mapped, not in the memory of Python.
        episodes: [N], the number of the episode of each frame.
        actions: [N, …], the action taken at each frame; None without actions. 0 at the last
            frame of an episode that ends with an observation.
        rewards: [N], the reward of the step from each frame to the next; None without rewards. 0 as for actions.
    """

    frames: np.ndarray
    episodes: np.ndarray
    actions: Optional[np.ndarray] = None
    rewards: Optional[np.ndarray] = None


def read_episodes(source: Any, *, observation: Union[None, str, Callable[[Any], Any]] = None, episodes: Optional[int] = None) -> Recording:
    """Reads episodes one at a time and concatenates them.

    >>> import numpy as np, repscope
    >>> one = {"observations": np.zeros((5, 8, 8), "uint8"), "actions": np.ones(4, int), "rewards": np.ones(4)}
    >>> recording = repscope.read_episodes([one, one])
    >>> recording.frames.shape, recording.episodes.tolist()
    ((10, 8, 8), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])

    Args:
        source: a dataset of Minari; an iterable of episodes, which are objects or mappings with observations,
            actions and rewards (also: obs, action, reward); or one mapping with these of all episodes end
            to end, with terminations, terminals or dones, and timeouts or truncations, for each step.
            An episode has as many observations as actions, or one more.
        observation: for observations that are mappings, the path of the one to use, such as
            "image" or "sensors/camera"; or a function of the observations of an episode.
        episodes: maximum number of episodes; None: all.
    """
    if episodes is not None and (isinstance(episodes, bool) or not isinstance(episodes, (int, np.integer))):
        raise TypeError(f"episodes: {episodes!r} is not a whole number")
    if not (observation is None or isinstance(observation, str) or callable(observation)):
        raise TypeError(f"observation: {observation!r} is not a path, such as 'camera/image', or a function")
    if isinstance(source, (str, bytes)):
        raise TypeError(f"{source!r} is a text; load the dataset first: minari.load_dataset({source!r})")
    if isinstance(source, Mapping):
        source = _divided(source, observation)
        observation = None
    elif hasattr(source, "iterate_episodes"):
        source = source.iterate_episodes()
    elif not hasattr(source, "__iter__"):
        raise TypeError(f"{type(source).__name__} has no episodes")
    frames = _Growing("observations")
    try:
        return _read(source, observation, episodes, frames)
    finally:
        frames.close()


def _read(source: Any, observation: Union[None, str, Callable[[Any], Any]], episodes: Optional[int], frames: "_Growing") -> Recording:
    numbers: List[np.ndarray] = []
    beside: Dict[str, List[np.ndarray]] = {"actions": [], "rewards": []}
    count = 0
    for count, episode in enumerate(_first(source, episodes), start=1):
        where = f"episode {count - 1}"
        seen = as_array(_chosen(_part(episode, _OBSERVATIONS, where), observation, where), f"{where}: observations")
        if seen.ndim == 0:
            raise UsageError(2, f"{where}: found one number, want observations [T, …]")
        if seen.ndim == 1:
            seen = seen[:, None]  # of a discrete space
        if seen.dtype.kind in "SU":
            raise TypeError(f"{where}: observations: elements of type {seen.dtype}, text, want numbers")
        n = len(seen)
        if n == 0:
            raise UsageError(2, f"{where}: no observations")
        frames.append(seen, where)
        numbers.append(np.full(n, count - 1, dtype=np.int64))
        for name, names in (("actions", _ACTIONS), ("rewards", _REWARDS)):
            values = _optional(episode, names)
            if values is None:
                continue
            if isinstance(values, Mapping):
                if name == "actions":
                    continue  # of several spaces: none that the program takes
                raise UsageError(2, f"{where}: {name} are a mapping")
            beside[name].append(_padded(as_array(values, f"{where}: {name}"), n, name, where))
    if count == 0:
        raise UsageError(2, "no episodes")
    joined: Dict[str, Optional[np.ndarray]] = {}
    for name, parts in beside.items():
        if parts and len(parts) != count:
            raise UsageError(2, f"{len(parts)} of {count} episodes have {name}")
        if len({p.shape[1:] for p in parts}) > 1:
            raise UsageError(2, f"{name} are of different shapes: {', '.join(sorted({str(p.shape[1:]) for p in parts}))}")
        joined[name] = np.concatenate(parts) if parts else None
    return Recording(frames.array(), np.concatenate(numbers), joined["actions"], joined["rewards"])


def _first(source: Iterable[Any], most: Optional[int]) -> Iterator[Any]:
    if most is not None and most < 1:
        raise UsageError(2, f"episodes={most}: want at least 1")
    for i, episode in enumerate(source):
        if most is not None and i >= most:
            return
        yield episode


def _optional(episode: Any, names: Tuple[str, ...]) -> Any:
    for name in names:
        if isinstance(episode, Mapping):
            if episode.get(name) is not None:
                return episode[name]
        elif getattr(episode, name, None) is not None:
            return getattr(episode, name)
    return None


def _part(episode: Any, names: Tuple[str, ...], where: str) -> Any:
    value = _optional(episode, names)
    if value is None:
        held = ", ".join(map(str, episode)) if isinstance(episode, Mapping) else f"of type {type(episode).__name__}"
        raise UsageError(2, f"{where} has no {names[0]}; it has {held}" if isinstance(episode, Mapping) else f"{where} is {held}, without {names[0]}")
    return value


def _chosen(value: Any, observation: Union[None, str, Callable[[Any], Any]], where: str) -> Any:
    """One of the observations of an episode."""
    if callable(observation):
        return observation(value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):  # a mapping for each step
        for i, step in enumerate(value):
            if not isinstance(step, Mapping) or step.keys() != value[0].keys():
                held = ", ".join(map(str, step)) if isinstance(step, Mapping) else f"a {type(step).__name__}"
                raise UsageError(2, f"{where}: the observation of step {i} has {held or 'nothing'}, the observation of step 0 has {', '.join(map(str, value[0]))}")
        value = {k: [step[k] for step in value] for k in value[0]}
    path = observation.split("/") if observation else []
    while isinstance(value, (Mapping, tuple)):
        parts = value if isinstance(value, Mapping) else {str(i): v for i, v in enumerate(value)}
        if path and path[0] in parts:
            value = parts[path.pop(0)]
        elif not path and len(parts) == 1:
            value = next(iter(parts.values()))
        else:
            wanted = f"no {path[0]!r}" if path else "several"
            raise UsageError(2, f"{where}: {wanted} among the observations; name one by observation=: {', '.join(map(str, parts))}")
    if path:
        raise UsageError(2, f"{where}: the observations are an array, which has no {'/'.join(path)!r}")
    return value


def _padded(values: np.ndarray, n: int, name: str, where: str) -> np.ndarray:
    if name == "rewards" and values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 0 or len(values) not in (n, n - 1):
        raise UsageError(2, f"{where}: {name} of shape {list(values.shape)} for {n} observations, want {n} or {n - 1}")
    if len(values) == n - 1:
        values = np.concatenate([values, np.zeros((1, *values.shape[1:]), dtype=values.dtype)])
    return values


def _divided(flat: Mapping[str, Any], observation: Union[None, str, Callable[[Any], Any]]) -> Iterator[Mapping[str, Any]]:
    """Splits concatenated arrays into episodes."""
    seen = as_array(_chosen(_part(flat, _OBSERVATIONS, "the recording"), observation, "the recording"), "observations")
    ends = np.zeros(len(seen), dtype=bool)
    found = False
    for name in _ENDS:
        if flat.get(name) is not None:
            flags = as_array(flat[name], name).reshape(-1)
            if len(flags) != len(seen):
                raise UsageError(2, f"{name}: {len(flags)} values for {len(seen)} observations")
            ends |= flags.astype(bool)
            found = True
    if not found:
        raise UsageError(2, f"one mapping of all steps needs the ends of episodes, such as {_ENDS[0]} or {_ENDS[1]}; it has {', '.join(map(str, flat))}")
    beside = {}
    for name, names in (("actions", _ACTIONS), ("rewards", _REWARDS)):
        values = _optional(flat, names)
        if values is not None:
            beside[name] = as_array(values, name)
            if len(beside[name]) != len(seen):
                raise UsageError(2, f"{name}: {len(beside[name])} values for {len(seen)} observations")
    stops = np.flatnonzero(ends) + 1
    if len(seen) and (not len(stops) or stops[-1] != len(seen)):
        stops = np.append(stops, len(seen))  # a last one that was cut
    lo = 0
    for hi in stops:
        yield {"observations": seen[lo:hi], **{name: values[lo:hi] for name, values in beside.items()}}
        lo = int(hi)


class _Growing:
    """An array in a file, extended row by row."""

    _HEAD = 256  # bytes before the values, filled in at the end

    def __init__(self, what: str) -> None:
        self.what = what
        self.workspace = Workspace()
        self.shape: Tuple[int, ...] = ()
        self.dtype: Any = None
        self.rows = 0
        self.file: Any = None
        self.path = ""

    def append(self, part: np.ndarray, where: str) -> None:
        if self.file is None:
            self.shape, self.dtype = part.shape[1:], part.dtype
            self.path = self.workspace.place("frames.npy", 64 * part.nbytes)
            self.file = open(self.path, "wb")
            self.file.write(b"\0" * self._HEAD)
        if part.shape[1:] != self.shape:
            raise UsageError(2, f"{where}: {self.what} of shape {list(part.shape[1:])}, earlier episodes have {list(self.shape)}")
        if part.dtype != self.dtype:
            if not np.can_cast(part.dtype, self.dtype, "same_kind"):
                raise UsageError(2, f"{where}: {self.what} of type {part.dtype}, earlier episodes have {self.dtype}")
            part = part.astype(self.dtype)
        part = np.ascontiguousarray(part)
        if part.size:
            self._write(part)
        self.rows += len(part)

    def _write(self, part: np.ndarray) -> None:
        try:
            self.file.write(part.data.cast("B"))
            self.file.flush()
        except OSError:
            if not self._to_disk():
                raise
            self.file.write(part.data.cast("B"))

    def _to_disk(self) -> bool:
        """Continues in the folder of temporary files when memory is full."""
        import os
        import shutil

        folder = self.workspace.folder(False)
        if os.path.dirname(self.path) == folder:
            return False
        row = self.dtype.itemsize
        for n in self.shape:
            row *= n
        self.file.close()
        old, self.path = self.path, os.path.join(folder, "frames.npy")
        shutil.copyfile(old, self.path)
        os.unlink(old)
        self.file = open(self.path, "r+b")
        self.file.truncate(self._HEAD + self.rows * row)
        self.file.seek(0, 2)
        return True

    def close(self) -> None:
        if self.file is not None:
            self.file.close()

    def array(self) -> np.ndarray:
        """All added rows, mapped; the file is removed with the last view of it."""
        header = repr({"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.rows, *self.shape)})
        head = b"\x93NUMPY\x01\x00" + (self._HEAD - 10).to_bytes(2, "little")
        self.file.seek(0)
        self.file.write(head + header.encode("ascii").ljust(self._HEAD - 11) + b"\n")
        self.file.close()
        array: np.ndarray = np.load(self.path, mmap_mode="r")
        owner = getattr(array, "_mmap", None)
        weakref.finalize(array if owner is None else owner, self.workspace.close)
        return array
