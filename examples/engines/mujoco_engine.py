#!/usr/bin/env python3
"""MuJoCo (`pip install mujoco`) as an engine, for trees: its constraints are soft, so that loops have other accelerations.

    mbdbench verify -f mujoco --engine mujoco='python3 examples/engines/mujoco_engine.py'
"""
import sys
from xml.sax.saxutils import quoteattr

from engine_protocol import Refused, missing, serve, timed

try:
    import numpy as np
    import mujoco
except ImportError as error:
    sys.exit(missing("MuJoCo", error))


def numbers(values):
    return " ".join(repr(float(value)) for value in np.ravel(values))


def quaternion_of(rotation):
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ravel(rotation))
    return found


def rotation_of(quaternion):
    found = np.zeros(9)
    mujoco.mju_quat2Mat(found, np.array(quaternion) / np.linalg.norm(quaternion))
    return found.reshape(3, 3)


def elements(joint, turn):
    """The joint as MuJoCo's joints in a row, in axes of the body."""
    at = f'pos="{numbers(joint["frame_b"]["position"])}"'
    axes = {name: f'axis="{numbers(turn @ np.array(joint[name]))}"' for name in ("axis", "axis2", "normal1", "normal2")}
    hinge, slide = f'<joint type="hinge" {at} {axes["axis"]}/>', f'<joint type="slide" {at} {axes["axis"]}/>'
    return {
        "fixed": "", "revolute": hinge, "prismatic": slide, "cylindrical": hinge + slide,
        "universal": hinge + f'<joint type="hinge" {at} {axes["axis2"]}/>',
        "planar": "".join(f'<joint type="slide" {at} {axes[name]}/>' for name in ("normal1", "normal2")) + hinge,
        "spherical": f'<joint type="ball" {at}/>', "free": "<freejoint/>",
    }[joint["type"]]


class Engine:
    def __init__(self, mechanism):
        self.mechanism, self.joints = mechanism, mechanism["joints"]
        for joint in self.joints:
            if joint["cut"]:
                raise Refused("it has closed loops, and MuJoCo's constraints are soft")
            if joint["type"] == "free" and joint["a"] >= 0:
                raise Refused(f"joint '{joint['name']}' is free between two bodies; MuJoCo's free joints start at the ground")
        gravity = numbers(mechanism["gravity"])
        xml = (f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/><option gravity="{gravity}"/>'
               f"<worldbody>{self.bodies_on(-1)}</worldbody></mujoco>")
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self.body = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"{k}") for k in range(len(self.joints))]
        self.q_at, self.v_at = [], []
        for joint, body in zip(self.joints, self.body):
            first = self.model.body_jntadr[body]
            self.q_at.append(self.model.jnt_qposadr[first] if first >= 0 else 0)
            self.v_at.append(self.model.jnt_dofadr[first] if first >= 0 else 0)

    def bodies_on(self, parent):
        xml = ""
        for k, (joint, body) in enumerate(zip(self.joints, self.mechanism["bodies"])):
            if joint["a"] != parent:
                continue
            turn = np.array(joint["frame_b"]["rotation"])
            start = np.array(joint["frame_a"]["rotation"]) @ turn.T
            place = np.array(joint["frame_a"]["position"]) - start @ np.array(joint["frame_b"]["position"])
            inertia = np.array(body["inertia"])
            full = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            xml += (f'<body name={quoteattr(str(k))} pos="{numbers(place)}" quat="{numbers(quaternion_of(start))}">'
                    f'<inertial pos="{numbers(body["com"])}" mass="{body["mass"]!r}" fullinertia="{numbers(full)}"/>'
                    f'{elements(joint, turn)}{self.bodies_on(k)}</body>')
        return xml

    def accelerations(self, message):
        data, turns = self.data, [np.array(joint["frame_b"]["rotation"]) for joint in self.joints]
        given = [[np.array(message[name][joint[at][0]:sum(joint[at])]) for joint in self.joints]
                 for name, at in (("q", "q"), ("v", "v"), ("joint_forces", "v"))]
        for k, joint in enumerate(self.joints):
            q, v, force = (numbers_of[k] for numbers_of in given)
            if joint["type"] == "spherical":
                q, v, force = np.concatenate([q[:1], turns[k] @ q[1:]]), turns[k] @ v, turns[k] @ force
            if joint["type"] == "free":
                outer = np.array(joint["frame_a"]["rotation"])
                rotation = outer @ rotation_of(q[:4]) @ turns[k].T
                arm, spin = rotation @ np.array(joint["frame_b"]["position"]), rotation @ turns[k] @ v[:3]
                place = np.array(joint["frame_a"]["position"]) + outer @ q[4:] - arm
                pull = outer @ force[3:]  # at the joint's point, which is an arm away from the body's origin
                force = np.concatenate([pull, turns[k] @ force[:3] + rotation.T @ np.cross(arm, pull)])
                q = np.concatenate([place, quaternion_of(rotation)])
                v = np.concatenate([outer @ v[3:] - np.cross(spin, arm), turns[k] @ v[:3]])
            data.qpos[self.q_at[k]:self.q_at[k] + len(q)] = q
            data.qvel[self.v_at[k]:self.v_at[k] + len(v)] = v
            data.qfrc_applied[self.v_at[k]:self.v_at[k] + len(v)] = force
            data.xfrc_applied[self.body[k]] = message["body_wrenches"][k]
        seconds = timed(lambda: mujoco.mj_forward(self.model, data))
        answer = np.zeros(self.mechanism["v_size"])
        for k, joint in enumerate(self.joints):
            found = data.qacc[self.v_at[k]:self.v_at[k] + joint["v"][1]]
            if joint["type"] == "spherical":
                found = turns[k].T @ found
            if joint["type"] == "free":
                outer, rotation = np.array(joint["frame_a"]["rotation"]), data.xmat[self.body[k]].reshape(3, 3)
                arm, spin = rotation @ np.array(joint["frame_b"]["position"]), rotation @ data.qvel[self.v_at[k] + 3:self.v_at[k] + 6]
                at_joint = found[:3] + np.cross(rotation @ found[3:], arm) + np.cross(spin, np.cross(spin, arm))
                found = np.concatenate([turns[k].T @ found[3:], outer.T @ at_joint])
            answer[joint["v"][0]:sum(joint["v"])] = found
        return answer, seconds


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    serve(f"MuJoCo {mujoco.__version__}", lambda mechanism: Engine(mechanism).accelerations)
