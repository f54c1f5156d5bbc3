"""What a figure is: a name, words, and a function that draws it."""
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class FigureDefinition:
    name: str  # of its files
    title: str
    caption: Callable  # of the data: says what one sees, with the numbers of this very run
    draw: Callable  # of the data: a Matplotlib figure
    case: str = ""  # label of the mechanism that it is of alone
    part: int = 1  # of several with this title, which have too many curves for one
