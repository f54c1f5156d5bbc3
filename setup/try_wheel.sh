#!/usr/bin/env bash
# setup/try_wheel.sh FILE.whl: installs a wheel into a virtual environment that has nothing else, with no compiler in reach,
# and runs what a new user would: the module, `mbdbench verify`, a small study. On a quiet machine that takes a minute.
set -euo pipefail
wheel=$(realpath "$1")
started=$SECONDS
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
cd "$scratch"
# Nothing of the caller's: neither its compilers nor its libraries.
bare() { env -i HOME="$scratch" LANG=C.UTF-8 PATH="$scratch/venv/bin" CC=/none CXX=/none "$@"; }
bare pip --quiet --disable-pip-version-check install "$wheel"
bare python -c '
import mbdbench
run = mbdbench.simulate(mbdbench.Mechanism.from_key("four_bar"), "hdca", times=1.0)
assert run.ok, run.message
print("module", mbdbench.__version__)'
bare mbdbench --version
bare mbdbench verify --quiet | tail -n 1
bare mbdbench study matrix --quick --quiet --no-report --output "$scratch/matrix" >"$scratch/matrix.log" || { cat "$scratch/matrix.log"; exit 1; }
test -s "$scratch/matrix/records.csv"
# What the wheel has left out says so.
if said=$(bare mbdbench simulate -m pendulum:2 -f aba -i cvode-bdf -t 0.1 -o "$scratch/cvode" 2>&1); then
  echo "SUNDIALS is there"
elif [[ $said != *SUNDIALS* ]]; then
  echo "try_wheel.sh: an integrator that is left out does not say why: $said" >&2
  exit 1
fi
seconds=$((SECONDS - started))
echo "$(basename "$wheel"): installed and run in $seconds s"
# The promise is two minutes; a busy machine takes several times as long.
if ((seconds >= 600)); then
  echo "try_wheel.sh: that is too long" >&2
  exit 1
fi
