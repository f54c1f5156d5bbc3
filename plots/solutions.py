"""Solutions of benchmark problems as IFToMM's library lists them: of each a problem and a solver, the accuracy that was
reached, the CPU time that it took and the machine.

The library's form asks for these two numbers, the solver and the computer in words; time histories are described problem
by problem and lie in the runs' own files. Whose run counts as accepted is stated by the study: the rankings' errors."""
import csv

FILE = "solutions.csv"
COLUMNS = ["problem", "mechanism", "simulated_time_s", "error", "required", "reached", "unit", "formulation", "integrator", "setting",
           "evaluations", "cpu_time_s", "software", "machine"]


def _fastest(study, mechanism, variant, ranking):
    """(time, reached, integrator, control) of the variant's fastest undisturbed run that is accurate enough, or None."""
    accepted = []
    for integrator in study.integrators_of(mechanism):
        for control in study.controls_of(integrator, mechanism):
            run = (mechanism, variant, integrator, control)
            error, time = study.record(*run, ranking["error"]), study.record(*run, "wall_time")
            if (error and error.value is not None and error.value <= ranking["at"] and time and time.value is not None
                    and time.verdict != "not measured"):
                accepted.append((time.value, error.value, integrator, control))
    return min(accepted, key=lambda run: run[0], default=None)


def solutions_of(study, provenance):
    """Rows, the fastest first within a problem; none where the study has no rankings or times nothing."""
    software = f"mbdbench {provenance.get('version', '')}, commit {provenance.get('commit', 'unknown')}, {provenance.get('compiler', '')}"
    rows = []
    for ranking in study.rankings:
        for mechanism in study.ranked_mechanisms(ranking):
            found = [(variant, _fastest(study, mechanism, variant, ranking)) for variant in study.variants_of(mechanism)]
            for variant, run in sorted((entry for entry in found if entry[1]), key=lambda entry: entry[1][0]):
                time, reached, integrator, control = run
                evaluations = study.record(mechanism, variant, integrator, control, "evaluations")
                rows.append([mechanism["label"], mechanism["mechanism"], f"{mechanism['end']:g}", ranking["error"], f"{ranking['at']:g}",
                             f"{reached:.3e}", study.observer(ranking["error"])["unit"], variant["formulation"], integrator["key"],
                             f"{control['kind']}={control['value']:g}", f"{evaluations.value:g}" if evaluations else "", f"{time:.3e}",
                             software, provenance.get("cpu", "")])
    return rows


def write_solutions(study, provenance, directory):
    """Writes FILE where there is anything to say. Returns the files written."""
    rows = solutions_of(study, provenance)
    if not rows:
        return []
    with (directory / FILE).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return [directory / FILE]
