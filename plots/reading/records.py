"""Records: one number a row, the number it is compared with beside it (docs/using/results.md)."""
import math
from dataclasses import dataclass

from reading.csv_rows import read_csv_rows
from reading.input_error import InputError

COLUMNS = ["experiment", "mechanism", "formulation", "integrator", "parameters", "quantity", "unit", "value",
           "published_value", "source", "expected_value", "expected_from", "limit", "verdict", "note"]
VERDICTS = ["exact", "within limit", "trend only", "direction only", "below the published error", "fitted", "not reproduced",
            "no published value", "not measured", "refused", "failed"]
_WITHOUT_VALUE = ("failed", "refused", "not measured")


@dataclass(frozen=True)
class Record:
    experiment: str
    mechanism: str
    formulation: str
    integrator: str
    parameters: dict
    quantity: str
    unit: str
    value: float | None
    published_value: float | None
    source: str
    expected_value: float | None
    expected_from: str
    limit: str
    verdict: str
    note: str

    @property
    def parameter_text(self):
        return "; ".join(f"{name} = {value}" if value else name for name, value in self.parameters.items())

    @property
    def compared_value(self):
        """The number it is compared with, published or expected, or None."""
        return self.published_value if self.published_value is not None else self.expected_value


def _number(file, line, column, text):
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        raise InputError(file, f"{column} should be a number or empty, not '{text}'", line) from None


def _parameters(file, line, text):
    parameters = {}
    for part in filter(None, text.split(";")):
        name, _, value = part.partition("=")
        if not name.strip() or name.strip() in parameters:
            raise InputError(file, f"parameters should be NAME=VALUE;NAME=VALUE with different names, not '{text}'", line)
        parameters[name.strip()] = value.strip()
    return parameters


def _record(file, line, fields):
    row = dict(zip(COLUMNS, fields))
    if row["verdict"] not in VERDICTS:
        raise InputError(file, f"verdict should be one of {', '.join(VERDICTS)}, not '{row['verdict']}'", line)
    for column in ("value", "published_value", "expected_value"):
        row[column] = _number(file, line, column, row[column])
    if row["value"] is None and row["verdict"] not in _WITHOUT_VALUE:
        raise InputError(file, f"value is empty, but the verdict is '{row['verdict']}' and not {', '.join(_WITHOUT_VALUE)}", line)
    row["parameters"] = _parameters(file, line, row["parameters"])
    return Record(**row)


def read_records(file):
    """Reads records.csv or timings.csv. Raises InputError with file and line for anything that does not fit."""
    columns, rows = read_csv_rows(file)
    if columns != COLUMNS:
        missing = [name for name in COLUMNS if name not in columns]
        detail = f"; missing: {', '.join(missing)}" if missing else ""
        raise InputError(file, f"the columns should be {','.join(COLUMNS)}{detail}", 1)
    return [_record(file, line, fields) for line, fields in rows]


def _same(text, wanted):
    """Compares parameters: as numbers where both are, because 1e-06 and 0.000001 are the same tolerance."""
    try:
        return float(text) == float(wanted)
    except ValueError:
        return text == wanted


def select(records, quantity, formulation=None, integrator=None, **parameters):
    """Records that hold a finite, undisturbed number of this quantity, with exactly these parameters (`...`: any value)."""
    return [record for record in records
            if record.quantity == quantity
            and (formulation is None or record.formulation == formulation)
            and (integrator is None or record.integrator == integrator)
            and record.parameters.keys() == parameters.keys()
            and all(wanted is ... or _same(record.parameters[name], str(wanted)) for name, wanted in parameters.items())
            and record.value is not None and math.isfinite(record.value) and record.verdict != "not measured"]


def value_of(records, quantity, formulation=None, integrator=None, **parameters):
    """The one number of this description, or None. Raises InputError when records contradict one another."""
    values = {record.value for record in select(records, quantity, formulation, integrator, **parameters)}
    if len(values) > 1:
        described = ", ".join([str(formulation), str(integrator)] + [f"{k}={v}" for k, v in parameters.items()])
        raise InputError("records.csv", f"contradictory records of {quantity} ({described}): {sorted(values)}")
    return values.pop() if values else None


def distinct(records, attribute):
    """Values of an attribute in the order in which they come."""
    return list(dict.fromkeys(getattr(record, attribute) for record in records))
