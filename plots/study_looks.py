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


def lines_of(study, variants):
    """Looks of these variants as lines without markers, no two alike."""
    looks, used = looks_of(study), set()
    lines = []
    for variant in variants:
        look = {name: looks[variant["label"]][name] for name in ("color", "linestyle")}
        for line in (look["linestyle"], *_LINES):
            if (look["color"], line) not in used:
                look["linestyle"] = line
                break
        used.add((look["color"], look["linestyle"]))
        lines.append(look)
    return lines
