"""All figures of the experiment integrators, in the order of the report."""
import integrators_drift
import integrators_work

FIGURES = [*integrators_work.FIGURES, *integrators_drift.FIGURES]
