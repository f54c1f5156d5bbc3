"""What the worked examples of gradients measure and keep for their study.

Every example prints what it finds. `python worked_examples` runs all of them and writes what they have kept as a folder
of results (docs/using/results.md), with curves for figures.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

_TURNS = 20
_LEAST_TIME = 2e-3  # s, of a batch: a thousand times the clock's resolution
_LEAST_SHARE = 0.9  # of a processor: below, something else on the machine has spoilt a time

examples: list[WorkedExample] = []  # all that this program has made


@dataclass
class Number:
    """One number that an example has found."""

    quantity: str
    unit: str
    value: float | None
    note: str = ""
    disturbed: bool = False


@dataclass
class WorkedExample:
    """One example: its name is that of its script."""

    name: str
    formulation: str
    numbers: list[Number] = field(default_factory=list)
    curves: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self):
        examples.append(self)

    def keep(self, quantity, unit, value, note="", disturbed=False):
        """Keeps a number for the study."""
        self.numbers.append(Number(quantity, unit, None if value is None else float(value), note, disturbed))

    def keep_curves(self, t, **curves):
        """Keeps curves over time; places of markers, an array of shape (times, 3), by x, y and z."""
        self.curves["t"] = np.asarray(t)
        for name, values in curves.items():
            if np.ndim(values) == 2:
                self.curves |= {f"{name}_{axis}": places for axis, places in zip("xyz", np.asarray(values).T)}
            else:
                self.curves[name] = np.asarray(values)

    def measure_gradient(self, run, values):
        """The gradient against differences of the whole run in numbers of 113 bits, and its time in those of a run.

        Returns the largest difference over the largest derivative; None where there is no such reference.
        """
        error = self._compare(run, values)
        seconds, shares = _fastest((run.value, run), values)
        cost = seconds[1] / seconds[0]
        self.keep("numbers", "1", len(values))
        self.keep("gradient_cost", "runs", cost, f"a run takes {seconds[0]:.4g} s", min(shares) < _LEAST_SHARE)
        print(f"one gradient by {len(values)} numbers costs {cost:.1f} runs")
        return error

    def _compare(self, run, values):
        gradient = run(values)[1]
        try:
            precise = run.precise_along(values, np.eye(len(values)))
        except ValueError as refusal:
            if "113 bits" not in str(refusal):
                raise
            self.keep("gradient_error", "1", None, str(refusal))
            print(f"no differences of 113 bits: {refusal}")
            return None
        error = np.abs(gradient - precise).max() / np.abs(precise).max()
        self.keep("gradient_error", "1", error)
        print(f"gradient against differences of 113 bits: {error:.1e}")
        return error

    def keep_search(self, run, guess, values, searches):
        """What an optimiser made of a guess: the objective of `run` before and after, and what its searches took."""
        before, after = run.value(guess), run.value(values)
        iterations, gradients = sum(found.nit for found in searches), sum(found.njev for found in searches)
        self.keep("objective_at_start", "of the objective", before)
        self.keep("objective_at_end", "of the objective", after)
        self.keep("iterations", "1", iterations)
        self.keep("gradients", "1", gradients)
        print(f"{iterations} iterations, {gradients} gradients: objective from {before:.3g} to {after:.1e}")


def _fastest(calls, values):
    """The shortest time of each call, s, of batches in turns, and its share of a processor: what else the machine does
    makes times longer."""
    best = [(np.inf, 0.0)] * len(calls)
    for _ in range(_TURNS):
        for place, call in enumerate(calls):
            count, took, wall, begun = 0, 0.0, time.perf_counter(), time.process_time()
            while took < _LEAST_TIME:
                call(values)
                count += 1
                # Looked at once: clocks of virtual machines have been seen to stand where this began.
                took = time.perf_counter() - wall
            best[place] = min(best[place], (took / count, (time.process_time() - begun) / took))
    return tuple(zip(*best))
