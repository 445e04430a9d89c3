"""Calls in other threads, which no interrupt reaches."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional


class Beside:
    """A call of a function in another thread.

    A threading.Thread can be interrupted half way in its start, and then runs, but cannot be waited for. Interrupted in join,
    it counts as ended up to Python 3.12. An exception that a signal's handler raises inside the wait of a threading.Event
    becomes a RuntimeError of its lock. Nothing here holds a lock.
    """

    def __init__(self, function: Callable[..., None], *arguments: Any) -> None:
        self._function = function
        self._arguments = arguments
        self._ended = False

    def start(self) -> None:
        import _thread

        _thread.start_new_thread(self._work, ())

    def _work(self) -> None:
        try:
            self._function(*self._arguments)
        finally:
            self._ended = True

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until the function has returned, or for a number of seconds; whether it has returned."""
        end = None if timeout is None else time.monotonic() + timeout
        pause = 0.0001
        while not self._ended:
            if end is not None and time.monotonic() >= end:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.002)
        return True
