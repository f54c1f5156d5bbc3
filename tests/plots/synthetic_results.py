"""Small results in the format of docs/using/results.md. The numbers are made up, except those of the paper."""
import csv
import json
import math

from reading.records import COLUMNS

TOLERANCES = ("0.001", "1e-06", "1e-09")


def compared_with(published, source):
    """Fields of what a number is compared with: published, or expected where the source says so."""
    if source.endswith("not published"):
        return ["", "", published, source.removesuffix(", not published"), "equal"]
    return [published, source, "", "", "equal" if published != "" else ""]


def record(formulation, integrator, parameters, quantity, value, unit="1", published="", source="", verdict=None, note=""):
    verdict = verdict or ("exact" if published != "" else "no published value")
    return ["chadaj2015", "pendulum:16", formulation, integrator, parameters, quantity, unit, value, *compared_with(published, source), verdict, note]


def chadaj_records():
    paper, prototype = "Chadaj2015, sect. III", "independent prototype, not published"
    rows = []
    for key, count, angles_only, error in (("dca", 3493, 2443, 2e-4), ("hdca", 3169, 3085, 1.3e-3)):
        rows.append(record(key, "ode45", "tolerance=1e-06", "evaluations", count, published=count, source=paper))
        rows.append(record(key, "ode45", "tolerance=1e-06;control=position", "evaluations", angles_only,
                           published=angles_only, source=prototype))
        rows.append(record(key, "ode45", "tolerance=1e-06;control=position", "largest_energy_error", 2e-3, "J"))
        output = "tolerance=1e-06;output_step=0.01"
        rows.append(record(key, "ode45", output, "largest_energy_error", error, "J", error, prototype, "within limit", "100 % & more_"))
        rows.append(record(key, "ode45", output, "largest_kinetic_energy", 1247.65, "J"))
        for integrator in ("ode45", "odeint-dopri5"):
            for i, tolerance in enumerate(TOLERANCES):
                scale = float(tolerance) * (5 if key == "hdca" else 1) * (2 if integrator != "ode45" else 1)
                is_table = integrator == "ode45" and tolerance == "1e-06"
                evaluations = count if is_table else (count // 3, count, 4 * count)[i]
                rows.append(record(key, integrator, f"tolerance={tolerance}", "evaluations", evaluations))
                rows.append(record(key, integrator, f"tolerance={tolerance}", "largest_energy_error", error if is_table else 1e3 * scale, "J"))
                for t in (2, 5, 8):
                    rows.append(record(key, integrator, f"tolerance={tolerance};t={t}", "angle_error", scale * 10**(t / 2), "rad"))
                    if key == "hdca":
                        rows.append(record(key, integrator, f"tolerance={tolerance};t={t}", "angle_error_relative_to_dca", 5))
    rows.append(record("dense", "ode45", "tolerance=1e-06", "evaluations", 3493, verdict="exact", note="equal to dca's"))
    for t in (2, 5, 8):
        rows.append(record("dense", "ode45", f"tolerance=1e-13;t={t}", "angle_uncertainty", 1e-12, "rad"))
    return rows


def write_rows(file, columns, rows, comments=()):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        stream.writelines(f"# {comment}\n" for comment in comments)
        csv.writer(stream, lineterminator="\n").writerows([columns, *rows])


def write_chadaj(directory):
    """A complete result directory of the experiment chadaj2015."""
    write_rows(directory / "records.csv", COLUMNS, chadaj_records())
    timings = [record("dca", "ode45", "tolerance=1e-06", "wall_time", 0.05, "s", 67.3, "Chadaj2015, sect. III", "trend only")]
    write_rows(directory / "timings.csv", COLUMNS, timings)
    (directory / "provenance.json").write_text(json.dumps({"version": "0.1.0", "dirty": None, "libraries": {"Eigen": "3.4.0"}}))
    columns = ["t", "q.joint1", "kinetic", "potential", "total", "x_tip", "y_tip", "z_tip", "vx_tip", "vy_tip", "vz_tip"]
    times = [i / 10 for i in range(101)]
    for key in ("dca", "hdca", "dense_rkf45"):
        samples = [[t, 0, 9 * t, -9 * t, 0, 16 * math.cos(t), 0, -16 * math.sin(t), -16 * math.sin(t), 0, -16 * math.cos(t)] for t in times]
        write_rows(directory / "trajectories" / f"{key}.csv", columns, samples, ["two", "comments"])
        errors = [[t, 1e-5 * t * math.sin(t)] for t in times]
        write_rows(directory / "trajectories" / f"{key}_energy_error.csv", ["t", "energy_error"], errors)


def benchmark_entry(formulation, n, ns_per_body, **more):
    name = f"rhs/{formulation}/pendulum/{n}"
    return {"name": name, "run_name": name, "run_type": "iteration", "real_time": 1.0, "cpu_time": 1.0, "time_unit": "ns",
            "ns_per_body": ns_per_body, **more}


def write_benchmark(file, entries):
    content = {"context": {"num_cpus": 2, "mhz_per_cpu": 2400, "library_build_type": "release"}, "benchmarks": entries}
    file.write_text(json.dumps(content))
