#!/usr/bin/env bash
# setup/install_python.sh [PREFIX]: the Python package of this tree (docs/using/python.md), built and installed into
# build/python/venv with what its tests and examples need from PyPI. Run it again after changes: only what changed is built.
# PREFIX: where `cmake --install` has put the libraries of this tree; without it they are compiled. Exit code 3: PyPI cannot
# be reached.
set -euo pipefail
options=(-C "cmake.define.MBDBENCH_INSTALLED=OFF")
if [[ -n ${1:-} ]]; then
  # The build directory remembers where libraries of another PREFIX were: not found, so that they are looked for again.
  options=(-C "cmake.define.MBDBENCH_INSTALLED=ON" -C "cmake.define.CMAKE_PREFIX_PATH=$(realpath "$1")"
    -C "cmake.define.mbdbench_DIR=mbdbench_DIR-NOTFOUND")
fi
cd "$(dirname "$0")/.."
# shellcheck source=setup/install_packages.sh
source setup/install_packages.sh
venv=build/python/venv
make_python_environment "$venv" || exit 2
pip() { "$venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
mapfile -t packages < <(python_build_packages "$venv")
if ! pip install "${packages[@]}" scipy pandas matplotlib pytest; then
  echo "install_python.sh: the packages of PyPI that it needs cannot be had" >&2
  exit 3
fi
# Without isolation the build directory keeps the paths that it was configured with.
touch build/python/started
pip install --no-build-isolation --no-deps --force-reinstall -C build-dir="$PWD/build/python/cmake" "${options[@]}" .
mv build/python/started build/python/installed
echo "installed: $("$venv/bin/python" -c 'import mbdbench; print(mbdbench.__file__)')"
