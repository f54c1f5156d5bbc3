"""A study as study.json describes it, with its numbers by cell: labels, order and units are kept there and nowhere else."""
import math
from dataclasses import dataclass

from reading.json_file import read_json
from reading.records import Record
from studies.study_shape import require_shape

_ERRORS = ("position_error", "orientation_error")


@dataclass(frozen=True)
class Cell:
    mechanism: str
    formulation: str
    integrator: str
    kind: str  # tolerance or step
    control: float
    parameters: tuple  # beside the control, sorted


def _parameters(mechanism):
    text = mechanism.get("parameters", f"end={mechanism['end']:g}")
    return tuple(sorted(tuple(part.split("=", 1)) for part in text.split(";")))


def is_drawable(record):
    """Whether its number has a place on a logarithmic axis; one of a disturbed time is marked and belongs to no curve."""
    return record is not None and record.value is not None and math.isfinite(record.value) and record.value > 0


class Study:
    def __init__(self, declaration, results):
        self.title = declaration["title"]
        self.name = declaration["name"]
        self.mechanisms = declaration["mechanisms"]
        self.variants = declaration["variants"]
        self.integrators = declaration["integrators"]
        self.controls = declaration["controls"]
        self.observers = declaration["observers"]
        self.curves = declaration.get("curves", [])  # observers of figures over time
        self.rankings = declaration["rankings"]
        self.figures = declaration.get("figures", [])
        self.tables = declaration.get("tables", [])
        self.settings = declaration["settings"]
        self._records = {}
        self._right_hand_sides = {}
        self._uncertainties = {}
        self._rankings = {}
        self.machine = {}  # limits of a core, where operation rates were observed
        for record in results.records + results.timings:
            self._keep(record)

    def _keep(self, record: Record):
        names = set(record.parameters)
        for kind in ("tolerance", "step"):
            if kind in names and "repetition" not in names:
                cell = Cell(record.mechanism, record.formulation, record.integrator, kind, float(record.parameters[kind]),
                            tuple(sorted((name, text) for name, text in record.parameters.items() if name != kind)))
                self._records[cell, record.quantity] = record
        if not names and not record.integrator:
            self._right_hand_sides[record.mechanism, record.formulation, record.quantity] = record
        if not record.formulation and not record.mechanism:
            self.machine[record.quantity] = record.value
        elif not record.formulation:
            self._uncertainties[record.mechanism, tuple(sorted(record.parameters.items())), record.quantity] = record
        if record.quantity.endswith("_at_equal_error"):
            error, *rest = record.parameters.items()
            self._rankings[record.mechanism, record.formulation, record.integrator, record.quantity, error[0], float(error[1]), tuple(sorted(rest))] = record

    def controls_of(self, integrator, mechanism=None):
        """Tolerances or steps of an integrator, from loose to tight; of one mechanism, where it has fewer."""
        kind = "tolerance" if integrator["adaptive"] else "step"
        of_all = (mechanism or {}).get("controls", range(len(self.controls)))
        places = (mechanism or {}).get("own_controls", {}).get(integrator["key"], of_all)
        return sorted((self.controls[place] for place in places if self.controls[place]["kind"] == kind), key=lambda control: -control["value"])

    def first_control(self, integrator, mechanism):
        """The first of its tolerances or steps, in the study's order."""
        controls = self.controls_of(integrator, mechanism)
        return next((control for control in self.controls if control in controls), None)

    def observer(self, quantity):
        """By the name that records have; of one that is drawn only, what the name itself says."""
        return next((observer for observer in self.observers + self.curves if observer["quantity"] == quantity),
                    {"quantity": quantity, "title": ", ".join(quantity.rsplit("_", 1)), "unit": "1", "meaning": "at every step"})

    def compared_kinds(self, quantity):
        """With what runs' numbers are compared: 'published', 'expected' (a prototype's, a theory's), both or neither."""
        records = [record for (_, name), record in self._records.items() if name == quantity and record.compared_value is not None]
        return [kind for kind in ("published", "expected") if any((record.published_value is None) == (kind == "expected") for record in records)]

    def is_of_runs(self, observer):
        return not observer.get("of_right_hand_side", True)

    def variants_of(self, mechanism):
        return [self.variants[place] for place in mechanism.get("variants", range(len(self.variants)))]

    def observes(self, mechanism, observer):
        """Whether it was asked for on this mechanism (of times see `timed`); a mechanism without any record has lost them."""
        names = {quantity for (cell, quantity) in self._records if cell.mechanism == mechanism["mechanism"] and cell.parameters == _parameters(mechanism)}
        return observer.get("timed", False) or not names or observer["quantity"] in names

    def integrators_of(self, mechanism):
        return [self.integrators[place] for place in mechanism.get("integrators", range(len(self.integrators)))]

    def run_mechanisms(self):
        return [mechanism for mechanism in self.mechanisms if self.integrators_of(mechanism)]

    def record(self, mechanism, variant, integrator, control, quantity):
        cell = Cell(mechanism["mechanism"], variant["formulation"], integrator["key"], control["kind"], control["value"], _parameters(mechanism))
        return self._records.get((cell, quantity))

    def run_state(self, mechanism, variant, integrator, control):
        """(finished, refused or failed; reason) of one run: a run that finished has a number, others but how far they came."""
        records = [self.record(mechanism, variant, integrator, control, observer["quantity"]) for observer in self.observers
                   if not observer["of_right_hand_side"] and not observer["timed"]]
        records = [record for record in records if record and record.quantity != "time_reached"]
        if any(record.value is not None for record in records):
            return "finished", ""
        for state in ("failed", "refused"):
            for record in records:
                if record.verdict == state:
                    return state, record.note
        return "refused", "not observed"

    def why_empty(self, runs, quantity):
        """Why none of the runs (mechanism, variant, integrator, control) has a number to draw."""
        records = [self.record(*run, quantity) for run in runs]
        if any(record and record.verdict == "not measured" for record in records):
            return "not measured: other work on the machine disturbed the times"
        states = [self.run_state(*run) for run in runs]
        reasons = dict.fromkeys(f"{state}: {reason}" for state, reason in states if state != "finished")
        if not reasons and not any(record and record.value is not None for record in records):
            return next((record.note for record in records if record and record.note), "not observed")
        return next(iter(reasons), "no number above zero") + (" (and other reasons)" if len(reasons) > 1 else "")

    def of_right_hand_side(self, mechanism, variant, quantity):
        return self._right_hand_sides.get((mechanism["mechanism"], variant["formulation"], quantity))

    def ranked(self, mechanism, variant, integrator, work, ranking):
        return self._rankings.get((mechanism["mechanism"], variant["formulation"], integrator["key"], f"{work}_at_equal_error",
                                   ranking["error"], ranking["at"], _parameters(mechanism)))

    def ranked_mechanisms(self, ranking):
        """Those that a ranking compares."""
        return [mechanism for mechanism in self.run_mechanisms()
                if any(self.ranked(mechanism, variant, integrator, work, ranking) for variant in self.variants_of(mechanism)
                       for integrator in self.integrators_of(mechanism) for work in ranking["work"])]

    def uncertainty(self, mechanism, quantity):
        """Of the reference over the whole run; None of what is asked at one time."""
        if quantity.startswith("joint_error_"):
            return None
        name = "reference_orientation_uncertainty" if quantity == "orientation_error" else "reference_uncertainty"
        record = self._uncertainties.get((mechanism["mechanism"], _parameters(mechanism), name))
        return record.value if record else None

    def error_observer(self):
        """What accuracy is measured by: the first error against the reference, else of the energy, else None."""
        errors = [observer for observer in self.observers if observer["quantity"] in _ERRORS or observer["quantity"].startswith(("error_", "joint_error_", "end_error_"))]
        errors += [observer for observer in self.observers if observer["quantity"] == "energy_error"]
        return errors[0] if errors else None

    def work_observers(self):
        observed = [observer["quantity"] for observer in self.observers]
        counted = "evaluations" if "evaluations" in observed else "rhs_calls"
        return [observer for observer in self.observers if observer["quantity"] in (counted, "wall_time")]

    def curve(self, mechanism, variant, integrator, error, work, disturbed=False):
        """[(error, work)] from loose to tight, of runs where both are above zero; `disturbed`: of the runs that a curve leaves out."""
        points = []
        for control in self.controls_of(integrator, mechanism):
            records = [self.record(mechanism, variant, integrator, control, observer["quantity"]) for observer in (error, work)]
            if all(map(is_drawable, records)) and disturbed == any(record.verdict == "not measured" for record in records):
                points.append(tuple(record.value for record in records))
        return points

    def published_curve(self, mechanism, variant, integrator, error, work):
        """[(error, work, whether the error is printed)] where the paper prints the work; at the error that it prints in that row of its
        table, whatever the variant, at ours where it prints none."""
        points = []
        for control in self.controls_of(integrator, mechanism):
            ours, printed = (self.record(mechanism, variant, integrator, control, observer["quantity"]) for observer in (error, work))
            row = [self.record(mechanism, other, integrator, control, error["quantity"]) for other in [variant, *self.variants_of(mechanism)]]
            at = next((record.published_value for record in row if record and record.published_value), None)
            where = at or (ours.value if ours else None)
            if printed and printed.published_value and where and where > 0:
                points.append((where, printed.published_value, at is not None))
        return points

    def own_case(self, places):
        """The label of the first of these mechanisms where all are ways in which one mechanism is run; nothing otherwise."""
        shown = [self.mechanisms[place] for place in places]
        return shown[0]["label"] if len({mechanism["mechanism"] for mechanism in shown}) == 1 else ""


def unit_text(observer):
    """' [m/s²]', or nothing for pure numbers."""
    return "" if observer["unit"] == "1" else f" [{observer['unit'].replace('^2', '²')}]"


def read_study(results):
    """The study of a result directory, None where it is none."""
    file = results.path / "study.json"
    if not file.exists():
        return None
    declaration = read_json(file)
    require_shape(file, declaration)
    return Study(declaration, results)
