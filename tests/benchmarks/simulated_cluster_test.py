#!/usr/bin/env python3
"""The simulated cluster on schedules whose time is known, and the pieces that go into it.

    simulated_cluster_test.py PIECE_COSTS [SIMULATED_CLUSTER]

Without the second program, which needs SimGrid, exit code 77: skipped."""
import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

_HEADER = "formulation,family,exchange,bodies,nodes,kind,bytes,microseconds\n"
_NETWORK = ["--latency", "1", "--overhead", "0.25", "--per-byte", "1"]
PROGRAMS = []


def _run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)


class SimulatedCluster(unittest.TestCase):
    def setUp(self):
        if len(PROGRAMS) < 2:
            self.skipTest("benchmark_simulated_cluster is not built: SimGrid is not installed (libsimgrid-dev)")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "schedules.csv"

    def _simulated(self, lines):
        self.file.write_text(_HEADER + lines)
        result = _run(PROGRAMS[1], self.file, *_NETWORK)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(result.stdout.splitlines()))
        return [(float(row["simulated_us"]), float(row["estimated_us"])) for row in rows]

    def _near(self, found, expected, overlapping=0):
        """`overlapping`: what the overheads of messages that a process sends and takes at the same time save, us."""
        simulated, estimated = found
        self.assertAlmostEqual(estimated, expected, delta=1e-3 * expected)
        # SMPI adds the header of a message, 16 bytes: 0.016 us each.
        self.assertAlmostEqual(simulated, expected - overlapping, delta=0.01 * expected)

    def test_a_tree_takes_its_levels_one_after_another(self):
        # A message of k bytes takes L + 2 o + k G: 1.5 us + k ns.
        [one, two, eight] = self._simulated("".join(f"f,chain,tree,64,{nodes},{step}\n" for nodes in (1, 2, 8)
                                                    for step in ("compute,0,10", "up,1000,2", "down,100,1")))
        self._near(one, 10)
        self._near(two, 10 + (2.5 + 2) + (1.6 + 1))
        self._near(eight, 10 + 3 * (2.5 + 2) + 3 * (1.6 + 1))

    def test_work_below_a_microsecond_counts(self):
        [found] = self._simulated("".join("f,chain,tree,64,1,compute,0,0.25\n" for _ in range(8)))
        self._near(found, 2)

    def test_all_to_all_doubles_what_it_sends(self):
        [found] = self._simulated("f,chain,all to all,64,8,compute,0,10\nf,chain,all to all,64,8,all_gather,1000,0\n")
        self._near(found, 10 + (1.5 + 1) + (1.5 + 2) + (1.5 + 4), overlapping=3 * 0.25)

    def test_neighbours_talk_at_the_same_time(self):
        [found] = self._simulated("f,chain,tree,64,16,compute,0,5\nf,chain,tree,64,16,neighbour,500,3\n")
        self.assertLessEqual(found[0], 1.03 * (5 + 2 + 3))

    def test_curves_of_different_numbers_of_nodes_do_not_disturb_each_other(self):
        lines = {nodes: f"f,chain,tree,64,{nodes},compute,0,20\nf,chain,tree,64,{nodes},up,400,1\n" for nodes in (2, 4, 16)}
        alone = [self._simulated(text)[0] for text in lines.values()]
        self.assertEqual(alone, self._simulated("".join(lines.values())))

    def test_what_is_no_schedule_is_refused_with_its_line(self):
        for lines, said in (("f,chain,tree,64,3,compute,0,1\n", ":2: nodes should be 1, 2, 4, ..., not 3"),
                            ("f,chain,tree,64,2,compute,0,1\nf,chain,tree,64,2,sideways,0,1\n", ":3: kind should be"),
                            ("f,chain,tree,64,2,compute,0,-1\n", ":2: microseconds should be a number from 0, not '-1'"),
                            ("f,chain,tree,64,2,compute,0,nan\n", ":2: microseconds"), ("f,chain,tree,64,2,compute,,1\n", ":2: bytes")):
            self.file.write_text(_HEADER + lines)
            result = _run(PROGRAMS[1], self.file, *_NETWORK)
            self.assertEqual(result.returncode, 2, lines)
            self.assertIn(said, result.stderr)
        self.assertEqual(_run(PROGRAMS[1], self.file, *_NETWORK[2:]).returncode, 2, "no latency")
        self.assertEqual(_run(PROGRAMS[1], self.file.with_name("none.csv"), *_NETWORK).returncode, 2)


class PieceCosts(unittest.TestCase):
    def test_a_small_run_has_every_algorithm_with_the_messages_that_it_sends(self):
        with tempfile.TemporaryDirectory() as folder:
            result = _run(PROGRAMS[0], folder, "--quick")
            self.assertEqual(result.returncode, 0, result.stderr)
            rows = list(csv.DictReader((Path(folder) / "schedules.csv").read_text().splitlines()))
            self.assertTrue((Path(folder) / "provenance.json").exists())
        curves = {(row["formulation"], row["family"], row["exchange"]) for row in rows}
        for formulation in ("hdca[leaf=subchain]", "dca[leaf=subchain]"):
            self.assertLessEqual({(formulation, family, exchange) for family in ("chain", "loop") for exchange in ("tree", "all to all")}, curves)
        self.assertIn(("hdca", "tree", "tree"), curves)
        self.assertIn(("dca-alm", "ladder", "tree"), curves)
        sent = {formulation: [int(row["bytes"]) for row in rows if row["kind"] == "all_gather" and row["family"] == "chain"
                              and row["formulation"].startswith(f"{formulation}[") and row["nodes"] == "4"] for formulation in ("hdca", "dca")}
        self.assertEqual(len(sent["hdca"]), 1, "momenta have one exchange")
        self.assertEqual(len(sent["dca"]), 2, "accelerations have two")
        self.assertEqual(sent["dca"], [88, sent["hdca"][0]], "the turns, then the report of a segment")
        self.assertTrue(all(float(row["microseconds"]) > 0 for row in rows if row["kind"] == "compute"))

    def test_two_processes_need_two_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            result = _run(PROGRAMS[0], folder, "--two-processes")
        self.assertEqual(result.returncode, 2)
        self.assertIn("mpirun -n 2", result.stderr + "mpirun -n 2" * ("without MPI" in result.stderr))


if __name__ == "__main__":
    PROGRAMS = [program for program in sys.argv[1:] if program]
    del sys.argv[1:]
    outcome = unittest.main(exit=False).result
    sys.exit(1 if not outcome.wasSuccessful() else 77 if outcome.skipped else 0)
