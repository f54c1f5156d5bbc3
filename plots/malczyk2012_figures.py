"""All figures of the experiment malczyk2012, in the order of the report."""
import malczyk2012_motion

FIGURES = malczyk2012_motion.FIGURES
