"""The distinct numbers that the papers print, each once, with the verdict on it.

results/published holds what is printed. Records may compare with one number many times (with other formulations, as another
quantity); the record that comes first is that of the paper's own set-up and speaks for the number."""
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reading.csv_rows import read_csv_rows
from reading.number_text import PrintedNumber, RoundedNumber
from reading.records import Record

_DIRECTORY = Path(__file__).resolve().parents[1] / "results" / "published"
_REFERENCE = _DIRECTORY.parent / "reference"
# Of each paper: its files, and how records cite them.
_FILES = {
    "chadaj2015": [("chadaj2015_pendulum16.csv", "Chadaj2015, sect. III")],
    "malczyk2008": [("malczyk2008_table1.csv", "Malczyk2008, table 1"), ("malczyk2008_fig4.csv", "Malczyk2008, sect. 3.3")],
    "malczyk2012": [("malczyk2012_text.csv", "Malczyk2012, sect. 4.2 and 4.3")],
    "naudet2005": [("naudet2005_table1.csv", "Naudet2005, table 1"), ("naudet2005_table2.csv", "Naudet2005, table 2"),
                   ("naudet2005_table3.csv", "Naudet2005, table 3"), ("naudet2005_text.csv", "Naudet2005, text under table 1")],
}
# Columns that say of which run a row is.
_AXES = {"mechanism", "formulation", "integrator", "tolerance", "step_s", "simulated_time_s", "error_control", "quantity", "claim"}
# Rows that print a number of another file once more: this one stands in table 1.
_REPEATED = {("naudet2005_text.csv", "generalized_coordinates")}
NOT_THERE = "not there"
GROUPS = ("exact", "within limit", "below the published error", "trend only", "direction only", "fitted", "not reproduced", "not measured", "failed",
          NOT_THERE)
# Verdicts by which ours agrees with the printed number, as far as it was asked.
AGREE = ("exact", "within limit", "below the published error", "trend only", "direction only")


@dataclass(frozen=True)
class PublishedNumber:
    source: str
    printed: str
    record: Record | None  # that speaks for it
    by_rounding: bool = False  # whether its value, and with it the verdict, depends on the processor and the compiler
    about: str = ""  # which one it is, in the words of its file

    @property
    def verdict(self):
        return self.record.verdict if self.record else NOT_THERE

    @property
    def deviation(self):
        """Relative, None where there is no number of ours."""
        if self.record is None or self.record.value is None:
            return None
        return abs(self.record.value / self.record.published_value - 1)


def _printed(file):
    """[(number as it is printed, which one)]."""
    columns, rows = read_csv_rows(file)
    return [(fields[place], ", ".join([*(field for column, field in zip(columns, fields, strict=True) if column in _AXES), name]).replace("_", " "))
            for _, fields in rows if (file.name, fields[0]) not in _REPEATED
            for place, name in enumerate(columns) if name not in _AXES and fields[place]]


@cache
def _texts():
    """{(source, number): as it is printed}."""
    return {(source, float(text)): text for files in _FILES.values() for name, source in files for text, _ in _printed(_DIRECTORY / name)}


def as_printed(record):
    """What a record is compared with; a paper's number with the digits that it prints."""
    text = _texts().get((record.source, record.published_value))
    if text:
        return PrintedNumber(text)
    return None if record.compared_value is None else RoundedNumber(record.compared_value, 10)


def _speakers(records, source, value):
    """Records compared with a number, one a row and form of the table, in their order."""
    found = {}
    for record in records:
        if record.source == source and record.published_value == value:
            parameters = tuple(item for item in record.parameters.items() if item not in {("output_step", "0.01"), ("output", "0.01")})
            found.setdefault((record.formulation.split("[")[0], parameters), record)
    return list(found.values())


def _by_rounding(experiment):
    """What the reference's rounding.csv lists."""
    file = _REFERENCE / experiment / "rounding.csv"
    return {tuple(fields[:5]) for _, fields in read_csv_rows(file)[1]} if file.exists() else set()


def _run_of(record):
    parameters = ";".join(f"{name}={value}" if value else name for name, value in record.parameters.items())
    return record.mechanism, record.formulation, record.integrator, parameters, record.quantity


def published_numbers(experiment, records):
    """Every number that the paper prints, in the order of its files."""
    numbers = []
    by_rounding = _by_rounding(experiment)
    for name, source in _FILES.get(experiment, []):
        met = {}
        for text, about in _printed(_DIRECTORY / name):
            value = float(text)
            speakers = _speakers(records, source, value)
            place = met.get(value, 0)
            met[value] = place + 1
            speaker = speakers[place] if place < len(speakers) else None
            numbers.append(PublishedNumber(source, text, speaker, speaker is not None and _run_of(speaker) in by_rounding, about))
    return numbers


# Rows of claims that `crossovers` gives, in the words of a figure.
_CROSSOVERS = {"two_processors_of_one_node_start_to_win": "one node", "two_nodes_over_ethernet_start_to_win": "two nodes"}


def crossovers(experiment):
    """[(joints, where)] of the sizes from which the paper says that two processors win."""
    found = []
    for name, _ in _FILES.get(experiment, []):
        columns, rows = read_csv_rows(_DIRECTORY / name)
        if columns[0] == "claim" and "joints" in columns:
            found += [(float(fields[columns.index("joints")]), _CROSSOVERS[fields[0]]) for _, fields in rows if fields[0] in _CROSSOVERS]
    return found


def counts(numbers):
    """{verdict: how many}, of those that occur."""
    found = {group: sum(number.verdict == group for number in numbers) for group in GROUPS}
    return {group: count for group, count in found.items() if count}


def largest_deviation(numbers):
    """Of the numbers within their limits; None where there are none."""
    return max((number.deviation for number in numbers if number.verdict == "within limit"), default=None)
