#!/usr/bin/python3
"""References of the field's benchmark problems: results/reference/field/PROBLEM.csv.

Every problem is computed by ways that share nothing. The first is the reference: an exact solution in elliptic functions,
or a small equation of motion derived by hand, in long double or 30 digits. The second checks it: the suite's `dense` at
tight tolerance, or, where dense does not pass singular positions, another hand-derived equation, with the suite's run as
a third at the tightest tolerance that comes through. A file has a row a way and time: joint coordinates in the
mechanism's order. Comments at its head say how, with what and when it was made and how far the ways are apart.

Runs under the Python that has numpy and mpmath (on Debian /usr/bin/python3 with python3-numpy, python3-mpmath)."""
import argparse
import csv
import datetime
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

try:
    import mpmath
    import numpy as np
except ImportError as error:
    sys.exit(f"field_references: {sys.executable} cannot import {error.name}; on Debian: /usr/bin/python3 with python3-{error.name}")

import closed_curves
import elliptic_motions
import small_equations
from gauss_collocation import STAGES

EXAMPLE = """examples:
  experiments/studies/references/field_references.py                 # all of them anew, about three minutes
  experiments/studies/references/field_references.py babyboot sarrus
  experiments/studies/references/field_references.py --check car_axis  # compute again, compare with the file"""

ROOT = Path(__file__).resolve().parents[3]
FROZEN = ROOT / "results" / "reference" / "field"
MECHANISMS = ROOT / "experiments" / "studies" / "mechanisms"
SAMPLES = 10
# What --check allows: long double and other versions of the libraries round differently; chaos multiplies that.
CHECK_LIMIT = 1e-13


@dataclass
class Way:
    """How a problem is computed: words, a function of (times, steps), and its steps between two times (0: none)."""
    name: str
    how: str
    solve: object
    steps: int = 0


@dataclass
class Problem:
    """A mechanism as the program names it, until when, and the ways."""
    mechanism: str
    end: float
    ways: list
    run: tuple  # integrator and its options, of the suite's dense
    quaternions: bool = False
    remark: str = ""


GAUSS = f"Gauss collocation of order {2 * STAGES} in long double"


def _curve(function, steps):
    return Way("equation", f"equation in one angle along the closed curve, {GAUSS}", function, steps)


def _equation(function, steps):
    return Way("equation", f"equations derived by hand, {GAUSS}", function, steps)


def _exact(function):
    return Way("exact", f"Jacobi's elliptic functions and a quadrature, mpmath with {elliptic_motions.DIGITS} digits", function)


def _fixed(step):
    return ("gauss6", "--fixed-step", repr(step))


def _tight(integrator, tolerance="1e-13"):
    return (integrator, "--rtol", tolerance, "--atol", tolerance)


_SINGULAR = "dense does not pass the singular positions at tighter tolerances"
PROBLEMS = {
    "point_pendulum": Problem("point_pendulum:inertia=1e-6", 10, [_exact(elliptic_motions.point_pendulum("1e-6"))], _fixed(0.002)),
    **{f"n_four_bar_{n}": Problem(f"n_four_bar:{n}", 10, [_exact(elliptic_motions.n_four_bar(n)),
                                                         _equation(small_equations.n_four_bar(n), 60)],
                                  _tight("ode45", "1e-9" if n < 10 else "1e-8"), remark=_SINGULAR) for n in (1, 2, 3, 10, 40)},
    "squeezer": Problem("squeezer", 0.03, [_curve(closed_curves.squeezer, 20)], _tight("ode113")),
    "four_bar": Problem("four_bar", 10, [_curve(closed_curves.four_bar, 40)], _fixed(0.002)),
    "pendulum_16": Problem("pendulum:16", 10, [_equation(small_equations.pendulum(16), 45)], _fixed(0.002),
                           remark="perturbations grow by about 1e5"),
    "bricard": Problem("bricard", 10, [_curve(closed_curves.bricard, 20)], _fixed(0.002)),
    "flyball_governor": Problem(str(MECHANISMS / "flyball_governor.toml"), 10, [_equation(small_equations.flyball_governor, 100)],
                                _tight("odeint-fehlberg78"),
                                remark="stability sets its 54593 steps: starts that differ in the last bit end up to 4.4e-12 from the first "
                                       "way (24 of them, root mean square 1.7e-12)"),
    "euler_top": Problem("euler_top", 100, [_exact(elliptic_motions.euler_top)], _fixed(0.005), quaternions=True),
    "lagrange_top": Problem("lagrange_top", 5, [_exact(elliptic_motions.lagrange_top)], _fixed(0.00025), quaternions=True),
    "bennett": Problem("bennett", 5, [_curve(closed_curves.bennett, 20)], _fixed(0.001)),
    "sarrus": Problem("sarrus", 5, [_equation(small_equations.sarrus, 120), _curve(closed_curves.sarrus, 75)], _tight("ode45", "1e-8"),
                      remark=_SINGULAR),
    "car_axis": Problem("car_axis", 3, [_equation(small_equations.car_axis, 30)], _fixed(0.0006)),
    "babyboot": Problem("babyboot", 10, [_equation(small_equations.babyboot, 100)], _fixed(0.0005),
                        remark="chaotic: rounding of the check in double precision grows by about 1e6"),
    **{f"cart_pole_{name}": Problem(f"cart_pole:{ratio}", 10, [_equation(small_equations.cart_pole(ratio), 100)], _fixed(0.0005))
       for name, ratio in (("1", 1), ("1e3", 1000), ("1e6", 1000000))},
}


def suite_run(program, problem):
    """Names of the coordinates and their values at the sample times, by the suite's dense."""
    with tempfile.TemporaryDirectory() as folder:
        step = f"0:{problem.end / SAMPLES!r}:{problem.end!r}"
        command = [program, "simulate", "-m", problem.mechanism, "-f", "dense", "-i", *problem.run, "-t", step, "-o", folder, "--overwrite",
                   "--quiet", "--accept"]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"field_references: {' '.join(command)}: {result.stdout}{result.stderr}")
        with (Path(folder) / "trajectory.csv").open(newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.reader(stream) if not row[0].startswith("#")]
    places = [k for k, name in enumerate(rows[0]) if name.startswith("q.")]
    if len(rows) != SAMPLES + 2:
        sys.exit(f"field_references: {' '.join(command)}: {len(rows) - 1} samples, not {SAMPLES + 1}")
    return [rows[0][k] for k in places], [[float(row[k]) for k in places] for row in rows[1:]]


def apart(a, b):
    """Largest difference of a coordinate over all times."""
    return max(abs(float(x - y)) for row, other in zip(a, b) for x, y in zip(row, other))


def like_signed(rows, others, is_quaternion):
    """Quaternions with the signs of the others': either sign is the same attitude."""
    if not is_quaternion:
        return rows
    return [row if sum(float(x) * y for x, y in zip(row, other)) > 0 else [-x for x in row] for row, other in zip(rows, others)]


def digits(number):
    """18 digits of a long double or mpmath number."""
    if isinstance(number, np.longdouble):
        return np.format_float_scientific(number, precision=17, unique=False)
    return mpmath.nstr(number, 18)


def versions(program):
    """What the numbers were made with."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return (f"{' '.join(told[:2])}; Python {platform.python_version()}, numpy {np.__version__}, mpmath {mpmath.__version__}; "
            f"long double has {np.finfo(np.longdouble).nmant + 1} bits")


def computed(program, name):
    """Comments and rows of a problem's file."""
    problem = PROBLEMS[name]
    times = [problem.end * k / SAMPLES for k in range(SAMPLES + 1)]
    columns, checked = suite_run(program, problem)
    comments = [f"{Path(problem.mechanism).stem if problem.mechanism.endswith('.toml') else problem.mechanism}: made by "
                f"experiments/studies/references/field_references.py on {datetime.date.today()}", versions(program)]
    found = []
    for way in problem.ways:
        rows = like_signed(way.solve(times, way.steps), checked, problem.quaternions)
        own = ""
        if way.steps:
            coarse = way.solve(times, max(1, way.steps * 2 // 3))
            own = f", {way.steps} steps a sample; with {max(1, way.steps * 2 // 3)} apart by {apart(rows, coarse):.1e}"
        comments.append(f"{way.name}: {way.how}{own}")
        # Two ways may be of one kind.
        found.append((way.name if way.name not in [other for other, _ in found] else f"{way.name} 2", rows))
    comments.append(f"dense: the suite's dense with {' '.join(problem.run)}" + (f"; {problem.remark}" if problem.remark else ""))
    found.append(("dense", checked))
    for other, rows in found[1:]:
        parts = " ".join(f"{apart([a], [b]):.0e}" for a, b in zip(found[0][1], rows))
        comments.append(f"agreement of {found[0][0]} and {other}, largest difference of a coordinate: {apart(found[0][1], rows):.1e}; "
                        f"by time: {parts}")
    lines = [["way", "t", *columns]]
    for way, rows in found:
        for t, row in zip(times, rows):
            lines.append([way, repr(t), *(repr(value) if isinstance(value, float) and not isinstance(value, np.longdouble) else digits(value)
                                          for value in row)])
    return comments, lines


def check(name, lines):
    """How far the first way is from the frozen file's."""
    with (FROZEN / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        frozen = list(csv.reader(line for line in stream if not line.startswith("#")))
    if frozen[0] != lines[0]:
        sys.exit(f"field_references: {FROZEN / name}.csv: the columns are {frozen[0]}, not {lines[0]}: freeze it anew")
    count = SAMPLES + 2
    return max(abs(float(a) - float(b)) for row, other in zip(lines[1:count], frozen[1:count]) for a, b in zip(row[1:], other[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help=f"default: all of {', '.join(PROBLEMS)}")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "mbdbench"), help="the built mbdbench (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help=f"write nothing; exit 1 where a reference is off by more than {CHECK_LIMIT:g}")
    options = parser.parse_args()
    unknown = [name for name in options.problems if name not in PROBLEMS]
    if unknown:
        parser.error(f"there is no problem '{unknown[0]}'; problems: {', '.join(PROBLEMS)}")
    if not Path(options.program).exists():
        parser.error(f"{options.program} does not exist: build it (./check --help) or name it with --program")
    failed = False
    for name in options.problems or PROBLEMS:
        comments, lines = computed(options.program, name)
        if options.check:
            difference = check(name, lines)
            failed = failed or not difference <= CHECK_LIMIT
            print(f"{name}: {difference:.1e} from the frozen file{'' if difference <= CHECK_LIMIT else f', more than {CHECK_LIMIT:g}'}")
            continue
        FROZEN.mkdir(parents=True, exist_ok=True)
        with (FROZEN / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
            stream.writelines(f"# {comment}\n" for comment in comments)
            csv.writer(stream, lineterminator="\n").writerows(lines)
        print(f"{name}: {[c for c in comments if c.startswith('agreement')][0]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
