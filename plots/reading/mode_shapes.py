"""Modes as mbdbench linearise writes them: eigenvalues.csv, and of mode_shapes.csv where each line of the mechanism lies."""
import itertools
from dataclasses import dataclass

import numpy as np

from reading.csv_rows import read_csv_rows
from reading.input_error import InputError
from reading.json_file import read_json

FILE, EIGENVALUES = "mode_shapes.csv", "eigenvalues.csv"
MOST_PANELS = 6  # drawn unasked
REST, ENDS = (0, "rest"), ("first", "second")
_KINDS = ("link", "arm", "cuboid", "guide", "spring", "gap")
_COORDINATES = ["x1", "y1", "x2", "y2"]
_LARGEST = 1e100  # number that axes can hold


@dataclass
class Modes:
    eigenvalues: dict  # number of the mode -> one of each conjugate pair
    kinds: list  # of each line
    figures: dict  # (mode, place) -> array of lines: x1, y1, x2, y2
    chosen: list  # numbers
    mechanism: str
    command: str
    no_equilibrium: bool

    @property
    def drawable(self):
        """Numbers of the modes that there are figures of."""
        return [mode for mode, place in self.figures if place == ENDS[0]]

    @property
    def largest(self):
        return max(map(abs, self.eigenvalues.values()))


def _number(file, line, row, column):
    try:
        value = float(row[column])
    except ValueError:
        value = np.nan
    if not abs(value) <= _LARGEST:
        raise InputError(file, f"{column} should be a finite number, not '{row[column]}'", line)
    return value


def _count(file, line, row, column):
    text = row[column]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(file, f"{column} should be a whole number, not '{text}'", line)
    return int(text)


def _read(file, needed):
    """The comments above the table, and (line, {column: text}) of each row."""
    columns, rows = read_csv_rows(file)
    comments = list(itertools.takewhile(lambda text: text.startswith("#"), file.read_text(encoding="utf-8").splitlines()))
    if missing := [name for name in needed if name not in columns]:
        raise InputError(file, f"no column {', '.join(missing)}; there are {', '.join(columns)}", len(comments) + 1)
    return comments, [(line, dict(zip(columns, fields))) for line, fields in rows]


def _read_eigenvalues(file):
    """The eigenvalues by number, and whether a comment says that they are of no equilibrium."""
    comments, rows = _read(file, ["real", "imaginary", "mode"])
    found = {}
    for line, row in rows:
        value = complex(_number(file, line, row, "real"), _number(file, line, row, "imaginary"))
        if not row["mode"]:
            continue  # the second of a conjugate pair
        number = _count(file, line, row, "mode")
        if number in found:
            raise InputError(file, f"mode {number} has a row already", line)
        found[number] = value
    return found, any(text.lstrip("# ").startswith("this is no equilibrium") for text in comments)


def _read_figures(file):
    """The kinds of the lines, and the lines of every figure: the same ones in the same order."""
    kinds, figures, last = [], {}, {}
    for line, row in _read(file, ["mode", "place", "line", "kind", *_COORDINATES])[1]:
        mode, place = _count(file, line, row, "mode"), row["place"]
        if place not in ((REST[1],) if mode == REST[0] else ENDS):
            raise InputError(file, f"mode {mode} has no place '{place}': mode 0 has rest, the others have first and second", line)
        if row["kind"] not in _KINDS:
            raise InputError(file, f"kind should be one of {', '.join(_KINDS)}, not '{row['kind']}'", line)
        lines = figures.setdefault((mode, place), [])
        if mode == REST[0]:
            kinds.append(row["kind"])
        if _count(file, line, row, "line") != len(lines) or kinds[len(lines):len(lines) + 1] != [row["kind"]]:
            raise InputError(file, f"{row['kind']} {row['line']} does not follow here: all figures have the lines of mode 0, the first one", line)
        lines.append([_number(file, line, row, column) for column in _COORDINATES])
        last[mode] = line
    if not set(last) - {REST[0]}:
        raise InputError(file, "there is no mode to draw")
    for mode, place in itertools.product(sorted(set(last) - {REST[0]}), ENDS):
        if (count := len(figures.get((mode, place), []))) != len(kinds):
            raise InputError(file, f"mode {mode} has {count} lines of place {place}, mode 0 has {len(kinds)}", last[mode])
    return kinds, {figure: np.array(lines) for figure, lines in figures.items()}


def _read_inputs(file):
    """The mechanism's name and the command that wrote the modes."""
    inputs = read_json(file)
    try:
        return str(inputs["mechanisms"][0]["mechanism"]), inputs.get("command")
    except (AttributeError, IndexError, KeyError, TypeError):
        raise InputError(file, "names no mechanism", 1) from None


def read_modes(directory, chosen=None):
    """`chosen`: texts, numbers of modes. Raises InputError for what is missing, damaged or not there."""
    file = directory / FILE
    kinds, figures = _read_figures(file)
    eigenvalues, no_equilibrium = _read_eigenvalues(directory / EIGENVALUES)
    modes = Modes(eigenvalues, kinds, figures, [], *_read_inputs(directory / "inputs.json"), no_equilibrium)
    for mode in modes.drawable:
        if mode not in eigenvalues:
            raise InputError(directory / EIGENVALUES, f"no row of mode {mode}, which {FILE} has figures of")
    known = {str(mode): mode for mode in modes.drawable}
    chosen = [text.strip() for text in chosen or list(known)[:MOST_PANELS]]
    for text in chosen:
        if text not in known:
            raise InputError(file, f"no mode '{text}'; there are {', '.join(known)}")
    modes.chosen = list(dict.fromkeys(known[text] for text in chosen))
    return modes
