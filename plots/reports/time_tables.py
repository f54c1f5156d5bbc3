"""Tables of measured times, made from results/reference: what studies of right-hand sides measured on a quiet machine.

A time that was not measured stands as such; what a formulation or an engine cannot do leaves its cell empty. Of every
study the reference has times.csv (rows of timings.csv), counts.csv (rows of records.csv), claims.csv and (provenance.json): times of one machine are not compared with those of another, so nothing else is kept."""
import csv
import json
import shutil

from reading.input_error import InputError

# What is kept of every study: quantities of timings.csv and of records.csv.
_KEPT = {"batches": (("time_per_evaluation", "time_per_state_4096", "time_per_state_4096x2"), ()),
         "batches_avx2": (("time_per_evaluation", "time_per_state_4096"), ()),
         "derivatives": (("jacobian_time", "jacobian_cost", "direction_cost", "weights_cost"), ("components", "jacobian_error")),
         "exact_jacobians": ((), ("evaluations", "jacobians", "iterations")),
         "gradients": (("gradient_cost",), ("gradient_error",)),
         "parts": (("time_per_body",), ("bodies",)),
         "speedup": (("time_per_body",), ("bodies",)),
         "worked_examples": (("gradient_cost",), ("numbers", "gradient_error", "objective_at_start", "objective_at_end", "iterations", "gradients",
                                                  "parameter_error", "end_error", "end_speed"))}
STUDIES = tuple(_KEPT)


class Times:
    """The times of one study: {(mechanism, formulation, quantity): value}."""

    def __init__(self, folder, study):
        self.folder = folder / study
        self.values, self.mechanisms, self._disturbed = {}, [], set()
        with (self.folder / "times.csv").open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                key = (row["mechanism"], row["formulation"], row["quantity"])
                if row["mechanism"] and row["mechanism"] not in self.mechanisms:
                    self.mechanisms.append(row["mechanism"])
                if row["verdict"] == "not measured":
                    self._disturbed.add(key)
                elif row["value"]:
                    self.values[key] = float(row["value"])
        self._formulations = {formulation for _, formulation, _ in self.values} | {formulation for _, formulation, _ in self._disturbed}

    def value(self, mechanism, formulation, quantity):
        """None: not measured, or there is no such value. Raises InputError for a formulation that the study does not have."""
        if formulation not in self._formulations:
            raise InputError(self.folder, f"no times of {formulation}: freeze a run of the present study")
        return self.values.get((mechanism, formulation, quantity))

    def has(self, formulation, quantity, mechanisms):
        """Whether there is a value of any of the mechanisms, or one that was disturbed."""
        known = self.values.keys() | self._disturbed
        return any((mechanism, formulation, quantity) in known for mechanism in mechanisms)

    def measured(self, mechanism, formulations):
        """Those of some formulations of which there is any value."""
        return [own for own in formulations if any(key[:2] == (mechanism, own) for key in self.values)]

    def cell(self, mechanism, formulation, quantity, unit=1.0, digits=3):
        """`unit` in seconds: 1e-6 for microseconds."""
        value = self.value(mechanism, formulation, quantity)
        if value is not None:
            return _rounded(value / unit, digits)
        return "not measured" if (mechanism, formulation, quantity) in self._disturbed else ""


def freeze(results, reference):
    """Takes over what tables need of one study. Raises InputError for a quick run, whose sizes are others."""
    if json.loads((results / "provenance.json").read_text(encoding="utf-8"))["made_by"]["quick"]:
        raise InputError(results, "a run with --quick is not frozen")
    reference.mkdir(parents=True, exist_ok=True)
    for name, target, quantities in zip(("timings.csv", "records.csv"), ("times.csv", "counts.csv"), _KEPT[results.name]):
        with (results / name).open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            rows = [row for row in reader if row["quantity"] in quantities and "repetition=" not in row["parameters"]]
            columns = reader.fieldnames
        (reference / target).unlink(missing_ok=True)
        if rows:
            with (reference / target).open("w", newline="", encoding="utf-8") as stream:
                writer = csv.DictWriter(stream, columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    _join_tables([results / "claims.csv", results / "timing_claims.csv"], reference / "study_claims.csv")
    shutil.copyfile(results / "provenance.json", reference / "machine.json")


def _rounded(value, digits):
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e" in text else text


def _ratio(above, below):
    return "" if above is None or below is None else _rounded(above / below, 2)


_STATES = ("time_per_evaluation", "time_per_state_4096", "time_per_state_4096x2")
# Columns of engines: formulation, quantity, heading.
_OF_TREES = (("pinocchio", "time_per_state_4096", "Pinocchio"), ("mujoco", "time_per_state_4096", "MuJoCo"),
             ("rollout", "time_per_state_4096", "MuJoCo rollout"), ("rollout", "time_per_state_4096x2", "MuJoCo rollout, two threads"),
             ("drake", "time_per_state_4096", "Drake"))
_OF_LOOPS = (("pinocchio", "time_per_state_4096", "Pinocchio, proximal"), ("mujoco", "time_per_state_4096", "MuJoCo, soft"),
             ("rollout", "time_per_state_4096", "MuJoCo rollout, soft"), ("rollout", "time_per_state_4096x2", "MuJoCo rollout, soft, two threads"))
_OF_DERIVATIVES = (("pinocchio", "jacobian_time", "Pinocchio, analytical"), ("mujoco", "jacobian_time", "MuJoCo, centred differences"),
                   ("drake", "jacobian_time", "Drake, automatic"), ("casadi[timeout=600]", "jacobian_time", "CasADi, automatic"),
                   ("casadi-compiled[timeout=600]", "jacobian_time", "CasADi, automatic, compiled"))


def _shown(times, columns, mechanisms):
    """The columns of which the reference has anything: a run without an engine, or older than it, has none for it."""
    return [column for column in columns if times.has(*column[:2], mechanisms)]


def _engine_cells(times, mechanism, columns):
    return [times.cell(mechanism, formulation, quantity, 1e-6) for formulation, quantity, _ in columns]


def _trees_and_loops(times, quantity):
    """Mechanisms that `aba` has a time of, disturbed or not, and the others, which have closed loops."""
    trees = [mechanism for mechanism in times.mechanisms if times.has("aba", quantity, [mechanism])]
    return trees, [mechanism for mechanism in times.mechanisms if mechanism not in trees]


def _ratio_of_best(times, mechanism, columns, quantity):
    """The fastest of the engines over the fastest of ours, both by `quantity`."""
    def best(formulations):
        return min((value for formulation in formulations if (value := times.value(mechanism, formulation, quantity)) is not None), default=None)
    return _ratio(best([formulation for formulation, own, _ in columns if own == quantity]), best(("aba", "naudet")))


def batches(folder):
    """Microseconds a state of open trees: ours one at a time, in lanes, on two threads; engines as each takes them."""
    times = Times(folder, "batches")
    trees, _ = _trees_and_loops(times, "time_per_evaluation")
    engines = _shown(times, _OF_TREES, trees)
    rows = [[f"`{mechanism}`", *(times.cell(mechanism, formulation, quantity, 1e-6) for formulation in ("aba", "naudet") for quantity in _STATES),
             *_engine_cells(times, mechanism, engines), _ratio_of_best(times, mechanism, engines, "time_per_state_4096")] for mechanism in trees]
    return ["mechanism", "`aba` alone", "in lanes", "two threads", "`naudet` alone", "in lanes", "two threads", *(heading for *_, heading in engines),
            "best other / best of ours, one core"], rows


def batches_of_loops(folder):
    """The same of closed loops, in accelerations and in momenta, as far as they were measured."""
    times = Times(folder, "batches")
    _, loops = _trees_and_loops(times, "time_per_evaluation")
    engines, rows = _shown(times, _OF_LOOPS, loops), []
    for mechanism in loops:
        for formulation in times.measured(mechanism, ("bae-haug", "hdca", "naudet")):
            alone, lanes, two = (times.value(mechanism, formulation, quantity) for quantity in _STATES)
            cells = [times.cell(mechanism, formulation, quantity, 1e-6) for quantity in _STATES]
            rows.append([f"`{mechanism}`", f"`{formulation}`", cells[0], cells[1], _ratio(alone, lanes), cells[2], _ratio(lanes, two),
                         *_engine_cells(times, mechanism, engines)])
    return ["mechanism", "", "alone", "in lanes", "times as fast", "two threads", "times as fast", *(heading for *_, heading in engines)], rows


def batches_avx2(folder):
    """Nanoseconds a state with four lanes, and how many times as fast that is as one alone."""
    times, rows = Times(folder, "batches_avx2"), []
    for mechanism in times.mechanisms:
        for formulation in times.measured(mechanism, ("aba", "naudet", "bae-haug", "hdca")):
            cells = [times.cell(mechanism, formulation, quantity, 1e-9) for quantity in _STATES[:2]]
            rows.append([f"`{mechanism}`", f"`{formulation}`", *cells, _ratio(*(times.value(mechanism, formulation, quantity) for quantity in _STATES[:2]))])
    return ["mechanism", "", "alone", "in four lanes", "times as fast"], rows


def _join_tables(sources, target):
    """Rows of tables of the same columns, of those that there are."""
    lines = [source.read_text(encoding="utf-8").splitlines(keepends=True) for source in sources if source.is_file()]
    target.write_text("".join([*lines[0][:1], *(line for table in lines for line in table[1:])]), encoding="utf-8")


def _counts(folder, study, quantity):
    """{(mechanism, formulation): value} of a quantity that no clock has measured; names of mechanisms in their order."""
    found, mechanisms = {}, []
    with (folder / study / "counts.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["quantity"] == quantity:
                mechanisms += [row["mechanism"]] if row["mechanism"] not in mechanisms else []
                if row["value"]:
                    found[row["mechanism"], row["formulation"]] = float(row["value"])
    return found, mechanisms


def _error(value):
    return "" if value is None else f"{value:.1e}"


def derivatives(folder):
    """Microseconds of all derivatives of open trees, and the same in right-hand sides of the same program."""
    times = Times(folder, "derivatives")
    trees, _ = _trees_and_loops(times, "jacobian_time")
    engines, rows = _shown(times, _OF_DERIVATIVES, trees), []
    for mechanism in trees:
        cells = []
        for formulation in ("aba", "naudet"):
            cells += [times.cell(mechanism, formulation, "jacobian_time", 1e-6), times.cell(mechanism, formulation, "jacobian_cost")]
        rows.append([f"`{mechanism}`", *cells, *_engine_cells(times, mechanism, engines), _ratio_of_best(times, mechanism, engines, "jacobian_time")])
    return ["mechanism", "`aba`", "right-hand sides", "`naudet`", "right-hand sides", *(heading for *_, heading in engines),
            "best other / best of ours"], rows


def _costs(folder, loops, formulations):
    """Right-hand sides that all derivatives take, those times a direction, and weights times them; how many components the state has."""
    times, (components, _) = Times(folder, "derivatives"), _counts(folder, "derivatives", "components")
    rows = []
    for mechanism in _trees_and_loops(times, "jacobian_time")[loops]:
        counted = {components[mechanism, formulation] for formulation in formulations if (mechanism, formulation) in components}
        cells = [[times.cell(mechanism, formulation, f"{part}_cost", digits=2) for part in ("jacobian", "direction", "weights")] for formulation in formulations]
        rows.append([f"`{mechanism}`", ", ".join(f"{count:g}" for count in sorted(counted)), *(", ".join(own) if any(own) else "" for own in cells)])
    return ["mechanism", "components", *(f"`{formulation}`" for formulation in formulations)], rows


def derivative_costs(folder):
    """Of open trees."""
    return _costs(folder, False, ("aba", "naudet"))


def derivative_costs_of_loops(folder):
    """Of closed loops, where states may have different numbers of components."""
    return _costs(folder, True, ("bae-haug", "hdca", "naudet", "naudet-acc", "dense"))


def _derivative_errors(folder, columns):
    """Errors of derivatives against numbers of 113 bits, of what has any of them."""
    errors, mechanisms = _counts(folder, "derivatives", "jacobian_error")
    shown = [(key, heading) for key, heading in columns if any(formulation == key for _, formulation in errors)]
    compared = [mechanism for mechanism in mechanisms if any((mechanism, key) in errors for key, _ in shown)]
    return (["mechanism", *(heading for _, heading in shown)],
            [[f"`{mechanism}`", *(_error(errors.get((mechanism, key))) for key, _ in shown)] for mechanism in compared])


def derivative_errors(folder):
    """Of open trees."""
    return _derivative_errors(folder, [("aba", "`aba`"), ("naudet", "`naudet`"), *((key, name) for key, _, name in _OF_DERIVATIVES)])


def derivative_errors_of_loops(folder):
    """Of closed loops, along directions that keep them closed."""
    return _derivative_errors(folder, [("bae-haug", "`bae-haug`")])


def gradients(folder):
    """What gradients of runs cost in runs, and their errors: of a recursion of trees, or of its like on loops."""
    times, (errors, mechanisms) = Times(folder, "gradients"), _counts(folder, "gradients", "gradient_error")
    shown = ("aba", "naudet", "bae-haug[projection=velocities]", "hdca[projection=velocities]")
    rows = [[f"`{mechanism}`", *(times.cell(mechanism, key, "gradient_cost", digits=2) for key in shown),
             *(_error(errors.get((mechanism, tree), errors.get((mechanism, loop)))) for tree, loop in zip(shown[:2], shown[2:]))] for mechanism in mechanisms]
    return ["mechanism", *(f"`{key}`, runs" for key in shown), "`aba` (loops: `bae-haug`), error", "`naudet` (loops: `hdca`), error"], rows


def exact_jacobians(folder):
    """Evaluations of `aba` with exact Jacobians and how many Jacobians there were; in brackets evaluations with differences."""
    counts, mechanisms, integrators = {}, [], []
    with (folder / "exact_jacobians" / "counts.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["formulation"] == "aba" and row["quantity"] in ("evaluations", "jacobians"):
                name = row["mechanism"].removeprefix("mechanisms/").removesuffix(".toml").replace("_", " ")
                mechanisms += [name] if name not in mechanisms else []
                integrators += [row["integrator"]] if row["integrator"] not in integrators else []
                kind = "exact" if "jacobian=exact" in row["parameters"].split(";") else "differences"
                counts[name, row["integrator"], row["quantity"], kind] = row["value"]
    rows = []
    for name in mechanisms:
        cells = []
        for integrator in integrators:
            exact, differences, jacobians = (counts.get((name, integrator, quantity, kind), "") for quantity, kind in
                                             (("evaluations", "exact"), ("evaluations", "differences"), ("jacobians", "exact")))
            cells.append(f"{exact or 'fails'} ({differences or 'fails'}), {jacobians or 0}")
        rows.append([name, *cells])
    return ["evaluations (with differences), Jacobians", *(f"`{integrator}`" for integrator in integrators)], rows


_RECURSIONS = ("aba", "naudet", "bae-haug[threads=1]")
_SHARED = ("bae-haug", "dca", "hdca", "dca-alm")


def _fastest(times, mechanism, formulations):
    """(formulation, seconds a body) of the fastest that was measured; (None, None) where none was."""
    found = [(times.value(mechanism, formulation, "time_per_body"), formulation) for formulation in formulations]
    seconds, formulation = min(((seconds, formulation) for seconds, formulation in found if seconds is not None), default=(None, None))
    return formulation, seconds


def _named(times):
    """{mechanism: its key with its number of bodies}."""
    with (times.folder / "counts.csv").open(newline="", encoding="utf-8") as stream:
        bodies = {row["mechanism"]: row["value"] for row in csv.DictReader(stream) if row["quantity"] == "bodies" and row["value"]}
    return {mechanism: f"`{mechanism}` ({float(bodies[mechanism]):g})" if mechanism in bodies else f"`{mechanism}`" for mechanism in times.mechanisms}


def times_a_body(folder):
    """Nanoseconds a body on one thread."""
    times = Times(folder, "speedup")
    rows = []
    for mechanism, name in _named(times).items():
        recursion, seconds = _fastest(times, mechanism, _RECURSIONS)
        rows.append([name, f"{_rounded(seconds / 1e-9, 3)} (`{recursion.partition('[')[0]}`)" if recursion else "",
                     *(times.cell(mechanism, formulation, "time_per_body", 1e-9) for formulation in
                       ("dca[threads=1]", "hdca[threads=1]", "dca[leaf=body]", "hdca[leaf=body,gauge=none]", "dca-alm[threads=1]"))])
    return ["mechanism (bodies)", "fastest recursion", "`dca`", "`hdca`", "`dca[leaf=body]`", "`hdca[leaf=body,gauge=none]`", "`dca-alm`"], rows


def shared_by_two(folder):
    """Speedups on two threads and on two processes against the same formulation on one, and of the fastest on two against the
    fastest recursion."""
    times = Times(folder, "speedup")
    rows = []
    for mechanism, name in _named(times).items():
        cells, two = [], []
        for formulation in _SHARED:
            alone = times.value(mechanism, f"{formulation}[threads=1]", "time_per_body")
            variants = (f"{formulation}[threads=2]", f"{formulation}[threads=1,processes=2]")
            two += variants
            cells.append(", ".join(_ratio(alone, times.value(mechanism, variant, "time_per_body")) or "–" for variant in variants))
        fastest, seconds = _fastest(times, mechanism, two)
        rows.append([name, *cells, f"`{fastest}`" if fastest else "", _ratio(_fastest(times, mechanism, _RECURSIONS)[1], seconds)])
    return ["mechanism (bodies)", *(f"`{formulation}`" for formulation in _SHARED), "fastest on two", "against the fastest recursion"], rows


def parts(folder):
    """Nanoseconds a body over the size of parts; of two threads and processes how many times as fast as one part on one thread."""
    times = Times(folder, "parts")
    rows = []
    for mechanism, name in _named(times).items():
        for formulation in _SHARED[:3]:
            whole = times.value(mechanism, f"{formulation}[threads=1]", "time_per_body")
            sizes = (512, 256, 128, 32, "body") if formulation == "dca" else (512,)
            alone = [times.cell(mechanism, f"{formulation}[leaf={size},threads=1]", "time_per_body", 1e-9) for size in sizes]
            alone += [""] * (5 - len(alone))
            two = [times.value(mechanism, f"{formulation}[leaf={size},threads={end}]", "time_per_body") if size in sizes else None
                   for size, end in ((512, "2"), (256, "2"), (128, "2"), (512, "1,processes=2"))]
            rows.append([name, f"`{formulation}`", times.cell(mechanism, f"{formulation}[threads=1]", "time_per_body", 1e-9), *alone,
                         *(_ratio(whole, seconds) for seconds in two)])
    return ["mechanism (bodies)", "", "one part", "512", "256", "128", "32", "a body", "512, two threads", "256", "128", "512, two processes"], rows


def worked_examples(folder):
    """What the worked examples of gradients have found, and what their gradients cost."""
    with (folder / "worked_examples" / "counts.csv").open(newline="", encoding="utf-8") as stream:
        records = list(csv.DictReader(stream))
    times, rows = Times(folder, "worked_examples"), []
    for example in dict.fromkeys(record["mechanism"] for record in records):
        own = {record["quantity"]: record for record in records if record["mechanism"] == example}
        number = {quantity: float(record["value"]) for quantity, record in own.items() if record["value"]}
        ends = [f"{number[quantity]:.1e} {own[quantity]['unit']}" for quantity in ("end_error", "end_speed") if quantity in number]
        found = f"all numbers to {number['parameter_error']:.1e}" if "parameter_error" in number else f"at the end off by {' and '.join(ends)}"
        rows.append([f"`{example}`", f"{number['numbers']:g}", found, f"{number['objective_at_start']:.2g}", f"{number['objective_at_end']:.2g}",
                     f"{number['iterations']:g}, {number['gradients']:g}",
                     _error(number["gradient_error"]) if "gradient_error" in number else "no reference",
                     times.cell(example, own["numbers"]["formulation"], "gradient_cost", digits=2)])
    return ["example", "numbers", "found", "objective at the start", "at the end", "iterations, gradients", "error of a gradient", "a gradient, runs"], rows


def claims_of(folder, study):
    """What the study says of what it measured."""
    with (folder / study / "study_claims.csv").open(newline="", encoding="utf-8") as stream:
        rows = [[row["statement"].replace("|", r"\|"), f"{row['held']} of {row['parts']}", row["verdict"]] for row in csv.DictReader(stream)]
    if not rows:
        raise InputError(folder / study, "no claim on times: freeze a whole run")
    return ["statement", "held", "verdict"], rows
