"""How the variants of a study look."""
import style

_LINES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
_MARKERS = ("*", ">", "d", "h")  # of further variants


def looks_of(study):
    """Look of each variant: the formulation's colour and marker, another line and marker for each further variant of it."""
    seen, looks = {}, {}
    for variant in study.variants:
        base = variant["formulation"].split("[")[0]
        number = seen.get(base, 0)
        look = style.formulation_look(base) | {"linestyle": _LINES[number % len(_LINES)]}
        looks[variant["label"]] = look | ({"marker": _MARKERS[(number - 1) % len(_MARKERS)]} if number else {})
        seen[base] = number + 1
    return looks
