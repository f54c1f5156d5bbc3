"""The documentation site: the pages of docs/, the interfaces from the headers' comments, the notebooks.

setup/build_site.sh builds it; the source is the whole tree, since pages link to the files that they speak of.
"""
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

project = "mbdbench"
author = "The mbdbench authors"
release = re.search(r"project\(mbdbench VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
version = release

extensions = ["myst_nb", "breathe"]
root_doc = "docs/site/index"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SUPPORT.md", "docs/**",
                    "python/examples/*.py"]
exclude_patterns = ["docs/site/*.py", "docs/figures/*"]

# Pages are written for a host of repositories: anchors are made as these make them.
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]

# The examples of the package are notebooks (jupytext, percent form), executed with every build.
nb_custom_formats = {".py": "percent_notebook.read"}
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

breathe_projects = {"mbdbench": os.environ["MBDBENCH_DOXYGEN_XML"]}
breathe_default_project = "mbdbench"
breathe_default_members = ("members",)
# Every header opens the namespace anew.
suppress_warnings = ["duplicate_declaration.cpp"]

html_theme = "furo"
html_title = f"mbdbench {release}"
