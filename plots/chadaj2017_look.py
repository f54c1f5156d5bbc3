"""Names and looks of the three cases and of the variants of DCA and HDCA in [Chadaj2017]."""
from matplotlib.lines import Line2D

from records import select, value_of

CASES = {"four_bar": "case 1: four bodies", "loop8": "case 2: eight bodies", "double_loop": "case 3: two loops"}
INTEGRATORS = ("ode45", "ode113", "ode23")

# Key of the records: (label, colour, marker, filled, line). HDCA has open markers, as everywhere; gauge control is green.
VARIANTS = {
    "dca": ("DCA", "#0072B2", "o", True, "-"),
    "dca[baumgarte_alpha=10,baumgarte_beta=10]": ("DCA, Baumgarte", "#56B4E9", "v", True, (0, (4, 1.5))),
    "hdca[cut_axes=body]": ("HDCA", "#D55E00", "s", False, "-"),
    "hdca": ("HDCA, world axes", "#E69F00", "^", False, (0, (4, 1.5))),
    "hdca[cut_axes=body,gauge=leak,leak=5]": ("HDCA, gauge control", "#009E73", "D", False, (0, (1, 1.2))),
}
DCA, HDCA, LEAK = "dca", "hdca[cut_axes=body]", "hdca[cut_axes=body,gauge=leak,leak=5]"
# Names in files of trajectories.
SHOWN = {"dca": DCA, "hdca": HDCA, "hdca_leak": LEAK}


def label(variant):
    return VARIANTS[variant][0] if variant in VARIANTS else variant


def look(variant, markers=True):
    """Keyword arguments of `plot`."""
    _, colour, marker, filled, line = VARIANTS[variant]
    keywords = {"color": colour, "linestyle": line}
    if markers:
        keywords |= {"marker": marker, "markerfacecolor": colour if filled else "white"}
    return keywords


def handles(variants, markers=True):
    return [Line2D([], [], label=label(variant), **look(variant, markers)) for variant in variants]


def of_case(results, case):
    """Records of one mechanism."""
    return [record for record in results.records if record.mechanism == case]


def number_of(results, case, quantity, variant, integrator, **parameters):
    """One number of one case, or None."""
    return value_of(of_case(results, case), quantity, variant, integrator, **parameters)


def by_tolerance(results, case, quantity, variant, integrator):
    """{tolerance: value} of one quantity of a run."""
    records = select(of_case(results, case), quantity, variant, integrator, tolerance=...)
    return dict(sorted((float(record.parameters["tolerance"]), record.value) for record in records))
