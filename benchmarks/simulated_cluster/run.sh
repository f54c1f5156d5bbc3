#!/usr/bin/env bash
# Right-hand sides on a simulated cluster, from pieces that are timed here: some minutes, on a machine with nothing else to do.
#   benchmarks/simulated_cluster/run.sh BUILD DIR [LATENCY_US OVERHEAD_US PER_BYTE_NS]
# The network's defaults are round numbers of InfiniBand at 100 Gbit/s: 1 us of latency, 0.25 us of a processor at either end of
# a message, 0.08 ns a byte.
set -euo pipefail

if (($# != 2 && $# != 5)); then
  echo "usage: run.sh BUILD DIR [LATENCY_US OVERHEAD_US PER_BYTE_NS]" >&2
  exit 2
fi
programs=$1/benchmarks
folder=$2
latency=${3:-1}
overhead=${4:-0.25}
per_byte=${5:-0.08}
if [[ ! -x $programs/benchmark_simulated_cluster ]]; then
  echo "$programs has no benchmark_simulated_cluster: install SimGrid (Debian: libsimgrid-dev), then configure and build again" >&2
  exit 2
fi

mkdir -p "$folder/two_processes"
mpirun -n 2 "$programs/benchmark_piece_costs" "$folder/two_processes" --two-processes
"$programs/benchmark_piece_costs" "$folder"

# simulate FOLDER LATENCY OVERHEAD PER_BYTE
simulate() {
  "$programs/benchmark_simulated_cluster" "$1/schedules.csv" --latency "$2" --overhead "$3" --per-byte "$4" >"$1/scaling.csv.part"
  mv "$1/scaling.csv.part" "$1/scaling.csv"
}

printf 'latency_us,overhead_us,per_byte_ns\n%s,%s,%s\n' "$latency" "$overhead" "$per_byte" >"$folder/network.csv"
simulate "$folder" "$latency" "$overhead" "$per_byte"
IFS=, read -r latency overhead per_byte < <(tail -n 1 "$folder/two_processes/network.csv")
simulate "$folder/two_processes" "$latency" "$overhead" "$per_byte"
