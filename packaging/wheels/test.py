"""Builds the wheel of this system twice, and tests it in fresh environments.

    python3 packaging/wheels/test.py [--wheel FILE] [--python PYTHON …]

It is installed for the oldest and the newest Python at hand, from 3.9 on, with what it needs
besides, and the tests of the package are run on what was installed.
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OLDEST = (3, 9)
OTHERS = ["pandas", "scikit-learn", "h5py", "zarr", "xarray", "polars", "nbclient", "ipykernel", "marimo"]  # of the tests; PyTorch is large, and its tests are of the sources


def say(text: str) -> None:
    print(text, flush=True)


def pythons() -> list:
    """The oldest and the newest Python that can make an environment, as (version, path)."""
    names = [sys.executable, shutil.which("python3")]
    names += [shutil.which(f"python3.{minor}") for minor in range(9, 20)]
    names += glob.glob(os.path.join(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv")), "versions", "*", "bin", "python3"))
    found = {}
    for name in dict.fromkeys(n for n in names if n):
        code = "import sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1])"
        run = subprocess.run([name, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if run.returncode == 0:
            version = tuple(map(int, run.stdout.split()))
            if version >= OLDEST:
                found.setdefault(version, name)
    return [(v, found[v]) for v in sorted({min(found), max(found)})] if found else []


def build(folder: pathlib.Path) -> pathlib.Path:
    """The wheel of this system, of which the second time must give the same bytes."""
    target = "/".join(subprocess.run(["go", "env", "GOHOSTOS", "GOHOSTARCH"], stdout=subprocess.PIPE, text=True, check=True).stdout.split())
    wheels = []
    for name in ("first", "second"):
        out = folder / name
        subprocess.run(["go", "run", "./packaging/dist", "--wheels", "--targets", target, "--out", str(out)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        wheels += out.glob("*.whl")
    digests = {hashlib.sha256(w.read_bytes()).hexdigest() for w in wheels}
    if len(wheels) != 2 or len(digests) != 1 or wheels[0].name != wheels[1].name:
        sys.exit(f"{' and '.join(map(str, wheels))} are not the same bytes")
    say(f"{wheels[0].name}: {wheels[0].stat().st_size / 1e6:.1f} MB, twice {digests.pop()}")
    return wheels[0]


def check_content(wheel: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as z:
        names = z.namelist()
        for pattern in (
            r"repscope/__init__\.py", r"repscope/py\.typed", r".*\.data/scripts/repscope(\.exe)?", r".*\.dist-info/sboms/repscope\.cdx\.json",
            r".*\.dist-info/licenses/LICENSE", r".*\.dist-info/licenses/THIRD_PARTY_LICENSES", r".*\.dist-info/RECORD",
        ):
            if not any(re.fullmatch(pattern, n) for n in names):
                sys.exit(f"{wheel.name} has no {pattern}")


def installed(wheel: pathlib.Path, python: str, folder: pathlib.Path) -> "str | None":
    """The Python of a fresh environment that has the wheel; None where NumPy cannot be had."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    own = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, "numpy"]).returncode != 0:
        return None
    # The package says itself what it needs: nothing more may be fetched.
    subprocess.run([*pip, "--no-index", str(wheel)], check=True)
    for other in OTHERS:
        if subprocess.run([*pip, "--only-binary", ":all:", other], stderr=subprocess.DEVNULL).returncode != 0:
            say(f"{other} cannot be had; its tests are skipped")
    return own


def check_uvx(wheel: pathlib.Path, work: pathlib.Path) -> None:
    """uvx runs the program of the wheel: its version, an analysis, and its exit code."""
    uvx = shutil.which("uvx")
    if uvx is None:
        say("uvx: skipped: uv is not installed")
        return
    env = {k: v for k, v in os.environ.items() if k != "REPSCOPE_BIN"}
    env["UV_CACHE_DIR"] = str(work / "uv")

    def run(*line: str) -> subprocess.CompletedProcess:
        return subprocess.run([uvx, "--quiet", "--from", str(wheel), "repscope", *line], cwd=work, env=env, stdout=subprocess.PIPE, text=True)

    version = run("--version")
    if version.returncode != 0:
        say("uvx: skipped: it cannot install the wheel with NumPy")
        return
    analysis = run("geometry", "--example", "--quiet", "--format", "none", "--out", "uvx")
    wrong = run("geometry", "--no-such-flag")
    if not version.stdout.startswith("repscope ") or analysis.returncode != 0 or not (work / "uvx" / "geometry.json").exists() or wrong.returncode != 2:
        sys.exit(f"uvx: {version.stdout!r}, codes {analysis.returncode} and {wrong.returncode}, want 0 and 2")
    say(f"uvx: {version.stdout.strip()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path, help="of this system; by default it is built")
    parser.add_argument("--python", action="append", help="to test with (repeats)")
    o = parser.parse_args()
    chosen = [(None, p) for p in o.python or []] or pythons()
    if not chosen:
        say("skipped: there is no Python from 3.9 on that can make environments")
        return
    with tempfile.TemporaryDirectory(prefix="repscope wheel ") as name:
        work = pathlib.Path(name)
        wheel = o.wheel or build(work)
        check_content(wheel)
        shutil.copytree(ROOT / "python" / "tests", work / "here" / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "docs" / "guides" / "python-and-notebooks.md", work / "here" / "tests")
        for example in (ROOT / "python" / "examples").iterdir():
            if example.is_file():
                shutil.copy(example, work / "here" / "tests")
        check_uvx(wheel, work)
        env = {k: v for k, v in os.environ.items() if k not in ("REPSCOPE_BIN", "PYTHONPATH", "PYTHONHOME")}
        for i, (_, python) in enumerate(chosen):
            version = subprocess.run([python, "-V"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            own = installed(wheel, python, work / f"environment {i}")
            if own is None:
                say(f"{version}: skipped: NumPy cannot be installed")
                continue
            say(f"{version}: the tests of the package")
            subprocess.run([own, "-m", "unittest", "discover", "--start-directory", "tests", "--top-level-directory", "."], cwd=work / "here", env=env, check=True)
            subprocess.run([own, "-m", "pip", "uninstall", "--quiet", "--yes", "repscope"], check=True)
            left = [str(p) for p in (work / f"environment {i}").rglob("*repscope*")]
            if left:
                sys.exit(f"{version}: left by an uninstallation: {', '.join(left)}")


if __name__ == "__main__":
    main()
