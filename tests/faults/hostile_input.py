"""Gives mbdbench files and surroundings that were made to do harm, and checks that it refuses them in order.

Whatever it is given, the program ends by itself within seconds with one of its exit codes, and what it writes to the
terminal holds no control characters. Mutations of good files are drawn from the seed.
"""

import argparse
import contextlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LONGEST = 60.0
# Of memory: a file of a megabyte needs no gigabytes.
MOST_BYTES = 4 << 30
DEEP = 60000
CODES = {0, 1, 2, 3}
ESCAPES = ["\\u001b[2J", "\\u0000", "\\u009b31m", "\\u202e", "\\u0007", "\\r"]
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

ARM = """
name = "arm"
[[bodies]]
name = "link"
mass = 2.0
inertia = [0.01, 0.05, 0.05]
[[joints]]
name = "shoulder"
type = "revolute"
b = "link"
[[joint_loads]]
name = "push"
joint = "shoulder"
law = "sin(3*t)"
"""

STUDY = """
name = "hostile"
mechanisms = ["pendulum:2"]
end = 0.1
integrators = ["ode45"]
tolerances = [1e-3]
observe = ["evaluations"]
[variants]
"dense" = "dense"
[[claims]]
source = "none"
text = "It is cheap."
holds = "evaluations['dense'] < 1000"
"""

URDF = """<robot name="arm"><link name="base"/>
<link name="link"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="link"/><axis xyz="0 0 1"/></joint></robot>
"""


def deep_mechanisms():
    yield "dotted key", f"{ARM}\n[x]\n{DEEP * 'a.'}a = 1\n"
    yield "dotted header", f"{ARM}\n[{DEEP * 'a.'}a]\n"
    yield "list", f"name = {DEEP * '['}"
    yield "inline table", f"name = {DEEP * '{a = '}"
    for sign, end in (("(", ")"), ("-", ""), ("sin(", ")"), ("1 ? 1 : ", ""), ("2^", "")):
        yield f"formula of {sign}", ARM.replace("sin(3*t)", DEEP * sign + "t" + DEEP * end)
        yield f"motion of {sign}", ARM.replace('b = "link"', f'b = "link"\nmotions = [{{position = "{DEEP * sign}t{DEEP * end}"}}]')


def deep_studies():
    yield "dotted key", f"{DEEP * 'a.'}a = 1\n{STUDY}"
    for sign, end in (("(", ")"), ("not ", ""), ("-", ""), ("1 + ", "")):
        yield f"criterion of {sign}", STUDY.replace("evaluations['dense'] < 1000", DEEP * sign + "1 < 2" + DEEP * end)


def with_escapes(text):
    """The text with an escape in each of its strings, one after another."""
    places = [match.start() + 2 for match in re.finditer(r'"[a-z]', text)]
    for number, place in enumerate(places):
        yield text[:place] + ESCAPES[number % len(ESCAPES)] + text[place:]


def mutated(text, draw):
    """A few bytes or lines changed, doubled or taken out."""
    content = bytearray(text.encode())
    for _ in range(draw.randrange(1, 5)):
        place = draw.randrange(len(content))
        kind = draw.randrange(5)
        if kind == 0:
            content[place] = draw.randrange(256)
        elif kind == 1:
            del content[place:place + draw.randrange(1, 20)]
        elif kind == 2:
            content[place:place] = draw.choice([b"\x1b[2J", b"\x00", b"1e999", b"nan", b"[[", b"-", b'"""', b"9" * 400, b"\xff\xfe", b"{{}}"])
        elif kind == 3:
            content[place:place] = content[place:place + draw.randrange(1, 200)]
        else:
            content = content[:place + 1]
        if not content:
            content = bytearray(b"x")
    return bytes(content)


class Attack:
    """The program with what is to be given to it."""

    def __init__(self, program, scratch):
        self.program = program
        self.scratch = scratch
        self.failures = []
        self.count = 0

    def file(self, name, content):
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run(self, what, *words, codes=CODES, environment=None):
        """Returns what it wrote."""
        self.count += 1

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))

        try:
            done = subprocess.run([self.program, *words], capture_output=True, timeout=LONGEST, preexec_fn=limit, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **(environment or {})}, cwd=self.scratch, check=False)
        except subprocess.TimeoutExpired:
            self.failures.append(f"{what}: not ended after {LONGEST:g} s")
            return ""
        said = (done.stdout + done.stderr).decode(errors="replace")
        if done.returncode not in codes:
            self.failures.append(f"{what}: exit code {done.returncode}, expected {sorted(codes)}: {said[-300:]!r}")
        if found := UNSEEN.search(said):
            self.failures.append(f"{what}: writes U+{ord(found[0]):04X} to the terminal")
        return said


def read_by_every_command(attack, what, name, content, codes):
    """A mechanism as each reader of mechanisms meets it; the first refusal is everybody's."""
    file = attack.file(name, content)
    attack.run(f"inspect {what}", "inspect", file, codes=codes)
    attack.run(f"draw {what}", "draw", file, codes=codes)


def attack_depth(attack):
    for what, text in deep_mechanisms():
        attack.run(what, "inspect", attack.file("deep.toml", text), codes={2})
    attack.run("deep URDF", "inspect", attack.file("deep.urdf", DEEP * "<robot>"), codes={2})
    for what, text in deep_studies():
        attack.run(what, "study", attack.file("deep.toml", text), "--no-report", "--quiet", "-o", "study", codes={2})
    attack.run("a run", "simulate", "-m", "pendulum:2", "-f", "dense", "-t", "0.1", "--quiet", "-o", "run", codes={0})
    state = json.loads((attack.scratch / "run" / "state.json").read_text())
    for deep in (DEEP * "[" + DEEP * "]", DEEP * '{"a":' + "1" + DEEP * "}"):
        text = json.dumps({**state, "extra": "DEEP"}).replace('"DEEP"', deep)
        for words in (["simulate", "-t", "1", "-o", "rest", "--restart"], ["draw", "--state"], ["verify", "--state"]):
            attack.run(f"{words[0]} from a deep state", *words, attack.file("run/deep.json", text), codes={2})


def attack_terminal(attack):
    for text in with_escapes(ARM):
        read_by_every_command(attack, "an escape", "escape.toml", text, {2})
    for text in with_escapes(STUDY):
        attack.run("a study with an escape", "study", attack.file("escape.toml", text), "--no-report", "--quiet", "-o", "study", codes={2})
    for escape in ("&#27;[2J", "&#x9b;31m", "\x1b[2J"):
        # A name is anything; a type of joint is one of a list.
        for name, code in (("arm", 0), ("link", 0), ("shoulder", 0), ("continuous", 2)):
            text = URDF.replace(f'"{name}"', f'"{name}{escape}"')
            attack.run("URDF with an escape", "inspect", attack.file("escape.urdf", text), codes={code})
    for word in ("a\x1b[2Jb.toml", "\x1b[31m", "pendulum:\x1b[31m", "\u202egnp.toml"):
        attack.run("a name with an escape", "inspect", word, codes={2})
        attack.run("a formulation with an escape", "simulate", "-m", "pendulum:2", "-f", word, "-t", "1", "-o", "x", codes={2})
        attack.run("an option with an escape", "simulate", f"--{word}", codes={2})
        attack.run("an experiment with an escape", "run", word, codes={2})
    folder = "folder\x1b[2J"
    attack.run("results in a folder with an escape", "simulate", "-m", "pendulum:2", "-f", "aba", "-t", "0.1", "--quiet", "-o", folder, codes={0})
    attack.run("and again", "simulate", "-m", "pendulum:2", "-f", "aba", "-t", "0.1", "--quiet", "-o", folder, codes={2})


def attack_surroundings(attack):
    surroundings = [{"TMPDIR": "/there/is/none"}, {"HOME": ""}, {"COLUMNS": "-7"}, {"TERM": "\x1b[2J"}, {"LC_ALL": "xx_YY"},
                    {"PATH": ""}, {"OMP_NUM_THREADS": "1e9"}, {"NO_COLOR": "1"}, {"PYTHONHOME": "/there/is/none"}]
    for environment in surroundings:
        # A number of threads that is none is told; all else is nobody's fault.
        codes = {2} if "OMP_NUM_THREADS" in environment else {0}
        attack.run(f"soak with {environment}", "soak", "--mechanisms", "1", "--seed", "200", "--quiet", "--overwrite", "-o", "soak",
                   codes=codes, environment=environment)
        attack.run(f"study with {environment}", "study", attack.file("study.toml", STUDY), "--no-report", "--quiet", "-o", "fresh",
                   codes=codes, environment=environment)


def attack_files(attack):
    """What is no file, or none that ends."""
    endless = attack.scratch / "endless.toml"
    for file in ("/dev/zero", "/dev/full", ".", "/proc/self/mem", "/there/is/none.toml"):
        attack.run(f"inspect {file}", "inspect", file, codes={2})
        attack.run(f"study {file}", "study", file, "-o", "study", codes={2})
        attack.run(f"state {file}", "draw", "--state", file, codes={2})
        attack.run(f"compare {file}", "compare", file, file, codes={2})
    # What is read in part is not read.
    said = attack.run("a file that breaks off", "inspect", "/proc/self/mem", codes={2})
    if "cannot be read to its end" not in said:
        attack.failures.append(f"a file that breaks off: {said!r}")
    os.mkfifo(endless)
    writer = subprocess.Popen(["sh", "-c", "yes 'a = 1 # without end' > endless.toml"], cwd=attack.scratch, stderr=subprocess.DEVNULL)
    attack.run("a pipe without end", "inspect", str(endless), codes={2})
    writer.kill()
    writer.wait()


def attack_at_random(attack, seed, count):
    sources = {"toml": ARM, "urdf": URDF, "study": STUDY}
    for number in range(count):
        draw = random.Random(f"{seed}:{number}")
        kind = draw.choice(list(sources))
        content = mutated(sources[kind], draw)
        what = f"mutation {number} of {kind} (seed {seed})"
        if kind == "study":
            attack.run(what, "study", attack.file("mutated.toml", content), "--no-report", "--quiet", "-o", "mutated")
            shutil.rmtree(attack.scratch / "mutated", ignore_errors=True)
        else:
            attack.run(what, draw.choice(["inspect", "draw", "export"]), attack.file(f"mutated.{kind}", content))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=Path, help="mbdbench")
    parser.add_argument("--seed", type=int, default=None, help="of the mutations; default: drawn and printed")
    parser.add_argument("--mutations", type=int, default=200)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    scratch = Path(tempfile.mkdtemp(prefix="mbdbench-hostile-"))
    attack = Attack(str(arguments.program.resolve()), scratch)
    attack_depth(attack)
    attack_terminal(attack)
    attack_surroundings(attack)
    attack_files(attack)
    attack_at_random(attack, seed, arguments.mutations)
    for failure in attack.failures:
        print(failure)
    print(f"{attack.count} attacks, {len(attack.failures)} of them did harm (seed {seed})")
    if attack.failures:
        print(f"what they left: {scratch}")
        return 1
    with contextlib.suppress(OSError):
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
