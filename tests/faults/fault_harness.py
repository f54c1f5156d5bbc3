"""Commits faults against mbdbench and checks that nothing is lost or misread.

One fault: a command is started, disturbed at a random moment and waited for; then the commands that a user would type
next must complete, and what they leave must equal, byte for byte, what an undisturbed run leaves. Every fault is drawn
from the seed and its number alone, so `--seed S --only N` commits it again.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# A run of a second or two that has not ended by then hangs.
LONGEST = 120.0
RESTART_NEEDS = {"state.json", "checkpoint.json", "mechanism.toml"}
# mbdbench: 0 ok, 1 a check failed, 2 bad input, 3 a file cannot be written, 130 stopped.
WRITE_FAILED = 3
STOPPED = 130

STUDY = """
name = "faults"
mechanisms = ["pendulum:3", "four_bar"]
end = 1.0
integrators = ["ode45", "gauss4"]
tolerances = [1e-4, 1e-6]
steps = [0.01]
observe = ["evaluations", "energy_error", "position_drift", "position_error"]

[variants]
"DCA" = "dca"
"HDCA" = "hdca"
"Naudet" = "naudet"

[[claims]]
source = "none"
text = "The energy is kept."
holds = "energy_error['HDCA'] < 1 and evaluations['DCA'] < 100000"
over = ["mechanism", "integrator", "tolerance", "step"]
"""


class Lost(Exception):
    """Something was lost, misread or did not end as it should."""


def without_times(text):
    """Provenance without what no two runs share."""
    return {key: value for key, value in json.loads(text).items() if "time" not in key}


class Damaged:
    """A file that was damaged: what needs it may be refused, never misread."""

    def __init__(self, name):
        self.name = name


class Simulation:
    """`mbdbench simulate`: 3000 steps of a method with a fixed step, with checkpoints all the time."""

    compared = ["trajectory.csv", "statistics.json", "state.json", "mechanism.toml"]

    end = 3.0
    problem = ["-m", "pendulum:6", "-f", "hdca", "-i", "gauss4", "--fixed-step", "0.001", "-t", "0:0.01:3"]
    # The steps of a continued run begin elsewhere: the error of the method at this step, not rounding.
    end_error = 1e-6

    def __init__(self, program, _scratch):
        self.program = program

    def command(self, output):
        return [self.program, "simulate", *self.problem, "--quiet", "--checkpoint", "0.02", "-o", str(output)]

    def next_commands(self, output, parent):
        """What is left continues to the end; then the run is made again over it."""
        shutil.rmtree(parent / "rest", ignore_errors=True)
        for name in ("state.json", "checkpoint.json"):
            # Read only if a run left it: a removed directory has nothing to continue from.
            if (output / name).is_file() and (output / "mechanism.toml").is_file():
                try:
                    left = json.loads((output / name).read_text())
                except ValueError:  # truncated
                    left = {"t": 0.0}
                if left["t"] < self.end:
                    rest = parent / "rest"
                    yield [self.program, "simulate", "--restart", str(output / name), "-t", self.problem[-1], "--quiet",
                           "-o", str(rest)]
                    if (rest / "statistics.json").is_file():
                        self.check_rest(rest, left["t"])
                break
        yield [*self.command(output), "--overwrite"]

    def check_rest(self, rest, start):
        statistics = json.loads((rest / "statistics.json").read_text())
        if statistics["status"] != "ok" or statistics["t_start"] != start or statistics["t_end"] != self.end:
            raise Lost(f"the continued run ended as {statistics['status']} at {statistics['t_end']} from {start}")
        end = json.loads((rest / "state.json").read_text())["x"]
        if max(abs(a - b) for a, b in zip(end, self.end_state)) > self.end_error:
            raise Lost("the continued run ends in another state")

    def keep_reference(self, output):
        self.end_state = json.loads((output / "state.json").read_text())["x"]


class DividedSimulation(Simulation):
    """`mpirun -n 2 mbdbench simulate`: each process has its part of the state."""

    end = 0.2
    problem = ["-m", "pendulum_xyz:200", "-f", "hdca[leaf=subchain,subchains=32]", "-i", "rkf45-fixed", "--fixed-step", "0.0002", "-t", "0:0.01:0.2"]
    # Longer than a process waits on a busy machine, and short for a test.
    patience = 3.0

    def __init__(self, program, scratch, launcher):
        super().__init__(program, scratch)
        self.launcher = launcher

    def command(self, output):
        return [*self.launcher, *super().command(output), "--process-timeout", str(self.patience)]


class Study:
    """`mbdbench study`: 36 cells in a journal."""

    compared = ["records.csv", "claims.csv", "study.json"]

    def __init__(self, program, scratch):
        self.program = program
        self.file = scratch / "study.toml"
        self.file.write_text(STUDY)

    def command(self, output):
        return [self.program, "study", str(self.file), "--no-report", "--quiet", "--jobs", "2", "-o", str(output)]

    def next_commands(self, output, _parent):
        yield self.command(output)

    def keep_reference(self, _output):
        pass


class Experiment:
    """`mbdbench run EXPERIMENT --quick`: parts in files."""

    compared = ["records.csv", "claims.csv"]

    def __init__(self, program, _scratch, key):
        self.program = program
        self.key = key

    def command(self, output):
        return [self.program, "run", self.key, "--quick", "--quiet", "-o", str(output)]

    def next_commands(self, output, _parent):
        yield self.command(output)

    def keep_reference(self, _output):
        pass


def wait(process):
    try:
        return process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise Lost(f"hangs: not ended {LONGEST:.0f} s after the fault") from None


def start(command, log, **more):
    return subprocess.Popen(command, stdout=log, stderr=log, **more)


def start_without(closed, command, log):
    """Without some of the descriptors 0 to 2: the next file that is opened would get their numbers."""
    def prepare():
        for descriptor in closed:
            os.close(descriptor)

    return start(command, log, preexec_fn=prepare)


def kill_nine(process, _output, _draw):
    process.kill()
    return None


# A signal that comes before the work begins, or after it, ends the program as it ends any other: no handler is there.
def interrupt(process, _output, _draw):
    process.send_signal(signal.SIGINT)
    return {0, STOPPED, -signal.SIGINT}


def terminate(process, _output, _draw):
    process.send_signal(signal.SIGTERM)
    return {0, STOPPED, -signal.SIGTERM}


def remove_directory(_process, output, _draw):
    shutil.rmtree(output, ignore_errors=True)
    # Whether what was open when it went was all that was needed is the system's business; a crash is ours.
    return {0, 1, 2, WRITE_FAILED}


def kill_and_truncate(process, output, draw):
    """A power failure: what the system had not written is gone."""
    process.kill()
    process.wait()
    files = sorted(file for file in output.rglob("*") if file.is_file())
    if files:
        file = draw.choice(files)
        os.truncate(file, draw.randrange(file.stat().st_size + 1))
        return Damaged(file.name)
    return None


def kill_and_flip(process, output, draw):
    """A digit of a finished part becomes another: JSON and CSV still parse."""
    process.kill()
    process.wait()
    files = sorted(file for file in output.glob("parts/*") if file.is_file())
    if files:
        file = draw.choice(files)
        content = bytearray(file.read_bytes())
        digits = [i for i, byte in enumerate(content) if ord("0") <= byte <= ord("9")]
        if digits:
            place = draw.choice(digits)
            content[place] = ord("0") + (content[place] - ord("0") + draw.randrange(1, 10)) % 10
            file.write_bytes(content)
    return None


def children(process):
    """The processes that this one has started."""
    return sorted(int(entry.name) for entry in Path("/proc").iterdir()
                  if entry.name.isdigit() and state_of(entry.name)[1:2] == [str(process.pid)])


def state_of(process):
    """Its state and its parent; empty where it has ended and nobody needs to know how."""
    with contextlib.suppress(OSError):
        # The name, in brackets, may hold blanks.
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
        return state if state[0] != "Z" else []
    return []


def disturb_worker(process, output, draw, number):
    """Sends a signal to one process of the run once it has begun. Returns it, None where the run was over before."""
    while process.poll() is None and not (output / "trajectory.csv.part").exists():
        time.sleep(0.005)
    time.sleep(draw.uniform(0.0, 0.5))
    workers = children(process)
    if len(workers) != 2:
        return None
    worker = draw.choice(workers)
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, number)
    return worker


def kill_worker(process, output, draw):
    """The launcher ends the other one; its exit code says so, unless the run was over."""
    disturb_worker(process, output, draw, signal.SIGKILL)
    return {0, 128 + signal.SIGKILL}


def stop_worker(process, output, draw):
    """The other process must not wait for ever, and nobody may stay behind."""
    worker = disturb_worker(process, output, draw, signal.SIGSTOP)
    # Grace: of the launcher until it kills what does not end when asked to.
    try:
        process.wait(DividedSimulation.patience + 20.0)
    except subprocess.TimeoutExpired:
        if children(process) != [worker]:
            wait(process)
            raise Lost("the other process did not notice that one hangs") from None
        # It was stopped behind its last word: the other one has ended, and only the launcher waits.
        os.kill(worker, signal.SIGCONT)
        wait(process)
        return {0}
    # The system takes a moment to end what was killed.
    for _ in range(50):
        if worker is None or not state_of(worker):
            return {0, 1}
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    raise Lost("a stopped process was left behind")


AT_RANDOM_TIMES = {
    "kill -9": kill_nine,
    "SIGINT": interrupt,
    "SIGTERM": terminate,
    "directory removed": remove_directory,
    "kill -9, a file truncated": kill_and_truncate,
    "kill -9, a digit changed": kill_and_flip,
}


OTHERS = ["files limited (RLIMIT_FSIZE)", "standard output full", "read-only", "clock jumps", "descriptors closed"]
OF_PROCESSES = {"a process killed": kill_worker, "a process hangs": stop_worker}


def limited_files(draw):
    limit = draw.randrange(200000)

    def prepare():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return prepare


class Fault:
    def __init__(self, harness, number):
        self.harness = harness
        self.number = number
        self.draw = random.Random(f"{harness.seed}:{number}")
        self.kind = self.draw.choice(harness.kinds)
        self.target = harness.divided if self.kind in OF_PROCESSES else self.draw.choice(harness.targets)
        if self.kind == "kill -9, a digit changed":
            self.target = next(target for target in harness.targets if isinstance(target, Study))

    def commit(self):
        """Returns the exit codes that are right; None: any, the process was killed."""
        output = self.parent / "run"
        with open(self.parent / "log", "w", encoding="utf-8") as log:
            if self.kind in AT_RANDOM_TIMES:
                process = start(self.target.command(output), log)
                time.sleep(self.draw.uniform(0.0, 1.1) * self.harness.duration[self.target])
                allowed = AT_RANDOM_TIMES[self.kind](process, output, self.draw)
            elif self.kind in OF_PROCESSES:
                process = start(self.target.command(output), log)
                allowed = OF_PROCESSES[self.kind](process, output, self.draw)
            elif self.kind.startswith("files limited"):
                process = start(self.target.command(output), log, preexec_fn=limited_files(self.draw))
                allowed = {0, WRITE_FAILED}
            elif self.kind == "standard output full":
                with open("/dev/full", "w", encoding="utf-8") as full:
                    process = subprocess.Popen(self.target.command(output), stdout=full, stderr=log)
                    allowed = {WRITE_FAILED}
            elif self.kind == "read-only":
                process = self.start_without_rights(output, log)
                allowed = {2, WRITE_FAILED}
            elif self.kind == "descriptors closed":
                closed = self.draw.choice([[0], [2], [0, 2], [1], [0, 1], [1, 2], [0, 1, 2]])
                # With the lines of progress that would be written into a file.
                command = [word for word in self.target.command(output) if word != "--quiet"]
                process = start_without(closed, command, log)
                # What was to be read on standard output is lost, and the exit code says so.
                allowed = {WRITE_FAILED} if 1 in closed else {0}
            else:
                preload = {**os.environ, "LD_PRELOAD": str(self.harness.clock)} if self.harness.clock else None
                process = start(self.target.command(output), log, env=preload)
                allowed = {0}
            code = wait(process)
        self.damaged = allowed.name if isinstance(allowed, Damaged) else None
        if isinstance(allowed, set) and code not in allowed:
            raise Lost(f"exit code {code}, expected {sorted(allowed)}")
        if code == 0 and self.kind in ("descriptors closed", "clock jumps", "files limited (RLIMIT_FSIZE)"):
            # What says that all went well is looked at before the next command writes it again.
            self.harness.compare(self.target, output)

    def start_without_rights(self, output, log):
        """Root may write everywhere: it becomes somebody else."""
        output.mkdir()
        os.chmod(output, 0o555)
        other = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        return start(self.target.command(output), log, **other)

    def recover(self):
        output = self.parent / "run"
        if output.is_dir():
            os.chmod(output, 0o755)
        with open(self.parent / "log", "a", encoding="utf-8") as log:
            for command in self.target.next_commands(output, self.parent):
                log.write(f"\n$ {' '.join(command)}\n")
                log.flush()
                code = wait(start(command, log))
                refused = code == 2 and "--restart" in command and self.damaged in RESTART_NEEDS
                if code != 0 and not refused:
                    raise Lost(f"the next run ended with exit code {code}")
        self.harness.compare(self.target, output)

    def run(self):
        self.parent = self.harness.scratch / f"fault{self.number}"
        self.parent.mkdir()
        try:
            self.commit()
            self.recover()
        except (Lost, OSError, ValueError, KeyError) as error:
            tail = (self.parent / "log").read_text(errors="replace")[-1500:]
            return f"fault {self.number} ({self.kind}, {type(self.target).__name__}): {error}\n{tail}"
        shutil.rmtree(self.parent, ignore_errors=True)
        return None


class Harness:
    def __init__(self, program, seed, scratch, clock, experiments, launcher, kinds):
        self.seed = seed
        self.kinds = kinds or [*AT_RANDOM_TIMES, *OTHERS, *(OF_PROCESSES if launcher else [])]
        self.scratch = scratch
        self.clock = clock
        # Simulations and studies are quick; an experiment takes seconds.
        self.targets = [Simulation(program, scratch)] * 3 + [Study(program, scratch)] * 3
        self.targets += [Experiment(program, scratch, key) for key in experiments]
        self.divided = DividedSimulation(program, scratch, launcher) if launcher else None
        self.duration = {}
        self.reference = {}

    def measure(self):
        """The undisturbed runs."""
        for target in dict.fromkeys([*self.targets, *([self.divided] if self.divided else [])]):
            output = self.scratch / f"undisturbed{len(self.reference)}"
            begun = time.monotonic()
            finished = subprocess.run(target.command(output), capture_output=True, text=True, check=False)
            if finished.returncode != 0:
                sys.exit(f"the undisturbed run failed: {finished.stderr}")
            self.duration[target] = time.monotonic() - begun
            self.reference[target] = {name: (output / name).read_bytes() for name in target.compared}
            target.keep_reference(output)

    def compare(self, target, output):
        for name, expected in self.reference[target].items():
            if (output / name).read_bytes() != expected:
                with contextlib.suppress(OSError):
                    (self.scratch / f"expected_{name}").write_bytes(expected)
                raise Lost(f"{name} differs from that of an undisturbed run")


def launcher_of_two():
    """mpirun as it starts on a machine with few processors, in a container, with root as its only user."""
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated",
                   "OMPI_MCA_btl": "self,vader", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "OMPI_MCA_mpi_yield_when_idle": "1"}
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="mbdbench")
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="default: drawn and printed")
    parser.add_argument("--only", type=int, default=None, help="one fault again, by its number")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--clock", type=Path, default=None, help="library with a clock that jumps")
    parser.add_argument("--kind", action="append", choices=[*AT_RANDOM_TIMES, *OTHERS, *OF_PROCESSES],
                        help="only faults of this kind; repeatable")
    parser.add_argument("--processes", action="store_true", help="disturb runs on two workers of mpirun as well")
    parser.add_argument("--experiment", action="append", default=[], help="an experiment to disturb as well")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}", flush=True)
    scratch = Path(tempfile.mkdtemp(prefix="mbdbench-faults-"))
    os.chmod(scratch, 0o755)
    harness = Harness(str(Path(arguments.program).resolve()), seed, scratch, arguments.clock, arguments.experiment,
                      launcher_of_two() if arguments.processes else None, arguments.kind)
    harness.measure()
    numbers = range(arguments.faults) if arguments.only is None else [arguments.only]
    faults = [Fault(harness, number) for number in numbers]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        failures = [failure for failure in pool.map(Fault.run, faults) if failure]
    for failure in failures:
        print(failure)
    kinds = {}
    for fault in faults:
        kinds[fault.kind] = kinds.get(fault.kind, 0) + 1
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    print(f"{len(faults)} faults, {len(failures)} of them lost something (seed {seed})")
    if failures:
        print(f"what they left: {scratch}")
        return 1
    shutil.rmtree(scratch, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
