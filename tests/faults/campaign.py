"""Computes a study in shares that are killed again and again, and compares with one run: nothing lost, nothing twice.

Shares start in a random order, several beside one another; many are killed (kill -9) at a random moment and start again
later, and so do commands that merge meanwhile. At the end the files must equal, byte for byte, those of one run.
"""

import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

# A share of a fraction of a second that has not ended by then hangs.
LONGEST = 120.0
COMPARED = ["records.csv", "claims.csv", "study.json"]
INCOMPLETE = 1

STUDY = """
name = "campaign"
mechanisms = ["pendulum:3", "four_bar"]
end = 0.5
integrators = ["ode45", "ode113"]
tolerances = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7]
observe = ["evaluations", "energy_error", "position_error"]

[variants]
"Dense" = "dense"
"DCA" = "dca"
"HDCA" = "hdca"

[[claims]]
source = "none"
text = "The energy is kept."
holds = "energy_error['HDCA'] < 1"
over = ["mechanism", "integrator", "tolerance"]
"""


class Campaign:
    def __init__(self, arguments, scratch, seed):
        self.program = str(Path(arguments.program).resolve())
        self.shares = arguments.shares
        self.wanted_kills = arguments.kills
        self.draw = random.Random(seed)
        self.scratch = scratch
        self.output = scratch / "campaign"
        self.study = scratch / "study.toml"
        self.study.write_text(STUDY)
        self.kills = 0
        self.mutex = threading.Lock()

    def command(self, output, *more):
        return [self.program, "study", str(self.study), "--no-report", "--quiet", "-o", str(output), *more]

    def call(self, command, allowed):
        finished = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
        if finished.returncode not in allowed:
            sys.exit(f"{' '.join(command)}: exit code {finished.returncode}\n{finished.stdout}{finished.stderr}")
        return finished.stdout

    def disturb(self, work):
        """Starts a share, or a merging command, and kills it after a while. Returns whether it had ended by itself."""
        command, allowed, patience = work
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            with self.mutex:
                self.kills += 1
            return False
        if process.returncode not in allowed:
            return f"{' '.join(command)}: exit code {process.returncode}\n{process.stderr.read()}"
        process.stderr.close()
        return True

    def run(self):
        alone = self.scratch / "alone"
        self.call(self.command(alone), {0})
        begun = time.monotonic()
        first = self.draw.randrange(self.shares) + 1
        self.call(self.command(self.output, "--share", f"{first}/{self.shares}"), {0})
        duration = time.monotonic() - begun
        waiting = [number + 1 for number in range(self.shares)]
        while waiting and self.kills < self.wanted_kills:
            self.draw.shuffle(waiting)
            work = [(number, (self.command(self.output, "--share", f"{number}/{self.shares}"), {0},
                              self.draw.uniform(0.0, 1.3 * duration))) for number in waiting]
            # Somebody looks meanwhile; two of them may meet, and the second is told so.
            work += [(0, (self.command(self.output), {0, INCOMPLETE, 2}, self.draw.uniform(0.0, 2 * duration)))
                     for _ in range(max(1, len(waiting) // 10))]
            self.draw.shuffle(work)
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                ended = list(pool.map(lambda one: (one[0], self.disturb(one[1])), work))
            for _, how in ended:
                if isinstance(how, str):
                    sys.exit(how)
            # Some that are finished start once more: nothing may be counted twice.
            again = {number for number, how in ended if how is True and self.draw.random() < 0.3}
            waiting = [number for number, how in ended if number and (how is False or number in again)]
        said = self.call(self.command(self.output), {0, INCOMPLETE})
        missing = "Incomplete" in said
        for number in sorted(set(waiting)):
            self.call(self.command(self.output, "--share", f"{number}/{self.shares}"), {0})
        said = self.call(self.command(self.output), {0})
        for name in COMPARED:
            if (alone / name).read_bytes() != (self.output / name).read_bytes():
                sys.exit(f"{name} differs from that of one run: compare {alone} and {self.output}\n{said}")
        shares = json.loads((self.output / "provenance.json").read_text())["shares"]
        parts = sum(share["parts"] for share in shares)
        print(f"{len(shares)} shares, {parts} finished parts, {self.kills} kills, "
              f"{'incomplete' if missing else 'complete'} after them; the records are those of one run")
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="mbdbench")
    parser.add_argument("--shares", type=int, default=100)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="default: drawn and printed")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    scratch = Path(tempfile.mkdtemp(prefix="mbdbench-campaign-"))
    code = Campaign(arguments, scratch, seed).run()
    shutil.rmtree(scratch, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
