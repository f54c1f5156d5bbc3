"""All figures of the experiment chadaj2017, in the order of the report."""
import chadaj2017_motion
import chadaj2017_work

FIGURES = [*chadaj2017_motion.FIGURES, *chadaj2017_work.FIGURES]
