"""LaTeX tables that fit a page: small type and wrapped texts where a table is wide, parts below one another where that is not
enough, pages of their own where it is long."""
import math
import re

# Size, what a line of 345 pt (article, A4) holds of it, half the space between columns in pt, and what that is; in digits.
_SIZES = ((r"\small", 73, 3, 1.4), (r"\footnotesize", 79, 3, 1.5), (r"\scriptsize", 85, 3, 1.6), (r"\scriptsize", 85, 2, 1.05))
_LONGEST_TABULAR = 42  # lines that fit a page
_LONGEST_WORD = 16  # digits of a heading, which breaks where it may if it is longer
_KEYS_SHARE = 0.6  # of a line that a part may spend on the columns that say what its rows are
_COMMAND = re.compile(r"\\allowbreak\{\}|\\(textbackslash|textmu|textasciitilde|textasciicircum|textless|textgreater|textbar)\{\}|\\times|\\cdot|\\infty|\\(?=[&%$#_{}])|[${}^]")
_SIGNS = {r"\times": "××", r"\cdot": "·", r"\infty": "∞"}
# Widths of Computer Modern's letters in digits.
_LETTER_WIDTHS = [("×", 1.25), ("ijl.,:;'|!", 0.58), (" -()[]", 0.68), ("frst", 0.75), ("cez", 0.9), ("mMW%@—", 1.75), ("w&+=<>−∞_", 1.55)]
_WIDTH_OF = {letter: width for letters, width in _LETTER_WIDTHS for letter in letters}


def printed_text(text):
    """What a cell shows, without its commands."""
    return _COMMAND.sub(lambda match: _SIGNS.get(match[0], "x" if match[0].startswith(r"\text") else ""), text)


def printed_width(text):
    """Of a cell on paper, in digits."""
    return sum(_WIDTH_OF.get(letter, 1.5 if letter.isupper() else 1.08 if letter.isalpha() else 1.0) for letter in printed_text(text))


def _longest_piece(text):
    """Width of what TeX cannot break."""
    return max((printed_width(piece) for piece in re.split(r" |\\allowbreak\{\}|(?<=-)", text)), default=0)


def _pieces(heading):
    """[(what stands before it where the line goes on, what no line of a heading divides)]: words, or parts of very long ones."""
    pieces = []
    for word in heading.split():
        parts = word.split(r"\allowbreak{}") if printed_width(word) > _LONGEST_WORD else [word]
        pieces += [(" " if place == 0 else "", part) for place, part in enumerate(parts)]
    return pieces


def _natural_widths(header, rows, columns):
    """Of each column; a heading of several words may break."""
    return [max([*(printed_width(piece) for _, piece in _pieces(header[place])), *(printed_width(row[place]) for row in rows)], default=0)
            for place in range(len(columns))]


def _wrapped(widths, header, rows, columns, room):
    """Takes room from the widest text columns until all fit or nothing can break further."""
    widths = list(widths)
    least = [max([_longest_piece(header[place]), *(_longest_piece(row[place]) for row in rows)]) + 0.5 for place in range(len(columns))]
    while sum(widths) > room:
        texts = [place for place, kind in enumerate(columns) if kind == "l" and widths[place] - 1 >= least[place]]
        if not texts:
            break
        widths[max(texts, key=lambda place: widths[place])] -= 1
    return widths


def _specification(columns, natural, fitted, capacity):
    parts = [rf">{{\raggedright\arraybackslash}}p{{{given / capacity:.3f}\linewidth}}" if given < wanted else kind
             for kind, wanted, given in zip(columns, natural, fitted)]
    return "@{}" + "".join(parts) + "@{}"


def _heading(text, width, kind, wraps):
    """A heading that is wider than its column stands on several lines."""
    pieces = _pieces(text)
    if wraps or printed_width(text) <= width or len(pieces) == 1:
        return text
    lines, line = [], ""
    for glue, piece in pieces:
        if line and printed_width(f"{line}{glue}{piece}") > max(width, 6):
            lines.append(line)
            line = piece
        else:
            line = f"{line}{glue}{piece}".strip()
    # The braces: a line that begins with [ would be taken for a length.
    broken = r" \\{} ".join([*lines, line])
    return rf"\shortstack[{kind}]{{{broken}}}"


def _lines(row, natural, fitted):
    """Of a row on paper: wrapped texts leave a fifth of their lines empty."""
    return max(math.ceil(1.2 * printed_width(cell) / given) if given < wanted else 1 for cell, wanted, given in zip(row, natural, fitted))


def _parts(columns, natural, fitted, capacity, gap):
    """Columns of each part: the texts at the left stand in all of them, the others are divided."""
    keys = []
    for place, kind in enumerate(columns):
        if kind != "l" or sum(fitted[key] + gap for key in [*keys, place]) > _KEYS_SHARE * capacity:
            break
        keys.append(place)
    left = capacity - sum(fitted[key] + gap for key in keys)
    parts, used = [[]], 0.0
    for place in range(len(keys), len(columns)):
        width = min(natural[place], fitted[place]) + gap
        if parts[-1] and used + width > left:
            parts.append([])
            used = 0.0
        parts[-1].append(place)
        used += width
    return [keys + part for part in parts]


def _layout(columns, header, rows):
    """(one of _SIZES, natural widths, widths that fit or nearly)."""
    natural = _natural_widths(header, rows, columns)
    for size in _SIZES:
        _, capacity, _, gap = size
        if sum(natural) + gap * len(columns) <= capacity:
            return size, natural, natural
    for size in _SIZES[-2:]:
        _, capacity, _, gap = size
        fitted = _wrapped(natural, header, rows, columns, capacity - gap * len(columns))
        if sum(fitted) + gap * len(columns) <= capacity:
            break
    return size, natural, fitted


def fits_a_line(columns, header, rows):
    """Whether the columns stand beside one another."""
    (_, capacity, _, gap), _, fitted = _layout(columns, header, rows)
    return sum(fitted) + gap * len(columns) <= capacity


def fitted_table(comment, columns, header, rows):
    """A tabular, a longtable where it is longer than a page, several below one another where its columns do not fit a line.
    `columns`: l or r each; `header`, `rows`: LaTeX texts."""
    (size, capacity, separation, gap), natural, fitted = _layout(columns, header, rows)
    parts = [range(len(columns))] if fits_a_line(columns, header, rows) else _parts(columns, natural, fitted, capacity, gap)
    if len(parts) > 1:
        return f"% {comment}; in {len(parts)} parts\n" + "\\par\\bigskip\\noindent\n".join(
            fitted_table(f"{comment}, part {number}", "".join(columns[place] for place in part), [header[place] for place in part],
                         [[row[place] for place in part] for row in rows]) for number, part in enumerate(parts, 1))
    specification = _specification(columns, natural, fitted, capacity)
    head = " & ".join(_heading(text, width, kind, width < wanted)
                      for text, width, wanted, kind in zip(header, fitted, natural, columns)) + r" \\"
    body = [" & ".join(row) + r" \\" for row in rows]
    packages = r"% needs \usepackage{array,booktabs,longtable}"
    # Texts hold underscores and long names that TeX does not break.
    setting = rf"{{{size}\setlength{{\tabcolsep}}{{{separation}pt}}\sloppy"
    if sum(_lines(row, natural, fitted) for row in rows) <= _LONGEST_TABULAR:
        return "\n".join([f"% {comment}", packages, setting, rf"\begin{{tabular}}{{{specification}}}", r"\toprule", head, r"\midrule", *body,
                          r"\bottomrule", r"\end{tabular}}"]) + "\n"
    return "\n".join([f"% {comment}; longer than a page: not inside a table environment", packages, setting,
                      rf"\begin{{longtable}}{{{specification}}}", r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot",
                      *body, r"\end{longtable}}"]) + "\n"
