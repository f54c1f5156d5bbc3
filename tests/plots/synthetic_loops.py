"""A small result directory of the experiment chadaj2017. The numbers are made up."""
import json

from chadaj2017_look import CASES, INTEGRATORS, VARIANTS
from records import COLUMNS
from synthetic_results import compared_with, write_rows

TOLERANCES = (1e-3, 1e-6, 1e-9)
CLAIM_COLUMNS = ["experiment", "source", "statement", "criterion", "measured", "verdict"]


def loop_record(case, variant, integrator, parameters, quantity, value, unit="1", published="", source="", verdict="no published value"):
    return ["chadaj2017", case, variant, integrator, parameters, quantity, unit, value, *compared_with(published, source), verdict, ""]


def _figure_rows(case, variant):
    output = "tolerance=1e-06;output_step=0.01"
    for quantity, value in (("largest_energy_error", 2e-4), ("largest_position_violation", 3e-6), ("largest_velocity_violation", 4e-13),
                            ("largest_sigma", 201), ("position_violation_growth", 1.87), ("function_evaluations", 805)):
        yield loop_record(case, variant, "ode45", output, quantity, value)


def _sweep_rows(case, variant, integrator, factor):
    for tolerance in TOLERANCES:
        parameters = f"tolerance={tolerance}"
        yield loop_record(case, variant, integrator, parameters, "function_evaluations", round(10 * factor * tolerance**-0.25))
        yield loop_record(case, variant, integrator, parameters, "point_error", factor * tolerance, "m")
        if not variant.startswith("dca"):
            yield loop_record(case, variant, integrator, parameters, "evaluation_ratio", 1 / factor)
    for error in (1e-3, 1e-5):
        if not variant.startswith("dca"):
            yield loop_record(case, variant, integrator, f"point_error={error}", "evaluation_ratio_at_equal_error", 0.9 / factor)


def loop_records():
    rows = []
    for number, case in enumerate(CASES, 1):
        for place, variant in enumerate(VARIANTS):
            rows += _figure_rows(case, variant)
            for integrator in INTEGRATORS:
                rows += _sweep_rows(case, variant, integrator, 1 + 0.2 * place + 0.1 * number)
            for quantity in ("function_evaluations", "largest_energy_error", "largest_position_violation", "largest_velocity_violation",
                             "largest_sigma"):
                value = 2023 if quantity == "function_evaluations" else 1.5e-6
                rows.append(loop_record(case, variant, "ode45", "tolerance=1e-06;gauge_control=leak 5 1/s", quantity, value))
        rows.append(loop_record(case, "dense", "ode45", "tolerance=1e-13", "point_uncertainty", 1e-11, "m"))
    rows.append(loop_record("four_bar", "dca", "ode45", "tolerance=1e-05", "steps", 133, published=133, source="prototype, not published",
                            verdict="exact"))
    return rows


def _timings():
    for case in CASES:
        for place, variant in enumerate(VARIANTS):
            yield loop_record(case, variant, "", "t=1", "time_per_evaluation", (5 + place) * 1e-6, "s")
            for integrator in INTEGRATORS:
                for tolerance in TOLERANCES:
                    yield loop_record(case, variant, integrator, f"tolerance={tolerance}", "wall_time", 0.0123, "s")
                    if not variant.startswith("dca"):
                        yield loop_record(case, variant, integrator, f"tolerance={tolerance}", "wall_time_ratio", 0.8 + 0.1 * place)


def write_loops(directory):
    """A complete result directory."""
    write_rows(directory / "records.csv", COLUMNS, loop_records())
    write_rows(directory / "timings.csv", COLUMNS, list(_timings()))
    (directory / "provenance.json").write_text(json.dumps({"version": "0.1.0"}))
    write_rows(directory / "claims.csv", CLAIM_COLUMNS,
               [["chadaj2017", "Chadaj2017, sect. 3.2", "HDCA is 100 % better.", "smaller in all cases", "case 1: 1 & 2 J", "holds in part"]])
    write_rows(directory / "timing_claims.csv", CLAIM_COLUMNS,
               [["chadaj2017", "Chadaj2017, sect. 3.3", "It is faster.", "shorter", "1 and 2 ms", "does not hold"]])
    times = [i / 10 for i in range(101)]
    for case in CASES:
        for scale, name in ((1e-5, "dca"), (1e-7, "hdca"), (1e-8, "hdca_leak")):
            write_rows(directory / "trajectories" / f"{case}_{name}.csv", ["t", "y_K", "vy_K"], [[t, -1 - 0.1 * t, 0.3 * t - 1] for t in times])
            write_rows(directory / "trajectories" / f"{case}_{name}_errors.csv",
                       ["t", "energy_error", "position_violation", "velocity_violation", "asymmetry", "sigma"],
                       [[t, -scale * t, scale * t, scale * scale * t, 0, t] for t in times])
