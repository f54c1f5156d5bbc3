"""A small result directory of the experiment naudet2005. The numbers are made up."""
import json
import math

from naudet2005_look import FORMS, LAGRANGE, STEPS, file_of
from records import COLUMNS
from synthetic_results import compared_with, write_rows

CLAIM_COLUMNS = ["experiment", "source", "statement", "criterion", "measured", "verdict"]
_JOINTS = ("ankle1", "knee1", "torso", "hip", "knee2", "ankle2")


def biped_record(form, integrator, parameters, quantity, value, unit="1", published="", source="", verdict="no published value"):
    return ["naudet2005", "biped", form, integrator, parameters, quantity, unit, value, *compared_with(published, source), verdict, ""]


def biped_records():
    rows = []
    for place, form in enumerate(FORMS):
        in_paper = place < 2
        table1 = {"published": 2e-4, "source": "Naudet2005, table 1", "verdict": "within limit"} if in_paper else {}
        table2 = {"published": 313, "source": "Naudet2005, table 2", "verdict": "exact"} if in_paper else {}
        table3 = {"published": 1177, "source": "Naudet2005, table 3", "verdict": "within limit"} if in_paper else {}
        for step in STEPS:
            rows.append(biped_record(form, "rkf45-fixed", f"step={step}", "end_error", (1 + place) * step**4, "rad", **table1))
            rows.append(biped_record(form, "rkf45-fixed", f"step={step}", "local_error", (1 + place) * step**5, "rad"))
        for quantity, unit in (("largest_position_violation", "m"), ("largest_velocity_violation", "m/s")):
            rows.append(biped_record(form, "rkf45-fixed", "step=0.001;output", quantity, 5.5e-9, unit))
        for integrator in ("ode45", "ode15s"):
            for tolerance in ("0.001", "1e-06", "1e-12"):
                rows.append(biped_record(form, integrator, f"tolerance={tolerance}", "rhs_calls",
                                         round(300 * (1 + place) * float(tolerance)**-0.1), **table2))
                rows.append(biped_record(form, integrator, f"tolerance={tolerance}", "end_error", float(tolerance), "rad"))
        for control in ("full", "partial"):
            rows.append(biped_record(form, "rkf45-restarted", f"tolerance=1e-06;control={control}", "rhs_calls", 1164, **table3))
    return rows


def write_biped(directory):
    """A complete result directory of the experiment naudet2005."""
    write_rows(directory / "records.csv", COLUMNS, biped_records())
    (directory / "provenance.json").write_text(json.dumps({"version": "0.1.0"}))
    write_rows(directory / "claims.csv", CLAIM_COLUMNS,
               [["naudet2005", "Naudet2005, adaptive steps", "It is evaluated less often.", "always", "35 %", "holds"]])
    times = [i / 100 for i in range(86)]
    for form in FORMS:
        kinds = [f"q.{joint}" for joint in _JOINTS] + [f"{'v' if form == LAGRANGE else 'p'}.{joint}" for joint in _JOINTS]
        rows = [[t, *(math.sin(t * (1 + i)) for i in range(len(kinds))), 1e-9 * t, 1e-14 * t] for t in times]
        write_rows(directory / "trajectories" / f"{file_of(form)}.csv", ["t", *kinds, "position_residual", "velocity_residual"], rows)
        for control in ("full", "partial"):
            write_rows(directory / "trajectories" / f"iterations_{control}_{file_of(form)}.csv", ["t", "iterations"],
                       [[t, 2 + (i % 7 == 0)] for i, t in enumerate(times[:-1])], ["one comment"])
