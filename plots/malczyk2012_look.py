"""Names and looks of the mechanisms and formulations in [Malczyk2012]."""
from matplotlib.lines import Line2D

from records import value_of

# Key of the records: (name in files, title).
MODELS = {
    "five_bar:shape=rect": ("rect", "five-bar, regular"),
    "five_bar:shape=rhombus": ("rhombus", "rhombus, folds in every swing"),
    "five_bar:shape=line": ("line", "line, starts folded"),
    "coupled_loops": ("coupled", "coupled loops"),
}
RUN = {"tolerance": 1e-6, "end": 10}

# Key of the records: (name in files, label, colour, line).
VARIANTS = {
    "dca-alm": ("alm", "penalty", "#CC79A7", "-"),
    "dca-alm[omega=0]": ("alm_plain", "penalty, mu = Omega = 0", "#CC79A7", (0, (4, 1.5))),
    "dca-alm-proj": ("alm_proj", "projections", "#000000", "-"),
    "dca": ("dca", "DCA", "#0072B2", "-"),
    "dca[loops=proximal]": ("dca_proximal", "DCA, proximal loops", "#56B4E9", (0, (4, 1.5))),
    "hdca": ("hdca", "HDCA", "#D55E00", "-"),
    "hdca[gauge=leak,leak=5]": ("hdca_leak", "HDCA, gauge control", "#009E73", (0, (1, 1.2))),
    "hdca[gauge=leak,leak=5,loops=proximal]": ("hdca_proximal", "HDCA, gauge control, proximal loops", "#E69F00", (0, (4, 1.5))),
    "bae-haug": ("bae_haug", "Bae-Haug", "#999999", "-"),
}
PENALTY, PROJECTED = "dca-alm", "dca-alm-proj"
# Those of the figures; the others stand in the table.
SHOWN = (PENALTY, PROJECTED, "dca", "hdca", "hdca[gauge=leak,leak=5]", "bae-haug")


def look(variant):
    """Keyword arguments of `plot`."""
    _, _, colour, line = VARIANTS[variant]
    return {"color": colour, "linestyle": line, "linewidth": 0.9}


def handles(variants):
    return [Line2D([], [], label=VARIANTS[variant][1], **look(variant)) for variant in variants]


def of_model(records, model):
    """Records of one mechanism."""
    return [record for record in records if record.mechanism == model]


def number_of(results, model, quantity, variant, **parameters):
    """One number of a run with ode45, or None."""
    return value_of(of_model(results.records, model), quantity, variant, "ode45", **(parameters or RUN))
