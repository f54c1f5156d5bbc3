#!/bin/sh
# run_engine.sh PROGRAM [OPTION...]: starts an engine's program: NAME.py with the Python that setup/install_engines.sh has
# prepared, or with python3 where it has not, NAME as that script has compiled it. What is not installed says so.
here=$(dirname "$0")
program=$1
shift
installed="$here/../../build/engines/bin"
case $program in
  *.py)
    [ -x "$installed/python" ] && exec "$installed/python" "$here/$program" "$@"
    exec python3 "$here/$program" "$@"
    ;;
esac
[ -x "$installed/$program" ] && exec "$installed/$program" "$@"
name=${program%_engine}
while read -r _; do
  echo "{\"engine\": \"$name\", \"refused\": \"it is not installed; setup/install_engines.sh $name installs it\"}"
done
