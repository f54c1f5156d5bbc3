"""The examples of the Python package as notebooks: scripts whose cells begin with '# %%'."""
import jupytext


def read(text):
    """The notebook of a script, for the kernel that every Python installation has."""
    notebook = jupytext.reads(text, fmt="py:percent")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "python"}
    return notebook
