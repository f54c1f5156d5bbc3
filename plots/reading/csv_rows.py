"""The CSV that mbdbench writes: '#' comments, one header row, quotes doubled inside quoted fields."""
import csv
import io
import re

from reading.input_error import InputError
from reading.visible_text import unseen_character

# Before a text that spreadsheets would run as a formula the writer sets an apostrophe.
_KEPT_FROM_SPREADSHEETS = re.compile(r"^'(?='*[=+\-@\t\r])")


def _logical_rows(file, text):
    """Yields (line, text) of every row; a quoted field may run over several lines."""
    pending, start = "", 0
    for number, line in enumerate(io.StringIO(text), 1):
        if not pending and line.startswith("#"):
            continue
        start = start if pending else number
        pending += line
        if pending.count('"') % 2 == 0:
            yield start, pending.rstrip("\r\n")
            pending = ""
    if pending:
        raise InputError(file, "a quoted field begins here and does not end", start)


def _fields(file, line, text):
    try:
        fields = next(csv.reader([text], strict=True), [""])
    except csv.Error as error:
        raise InputError(file, f"not a CSV row: {error}", line) from None
    for field in fields:
        if wrong := unseen_character(field):
            raise InputError(file, f"a field {wrong}", line)
    return [_KEPT_FROM_SPREADSHEETS.sub("", field) for field in fields]


def _text_of(file):
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        part = file.with_name(file.name + ".part")
        reason = f"does not exist, but {part.name} does: the run that writes it was killed" if part.exists() else "does not exist"
        raise InputError(file, reason) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(file, f"cannot be read: {error}") from None


def read_csv_rows(file):
    """Returns the column names and a list of (line, fields)."""
    rows = list(_logical_rows(file, _text_of(file)))
    if not rows:
        raise InputError(file, "there is no row of column names", 1)
    columns = _fields(file, *rows[0])
    table = []
    for line, text in rows[1:]:
        fields = _fields(file, line, text)
        if len(fields) != len(columns):
            raise InputError(file, f"{len(fields)} fields where the header has {len(columns)}", line)
        table.append((line, fields))
    return columns, table
