"""Curves: one row a sample, the first column the time (docs/using/results.md)."""
import numpy as np

from reading.csv_rows import read_csv_rows
from reading.input_error import InputError


def read_trajectory(file, needed):
    """Returns {column: array} of 't' and the needed columns. Raises InputError with file and line where it cannot."""
    columns, rows = read_csv_rows(file)
    needed = ["t", *needed]
    missing = [name for name in needed if name not in columns]
    if missing:
        raise InputError(file, f"no column {', '.join(missing)}; there are {', '.join(columns)}", 1)
    if not rows:
        raise InputError(file, "there are no samples")
    positions = [columns.index(name) for name in needed]
    data = np.empty((len(rows), len(needed)))
    for row, (line, fields) in enumerate(rows):
        for column, position in enumerate(positions):
            try:
                data[row, column] = float(fields[position])
            except ValueError:
                raise InputError(file, f"{needed[column]} should be a number, not '{fields[position]}'", line) from None
        if not np.isfinite(data[row]).all():
            raise InputError(file, f"{needed[int(np.argmin(np.isfinite(data[row])))]} is not finite", line)
        if row > 0 and data[row, 0] < data[row - 1, 0]:
            raise InputError(file, f"the time goes back from {data[row - 1, 0]} to {data[row, 0]}", line)
    return dict(zip(needed, data.T))
