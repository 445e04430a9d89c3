"""Builds the conda package by the recipe and runs the recipe's tests.

    python3 packaging/conda/test.py [--out FOLDER]

It needs py-rattler-build alone. The recipe asks for conda-forge's Go compiler; here a channel in a temporary folder has a
package of that name, which is a link to the Go of this machine, so that nothing is fetched.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GO = "go-nocgo"


def compiler(channel: pathlib.Path, work: pathlib.Path, platform: str) -> None:
    """A channel with the Go of this machine as a package."""
    import rattler_build

    root = subprocess.run(["go", "env", "GOROOT"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    version = subprocess.run(["go", "env", "GOVERSION"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()[len("go") :]
    files = work / "go"
    (files / "bin").mkdir(parents=True)
    (files / "bin" / "go").write_text(f'#!/bin/sh\nexec "{root}/bin/go" "$@"\n')
    (files / "bin" / "go").chmod(0o755)
    (channel / platform).mkdir(parents=True)
    (channel / "noarch").mkdir()
    rattler_build.assemble_package(
        GO, re.match(r"[0-9.]+", version).group(), platform, "link_0", channel / platform, files_dir=files, archive_type=rattler_build.ArchiveType.TarBz2
    )
    packages = {}
    for path in (channel / platform).glob("*.tar.bz2"):
        with tarfile.open(path) as archive:
            entry = json.load(archive.extractfile("info/index.json"))
        packages[path.name] = {**entry, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "size": path.stat().st_size}
    for folder, content in ((platform, packages), ("noarch", {})):
        index = {"info": {"subdir": folder}, "packages": content, "packages.conda": {}, "repodata_version": 1}
        (channel / folder / "repodata.json").write_text(json.dumps(index))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, help="where the package goes; by default it is thrown away")
    o = parser.parse_args()
    try:
        import rattler_build
    except ImportError:
        print("skipped: py-rattler-build is not installed")
        return
    platform = {"x86_64": "linux-64", "aarch64": "linux-aarch64"}.get(os.uname().machine)
    if sys.platform != "linux" or platform is None or shutil.which("go") is None:
        print("skipped: the channel of this test is for Linux on x86-64 and arm64 with Go")
        return
    with tempfile.TemporaryDirectory(prefix="repscope-conda-") as name:
        work = pathlib.Path(name)
        channel, out = work / "channel", (o.out or work / "out").resolve()
        compiler(channel, work, platform)
        rattler_build.build_recipes(
            [ROOT / "packaging" / "conda" / "recipe.yaml"], channel=[channel.as_uri()], output_dir=out, test="native", target_platform=platform
        )
        built = list(out.glob(f"{platform}/repscope-*.conda"))
        if len(built) != 1:
            sys.exit(f"{out} has {len(built)} packages of {platform}, want one")
        print(f"{built[0].name}: {built[0].stat().st_size / 1e6:.1f} MB, built, and its tests passed")


if __name__ == "__main__":
    main()
