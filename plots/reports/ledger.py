"""The ledger: every number, curve and sentence of the papers in one table, with what it was judged by and what came of it.

The index, README.md and docs/understanding/papers/papers.md are made from it; DIR/ledger.csv holds it (docs/using/studies/ledger.md)."""
import csv
import re
import tomllib
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from papers import papers
from published_numbers import AGREE, NOT_THERE, published_numbers

WHERE_RUN = "judged where it is run"  # of a sentence on times, which are not frozen
_STUDIES = Path(__file__).resolve().parents[2] / "experiments" / "studies" / "papers"
_CURVE = re.compile(r"^(Figures? \d+(?:(?:, | and | to )\d+)*)[:,]? ?(.*)$")
# Of a number: what its limit asks.
_ASKED = {"equal": "equal", "trend": "direction and order of magnitude of its table", "fitted": "nothing: a setting was chosen to meet it",
          "below": "no larger"}


@dataclass(frozen=True)
class Entry:
    """A row."""

    experiment: str
    source: str  # the paper; "ours" of a sentence of ours
    place: str  # page, section, table or equation
    sentence: str  # of a number: which one, and as it is printed
    kind: str  # number, curve, sentence
    criterion: str
    baseline: str
    held: int
    parts: int
    not_tested: int
    verdict: str
    by: str  # run, model, simulation
    settings: str  # that are not the paper's own and on which it rests

    @property
    def is_ours(self):
        return self.source == "ours"


COLUMNS = ["experiment", "source", "page or equation", "sentence", "kind", "criterion", "baseline", "k", "n", "not tested", "verdict", "by what",
           "settings inferred"]


def _divided(source):
    """'Chadaj2017, sect. 3.2' -> ('Chadaj2017', 'sect. 3.2')."""
    paper, _, place = source.partition(", ")
    return paper, place


def _asked(record):
    """What a number's limit asks, in words."""
    kind, _, relative = record.limit.partition(" ")
    return _ASKED.get(kind, f"within {100 * float(relative):.2g} %" if relative else record.limit)


def _of_number(experiment, number, settings):
    record = number.record
    rests_on = [setting.text for setting in settings if setting.of_number(number.source, record)]
    run = ", ".join(filter(None, (record.mechanism, record.formulation, record.integrator, record.parameter_text))) if record else ""
    quantity = f"{record.quantity.replace('_', ' ')} of {run}: " if record else f"{number.about}: "
    asked = _asked(record) if record else ""
    tested = number.verdict not in (NOT_THERE, "not measured", "fitted")  # agreement with what was fitted tests nothing
    return Entry(experiment, *_divided(number.source), f"{quantity}{number.printed}", "number",
                 f"{asked}: {record.note}" if record and record.note and number.verdict != "not measured" else asked, "", int(number.verdict in AGREE), int(tested), int(not tested),
                 number.verdict, "run", "; ".join(rests_on))


def _of_claim(experiment, claim, settings):
    rests_on = [setting.text for setting in settings if setting.of_sentence(claim.source)]
    return Entry(experiment, *_divided(claim.source), claim.statement, "sentence",
                 claim.criterion if claim.parts + claim.not_tested or claim.criterion else claim.measured, claim.baseline, claim.held, claim.parts,
                 claim.not_tested, claim.verdict, claim.by, "; ".join(rests_on))


def _curves(experiment, settings):
    """The paper's figures that the study draws: their curves are lost, so that there is nothing to compare ours with."""
    declared = tomllib.loads((_STUDIES / f"{experiment}.toml").read_text(encoding="utf-8"))
    for figure in declared.get("figures", []):
        found = _CURVE.match(figure["title"])
        if found and "ours" not in figure["title"].split(", "):
            yield Entry(experiment, experiment.capitalize(), found[1].replace("Figure", "figure"), found[2] or figure["title"], "curve",
                        "drawn beside nothing: the paper's curve exists as a picture only", "", 0, 0, 1, "not measured", "run",
                        "; ".join(setting.text for setting in settings if not setting.sources))


def entries(experiment, records, claims, settings=None):
    """The rows of one paper: its numbers in the order of its files, its curves, its sentences and ours. `settings`: where plots/papers.toml
    has none."""
    settings = papers().get(experiment, {"settings": []})["settings"] if settings is None else settings
    rows = [_of_number(experiment, number, settings) for number in published_numbers(experiment, records)]
    if experiment in papers():
        rows += _curves(experiment, settings)
    return rows + [_of_claim(experiment, claim, settings) for claim in claims]


def unjudged(experiment, claims):
    """The rows of the sentences of a study that frozen results do not judge: those on times."""
    settings = papers().get(experiment, {"settings": []})["settings"]
    judged = {claim.statement for claim in claims}
    declared = tomllib.loads((_STUDIES / f"{experiment}.toml").read_text(encoding="utf-8"))["claims"]
    for claim in (claim for claim in declared if claim["text"] not in judged):
        rests_on = [setting.text for setting in settings if setting.of_sentence(claim["source"])]
        yield Entry(experiment, *_divided(claim["source"]), claim["text"], "sentence", claim["criterion"], claim.get("baseline", ""), 0, 0, 0,
                    WHERE_RUN, "run", "; ".join(rests_on))


def write_ledger(file, rows):
    """Writes the rows of all papers."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([asdict(row)[column.name] for column in fields(Entry)] for row in rows)
    return file
