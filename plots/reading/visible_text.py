"""The gate for texts of files: what terminals obey and nobody sees is no part of names and numbers."""
import re

# As mechanisms/model/description/visible_text.hpp has them: control characters, marks that reorder, separators of lines.
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)")


def unseen_character(text):
    """What is wrong with a text; empty where nothing is."""
    found = UNSEEN.search(text)
    return f"holds the control character U+{ord(found[0]):04X} at letter {found.start() + 1}; take it out" if found else ""
