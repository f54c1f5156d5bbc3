"""Numbers in README.md and docs are those of results/reference."""
import contextlib
import csv
import io
import json
import re
import sys
import tomllib
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent), str(ROOT / "plots")]

import document_tables
from reading.input_error import InputError
from plot_checks import InTemporaryDirectory
from reports import time_tables


class Documents(unittest.TestCase):
    def test_no_document_differs_from_the_frozen_results(self):
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
            code = document_tables.main(["--check"])
        self.assertEqual((code, output.getvalue(), errors.getvalue()), (0, "", ""))

    def test_a_number_that_was_typed_is_seen(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertIn("| 3493 |", text)
        self.assertEqual(document_tables.written(text.replace("| 3493 |", "| 3494 |")), text)
        with self.assertRaisesRegex(InputError, "no table unknown; there are what_is_reproduced"):
            document_tables.written("<!-- table unknown -->\n<!-- end of table -->")

    def test_a_number_that_was_typed_into_a_sentence_is_seen(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertIn("<!-- number hdca_savings -->9 %<!-- end -->", text)  # 3169 of 3493: both are published
        self.assertEqual(document_tables.written(text.replace("-->9 %<", "-->19 %<")), text)
        with self.assertRaisesRegex(InputError, "no number unknown; there are hdca_savings"):
            document_tables.written("<!-- number unknown -->1<!-- end -->")

    def test_frozen_claims_are_those_that_the_studies_make(self):
        # Those of the simulated cluster are made from its numbers (simulated_cluster_test.py).
        for frozen in (file for file in (ROOT / "results" / "reference").glob("*/claims.csv") if file.parent.name != "simulated_cluster"):
            study = tomllib.loads((ROOT / "experiments" / "studies" / "papers" / f"{frozen.parent.name}.toml").read_text(encoding="utf-8"))
            claims = {claim["text"]: claim for claim in study["claims"]}
            with frozen.open(encoding="utf-8", newline="") as rows:
                for row in csv.DictReader(rows):
                    with self.subTest(study=frozen.parent.name, claim=row["statement"]):
                        reason = claims[row["statement"]].get("not_measured")
                        self.assertEqual(row["measured"] if row["verdict"] == "not measured" else None, reason)

    def test_the_ledger_and_the_tables_count_the_same(self):
        with (ROOT / "results" / "reference" / "ledger.csv").open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for paper in document_tables._PAPERS:
            claims = document_tables.open_results(document_tables._REFERENCE / paper).claims
            sentences = [row for row in rows if row["experiment"] == paper and row["kind"] == "sentence"]
            study = tomllib.loads((ROOT / "experiments" / "studies" / "papers" / f"{paper}.toml").read_text(encoding="utf-8"))
            self.assertEqual({row["sentence"] for row in sentences}, {claim["text"] for claim in study["claims"]}, "every sentence has its row")
            own = [row for row in sentences if row["verdict"] != "judged where it is run"]
            self.assertEqual([row["sentence"] for row in own], [claim.statement for claim in claims])
            self.assertEqual([row["source"] == "ours" for row in own], [claim.is_ours for claim in claims])
        for row in rows:
            with self.subTest(row=row["sentence"]):
                self.assertLessEqual(int(row["k"]), int(row["n"]))
                self.assertTrue(int(row["n"]) > 0 or row["verdict"] in ("not measured", "not there", "fitted", "judged where it is run"), "a verdict needs a part that was tested")

    def test_every_table_is_shown(self):
        texts = [(ROOT / file).read_text(encoding="utf-8") for file in document_tables.DOCUMENTS]
        self.assertEqual({name for text in texts for name in re.findall("<!-- table (.*) -->", text)}, set(document_tables.TABLES))
        text = (ROOT / "docs" / "understanding" / "papers" / "papers.md").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall("<!-- number (.*?) -->", text)), set(document_tables.NUMBERS))

    def test_the_first_page_is_short_and_its_links_lead_somewhere(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), 130)
        links = re.findall(r"\]\(([^)#]+)", text)
        self.assertGreater(len(links), 8)
        for link in links:
            self.assertTrue((ROOT / link).exists(), link)

    def test_every_citation_has_its_reference(self):
        references = set(re.findall(r"^- \*\*\[(\w+)\]\*\*", (ROOT / "docs" / "references.md").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertGreater(len(references), 25)
        for file in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
            cited = set(re.findall(r"\[([A-Z]\w+?(?:18|19|20)\d\d)\]", file.read_text(encoding="utf-8")))
            self.assertLessEqual(cited, references, file.name)


class Freezing(InTemporaryDirectory):
    def test_results_that_are_not_there_are_named(self):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(document_tables.main(["--freeze", str(self.directory)]), 1)
        self.assertIn("chadaj2015/records.csv", errors.getvalue())

    def frozen(self, study, rows, quick=False, counts=(), header="mechanism,formulation,parameters,quantity,value,verdict,note\n"):
        """The reference that freezing one study makes of these rows of times."""
        results = self.directory / study
        results.mkdir()
        (results / "provenance.json").write_text(json.dumps({"made_by": {"quick": quick}}), encoding="utf-8")
        (results / "timing_claims.csv").write_text("statement,held,parts,verdict\nours is fast,1,2,mostly holds\n", encoding="utf-8")
        (results / "records.csv").write_text(header + "".join(f"{row}\n" for row in counts), encoding="utf-8")
        (results / "timings.csv").write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
        time_tables.freeze(results, self.directory / "reference" / study)
        return self.directory / "reference"

    def frozen_times(self, quick, note, more=()):
        rows = [f"arm,aba,,time_per_evaluation,2e-6,no published value,{note}", "arm,aba,,time_per_state_4096,1e-7,not measured,disturbed: 9 repetitions", "arm,aba,,steps,3,,",
                "arm,aba,repetition=1,time_per_evaluation,4.5e-6,,", "arm,naudet,,time_per_evaluation,,refused,", "arm,naudet,,time_per_state_4096,3e-6,,", "arm,mujoco,,time_per_state_4096,9e-6,,",
                "arm,pinocchio,,time_per_state_4096,8e-6,,", "loop,aba,,time_per_evaluation,,refused,it has closed loops",
                "loop,bae-haug,,time_per_evaluation,4e-6,,", "loop,bae-haug,,time_per_state_4096,5e-7,,",
                "loop,hdca,,time_per_evaluation,6e-6,,", "loop,hdca,,time_per_state_4096,1e-6,,", "loop,pinocchio,,time_per_state_4096,,refused,"]
        return self.frozen("batches", [*rows, *more], quick)

    def test_times_are_shown_as_they_were_measured(self):
        reference = self.frozen_times(False, "9 repetitions")
        with (reference / "batches" / "times.csv").open(encoding="utf-8", newline="") as stream:
            kept = [(row["mechanism"], row["formulation"], row["quantity"], row["value"]) for row in csv.DictReader(stream)]
        self.assertEqual(len(kept), 12)
        self.assertNotIn("4.5e-6", {value for *_, value in kept}, "single repetitions are not kept")
        header, [row] = time_tables.batches(reference)
        self.assertEqual(row, ["`arm`", "2", "not measured", "", "", "3", "", "8", "9", "2.7"])
        self.assertEqual(header[-3:], ["Pinocchio", "MuJoCo", "best other / best of ours, one core"])
        header, rows = time_tables.batches_of_loops(reference)
        self.assertEqual(rows, [["`loop`", "`bae-haug`", "4", "0.5", "8", "", ""], ["`loop`", "`hdca`", "6", "1", "6", "", ""]])
        self.assertEqual(header[-1], "times as fast", "no engine was measured on a loop")
        self.assertEqual(time_tables.claims_of(reference, "batches")[1], [["ours is fast", "1 of 2", "mostly holds"]])

    def test_four_lanes_beside_one_state(self):
        rows = ["arm,aba,,time_per_evaluation,4e-7,,", "arm,aba,,time_per_state_4096,1.6e-7,,", "loop,hdca,,time_per_evaluation,,not measured,disturbed", "loop,hdca,,time_per_state_4096,1e-6,,"]
        _, rows = time_tables.batches_avx2(self.frozen("batches_avx2", rows))
        self.assertEqual(rows, [["`arm`", "`aba`", "400", "160", "2.5"], ["`loop`", "`hdca`", "not measured", "1000", ""]])

    def test_engines_that_were_measured_have_columns(self):
        reference = self.frozen_times(False, "9 repetitions", [
            "arm,rollout,,time_per_state_4096,7e-6,,", "arm,rollout,,time_per_state_4096x2,4e-6,,", "arm,drake,,time_per_state_4096,2e-5,,",
            "arm,drake,,time_per_state_4096x2,,refused,", "loop,mujoco,,time_per_state_4096,3e-6,,", "loop,rollout,,time_per_state_4096,2.5e-6,,",
            "loop,rollout,,time_per_state_4096x2,,not measured,", "loop,drake,,time_per_state_4096,,refused,"])
        header, [row] = time_tables.batches(reference)
        self.assertEqual(header[7:], ["Pinocchio", "MuJoCo", "MuJoCo rollout", "MuJoCo rollout, two threads", "Drake", "best other / best of ours, one core"])
        self.assertEqual(row[7:], ["8", "9", "7", "4", "20", "2.3"], "two threads are not one core")
        header, rows = time_tables.batches_of_loops(reference)
        self.assertEqual(header[7:], ["MuJoCo, soft", "MuJoCo rollout, soft", "MuJoCo rollout, soft, two threads"])
        self.assertEqual([row[7:] for row in rows], [["3", "2.5", "not measured"]] * 2)

    def test_derivatives_of_every_engine_have_their_columns(self):
        engines = ("mujoco", "drake", "casadi[timeout=600]", "casadi-compiled[timeout=600]")
        rows = [f"arm,{own},,jacobian_{kind},{value},," for own in ("aba", "naudet") for kind, value in (("time", 2e-6), ("cost", 4))]
        rows += [f"arm,{engine},,jacobian_time,{1e-5 * (k + 1)},," for k, engine in enumerate(engines)]
        rows += ["tree,aba,,jacobian_time,2e-6,,", "tree,casadi-compiled[timeout=600],,jacobian_time,,refused,too long", "tree,pinocchio,,jacobian_time,,failed,"]
        header, found = time_tables.derivatives(self.frozen("derivatives", rows))
        self.assertEqual(header[5:], ["MuJoCo, centred differences", "Drake, automatic", "CasADi, automatic", "CasADi, automatic, compiled",
                                      "best other / best of ours"])
        self.assertEqual(found, [["`arm`", "2", "4", "2", "4", "10", "20", "30", "40", "5"], ["`tree`", "2", "", "", "", "", "", "", "", ""]])

    def test_costs_of_derivatives_stand_side_by_side(self):
        parts = (("jacobian", 5.04), ("direction", 2.51), ("weights", 2.0))
        rows = [f"arm,{own},,{part}_cost,{value + more},," for own, more in (("aba", 0), ("naudet", 0.1)) for part, value in parts]
        rows += ["arm,aba,,jacobian_time,,not measured,disturbed"]
        loops = ("bae-haug", "hdca", "naudet-acc", "dense")
        rows += [f"loop,{own},,{part}_cost,{value},," for own in loops for part, value in parts] + ["loop,bae-haug,,jacobian_time,1e-6,,"]
        rows += ["loop,naudet,,direction_cost,,refused,"]
        counts = ["arm,aba,,components,14,,", "arm,naudet,,components,14,,", "loop,bae-haug,,components,6,,", "loop,dense,,components,8,,",
                  "arm,aba,,jacobian_error,2e-16,,", "loop,bae-haug,,jacobian_error,3e-15,,", "loop,naudet,,jacobian_error,,refused,its states"]
        reference = self.frozen("derivatives", rows, counts=counts)
        self.assertEqual(time_tables.derivative_costs(reference)[1], [["`arm`", "14", "5, 2.5, 2", "5.1, 2.6, 2.1"]], "a tree whose time was disturbed is one")
        header, found = time_tables.derivative_costs_of_loops(reference)
        self.assertEqual(header[2:], ["`bae-haug`", "`hdca`", "`naudet`", "`naudet-acc`", "`dense`"])
        self.assertEqual(found, [["`loop`", "6, 8", "5, 2.5, 2", "5, 2.5, 2", "", "5, 2.5, 2", "5, 2.5, 2"]])
        self.assertEqual(time_tables.derivative_errors(reference), (["mechanism", "`aba`"], [["`arm`", "2.0e-16"]]), "what has no reference has no row")
        self.assertEqual(time_tables.derivative_errors_of_loops(reference), (["mechanism", "`bae-haug`"], [["`loop`", "3.0e-15"]]))

    def test_errors_of_gradients_are_those_of_loops_where_there_are_loops(self):
        loops = ("bae-haug[projection=velocities]", "hdca[projection=velocities]")
        rows = [f"{mechanism},{own},,gradient_cost,{value},," for mechanism, value in (("arm", 3), ("bar", 4.12)) for own in loops]
        rows += ["arm,aba,,gradient_cost,2.5,,", "arm,naudet,,gradient_cost,,not measured,", "bar,aba,,gradient_cost,,refused,", "bar,naudet,,gradient_cost,,refused,"]
        counts = [f"{mechanism},{own},,gradient_error,{value},," for mechanism, values in (("arm", (1e-15, 2e-15)), ("bar", (3e-14, 4e-14))) for own, value in zip(loops, values)]
        counts += ["arm,aba,,gradient_error,5e-16,,", "arm,naudet,,gradient_error,6e-15,,", "bar,aba,,gradient_error,,refused,it has loops", "bar,naudet,,gradient_error,,refused,"]
        header, found = time_tables.gradients(self.frozen("gradients", rows, counts=counts))
        self.assertEqual(header[-2:], ["`aba` (loops: `bae-haug`), error", "`naudet` (loops: `hdca`), error"])
        self.assertEqual(found, [["`arm`", "2.5", "not measured", "3", "3", "5.0e-16", "6.0e-15"], ["`bar`", "", "", "4.1", "4.1", "3.0e-14", "4.0e-14"]])

    def test_worked_examples_say_what_they_found(self):
        counts = [f"masses,naudet,,{quantity},{value},,," for quantity, value in
                  (("numbers", 6), ("gradient_error", 3e-15), ("objective_at_start", 1.25), ("objective_at_end", 2e-25), ("iterations", 20), ("gradients", 25), ("parameter_error", 3e-12))]
        counts += [f"five_bar,bae-haug,,{quantity},{value},,closed loops,{unit}" for quantity, value, unit in
                   (("numbers", 18, "1"), ("gradient_error", "", "1"), ("objective_at_start", 30, ""), ("objective_at_end", 0.2, ""), ("iterations", 60, ""),
                    ("gradients", 70, ""), ("end_error", 0.002, "m"), ("end_speed", 0.01, "rad/s"))]
        times = ["masses,naudet,,gradient_cost,2.93,,,runs", "five_bar,bae-haug,,gradient_cost,4,not measured,disturbed,runs"]
        header, rows = time_tables.worked_examples(self.frozen("worked_examples", times, counts=counts, header="mechanism,formulation,parameters,quantity,value,verdict,note,unit\n"))
        self.assertEqual(header[:3], ["example", "numbers", "found"])
        self.assertEqual(rows, [["`masses`", "6", "all numbers to 3.0e-12", "1.2", "2e-25", "20, 25", "3.0e-15", "2.9"],
                                ["`five_bar`", "18", "at the end off by 2.0e-03 m and 1.0e-02 rad/s", "30", "0.2", "60, 70", "no reference", "not measured"]])

    def test_columns_of_engines_are_variants_of_the_studies(self):
        for study, columns in (("batches", (*time_tables._OF_TREES, *time_tables._OF_LOOPS)), ("derivatives", time_tables._OF_DERIVATIVES)):
            declared = tomllib.loads((ROOT / "experiments" / "studies" / f"{study}.toml").read_text(encoding="utf-8"))
            engines = {word for word in declared["variants"].values() if word.partition("[")[0] in declared["engines"]}
            self.assertEqual({formulation for formulation, *_ in columns}, engines)

    def test_quick_runs_are_not_frozen(self):
        with self.assertRaisesRegex(InputError, "a run with --quick is not frozen"):
            self.frozen_times(True, "")

    def test_a_folder_without_studies_of_times_is_named(self):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(document_tables.main(["--freeze-times", str(self.directory)]), 1)
        self.assertIn("none of the studies batches, batches_avx2, derivatives, exact_jacobians, gradients, parts, speedup, worked_examples", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
