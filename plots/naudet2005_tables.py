"""[Naudet2005], tables 1 to 3 in the paper's arrangement, the published number beside ours, and the reduced pair."""
from naudet2005_look import FORMS, HAMILTON, LAGRANGE, RESTARTED, STEPS, label, number_of
from table_definition import TableDefinition

_PAPER = (LAGRANGE, HAMILTON)
_OURS = tuple(form for form in FORMS if form not in _PAPER)


def _published(results, quantity, form, integrator, **parameters):
    """The number printed in the paper beside a record, or None."""
    for record in results.records:
        if (record.quantity, record.formulation, record.integrator) == (quantity, form, integrator) and record.published_value is not None:
            if record.parameters.keys() == parameters.keys() and all(
                    record.parameters[name] == wanted if isinstance(wanted, str) else float(record.parameters[name]) == wanted
                    for name, wanted in parameters.items()):
                return record.published_value
    return None


def _cells(results, quantity, integrator, **parameters):
    """Published and ours for both of the paper's forms, then the reduced pair."""
    cells = []
    for form in _PAPER:
        cells += [_published(results, quantity, form, integrator, **parameters), number_of(results, quantity, form, integrator, **parameters)]
    return cells + [number_of(results, quantity, form, integrator, **parameters) for form in _OURS]


def _header(*first):
    return [*first, *(f"{label(form)}, {whose}" for form in _PAPER for whose in ("published", "ours")), *(label(form) for form in _OURS)]


def _fixed_steps(results):
    return [[f"{step:g}", words, *_cells(results, quantity, "rkf45-fixed", step=step)]
            for quantity, words in (("end_error", "end error"), ("local_error", "local error")) for step in STEPS]


def _evaluations(results):
    tolerances = {}
    for record in results.records:
        if record.quantity == "rhs_calls" and record.parameters.keys() == {"tolerance"}:
            tolerances.setdefault((record.integrator, float(record.parameters["tolerance"])), None)
    return [[integrator, f"{tolerance:g}", *_cells(results, "rhs_calls", integrator, tolerance=tolerance)] for integrator, tolerance in tolerances]


def _error_control(results):
    rows = []
    for control in ("full", "partial"):
        for quantity, words in (("rhs_calls", "evaluations"), ("local_error", "local error"), ("end_error", "end error")):
            rows.append([control, words, *_cells(results, quantity, RESTARTED, tolerance=1e-6, control=control)])
    return rows


TABLES = [
    TableDefinition("table1_fixed_steps", "Table 1: fixed steps, Fehlberg's method of order 4 [rad]",
                    "Means over q1, q2, q3. End errors at 0.0001 s, as published, are the error of the paper's reference.",
                    lambda results: _header("step [s]", "error"), _fixed_steps),
    TableDefinition("table2_evaluations", "Table 2: evaluations of MATLAB's methods", "Absolute and relative tolerance are equal.",
                    lambda results: _header("method", "tolerance"), _evaluations),
    TableDefinition("table3_error_control", "Table 3: error control of all of the state or of the coordinates alone, tolerance 1e-6",
                    "By a method inferred from the table itself, as the paper does not describe its own: Fehlberg's pair started anew every "
                    "0.01 s with a step of 0.001 s. The suite's own methods stand among the records.",
                    lambda results: _header("control", "number"), _error_control),
]
