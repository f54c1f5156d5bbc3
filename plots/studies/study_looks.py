"""How the variants of a study look."""
from collections import Counter

import matplotlib.colors

import style

LINES = ("-", (0, (4, 1.5)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
_MARKERS = ("*", ">", "d", "h", "p", "8")  # of further variants
_SHADES = (1.0, 0.6, 0.35, 0.75)  # of a colour, for its further variants
_MOST_CURVES = 8  # that a reader tells apart in one panel


def in_parts(items):
    """The items in their order, in as few parts of at most 8, as equal as can be."""
    count = max(1, -(-len(items) // _MOST_CURVES))
    bounds = [round(place * len(items) / count) for place in range(count + 1)]
    return [items[begin:end] for begin, end in zip(bounds, bounds[1:])]


def shaded(colour, number):
    return matplotlib.colors.to_hex([_SHADES[number % len(_SHADES)] * part for part in matplotlib.colors.to_rgb(colour)])


def looks_of(study):
    """Look of each variant: the formulation's colour and marker, in another shade where the colour is taken; another line and marker
    for each further variant of a formulation."""
    seen, taken, looks = Counter(), Counter(), {}
    for variant in study.variants:
        base = variant["formulation"].split("[")[0]
        look = style.formulation_look(base) | {"linestyle": LINES[seen[base] % len(LINES)]}
        if seen[base]:
            look["marker"] = _MARKERS[(seen[base] - 1) % len(_MARKERS)]
        shade = shaded(look["color"], taken[look["color"]])
        taken[look["color"]] += 1
        looks[variant["label"]] = look | {"color": shade, "markerfacecolor": "white" if look["markerfacecolor"] == "white" else shade}
        seen[base] += 1
    return looks


def lines_of(study, variants):
    """Looks of these variants as lines without markers, no two alike."""
    looks, used = looks_of(study), set()
    lines = []
    for variant in variants:
        look = {name: looks[variant["label"]][name] for name in ("color", "linestyle")}
        for line in (look["linestyle"], *LINES):
            if (look["color"], line) not in used:
                look["linestyle"] = line
                break
        used.add((look["color"], look["linestyle"]))
        lines.append(look)
    return lines
