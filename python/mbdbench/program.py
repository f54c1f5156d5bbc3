"""The program mbdbench that the package carries: `mbdbench` on the command line, `python -m mbdbench.program`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PROGRAM = Path(__file__).resolve().parent / "carried" / "bin" / "mbdbench"


def path() -> Path:
    """Where the program lies; `subprocess.run([path(), ...])` starts it."""
    if not _PROGRAM.is_file():
        raise FileNotFoundError(f"{_PROGRAM}: this installation of the package has no program: install it again")
    return _PROGRAM


def main() -> None:
    """Becomes the program, with the words of the command line."""
    try:
        program = str(path())
    except FileNotFoundError as error:
        sys.exit(f"mbdbench: {error}")
    # Reports are made by the first Python on the way that has Matplotlib: that of this package before others.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
