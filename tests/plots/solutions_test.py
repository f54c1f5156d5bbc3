"""The list of accepted solutions, from made-up runs."""
import csv
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plots")]

from plot_checks import InTemporaryDirectory
from solutions import COLUMNS, FILE, write_solutions

_RANKING = {"error": "energy_error", "at": 0.1, "work": ["wall_time"]}


class _MadeUpStudy:
    """One problem, two variants, three tolerances."""
    rankings = [_RANKING]
    variants = [{"formulation": "aba"}, {"formulation": "dca"}, {"formulation": "too_rough"}]
    # Variant: tolerance: (error, seconds, verdict of the time).
    runs = {"aba": {1e-2: (0.5, 0.001, ""), 1e-4: (0.05, 0.004, ""), 1e-6: (0.001, 0.008, "")},
            "dca": {1e-2: (0.09, 0.002, "not measured"), 1e-4: (0.01, 0.003, ""), 1e-6: (0.001, 0.009, "")},
            "too_rough": {1e-2: (3.0, 0.001, ""), 1e-4: (2.0, 0.001, ""), 1e-6: (None, 0.001, "")}}

    def ranked_mechanisms(self, ranking):
        assert ranking is _RANKING
        return [{"label": "A02", "mechanism": "n_four_bar:1", "end": 10.0}]

    def variants_of(self, _):
        return self.variants

    def integrators_of(self, _):
        return [{"key": "ode45"}]

    def controls_of(self, *_):
        return [{"kind": "tolerance", "value": value} for value in (1e-2, 1e-4, 1e-6)]

    def observer(self, _):
        return {"unit": "J"}

    def record(self, _, variant, __, control, quantity):
        error, seconds, verdict = self.runs[variant["formulation"]][control["value"]]
        return {"energy_error": SimpleNamespace(value=error, verdict=""), "wall_time": SimpleNamespace(value=seconds, verdict=verdict),
                "evaluations": SimpleNamespace(value=7.0, verdict="")}[quantity]


class Solutions(InTemporaryDirectory):
    def _rows(self, study):
        write_solutions(study, {"version": "1.2", "commit": "abc", "cpu": "a processor"}, self.directory)
        with (self.directory / FILE).open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def test_the_fastest_accurate_undisturbed_run_of_each_variant_stands_there(self):
        rows = self._rows(_MadeUpStudy())
        self.assertEqual(list(rows[0]), COLUMNS)
        self.assertEqual([(row["formulation"], row["setting"], float(row["reached"]), float(row["cpu_time_s"])) for row in rows],
                         [("dca", "tolerance=0.0001", 0.01, 0.003), ("aba", "tolerance=0.0001", 0.05, 0.004)])
        self.assertEqual(rows[0]["machine"], "a processor")
        self.assertIn("abc", rows[0]["software"])

    def test_a_study_without_rankings_has_none(self):
        study = _MadeUpStudy()
        study.rankings = []
        self.assertEqual(write_solutions(study, {}, self.directory), [])
        self.assertFalse((self.directory / FILE).exists())


if __name__ == "__main__":
    unittest.main()
