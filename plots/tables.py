"""LaTeX tables (booktabs) of what was compared: published or expected, ours, verdict."""
from number_text import latex, plain
from records import distinct

_ESCAPES = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
            "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}


def escape(text):
    """Text that LaTeX prints as it is."""
    return "".join(_ESCAPES.get(letter, letter) for letter in text.replace("\n", " "))


def words(quantity):
    """A quantity's name as words."""
    return quantity.replace("_", " ")


def groups(records):
    """[(name of the table, heading of the column, source, rows)]: one a source, published ones first, then checks between runs, then failures."""
    compared = [record for record in records if record.published_value is not None]
    published = [record for record in compared if record.is_published]
    expected = [record for record in compared if not record.is_published]
    result = []
    for kind, heading, rows in (("published", "published", published), ("expected", "expected", expected)):
        for source in distinct(rows, "source"):
            result.append((kind, heading, source, [record for record in rows if record.source == source]))
    checked = [record for record in records if record.published_value is None and record.verdict not in ("failed", "no published value")]
    if checked:
        result.append(("checked", "expected", "checks between formulations", checked))
    failed = [record for record in records if record.verdict == "failed" and record.published_value is None]
    if failed:
        result.append(("failed", "expected", "failed runs", failed))
    return result


def _row(record, with_mechanism):
    quantity = words(record.quantity) + (f" [{record.unit}]" if record.unit != "1" else "")
    mechanism = [record.mechanism] if with_mechanism else []
    texts = [escape(text) for text in (quantity, *mechanism, record.formulation, record.integrator, record.parameter_text)]
    return " & ".join([*texts, latex(record.published_value), latex(record.value), escape(record.verdict)]) + r" \\"


def _tabular(comment, columns, header, lines):
    """One tabular, to be put with \\input into a table environment."""
    return "\n".join([f"% {escape(comment)}", r"% needs \usepackage{booktabs}", rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", r"\toprule",
                      " & ".join(header) + r" \\", r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def latex_table(heading, source, records, with_mechanism):
    """The numbers compared with those of one source."""
    mechanism = ["mechanism"] if with_mechanism else []
    header = ["quantity", *mechanism, "formulation", "integrator", "parameters", heading, "ours", "verdict"]
    return _tabular(source, "l" * (len(header) - 3) + "rrl", header, [_row(record, with_mechanism) for record in records])


def cell_text(cell, digits, write=plain):
    """A cell of an experiment's own table: counts in full, other numbers rounded, texts as they are."""
    if isinstance(cell, str):
        return escape(cell) if write is latex else cell
    return write(cell, 10 if cell is not None and float(cell).is_integer() else digits)


def definition_table(definition, results):
    """An experiment's own table: texts to the left, numbers to the right."""
    rows = definition.rows(results)
    header = definition.header(results)
    columns = "".join("l" if any(isinstance(row[column], str) for row in rows) else "r" for column in range(len(header)))
    lines = [" & ".join(cell_text(cell, definition.digits, latex) for cell in row) + r" \\" for row in rows]
    return _tabular(definition.title, columns, map(escape, header), lines)


def claims_table(claims):
    """What a paper says and whether it holds, with wrapped columns."""
    lines = [" & ".join(escape(text) for text in (claim.source, claim.statement, claim.measured, claim.verdict)) + r" \\" for claim in claims]
    return _tabular("claims", "p{0.14\\linewidth}p{0.26\\linewidth}p{0.42\\linewidth}l", ["source", "statement", "measured", "verdict"], lines)


def write_tables(results, directory, definitions=()):
    """Writes one .tex a source of numbers to compare with, one for the claims and the experiment's own. Returns the paths."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    # Told in every table of an experiment with several, also where one table holds only one of them.
    with_mechanism = len(distinct(results.records, "mechanism")) > 1
    for label, records in ((results.experiment, results.records), (f"{results.experiment}_timings", results.timings)):
        counts = {}
        for kind, heading, source, rows in groups(records):
            counts[kind] = counts.get(kind, 0) + 1
            number = f"_{counts[kind]}" if counts[kind] > 1 else ""
            file = directory / f"{label}_{kind}{number}.tex"
            file.write_text(latex_table(heading, source, rows, with_mechanism), encoding="utf-8")
            written.append(file)
    own = [(definition.name, definition_table(definition, results)) for definition in definitions]
    if results.claims:
        own.append(("claims", claims_table(results.claims)))
    for name, text in own:
        file = directory / f"{results.experiment}_{name}.tex"
        file.write_text(text, encoding="utf-8")
        written.append(file)
    return written
