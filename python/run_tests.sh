#!/usr/bin/env bash
# python/run_tests.sh [PROGRAM]: the tests of the installed package and its examples. Exit code 77 where
# setup/install_python.sh has not installed it, or the tree has changed since. PROGRAM: the mbdbench to compare with.
# python/run_tests.sh --installed: no tests; whether it is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
again="run setup/install_python.sh"
if [[ ! -f build/python/installed ]]; then
  echo "skipped: the Python package is not installed in build/python/venv; $again"
  exit 77
fi
changed=$(find mechanisms formulations integrators experiments python pyproject.toml -newer build/python/installed \
  \( -name '*.?pp' -o -path 'python/mbdbench/*.py' -o -name pyproject.toml \) -print -quit)
if [[ -n $changed ]]; then
  echo "skipped: $changed is newer than the installed Python package; $again"
  exit 77
fi
if [[ ${1:-} == --installed ]]; then
  exit 0
fi
if [[ -n ${1:-} ]]; then
  MBDBENCH_PROGRAM=$(realpath "$1")
  export MBDBENCH_PROGRAM
fi
PYTHONDONTWRITEBYTECODE=1 exec build/python/venv/bin/python -m pytest -q -p no:cacheprovider python/tests
