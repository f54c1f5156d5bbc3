#!/usr/bin/env bash
# setup/install_engines.sh [ENGINE...]: other engines for `mbdbench verify --engine` and the study `engines`, from PyPI
# into build/engines, beside nothing else: pinocchio, mujoco; default: both. None is needed for anything but the comparison.
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A packages=([pinocchio]=pin [mujoco]=mujoco)
wanted=("$@")
[[ $# -gt 0 ]] || wanted=(pinocchio mujoco)
names=()
for engine in "${wanted[@]}"; do
  if [[ -z ${packages[$engine]:-} ]]; then
    echo "install_engines.sh: there is no engine '$engine' here; engines: pinocchio, mujoco" >&2
    exit 2
  fi
  names+=("${packages[$engine]}")
done
[[ -x build/engines/bin/python ]] || python3 -m venv build/engines
build/engines/bin/python -m pip install --quiet --disable-pip-version-check numpy "${names[@]}"
build/engines/bin/python -m pip list --disable-pip-version-check 2>/dev/null | grep -iE "^(pin|mujoco|numpy) "
