"""Progress of a run, as an updated line in a terminal or notebook, or for a function."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Optional, TextIO, Union

# True, False, None (where somebody looks), or a function that is given the name of the work, how
# much of it is done and how much there is.
ProgressLike = Union[None, bool, Callable[[str, int, int], Any]]

_BLOCKS = " ▏▎▍▌▋▊▉█"


def progress_of(choice: ProgressLike, name: str) -> "Progress":
    if isinstance(choice, Progress):
        return choice
    if callable(choice):
        return _Called(choice)
    if choice is None:
        choice = _in_notebook() or _is_terminal(sys.stderr)
    return _Bar(name, sys.stderr) if choice else Progress()


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return False
    try:
        shell = ipython.get_ipython()
    except AttributeError:
        return False
    return shell is not None and getattr(shell, "kernel", None) is not None


class Progress:
    """Shows nothing."""

    def event(self, event: Dict[str, Any]) -> None: ...

    def note(self, text: str) -> None: ...

    def tick(self) -> None: ...

    def clear(self) -> None: ...

    def close(self) -> None: ...


class _Called(Progress):
    def __init__(self, function: Callable[[str, int, int], Any]) -> None:
        self._function = function

    def event(self, event: Dict[str, Any]) -> None:
        self._function(event["task"], event["done"], event["total"])


class _Bar(Progress):
    """A line in the style of tqdm: share, bar, count, elapsed and remaining time, rate."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name = name
        self._stream = stream
        self._event: Optional[Dict[str, Any]] = None
        self._start = self._drawn = 0.0
        self._first = 0
        self._shown = 0

    def note(self, text: str) -> None:
        self.clear()
        self._write(f"{self._name}: {text}\n")

    def event(self, event: Dict[str, Any]) -> None:
        now = time.monotonic()
        if self._event is None or self._event["task"] != event["task"]:
            self._start, self._first, self._drawn = now, event["done"], 0.0
        self._event = event
        if event["done"] >= event["total"]:
            self.clear()
            self._event = None
        elif now - self._drawn >= 0.1:
            self._draw(now)

    def tick(self) -> None:
        now = time.monotonic()
        if self._event is not None and now - self._drawn >= 1:
            self._draw(now)

    def _draw(self, now: float) -> None:
        self._drawn = now
        assert self._event is not None
        line = self.line(self._event, now - self._start, self._first, _columns(self._stream))
        self._write("\r" + line + " " * (self._shown - len(line)))
        self._shown = len(line)

    def line(self, event: Dict[str, Any], elapsed: float, first: int, columns: int) -> str:
        done, total, unit = event["done"], event["total"], event.get("unit") or "it"
        share = done / total if total else 0.0
        rate = (done - first) / elapsed if elapsed > 0 and done > first else 0.0
        left = _clock((total - done) / rate) if rate else "?"
        per = (f"{rate:.1f} {unit}/s" if rate >= 1 else f"{1 / rate:.1f} s/{unit}") if rate else f"? {unit}/s"
        head = f"{self._name}: {event['task']}: {share:4.0%}|"
        tail = f"| {done}/{total} [{_clock(elapsed)}<{left}, {per}]"
        room = min(max(columns - 1 - len(head) - len(tail), 0), 40)
        eighths = int(share * room * 8)
        full, part = divmod(eighths, 8)
        bar = ("█" * full + (_BLOCKS[part] if full < room else ""))[:room].ljust(room)
        return (head + bar + tail)[: max(columns - 1, 0)]

    def clear(self) -> None:
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0
            self._drawn = 0.0

    def close(self) -> None:
        self.clear()

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except UnicodeEncodeError:  # a terminal without such characters
            self._stream.write(text.translate({ord(c): "#" for c in _BLOCKS[1:]}))
            self._stream.flush()
        except (OSError, ValueError):
            self._shown = 0


def _columns(stream: Any) -> int:
    import os
    import shutil

    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return shutil.get_terminal_size((100, 24)).columns


def _clock(seconds: float) -> str:
    seconds = int(seconds)
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"
