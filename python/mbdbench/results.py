"""What experiments and studies have left in their directories (docs/using/results.md)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

_RUNS = Path("results/runs")
# Of all files in a folder of results, as mechanisms/io/file_format.hpp says.
_NEWEST_FORMAT = 1


def _file(run: str | Path, name: str) -> Path:
    directory = Path(run)
    if not directory.is_dir() and (_RUNS / directory).is_dir():
        directory = _RUNS / directory
    if (directory / name).is_file():
        _require_known_format(directory)
        return directory / name
    if directory.is_dir():
        reason = f"holds {', '.join(sorted(path.name for path in directory.iterdir())) or 'nothing'}"
    else:
        runs = sorted(path.name for path in _RUNS.glob("*") if path.is_dir())
        reason = f"there is no such directory; runs in {_RUNS}: {', '.join(runs) or 'none'}"
    raise FileNotFoundError(f"{directory / name}: {reason}")


def _require_known_format(directory: Path) -> None:
    for name in ("provenance.json", "study.json"):
        try:
            content = json.loads((directory / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        number = content.get("format", 1) if isinstance(content, dict) else 1
        if isinstance(number, (int, float)) and number > _NEWEST_FORMAT:
            raise ValueError(
                f"{directory / name}: format {number:g} is that of a newer mbdbench, and this package reads formats up "
                f"to {_NEWEST_FORMAT}: install that version"
            )


def records(run: str | Path, file: str = "records.csv") -> pandas.DataFrame:
    """The records of an experiment or a study, one number a row.

    run: its directory, or its name below results/runs. file: "timings.csv", "claims.csv", "trajectory.csv" likewise.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("mbdbench.records needs pandas: pip install pandas") from None
    path = _file(run, file)
    with path.open(encoding="utf-8") as lines:
        # Comments stand at the head only: a '#' further down belongs to a name.
        comments = sum(1 for _ in itertools.takewhile(lambda line: line.startswith("#"), lines))
    frame = pandas.read_csv(path, skiprows=comments)
    # Before a text that spreadsheets would run as a formula the writer sets an apostrophe.
    return frame.replace(r"^'(?='*[=+\-@\t\r])", "", regex=True)


def study(run: str | Path) -> dict[str, Any]:
    """study.json of a study: names, labels, order, units and settings, from which its figures are made."""
    file = _file(run, "study.json")
    try:
        declared = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # no UTF-8 is a ValueError too
        declared = None
    if not isinstance(declared, dict):
        raise ValueError(f"{file}: is not what 'mbdbench study' writes: it was changed, cut off or damaged")
    return declared
