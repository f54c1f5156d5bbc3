# Sourced by ./reproduce and ./check: what the suite needs from the distribution, and how to get what is missing.
#
# A requirement counts as met when what it is for works (the header is found, the sanitizer links), not when a package of
# that name is installed: libraries from elsewhere (CMAKE_PREFIX_PATH, CPATH, a Python environment) are fine, and a machine
# that has everything is not touched and needs no network.
# shellcheck shell=bash

# Formatting and lint verdicts differ between LLVM releases, so these two tools are pinned; compilers are not.
llvm_tools_version=14

missing_packages=()
missing_reasons=()

# need PACKAGE REASON PROBE...: notes the package as missing when the probe fails.
need() {
  local package=$1 reason=$2
  shift 2
  if ! "$@" >/dev/null 2>&1; then
    missing_packages+=("$package")
    missing_reasons+=("$reason")
  fi
}

has_command() { command -v "$1"; }

has_cmake() {
  local version
  version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  local major=${version% *} minor=${version#* }
  ((major > 3 || (major == 3 && minor >= 22)))
}

has_cxx20() { echo '#include <concepts>' | "${CXX:-c++}" -std=c++20 -fsyntax-only -x c++ -; }

# GCC brings its libgomp along.
has_openmp() { echo 'int main() { return 0; }' | "${CXX:-c++}" -fopenmp -x c++ - -o /dev/null; }

# has_header HEADER PACKAGE: asks the compiler, where there is one, else the package database.
has_header() {
  local header=$1 package=$2 prefix includes=(-isystem /usr/include/eigen3)
  if ! has_cxx20; then
    [[ $(dpkg-query -W -f='${Status}' "$package") == *"ok installed"* ]]
    return
  fi
  local IFS=':;'
  for prefix in ${CMAKE_PREFIX_PATH:-}; do
    includes+=(-isystem "$prefix/include" -isystem "$prefix/include/eigen3")
  done
  printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$header" |
    "${CXX:-c++}" -std=c++20 "${includes[@]}" -fsyntax-only -x c++ -
}

# pinned_llvm_tool clang-format: prints the command that is that tool in the pinned version.
pinned_llvm_tool() {
  local candidate
  for candidate in "$1-$llvm_tools_version" "$1"; do
    if command -v "$candidate" >/dev/null && [[ $("$candidate" --version) == *"version $llvm_tools_version."* ]]; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# clang_tidy_headers: prints the folder that holds clang-tidy's own headers.
clang_tidy_headers() {
  local tool folder
  tool=$(readlink -f "$(command -v "$(pinned_llvm_tool clang-tidy)")")
  folder=${tool%/bin/*}/include
  [[ -f $folder/clang-tidy/ClangTidyCheck.h ]] && echo "$folder"
}

links_with_clang() { echo 'int main() { return 0; }' | clang++ -x c++ "$@" -o /dev/null -; }

clang_major() { clang++ -dumpversion | cut -d. -f1; }

has_sanitizers() {
  # Which package holds the runtimes depends on clang's version; without clang that is known only after it is installed.
  has_command clang++ || return 0
  links_with_clang -fsanitize=address,undefined && links_with_clang -fsanitize=thread
}

# choose_python: prints the first interpreter that can draw the plots and render the report.
choose_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import matplotlib, numpy, jinja2' >/dev/null 2>&1; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# python_with_headers: prints the first interpreter with a virtual environment and headers of its own.
python_with_headers() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import ensurepip, os, sysconfig, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

has_latex_tables() { has_command pdflatex && kpsewhich booktabs.sty; }

# What the program itself cannot do without.
need_for_program() {
  need g++ "compiles the suite (C++20)" has_cxx20
  if [[ ${CXX:-c++} == *clang* ]]; then
    need libomp-dev "OpenMP for clang: threads that share a right-hand side" has_openmp
  fi
  need cmake "configures the build (3.22 or newer)" has_cmake
  need ninja-build "runs the build" has_command ninja
  need git "records the commit in every run's provenance; lists the files to check" has_command git
  need libeigen3-dev "matrices" has_header Eigen/Core libeigen3-dev
  need libboost-dev "Boost.Odeint: integrators to compare with" has_header boost/numeric/odeint.hpp libboost-dev
  need libtomlplusplus-dev "reads mechanism files" has_header toml++/toml.h libtomlplusplus-dev
  need libtinyxml2-dev "reads URDF files" has_header tinyxml2.h libtinyxml2-dev
  need nlohmann-json3-dev "writes provenance" has_header nlohmann/json.hpp nlohmann-json3-dev
  need libfmt-dev "formats numbers and messages" has_header fmt/format.h libfmt-dev
  need libcli11-dev "the command line" has_header CLI/CLI.hpp libcli11-dev
  need libmuparser-dev "formulas in mechanism files" has_header muParser.h libmuparser-dev
}

need_for_experiments() {
  need_for_program
  need libsundials-dev "SUNDIALS CVODE: integrators to compare with" has_header cvode/cvode.h libsundials-dev
  need libopenmpi-dev "MPI: two processes of malczyk2008, runs on several processes" has_command mpicxx
  need openmpi-bin "starts the two processes of malczyk2008" has_command mpirun
  need libgtest-dev "the tests, which the build configures" has_header gtest/gtest.h libgtest-dev
  need libbenchmark-dev "the benchmarks, which the build configures" has_header benchmark/benchmark.h libbenchmark-dev
  if ! choose_python >/dev/null; then
    need python3 "plots and the report" has_command /usr/bin/python3
    need python3-numpy "plots" /usr/bin/python3 -c 'import numpy'
    need python3-matplotlib "plots" /usr/bin/python3 -c 'import matplotlib'
    need python3-jinja2 "the report" /usr/bin/python3 -c 'import jinja2'
  fi
}

# Optional: nothing else asks for it, and without it CMake leaves benchmark_simulated_cluster out.
need_for_simulated_cluster() {
  need libsimgrid-dev "SimGrid: right-hand sides on the nodes of a simulated cluster" has_header smpi/smpi.h libsimgrid-dev
}

# For setup/install_python.sh.
need_for_python() {
  need python3-dev "headers, for the Python package" python_with_headers
  need python3-venv "where the Python package is installed" python_with_headers
}

need_for_check() {
  need "clang-format-$llvm_tools_version" "checks the formatting" pinned_llvm_tool clang-format
  need "clang-tidy-$llvm_tools_version" "static checks" pinned_llvm_tool clang-tidy
  need "libclang-$llvm_tools_version-dev" "lets clang-tidy look at our own code only" clang_tidy_headers
}

need_for_full_check() {
  need clang "compiles for the sanitizers and the fuzz targets" has_command clang++
  if has_command clang++ >/dev/null; then
    need "libclang-rt-$(clang_major)-dev" "sanitizer and fuzzer runtimes of the installed clang" has_sanitizers
  fi
  need libomp-dev "OpenMP for clang, and Archer, by which ThreadSanitizer knows its barriers" links_with_clang -fopenmp
  # Without what it recommends: 44 s to install. Fonts are not rendered.
  need texlive-latex-recommended "sets the LaTeX tables of the frozen results (tests/plots/latex_test.py)" has_latex_tables
  need_for_python
  need doxygen "the headers' comments, for the documentation site" has_command doxygen
}

run_apt_get() {
  if ((EUID == 0)); then
    DEBIAN_FRONTEND=noninteractive apt-get "$@"
  else
    sudo DEBIAN_FRONTEND=noninteractive apt-get "$@"
  fi
}

find_missing() {
  local group
  missing_packages=()
  missing_reasons=()
  for group in "$@"; do
    "need_for_$group"
  done
}

show_missing() {
  local i
  for i in "${!missing_packages[@]}"; do
    printf '  %-22s %s\n' "${missing_packages[i]}" "${missing_reasons[i]}"
  done
}

# install_packages yes|no GROUP...: makes the groups' requirements true, or says what is missing; returns 2 when it cannot.
install_packages() {
  local may_install=$1 round package unknown lists_are_old=no
  shift
  find_missing "$@"
  if ((${#missing_packages[@]} == 0)); then
    echo "Everything needed is installed."
    return 0
  fi
  if [[ $may_install == no ]]; then
    echo "Missing (Debian package names), and --no-install forbids installing:" >&2
    show_missing >&2
    return 2
  fi
  if ! command -v apt-get >/dev/null; then
    echo "Missing, and there is no apt-get here to install it with. Install these (Debian package names) by other means:" >&2
    show_missing >&2
    return 2
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    echo "Missing, and installing needs root or sudo. As root: apt-get install ${missing_packages[*]}" >&2
    return 2
  fi
  # A second round, because the package with clang's runtimes is known only once clang is there.
  for round in 1 2; do
    echo "Installing with apt-get:"
    show_missing
    if ((round == 1)) && ! run_apt_get update -qq; then
      lists_are_old=yes
      echo "apt-get update failed; going on with the package lists at hand." >&2
    fi
    unknown=()
    for package in "${missing_packages[@]}"; do
      # No `| grep -q` under pipefail: it hangs up early, and then the pipe fails although the line is there.
      if [[ ! $(apt-cache policy "$package") =~ Candidate:\ [^\(] ]]; then
        unknown+=("$package")
      fi
    done
    if ((${#unknown[@]} > 0)); then
      if [[ $lists_are_old == yes ]]; then
        echo "The package lists could not be updated, and those at hand do not have ${unknown[*]}." >&2
        echo "Is the machine online, and are its package sources right? Repair that and run the same command again." >&2
      else
        echo "This release of the distribution has no package ${unknown[*]} (see --help: supported releases)." >&2
      fi
      return 2
    fi
    # Recommended packages are left out: they would bring documentation, desktop toolkits and other compilers.
    if ! run_apt_get install -y -qq --no-install-recommends "${missing_packages[@]}"; then
      echo "apt-get could not install: ${missing_packages[*]} (is the machine online?)" >&2
      return 2
    fi
    hash -r
    find_missing "$@"
    if ((${#missing_packages[@]} == 0)); then
      return 0
    fi
  done
  echo "Installed, but still not usable:" >&2
  show_missing >&2
  return 2
}

supported_releases() {
  cat <<'TEXT'
Supported: Debian 12 (where it is tested). On Debian 13 all libraries but a part of the experiments were compiled with GCC 14
(docs/developing/testing.md). Ubuntu 24.04 and 22.04 have most or all of the packages under the same names but
are not tested; a package that a release lacks is named before anything is installed. Elsewhere install the libraries
yourself (CMAKE_PREFIX_PATH and CPATH are honoured) and use --no-install.
TEXT
}

# make_python_environment FOLDER: a virtual environment whose Python can compile modules, where there is none yet.
make_python_environment() {
  local interpreter
  if [[ -x $1/bin/python ]]; then
    return
  fi
  if ! interpreter=$(python_with_headers); then
    echo "neither python3 nor /usr/bin/python3 has venv and Python.h (Debian: python3-venv, python3-dev)" >&2
    return 2
  fi
  "$interpreter" -m venv "$1"
}

# python_build_packages FOLDER: the packages of PyPI with which that environment compiles the Python package, one a line.
# From 3.12 on the module has the stable ABI, which CMake knows from 3.26 on.
python_build_packages() {
  printf '%s\n' "scikit-build-core>=0.10" "nanobind>=2.0" numpy
  if "$1/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
    echo "cmake>=3.26"
  fi
}
