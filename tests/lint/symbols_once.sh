#!/usr/bin/env bash
# tests/lint/symbols_once.sh LIBRARY...: no function is defined by two objects. A linker takes the first one without a
# word, whatever it returns: kernels of two rooms once shared a name so.
set -euo pipefail
twice=$(nm --defined-only "$@" 2>/dev/null | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" {print $3}' | sort | uniq -d)
if [[ -n $twice ]]; then
  echo "defined more than once:"
  c++filt <<<"$twice"
  exit 1
fi
echo "$(nm --defined-only "$@" 2>/dev/null | grep -c ' T ') functions, each defined once"
