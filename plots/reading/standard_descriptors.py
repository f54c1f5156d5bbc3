"""Standard input, output and error exist before any file is opened."""
import os


def open_standard_descriptors():
    """Opens those of the descriptors 0 to 2 that are closed: a figure that got number 2 would receive warnings."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
