"""How figures look: sizes, the look of each formulation and integrator, and files that do not change between runs."""
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # No display is needed, and the user's own choice of one must not matter.

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter

SINGLE_COLUMN_MM = 88
DOUBLE_COLUMN_MM = 180
_MM_PER_INCH = 25.4
_FEW_DECADES = 10**3.5
_STYLE_FILE = Path(__file__).with_name("mbdbench.mplstyle")

# Each formulation keeps its colour and marker in every figure. The marker tells them apart in grey print; momentum
# formulations have open markers.
_FORMULATION_LOOK = {
    "dca": ("#0072B2", "o", True),
    "hdca": ("#D55E00", "s", False),
    "dense": ("#000000", "D", True),
    "dense-momentum": ("#000000", "D", False),
    "aba": ("#009E73", "^", True),
    "dca-alm": ("#56B4E9", "v", True),
    "dca-alm-proj": ("#56B4E9", "v", False),
    "bae-haug": ("#E69F00", "P", True),
    "naudet": ("#CC79A7", "X", False),
    "naudet-reduced": ("#CC79A7", "<", False),
    "naudet-acc": ("#CC79A7", "X", True),
    "naudet-acc-reduced": ("#CC79A7", "<", True),
}
_FORMULATION_LABELS = {"dca": "DCA (q, v)", "hdca": "HDCA (q, p)"}
_FALLBACK_MARKERS = "*hd>1234"


def apply():
    """Sets the suite's look whatever the user's own settings are."""
    matplotlib.rcdefaults()
    plt.style.use(_STYLE_FILE)


def new_figure(width_mm, height_mm):
    """An empty figure of exactly this size."""
    apply()
    return plt.figure(figsize=(width_mm / _MM_PER_INCH, height_mm / _MM_PER_INCH))


def is_double_column(figure):
    return abs(figure.get_figwidth() * _MM_PER_INCH - DOUBLE_COLUMN_MM) < 0.5


def formulation_label(key):
    return _FORMULATION_LABELS.get(key, key)


def formulation_look(key):
    """Colour and marker of a formulation as keyword arguments of `plot`; the user's own ones get a look by name."""
    base = key.split("[")[0].strip()
    if base in _FORMULATION_LOOK:
        colour, marker, filled = _FORMULATION_LOOK[base]
    else:
        # Not hash(): it differs between runs.
        number = sum(base.encode())
        colours = plt.rcParams["axes.prop_cycle"].by_key()["color"]
        colour, marker, filled = colours[number % len(colours)], _FALLBACK_MARKERS[number % len(_FALLBACK_MARKERS)], True
    return {"color": colour, "marker": marker, "markerfacecolor": colour if filled else "white"}


def decades(axis):
    """One labelled tick a decade, or every second, third, ... where they would touch. To be called with the data drawn."""
    low, high = axis.get_view_interval()
    # Over few decades the ticks between them help to read values; over many they are a grey bar.
    between = range(2, 10) if low > 0 and high / low < _FEW_DECADES else (1.0,)
    axis.set_major_locator(LogLocator(base=10, numticks=6))
    axis.set_minor_locator(LogLocator(base=10, subs=between, numticks=40))
    axis.set_minor_formatter(NullFormatter())


def ticks_at(axis, values, labels):
    """Exactly these ticks."""
    axis.set_major_locator(FixedLocator(values))
    axis.set_ticklabels(labels)
    axis.set_minor_locator(FixedLocator([]))


def legend_row(figure, cell, handles, columns):
    """A legend in a row of its own, where it cannot cover data."""
    axes = figure.add_subplot(cell)
    axes.set_axis_off()
    axes.legend(handles=handles, loc="center", ncol=columns, borderaxespad=0, columnspacing=1.4)


def save(figure, directory, name):
    """Writes NAME.pdf and NAME.png without dates, so that equal data gives equal bytes. Returns both paths."""
    directory.mkdir(parents=True, exist_ok=True)
    pdf, png = directory / f"{name}.pdf", directory / f"{name}.png"
    figure.savefig(pdf, metadata={"Creator": "mbdbench", "CreationDate": None})
    figure.savefig(png, metadata={"Software": None})
    plt.close(figure)
    return [pdf, png]
