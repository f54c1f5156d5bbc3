"""JSON that a run, or somebody else, has left."""
import json

from reading.input_error import InputError
from reading.visible_text import unseen_character

DEEPEST = 32  # levels; ours have five


def _require_visible(file, value, level=1):
    if level > DEEPEST:
        raise InputError(file, f"is nested deeper than {DEEPEST} levels", 1)
    texts = [value] if isinstance(value, str) else list(value) if isinstance(value, dict) else []
    for text in texts:
        if wrong := unseen_character(text):
            raise InputError(file, f"a text {wrong}", 1)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        _require_visible(file, inner, level + 1)


def parse_json(file, text, line=None):
    """What the text holds. Raises InputError, with the line where the text is one of several."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(file, f"not JSON: {error.msg}", line or error.lineno) from None
    except RecursionError:
        raise InputError(file, f"is nested deeper than {DEEPEST} levels", line or 1) from None
    _require_visible(file, value)
    return value


def read_json(file, missing="does not exist"):
    """What the file holds. Raises InputError."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(file, missing) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"cannot be read: {error}") from None
    return parse_json(file, text)
