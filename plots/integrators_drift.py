"""Energy over long times: symplectic methods against adaptive ones at equal cost."""
import style
from figure_definition import FigureDefinition
from input_error import InputError
from integrators_curves import legend, of_mechanism
from number_text import plain
from records import distinct


def _drift_records(results, quantity):
    return [record for record in results.records if record.quantity == quantity and "duration" in record.parameters and record.value is not None]


def _mechanisms(results):
    names = distinct(_drift_records(results, "largest_energy_error"), "mechanism")
    if not names:
        raise InputError(results.path / "records.csv", "no largest_energy_error: every long run failed or is missing")
    return names


def _file(mechanism, integrator):
    return f"drift_{mechanism.replace(':', '_')}_{integrator}"


def _drift(results):
    names = _mechanisms(results)
    records = _drift_records(results, "largest_energy_error")
    figure = style.new_figure(style.DOUBLE_COLUMN_MM, 92)
    grid = figure.add_gridspec(2, len(names), height_ratios=(0.2, 1))
    legend(figure, grid[0, :], distinct(records, "integrator"), 4)
    for column, name in enumerate(names):
        axes = figure.add_subplot(grid[1, column])
        for record in (record for record in records if record.mechanism == name):
            run = results.trajectory(_file(name, record.integrator), ["largest"])
            drawn = run["largest"] > 0
            axes.semilogy(run["t"][drawn], run["largest"][drawn], linewidth=0.7, markersize=3, markeredgewidth=0.6, markevery=10,
                          **style.integrator_look(record.integrator))
        style.decades(axes.yaxis)
        unit = next(record.unit for record in records if record.mechanism == name)
        axes.set_title(name)
        axes.set_xlabel("time [s]")
        axes.set_ylabel(f"largest energy error [{unit}]")
    return figure


def _drift_caption(results):
    texts = []
    for name in _mechanisms(results):
        counts = [r.value for r in of_mechanism(results, name) if r.quantity == "function_evaluations" and "duration" in r.parameters]
        texts.append(f"{name}: {plain(min(counts), 2)} to {plain(max(counts), 2)}")
    return ("Largest energy error at the accepted steps of each fiftieth of the time. Every method has the step or the tolerance with "
            f"which it needs about the same number of evaluations ({'; '.join(texts)}), fewer where it reaches its tightest tolerance "
            "before. A horizontal curve has no secular drift; a lower one has the smaller error for the same work.")


FIGURES = [FigureDefinition("integrators_energy_drift", "Energy over long times", _drift_caption, _drift)]
