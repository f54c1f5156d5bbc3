"""One self-contained page a result directory: figures inside, numbers with their verdicts, and what made them."""
import base64
import io
import tomllib
from pathlib import Path

import jinja2
from PIL import Image  # Matplotlib writes PNG with it

from json_file import read_json
from number_text import plain
from records import VERDICTS, distinct
from tables import cell_text, groups, words

_TEMPLATES = Path(__file__).parent
_SHOWN_NAMES = {"cpu": "CPU", "utc_time": "UTC time", "dirty": "uncommitted changes"}


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
        if isinstance(value, dict):
            value = ", ".join(f"{name} {version}" for name, version in value.items())
        elif value is None:
            value = "unknown"
        elif isinstance(value, bool):
            value = "yes" if value else "no"
        rows.append((_SHOWN_NAMES.get(key, key.replace("_", " ")), value))
    return rows


def page_environment():
    """What the pages' templates are filled in by."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)
    environment.filters.update(number=plain, words=words, inlined=_inlined, cell=cell_text)
    return environment


def _paper(experiment):
    """What plots/papers.toml says of the paper that an experiment is of; nothing for every other one."""
    papers = tomllib.loads((_TEMPLATES / "papers.toml").read_text(encoding="utf-8"))
    return papers.get(experiment)


def _drawings(results):
    """(names, picture or animation, what it is) of every mechanism that has one, each once."""
    found = {}
    study = results.path / "study.json" if results else None
    for mechanism in read_json(study)["mechanisms"] if study and study.exists() else []:
        name = mechanism.get("drawing", "")
        file = results.path / name
        if name and file.exists():
            moving = file.with_suffix(".html")
            picture = (moving if moving.exists() else file).read_text(encoding="utf-8")
            entry = found.setdefault(name, {"labels": [], "picture": picture, "mechanism": mechanism})
            entry["labels"].append(mechanism["label"])
    return list(found.values())


def write_report(file, title, figures, results=None, provenance=None, problems=(), own_tables=()):
    """Writes the page. `figures`: (title, caption, PNG file, whether it is one column wide); `problems`: what could not be shown, and
    why; `own_tables`: the experiment's TableDefinitions."""
    environment = page_environment()
    records, timings = (results.records, results.timings) if results else ([], [])
    is_study = results is not None and results.is_study
    page = environment.get_template("report.html.jinja").render(
        title=title,
        paper=_paper(results.experiment) if results else None,
        drawings=_drawings(results),
        mechanisms=distinct(records, "mechanism"),
        verdict_counts=_verdict_counts(records),
        tables=[group for group in groups(records) if not (is_study and group[0] == "failed")],
        timing_tables=[group for group in groups(timings) if not (is_study and group[0] == "failed")],
        all_numbers=[] if is_study else records + timings,
        claims=results.claims if results else [],
        own_tables=[(table, table.header(results), table.rows(results)) for table in own_tables],
        figures=figures,
        problems=list(problems),
        number_count=len(records),
        provenance=_provenance_rows(provenance or {}),
    )
    file.write_text(page + "\n", encoding="utf-8")
    return file
