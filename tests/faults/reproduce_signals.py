"""Sends signals to ./reproduce and checks that they reach what it runs, and that nothing stays behind; and that it leaves
out what the machine cannot run.

The script is the real one, in a tree of links: its build is a stub that finds everything built. An experiment of minutes
is stopped by SIGTERM, left behind by kill -9, and found locked.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Of a check that a second answers; a busy machine takes longer.
LONGEST = 60.0
ROOT = Path(__file__).resolve().parents[2]
# The long one of the shipped experiments that needs no engine, no MPI and no SUNDIALS.
EXPERIMENT = "chadaj2015"


def make_tree(scratch, program):
    """Only what ./reproduce touches; cmake and the compiler are stubs."""
    tree = scratch / "tree"
    (tree / "build" / "minimal").mkdir(parents=True)
    (tree / "build" / "minimal" / "mbdbench").symlink_to(program)
    for name in ("setup", "plots", "experiments"):
        (tree / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "reproduce", tree / "reproduce")
    stubs = scratch / "stubs"
    stubs.mkdir()
    stub = stubs / "cmake"
    stub.write_text('#!/bin/sh\n[ "$1" != --version ] || echo "cmake version 3.25.1"\n')
    stub.chmod(0o755)
    # Set-up asks the compiler for headers, for seconds: here everything is there.
    compiler = stubs / "compiler"
    compiler.write_text("#!/bin/sh\nexec cat > /dev/null\n")
    compiler.chmod(0o755)
    return tree, {**os.environ, "PATH": f"{stubs}:{os.environ['PATH']}", "CXX": str(compiler)}


class Run:
    """./reproduce of one experiment into a directory of its own."""

    def __init__(self, tree, environment, output):
        self.output = output
        self.log = output.with_suffix(".log")
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen([str(tree / "reproduce"), EXPERIMENT, "--minimal", "--no-install", "--output", str(output)],
                                            stdout=log, stderr=log, env=environment, start_new_session=True)

    def lock(self):
        return self.output / EXPERIMENT / ".lock"

    def wait_for_experiment(self):
        """Returns the process that computes, once it has begun."""
        end = time.monotonic() + LONGEST
        journal = self.output / EXPERIMENT / "parts" / "study.jsonl"
        while time.monotonic() < end and self.process.poll() is None:
            computing = [process for process in processes() if f"study\0experiments/studies/papers/{EXPERIMENT}.toml\0" in (words := command_of(process))
                         and str(self.output) in words]
            if journal.exists() and computing:
                time.sleep(0.3)  # beyond its set-up
                return computing[0]
            time.sleep(0.02)
        raise AssertionError(f"the experiment has not begun:\n{self.log.read_text()}")

    def has_finished(self):
        """Whether the experiment came to its end, with all its numbers."""
        return (self.output / EXPERIMENT / "records.csv").exists()

    def end(self):
        return self.process.wait(LONGEST)


def processes():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def command_of(process):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text(errors="replace")
    return ""


def is_alive(process):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_for_end(process):
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        if not is_alive(process):
            return
        time.sleep(0.02)
    os.kill(process, signal.SIGKILL)
    raise AssertionError("the experiment goes on, and keeps its lock")


def a_signal_reaches_the_experiment(tree, environment, scratch):
    for number in (signal.SIGTERM, signal.SIGINT):
        run = Run(tree, environment, scratch / f"stopped{number}")
        experiment = run.wait_for_experiment()
        os.kill(run.process.pid, number)
        assert run.end() == 130, run.log.read_text()
        assert not run.has_finished(), "it waited for the experiment"
        assert not is_alive(experiment)
        assert not run.lock().exists(), "the lock was left"
        assert "the same command continues" in run.log.read_text()


def nothing_outlives_a_kill(tree, environment, scratch):
    run = Run(tree, environment, scratch / "killed")
    experiment = run.wait_for_experiment()
    run.process.kill()
    run.end()
    wait_for_end(experiment)
    assert not run.has_finished(), "the experiment went on to its end"


def a_lock_is_told_before_the_build(tree, environment, scratch):
    output = scratch / "locked"
    holder = subprocess.Popen([str(tree / "build/minimal/mbdbench"), "simulate", "-m", "pendulum:4", "-f", "aba", "-t", "1e7", "--max-evaluations", "1000000000", "--quiet",
                               "-o", str(output / EXPERIMENT)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + LONGEST
        while time.monotonic() < end and not (output / EXPERIMENT / "trajectory.csv.part").exists():
            time.sleep(0.02)
        run = Run(tree, environment, output)
        assert run.end() == 2, run.log.read_text()
        said = run.log.read_text()
        assert f"process {holder.pid} on" in said and "kill" in said and "== Build" not in said, said
    finally:
        holder.kill()
        holder.wait()


def a_wrong_name_is_told_before_the_build(tree, environment, _scratch):
    for name in ("chadaj2051", "../studies/chadaj2015", "a\x1b[2Jb"):
        done = subprocess.run([str(tree / "reproduce"), name, "--minimal", "--no-install"], env=environment, capture_output=True, text=True,
                              check=False, timeout=LONGEST)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "== " not in done.stdout, "set-up or build came first"
        assert "unknown experiment" in done.stderr and "chadaj2015" in done.stderr and "\x1b" not in done.stderr, done.stderr


def a_study_of_kernels_that_the_machine_has_not_is_left_out(tree, environment, scratch):
    program = tree / "build" / "minimal" / "mbdbench"
    real = program.resolve()
    program.unlink()
    said = "this machine does not have the instruction set 'avx2'; it has 'baseline'"
    program.write_text(f"""#!/bin/sh
case " $* " in
  *" --simd avx2 "*) echo "mbdbench: {said}" >&2; exit 2 ;;
  *" study "*) echo "computed: $*"; exit 0 ;;  # the next one, which takes a minute
esac
exec "{real}" "$@"
""")
    program.chmod(0o755)
    output = scratch / "left_out"
    try:
        done = subprocess.run([str(tree / "reproduce"), "batches_avx2", EXPERIMENT, "--minimal", "--no-install", "--output", str(output)],
                              env=environment, capture_output=True, text=True, check=False, timeout=LONGEST)
    finally:
        program.unlink()
        program.symlink_to(real)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Left out: batches_avx2 times the kernels of that instruction set. {said}" in done.stdout, done.stdout
    verdicts = {words[0]: words[1] for line in done.stdout.splitlines() if len(words := line.split()) == 5 and words[-1] == "s"}
    assert verdicts == {"batches_avx2": "skipped", EXPERIMENT: "ok"}, done.stdout
    computed = [line for line in done.stdout.splitlines() if line.startswith("computed: ")]
    assert len(computed) == 1 and EXPERIMENT in computed[0], done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=Path, help="mbdbench")
    arguments = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="mbdbench-reproduce-"))
    tree, environment = make_tree(scratch, arguments.program.resolve())
    failed = 0
    for check in (a_wrong_name_is_told_before_the_build, a_signal_reaches_the_experiment, nothing_outlives_a_kill,
                  a_lock_is_told_before_the_build, a_study_of_kernels_that_the_machine_has_not_is_left_out):
        try:
            check(tree, environment, scratch)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{check.__name__}: {error}")
    print(f"{failed} failed")
    if failed == 0:
        shutil.rmtree(scratch, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
