#!/usr/bin/env bash
# Runs the tests of this folder with the interpreter that ./reproduce would draw with. None is a failure: results without figures are
# not what the suite promises.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/install_packages.sh
source "$here/../../setup/install_packages.sh"
if ! python=$(choose_python); then
  echo "Neither python3 nor /usr/bin/python3 imports matplotlib, numpy and jinja2 (Debian: python3-matplotlib, python3-numpy," \
    "python3-jinja2)." >&2
  exit 1
fi
echo "Interpreter: $python ($("$python" -c 'import sys; print(sys.executable)'))"
# No __pycache__ beside the sources.
PYTHONDONTWRITEBYTECODE=1 exec "$python" -m unittest discover -s "$here" -p "*_test.py" "$@"
