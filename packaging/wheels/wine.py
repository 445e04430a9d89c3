"""Tries the program for Windows, and the package with it, under Wine.

    python3 packaging/wheels/wine.py [--python FOLDER]

The program answers for scores from files that this process has mapped, is interrupted, and ends with its input. With a
folder that holds python.exe of a CPython for Windows with NumPy, the tests of the package that need nothing else are run by that
Python. Where Wine is missing, nothing is tried. Wine 8 lacks a library of random numbers that Go's programs load; one that
asks the library before it is made where gcc for Windows is at hand.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["test_arrays", "test_calls", "test_metrics", "test_results", "test_server"]
PRNG = """#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, size); }
"""


def say(text: str) -> None:
    print(text, flush=True)


def windows(path: os.PathLike) -> str:
    return "Z:" + os.fspath(path).replace("/", "\\")


def wine_program() -> "str | None":
    for name in ("wine64", "/usr/lib/wine/wine64", "wine"):
        if shutil.which(name):
            return name
    return None


class Wine:
    def __init__(self, wine: str, work: pathlib.Path) -> None:
        self.wine = wine
        self.env = {**os.environ, "WINEPREFIX": str(work / "prefix"), "WINEDEBUG": "-all", "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([wine, "wineboot", "-i"], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        system = work / "prefix" / "drive_c" / "windows" / "system32"
        if not (system / "bcryptprimitives.dll").exists():
            compiler = shutil.which("x86_64-w64-mingw32-gcc")
            if compiler is None:
                sys.exit("this Wine has no bcryptprimitives.dll, and x86_64-w64-mingw32-gcc, which would make one, is not installed")
            (work / "prng.c").write_text(PRNG)
            subprocess.run([compiler, "-shared", "-o", str(system / "bcryptprimitives.dll"), str(work / "prng.c"), "-ladvapi32"], check=True)
        self.program = work / "repscope.exe"
        subprocess.run(
            ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(self.program), "./cmd/repscope"],
            cwd=ROOT, env={**os.environ, "CGO_ENABLED": "0", "GOOS": "windows", "GOARCH": "amd64"}, check=True,
        )

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [self.wine, str(self.program), *arguments], env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"{what}: {found!r}, want {wanted!r}")


def scores(wine: Wine, work: pathlib.Path) -> None:
    path = work / "Ordner für Zahlen.bin"
    path.write_bytes(bytes(1 << 16))
    child = wine.start("score", "--serve")
    lines = [(0, 1, 2.1, 3.3, 4.6, 6, 7.5), (6, 7.5, 2.1, 3.3, 4.6, 0, 1)]
    with open(path, "r+b") as f, mmap.mmap(f.fileno(), 0) as memory:

        def ask(original: int, embedded: int) -> dict:
            for place, which in ((0, original), (4096, embedded)):
                memory[place : place + 56] = struct.pack("<7d", *lines[which])
            arrays = [{"name": "x", "path": windows(path), "offset": place, "type": "float64", "shape": [7, 1]} for place in (0, 4096)]
            question = {"scores": ["trustworthiness"], "k": [2], "metric": "euclidean", "original": arrays[0], "embedded": arrays[1]}
            child.stdin.write(json.dumps(question).encode() + b"\n")
            child.stdin.flush()
            return json.loads(child.stdout.readline())

        expect("the same spaces", ask(0, 0), {"trustworthiness": [1]})
        first = ask(0, 1)
        if not 0 < first["trustworthiness"][0] < 1:
            sys.exit(f"other spaces: {first}")
        expect("after new values", ask(1, 1), {"trustworthiness": [1]})
        child.send_signal(signal.SIGINT)  # Ctrl-C to Wine
        time.sleep(0.5)
        expect("after Ctrl-C, which is meant for the caller", ask(0, 1), first)
    child.stdin.close()
    expect("exit code at the end of the input", child.wait(30), 0)
    say("score --serve: answers from mapped files, Ctrl-C, the end of its input")


def interrupted(wine: Wine, work: pathlib.Path) -> None:
    out = work / "results"
    child = wine.start("neighborhood", "--example", "--permutations", "100000000", "--out", windows(out))
    time.sleep(6)
    expect("exit code of a run before it is interrupted", child.poll(), None)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    expect("exit code after Ctrl-C", child.returncode, 1)
    expect("message after Ctrl-C", said.decode().strip().splitlines()[-1:], ["neighborhood: interrupted; no file was written"])
    expect("files that an interrupted run left", [str(p) for p in out.glob("**/*")], [])
    say("neighborhood: Ctrl-C ends it with exit code 1 and leaves no file")


def package(wine: Wine, work: pathlib.Path, python: pathlib.Path) -> None:
    env = {**wine.env, "REPSCOPE_BIN": windows(wine.program), "PYTHONPATH": windows(ROOT / "python"), "WINEPATH": windows(python)}
    tests = ["-m", "unittest", *(f"tests.{m}" for m in MODULES)]
    # Its standard streams must be pipes: files of Unix are no handles for it.
    run = subprocess.Popen(
        [wine.wine, str(python / "python.exe"), *tests], cwd=ROOT / "python", env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said, _ = run.communicate()
    sys.stdout.write(said.decode("utf-8", "replace").replace("\r", ""))
    expect("exit code of the package's tests", run.returncode, 0)
    left = [p.name for p in (work / "prefix").glob("drive_c/users/*/Temp/repscope-*")]
    expect("folders that were left", left, [])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=pathlib.Path, help="folder of a CPython for Windows that has NumPy")
    o = parser.parse_args()
    found = wine_program()
    if found is None:
        say("skipped: Wine is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="repscope wine ") as name:
        work = pathlib.Path(name)
        wine = Wine(found, work)
        try:
            scores(wine, work)
            interrupted(wine, work)
            if o.python is None:
                say("skipped: the package's tests want --python, a folder with python.exe")
            else:
                package(wine, work, o.python.resolve())
        finally:
            subprocess.run([found, "wineboot", "--kill"], env=wine.env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
