"""What is wrong with an input, in words that let its reader mend it."""


class InputError(Exception):
    """A missing, damaged or contradictory input file: FILE:LINE: what is wrong."""

    def __init__(self, file, message, line=None):
        super().__init__(f"{file}:{line}: {message}" if line else f"{file}: {message}")
