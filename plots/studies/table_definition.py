"""What a table of an experiment's own is: a name, words, and functions that give its columns and rows."""
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class TableDefinition:
    name: str  # of its file
    title: str
    caption: str
    header: Callable  # of the data: names of the columns
    rows: Callable  # of the data: rows of texts, numbers and None
    digits: int = 3
    case: str = ""  # label of the mechanism that it is of alone
    parts: tuple = ()  # names of the files that LaTeX has in its place: it is too wide for paper and has no file
    on_paper_only: bool = False  # one of these parts
