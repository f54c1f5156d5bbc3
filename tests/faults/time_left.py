"""Checks that the time left, as a terminal is told it, is right within 30 % once a run has taught what the parts take.

A study (or an experiment, --experiment KEY) is run once, its finished parts are made invalid as another build makes them,
and it is run again on a terminal of our own; every "... left" is compared with what was left. A run that did not have a
processor to itself is no measurement and is repeated; after three of them the test says so and is skipped. A machine that
others use too changes its speed within a run, which no share tells: one of three runs has to be right. An estimate that is
wrong by itself is wrong in all of them.
"""

import argparse
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LARGEST_ERROR = 0.3
# Times are told in whole seconds.
ROUNDING = 0.5
LEAST_LEFT = 1.0
# As for every time of the suite (docs/using/results.md).
LEAST_SHARE = 0.9
SKIPPED = 77
ATTEMPTS = 3
LEFT = re.compile(r"(?:(\d+) h )?(?:(\d+) min)? ?(?:(\d+) s)? left")

# Declared weights are wrong here: dense needs the cube of the bodies, and stiff methods other numbers of evaluations.
STUDY = """
name = "time_left"
mechanisms = ["pendulum:2", "random_tree:seed=7,bodies=12", "pendulum:24", "four_bar", "pendulum:40", "coupled_loops"]
end = 5.0
integrators = ["ode45", "ode15s", "gauss4"]
tolerances = [1e-4, 1e-6]
steps = [0.004]
observe = ["evaluations", "energy_error", "wall_time"]
repetitions = 1

[variants]
"dense" = "dense"
"DCA" = "dca"
"HDCA" = "hdca"
"""


def watched(command):
    """Returns what was told, as (moment, seconds left), the moment of the end, and the share of a processor."""
    reader, terminal = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    begun = time.monotonic()
    told, drawn, text = [], begun, ""
    while True:
        try:
            text += os.read(reader, 4096).decode()
        except OSError:  # the terminal of a process that ended
            break
        drawn = time.monotonic()
        *whole, text = text.split("\x1b[K")
        for line in whole:
            if found := LEFT.search(line):
                hours, minutes, seconds = (int(part or 0) for part in found.groups())
                told.append((drawn, 3600 * hours + 60 * minutes + seconds))
    os.close(reader)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: a check of the experiment failed
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return told, drawn, (usage.ru_utime + usage.ru_stime) / (time.monotonic() - begun)


def forget_results(output):
    """What another build does: no finished part is valid, and what they took is known."""
    journal = output / "parts" / "study.jsonl"
    if journal.is_file():
        journal.write_text(journal.read_text().replace('{"key":"', '{"key":"another build '))
    for part in (output / "parts").glob("*.csv"):
        part.unlink()


def worst_error(told, end):
    """Returns how far off the worst of them was, as a part of what was left, beyond rounding; and that one."""
    def error(moment_and_seconds):
        moment, seconds = moment_and_seconds
        return max(0.0, abs(seconds - (end - moment)) - ROUNDING) / (end - moment)
    worst = max((one for one in told if end - one[0] > LEAST_LEFT), key=error)
    return error(worst), f"{worst[1]} s left told {end - worst[0]:.1f} s before the end"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="mbdbench")
    parser.add_argument("--experiment", help="an experiment's key instead of a study")
    arguments = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="mbdbench-time-left-"))
    output = scratch / "output"
    try:
        if arguments.experiment:
            command = [arguments.program, "run", arguments.experiment, "--quick", "-o", str(output)]
        else:
            (scratch / "study.toml").write_text(STUDY)
            command = [arguments.program, "study", str(scratch / "study.toml"), "--no-report", "-o", str(output)]
        told, end, share = watched(command)
        print(f"first run: off by {worst_error(told, end)[0]:.0%}, share of a processor {share:.2f}" if told else "")
        measured = False
        for _ in range(ATTEMPTS):
            forget_results(output)
            told, end, share = watched(command)
            if not told:
                print("no time left was told")
                return 1
            error, what = worst_error(told, end)
            print(f"taught run: off by {error:.0%} ({what}), {len(told)} times told, share of a processor {share:.2f}")
            if share >= LEAST_SHARE:
                measured = True
                if error <= LARGEST_ERROR:
                    return 0
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if measured:
        return 1
    print(f"not measured: no run had {LEAST_SHARE} of a processor")
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
