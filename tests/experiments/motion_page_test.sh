#!/bin/sh
# Usage: motion_page_test.sh MBDBENCH. Plays the page of a run in node; skipped (77) where there is none.
set -eu
command -v node > /dev/null || { echo "node is not installed"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$1" simulate --mechanism four_bar --formulation hdca --integrator ode45 --time 0:0.05:1 --output "$directory/run" --quiet
"$1" draw --motion "$directory/run" --output "$directory/motion.html"
node "$here/motion_page_test.js" "$directory/motion.html"
