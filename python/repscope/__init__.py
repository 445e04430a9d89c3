"""Evaluates learned representations: the programs of repscope as functions.

>>> import numpy as np, repscope
>>> rng = np.random.default_rng(0)
>>> frames = rng.normal(size=(200, 16)).astype("float32")
>>> result = repscope.neighborhood(frames, {"half": frames[:, :8]}, k=(5, 10))
>>> [row.k for row in result.models.half.by_k]
[5, 10]

Each function runs a native program; nothing is computed in Python. Keywords are the program's
flags. Arrays are passed as files in memory, and a :class:`Result` is returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _functions
from ._arrays import empty
from ._client import run
from ._errors import RepscopeError, RepscopeWarning, UsageError
from ._find import find_program
from ._functions import *  # noqa: F403
from ._result import Figure, Numbers, Result
from ._version import VERSION as __version__

if TYPE_CHECKING:
    from . import metrics
    from ._recordings import Recording, read_episodes
    from .monitor import Monitor

__all__ = [
    "Figure",
    "Monitor",
    "Numbers",
    "Recording",
    "RepscopeError",
    "RepscopeWarning",
    "Result",
    "UsageError",
    "__version__",
    "empty",
    "find_program",
    "metrics",
    "read_episodes",
    "run",
]
__all__ += _functions.__all__  # in a form that type checkers understand

# Modules of what not every program needs are imported when it is asked for.
_LATER = {"Monitor": ".monitor", "Recording": "._recordings", "read_episodes": "._recordings"}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "metrics":
        return import_module(".metrics", __name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LATER[name], __name__), name)
    return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
