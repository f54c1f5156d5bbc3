#!/usr/bin/env python3
"""Whole simulations at equal accuracy: ours and those of other engines, each with its own integrators.

    examples/engines/equal_accuracy.py                      # all of it, results in results/runs/equal_accuracy
    examples/engines/equal_accuracy.py --engines simbody --mechanisms four_bar bricard

The error is the largest of a joint's coordinate at the end against results/reference/field; the time is that of the
processor, the least of several runs, of the integration alone. Every integrator is run with finer and finer controls (the
tolerance, or the step in s) until its error is below 1e-6; a time is that of its fastest run that meets the error. Our
part is the study experiments/studies/equal_accuracy.toml. What is not installed or not treated says so.

simulations.csv is written anew after every engine on every mechanism. Rows of an engine on a mechanism that this call has
no runs of stay as an earlier call wrote them; what the study has finished in --output is not run again either. Times that
are to stand beside one another are those of one call into a new --output."""
import argparse
import csv
import json
import math
import platform
import re
import select
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "experiments" / "studies" / "equal_accuracy.toml"
START = ["sh", str(ROOT / "examples" / "engines" / "run_engine.sh")]
ERRORS = (1e-3, 1e-6)
TOLERANCES = [10.0**-(k / 2) for k in range(6, 27)]
# What a step is divided by, again and again, of the samples' distance.
STEPS = [10.0**(-k / 4) / 4 for k in range(0, 21)]
COLUMNS = ["engine", "version", "mechanism", "solver", "control", "error", "seconds"]
# All that an engine receives of a mechanism that it simulates (docs/developing/engine_protocol.md). Anything else would act
# in our runs alone.
TOLD = {"name", "source", "gravity", "bodies", "joints", "joint_loads", "point_springs", "markers"}


@dataclass
class Engine:
    program: str
    tolerances: tuple = ()  # integrators that control their steps
    steps: tuple = ()  # those that do not


ENGINES = {
    "simbody": Engine("simbody_engine", ("RungeKuttaMerson", "CPodes-Adams", "CPodes-BDF")),
    "pinocchio": Engine("pinocchio_engine", ("fehlberg78",)),
    "mujoco": Engine("mujoco_engine.py --soft-loops", (), ("Euler", "implicitfast", "RK4")),
    "drake": Engine("drake_engine.py", ("runge_kutta3", "runge_kutta5", "bogacki_shampine3")),
    "exudyn": Engine("exudyn_engine.py", ("DOPRI5",), ("RK44", "RK67", "GeneralizedAlpha")),
}


class Unanswered(Exception):
    """An engine refused, failed, ended or took too long; the text says which."""


class Program:
    """A started engine."""

    def __init__(self, words, patience):
        self.patience, self.lost = patience, False
        self.errors = tempfile.TemporaryFile()  # a pipe that nobody reads would stop the engine when it is full
        self.process = subprocess.Popen([*START, *words.split()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True, errors="replace", cwd=tempfile.gettempdir())  # where MuJoCo leaves its log

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.errors.close()

    def give_up(self, why):
        """What `ask` raises where nothing more can be asked: what still came would answer an earlier question."""
        self.lost = True
        try:
            code = self.process.wait(1.0)
            why += f" (signal {-code})" if code < 0 else f" (exit status {code})"
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.seek(max(0, self.errors.seek(0, 2) - 4096))
        last = self.errors.read().decode(errors="replace").strip().splitlines()[-1:]
        return Unanswered(why + "".join(f": {line.strip()[:200]}" for line in last))

    def ask(self, message):
        """The answer. Raises Unanswered with the engine's reason where there is none."""
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise self.give_up("it has ended") from error
        if not select.select([self.process.stdout], [], [], self.patience)[0]:
            raise self.give_up(f"no answer after {self.patience:g} s")
        line = self.process.stdout.readline()
        if not line:
            raise self.give_up("it ended before it answered")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self.give_up(f"it answered '{line.strip()[:80]}', which is no JSON object on one line")
        if why := answer.get("refused") or answer.get("failed"):
            raise Unanswered(str(why))
        return answer


def exported(program, mechanism, form):
    made = subprocess.run([program, "export", "-m", mechanism, "--format", form], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"equal_accuracy: {program} export -m {mechanism} --format {form} ended with {made.returncode}: {made.stderr.strip()}")
    return made.stdout


def reference_of(path):
    """Times, and the coordinates at the end, of the first way."""
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.reader(line for line in stream if not line.startswith("#")))[1:]
        first = [row for row in rows if row[0] == rows[0][0]]
        return [float(row[1]) for row in first], [float(value) for value in first[-1][2:]]
    except (OSError, ValueError, IndexError) as error:
        sys.exit(f"equal_accuracy: the reference {path} cannot be read ({error}); git has it, and "
                 "experiments/studies/references/field_references.py makes it anew")


def untold(description):
    """What of a mechanism no message of a simulation tells, in words; none: engines simulate the same mechanism."""
    cut = {joint["name"] for joint in description["joints"] if joint.get("cut")}
    found = [f"[[{table}]]" for table in description if table not in TOLD]
    found += [f"the motions of joint '{joint['name']}'" for joint in description["joints"] if "motions" in joint]
    for load in description.get("joint_loads", []):
        if load["joint"] in cut:
            found.append(f"the load '{load['name']}' of a cut joint")
        elif not isinstance(load["law"], (int, float)):
            found.append(f"the load '{load['name']}', which is not constant")
    return found


def springs_of(description, mechanism):
    bodies = {"ground": -1, **{body["name"]: k for k, body in enumerate(mechanism["bodies"])}}
    return [{"a": bodies[one["body1"]], "b": bodies[one["body2"]], "point_a": one["point1"], "point_b": one["point2"],
             "stiffness": one["stiffness"], "damping": one["damping"], "rest": one["rest"]}
            for one in description.get("point_springs", [])]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def error_and_seconds(answer, times, end):
    """Of a motion. Raises Unanswered where it is not one: what is left out must not pass for exact."""
    rows, seconds = answer.get("q"), answer.get("seconds")
    if not isinstance(rows, list) or len(rows) != len(times):
        raise Unanswered(f'it answered {len(rows) if isinstance(rows, list) else "no"} rows in "q"; there must be {len(times)}, one a time')
    for t, row in zip(times, rows):
        if not isinstance(row, list) or len(row) != len(end) or not all(map(is_number, row)):
            raise Unanswered(f'it answered a row in "q" at {t:g} s that is not {len(end)} finite numbers')
    if not is_number(seconds) or seconds <= 0:
        raise Unanswered(f'it answered "seconds": {json.dumps(seconds)}; there must be a positive number')
    return max(abs(a - b) for a, b in zip(rows[-1], end)), seconds


def simulations(engine, integrator, controls, mechanism, start, end, repetitions, patience):
    """The engine's name, (control, error, seconds) of its runs by one integrator, coarse to fine, and why there are no more."""
    name, runs, why = "", [], ""
    try:
        with Program(engine.program, patience) as program:
            answered = program.ask(mechanism).get("engine")
            if not isinstance(answered, str) or not answered:
                raise Unanswered('it answered a mechanism without its name; {"engine": "NAME VERSION"} takes it')
            name = answered
            for control in controls:
                message = {"simulate": {**start, "integrator": integrator, "control": control}}
                error, times = 0.0, []
                try:
                    while not times or (len(times) < repetitions and error <= ERRORS[0] and times[0] < 0.5):
                        reached, seconds = error_and_seconds(program.ask(message), start["times"], end)
                        error, times = max(error, reached), [*times, seconds]
                except Unanswered as reason:
                    why = str(reason)  # too coarse a step may fail, and a finer one not
                if times:
                    runs.append((control, error, min(times)))
                if program.lost or (times and (error <= ERRORS[-1] or min(times) > patience / 4)):
                    break
    except Unanswered as reason:
        why = str(reason)
    return name, runs, why


def by_engine(engine, mechanism, start, end, repetitions, patience):
    """The engine's name, (integrator, control, error, seconds) of its runs, and why there are no more."""
    called, runs, reasons = "", [], []
    for integrator in engine.tolerances + engine.steps:
        interval = start["times"][1] - start["times"][0]
        controls = TOLERANCES if integrator in engine.tolerances else [step * interval for step in STEPS]
        name, found, why = simulations(engine, integrator, controls, mechanism, start, end, repetitions, patience)
        called, runs = name or called, runs + [(integrator, *run) for run in found]
        reasons += [why] if why and why not in reasons else []
    return called, runs, "; ".join(reasons)


def ours(directory):
    """(mechanism, solver, control, error, seconds) of our runs, from the study's records."""
    found = {}
    for name in ("records.csv", "timings.csv"):
        with (directory / name).open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(line for line in stream if not line.startswith("#")):
                control = re.search(r"tolerance=([^;]*)", row["parameters"])
                if not control or not row["value"]:
                    continue
                run = found.setdefault((row["mechanism"], f"{row['formulation']}, {row['integrator']}", float(control[1])), {})
                if row["quantity"].startswith("largest_end_error"):
                    run["error"] = float(row["value"])
                share = re.search(r"processor share ([0-9.e-]+)", row["note"])
                if row["quantity"] == "wall_time" and share:  # on a busy machine a run has but a share of its processor
                    run["seconds"] = min(run.get("seconds", math.inf), float(row["value"]) * min(1.0, float(share[1])))
    return [(mechanism, solver, control, run["error"], run["seconds"]) for (mechanism, solver, control), run in found.items()
            if len(run) == 2]


def fastest(runs, error):
    """The fastest run that meets an error, as (seconds, solver, control, error), or None."""
    return min(((seconds, solver, control, reached) for solver, control, reached, seconds in runs if reached <= error), default=None)


def print_table(title, rows):
    print(f"\n{title}\n")
    print("| solver | " + " | ".join(f"{error:.0e}" for error in ERRORS) + " |\n|---|" + "---|" * len(ERRORS))
    for name, runs, why in rows:
        cells = []
        for error in ERRORS:
            best = fastest(runs, error)
            closest = min((reached for _, _, reached, _ in runs), default=None)
            cells.append(f"{1e3 * best[0]:.3g} ms ({best[1]}, {best[2]:.2g})" if best else
                         f"not reached: {closest:.1e}{', ' + why if why else ''}" if closest is not None else why)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def rows_kept(path):
    """The rows of earlier calls, by engine and mechanism."""
    found = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as stream:
            header, *rows = list(csv.reader(stream)) or [[]]
        if header != COLUMNS:
            sys.exit(f"equal_accuracy: {path} begins with '{','.join(header)}' and not with '{','.join(COLUMNS)}'; move it away or choose "
                     "another --output")
        for row in rows:
            found.setdefault((row[0], row[2]), []).append(row)
    return found


def write_rows(path, rows_of):
    """Whole or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *(row for rows in rows_of.values() for row in rows)])
    part.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    study = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    known = {one["mechanism"]: one for one in study["mechanisms"]}
    parser.add_argument("--engines", nargs="*", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--mechanisms", nargs="*", choices=known, default=list(known))
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "mbdbench"), help="the built mbdbench (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "runs" / "equal_accuracy")
    parser.add_argument("--repetitions", type=int, default=3, help="of every run (default: 3; ours: the study's)")
    parser.add_argument("--patience", type=float, default=60.0, help="s, longest wait for one run (default: 60)")
    options = parser.parse_args()
    if not shutil.which(options.program):
        sys.exit(f"equal_accuracy: there is no program {options.program}; `cmake --preset release && cmake --build build/release --target "
                 "mbdbench` builds it, --program names another")
    file = options.output / "simulations.csv"
    rows_of = rows_kept(file)
    references = {name: reference_of((STUDY.parent / known[name]["reference"]).resolve()) for name in options.mechanisms}
    code = subprocess.run([options.program, "study", str(STUDY), "--output", str(options.output)], stdout=subprocess.DEVNULL).returncode
    if code not in (0, 1):  # 1: a run failed, which is a result; below 0: a signal
        sys.exit(f"equal_accuracy: the study did not come to its end ({f'signal {-code}' if code < 0 else f'exit status {code}'})")
    made = {}
    for mechanism, *run in ours(options.output):
        made.setdefault(("ours", mechanism), []).append(run)
    rows_of |= {(key, name): [(key, "mbdbench", name, *run) for run in runs] for (key, name), runs in made.items()}
    write_rows(file, rows_of)
    print(f"{platform.machine()}, Python {platform.python_version()}; times of the processor")
    for name in options.mechanisms:
        mechanism, state = map(json.loads, exported(options.program, name, "engine").splitlines())
        description = tomllib.loads(exported(options.program, name, "toml"))
        missing = untold(description)
        times, end = references[name]
        start = {**{part: state[part] for part in ("q", "v", "joint_forces")}, "times": times,
                 "springs": springs_of(description, mechanism["mechanism"])}
        table = [("ours", made.get(("ours", name), []), "")]
        for key in options.engines:
            if missing:
                table.append((key, [], "no engine is told of " + ", ".join(missing)))
                continue
            version, runs, why = by_engine(ENGINES[key], mechanism, start, end, options.repetitions, options.patience)
            table.append((version or key, runs, why))
            if runs:
                made[key, name] = runs
                rows_of[key, name] = [(key, version, name, *run) for run in runs]
                write_rows(file, rows_of)
        print_table(f"{name}, {known[name].get('end', study['end'])} s", table)
    if earlier := ", ".join(f"{key} on {name}" for key, name in rows_of if (key, name) not in made):
        print(f"\nOf earlier calls in {file}: {earlier}")


if __name__ == "__main__":
    main()
