"""The package as it is installed: its parts, its documentation, and the program."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import subprocess
import sys
import typing
import unittest
import unittest.mock

import repscope
from repscope import _find, _functions

from .support import Case, environment

HERE = os.path.dirname(os.path.abspath(__file__))

# What a type checker must take.
USER = """
import numpy as np
import repscope

x = np.zeros((50, 3))
repscope.neighborhood(x, {"z": x}, k=np.int64(3), seed=np.int64(3), threads=np.int32(2), nice=None)
repscope.neighborhood(x, {"z": x}, k=[np.int64(3), 4], seed=3, nice=1, memory=np.int64(10**9))
"""


class Package(Case):
    def test_examples(self) -> None:
        ran = 0
        for module in pkgutil.iter_modules(repscope.__path__):
            if module.name != "__main__":
                failed, tried = doctest.testmod(importlib.import_module("repscope." + module.name))
                self.assertEqual(failed, 0, module.name)
                ran += tried
        failed, tried = doctest.testmod(repscope)
        self.assertEqual(failed, 0)
        self.assertGreater(ran + tried, 3)

    def test_page(self) -> None:
        page = os.path.join(HERE, "python.md")
        if not os.path.exists(page):
            page = os.path.join(HERE, "..", "..", "docs", "python.md")
        failed, tried = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 5)

    def test_functions(self) -> None:
        for name in _functions.__all__:
            function = getattr(repscope, name)
            keywords = set(inspect.signature(function).parameters) - {"progress", "nice"}
            command, arguments, table = _functions.COMMANDS[name]
            self.assertEqual(keywords, {entry.split(":")[0] for entry in table.split()} | ({arguments} if arguments else set()), name)
            for keyword in keywords:
                self.assertIn(f"\n    {keyword}: ", inspect.getdoc(function) + "\n", name)

    def test_types(self) -> None:
        names = {**vars(typing), **vars(importlib.import_module("repscope._types")), "Result": repscope.Result}
        for name in _functions.__all__:
            hints = typing.get_type_hints(getattr(repscope, name), names)
            self.assertIs(hints["return"], repscope.Result)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(repscope.__file__), "py.typed")))

    def test_strict_types(self) -> None:
        settings = os.path.join(HERE, "..", "mypy.ini")
        if importlib.util.find_spec("mypy") is None or not os.path.exists(settings):
            self.skipTest("mypy is not installed, or these are not the tests of a clone")
        user = os.path.join(self.folder, "user.py")
        with open(user, "w", encoding="utf-8") as f:
            f.write(USER)
        line = [sys.executable, "-m", "mypy", "--config-file", settings, "--cache-dir", self.folder, os.path.join(HERE, "..", "repscope"), user]
        said = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(said.returncode, 0, said.stdout)

    def test_the_program(self) -> None:
        said = subprocess.run([repscope.find_program(), "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        again = subprocess.run([sys.executable, "-m", "repscope", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(said, again)
        self.assertTrue(said.startswith("repscope "))
        code = subprocess.run([sys.executable, "-m", "repscope", "none"], stderr=subprocess.DEVNULL).returncode
        self.assertEqual(code, 2)

    def test_short_names(self) -> None:
        subprocess.run([repscope.find_program(), "links", self.folder], stdout=subprocess.DEVNULL, check=True)
        suffix = ".exe" if os.name == "nt" else ""
        said = subprocess.run([os.path.join(self.folder, "manifold" + suffix), "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertTrue(said.startswith("manifold "))

    def test_it_is_found(self) -> None:
        program = repscope.find_program()
        with environment(REPSCOPE_BIN=os.path.dirname(program)):
            self.assertEqual(repscope.find_program(), program)

    def test_it_is_found_without_sysconfig(self) -> None:
        with unittest.mock.patch("sysconfig.get_path", side_effect=AttributeError("abi_thread")):
            folders = list(_find._folders())
        name = "Scripts" if os.name == "nt" else "bin"
        self.assertEqual(folders[:2], [os.path.join(prefix, name) for prefix in (sys.prefix, sys.base_prefix)])

    def test_import_needs_little(self) -> None:
        code = "import sys, repscope; print([m for m in ('pandas', 'torch', 'IPython', 'h5py', 'onnx', 'sklearn', 'matplotlib', 'asyncio', 'subprocess') if m in sys.modules])"
        said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual([m for m in eval(said) if m != "subprocess"], [])


if __name__ == "__main__":
    unittest.main()
