"""One process of the program that answers many requests, with arrays in shared memory."""

from __future__ import annotations

import atexit
import json
import mmap
import os
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._arrays import Workspace, allocate, has_room, has_room_on_disk, mapped_file
from ._errors import RepscopeError, UsageError
from ._find import find_program, window

# How long a process without a question lives, in seconds.
IDLE = 60

# Of the memory that holds arrays, what is kept between calls.
_KEPT = 64 << 20
_ALIGN = 64
_PART = 1 << 20  # bytes that are compared at once

# Whether an interrupt waits until a read from a pipe returns, as on Windows.
_READS_HOLD_INTERRUPTS = os.name == "nt"


class Unavailable(Exception):
    """The process is busy or cannot be started: the request must take another way."""


class _Ended(Exception):
    """The process has ended."""


class Pair:
    """The arrays in shared memory, with cached answers."""

    def __init__(self) -> None:
        self.arrays: List[Dict[str, Any]] = []  # as the program is told
        self.scores: Dict[Tuple[Any, ...], Optional[float]] = {}


class Server:
    """The process and the memory with the last arrays. Callers hold its lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._child: Any = None
        self._lines: Optional[_Lines] = None
        self._key: Any = None
        self._process = os.getpid()
        self._workspace: Optional[Workspace] = None
        self._path = ""
        self._memory: Optional[mmap.mmap] = None
        self._size = 0
        self.pair = Pair()

    # Arrays.

    def hold(self, named: Sequence[Tuple[str, np.ndarray]]) -> Pair:
        """The pair of these arrays; the previous pair if all values are equal."""
        files = [mapped_file(array) for _, array in named]
        places, end = [], 0
        for (_, array), file in zip(named, files):
            places.append(end)
            if file is None:
                end = (end + array.nbytes + _ALIGN - 1) // _ALIGN * _ALIGN
        fresh = self._reserve(end)
        old, pair = self.pair.arrays, Pair()
        same = len(old) == len(named)
        for at, ((name, array), file, place) in enumerate(zip(named, files, places)):
            told: Dict[str, Any] = {"name": f"{name} (array {list(array.shape)}, {array.dtype})", "type": array.dtype.name, "shape": list(array.shape)}
            if file is None:
                told.update(path=self._path, offset=place)
            else:
                told.update(path=os.path.abspath(file), offset=os.path.getsize(file) - array.nbytes)
            pair.arrays.append(told)
            if file is not None and array.flags.c_contiguous:
                same = False  # whoever else has mapped it may have written to it
                continue
            if file is not None:  # transposed
                raise Unavailable
            assert self._memory is not None
            held: np.ndarray = np.frombuffer(self._memory, array.dtype, array.size, place).reshape(array.shape)
            if fresh or at >= len(old) or old[at] != told:
                self.pair = Pair()  # while values are written
                same = False
                np.copyto(held, array)
            else:
                first = _differs(held, array)
                if first is not None:
                    self.pair = Pair()
                    same = False
                    np.copyto(held[first:], array[first:])
        if not same:
            self.pair = pair
        return self.pair

    def _reserve(self, size: int) -> bool:
        """Makes room for a number of bytes; returns whether earlier contents were lost."""
        if self._memory is not None and size <= self._size:
            return False
        self._drop()
        self.pair = Pair()
        size = max(1 << 20, (size + (1 << 16) - 1) >> 16 << 16)
        if not has_room(size) and not has_room_on_disk(size):
            raise Unavailable
        self._workspace = Workspace()
        try:
            self._path = self._workspace.place("scores", size)
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o600)
            try:
                allocate(fd, size)
                self._memory = mmap.mmap(fd, size)
            finally:
                os.close(fd)
        except OSError:
            self._drop()
            raise Unavailable from None
        except BaseException:
            self._drop()
            raise
        self._size = size
        return True

    def _drop(self) -> None:
        memory, self._memory, self._size, self._path = self._memory, None, 0, ""
        if memory is not None:
            try:
                memory.close()
            except BufferError:  # an array views it
                pass
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None

    def settle(self) -> None:
        """Frees memory beyond the amount kept between calls."""
        if self._size > _KEPT:
            self.pair = Pair()
            self._drop()

    # Questions.

    def ask(self, question: Dict[str, Any]) -> Dict[str, Any]:
        """The answer to a request. A process that has ended is restarted once."""
        line = json.dumps(question).encode() + b"\n"
        for _ in range(2):
            try:
                answer = self._answer(line)
            except _Ended:
                self.end()
                continue
            except BaseException:  # what it says to this one must not be taken for the answer to the next
                self.end(kill=True)
                raise
            if "error" in answer:
                # Wrong arrays are ValueErrors, whatever the exit code.
                raise UsageError(answer["code"], answer["error"])
            return answer
        raise Unavailable

    def _answer(self, line: bytes) -> Dict[str, Any]:
        self._start()
        try:
            self._child.stdin.write(line)
            self._child.stdin.flush()
            text = self._child.stdout.readline() if self._lines is None else self._lines.next()
        except (OSError, ValueError):
            raise _Ended from None
        if not text.endswith(b"\n"):
            raise _Ended
        try:
            answer: Dict[str, Any] = json.loads(text)
        except ValueError:
            raise _Ended from None
        return answer

    def _start(self) -> None:
        key = _surroundings()
        if self._child is not None and (self._key != key or self._child.poll() is not None):
            self.end()
        if self._child is not None:
            return
        import subprocess

        program = key[2]
        try:
            self._child = subprocess.Popen(
                [program, "score", "--serve", f"--idle={IDLE}s"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=window(),
            )
        except OSError as err:
            raise RepscopeError(1, f"{program}: {err.strerror or err}") from err
        if _READS_HOLD_INTERRUPTS:
            self._lines = _Lines(self._child.stdout)
        self._key = key

    def end(self, kill: bool = False) -> None:
        """Ends the process; the next request starts another."""
        child, lines = self._child, self._lines
        self._child = self._lines = None
        if child is None:
            return
        import subprocess

        try:
            if kill:
                child.kill()
            try:
                child.stdin.close()
            except OSError:
                pass  # what was not read
            try:
                child.wait(2)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            if lines is not None:
                lines.join(2)
            child.stdout.close()
        except BaseException:
            child.kill()
            raise

    def close(self) -> None:
        if os.getpid() == self._process:
            self.end(kill=True)
            self._drop()

    def leave(self) -> None:
        """After a fork, drops the state of the parent."""
        if self._child is not None:
            # The parent's pipes would stay open as long as this process.
            try:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for stream in (self._child.stdin, self._child.stdout):
                    os.dup2(nowhere, stream.fileno(), inheritable=False)
                    stream.close()
                os.close(nowhere)
            except (OSError, ValueError):
                pass
            self._child.returncode = 0  # nothing of this process to wait for
        if self._memory is not None:
            try:
                self._memory.close()
            except BufferError:
                pass


class _Lines(threading.Thread):
    """Reads the lines of a process in a thread, so that waiting for a line can be interrupted."""

    def __init__(self, stream: Any) -> None:
        import queue

        super().__init__(daemon=True)
        self._stream = stream
        self._read: "queue.SimpleQueue[bytes]" = queue.SimpleQueue()
        self._empty = queue.Empty
        self.start()

    def run(self) -> None:
        try:
            for line in self._stream:
                self._read.put(line)
        except (OSError, ValueError):
            pass
        self._read.put(b"")

    def next(self) -> bytes:
        while True:
            try:
                return self._read.get(timeout=0.2)
            except self._empty:
                continue


def _differs(held: np.ndarray, array: np.ndarray) -> Optional[int]:
    """The first row of a part in which two arrays of one shape differ; None where they are equal."""
    step = max(1, _PART // max(1, array.itemsize * array.shape[1]))
    for lo in range(0, len(array), step):
        if not np.array_equal(held[lo : lo + step], array[lo : lo + step]):
            return lo
    return None


_programs: Dict[Any, str] = {}


def _described(path: str) -> Optional[os.stat_result]:
    try:
        return os.stat(path)
    except OSError:
        return None


def _surroundings() -> Any:
    """The settings with which a process starts."""
    own = tuple((k, v) for k, v in os.environ.items() if k.startswith(("REPSCOPE_", "GO", "PATH")))
    cpus = tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()
    program = _programs.get(own)
    info = _described(program) if program is not None else None
    if program is None or info is None:
        program = find_program()
        _programs.clear()
        _programs[own] = program
        info = os.stat(program)
    return own, cpus, program, info.st_ino, info.st_size, info.st_mtime_ns


_server = Server()


def server() -> Server:
    """The server of this process."""
    return _server


def _forked() -> None:
    global _server
    _server.leave()
    _server = Server()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
atexit.register(lambda: _server.close())
