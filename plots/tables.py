"""LaTeX tables (booktabs) of what was compared: published or expected, ours, verdict."""
import re

from reading.input_error import InputError
from latex_layout import fits_a_line, fitted_table
from reading.number_text import digits_beside, is_ratio, latex, plain
from published_numbers import as_printed
from reading.records import distinct

_ESCAPES = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
            "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "–": "--", "−": "$-$", "∞": r"$\infty$", "µ": r"\textmu{}"}


_CHECKED = ("exact", "within limit", "trend only", "direction only", "below the published error", "fitted", "not reproduced")


# Columns of an experiment's own tables that say of which run a row is.
_OF_WHICH = ("mechanism", "variant", "integrator", "tolerance or step [s]")


_POWER = re.compile("·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def escape(text):
    """Text that LaTeX prints as it is."""
    escaped = "".join(_ESCAPES.get(letter, letter) for letter in text.replace("\n", " "))
    return _POWER.sub(lambda power: rf"$\cdot10^{{{power.group(1).translate(_RAISED)}}}$", escaped)


def breakable(text):
    """The same where long names may break."""
    return re.sub(r"(\\_|[=;,/+](?! )|:(?=[A-Za-z])|\((?=\w{6})|(?<=\S)(?=\[))", r"\1\\allowbreak{}", escape(text))


def words(quantity):
    """A quantity's name as words."""
    return quantity.replace("_", " ")


def groups(records):
    """[(name of the table, heading of the column, source, rows)]: one a source, published ones first, then checks between runs, then failures."""
    published = [record for record in records if record.published_value is not None]
    expected = [record for record in records if record.published_value is None and record.expected_value is not None]
    result = []
    for kind, attribute, rows in (("published", "source", published), ("expected", "expected_from", expected)):
        for source in distinct(rows, attribute):
            result.append((kind, kind, source, [record for record in rows if getattr(record, attribute) == source]))
    checked = [record for record in records if record.compared_value is None and record.verdict in _CHECKED]
    if checked:
        result.append(("checked", "expected", "checks between formulations", checked))
    failed = [record for record in records if record.verdict == "failed" and record.compared_value is None]
    if failed:
        result.append(("failed", "expected", "failed runs", failed))
    return result


def _rows(records, with_mechanism, in_one):
    """`in_one`: what says which run it is stands in one column."""
    rows = []
    for record in records:
        quantity = words(record.quantity) + (f" [{record.unit}]" if record.unit != "1" else "")
        run = [*([record.mechanism] if with_mechanism else []), record.formulation, record.integrator, record.parameter_text]
        texts = [breakable(text) for text in (quantity, *([", ".join(filter(None, run))] if in_one else run))]
        # A printed value keeps its digits; a quotient of printed ones, or of times, has no more than three.
        compared, own = (3, 3) if is_ratio(record.quantity) else (10, digits_beside(record.value, record.compared_value))
        rows.append([*texts, latex(as_printed(record), compared), latex(record.value, own),
                     escape(record.verdict)])
    return rows


def latex_table(heading, source, records, with_mechanism):
    """The numbers compared with those of one source."""
    for in_one in (False, True):
        run = ["run"] if in_one else [*(["mechanism"] if with_mechanism else []), "formulation", "integrator", "parameters"]
        header = ["quantity", *run, heading, "ours", "verdict"]
        columns = "l" * (len(header) - 3) + "rrl"
        rows = _rows(records, with_mechanism, in_one)
        # A number must stand beside the one that it is compared with.
        if fits_a_line(columns, header, rows):
            break
    return fitted_table(escape(source), columns, header, rows)


def cell_text(cell, digits, write=plain):
    """A cell of an experiment's own table: counts in full, other numbers rounded, texts as they are."""
    if isinstance(cell, str):
        return breakable(cell) if write is latex else cell
    return write(cell, 10 if cell is not None and float(cell).is_integer() else getattr(cell, "digits", digits))


def definition_table(definition, results):
    """An experiment's own table: texts to the left, numbers to the right."""
    rows = definition.rows(results)
    header = definition.header(results)
    columns = "".join("l" if any(isinstance(row[column], str) for row in rows) else "r" for column in range(len(header)))
    cells = [[cell_text(cell, definition.digits, latex) for cell in row] for row in rows]
    return fitted_table(escape(definition.title), columns, [breakable(name) for name in header], cells)


def _counted(claim):
    """The verdict, with k of n where what was measured does not begin with it."""
    return claim.verdict if not claim.k_of_n or claim.measured.startswith(claim.k_of_n) else f"{claim.verdict}, {claim.k_of_n}"


def claims_table(claims):
    """What a paper says, by which criterion it is judged, and whether it holds."""
    header = ["source", "statement", "counts as true when", "measured", "verdict"]
    rows = [[breakable(text) for text in (claim.source, claim.statement, claim.criterion, claim.measured, _counted(claim))] for claim in claims]
    return fitted_table("claims", "lllll", header, rows)


def table_names(label, records):
    """[(name of its file, group)] of `groups`."""
    counts, named = {}, []
    for group in groups(records):
        kind = group[0]
        counts[kind] = counts.get(kind, 0) + 1
        named.append((f"{label}_{kind}_{counts[kind]}" if counts[kind] > 1 else f"{label}_{kind}", group))
    return named


def _file(directory, name):
    """Where a table is written. Names come from study.json and records.csv, which may be somebody else's: they stay in the folder."""
    if not re.fullmatch(r"[\w.-]+", name) or name.startswith("."):
        raise InputError(directory, f"a table is called '{name}', which is no name of a file in this folder")
    return directory / f"{name}.tex"


def says_something(header, rows):
    """Whether any cell has a number or a text, beside those that say of which run it is."""
    return any(cell not in (None, "–") for row in rows for place, (name, cell) in enumerate(zip(header, row)) if place > 0 and name not in _OF_WHICH)


def write_tables(results, directory, definitions=()):
    """Writes one .tex a source of numbers to compare with, one for the claims and the experiment's own. Returns the paths.
    Raises InputError for names that lead out of the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    note = "\\par\\noindent{\\footnotesize Quick version: smaller sizes and shorter times.}\n" if results.declaration.get("quick") else ""
    # Told in every table of an experiment with several, also where one table holds only one of them.
    with_mechanism = len(distinct(results.records, "mechanism")) > 1
    for label, records in ((results.experiment, results.records), (f"{results.experiment}_timings", results.timings)):
        for name, (kind, heading, source, rows) in table_names(label, records):
            if results.is_study and kind == "failed":
                continue  # Its own table has every reason once.
            file = _file(directory, name)
            file.write_text(latex_table(heading, source, rows, with_mechanism) + note, encoding="utf-8")
            written.append(file)
    own = [(definition.name, definition_table(definition, results)) for definition in definitions
           if not definition.parts and says_something(definition.header(results), definition.rows(results))]
    if results.claims:
        own.append(("claims", claims_table(results.claims)))
    for name, text in own:
        file = _file(directory, f"{results.experiment}_{name}")
        file.write_text(text + note, encoding="utf-8")
        written.append(file)
    return written
