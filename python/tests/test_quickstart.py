"""The notebook and the page of marimo run, and show what they say."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import repscope

from .support import Case

try:
    import nbclient
    import nbformat
    import ipykernel
except ImportError:
    nbclient = None

HERE = os.path.dirname(os.path.abspath(__file__))


def example(name: str) -> str:
    for path in (os.path.join(HERE, name), os.path.join(HERE, "..", "examples", name)):
        if os.path.exists(path):
            return path
    raise unittest.SkipTest(f"no {name} next to the tests")


def outputs(cells: list) -> list:
    """What the cells show, without the numbers' last digits, figures by their kinds."""
    shown = []
    for cell in cells:
        for o in cell.get("outputs", []):
            if o["output_type"] == "stream" and o["name"] == "stderr":
                continue
            data = o.get("data", {"text/plain": o.get("text", "")})
            text = "".join(data.get("text/plain", ""))
            shown.append((sorted(data), re.sub(r"\d+\.\d+|[─ ]+", "", text)))
    return shown


class Quickstart(Case):
    def test_as_it_is_kept(self) -> None:
        path = example("quickstart.ipynb")
        with open(path, encoding="utf-8") as f:
            cells = json.load(f)["cells"]
        first = next(c for c in cells if c["cell_type"] == "code")
        self.assertEqual(len("".join(first["source"]).splitlines()), 5)
        self.assertTrue(any("image/svg+xml" in o.get("data", {}) for o in first["outputs"]))
        self.assertLess(os.path.getsize(path), 150_000)

    @unittest.skipIf(nbclient is None, "no nbclient and ipykernel: the notebook is not run")
    def test_it_runs(self) -> None:
        with open(example("quickstart.ipynb"), encoding="utf-8") as f:
            kept = nbformat.read(f, as_version=4)
        spec = os.path.join(self.folder, "kernels", "tested")
        os.makedirs(spec)
        with open(os.path.join(spec, "kernel.json"), "w", encoding="utf-8") as f:
            json.dump({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "tested", "language": "python",
                       "env": {"PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(repscope.__file__)))}}, f)
        run = nbformat.from_dict(json.loads(json.dumps(kept)))
        before = os.environ.get("JUPYTER_PATH")
        os.environ["JUPYTER_PATH"] = self.folder
        try:
            nbclient.NotebookClient(run, timeout=600, kernel_name="tested").execute()
        finally:
            os.environ.pop("JUPYTER_PATH") if before is None else os.environ.__setitem__("JUPYTER_PATH", before)
        self.assertEqual(outputs(run.cells), outputs(kept.cells))


@unittest.skipIf(importlib.util.find_spec("marimo") is None, "marimo is not installed: its page is not run")
class Marimo(Case):
    def run_page(self, *line: str) -> str:
        """Runs a command in a folder with a copy of the page, next to which marimo writes."""
        shutil.copy(example("marimo_page.py"), self.folder)
        env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(repscope.__file__)))}
        said = subprocess.run([sys.executable, *line], cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(said.returncode, 0, said.stdout)
        return said.stdout

    def test_as_a_script(self) -> None:
        self.run_page("marimo_page.py")

    def test_what_it_shows(self) -> None:
        said = self.run_page("-m", "marimo", "--yes", "export", "html", "marimo_page.py", "-o", "page.html")
        self.assertNotIn("Traceback", said)
        with open(os.path.join(self.folder, "page.html"), encoding="utf-8") as f:
            page = f.read()
        picture = r'"application/vnd\.marimo\+mimebundle": \{"image/png": "(data:image/png;base64,)?iVBOR'  # marimo 0.17 leaves the address out
        for shown in ("repscope neighborhood", r'alt=\\"preservation\\" src=\\"data:image/png;base64', picture, "repscope manifold"):
            self.assertTrue(re.search(shown, page), shown)


if __name__ == "__main__":
    unittest.main()
