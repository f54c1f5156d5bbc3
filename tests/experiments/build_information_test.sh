#!/usr/bin/env bash
# What the build tells of its checkout: build_information_test.sh CMAKE_SCRIPT
set -euo pipefail

script=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Git's own settings of whoever runs this.
export HOME=$scratch GIT_CONFIG_NOSYSTEM=1
failed=0

new_checkout() {
  mkdir -p "$1/experiments" "$1/docs"
  git -C "$1" init -q
  echo "int main() {}" >"$1/experiments/main.cpp"
  echo "text" >"$1/docs/page.md"
  git -C "$1" add .
  git -C "$1" -c user.name=test -c user.email=test@example.org commit -q -m "$2"
}

# expect WHAT COMMIT DIRTY: runs the script on the checkout.
expect() {
  cmake -DSOURCE_DIR="$checkout" -DOUTPUT="$scratch/information.cpp" -DVERSION=1 -DCOMPILER=none -DFLAGS= \
    -DBUILD_TYPE=Release -P "$script"
  if ! grep -qF "\"$2\", $3," "$scratch/information.cpp"; then
    echo "$1: expected \"$2\", $3, and found:"
    grep -F return "$scratch/information.cpp"
    failed=1
  fi
}

# A path that is read through a link, as a user has it.
new_checkout "$scratch/tree" first
ln -s tree "$scratch/link"
checkout=$scratch/link
commit=$(git -C "$checkout" rev-parse HEAD)
expect "clean" "$commit" false

touch "$checkout/experiments/main.cpp"
expect "only touched" "$commit" false

mkdir "$checkout/soak_integrators"
echo "{}" >"$checkout/soak_integrators/study.json"
echo "name" >"$checkout/my.toml"
expect "results and a mechanism beside the sources" "$commit" false

echo "int f() { return 1; }" >"$checkout/experiments/new.cpp"
expect "a new source" "$commit" true
rm "$checkout/experiments/new.cpp"

echo "more" >>"$checkout/docs/page.md"
expect "a changed file" "$commit" true
git -C "$checkout" checkout -q -- docs

new_checkout "$scratch/other" second
GIT_DIR=$scratch/other/.git expect "from a hook of another checkout" "$commit" false
GIT_INDEX_FILE=$scratch/no_index expect "with another index" "$commit" false

printf 'damaged' >"$checkout/.git/index"
expect "an index that cannot be read" "$commit" "std::nullopt"

checkout=$scratch/link/experiments
expect "inside another checkout" unknown "std::nullopt"
exit "$failed"
