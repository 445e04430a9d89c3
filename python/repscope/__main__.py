"""python -m repscope: the native program with the same arguments."""

import os
import sys

from ._errors import RepscopeError
from ._find import find_program


def main() -> None:
    try:
        program = find_program()
    except RepscopeError as err:
        sys.exit(f"repscope: {err}")
    if os.name != "nt":
        os.execv(program, [program, *sys.argv[1:]])
    import subprocess

    # Windows has no exec; Ctrl-C reaches both, and the program says how it ended.
    child = subprocess.Popen([program, *sys.argv[1:]])
    while True:
        try:
            sys.exit(child.wait())
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    main()
