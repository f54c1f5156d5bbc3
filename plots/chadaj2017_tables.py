"""[Chadaj2017], tables 1 and 2, and the table of gauge control."""
from chadaj2017_look import CASES, DCA, HDCA, INTEGRATORS, LEAK, label, of_case
from records import select, value_of
from table_definition import TableDefinition

_SHOWN = (DCA, HDCA, LEAK)
_MEASURES = {"function_evaluations": "evaluations", "largest_energy_error": "energy error [J]", "largest_sigma": "max |sigma| [N s]",
             "largest_position_violation": "max |Phi| [m]", "largest_velocity_violation": "max |Phi'| [m/s]"}


def _timing(results, case, quantity, variant, integrator, **parameters):
    return value_of([record for record in results.timings if record.mechanism == case], quantity, variant, integrator, **parameters)


def _call_times(results):
    def microseconds(case, variant):
        value = _timing(results, case, "time_per_evaluation", variant, "", t=1)
        return None if value is None else 1e6 * value

    return [[title, *(microseconds(case, variant) for variant in _SHOWN)] for case, title in CASES.items()]


def _wall_times(results):
    def milliseconds(case, variant, integrator):
        value = _timing(results, case, "wall_time", variant, integrator, tolerance=1e-6)
        return None if value is None else 1e3 * value

    return [[title, integrator, *(milliseconds(case, variant, integrator) for variant in _SHOWN)]
            for case, title in CASES.items() for integrator in INTEGRATORS]


def _gauge_rows(results):
    rows = []
    for case, title in CASES.items():
        records = of_case(results, case)
        for run in select(records, "function_evaluations", tolerance=1e-6, gauge_control=...):
            control = run.parameters["gauge_control"]
            values = [value_of(records, quantity, run.formulation, run.integrator, tolerance=1e-6, gauge_control=control)
                      for quantity in _MEASURES]
            if run.formulation == DCA:
                # An acceleration formulation has no such impulses.
                values[2] = None
            axes = "" if run.formulation == DCA else "body" if "cut_axes=body" in run.formulation else "world"
            rows.append([title, run.integrator, run.formulation.split("[")[0].upper(), axes, control, *values])
    return rows


TABLES = [
    TableDefinition("table1_call_time", "Table 1: time of one right-hand side [us]",
                    "Processor time, the fastest of nine batches at the state after 1 s; the paper's values are lost.",
                    lambda results: ["case", *map(label, _SHOWN)], _call_times),
    TableDefinition("table2_wall_time", "Table 2: wall time of 10 s at the tolerance 1e-6 [ms]",
                    "The fastest of three runs; the paper's values are lost.",
                    lambda results: ["case", "integrator", *map(label, _SHOWN)], _wall_times),
    TableDefinition("gauge_control", "Gauge control at the tolerance 1e-6",
                    "Axes: those in which the linear rows of D of the cut joints are resolved. A leak changes p' by kappa Phi_q^T sigma, a "
                    "reset sets sigma to zero, feedback lets Phi' = -beta Phi: its max |Phi'| is no longer rounding.",
                    lambda results: ["case", "integrator", "formulation", "axes", "gauge control", *_MEASURES.values()], _gauge_rows),
]
