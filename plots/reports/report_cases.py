"""A report case by case: a mechanism with its drawing, settings, figures and tables, one after another on the page."""
import re
from dataclasses import dataclass, field

from reports.case_claims import labels_of_claims, settings_of
from reading.number_text import plain

_LONG = 12  # rows of settings that a page shows unfolded


@dataclass
class Group:
    """Figures of one title: those after the first show further curves and are folded."""

    title: str
    figures: list


@dataclass
class Case:
    title: str
    anchor: str
    picture: str
    facts: str
    header: list
    settings: list  # rows of texts, one a label
    figures: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    claims: list = field(default_factory=list)
    inferred: list = field(default_factory=list)  # settings that are not the paper's own

    @property
    def folded(self):
        return len(self.settings) > _LONG

    @property
    def claims_folded(self):
        return len(self.claims) > _LONG


def grouped(figures):
    """[Group] of drawn figures in their order."""
    groups = []
    for figure in figures:
        if figure.definition.part == 1 or not groups:
            groups.append(Group(figure.definition.title, []))
        groups[-1].figures.append(figure)
    return groups


def _picture(path, mechanism):
    """The drawing or the animation; nothing of a name that leads out of the folder, which is not the program's."""
    name = mechanism.get("drawing", "")
    file = path / name
    if not name or not file.exists() or not file.resolve().is_relative_to(path.resolve()):
        return ""
    moving = file.with_suffix(".html")
    return (moving if moving.exists() else file).read_text(encoding="utf-8")


def _facts(mechanism):
    cut = mechanism.get("cut_joints", 0)
    texts = [f"{mechanism['bodies']} bodies", f"{mechanism['coordinates']} tree coordinates"] if "coordinates" in mechanism else []
    return ", ".join(texts + ([f"{cut} cut joint{'' if cut == 1 else 's'}"] if cut else []))


def _settings(study, mechanism):
    """What says how the mechanism is run under this label."""
    integrators = study.integrators_of(mechanism)
    if not integrators:
        return [mechanism["label"], "", "right-hand sides alone", "", ""]
    kinds = {}
    for integrator in integrators:
        for control in study.controls_of(integrator, mechanism):
            kinds.setdefault(control["kind"], {})[plain(control["value"])] = None
    controls = "; ".join(f"{kind} {', '.join(values)}" for kind, values in kinds.items())
    parameters = [part for part in mechanism.get("parameters", "").split(";") if part and not part.startswith("end=")]
    error = study.error_observer()
    uncertainty = study.uncertainty(mechanism, error["quantity"]) if error else None
    return [mechanism["label"], f"{plain(mechanism['end'])} s" + "".join(f", {part.replace('=', ' ')}" for part in parameters),
            ", ".join(integrator["key"] for integrator in integrators), controls,
            f"{plain(uncertainty, 2)} {error['unit']}" if uncertainty else ""]


_HEADER = ["run", "time", "integrators", "tolerances, steps [s]", "reference uncertain by"]


def _without_empty(header, rows):
    """Leaves out columns that say nothing."""
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    return [header[place] for place in kept], [[row[place] for place in kept] for row in rows]


def cases_of(study, path, figures, tables, results=None, inferred=()):
    """[Case] of the mechanisms; `figures`: drawn ones; `tables`: (TableDefinition, header, rows, links); `results`: whose claims stand
    in the cases that they speak of; `inferred`: the Settings of its paper."""
    cases, own = {}, {}
    labels_of = labels_of_claims(path, results.experiment, {mechanism["label"] for mechanism in study.mechanisms}) if study and results else {}
    for mechanism in study.mechanisms if study else []:
        own.setdefault(mechanism["mechanism"], []).append(mechanism)
    for word, mechanisms in own.items():
        labels = {mechanism["label"] for mechanism in mechanisms}
        header, settings = _without_empty(_HEADER, [_settings(study, mechanism) for mechanism in mechanisms])
        anchor = "case_" + re.sub(r"[^A-Za-z0-9]+", "_", word).strip("_")
        while anchor in {case.anchor for case in cases.values()}:
            anchor += "_"
        claims = [claim for claim in results.claims if labels_of.get(claim.statement, set()) & labels] if results else []
        records = [record for record in results.records + results.timings if record.mechanism == word] if results else []
        cases[word] = Case(word, anchor, _picture(path, mechanisms[0]), _facts(mechanisms[0]), header, settings,
                           grouped([figure for figure in figures if figure.definition.case in labels]),
                           [table for table in tables if table[0].case in labels], claims, settings_of(inferred, claims, records))
    return list(cases.values())
