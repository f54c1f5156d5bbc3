#!/usr/bin/env bash
# setup/build_site.sh: the documentation site in build/site/html, with the installed Python package (setup/install_python.sh):
# the notebooks are executed. A warning is an error, a link within the site that leads nowhere among them; links to other
# hosts are not followed. Exit code 3: PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/build/python/venv/bin/python
if [[ ! -f build/python/installed ]]; then
  echo "build_site.sh: the Python package is not installed in build/python/venv; run setup/install_python.sh" >&2
  exit 2
fi
if ! command -v doxygen >/dev/null; then
  echo "build_site.sh: doxygen is missing (Debian: doxygen)" >&2
  exit 2
fi
if ! "$python" -m pip --quiet --disable-pip-version-check install \
  "sphinx>=8,<9" "myst-nb>=1,<2" "breathe>=4.36,<5" furo jupytext ipykernel matplotlib scipy; then
  echo "build_site.sh: the packages of PyPI that it needs cannot be had" >&2
  exit 3
fi
mkdir -p build/site/doxygen
(cat docs/site/Doxyfile && echo "OUTPUT_DIRECTORY = build/site/doxygen") | doxygen -
MBDBENCH_DOXYGEN_XML=$PWD/build/site/doxygen/xml "$python" -m sphinx --builder html --fail-on-warning --keep-going --quiet \
  --jobs "$(nproc)" --conf-dir docs/site --doctree-dir build/site/doctrees . build/site/html
echo "built: build/site/html/docs/site/index.html, $(find build/site/html -name '*.html' | wc -l) pages"
