"""Folders of temporary files, removed when their process ends in any way."""

from __future__ import annotations

import atexit
import os
import threading
import time
from typing import Any, Dict, Iterator, List, Tuple

from ._beside import Beside

_PREFIX = "repscope-py-"
_LOCK = "lock"

# Windows removes no file that is open, or mapped by an array that lives on. An open file is a lock there.
_OPEN_FILES_STAY = os.name == "nt"

_swept: Dict[str, bool] = {}
_sweeping = threading.Lock()
_later: List[str] = []  # what could not be removed yet


def temporary() -> str:
    """The folder of temporary files.

    Python writes a file there when it is asked for the first time, which an interrupt of that moment would leave behind.
    It is asked by a thread, as interrupts reach the main thread alone.
    """
    import tempfile

    if tempfile.tempdir is None:
        asked = Beside(_ask)
        try:
            asked.start()
            asked.wait()
        except BaseException:
            asked.wait(1)
            raise
    return tempfile.gettempdir()


def _ask() -> None:
    import tempfile

    try:
        tempfile.gettempdir()
    except OSError:  # there is none, as the caller is told
        pass


def make(base: str, purpose: str = "") -> Tuple[str, Any]:
    """A new folder and its lock. Folders left by ended processes of this user are removed.

    The name of the folder follows from its purpose, unless there is none or another process has a folder of that name.
    """
    import tempfile

    _sweep(base)
    remove_later()
    path = ""
    if purpose:
        import hashlib

        path = os.path.join(base, _PREFIX + "study-" + hashlib.sha256(purpose.encode("utf-8", "surrogateescape")).hexdigest()[:16])
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            path = ""
    path = path or tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=base)
    return path, _hold(os.path.join(path, _LOCK))


def release(path: str, lock: Any) -> None:
    """Removes a folder."""
    if lock is not None and _OPEN_FILES_STAY:
        lock.close()
    remove(path)
    if lock is not None:
        lock.close()


def remove(path: str) -> None:
    """Removes a folder; files in use, and the rest after an interrupt, are removed later."""
    import shutil

    if path not in _later:
        _later.append(path)
    shutil.rmtree(path, ignore_errors=True)
    if not os.path.isdir(path):
        try:
            _later.remove(path)
        except ValueError:  # by another thread
            pass


def remove_later() -> None:
    """Removes files that were in use before and are free now."""
    for path in list(_later):
        remove(path)


def _leave() -> None:
    """At the end of Python, removes everything left, including after interrupts."""
    remove_later()
    if _results.count:
        release(_results.path, _results.lock)
    for base in list(_swept):
        _sweep(base, again=True)


atexit.register(_leave)


def _hold(path: str) -> Any:
    """An open file, locked while this process lives; None without support for locks."""
    f = open(path, "wb")
    if _OPEN_FILES_STAY:
        return f
    try:
        import fcntl

        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # a file system without locks
        f.close()
        os.unlink(path)
        return None
    return f


def _sweep(base: str, again: bool = False) -> None:
    """Removes folders left by ended processes of this user, once per process and folder unless asked to repeat."""
    with _sweeping:
        if _swept.setdefault(base, False) and not again:
            return
        _swept[base] = True
    for path in _left(base):
        try:
            if _OPEN_FILES_STAY:
                os.unlink(os.path.join(path, _LOCK))
                remove(path)
                continue
            import fcntl

            with open(os.path.join(path, _LOCK), "rb") as f:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(path)
        except (ImportError, OSError):
            _unfinished(path)  # in use, gone, or being made


def _unfinished(path: str) -> None:
    """Removes a folder without any file or lock, if it belongs to this ending process or is a day old."""
    try:
        own = os.path.basename(path).startswith(f"{_PREFIX}{os.getpid()}-")
        if own or os.stat(path).st_mtime < time.time() - 86400:
            os.rmdir(path)
    except OSError:
        pass  # it has something


def _left(base: str) -> Iterator[str]:
    own = os.getuid() if hasattr(os, "getuid") else None
    try:
        with os.scandir(base) as entries:
            for e in entries:
                if e.name.startswith(_PREFIX) and e.is_dir(follow_symlinks=False) and own in (None, e.stat(follow_symlinks=False).st_uid):
                    yield e.path
    except OSError:
        return


class Results:
    """The folder of this process with the folders of all results, under one lock."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.count = 0
        self.path = ""
        self.lock: Any = None

    def make(self) -> str:
        import tempfile

        with self.guard:
            if not self.count or not os.path.isdir(self.path):  # as after days, by what cleans up
                if self.lock is not None:
                    self.lock.close()
                self.path, self.lock = make(temporary())
            self.count += 1
            return tempfile.mkdtemp(prefix="result-", dir=self.path)

    def remove(self, path: str) -> None:
        with self.guard:
            self.count -= 1
            if self.count:
                remove(path)
            else:
                release(self.path, self.lock)


_results = Results()


def results() -> Results:
    """The folder of results of this process."""
    return _results


def _forked() -> None:
    global _results, _sweeping
    _later.clear()
    if _results.lock is not None:
        _results.lock.close()  # the parent has it still
    _results, _sweeping = Results(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
