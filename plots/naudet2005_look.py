"""Names and looks of the forms of the biped's equations in [Naudet2005]."""
from matplotlib.lines import Line2D

from records import value_of

# Key of the records: (name in files, label, colour, marker, filled, line). Momentum forms have open markers, as everywhere.
FORMS = {
    "naudet-acc": ("lagrange", "Lagrange", "#0072B2", "o", True, "-"),
    "naudet[switching=off]": ("hamilton", "Hamilton", "#D55E00", "s", False, "-"),
    "naudet-acc-reduced[switching=off]": ("lagrange_reduced", "Lagrange, reduced", "#56B4E9", "v", True, (0, (4, 1.5))),
    "naudet-reduced[switching=off]": ("hamilton_reduced", "Hamilton, reduced", "#E69F00", "^", False, (0, (4, 1.5))),
}
LAGRANGE, HAMILTON = list(FORMS)[:2]
STEPS = (0.01, 0.005, 0.001, 0.0005, 0.0001)
RESTARTED = "rkf45-restarted"


def file_of(form):
    return FORMS[form][0]


def label(form):
    return FORMS[form][1]


def look(form, markers=True):
    """Keyword arguments of `plot`."""
    _, _, colour, marker, filled, line = FORMS[form]
    keywords = {"color": colour, "linestyle": line}
    if markers:
        keywords |= {"marker": marker, "markerfacecolor": colour if filled else "white"}
    return keywords


def handles(forms, markers=True):
    return [Line2D([], [], label=label(form), **look(form, markers)) for form in forms]


def number_of(results, quantity, form, integrator, **parameters):
    return value_of(results.records, quantity, form, integrator, **parameters)
