"""A run as `mbdbench simulate` makes and judges it, with arrays in place of files."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass, field
from typing import Any, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

# What messages of the library call by the command line's options.
_ARGUMENTS = {"--rtol": "tolerance", "--atol": "absolute_tolerance", "--fixed-step": "step", "--project": "projection_tolerance"}


@dataclass
class Simulation:
    """A run: one row a sample in every array."""

    t: NDArray[np.float64]
    x: NDArray[np.float64] = field(repr=False)  #: states of the formulation, samples x components
    q: NDArray[np.float64] = field(repr=False)  #: coordinates of the tree joints
    u: NDArray[np.float64] = field(repr=False)  #: their quasi-velocities
    names: list[str] = field(repr=False)  #: of the components of x
    status: str  #: "ok", "inaccurate", "endless", "rhs_failed", ...: docs/using/results.md
    message: str  #: why it is not "ok"
    statistics: dict[str, Any] = field(repr=False)  #: what statistics.json has: nfevals, nsteps, energy, ...
    notes: list[str] = field(repr=False)  #: what the formulation told that a reader should know
    wall_time: float = field(repr=False)  #: s

    @property
    def ok(self) -> bool:
        """Whether the end was reached within the limits of energy and constraints."""
        return self.status == "ok"

    @property
    def evaluations(self) -> int:
        """Right-hand sides that the integrator asked for."""
        return self.statistics["nfevals"]

    @property
    def steps(self) -> int:
        """Accepted steps."""
        return self.statistics["nsteps"]

    def __repr__(self) -> str:
        about = self.statistics
        return (
            f"<mbdbench.Simulation {about['mechanism']} {about['formulation']} {about['integrator']}: {self.status}, "
            f"t = {about['t_end']}, {self.steps} steps, {self.evaluations} evaluations, {len(self.t)} samples>"
        )


def _argument_names(message: str) -> str:
    return re.sub(r"--[a-z]+(-[a-z]+)*", lambda option: _ARGUMENTS.get(option[0], option[0][2:].replace("-", "_")), message)


def simulate(
    mechanism: _core.Mechanism,
    formulation: str | _core.Formulation,
    integrator: str = "ode45",
    *,
    times: float | ArrayLike,
    tolerance: float = 1e-6,
    absolute_tolerance: float | Mapping[str, float] | None = None,
    step: float | None = None,
    max_step: float | None = None,
    initial_step: float | None = None,
    refine: int | None = None,
    max_evaluations: int | None = None,
    projection_tolerance: float | None = None,
    jacobian: str | None = None,
    max_drift: float | None = None,
    max_energy_error: float | None = None,
) -> Simulation:
    """Integrates from the mechanism's initial state; see Mechanism.with_initial_values.

    times: the end (from 0), (start, end), or all times of samples; without them samples come at the integrator's steps.
    tolerance: relative, and absolute unless `absolute_tolerance` says otherwise: a number, or numbers by kind of state
    ("position", "quaternion", "velocity", "momentum"). step: of integrators with a fixed step. max_drift,
    max_energy_error: limits of a run that is ok. jacobian: of implicit integrators, "exact", "differences" or "auto"
    (exact where the formulation has derivatives); with "exact" Gauss methods solve their stages by Newton's method from
    the start. The others are those of `mbdbench simulate --help`.

    A run that ends early or is inaccurate raises nothing: its status and message say so. ValueError for what cannot be
    run, KeyboardInterrupt for Ctrl-C. Other Python threads go on meanwhile.
    """
    if absolute_tolerance is None:
        absolute_tolerance = tolerance
    by_kind = absolute_tolerance if isinstance(absolute_tolerance, Mapping) else {}
    request = _core.SimulateRequest()
    request.formulation = formulation if isinstance(formulation, str) else formulation.word
    request.integrator = integrator
    request.relative_tolerance = tolerance
    request.absolute_tolerances = [f"{kind}={float(value)!r}" for kind, value in by_kind.items()] or [repr(float(absolute_tolerance))]
    request.fixed_step = step
    request.max_step = max_step
    request.initial_step = initial_step
    request.refine = refine
    request.max_evaluations = max_evaluations
    request.projection_tolerance = projection_tolerance
    request.jacobian = jacobian
    request.max_drift = max_drift
    request.max_energy_error = max_energy_error
    if warning := _core.singular_start_warning(mechanism):
        warnings.warn(warning, stacklevel=2)
    try:
        run = _core.run(mechanism, request, [0.0, float(times)] if np.ndim(times) == 0 else times)
    except _core.MechanismError:
        raise
    except ValueError as error:
        raise ValueError(_argument_names(str(error))) from None
    return Simulation(**{**run, "statistics": json.loads(run["statistics"])})
