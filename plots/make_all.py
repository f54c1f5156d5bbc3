#!/usr/bin/env python3
"""Figures, LaTeX tables and the report of one result directory."""
import argparse
import json
import platform
import sys
from pathlib import Path

EXAMPLE = """example:
  build/release/mbdbench run chadaj2015 --output results/runs/chadaj2015
  python3 plots/make_all.py results/runs/chadaj2015

The experiment is found from DIR/records.csv. A benchmark's DIR/rhs.json (see plots/rhs_cost.py) is drawn too; it may stand
alone, as may DIR/ensemble.csv of 'mbdbench simulate --ensemble' (see plots/ensemble.py) and DIR/mode_shapes.csv of 'mbdbench
linearise' or 'mbdbench equilibrium' (see plots/modes.py). Writes DIR/figures/*.pdf and *.png, DIR/tables/*.tex and
DIR/report.html. What cannot be drawn is named, the rest is made all the same, and the exit code is 1."""

try:
    import matplotlib
    import numpy
    import jinja2
except ImportError as error:
    sys.exit(f"make_all: {sys.executable} cannot import {error.name}; on Debian: /usr/bin/python3 with python3-matplotlib, "
             "python3-numpy, python3-jinja2")

import ensemble
import modes
import rhs_cost
import style
import worked_examples
from reading.input_error import InputError
from reading.json_file import read_json
from reports.report import DrawnFigure, write_report
from reading.result_directory import open_results
from solutions import write_solutions
from reading.standard_descriptors import open_standard_descriptors
from studies.study import read_study
from studies.study_figures import figures_of
from studies.study_tables import tables_of
from tables import words, write_tables

# Of experiments that are no studies of the program: functions of their results.
FIGURES = {worked_examples.EXPERIMENT: worked_examples.figures_of}
BENCHMARK_FILE = "rhs.json"
LIST_FILE = "figures_and_tables.json"


class Output:
    """What was made and what could not be."""

    def __init__(self, directory):
        self.directory = directory
        self.written = []
        self.figures = []
        self.problems = []
        self.quick = False  # every figure says so

    def _drop_old_figure(self, name):
        # A figure of earlier data beside a report of the present ones would be taken for part of it.
        for suffix in ("pdf", "png"):
            (self.directory / "figures" / f"{name}.{suffix}").unlink(missing_ok=True)

    def add_figure(self, definition, data):
        try:
            figure = definition.draw(data)
            caption = definition.caption(data)
            narrow = not style.is_double_column(figure)
            files = style.save(figure, self.directory / "figures", definition.name, self.quick)
        except InputError as error:
            self._drop_old_figure(definition.name)
            self.problems.append(f"figure {definition.name} is missing: {error}")
            return
        self.written += files
        self.figures.append(DrawnFigure(definition, caption, files[1], narrow))


def _definitions(results):
    """(title, figures, tables) of a study, from study.json, or of an experiment."""
    study = read_study(results)
    if study:
        return study.title, figures_of(study, results.path / "records.csv"), tables_of(study)
    if results.experiment not in FIGURES:
        print(f"No figures are defined for the experiment '{results.experiment}': tables and report only.")
        return results.experiment, [], []
    return words(results.experiment).capitalize(), FIGURES[results.experiment](results), []


def _add_experiment(output):
    """Figures and tables of the records, if there are any. Returns (results or None, title, tables, provenance)."""
    try:
        results = open_results(output.directory)
        title, figures, tables = _definitions(results)
    except InputError as error:
        output.problems.append(str(error))
        return None, "", [], {}
    output.quick = results.declaration.get("quick", False)
    for definition in figures:
        output.add_figure(definition, results)
    try:
        output.written += write_tables(results, output.directory / "tables", tables)
    except InputError as error:
        output.problems.append(str(error))
    try:
        provenance = results.provenance()
    except InputError as error:
        output.problems.append(str(error))
        return results, title, tables, {}
    study = read_study(results)
    if study:
        output.written += write_solutions(study, provenance, output.directory)
    return results, title, tables, provenance


def _add_benchmark(output, file):
    try:
        costs = rhs_cost.read_rhs_costs(file)
    except InputError as error:
        output.problems.append(str(error))
        return
    output.problems += [f"{name} failed: {message}" for name, message in costs.failures]
    output.add_figure(rhs_cost.FIGURE, costs)


def _add_ensemble(output):
    try:
        output.add_figure(ensemble.FIGURE, ensemble.read_ensemble(output.directory))
    except InputError as error:
        output.problems.append(str(error))


def _add_modes(output):
    try:
        output.add_figure(modes.FIGURE, modes.read_modes(output.directory))
    except InputError as error:
        output.problems.append(str(error))


def _list_drawn(output):
    """Writes the names of all figures and tables made here, so that `--overwrite` removes these and no others."""
    file = output.directory / LIST_FILE
    try:
        earlier = read_json(file) if file.exists() else []
    except InputError:
        earlier = []  # damaged: what it named stays
    listed = [name for name in earlier if isinstance(name, str)] if isinstance(earlier, list) else []
    made = [str(path.relative_to(output.directory)) for path in output.written]
    drawn = sorted({name for name in listed + made if name.startswith(("figures/", "tables/"))})
    if not drawn:
        return
    file.write_text(json.dumps(drawn, indent=1) + "\n", encoding="utf-8")


def make_all(directory, indexed=False):
    """Makes everything. Returns an Output."""
    output = Output(directory)
    benchmark = directory / BENCHMARK_FILE
    results, title, tables, provenance = None, "", [], {}
    members, shapes = directory / ensemble.FILE, directory / modes.FILE
    if (directory / "records.csv").exists() or not (benchmark.exists() or members.exists() or shapes.exists()):
        results, title, tables, provenance = _add_experiment(output)
    if benchmark.exists():
        _add_benchmark(output, benchmark)
    if members.exists():
        _add_ensemble(output)
    if shapes.exists():
        _add_modes(output)
    _list_drawn(output)
    if results or output.figures:
        alone = ensemble if members.exists() else modes if shapes.exists() else rhs_cost
        heading = f"mbdbench: {title or alone.FIGURE.title.lower()}"
        output.written.append(write_report(directory / "report.html", heading, output.figures, results, provenance, output.problems, tables, indexed))
    return output


def main(arguments=None):
    open_standard_descriptors()
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR", help="what 'mbdbench run EXPERIMENT --output DIR' wrote")
    parser.add_argument("--indexed", action="store_true", help="an index of all results will stand in the folder above: link it")
    options = parser.parse_args(arguments)
    directory = options.directory
    print(f"Plots: {sys.executable}, Python {platform.python_version()}, Matplotlib {matplotlib.__version__}, "
          f"NumPy {numpy.__version__}, Jinja2 {jinja2.__version__}")
    if not directory.is_dir():
        print(f"make_all: {directory}: is not a directory", file=sys.stderr)
        return 1
    try:
        output = make_all(directory, options.indexed)
    except OSError as error:
        print(f"make_all: {error.filename or directory}: {error.strerror or error}", file=sys.stderr)
        return 1
    for file in output.written:
        print(f"  {file.relative_to(directory)}")
    for problem in output.problems:
        print(f"make_all: {problem}", file=sys.stderr)
    return 1 if output.problems else 0


if __name__ == "__main__":
    sys.exit(main())
