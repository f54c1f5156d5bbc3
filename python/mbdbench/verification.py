"""A formulation, or the first version of one in Python, compared with the dense reference."""

from __future__ import annotations

import re
from typing import Callable

from numpy.typing import ArrayLike, NDArray

from . import _core


def verify(
    mechanism: _core.Mechanism,
    formulation: str | Callable[[float, NDArray, NDArray], ArrayLike],
    *,
    states: int = 5,
    seed: int = 1,
) -> _core.Verification:
    """Compares at the initial state and at random ones that keep the constraints, as `mbdbench verify` does.

    formulation: a key with options ("hdca[ground=leaf]"), or a function (t, q, u) -> u' of the coordinates and
    quasi-velocities of the tree joints, which is added as a prototype under its own name (add_prototype).
    """
    if callable(formulation):
        function, formulation = formulation, re.sub(r"\W+", "", getattr(formulation, "__name__", "")) or "prototype"
        _core.add_prototype(formulation, function)
    return _core.verify(mechanism, formulation, states, seed)
