#!/usr/bin/env python3
"""Whole simulations at equal accuracy: ours and those of other engines, each with its own integrators.

    examples/engines/equal_accuracy.py                      # all of it, results in results/runs/equal_accuracy
    examples/engines/equal_accuracy.py --engines simbody --mechanisms four_bar bricard

simulations.csv grows with every mechanism and engine; what a later call does not make again stays in it, with the time of
its own call.

The error is the largest of a joint's coordinate at the end against results/reference/field; the time is that of the
processor, the least of several runs, of the integration alone. Every integrator is run with finer and finer controls (the
tolerance, or the step in s) until its error is below 1e-6; a time is that of its fastest run that meets the error. Our
part is the study experiments/studies/equal_accuracy.toml, whose finished runs are kept too (another --output makes them anew).
What is not installed or not treated says so."""
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
        self.patience = patience
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen([*START, *words.split()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True, cwd=tempfile.gettempdir())  # where MuJoCo leaves its log

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.errors.close()

    def _ended(self, why):
        self.process.wait()
        self.errors.seek(0)
        said = [line.strip() for line in self.errors if line.strip()]
        return Unanswered(f"{why} (exit code {self.process.returncode}{', it said: ' + said[-1] if said else ''})")

    def ask(self, message):
        """The answer. Raises Unanswered with the engine's reason where there is none."""
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise self._ended("it has ended") from error
        if not select.select([self.process.stdout], [], [], self.patience)[0]:
            raise Unanswered(f"no answer after {self.patience:g} s")
        line = self.process.stdout.readline()
        if not line:
            raise self._ended("it ended before it answered")
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise Unanswered(f"its answer is no JSON: {line.strip()[:80]}") from error
        if not isinstance(answer, dict):
            raise Unanswered(f"its answer is no object: {line.strip()[:80]}")
        if why := answer.get("refused") or answer.get("failed"):
            raise Unanswered(why)
        return answer


def exported(program, mechanism, form):
    call = subprocess.run([program, "export", "-m", mechanism, "--format", form], capture_output=True, text=True)
    if call.returncode != 0:
        sys.exit(f"equal_accuracy: {call.stderr.strip()}")
    return call.stdout


def reference_of(path):
    """Times, and the coordinates at the end, of the first way."""
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(line for line in stream if not line.startswith("#")))[1:]
    first = [row for row in rows if row[0] == rows[0][0]]
    return [float(row[1]) for row in first], [float(value) for value in first[-1][2:]]


def springs_of(description, mechanism):
    bodies = {"ground": -1, **{body["name"]: k for k, body in enumerate(mechanism["bodies"])}}
    return [{"a": bodies[one["body1"]], "b": bodies[one["body2"]], "point_a": one["point1"], "point_b": one["point2"],
             "stiffness": one["stiffness"], "damping": one["damping"], "rest": one["rest"]}
            for one in description.get("point_springs", [])]


def unsaid(description):
    """What of a mechanism the message of a simulation does not say: constant joint forces and point springs are all it has."""
    for part in ("couplings", "joint_springs", "body_loads"):
        if description.get(part):
            return f"it has {part.replace('_', ' ')}, of which simulations tell engines nothing"
    for joint in description["joints"]:
        if joint.get("motions"):
            return f"the motion of joint '{joint['name']}' is prescribed, of which simulations tell engines nothing"
    for load in description.get("joint_loads", []):
        if not isinstance(load["law"], (int, float)):
            return f"the load '{load['name']}' is not constant, and simulations tell engines constant ones"
    return ""


def moved(answer, times, end):
    """(error, seconds) of an answer. Raises Unanswered where it is none."""
    rows, seconds = answer.get("q"), answer.get("seconds")
    numbers = lambda values: isinstance(values, list) and all(isinstance(value, (int, float)) for value in values)
    if not isinstance(rows, list) or len(rows) != len(times):
        raise Unanswered(f"its answer has {len(rows) if isinstance(rows, list) else 'no'} rows of q, asked for {len(times)}")
    if any(not numbers(row) or len(row) != len(end) for row in rows):
        raise Unanswered(f"its answer has rows of q that are not {len(end)} numbers")
    if not all(math.isfinite(value) for row in rows for value in row):
        raise Unanswered("its q are not finite")
    if not numbers([seconds]) or not (math.isfinite(seconds) and seconds > 0.0):
        raise Unanswered(f"its seconds are {seconds}")
    return max(abs(a - b) for a, b in zip(rows[-1], end)), seconds


def simulations(engine, integrator, controls, mechanism, start, end, repetitions, patience):
    """The engine's name, (control, error, seconds) of its runs by one integrator, coarse to fine, and why there are no more."""
    name, runs, why = "", [], ""
    try:
        with Program(engine.program, patience) as program:
            name = str(program.ask(mechanism).get("engine", ""))
            for control in controls:
                message = {"simulate": {**start, "integrator": integrator, "control": control}}
                try:
                    error, seconds = moved(program.ask(message), start["times"], end)
                except Unanswered as reason:
                    why = str(reason)
                    if program.process.poll() is not None or "no answer" in why:
                        break
                    continue  # too coarse a step may fail, and a finer one not
                runs.append((control, error, seconds))
                for _ in range(1, repetitions if error <= ERRORS[0] and seconds < 0.5 else 1):
                    runs[-1] = (control, error, min(runs[-1][-1], moved(program.ask(message), start["times"], end)[1]))
                if error <= ERRORS[-1] or runs[-1][-1] > patience / 4:
                    break
    except Unanswered as reason:
        why = str(reason)
    return name, runs, why


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


def keep(path, rows, anew):
    """Writes rows of (engine, mechanism, ...) behind those of the file that are not made anew: (program or "ours", mechanism)."""
    kept = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as stream:
            kept = [row for row in list(csv.reader(stream))[1:] if len(row) == 6 and (row[0].lower().split()[0], row[1]) not in anew]
    unfinished = path.with_suffix(".csv.part")
    with unfinished.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([("engine", "mechanism", "solver", "control", "error", "seconds"), *kept, *rows])
    unfinished.replace(path)


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
        sys.exit(f"equal_accuracy: there is no program {options.program}: ./check or cmake --build --preset release builds it, "
                 "--program names another one")
    code = subprocess.run([options.program, "study", str(STUDY), "--output", str(options.output)], stdout=subprocess.DEVNULL).returncode
    if code not in (0, 1):  # 1: some of its runs failed, as is allowed here
        sys.exit(f"equal_accuracy: the study did not come to its end (exit code {code})")
    table = options.output / "simulations.csv"
    all_runs = [("ours", *row) for row in ours(options.output)]
    anew = {("ours", name) for name in known}
    keep(table, all_runs, anew)
    print(f"{platform.machine()}, Python {platform.python_version()}; times of the processor")
    for name in options.mechanisms:
        lines = [json.loads(line) for line in exported(options.program, name, "engine").splitlines()]
        description = tomllib.loads(exported(options.program, name, "toml"))
        rows = [("ours", [row[2:] for row in all_runs if row[0] == "ours" and row[1] == name], "")]
        times, end = reference_of((STUDY.parent / known[name]["reference"]).resolve())
        for key in options.engines:
            engine, runs, reasons, called = ENGINES[key], [], [], key
            if why := unsaid(description):
                rows.append((key, [], why))
                continue
            for integrator in engine.tolerances + engine.steps:
                controls = TOLERANCES if integrator in engine.tolerances else [step * (times[1] - times[0]) for step in STEPS]
                start = {**{part: lines[1][part] for part in ("q", "v", "joint_forces")}, "times": times,
                         "springs": springs_of(description, lines[0]["mechanism"])}
                version, found, why = simulations(engine, integrator, controls, lines[0], start, end, options.repetitions, options.patience)
                called, runs = version or key, runs + [(integrator, *run) for run in found]
                reasons += [why] if why and why not in reasons else []
            rows.append((called, runs, "; ".join(reasons)))
            all_runs += [(called, name, *run) for run in runs]
            anew |= {(key, name), (called.lower().split()[0], name)}
            keep(table, all_runs, anew)
        print_table(f"{name}, {known[name].get('end', study['end'])} s", rows)


if __name__ == "__main__":
    main()
