#!/usr/bin/env python3
"""Reads a folder of URDF files and says what becomes of each; compares accelerations with Pinocchio and MuJoCo, which read
the same files themselves, where they are installed (pip install pin mujoco).

    examples/robots/check_robots.py FOLDER                          # classes and counts
    examples/robots/check_robots.py FOLDER --compare -o robots.csv  # and accelerations, fixed and floating

Each file is read as it is, and where only dry friction forbids that, again with --ignore friction. Files with the same bytes
count once; a file without a joint that moves is not articulated. What was refused is counted by reasons; a file may have
several. Exit code 1: an engine disagrees with us.
"""
import argparse
import collections
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

REASONS = {  # by words of our messages
    "friction": "dry friction", "unphysical inertia": "rigid body can have|mass = -", "no masses": "has a mass|no inertia along|has no <inertia>",
    "macros": "run xacro", "missing link": "there is no link", "no XML": "is not XML", "loop or force": "adds a joint",
    "bad number": "wants [0-9]", "not a tree": "already|no joint's child|cycle", "unknown type": "no joint type",
    "mimic": "<mimic> of", "nothing moves": "nothing moves",
}


def files_in(folder):
    seen, found = set(), []
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.suffix.lower() == ".urdf":
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest not in seen:
                seen.add(digest)
                found.append(path)
    return found


def is_articulated(path):
    return re.search(rb"<joint\b[^>]*\btype\s*=\s*[\"'](?!fixed[\"'])", path.read_bytes()) is not None


class Suite:
    """Our program."""

    def __init__(self, program):
        self.program = program

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, errors="replace")

    def inspect(self, word):
        """What it tells of a file, or the message of its refusal."""
        done = self.run("inspect", word, "--json")
        return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)

    def matrices(self, word, state):
        """M, f, Phi_q and u' at a state {"q.joint": value}, with the names of the entries of u."""
        with tempfile.TemporaryDirectory() as folder:
            sets = [part for name, value in state.items() for part in ("--set", f"{name}={float(value)!r}")]
            done = self.run("matrices", "-m", word, *sets, "-o", folder)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip())
            load = lambda name: np.load(os.path.join(folder, name + ".npy"))
            with open(os.path.join(folder, "names.json")) as file:
                names = json.load(file)["u"]
            return {"u_names": names, **{name: load(name) for name in ("mass_matrix", "accelerations")}}


def own_name(robot, name):
    """What we call a joint of the file."""
    for note in robot["notes"]:
        found = re.search(rf"joints with names.*'{re.escape(name)}' is (\w+)", note)
        if found:
            return found.group(1)
    return name


def parsed(path):
    """Some files begin with an empty line, which this parser does not take."""
    return ElementTree.fromstring(path.read_bytes().lstrip())


class Joints:
    """What the file says of its joints, read without any of the engines."""

    def __init__(self, path):
        root = parsed(path)
        self.moving, self.damping, self.mimics = {}, {}, {}
        for joint in root.findall("joint"):
            name, kind = joint.get("name"), joint.get("type")
            if kind == "fixed":
                continue
            self.moving[name] = kind
            dynamics = joint.find("dynamics")
            self.damping[name] = float((dynamics.get("damping") or 0.0) if dynamics is not None else 0.0)
            mimic = joint.find("mimic")
            if mimic is not None:
                self.mimics[name] = (mimic.get("joint"), float(mimic.get("multiplier") or 1.0), float(mimic.get("offset") or 0.0))

    @property
    def simple(self):
        return all(kind in ("revolute", "continuous", "prismatic") for kind in self.moving.values())


def random_state(joints, floating, generator):
    """q and v by the file's names, mimics obeyed; the base as quaternion and position, angular velocity and velocity."""
    q = {name: generator.uniform(-1, 1) * (0.2 if kind == "prismatic" else 1.0) for name, kind in joints.moving.items()}
    v = {name: generator.uniform(-1, 1) for name in joints.moving}
    for _ in joints.mimics:  # chains of them
        for name, (other, factor, offset) in joints.mimics.items():
            q[name], v[name] = factor * q[other] + offset, factor * v[other]
    base = None
    if floating:
        turn = generator.normal(size=4)
        base = (turn / np.linalg.norm(turn), generator.uniform(-1, 1, 3), generator.uniform(-1, 1, 3), generator.uniform(-1, 1, 3))
    return q, v, base


def own_base(robot):
    """What we call the joint of a base that floats."""
    return robot["joint_list"][0]["name"]


def own_state(robot, q, v, base):
    state = {}
    for name in q:
        state[f"q.{own_name(robot, name)}"], state[f"v.{own_name(robot, name)}"] = q[name], v[name]
    if base is not None:
        turn, place, spin, velocity = base
        state.update({f"q.{own_base(robot)}.{i + 1}": x for i, x in enumerate([*turn, *place])})
        state.update({f"v.{own_base(robot)}.{i + 1}": x for i, x in enumerate([*spin, *velocity])})
    return state


def held(mass, forces, rows):
    """u' of M u' = f with rows u' = 0."""
    n, m = len(forces), len(rows)
    system = np.block([[mass, rows.T], [rows, np.zeros((m, m))]])
    scale = np.concatenate([1 / np.sqrt(np.diag(mass)), np.ones(m)])
    scale[n:] = [1 / np.linalg.norm(row * scale[:n]) for row in rows]
    solution = scale * np.linalg.lstsq(scale[:, None] * system * scale, scale * np.concatenate([forces, np.zeros(m)]), rcond=None)[0]
    return solution[:n]


def mimic_rows(joints, place, size):
    rows = np.zeros((len(joints.mimics), size))
    for row, (name, (other, factor, _)) in zip(rows, joints.mimics.items()):
        row[place[name]], row[place[other]] = 1.0, -factor
    return rows


def pinocchio_answer(path, joints, q, v, base):
    """u' by the file's names, "base" for the base: angular (its axes), then linear (the ground's)."""
    import pinocchio as pin
    text = path.read_text(errors="replace")
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if base is not None else pin.buildModelFromXML(text)
    data, place = model.createData(), {}
    configuration, velocity, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    for name in joints.moving:
        joint = model.joints[model.getJointId(name)]
        place[name] = joint.idx_v
        configuration[joint.idx_q:joint.idx_q + joint.nq] = [np.cos(q[name]), np.sin(q[name])] if joint.nq == 2 else [q[name]]
        velocity[joint.idx_v] = v[name]
        tau[joint.idx_v] = -joints.damping[name] * v[name]
    if base is not None:
        turn, at, spin, speed = base
        configuration[:7] = [*at, *turn[1:], turn[0]]
        rotation = pin.Quaternion(*turn).toRotationMatrix()
        velocity[:3], velocity[3:6] = rotation.T @ speed, spin
    mass = pin.crba(model, data, configuration)
    mass = np.triu(mass) + np.triu(mass, 1).T
    forces = tau - pin.nonLinearEffects(model, data, configuration, velocity)
    rates = held(mass, forces, mimic_rows(joints, place, model.nv)) if joints.mimics else pin.aba(model, data, configuration, velocity, tau)
    answer = {name: [rates[at]] for name, at in place.items()}
    if base is not None:
        answer["base"] = [*rates[3:6], *(rotation @ (rates[:3] + np.cross(velocity[3:6], velocity[:3])))]
    return answer


def mujoco_answer(path, joints, q, v, base):
    """The same by MuJoCo's reader, without the shapes, which need not be there."""
    import mujoco
    root = parsed(path)
    for element in list(root):
        if element.tag == "link":
            for shape in element.findall("visual") + element.findall("collision"):
                element.remove(shape)
        elif element.tag != "joint":
            root.remove(element)
    for joint in root.findall("joint"):
        for limit in joint.findall("limit"):
            joint.remove(limit)
    children = {joint.find("child").get("link") for joint in root.findall("joint")}
    if base is not None:
        first = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)
        ElementTree.SubElement(root, "link", name="ground of the comparison")
        joint = ElementTree.SubElement(root, "joint", name="base of the comparison", type="floating")
        ElementTree.SubElement(joint, "parent", link="ground of the comparison")
        ElementTree.SubElement(joint, "child", link=first)
    # A free joint has to be on the top level, so that MuJoCo must merge links. It changes some robots there: Bolt and a
    # Panda differ by up to 5e-3 of the largest acceleration, and agree to rounding on a fixed base with fusestatic="false".
    extension = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(extension, "compiler", fusestatic="true", boundmass="0", boundinertia="0", balanceinertia="false")
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))
    model.dof_frictionloss[:] = 0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, place = mujoco.MjData(model), {}
    for name in joints.moving:
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
        place[name] = model.jnt_dofadr[joint]
        data.qpos[model.jnt_qposadr[joint]], data.qvel[place[name]] = q[name], v[name]
    if base is not None:
        turn, at, spin, speed = base
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, "base of the comparison")
        free, first = model.jnt_dofadr[joint], model.jnt_qposadr[joint]
        data.qpos[first:first + 7] = [*at, *turn]
        data.qvel[free:free + 6] = [*speed, *spin]
    mujoco.mj_forward(model, data)
    rates = data.qacc.copy()
    if joints.mimics:
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, mass, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, mass)
        rates = held(mass, data.qfrc_passive - data.qfrc_bias, mimic_rows(joints, place, model.nv))
    answer = {name: [rates[at]] for name, at in place.items()}
    if base is not None:
        answer["base"] = [*rates[free + 3:free + 6], *rates[free:free + 3]]
    return answer


ENGINES = {"pinocchio": pinocchio_answer, "mujoco": mujoco_answer}


def deviation(suite, robot, word, joints, answer, state):
    """The largest difference of u' over the largest u', and the limit that rounding sets it."""
    ours = suite.matrices(word, state)
    at = {name: i for i, name in enumerate(ours["u_names"])}
    theirs = np.zeros(len(at))
    for name, rates in answer.items():
        if name == "base":
            for i, rate in enumerate(rates):
                theirs[at[f"v.{own_base(robot)}.{i + 1}"]] = rate
        else:
            theirs[at[f"v.{own_name(robot, name)}"]] = rates[0]
    scale = np.sqrt(np.diag(ours["mass_matrix"]))  # units apart: what moves each coordinate by itself
    condition = np.linalg.cond(ours["mass_matrix"] / np.outer(scale, scale))
    difference = np.max(np.abs(scale * (theirs - ours["accelerations"])))
    # A robot at rest in balance has accelerations of rounding alone: gravity is the scale then.
    size = max(np.max(np.abs(scale * ours["accelerations"])), 9.81 * np.max(scale))
    return difference / size, 100 * len(at) * np.finfo(float).eps * condition


def compare(suite, path, robot, word_options, generator, rows):
    try:
        joints = Joints(path)
    except ElementTree.ParseError as why:
        rows.append([path, "", "all", "not compared", "", str(why)])
        return
    if not joints.simple:
        rows.append([path, "", "all", "not compared", "", "has joints of several coordinates"])
        return
    for floating in (False, True):
        words = [option for option in (word_options, "floating" if floating else "") if option]
        word = f"{path}[{','.join(words)}]" if words else str(path)
        described, refusal = suite.inspect(word) if floating else (robot, "")
        if described is None:
            rows.append([path, "floating", "ours", "refused", "", refusal.strip().splitlines()[-1]])
            continue
        q, v, base = random_state(joints, floating, generator)
        for engine, answer_of in ENGINES.items():
            label = "floating" if floating else "fixed"
            try:
                answer = answer_of(path, joints, q, v, base)
            except Exception as why:  # whatever an engine's reader says
                rows.append([path, label, engine, "refused", "", " ".join(str(why).split())[:200]])
                continue
            try:
                found, limit = deviation(suite, described, word, joints, answer, own_state(described, q, v, base))
                rows.append([path, label, engine, "agrees" if found <= limit else "DIFFERS", found, f"limit {limit:.1e}"])
            except (RuntimeError, KeyError) as why:
                rows.append([path, label, engine, "not compared", "", " ".join(str(why).split())[:200]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--mbdbench", default="build/release/mbdbench", help="our program")
    parser.add_argument("--compare", action="store_true", help="accelerations against Pinocchio and MuJoCo, fixed and floating")
    parser.add_argument("--seed", type=int, default=1, help="of the random states")
    parser.add_argument("-o", "--output", help="CSV of all comparisons and refusals")
    options = parser.parse_args()
    suite, generator, rows = Suite(options.mbdbench), np.random.default_rng(options.seed), []
    counts, reasons = collections.Counter(), collections.Counter()
    for path in files_in(options.folder):
        if not is_articulated(path):
            counts["not articulated"] += 1
            continue
        robot, message = suite.inspect(str(path))
        word_options = ""
        if robot is None and "dry friction" in message:
            robot, other = suite.inspect(f"{path}[ignore=friction]")
            word_options = "ignore=friction"
            message = message if robot is None else ""
        if robot is None:
            counts["refused"] += 1
            named = [reason for reason, words in REASONS.items() if re.search(words, message)] or ["other"]
            reasons.update(named)
            counts["refused for masses that are missing or unphysical"] += bool({"unphysical inertia", "no masses"} & set(named))
            rows.append([path, "", "ours", "refused", "", message.strip()])
            continue
        counts["read with --ignore friction" if word_options else "read as it is"] += 1
        if options.compare:
            compare(suite, path, robot, word_options, generator, rows)
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    physical = sum(counts[name] for name in ("read as it is", "read with --ignore friction", "refused"))
    physical -= counts["refused for masses that are missing or unphysical"]
    read = counts["read as it is"] + counts["read with --ignore friction"]
    if physical:
        print(f"of {physical} articulated files with physical masses {read} are read: {100 * read / physical:.1f} %")
    print("refused for (a file may have several reasons):")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}")
    for engine in ENGINES:
        of_it = [row for row in rows if row[2] == engine]
        outcome = collections.Counter(row[3] for row in of_it)
        worst = max((row[4] for row in of_it if row[3] == "agrees"), default=0.0)
        if of_it:
            print(f"{engine}: {dict(outcome)}, largest deviation of those that agree {worst:.1e}")
    for row in rows:
        if row[3] in ("DIFFERS", "not compared"):
            print(*row, sep="\t")
    if options.output:
        with open(options.output, "w", newline="") as file:
            csv.writer(file).writerows([["file", "base", "engine", "outcome", "deviation", "remark"], *rows])
    return 1 if any(row[3] == "DIFFERS" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
