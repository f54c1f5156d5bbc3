"""Research benchmark and verification suite for multibody dynamics: docs/using/python.md walks through it.

SI units, angles in rad, quaternions (w, x, y, z), vectors in world axes.
"""

from ._core import (
    __version__,
    BlockCheck,
    Formulation,
    GradientRun,
    Mechanism,
    MechanismError,
    Observation,
    RightHandSideError,
    StateComponent,
    Verification,
    add_prototype,
    formulations,
    integrators,
    mechanisms,
)
from .ensembles import Ensemble, ensemble, read_ensemble
from .results import records, study
from .simulation import Simulation, simulate
from .verification import verify

__all__ = [
    "__version__",
    "BlockCheck",
    "Ensemble",
    "Formulation",
    "GradientRun",
    "Mechanism",
    "MechanismError",
    "Observation",
    "RightHandSideError",
    "Simulation",
    "StateComponent",
    "Verification",
    "add_prototype",
    "ensemble",
    "formulations",
    "integrators",
    "mechanisms",
    "read_ensemble",
    "records",
    "simulate",
    "study",
    "verify",
]
