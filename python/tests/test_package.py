"""The package as it is installed: its parts, its documentation, and the program."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import textwrap
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
        page = os.path.join(HERE, "python-and-notebooks.md")
        if not os.path.exists(page):
            page = os.path.join(HERE, "..", "..", "docs", "guides", "python-and-notebooks.md")
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

    def test_exports(self) -> None:
        """What a module exports can be read without running it, as type checkers do: only some forms of ``__all__`` will do."""
        here = os.path.dirname(repscope.__file__)

        def exported(name: str) -> "list[str] | None":
            with open(os.path.join(here, name + ".py"), encoding="utf-8") as f:
                tree = ast.parse(f.read())
            names: "list[str] | None" = None
            for node in ast.walk(tree):
                said = isinstance(node, ast.Attribute) and node.attr == "__all__" and isinstance(node.ctx, ast.Store)
                self.assertFalse(said, f"{name}: __all__ of another module is changed")
            for node in tree.body:
                if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
                    names = list(ast.literal_eval(node.value))
                elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == "__all__":
                    self.assertIsNotNone(names, name)
                    of = node.value
                    self.assertTrue(isinstance(of, ast.Attribute) and of.attr == "__all__" and isinstance(of.value, ast.Name), f"{name}: {ast.dump(of)}")
                    names = (names or []) + (exported(of.value.id) or [])  # type: ignore[attr-defined]
            return names

        for module in [m.name for m in pkgutil.iter_modules(repscope.__path__)] + ["__init__"]:
            if module == "__main__":
                continue
            names = exported(module)
            loaded = repscope if module == "__init__" else importlib.import_module("repscope." + module)
            self.assertEqual(names, getattr(loaded, "__all__", None), module)
            for name in names or []:
                self.assertTrue(hasattr(loaded, name), f"{module}.{name}")
        self.assertTrue(set(_functions.__all__) < set(exported("__init__") or []))

    def test_pyright(self) -> None:
        if importlib.util.find_spec("pyright") is None:
            self.skipTest("pyright is not installed")
        # Of an installed package what is not exported is an error.
        site = os.path.join(self.folder, "environment", "lib", "python3.11", "site-packages", "repscope")
        shutil.copytree(os.path.dirname(repscope.__file__), site, ignore=shutil.ignore_patterns("__pycache__"))
        with open(os.path.join(self.folder, "user.py"), "w", encoding="utf-8") as f:
            f.write(USER + "from repscope import Monitor, Result, manifold\nfrom repscope.metrics import trustworthiness\n")
            f.write("r: Result = manifold({'z': x})\nprint(r, Monitor, trustworthiness, repscope.evaluate({'datasets': {}}))\n")
        settings = {"include": ["user.py"], "venvPath": self.folder, "venv": "environment", "typeCheckingMode": "strict", "reportMissingImports": "none"}
        settings.update({"report" + name: "none" for name in ("UnknownVariableType", "UnknownMemberType", "UnknownArgumentType")})  # of NumPy
        with open(os.path.join(self.folder, "pyrightconfig.json"), "w", encoding="utf-8") as f:
            json.dump(settings, f)
        said = subprocess.run([sys.executable, "-m", "pyright", "--project", self.folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(said.returncode, 0, said.stdout)

    def test_pyright_of_the_package(self) -> None:
        settings = os.path.join(HERE, "..", "pyrightconfig.json")
        if importlib.util.find_spec("pyright") is None or not os.path.exists(settings):
            self.skipTest("pyright is not installed, or these are not the tests of a clone")
        line = [sys.executable, "-m", "pyright", "--project", settings, "--pythonpath", sys.executable]
        said = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(said.returncode, 0, said.stdout)

    def test_suite_of_docstring(self) -> None:
        """The suite in the documentation of evaluate is one."""
        blocks = re.findall(r"(?m)(?:^  .*\n)+", inspect.getdoc(repscope.evaluate) or "")
        suites = [textwrap.dedent(block) for block in blocks if "datasets:" in block]
        self.assertEqual(len(suites), 1)
        for name in ("pong.npz", "jepa.onnx", "runs/a/step_1.onnx", "runs/a/step_2.onnx"):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w").close()
        file = os.path.join(self.folder, "suite.yaml")
        with open(file, "w", encoding="utf-8") as f:
            f.write(suites[0])
        line = [repscope.find_program(), "evaluate", file, "--list"]
        said = subprocess.run(line, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((said.returncode, said.stdout.split()), (0, ["pending", "pong/smoothness", "pending", "pong/neighborhood", "pending", "pong/manifold"]), said.stdout)

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
