#!/usr/bin/env bash
# install_packages_test.sh ROOT: what set-up says without a network, and where a release lacks a package. apt-get, apt-cache
# and sudo are stubs.
set -euo pipefail
# shellcheck source=setup/install_packages.sh
source "$1/setup/install_packages.sh"

# SimGrid is optional: nothing else asks for it, so that a machine without it is complete.
(
  need() { asked+=" $1"; }
  asked=""
  for group in experiments check full_check; do
    "need_for_$group"
  done
  [[ $asked == *libeigen3-dev* && $asked != *libsimgrid-dev* ]] || { echo "asked for:$asked" && exit 1; }
  asked=""
  need_for_simulated_cluster
  [[ $asked == " libsimgrid-dev" ]] || { echo "asked for:$asked" && exit 1; }
)

find_missing() {
  missing_packages=(ninja-build)
  missing_reasons=("runs the build")
}
apt-get() { [[ $1 != update || $online == yes ]]; }
apt-cache() { echo "  Candidate: (none)"; }
sudo() { shift && "$@"; }

expect() {
  local wanted=$1 said status=0
  said=$(install_packages yes program 2>&1) || status=$?
  if ((status != 2)) || [[ $said != *"$wanted"* ]]; then
    printf 'exit code %s, expected 2 and "%s":\n%s\n' "$status" "$wanted" "$said"
    exit 1
  fi
}

online=no
expect "The package lists could not be updated, and those at hand do not have ninja-build."
online=yes
expect "This release of the distribution has no package ninja-build"
echo passed
