"""[Malczyk2012], section 4: accuracy, iterations, penalties and cost."""
from malczyk2012_look import MODELS, PENALTY, PROJECTED, RUN, VARIANTS, number_of, of_model
from records import select, value_of
from table_definition import TableDefinition

_MEASURES = {"function_evaluations": "evaluations", "largest_position_violation": "max |Phi| [m]",
             "largest_velocity_violation": "max |Phi'| [m/s]", "largest_acceleration_violation": "max |Phi''|",
             "largest_energy_error": "energy error [J]"}
_PROTOTYPE = ("largest_position_violation", "largest_velocity_violation", "largest_energy_error")
_LEVELS = ("position", "velocity", "acceleration")
_TIMED = {"dca": "DCA", "dca[loops=proximal]": "DCA, proximal loops", "hdca": "HDCA", "dca-alm[omega=0]": "penalty", PROJECTED: "projections"}


def _prototype(results, model, quantity, variant, parameters):
    for record in select(of_model(results.records, model), quantity, variant, "ode45", **parameters):
        return record.expected_value
    return None


def _accuracy(results):
    rows = []
    for model, (name, _) in MODELS.items():
        for end in (5, 10):
            parameters = RUN | {"end": end}
            for variant, (_, label, *_) in VARIANTS.items():
                values = [number_of(results, model, quantity, variant, **parameters) for quantity in _MEASURES]
                if values[0] is not None:
                    beside = [_prototype(results, model, quantity, variant, parameters) for quantity in _PROTOTYPE]
                    rows.append([name, label, float(end), *values, *beside])
    return rows


def _iterations(results):
    rows = []
    for model, (name, _) in MODELS.items():
        for variant in (PENALTY, PROJECTED):
            for level in _LEVELS:
                values = [number_of(results, model, f"{what}_{level}_iterations", variant) for what in ("mean", "most_regular", "most_singular")]
                if values[0]:
                    rows.append([name, VARIANTS[variant][1], level, *values])
    return rows


def _penalties(results):
    rows = []
    for record in select(results.records, "function_evaluations", None, "ode45", **RUN, sweep="penalty"):
        records = of_model(results.records, record.mechanism)
        rest = [value_of(records, quantity, record.formulation, "ode45", **RUN, sweep="penalty")
                for quantity in ("largest_position_violation", "largest_energy_error", *(f"mean_{level}_iterations" for level in _LEVELS))]
        alpha = record.formulation.split("alpha=")[1].rstrip("]")
        rows.append([MODELS[record.mechanism][0], float(alpha), record.value, *rest])
    return rows


def _cost(results):
    rows = []
    for record in select(results.timings, "time_per_projection_and_body", PROJECTED, "", bodies=...):
        bodies = record.parameters["bodies"]
        own = of_model(results.timings, record.mechanism)

        def nanoseconds(quantity, variant):
            value = value_of(own, quantity, variant, "", bodies=bodies)
            return None if value is None else 1e9 * value

        passes = [value_of(of_model(results.records, record.mechanism), f"{level}_iterations", PROJECTED, "", bodies=bodies)
                  for level in ("acceleration", "position")]
        rows.append([float(bodies), *(nanoseconds("time_per_evaluation_and_body", variant) for variant in _TIMED),
                     nanoseconds("time_per_projection_and_body", PROJECTED), *passes])
    return rows


TABLES = [
    TableDefinition("accuracy", "Largest violations and energy errors, ode45 at the tolerance 1e-6",
                    "Violations of all joints where coordinates are absolute, of the cut joints otherwise. An independent prototype with "
                    "another step control ran some of them; the paper prints no numbers.",
                    lambda results: ["mechanism", "formulation", "until [s]", *_MEASURES.values(), "prototype: max |Phi|", "max |Phi'|",
                                     "energy error"], _accuracy, digits=2),
    TableDefinition("iterations", "Passes over the multipliers at accepted steps",
                    "At most 10 are made. Near singular positions: where the smallest singular value of Phi_q is below a hundredth of its "
                    "largest in the run.",
                    lambda results: ["mechanism", "variant", "level", "mean", "most elsewhere", "most near singular positions"], _iterations),
    TableDefinition("penalties", "Penalties, dca-alm-proj, 10 s",
                    "In dual form a large penalty costs no accuracy.",
                    lambda results: ["mechanism", "alpha", "evaluations", "max |Phi| [m]", "energy error [J]", "passes, positions",
                                     "velocities", "accelerations"], _penalties),
    TableDefinition("cost", "Processor time per body of one right-hand side and of the projections of a step [ns], loop of links",
                    "The fastest of nine batches. The projections take back a disturbance of 1e-6 in every coordinate.",
                    lambda results: ["bodies", *_TIMED.values(), "projections of a step", "passes, accelerations", "passes, positions"], _cost),
]
