#!/bin/sh
# run_engine.sh PROGRAM: starts an engine's program: NAME.py with the Python that setup/install_engines.sh has prepared, or
# with python3 where it has not, NAME as that script has compiled it. What is not installed answers with these words.
here=$(dirname "$0")
installed="$here/../../build/engines/bin"
case $1 in
  *.py)
    [ -x "$installed/python" ] && exec "$installed/python" "$here/$1"
    exec python3 "$here/$1"
    ;;
esac
[ -x "$installed/$1" ] && exec "$installed/$1"
name=${1%_engine}
while read -r _; do
  echo "{\"engine\": \"$name\", \"refused\": \"it is not installed; setup/install_engines.sh $name installs it\"}"
done
