"""Claims: what a paper says in words, what was measured of it, and whether it holds (docs/using/results.md)."""
from dataclasses import dataclass

from reading.csv_rows import read_csv_rows
from reading.input_error import InputError

COLUMNS = ["experiment", "source", "statement", "criterion", "baseline", "held", "parts", "not_tested", "measured", "verdict", "by"]
VERDICTS = ["holds", "mostly holds", "mostly does not", "does not hold", "by model", "by simulation", "not measured"]
# How many of them do so, after a number.
PLURALS = {"holds": "hold", "mostly holds": "mostly hold", "mostly does not": "mostly do not", "does not hold": "do not hold"}
BASES = ["run", "model", "simulation"]


@dataclass(frozen=True)
class Claim:
    experiment: str
    source: str
    statement: str
    criterion: str
    baseline: str
    held: int
    parts: int
    not_tested: int
    measured: str
    verdict: str
    by: str

    @property
    def is_ours(self):
        """Whether the sentence is this suite's: such a one says nothing of what a paper got right."""
        return self.source.startswith("ours")

    @property
    def k_of_n(self):
        """'3 of 4', '3 of 4, 1 not measured'; nothing for a sentence that nothing here can measure."""
        if self.parts + self.not_tested == 0:
            return ""
        return f"{self.held} of {self.parts}" + (f", {self.not_tested} not measured" if self.not_tested else "")


def read_claims(file):
    """Reads claims.csv. Raises InputError with file and line for anything that does not fit."""
    columns, rows = read_csv_rows(file)
    if columns != COLUMNS:
        raise InputError(file, f"the columns should be {','.join(COLUMNS)}", 1)
    claims = []
    for line, fields in rows:
        named = dict(zip(COLUMNS, fields))
        for name in ("held", "parts", "not_tested"):
            if not named[name].isdecimal():
                raise InputError(file, f"{name} should be a whole number, not '{named[name]}'", line)
            named[name] = int(named[name])
        claim = Claim(**named)
        for name, value, known in (("verdict", claim.verdict, VERDICTS), ("by", claim.by, BASES)):
            if value not in known:
                raise InputError(file, f"{name} should be one of {', '.join(known)}, not '{value}'", line)
        claims.append(claim)
    return claims


def counts(claims):
    """{verdict: how many}, of all verdicts."""
    return {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}
