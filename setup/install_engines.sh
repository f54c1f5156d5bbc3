#!/usr/bin/env bash
# Other engines for `mbdbench verify --engine` and the studies `engines`, `batches` and `derivatives`. None is needed for
# anything but these comparisons.
usage() {
  cat <<'TEXT'
setup/install_engines.sh [ENGINE...]: installs other engines into build/engines and compiles their adapters.
  pinocchio  PyPI (pin), C++; its adapter takes two minutes to compile    mujoco   PyPI
  simbody    Debian (libsimbody-dev), C++                                 drake    PyPI, 600 MB
  kdl        Debian (liborocos-kdl-dev), C++                              exudyn   PyPI
  bullet     Debian (libbullet-dev), C++                                  casadi   PyPI
  dart       Debian (libdart-dev), C++
Without names: pinocchio and mujoco. CXX (default: g++) compiles the adapters in C++ with the flags of our release build.
Exit code 2: there is no such engine; 3: one cannot be had.
TEXT
}
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/engines
declare -A packages=([pinocchio]=pin [mujoco]=mujoco [drake]=drake [exudyn]=exudyn [casadi]=casadi [simbody]="" [kdl]="" [bullet]="" [dart]="")

# compile ENGINE FLAGS...: examples/engines/ENGINE_engine.cpp
compile() {
  local engine=$1
  shift
  "${CXX:-g++}" -std=c++17 -O3 -DNDEBUG -march=native -Wno-deprecated-declarations -isystem /usr/include/eigen3 "examples/engines/${engine}_engine.cpp" \
    -o "$venv/bin/${engine}_engine" "$@"
}

# debian PACKAGE HEADER: installs what has the header
debian() {
  if [[ ! -e /usr/include/$2 ]] && ! apt-get install -y --no-install-recommends "$1" >/dev/null; then
    echo "install_engines.sh: install $1" >&2
    exit 3
  fi
}

wanted=("$@")
[[ $# -gt 0 ]] || wanted=(pinocchio mujoco)
names=(numpy)
for engine in "${wanted[@]}"; do
  if [[ $engine == --help || $engine == -h ]]; then
    usage
    exit 0
  fi
  if [[ -z ${packages[$engine]+known} ]]; then
    echo "install_engines.sh: there is no engine '$engine' here" >&2
    usage >&2
    exit 2
  fi
  [[ -z ${packages[$engine]} ]] || names+=("${packages[$engine]}")
done
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${names[@]}"; then
  echo "install_engines.sh: ${names[*]} cannot be had from PyPI" >&2
  exit 3
fi
for engine in "${wanted[@]}"; do
  case $engine in
    pinocchio) # without its compiled templates, so that our flags hold; the limits are its own
      headers=$("$venv/bin/python" -c 'import cmeel, os; print(os.path.join(os.path.dirname(cmeel.__file__), "..", "cmeel.prefix", "include"))')
      compile pinocchio -isystem "$headers" -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 \
        -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12
      ;;
    simbody)
      debian libsimbody-dev simbody/Simbody.h
      compile simbody -isystem /usr/include/simbody -lSimTKsimbody -lSimTKmath -lSimTKcommon
      ;;
    kdl) # vectors of Eigen go to and fro: they must be aligned as those of the compiled library are
      debian liborocos-kdl-dev kdl/kdl.hpp
      compile kdl -DEIGEN_MAX_ALIGN_BYTES=16 -lorocos-kdl
      ;;
    bullet)
      debian libbullet-dev bullet/btBulletDynamicsCommon.h
      compile bullet -DBT_USE_DOUBLE_PRECISION -isystem /usr/include/bullet -lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64
      ;;
    dart) # likewise, and with -march=native whatever the alignment is called it crashes; the library does the work
      debian libdart-dev dart/dynamics/Skeleton.hpp
      compile dart -march=x86-64 -ldart
      ;;
  esac
done
"$venv/bin/python" -m pip list --disable-pip-version-check 2>/dev/null | grep -iE "^(pin|mujoco|drake|exudyn|casadi|numpy) "
