"""One self-contained page a result directory: figures inside, numbers with their verdicts, and what made them."""
import base64
import io
import re
from dataclasses import dataclass, field
from pathlib import Path

import jinja2
import markupsafe  # Jinja needs it
from PIL import Image  # Matplotlib writes PNG with it

from reading.json_file import read_json
from reading.number_text import plain
from papers import papers
from studies.figure_definition import FigureDefinition
from published_numbers import as_printed, counts, published_numbers
from reading.records import VERDICTS, distinct
from reports.report_cases import cases_of, grouped
from studies.study import read_study
from tables import cell_text, says_something, table_names, words

_TEMPLATES = Path(__file__).parent
_SIGNS = "[,+="
_SHOWN_NAMES = {"made_by": "made by", "cpu": "CPU", "utc_time": "UTC time", "dirty": "uncommitted changes"}


@dataclass
class DrawnFigure:
    """A figure on the page."""

    definition: FigureDefinition
    caption: str
    png: Path
    narrow: bool  # one column of a journal wide
    links: list = field(default_factory=list)


def _verdict_counts(records):
    counts = {verdict: sum(record.verdict == verdict for record in records) for verdict in VERDICTS}
    return [(verdict, count) for verdict, count in counts.items() if count]


def _inlined(png):
    """As wide as a page shows it, in few colours: a sixth of the file. figures/ has the whole one."""
    with Image.open(png) as image:
        shown = image.convert("RGB").resize((max(1, image.width // 2), max(1, image.height // 2)), Image.LANCZOS)
    data = io.BytesIO()
    shown.quantize(64, dither=0).save(data, "PNG", optimize=True)
    return base64.b64encode(data.getvalue()).decode("ascii")


def _provenance_rows(provenance):
    """(name, text) of every entry; nested ones as one line."""
    rows = []
    for key, value in provenance.items():
        if key == "made_by" and isinstance(value, dict):
            value = " ".join(filter(None, (value.get("command"), value.get("name"), "(quick)" if value.get("quick") else "")))
        elif key == "shares":
            value = f"{len(value)}, of {', '.join(sorted({machine for share in value for machine in share['machines']}))}"
        elif isinstance(value, dict):
            value = ", ".join(f"{name} {version}" for name, version in value.items())
        elif value is None:
            value = "unknown"
        elif isinstance(value, bool):
            value = "yes" if value else "no"
        rows.append((_SHOWN_NAMES.get(key, key.replace("_", " ")), value))
    return rows


def _breakable(text):
    """A name that may go on in the next line after its signs, so that none is cut in the middle of a word."""
    return markupsafe.Markup("").join(markupsafe.escape(part) + (markupsafe.Markup("<wbr>") if part in _SIGNS else "")
                                      for part in re.split(f"([{re.escape(_SIGNS)}])", text) if part)


def page_environment():
    """What the pages' templates are filled in by."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)
    environment.filters.update(number=plain, words=words, inlined=_inlined, compared=as_printed, cell=cell_text, breakable=_breakable)
    return environment


def _paper(experiment):
    """What plots/papers.toml says of the paper that an experiment is of; nothing for every other one."""
    return papers().get(experiment)


def _links(directory, *names):
    """(name, link) of those files that are there: relative, so that the folder can be moved."""
    return [(Path(name).name, name) for name in names if (directory / name).exists()]


def _contents(parts):
    """(anchor, heading) of the page's sections that have something in them."""
    return [(anchor, heading) for anchor, heading, content in parts if content]


def _with_files(directory, label, records, is_study):
    """Tables of records, each with its LaTeX file."""
    named = table_names(label, records)
    return [(*group, _links(directory, f"tables/{name}.tex")) for name, group in named if not (is_study and group[0] == "failed")]


def _findings(records):
    return sum(record.verdict == "not reproduced" and record.limit.startswith(("trend", "finding")) for record in records)


def _record_groups(printed, records):
    """[(heading, verdict counts, how many not reproduced are findings)] of the records that speak for no printed number,
    so that every record is counted in one place."""
    speakers = {id(number.record) for number in printed}
    others = [record for record in records if id(record) not in speakers]
    if not printed:
        return [("", _verdict_counts(others), _findings(others))] if others else []
    again = [record for record in others if record.published_value is not None]
    rest = [record for record in others if record.published_value is None]
    return [(heading, _verdict_counts(group), _findings(group)) for heading, group in (
        (f"{len(again)} of them compare runs with other settings, or other methods than the paper's, with its numbers once more:", again),
        (f"{len(rest)} are compared with no printed number, but with a prototype's, a theory's or nothing:", rest)) if group]


def write_report(file, title, figures, results=None, provenance=None, problems=(), own_tables=(), indexed=False):
    """Writes the page. `figures`: DrawnFigures; `problems`: what could not be shown, and why; `own_tables`: the experiment's TableDefinitions; `indexed`: whether an index stands or will stand above its folder."""
    environment = page_environment()
    directory = file.parent
    records, timings = (results.records, results.timings) if results else ([], [])
    is_study = results is not None and results.is_study
    paper = _paper(results.experiment) if results else None
    printed = published_numbers(results.experiment, records + timings) if paper else []
    tables = _with_files(directory, results.experiment, records, is_study) if results else []
    timing_tables = _with_files(directory, f"{results.experiment}_timings", timings, is_study) if results else []
    claims = results.claims if results else []
    declared = results.declaration if results else {}
    study = read_study(results) if results else None
    own = [(table, table.header(results), table.rows(results),
            _links(directory, *(f"tables/{results.experiment}_{name}.tex" for name in table.parts or (table.name,))))
           for table in own_tables if not table.on_paper_only]
    own = [table for table in own if says_something(table[1], table[2])]
    for figure in figures:
        figure.links = _links(directory, f"figures/{figure.png.stem}.pdf", f"figures/{figure.png.name}")
    cases = cases_of(study, directory, figures, own, results, paper["settings"] if paper else ())
    of_cases = {mechanism["label"] for mechanism in study.mechanisms} if study else set()
    together = grouped([figure for figure in figures if figure.definition.case not in of_cases])
    own = [table for table in own if table[0].case not in of_cases]
    contents = _contents([("settings", "Settings", paper), ("claims", "Claims", claims), ("comparison", "Comparison", tables),
                          ("cases", "Case by case", cases), ("figures", "Figures", together), ("tables", "Tables", own),
                          ("times", "Times", timing_tables), ("hidden", "What the comparison hides", paper), ("provenance", "Provenance", provenance)])
    page = environment.get_template("report.html.jinja").render(
        title=f"{title} (quick)" if declared.get("quick") else title,
        quick=declared.get("quick", False),
        missing_parts=declared.get("missing_parts", 0),
        way_back="../index.html" if indexed or (directory.parent / "index.html").exists() else None,
        contents=contents,
        paper=paper,
        printed=printed,
        printed_counts=counts(printed),
        by_rounding=sum(number.by_rounding for number in printed),
        cases=cases,
        mechanisms=distinct(records, "mechanism"),
        findings=_findings([number.record for number in printed if number.record]),
        record_groups=_record_groups(printed, records),
        missing_engines=[engine for engine in declared.get("inputs", {}).get("engines", []) if engine.get("failure")],
        data_files=_links(directory, "records.csv", "timings.csv", "solutions.csv", "study.json", "inputs/declaration.toml"),
        claim_files=_links(directory, "claims.csv", "timing_claims.csv", f"tables/{results.experiment}_claims.tex") if results else [],
        tables=tables,
        timing_tables=timing_tables,
        all_numbers=[] if is_study else records + timings,
        claims=claims,
        own_tables=own,
        figures=together,
        problems=list(problems),
        number_count=len(records),
        provenance=_provenance_rows(provenance or {}),
    )
    file.write_text(page + "\n", encoding="utf-8")
    return file
