"""LaTeX tables that fit a page: small type and wrapped texts where a table is wide, pages of their own where it is long."""
import re

# What a line of 345 pt (article, A4) holds of each size, in letters of average width, and what a column costs beside its letters.
_SIZES = ((r"\small", 62), (r"\footnotesize", 72), (r"\scriptsize", 84))
_COLUMN_GAP = 1.6
_NARROWEST_TEXT = 9
_LONGEST_TABULAR = 42  # rows that fit a page
_COMMAND = re.compile(r"\\allowbreak\{\}|\\(textbackslash|textmu|textasciitilde|textasciicircum|textless|textgreater|textbar)\{\}|\\times|\\infty|\\(?=[&%$#_{}])|[${}^]")


def printed_length(text):
    """Letters that a cell takes on paper."""
    return len(_COMMAND.sub(lambda match: "x" if match.group(0).startswith((r"\t", r"\i")) else "", text))


def _widths(header, rows, columns):
    """Letters of each column; a heading of several words may break."""
    widths = []
    for place in range(len(columns)):
        heading = max((printed_length(word) for word in header[place].split()), default=0)
        widths.append(max([heading, *(printed_length(row[place]) for row in rows)], default=0))
    return widths


def _wrapped(widths, columns, room):
    """Takes letters from the widest text columns until all fit."""
    widths = list(widths)
    texts = [place for place, kind in enumerate(columns) if kind == "l"]
    while sum(widths) > room and texts:
        widest = max(texts, key=lambda place: widths[place])
        if widths[widest] <= _NARROWEST_TEXT:
            break
        widths[widest] -= 1
    return widths


def _specification(columns, natural, fitted, capacity):
    parts = []
    for kind, wanted, given in zip(columns, natural, fitted):
        wraps = given < wanted
        parts.append(rf">{{\raggedright\arraybackslash}}p{{{given / capacity:.3f}\linewidth}}" if wraps else kind)
    return "@{}" + "".join(parts) + "@{}"


def _heading(text, width, kind):
    """A heading that is wider than its column stands on several lines."""
    if printed_length(text) <= width or " " not in text:
        return text
    lines, line = [], ""
    for word in text.split():
        if line and printed_length(f"{line} {word}") > max(width, 6):
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    # The braces: a line that begins with [ would be taken for a length.
    broken = r" \\{} ".join([*lines, line])
    return rf"\shortstack[{kind}]{{{broken}}}"


def fitted_table(comment, columns, header, rows):
    """A tabular, or a longtable where it is longer than a page. `columns`: l or r each; `header`, `rows`: LaTeX texts."""
    natural = _widths(header, rows, columns)
    gaps = _COLUMN_GAP * len(columns)
    size, capacity = next(((size, capacity) for size, capacity in _SIZES if sum(natural) + gaps <= capacity), _SIZES[-1])
    fitted = _wrapped(natural, columns, capacity - gaps)
    specification = _specification(columns, natural, fitted, capacity)
    head = " & ".join(_heading(text, width, kind) for text, width, kind in zip(header, fitted, columns)) + r" \\"
    body = [" & ".join(row) + r" \\" for row in rows]
    packages = r"% needs \usepackage{array,booktabs,longtable}"
    # Texts hold underscores and long names that TeX does not break.
    setting = rf"{{{size}\setlength{{\tabcolsep}}{{3pt}}\sloppy"
    if len(rows) <= _LONGEST_TABULAR:
        return "\n".join([f"% {comment}", packages, setting, rf"\begin{{tabular}}{{{specification}}}", r"\toprule", head, r"\midrule", *body,
                          r"\bottomrule", r"\end{tabular}}"]) + "\n"
    return "\n".join([f"% {comment}; longer than a page: not inside a table environment", packages, setting,
                      rf"\begin{{longtable}}{{{specification}}}", r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot",
                      *body, r"\end{longtable}}"]) + "\n"
