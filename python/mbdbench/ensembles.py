"""Many runs of one mechanism and their statistics, as `mbdbench simulate --ensemble` makes them (docs/using/ensembles.md)."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core, program
from .results import _file

_STATISTICS = ("members", "mean", "standard_deviation", "minimum", "q05", "q25", "q50", "q75", "q95", "maximum")


@dataclass
class Ensemble:
    """Members, one entry each, and their statistics, arrays of times x quantities."""

    status: list[str] = field(repr=False)  #: of every member: "ok", "inaccurate", "no_start", ...
    message: list[str] = field(repr=False)  #: why a member is not "ok"
    start: dict[str, NDArray[np.float64]] = field(repr=False)  #: initial values and parameters by name, one a member
    end: dict[str, NDArray[np.float64]] = field(repr=False)  #: quantities at the end by name; NaN where it was not reached
    t: NDArray[np.float64] = field(repr=False)  #: times of the statistics
    quantities: list[str]  #: names of the columns of the statistics
    statistics: dict[str, NDArray[np.float64]] = field(repr=False)  #: "mean", "standard_deviation", "q05", ..., "maximum"
    about: dict[str, Any] = field(repr=False)  #: what ensemble.json has: what was run, counts, largest errors

    @property
    def ok(self) -> bool:
        """Whether every member reached its end within the limits of energy and constraints."""
        return all(status == "ok" for status in self.status)

    def statistic(self, name: str, quantity: str) -> NDArray[np.float64]:
        """One of them over time: statistic("q50", "q.joint1")."""
        if name not in self.statistics:
            raise KeyError(f"there is no statistic '{name}'; there are {', '.join(self.statistics)}")
        if quantity not in self.quantities:
            raise KeyError(f"there is no quantity '{quantity}'; there are {', '.join(self.quantities)}")
        return self.statistics[name][:, self.quantities.index(quantity)]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.about["statuses"].items())
        return f"<mbdbench.Ensemble {self.about['mechanism']} {self.about['formulation']}: {counts}, {len(self.t)} times>"


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(line for line in lines if not line.startswith("#"))


def _number(text: str) -> float:
    return float(text) if text else float("nan")


def read_ensemble(folder: str | Path) -> Ensemble:
    """What `mbdbench simulate --ensemble ... -o FOLDER` has written."""
    about = json.loads(_file(folder, "ensemble.json").read_text(encoding="utf-8"))
    members = list(_rows(_file(folder, "members.csv")))
    columns = {prefix: [name for name in (members[0] if members else {}) if name.startswith(prefix)] for prefix in ("start.", "end.")}

    def taken(prefix: str) -> dict[str, NDArray[np.float64]]:
        return {name[len(prefix):]: np.array([_number(member[name]) for member in members]) for name in columns[prefix]}

    quantities = list(about["quantities"])
    rows = list(_rows(_file(folder, "ensemble.csv")))
    shape = (len(rows) // max(len(quantities), 1), len(quantities))
    return Ensemble(
        status=[member["status"] for member in members],
        message=[member["message"] for member in members],
        start=taken("start."),
        end=taken("end."),
        t=np.array([float(row["time"]) for row in rows[:: max(len(quantities), 1)]]),
        quantities=quantities,
        statistics={name: np.array([_number(row[name]) for row in rows]).reshape(shape) for name in _STATISTICS},
        about=about,
    )


def _spread(spread: Mapping[str, float | str]) -> str:
    return ",".join(f"{name}={size if isinstance(size, str) else repr(float(size))}" for name, size in spread.items())


def _write_members(members: Mapping[str, Sequence[float]], file: Path) -> None:
    values = {name: np.asarray(column, dtype=np.float64) for name, column in members.items()}
    lengths = {column.shape for column in values.values()}
    if not values or len(lengths) != 1 or len(next(iter(lengths))) != 1:
        raise ValueError("members: needs one value a member for every name, in sequences of one length")
    if not lengths.pop()[0]:
        raise ValueError("members: there are none; every name needs at least one value")
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(values)
        writer.writerows([repr(float(value)) for value in row] for row in zip(*values.values()))


def ensemble(
    mechanism: _core.Mechanism | str | os.PathLike[str],
    formulation: str | _core.Formulation,
    integrator: str = "ode45",
    *,
    times: float | tuple[float, float, float],
    members: int | Mapping[str, Sequence[float]],
    spread: Mapping[str, float | str] | None = None,
    seed: int = 1,
    tolerance: float = 1e-6,
    step: float | None = None,
    quantities: Sequence[str] | None = None,
    threads: int | None = None,
    accept: bool = False,
    folder: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
) -> Ensemble:
    """Runs members that differ in their starts or parameters, with the program that the package carries.

    mechanism: a Mechanism, or a key with parameters ("cart_pole:ratio=10") or a file, of which the parameters of the
    catalogue may spread. times: the end (from 0), or (start, interval, end). members: how many are drawn around the
    mechanism with `spread`, {"positions": 0.05, "mass.pole": "uniform:0.1"}; or the members themselves,
    {"q.hinge": [0.1, 0.2], "mass.pole": [1.0, 1.1]}. quantities: names of which statistics are made. accept: count
    inaccurate members too. folder: keeps the results, and a call that was interrupted goes on there. options: further
    words of `mbdbench simulate --help`.

    Members that fail or are inaccurate raise nothing: their status says so. ValueError for what cannot be run.
    """
    if not isinstance(members, Mapping) and members < 1:
        raise ValueError(f"members: is {members}; at least one is wanted")
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mbdbench_")))
        word = os.fspath(mechanism) if isinstance(mechanism, (str, os.PathLike)) else str(scratch / "mechanism.toml")
        if isinstance(mechanism, _core.Mechanism):
            Path(word).write_text(mechanism.to_toml(), encoding="utf-8")
        output = Path(folder) if folder is not None else scratch / "ensemble"
        command = [str(program.path()), "simulate", "--quiet", "-m", word, "-i", integrator, "-o", str(output)]
        command += ["-f", formulation if isinstance(formulation, str) else formulation.word]
        command += ["-t", repr(float(times)) if np.ndim(times) == 0 else ":".join(repr(float(time)) for time in times)]
        if isinstance(members, Mapping):
            _write_members(members, scratch / "members.csv")
            command += ["--members", str(scratch / "members.csv")]
        else:
            command += ["--ensemble", str(members), "--seed", str(seed)]
        if spread:
            command += ["--spread", _spread(spread)]
        command += ["--fixed-step", repr(float(step))] if step is not None else ["--rtol", repr(float(tolerance)), "--atol", repr(float(tolerance))]
        command += ["--quantities", ",".join(quantities)] if quantities is not None else []
        command += ["--threads", str(threads)] if threads is not None else []
        command += ["--accept"] if accept else []
        run = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        if run.returncode == 130:
            raise KeyboardInterrupt
        # 1: some members failed or are inaccurate, and everything was written.
        if run.returncode not in (0, 1) or not (output / "ensemble.json").is_file():
            raise ValueError((run.stderr or run.stdout).strip() or f"mbdbench simulate ended with {run.returncode}")
        return read_ensemble(output)
