#!/bin/sh
# run_engine.sh PROGRAM: starts an engine's program with the Python that setup/install_engines.sh has prepared, or with
# python3 where it has not: then the program itself tells what is missing.
here=$(dirname "$0")
python="$here/../../build/engines/bin/python"
[ -x "$python" ] || python=python3
exec "$python" "$here/$1"
