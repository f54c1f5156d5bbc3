"""What is said of a simulated cluster, from made-up numbers; the frozen ones are read too."""
import math
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "plots")]

from reports import parallel_cost
import simulated_cluster
from reports.claims import read_claims
from reports.cluster_claims import claim_rows, fastest, read_cluster
from reading.input_error import InputError
from reports.ledger import entries
from papers import Setting
from plot_checks import InTemporaryDirectory
from reading.result_directory import open_results

_FROZEN = ROOT / "results" / "reference" / "simulated_cluster"


class SimulatedClusterTest(InTemporaryDirectory):
    def setUp(self):
        super().setUp()
        pair = self.directory / "two_processes"
        pair.mkdir()
        (self.directory / "network.csv").write_text("latency_us,overhead_us,per_byte_ns\n1,0.25,0.08\n")
        rows = ["formulation,family,exchange,bodies,nodes,simulated_us,estimated_us"]
        for power in range(1, 11):
            nodes = 2**power
            rows.append(f"hdca[leaf=body],chain,tree,{nodes},{nodes},{7 * power},{7 * power}")  # logarithmic
            rows.append(f"dca[leaf=body],chain,tree,{nodes},{nodes},{0.1 * nodes + 7 * power},{7 * power}")  # not so
        for exchange, fixed in (("tree", 5), ("all to all", 0)):
            for power in range(11):
                nodes = 2**power
                per_node = 0.3 * nodes if exchange == "all to all" else fixed * power
                rows.append(f"hdca[leaf=subchain],chain,{exchange},1048576,{nodes},{90000 / nodes + per_node},{90000 / nodes + per_node}")
        self._write("scaling.csv", rows)
        self._write("two_processes/scaling.csv", ["formulation,family,exchange,bodies,nodes,simulated_us,estimated_us",
                                                  "hdca[leaf=subchain],chain,all to all,1024,2,10,10", "hdca[leaf=subchain],loop,all to all,1024,2,10,10"])
        self._write("two_processes/measured.csv", ["formulation,family,bodies,measured_us", "hdca[leaf=subchain],chain,1024,11",
                                                   "hdca[leaf=subchain],loop,1024,20"])

    def _write(self, name, rows):
        (self.directory / name).write_text("\n".join(rows) + "\n")

    def _claim(self, beginning):
        [row] = [row for row in claim_rows(read_cluster(self.directory)) if row[2].startswith(beginning)]
        return row

    def test_what_grows_faster_than_the_logarithm_counts_as_not_held(self):
        row = self._claim("On a simulated cluster with n nodes the cost is O(log2 n)")
        # HDCA at 32 to 1024 nodes, six sizes; DCA's 0.1 n adds 3.2 to 35 at 32 nodes and so on: (0.1 n + 7 l) / l against 7.4 of 16.
        held = sum((0.1 * 2**power + 7 * power) / power <= 1.2 * (1.6 + 28) / 4 for power in range(5, 11))
        self.assertEqual(row[5:7], [6 + held, 12])
        self.assertEqual(row[9:], ["by simulation", "simulation"])

    def test_what_was_not_simulated_is_not_measured(self):
        row = self._claim("On a simulated cluster with n nodes HDCA's cost for closed loops")
        self.assertEqual(row[5:], [0, 0, 0, "nothing was simulated", "not measured", "simulation"])

    def test_two_processes_are_compared_with_what_they_took(self):
        self.assertEqual(self._claim("Two real processes")[5:9], [1, 2, 0, "1 of 2; the largest deviation is 50 %"])

    def test_the_point_where_more_nodes_stop_paying(self):
        cluster = read_cluster(self.directory)
        curve = cluster.curve("hdca[leaf=subchain]", "chain", "all to all", 1 << 20)
        self.assertEqual(fastest(curve).nodes, 512, "90000 / n + 0.3 n is least at 548")
        self.assertEqual(self._claim("All to all")[5:7], [1, 1])

    def test_figure_and_claims_are_written(self):
        self.assertEqual(simulated_cluster.main([str(self.directory)]), 0)
        self.assertTrue((self.directory / "figures" / "simulated_cluster.pdf").exists())
        claims = read_claims(self.directory / "claims.csv")
        self.assertEqual({claim.by for claim in claims}, {"simulation"})
        self.assertTrue(all(claim.is_ours for claim in claims), "a simulation is no measurement of a paper's sentence")

    def test_damaged_files_are_named_with_their_line(self):
        for name, rows, said in (("scaling.csv", ["formulation,family"], "columns"), ("network.csv", ["latency_us,overhead_us,per_byte_ns", "fast,0,0"], "latency_us"),
                                 ("scaling.csv", ["formulation,family,exchange,bodies,nodes,simulated_us,estimated_us", "a,b,c,4,2,nan,1"], "simulated_us")):
            kept = (self.directory / name).read_text()
            self._write(name, rows)
            with self.assertRaisesRegex(InputError, said):
                read_cluster(self.directory)
            (self.directory / name).write_text(kept)

    def test_the_table_of_parallel_cost_shows_the_simulation_beside_the_papers_sentence(self):
        self.assertEqual(simulated_cluster.main([str(self.directory)]), 0)
        papers = {"chadaj2015": open_results(ROOT / "results" / "reference" / "chadaj2015").claims}
        simulated = read_claims(self.directory / "claims.csv")
        [row] = parallel_cost.rows(papers, simulated)
        self.assertEqual(row[3], f"{simulated[0].k_of_n}, by simulation")
        self.assertEqual(parallel_cost.rows(papers)[0][3], "not simulated")

    def test_the_ledger_says_by_what(self):
        self.assertEqual(simulated_cluster.main([str(self.directory)]), 0)
        rows = entries("simulated_cluster", [], read_claims(self.directory / "claims.csv"), [Setting("ours: the network")])
        self.assertEqual({(row.by, row.settings, row.is_ours) for row in rows if row.parts}, {("simulation", "ours: the network", True)})


class FrozenClusterTest(unittest.TestCase):
    def test_the_frozen_claims_are_what_the_frozen_numbers_say(self):
        cluster = read_cluster(_FROZEN)
        found = [[claim.experiment, claim.source, claim.statement, claim.criterion, claim.baseline, claim.held, claim.parts, claim.not_tested, claim.measured,
                  claim.verdict, claim.by] for claim in read_claims(_FROZEN / "claims.csv")]
        self.assertEqual(found, claim_rows(cluster))
        self.assertEqual({int(math.log2(point.nodes)) for point in cluster.points}, set(range(11)), "1 to 1024 nodes")
        self.assertEqual({point.family for point in cluster.points}, {"chain", "loop", "ladder", "tree"})


if __name__ == "__main__":
    unittest.main()
