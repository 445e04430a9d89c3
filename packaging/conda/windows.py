"""Runs build.bat of the conda package under Wine's cmd.exe, and looks for its files where the recipe's tests look.

    python3 packaging/conda/windows.py

Go and tar for Windows are not at hand: programs of these names hand their arguments to this process, which builds with the
Go of this machine and unpacks as they say. What build.bat makes is run under Wine. Where Wine, gcc for Windows or Go is
missing, nothing is tried.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging" / "wheels"))
import wine  # noqa: E402 (the file beside the test of wheels)

NAMES = ["repscope", "neighborhood", "smoothness"]
HANDED = """#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
int main(int n, char **args) {
    char folder[MAX_PATH], asked[MAX_PATH * 2], answer[MAX_PATH * 2];
    GetCurrentDirectoryA(sizeof folder, folder);
    if (n == 3 && !strcmp(args[1], "env") && !strcmp(args[2], "GOARCH")) { puts("amd64"); return 0; }
    snprintf(asked, sizeof asked, "%s\\\\asked", getenv("HANDED"));
    snprintf(answer, sizeof answer, "%s\\\\answer", getenv("HANDED"));
    FILE *f = fopen(asked, "wb");
    if (!f) return 90;
    fprintf(f, "%s\\n%s\\n%s\\n", folder, getenv("SOURCE_DATE_EPOCH"), getenv("CGO_ENABLED"));
    for (int i = 0; i < n; i++) fprintf(f, "%s\\n", args[i]);
    fputs("end\\n", f);
    fclose(f);
    for (;;) {
        int code;
        if ((f = fopen(answer, "rb"))) {
            int read = fscanf(f, "%d", &code);
            fclose(f);
            if (read == 1 && DeleteFileA(answer)) return code;
        }
        Sleep(100);
    }
}
"""


def carried_out(lines: list, source: pathlib.Path) -> int:
    """The exit code of a command that build.bat gave: go run, or tar."""
    folder, moment, cgo, program, *arguments = lines
    wine.expect("folder of a command", folder, wine.windows(source))
    name = pathlib.PureWindowsPath(program).stem
    if name == "go":
        env = {**os.environ, "SOURCE_DATE_EPOCH": moment, "CGO_ENABLED": cgo}
        return subprocess.run(["go", *arguments], cwd=source, env=env, stdout=subprocess.DEVNULL).returncode
    wine.expect("arguments of tar", (name, arguments[:2], arguments[3:]), ("tar", ["-x", "-f"], ["-C", "unpacked", "--strip-components", "1"]))
    with zipfile.ZipFile(source / arguments[2].replace("\\", "/")) as z:
        for entry in z.infolist():
            to = source / "unpacked" / entry.filename.partition("/")[2]
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(z.read(entry))
    return 0


def batch(w: wine.Wine, source: pathlib.Path, library: pathlib.Path, handed: pathlib.Path) -> None:
    """Runs build.bat as the recipe does, and what it asks for."""
    variables = {"SRC_DIR": wine.windows(source), "LIBRARY_BIN": wine.windows(library), "PKG_VERSION": "1.2.3", "HANDED": wine.windows(handed)}
    env = {**w.env, **variables, "WINEPATH": wine.windows(handed)}
    env.pop("SOURCE_DATE_EPOCH", None)
    with open(handed / "said", "wb") as said:
        run = subprocess.Popen([w.wine, "cmd", "/c", r"packaging\conda\build.bat"], cwd=source, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        while run.poll() is None:
            time.sleep(0.1)
            asked = handed / "asked"
            if not asked.exists():
                continue
            lines = asked.read_text().splitlines()
            if lines[-1:] == ["end"]:
                asked.unlink()
                (handed / "new").write_text(f"{carried_out(lines[:-1], source)}\n")
                (handed / "new").rename(handed / "answer")
    if run.returncode != 0:
        sys.exit(f"build.bat ended with {run.returncode}:\n{(handed / 'said').read_text(errors='replace')}")


def main() -> None:
    found, compiler = wine.wine_program(), shutil.which("x86_64-w64-mingw32-gcc")
    for at, name in ((found, "wine64"), (compiler, "gcc-mingw-w64-x86-64-win32"), (shutil.which("go"), "Go 1.26"), (shutil.which("git"), "git")):
        if at is None:
            print(f"skipped: {name} is not installed")
            return
    with wine.prefix(found) as w:
        source, library, handed = w.work / "source", w.work / "prefix of conda" / "Library" / "bin", w.work / "handed"
        handed.mkdir()
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        for name in filter(None, listed):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
        (handed / "handed.c").write_text(HANDED)
        for name in ("go.exe", "tar.exe"):
            subprocess.run([compiler, "-o", str(handed / name), str(handed / "handed.c")], check=True)
        batch(w, source, library, handed)
        for name in NAMES:
            run = subprocess.run([w.wine, str(library / f"{name}.exe"), "--version"], env=w.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
            wine.expect(f"{name} --version", run.stdout.decode().split()[:3], [name, "(repscope)", "1.2.3"])
        if not (source / "licenses" / "THIRD_PARTY_LICENSES").stat().st_size:
            sys.exit("the licenses are empty")
        print(f"build.bat: {len(list(library.glob('*.exe')))} programs in Library/bin, and the licenses")


if __name__ == "__main__":
    main()
