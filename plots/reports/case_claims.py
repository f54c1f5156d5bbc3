"""Which claims speak of which mechanisms of a study, and which settings a case rests on, for the page of each case."""
import re
import tomllib
from pathlib import Path

_STUDIES = Path(__file__).resolve().parents[2] / "experiments" / "studies"
_CONDITIONS = ("holds", "where")
_NAMED = re.compile(r"""mechanism\s*=\s*(['"])(.*?)\1""")


def _declared(path, experiment):
    """The claims as the run's own declaration has them, or, of a folder without one, the study that comes with the program."""
    for file in (path / "inputs" / "declaration.toml", _STUDIES / "papers" / f"{experiment}.toml", _STUDIES / f"{experiment}.toml"):
        try:
            declared = tomllib.loads(file.read_text(encoding="utf-8")).get("claims", [])
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            continue
        return [claim for claim in declared if isinstance(claim, dict)] if isinstance(declared, list) else []
    return []


def _texts(value):
    """One text or a list of them, as a declaration may have it."""
    found = value if isinstance(value, list) else [value]
    return [text for text in found if isinstance(text, str)]


def _labels(claim, all_labels):
    """Those that the criterion names; all of a claim that runs over the mechanisms of its study, or of a study with one."""
    conditions = [text for name in _CONDITIONS for text in _texts(claim.get(name))]
    named = set(_texts(claim.get("mechanisms"))) | {match[2] for text in conditions for match in _NAMED.finditer(text)}
    if not named and conditions and ("mechanism" in _texts(claim.get("over")) or len(all_labels) == 1):
        return all_labels
    return named & all_labels


def labels_of_claims(path, experiment, all_labels):
    """{statement: labels of the mechanisms that it speaks of}."""
    return {claim["text"]: _labels(claim, all_labels) for claim in _declared(path, experiment) if isinstance(claim.get("text"), str)}


def settings_of(settings, claims, records):
    """The texts of those settings that something of a case rests on: a claim or a number of a paper, or everything."""
    sources = [claim.source for claim in claims] + [record.source for record in records if record.source]
    return [setting.text for setting in settings if not setting.sources or any(setting.of_sentence(source) for source in sources)]
