"""What plots/papers.toml says of each paper: what it did, which settings are not its own, what its comparison hides."""
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

_FILE = Path(__file__).with_name("papers.toml")


@dataclass(frozen=True)
class Setting:
    """A setting that is not the paper's own, and the numbers and sentences that rest on it."""

    text: str
    sources: list = field(default_factory=list)  # beginnings of their sources; none: all
    formulations: list = field(default_factory=list)  # beginnings of the numbers' formulations; none: all
    quantities: list = field(default_factory=list)  # beginnings of the numbers' quantities; none: all

    def of_number(self, source, record):
        """Whether a printed number rests on it. `record`: what speaks for the number, None where nothing does."""
        if not self.of_sentence(source):
            return False
        return ((not self.formulations or record is not None and record.formulation.startswith(tuple(self.formulations)))
                and (not self.quantities or record is not None and record.quantity.startswith(tuple(self.quantities))))

    def of_sentence(self, source):
        """Whether a sentence rests on it. One of single formulations or quantities is not read out of a sentence: it counts."""
        return not self.sources or source.startswith(tuple(self.sources))


def papers():
    """{experiment: what papers.toml says}, its settings as Settings."""
    texts = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {name: {**text, "settings": [Setting(**setting) for setting in text["settings"]]} for name, text in texts.items()}
