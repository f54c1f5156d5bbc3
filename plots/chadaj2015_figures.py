"""All figures of the experiment chadaj2015, in the order of the report."""
import chadaj2015_accuracy
import chadaj2015_motion

FIGURES = [*chadaj2015_motion.FIGURES, *chadaj2015_accuracy.FIGURES]
