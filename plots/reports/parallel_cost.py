"""The papers' sentences on parallel cost in one table: theirs, ours as measured on threads or processes, simulated, by model."""
import tomllib
from pathlib import Path

_STUDIES = Path(__file__).resolve().parents[2] / "experiments" / "studies" / "papers"
HEADER = ["source", "theirs", "ours, measured on threads or processes", "ours, on a simulated cluster", "ours, by model"]
# The beginnings of their sentences.
_SENTENCES = (("chadaj2015", "With n threads"), ("chadaj2017", "The method exhibits near logarithmic"), ("malczyk2012", "The parallel cost"),
              ("malczyk2008", "Two processors bring no gain"), ("malczyk2008", "On one node two processors begin"),
              ("malczyk2008", "The speedup levels off"), ("malczyk2008", "Over Ethernet two nodes"),
              ("malczyk2008", "What keeps two processes from the ideal"), ("malczyk2008", "Two processors bring a considerable"),
              ("malczyk2008", "Spring-damper elements"), ("malczyk2008", "How much is done side by side"))
_WHERE_RUN = "judged where it is run, `mpirun -n 2`"  # times are not frozen


def _row(declared, judged, simulated):
    """`simulated`: the claim of ours beside it that a simulated cluster judges, or None."""
    outcome = "" if judged is None else f"{judged.k_of_n}, {judged.verdict}" if judged.k_of_n else judged.verdict
    by_model = outcome if judged and judged.by == "model" else ""
    measured = _WHERE_RUN if judged is None else "not measured" if by_model else outcome
    return [declared["source"], declared["text"], measured, f"{simulated.k_of_n}, {simulated.verdict}" if simulated else "not simulated", by_model or "none"]


def rows(claims_of, simulated=()):
    """`claims_of`: {paper: its claims as they were judged}; of other papers nothing is said. `simulated`: those of a simulated cluster."""
    table = []
    beside = {claim.source: claim for claim in simulated if claim.k_of_n}
    for paper, beginning in _SENTENCES:
        if paper in claims_of:
            [declared] = [claim for claim in tomllib.loads((_STUDIES / f"{paper}.toml").read_text(encoding="utf-8"))["claims"]
                          if claim["text"].startswith(beginning)]
            table.append(_row(declared, next((claim for claim in claims_of[paper] if claim.statement == declared["text"]), None),
                              beside.get(f"ours, beside {declared['source']}")))
    return table
