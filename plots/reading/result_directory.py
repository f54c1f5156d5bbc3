"""The directory that one run of an experiment wrote."""
from dataclasses import dataclass, field
from pathlib import Path

from reports.claims import Claim, read_claims
from reading.input_error import InputError
from reading.json_file import read_json
from reading.records import Record, distinct, read_records
from studies.study_shape import require_kinds
from reading.trajectory import read_trajectory

# Of all files in a folder of results, as mechanisms/io/file_format.hpp says.
_NEWEST_FORMAT = 1


@dataclass
class ResultDirectory:
    path: Path
    experiment: str
    records: list[Record]
    timings: list[Record] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    @property
    def is_study(self):
        """Whether 'mbdbench study' wrote it: its own tables hold every number and every reason."""
        return (self.path / "study.json").exists()

    @property
    def declaration(self):
        """What study.json says; nothing where there is none or it is damaged, which `read_study` tells."""
        file = self.path / "study.json"
        try:
            declared = read_json(file)
            require_kinds(file, declared)
        except (OSError, ValueError, InputError):
            return {}
        return declared

    def _trajectory_file(self, name):
        return self.path / "trajectories" / f"{name}.csv"

    def has_trajectory(self, name):
        """Whether there are curves of this name."""
        return self._trajectory_file(name).exists()

    def trajectory(self, name, needed):
        """Columns of trajectories/NAME.csv."""
        return read_trajectory(self._trajectory_file(name), needed)

    def provenance(self):
        """What made the results, as the program wrote it."""
        file = self.path / "provenance.json"
        provenance = read_json(file, "does not exist: what made these results is unknown")
        if not isinstance(provenance, dict):
            raise InputError(file, "should hold one JSON object", 1)
        return provenance


def _require_known_format(path):
    """A newer program may have changed what columns and keys mean."""
    for name in ("provenance.json", "study.json"):
        try:
            content = read_json(path / name)
        except (OSError, ValueError, InputError):
            continue  # told where it is needed
        number = content.get("format", 1) if isinstance(content, dict) else 1
        if isinstance(number, (int, float)) and number > _NEWEST_FORMAT:
            raise InputError(path / name, f"format {number:g} is that of a newer mbdbench, and these plots read formats up to {_NEWEST_FORMAT}: use those of that version")


def open_results(path):
    """Reads the records and finds out which experiment they are of. Raises InputError."""
    file = path / "records.csv"
    if not file.exists():
        parts = sorted((path / "parts").glob("*.csv"))
        hint = ("its run has not finished; the same 'mbdbench run' command continues it" if parts
                else "is this the directory given to 'mbdbench run EXPERIMENT --output'?")
        raise InputError(file, f"does not exist: {hint}")
    _require_known_format(path)
    records = read_records(file)
    timings = read_records(path / "timings.csv") if (path / "timings.csv").exists() else []
    experiments = distinct(records, "experiment") or distinct(timings, "experiment")
    if len(experiments) != 1:
        raise InputError(file, f"should hold records of one experiment, not of {', '.join(experiments) or 'none'}")
    claims = [claim for name in ("claims.csv", "timing_claims.csv") if (path / name).exists() for claim in read_claims(path / name)]
    return ResultDirectory(path, experiments[0], records, timings, claims)
