"""Finds the native program."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Any, Iterator

from ._errors import RepscopeError

_NAME = "repscope" + (".exe" if os.name == "nt" else "")


def _user_scheme() -> str:
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    if os.name == "nt":
        return "nt_user"
    if sys.platform == "darwin" and getattr(sys, "_framework", None):
        return "osx_framework_user"
    return "posix_user"


def _scripts(prefix: str, **options: Any) -> str:
    """The folder of programs from sysconfig, or below a prefix if that fails: an interrupted sysconfig stays half initialized."""
    try:
        return sysconfig.get_path("scripts", **options)
    except (AttributeError, KeyError):  # of Python 3.13, from then on
        return os.path.join(prefix, "Scripts" if os.name == "nt" else "bin")


def _folders() -> Iterator[str]:
    package = os.path.dirname(os.path.abspath(__file__))
    site = os.path.dirname(package)
    # an environment, or the system
    yield _scripts(sys.prefix)
    yield _scripts(sys.base_prefix, vars={"base": sys.base_prefix})
    # pip install --prefix: lib/pythonX.Y/site-packages, or Lib/site-packages on Windows
    up = site
    for _ in range(2 if os.name == "nt" else 3):
        up = os.path.dirname(up)
    yield os.path.join(up, "Scripts" if os.name == "nt" else "bin")
    # pip install --target
    yield os.path.join(site, "bin")
    # pip install --user
    yield _scripts(site, scheme=_user_scheme())


def find_program() -> str:
    """The path of the native program.

    ``REPSCOPE_BIN`` names the program or its folder. Without it, the program is looked for where pip installs it
    with this package, and then on ``PATH``.
    """
    given = os.environ.get("REPSCOPE_BIN")
    if given:
        path = os.path.join(given, _NAME) if os.path.isdir(given) else given
        if os.path.isfile(path):
            return os.path.abspath(path)
        raise RepscopeError(1, f"REPSCOPE_BIN is {given}, but there is no program")
    looked = []
    for folder in _folders():
        path = os.path.join(folder, _NAME)
        if os.path.isfile(path):
            return path
        if folder not in looked:
            looked.append(folder)
    import shutil

    found = shutil.which("repscope")
    if found:
        return os.path.abspath(found)
    raise RepscopeError(
        1,
        "the native program repscope was not found in " + ", ".join(looked) + " or on PATH; "
        "install the wheel of this system, or set REPSCOPE_BIN to the program",
    )


def window() -> int:
    """Flags to start a program on Windows, without a window if Python has none; 0 elsewhere."""
    if os.name != "nt":
        return 0
    import ctypes
    import subprocess

    console: bool = getattr(ctypes, "windll").kernel32.GetConsoleWindow()
    return 0 if console else int(getattr(subprocess, "CREATE_NO_WINDOW"))
