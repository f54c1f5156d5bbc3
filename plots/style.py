"""How figures look: sizes, the look of each formulation and integrator, and files that do not change between runs."""
import re
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # No display is needed, and the user's own choice of one must not matter.

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

from reading.input_error import InputError

SINGLE_COLUMN_MM = 88
DOUBLE_COLUMN_MM = 180
_MM_PER_INCH = 25.4
_FEW_DECADES = 10**3.5
_ONE_DECADE = 10**1.4  # and a bit: too few powers of ten to read values by
_HALF_A_DECADE = 10**0.6
# What a paper prints, beside ours: its arms stick out below our points.
PUBLISHED_POINT = {"color": "#7A0019", "marker": "x", "linestyle": "none", "markersize": 9, "markeredgewidth": 1.2, "zorder": 1.9}
PUBLISHED_LINE = {"color": "#7A0019", "linestyle": (0, (1, 1.2)), "linewidth": 1.2, "zorder": 4}
# Of the legend, for what `mark_disturbed` draws.
DISTURBED_POINT = {"color": "0.4", "marker": "o", "linestyle": "none", "alpha": 0.35, "markeredgewidth": 0, "label": "disturbed, on no curve"}
# Curves that another part of the figure shows.
ELSEWHERE = {"color": "#DADADA", "linewidth": 0.7, "zorder": 1.5}
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
# Integrators whose key is no name that readers know, as titles of panels.
_INTEGRATOR_TITLES = {
    "ode15s-bdf": "ode15s with BDF", "odeint-dopri5": "Dormand-Prince of Odeint", "rk2": "midpoint rule", "rkf45": "Fehlberg 4(5)",
    "rkf45-fixed": "Fehlberg 4(5), fixed steps", "rkf45-restarted": "Fehlberg 4(5), restarted", "trapezoidal": "trapezoidal rule",
    "implicit-midpoint": "implicit midpoint rule", "gauss4": "Gauss, order 4", "gauss6": "Gauss, order 6", "stormer-verlet": "Störmer-Verlet",
    "odeint-fehlberg78": "Fehlberg 7(8) of Odeint", "odeint-bulirsch-stoer": "Bulirsch-Stoer of Odeint", "odeint-rosenbrock4": "Rosenbrock of Odeint",
    "odeint-adams-bashforth-moulton": "Adams PECE of Odeint", "cvode-adams": "Adams of CVODE", "cvode-bdf": "BDF of CVODE"}
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


def integrator_title(key):
    """In words; MATLAB's keep the names that everybody knows."""
    return _INTEGRATOR_TITLES.get(key, key)


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
    labelled = "" if low <= 0 or high / low >= _ONE_DECADE else "25" if high / low >= _HALF_A_DECADE else "23456789"
    axis.set_minor_formatter(FuncFormatter(lambda value, _: _label(value, labelled)) if labelled else NullFormatter())


def _label(value, labelled):
    """Of a tick between powers of ten: only of these digits."""
    digit, exponent = f"{value:.0e}".split("e")
    if digit not in labelled:
        return ""
    return f"{value:g}" if -3 < int(exponent) < 4 else rf"${digit}\times10^{{{int(exponent)}}}$"


def nested(looks):
    """The looks of curves drawn one upon the other: the later, the thinner and smaller, so that none hides another."""
    steps = len(looks) - 1
    spread = min(1.0, steps / 5) / max(1, steps)
    return [look | {"markersize": 4.0 + 2.8 * spread * (steps / 2 - place), "linewidth": 1.1 + 1.2 * spread * (steps / 2 - place)}
            for place, look in enumerate(looks)]


def say(axes, text):
    """Why there is nothing to see in these axes."""
    axes.text(0.5, 0.5, textwrap.fill(text, 30), transform=axes.transAxes, ha="center", va="center", fontsize="small")
    axes.tick_params(which="both", bottom=False, left=False, labelbottom=False)
    axes.grid(visible=False)


def mark_disturbed(axes, points, look):
    """Times that other work on the machine disturbed: pale points on no curve. Returns whether there are any."""
    if points:
        pale = {name: value for name, value in look.items() if name in ("color", "marker", "markersize", "zorder")}
        axes.loglog([x for x, _ in points], [y for _, y in points], **pale | {"linestyle": "none", "alpha": 0.35, "markeredgewidth": 0})
    return bool(points)


_RATIOS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100)
_MOST_RATIOS = 9  # labels that an axis of one panel holds


def ratios(axis):
    """Labels on both sides of 1. To be called with the data drawn."""
    low, high = sorted(axis.get_view_interval())
    shown = [tick for tick in _RATIOS if low <= tick <= high]
    if len(shown) > _MOST_RATIOS:
        shown = [tick for tick in shown if f"{tick:g}".strip("0.")[0] in "125" and tick != 1.5]
    if len(shown) > _MOST_RATIOS:
        return decades(axis)
    return ticks_at(axis, shown, [f"{tick:g}" for tick in shown])


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


def save(figure, directory, name, quick=False):
    """Writes NAME.pdf and NAME.png without dates, so that equal data gives equal bytes; of a quick version they say so.
    Returns both paths. Raises InputError for a name that leads out of the directory."""
    if not re.fullmatch(r"[\w.-]+", name) or name.startswith("."):
        raise InputError(directory, f"a figure is called '{name}', which is no name of a file in this folder")
    directory.mkdir(parents=True, exist_ok=True)
    if quick:
        figure.text(0.995, 0.995, "quick version", ha="right", va="top", fontsize="x-small", color="0.4")
    pdf, png = directory / f"{name}.pdf", directory / f"{name}.png"
    figure.savefig(pdf, metadata={"Creator": "mbdbench", "CreationDate": None})
    figure.savefig(png, metadata={"Software": None})
    plt.close(figure)
    return [pdf, png]
