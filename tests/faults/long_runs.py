"""Long runs need the memory of short ones: checks that peak memory does not grow with the number of steps, and that many
bodies cost what they are worth."""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HIGH_WATER = re.compile(r"VmHWM:\s*(\d+) kB")
# Of the runs compared; a sample or a step that is kept costs 100 bytes, 10 MB in 1e5 steps.
MOST_GROWTH_KB = 2000
# aba: 5.9 kB measured; what is made twice costs 2 kB.
MOST_KB_A_BODY = 7


def run(program, output, mechanism, formulation, step, end):
    """Returns the peak memory in kB and the statistics of a run with a fixed step and ten samples."""
    command = [program, "simulate", "-m", mechanism, "-f", formulation, "-i", "rk2", "--fixed-step", repr(step), "-t",
               f"0:{end / 10!r}:{end!r}", "--quiet", "--accept", "--overwrite", "-o", str(output)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    # Not wait4's ru_maxrss: it is at least the memory that this interpreter had when it forked.
    peak = 0
    while process.poll() is None:
        if found := HIGH_WATER.search(Path(f"/proc/{process.pid}/status").read_text()):
            peak = int(found[1])
        time.sleep(0.005)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return peak, json.loads((output / "statistics.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="mbdbench")
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--bodies", type=int, default=100_000)
    arguments = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="mbdbench-long-"))
    failed = False
    try:
        short = max(arguments.steps // 10, 1000)
        few, _ = run(arguments.program, scratch, "pendulum:2", "hdca", 1.0 / short, 1.0)
        many, statistics = run(arguments.program, scratch, "pendulum:2", "hdca", 1.0 / arguments.steps, 1.0)
        print(f"{short} steps: {few} kB; {statistics['nsteps']} steps: {many} kB")
        failed |= many > few + MOST_GROWTH_KB or abs(statistics["nsteps"] - arguments.steps) > 1
        peak, statistics = run(arguments.program, scratch, f"pendulum:{arguments.bodies}", "aba", 1e-4, 1e-3)
        print(f"{arguments.bodies} bodies: {peak} kB, {peak / arguments.bodies:.3g} kB a body, {statistics['status']}")
        failed |= peak > few + MOST_KB_A_BODY * arguments.bodies
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if failed:
        print(f"more than {MOST_GROWTH_KB} kB with the steps, or {MOST_KB_A_BODY} kB a body")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
