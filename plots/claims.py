"""Claims: what a paper says in words, what was measured of it, and whether it holds (docs/using/results.md)."""
from dataclasses import dataclass

from csv_rows import read_csv_rows
from input_error import InputError

COLUMNS = ["experiment", "source", "statement", "criterion", "measured", "verdict"]
VERDICTS = ["holds", "holds in part", "does not hold", "not measured"]


@dataclass(frozen=True)
class Claim:
    experiment: str
    source: str
    statement: str
    criterion: str
    measured: str
    verdict: str


def read_claims(file):
    """Reads claims.csv. Raises InputError with file and line for anything that does not fit."""
    columns, rows = read_csv_rows(file)
    if columns != COLUMNS:
        raise InputError(file, f"the columns should be {','.join(COLUMNS)}", 1)
    claims = []
    for line, fields in rows:
        claim = Claim(**dict(zip(COLUMNS, fields)))
        if claim.verdict not in VERDICTS:
            raise InputError(file, f"verdict should be one of {', '.join(VERDICTS)}, not '{claim.verdict}'", line)
        claims.append(claim)
    return claims
