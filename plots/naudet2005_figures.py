"""All figures of the experiment naudet2005, in the order of the report."""
import naudet2005_motion
import naudet2005_work

FIGURES = [*naudet2005_motion.FIGURES, *naudet2005_work.FIGURES]
