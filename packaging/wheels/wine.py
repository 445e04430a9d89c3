"""Tries the program for Windows, and the package with it, under Wine.

    python3 packaging/wheels/wine.py [--python FOLDER] [--only-program]

The program answers for scores from files that this process has mapped, is interrupted, and ends with its input. The tests of the
package that need nothing else are run by a CPython for Windows: of a folder that holds python.exe and NumPy, or else the one
that Maven's packages have, with NumPy of pip's, in a temporary folder. What is missing is said, with the Debian package that
has it. Wine 8 lacks a library of random numbers that Go's programs load; one that asks the library before it is made by
gcc for Windows.
"""

from __future__ import annotations

import argparse
import contextlib
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
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["test_arrays", "test_calls", "test_metrics", "test_results", "test_server"]
PYTHON = "org.bytedeco:cpython:3.12.1-1.5.10:jar:windows-x86_64"
MAVEN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:"
NUMPY = "numpy==1.26.4"  # later ones ask for more of the C library than Wine 8 has
PRNG = """#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, size); }
"""


class Missing(Exception):
    """What is not installed or cannot be had, and what would help."""


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
        self.wine, self.work = wine, work
        self.env = {**os.environ, "WINEPREFIX": str(work / "prefix"), "WINEDEBUG": "-all", "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([wine, "wineboot", "-i"], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        system = work / "prefix" / "drive_c" / "windows" / "system32"
        if not (system / "bcryptprimitives.dll").exists():
            compiler = shutil.which("x86_64-w64-mingw32-gcc")
            if compiler is None:
                raise Missing("this Wine has no bcryptprimitives.dll, and gcc for Windows would make one: apt-get install gcc-mingw-w64-x86-64-win32")
            (work / "prng.c").write_text(PRNG)
            subprocess.run([compiler, "-shared", "-o", str(system / "bcryptprimitives.dll"), str(work / "prng.c"), "-ladvapi32"], check=True)

    def build(self) -> None:
        """Makes the program for Windows."""
        self.program = self.work / "repscope.exe"
        subprocess.run(
            ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(self.program), "./cmd/repscope"],
            cwd=ROOT, env={**os.environ, "CGO_ENABLED": "0", "GOOS": "windows", "GOARCH": "amd64"}, check=True,
        )

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [self.wine, str(self.program), *arguments], env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )


@contextlib.contextmanager
def prefix(wine: str):
    """A Wine of its own in a temporary folder, of which nothing is left; what is missing is said, and ends it."""
    with tempfile.TemporaryDirectory(prefix="repscope wine ") as name:
        work = pathlib.Path(name)
        env = {**os.environ, "WINEPREFIX": str(work / "prefix"), "WINEDEBUG": "-all"}
        try:
            yield Wine(wine, work)
        except Missing as missing:
            say(f"skipped: {missing}")
            sys.exit(0)
        finally:
            subprocess.run([wine, "wineboot", "--kill"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            server = shutil.which("wineserver") or shutil.which("wineserver64") or "/usr/lib/wine/wineserver64"
            subprocess.run([server, "--wait"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # or the folder is written again


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


EVENT = """#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
int wmain(int n, wchar_t **args) {
    STARTUPINFOW start = { sizeof start };
    PROCESS_INFORMATION child;
    DWORD code;
    FreeConsole();
    if (!AllocConsole()) { printf("AllocConsole: %lu\\n", GetLastError()); return 90; }
    SetConsoleCtrlHandler(NULL, FALSE);
    if (!CreateProcessW(args[1], args[2], NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) { printf("CreateProcess: %lu\\n", GetLastError()); return 91; }
    Sleep(6000);
    SetConsoleCtrlHandler(NULL, TRUE);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) { printf("GenerateConsoleCtrlEvent: %lu\\n", GetLastError()); return 92; }
    if (WaitForSingleObject(child.hProcess, 30000) != WAIT_OBJECT_0) { printf("it went on\\n"); TerminateProcess(child.hProcess, 93); return 93; }
    GetExitCodeProcess(child.hProcess, &code);
    return code;
}
"""


def console(wine: Wine, work: pathlib.Path) -> None:
    """Ctrl-C as a console of Windows says it, to all of its processes."""
    compiler = shutil.which("x86_64-w64-mingw32-gcc")
    if compiler is None:
        say("skipped: Ctrl-C of a console: gcc-mingw-w64-x86-64-win32 is not installed")
        return
    (work / "event.c").write_text(EVENT)
    subprocess.run([compiler, "-municode", "-o", str(work / "event.exe"), str(work / "event.c")], check=True)
    out = work / "results of a console"
    line = f'repscope neighborhood --example --permutations 100000000 --out "{windows(out)}"'
    child = subprocess.Popen(
        [wine.wine, str(work / "event.exe"), windows(wine.program), line], env=wine.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    told, said = child.communicate(timeout=120)
    expect(f"exit code after a console's Ctrl-C {told!r}", child.returncode, 1)
    expect("files that an interrupted run left", [str(p) for p in out.glob("**/*")], [])
    say("neighborhood: Ctrl-C of a console of Windows ends it with exit code 1 and leaves no file")


def package(wine: Wine, work: pathlib.Path, python: pathlib.Path) -> None:
    env = {**wine.env, "REPSCOPE_BIN": windows(wine.program), "PYTHONPATH": windows(ROOT / "python"), "WINEPATH": windows(python) + ";" + windows(python / "lib")}
    tests = ["-m", "unittest", *(f"tests.{m}" for m in MODULES)]
    # Its standard streams must be pipes: files of Unix are no handles for it.
    run = subprocess.Popen(
        [wine.wine, str(python / "python.exe"), *tests], cwd=ROOT / "python", env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said, _ = run.communicate()
    sys.stdout.write(said.decode("utf-8", "replace").replace("\r", ""))
    expect("exit code of the package's tests", run.returncode, 0)
    # Folders of a Python that the tests end by force go with the next one that makes a folder.
    call = "import numpy as np, repscope.metrics as m; x = np.arange(40.0).reshape(-1, 1); m.trustworthiness(x, x, n_neighbors=3)"
    sweep = subprocess.run([wine.wine, str(python / "python.exe"), "-c", call], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(f"exit code of a last call {sweep.stdout!r}", sweep.returncode, 0)
    left = [p.name for p in (work / "prefix").glob("drive_c/users/*/Temp/repscope-*")]
    expect("folders that were left", left, [])


def fetched(work: pathlib.Path) -> pathlib.Path:
    """A folder with a CPython for Windows and NumPy."""
    if shutil.which("mvn") is None:
        raise Missing("CPython for Windows is a package of Maven's: apt-get install maven, or give --python FOLDER with python.exe and NumPy")
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    get = ["mvn", "--batch-mode", "--quiet", f"-Dmaven.repo.local={work / 'maven'}", "-Dtransitive=false", f"-Dartifact={PYTHON}", MAVEN + "get"]
    if subprocess.run(get, cwd=work, **quiet).returncode != 0:
        raise Missing(f"{PYTHON} cannot be had; give --python FOLDER with python.exe and NumPy")
    folder = work / "python"
    for jar in (work / "maven").glob("org/bytedeco/cpython/**/*windows*.jar"):
        with zipfile.ZipFile(jar) as z:
            z.extractall(work / "unpacked")
    (work / "unpacked" / "org" / "bytedeco" / "cpython" / "windows-x86_64").rename(folder)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--platform", "win_amd64", "--python-version", "3.12"]
    if subprocess.run([*pip, "--target", str(folder / "lib" / "site-packages"), NUMPY], **quiet).returncode != 0:
        raise Missing(f"{NUMPY} for Windows cannot be had; give --python FOLDER with python.exe and NumPy")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=pathlib.Path, help="folder of a CPython for Windows that has NumPy")
    parser.add_argument("--only-program", action="store_true", help="leave the package's tests out")
    o = parser.parse_args()
    found = wine_program()
    for name, package_name in ((found, "wine64"), (shutil.which("go"), "Go 1.26")):
        if name is None:
            say(f"skipped: {package_name} is not installed")
            return
    with prefix(found) as wine:
        work = wine.work
        wine.build()
        scores(wine, work)
        interrupted(wine, work)
        console(wine, work)
        if not o.only_program:
            package(wine, work, o.python.resolve() if o.python else fetched(work))


if __name__ == "__main__":
    main()
