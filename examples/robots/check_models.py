#!/usr/bin/env python3
"""Reads a folder of MuJoCo models (MJCF) and says what becomes of each; compares accelerations with MuJoCo where it is
installed (pip install mujoco).

    examples/robots/check_models.py FOLDER                          # classes and counts
    examples/robots/check_models.py FOLDER --compare -o models.csv  # and accelerations

Each file is read as it is, and where only armature or dry friction forbids that, again without them. Files with the same bytes
count once; files without a joint of their own or in what they include are parts of models. Meshes need not be there: MuJoCo is
given the file without the shapes of bodies whose inertia is written down. Where loops are closed, accelerations are compared at
the start, at rest; otherwise at a random state. Exit code 1: MuJoCo disagrees with us.
"""
import argparse
import collections
import csv
import hashlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

from check_robots import Suite, held

REASONS = {  # by words of our messages
    "mesh without inertia": "mesh", "friction or armature of balls": "frictionloss|armature", "element that stands for bodies": "saveLastXML",
    "equality of another kind": "equality", "compiler setting": "<compiler", "no XML": "is not XML", "file not there": "cannot|does not exist",
    "unphysical inertia": "rigid body can have|mass", "number": "wants|number",
}
SETTLED = ("actuator", "sensor", "contact", "keyframe", "visual", "statistic", "asset", "custom", "extension", "tendon", "deformable", "size")


def flattened(path, folder=None):
    """The document with its includes, or None where it is not MJCF."""
    folder = folder or path.parent
    root = ElementTree.fromstring(path.read_bytes().lstrip())

    def resolve(element):
        children = []
        for child in list(element):
            if child.tag == "include":
                children.extend(flattened(folder / child.get("file"), folder))
            else:
                resolve(child)
                children.append(child)
        element[:] = children

    resolve(root)
    return root


def models_in(folder):
    seen, found = set(), []
    for path in sorted(Path(folder).rglob("*")):
        if not path.is_file() or path.suffix.lower() not in (".xml", ".mjcf"):
            continue
        digest = hashlib.sha256(path.read_bytes()).digest()
        if digest in seen or not re.search(rb"<mujoco[\s>]", path.read_bytes()):
            continue
        seen.add(digest)
        try:
            root = flattened(path)
            if root.tag != "mujoco" or not any(world.iter(tag) and next(world.iter(tag), None) is not None
                                               for world in root.findall("worldbody") for tag in ("joint", "freejoint")):
                continue
        except (ElementTree.ParseError, OSError):
            pass  # what our reader says of it is wanted
        found.append(path)
    return found


def without_shapes(root):
    """What MuJoCo needs of a model that writes its inertias down."""
    for child in list(root):
        if child.tag in SETTLED:
            root.remove(child)
    for equality in root.findall("equality"):
        for child in list(equality):
            if child.tag not in ("connect", "weld", "joint"):
                equality.remove(child)
    moving = {inner for body in root.iter("body") if body.find("joint") is not None or body.find("freejoint") is not None for inner in body.iter("body")}
    for body in [*root.iter("body"), *root.iter("worldbody")]:
        settled = body not in moving or body.find("inertial") is not None
        open_ones = [body]
        while open_ones:  # frames belong to their body
            element = open_ones.pop()
            for child in list(element):
                if (child.tag == "geom" and settled) or child.tag in ("camera", "light", "flexcomp"):
                    element.remove(child)
            open_ones.extend(element.findall("frame"))
    for element in root.iter():
        for name in {"geom": ["material", "hfield"], "site": ["material"], "joint": ["armature", "frictionloss"]}.get(element.tag, []):
            element.attrib.pop(name, None)
    return root


class Model:
    """A model as MuJoCo compiles it, without what we leave out or close exactly."""

    def __init__(self, path):
        import mujoco
        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(without_shapes(flattened(path)), encoding="unicode"))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.data = mujoco.MjData(self.model)
        kinds = self.model.eq_type[self.model.eq_active0.astype(bool)] if self.model.neq else []
        self.loops = any(kind != mujoco.mjtEq.mjEQ_JOINT for kind in kinds)
        self.couplings = [(int(self.model.eq_obj1id[e]), int(self.model.eq_obj2id[e]), self.model.eq_data[e][:5].copy()) for e in range(self.model.neq)
                          if self.model.eq_active0[e] and self.model.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT]

    def pair(self, robot):
        """Our joints and its own: [(name, type, [its joints])]; in both, bodies follow the file."""
        widths = {"free": ["free"], "spherical": ["ball"], "revolute": ["hinge"], "prismatic": ["slide"], "universal": ["hinge", "hinge"]}
        names = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
        pairs, at = [], 0
        for joint in robot["joint_list"]:
            if joint["cut"] or joint["type"] == "fixed":
                continue
            wanted = widths.get(joint["type"])
            if wanted is None:
                raise LookupError(f"joint of type {joint['type']}")
            its = list(range(at, at + len(wanted)))
            if [names[int(self.model.jnt_type[j])] for j in its if j < self.model.njnt] != wanted:
                raise LookupError(f"joints in another order at {joint['name']}")
            pairs.append((joint, its))
            at += len(wanted)
        if at != self.model.njnt:
            raise LookupError("other joints")
        return pairs

    def set_state(self, robot, generator):
        """A state of both. Returns ours by name, and the places of its velocities by ours."""
        m, state, places = self.model, {}, []
        moves = 0.0 if self.loops else 1.0
        self.data.qpos[:], self.data.qvel[:] = m.qpos0, 0.0
        pairs = self.pair(robot)
        angles = {j: generator.uniform(-1, 1) * (0.1 if m.jnt_type[j] == 2 else 1.0) for j in range(m.njnt)}
        speeds = {j: moves * generator.uniform(-1, 1) for j in range(m.njnt)}
        for joint, its in pairs:
            if self.loops:
                for i, j in enumerate(its):
                    angles[j] = joint["q0"][i] if m.jnt_type[j] >= 2 else 0.0
        for _ in self.couplings:
            for first, second, c in [] if self.loops else self.couplings:
                if np.any(c[2:]):
                    raise LookupError("a coupling that is not linear")
                angles[first] = c[0] + (c[1] * angles[second] if second >= 0 else 0.0)
                speeds[first] = c[1] * speeds[second] if second >= 0 else 0.0
        for joint, its in pairs:
            name = joint["name"]
            if joint["type"] in ("free", "spherical"):
                free = joint["type"] == "free"
                turn = generator.normal(size=4)
                turn = np.array(joint["q0"][:4]) if self.loops else turn / np.linalg.norm(turn)
                at = np.array(joint["q0"][4:]) if self.loops else generator.uniform(-1, 1, 3)
                spin, speed = moves * generator.uniform(-1, 1, 3), moves * generator.uniform(-1, 1, 3)
                q, v = int(m.jnt_qposadr[its[0]]), int(m.jnt_dofadr[its[0]])
                if free:
                    self.data.qpos[q:q + 7], self.data.qvel[v:v + 6] = [*at, *turn], [*speed, *spin]
                    places += [v + 3, v + 4, v + 5, v, v + 1, v + 2]
                else:
                    self.data.qpos[q:q + 4], self.data.qvel[v:v + 3] = turn, spin
                    places += [v, v + 1, v + 2]
                ours_q, ours_v = [*turn, *at] if free else turn, [*spin, *speed] if free else spin
            else:
                for j in its:
                    self.data.qpos[m.jnt_qposadr[j]] = m.qpos0[m.jnt_qposadr[j]] + angles[j]
                    self.data.qvel[m.jnt_dofadr[j]] = speeds[j]
                    places.append(int(m.jnt_dofadr[j]))
                ours_q, ours_v = [angles[j] for j in its], [speeds[j] for j in its]
            for kind, values in (("q", ours_q), ("v", ours_v)):
                for i, value in enumerate(values):
                    state[f"{kind}.{name}" + (f".{i + 1}" if len(values) > 1 else "")] = value
        return state, places

    def accelerations(self):
        m, d, mujoco = self.model, self.data, self.mujoco
        mujoco.mj_forward(m, d)
        mass = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, mass, d.qM) if hasattr(d, "qM") else mujoco.mj_fullM(m, d, mass)
        rows = np.zeros((0, m.nv))
        if m.neq:
            m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
            mujoco.mj_forward(m, d)
            rows = d.efc_J.reshape(-1, m.nv)[d.efc_type[:d.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY] if d.nefc else rows
            sizes = np.linalg.norm(rows, axis=1)
            rows = rows[sizes > 1e-12 * np.max(sizes, initial=0.0)]  # planar loops have rows of rounding
        return held(mass, d.qfrc_passive - d.qfrc_bias, rows)


def compare(suite, path, robot, word, generator):
    """(outcome, deviation, remark)."""
    try:
        model = Model(path)
    except Exception as why:  # whatever its reader says
        return "refused by MuJoCo", "", " ".join(str(why).split())[:200]
    try:
        state, places = model.set_state(robot, generator)
        theirs = model.accelerations()[places]
        ours = suite.matrices(word, state)
    except (LookupError, RuntimeError, ValueError) as why:
        return "not compared", "", " ".join(str(why).split())[:300]
    scale = np.sqrt(np.diag(ours["mass_matrix"]))
    condition = np.linalg.cond(ours["mass_matrix"] / np.outer(scale, scale))
    difference = np.max(np.abs(scale * (theirs - ours["accelerations"])))
    found = difference / max(np.max(np.abs(scale * ours["accelerations"])), 9.81 * np.max(scale))
    limit = 100 * len(places) * np.finfo(float).eps * condition
    limit = max(limit, 1e-8) if model.loops else limit  # at the start loops are closed to what typed digits leave
    return "agrees" if found <= limit else "DIFFERS", found, f"limit {limit:.1e}{', loops' if model.loops else ''}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--mbdbench", default="build/release/mbdbench", help="our program")
    parser.add_argument("--compare", action="store_true", help="accelerations against MuJoCo")
    parser.add_argument("--seed", type=int, default=1, help="of the random states")
    parser.add_argument("-o", "--output", help="CSV of all comparisons and refusals")
    options = parser.parse_args()
    suite, generator, rows = Suite(options.mbdbench), np.random.default_rng(options.seed), []
    counts, reasons = collections.Counter(), collections.Counter()
    for path in models_in(options.folder):
        word = str(path)
        robot, message = suite.inspect(word)
        if robot is None and re.search("frictionloss|armature", message):
            word = f"{path}[ignore=friction,ignore=armature]"
            robot, message = suite.inspect(word)
        if robot is None:
            counts["refused"] += 1
            reasons.update([reason for reason, words in REASONS.items() if re.search(words, message)] or ["other"])
            rows.append([path, "refused", "", message.strip()])
            continue
        counts["read as it is" if word == str(path) else "read with --ignore friction,armature"] += 1
        if options.compare:
            rows.append([path, *compare(suite, path, robot, word, generator)])
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    print("refused for (a file may have several reasons):")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}")
    outcome = collections.Counter(row[1] for row in rows if row[1] != "refused")
    worst = max((row[2] for row in rows if row[1] == "agrees"), default=0.0)
    print(f"MuJoCo: {dict(outcome)}, largest deviation of those that agree {worst:.1e}")
    for row in rows:
        if row[1] in ("DIFFERS", "not compared"):
            print(*row, sep="\t")
    if options.output:
        with open(options.output, "w", newline="") as file:
            csv.writer(file).writerows([["file", "outcome", "deviation", "remark"], *rows])
    return 1 if outcome["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
