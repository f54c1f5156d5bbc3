"""Numbers that stand in sentences of README.md and docs, made from results/reference."""
from reading.input_error import InputError

_CASES = ("four_bar", "loop8", "double_loop")  # of Chadaj2017
# Formulations in velocities and in momenta.
_PAIRS = {"chadaj2015": ("dca", "hdca"),
          "naudet2005": ("naudet-acc[projection=off]", "naudet[projection=off,switching=off]")}


def _values(records, quantity, formulation, integrator=None, **parameters):
    """{(mechanism, integrator, parameters): value}, of records that have at least these parameters."""
    return {(record.mechanism, record.integrator, tuple(record.parameters.items())): record.value for record in records
            if (record.quantity, record.formulation) == (quantity, formulation) and integrator in (None, record.integrator)
            and record.value is not None and all(record.parameters.get(name) == text for name, text in parameters.items())}


def _savings(records, quantity, more, less, integrator, **parameters):
    """'30 to 40 %': by how much `less` needs fewer, over all runs that both have."""
    one, other = (_values(records, quantity, key, integrator, **parameters) for key in (more, less))
    shares = sorted(round(100 * (1 - other[run] / one[run])) for run in one if run in other)
    if not shares:
        raise InputError("results/reference", f"no {quantity} of {more} and {less}: freeze results of a whole run")
    return f"{shares[0]} %" if shares[0] == shares[-1] else f"{shares[0]} to {shares[-1]} %"


def _gauge_savings(results, axes):
    cut = "cut_axes=body,gauge=none" if axes == "body" else "gauge=none"
    records = [record for record in results("chadaj2017") if record.mechanism in _CASES]
    return _savings(records, "evaluations", f"hdca[{cut},projection=off]", "hdca[cut_axes=body,gauge=leak,leak=5,projection=off]",
                    "ode45", tolerance="1e-06")


def _momenta_savings(results, quantity):
    records = [record for record in results("naudet2005")
               if quantity != "rhs_calls" or (record.source == "Naudet2005, table 2" and record.integrator in ("ode45", "ode15s"))]
    return _savings(records, quantity, *_PAIRS["naudet2005"], None if quantity == "rhs_calls" else "ode45")


def _end_errors(results):
    """Of table 3 against the printed ones, Lagrange and Hamilton, full and partial control."""
    texts = []
    for key, name in zip(_PAIRS["naudet2005"], ("Lagrange", "Hamilton")):
        found = [record for record in results("naudet2005") if record.source == "Naudet2005, table 3" and record.integrator == "rkf45-restarted"
                 and record.formulation == key and record.quantity.startswith("end_error")]
        texts.append(" and ".join(f"{100 * (record.value / record.published_value - 1):.0f} %" for record in found) + f" for {name}")
    return ", ".join(texts)


def _growth(results, integrator):
    """Of the Lagrange form's end error without error control of the velocities."""
    found = {record.parameters["controlled"]: record.value for record in results("naudet2005")
             if record.source == "Naudet2005, table 3" and record.integrator == integrator
             and record.formulation == _PAIRS["naudet2005"][0] and record.quantity.startswith("end_error")}
    return f"{found['position'] / found['position+velocity+momentum']:.0f} times"


NUMBERS = {
    "hdca_savings": lambda results: _savings(results("chadaj2015"), "evaluations", *_PAIRS["chadaj2015"], "ode45", tolerance="1e-06"),
    "gauge_savings_body_axes": lambda results: _gauge_savings(results, "body"),
    "gauge_savings_world_axes": lambda results: _gauge_savings(results, "world"),
    "momenta_savings": lambda results: _momenta_savings(results, "rhs_calls"),
    "momenta_savings_at_equal_error": lambda results: _momenta_savings(results, "rhs_calls_at_equal_error"),
    "table3_end_errors": _end_errors,
    "growth_ode113": lambda results: _growth(results, "ode113"),
    "growth_ode15s": lambda results: _growth(results, "ode15s"),
}


def is_in_a_sentence(record):
    """Whether a row of records.csv is needed for one of these numbers and is not compared with a printed one."""
    return ((record["experiment"] == "naudet2005" and record["quantity"] == "rhs_calls_at_equal_error" and record["formulation"] in _PAIRS["naudet2005"])
            or (record["experiment"] == "chadaj2017" and record["quantity"] == "evaluations" and record["integrator"] == "ode45"
                and record["parameters"] == "tolerance=1e-06;end=10" and record["mechanism"] in _CASES
                and record["formulation"] == "hdca[gauge=none,projection=off]"))
