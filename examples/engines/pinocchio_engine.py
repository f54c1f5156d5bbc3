#!/usr/bin/env python3
"""Pinocchio (`pip install pin`) as an engine: ABA for trees, its proximal constrained dynamics for loops.

    mbdbench verify -f pinocchio --engine pinocchio='python3 examples/engines/pinocchio_engine.py'
"""
import sys
import time

from engine_protocol import Refused, missing, serve

try:
    import numpy as np
    import pinocchio as pin
except ImportError as error:
    sys.exit(missing("Pinocchio", error))

# The relative change at which its proximal iteration ends here; rounding in M's inverse leaves about this much.
PROXIMAL = 1e-13


def pose(frame):
    return pin.SE3(np.array(frame["rotation"]), np.array(frame["position"]))


def joint_model(joint):
    """The joint, or several in a row, and whether its linear velocity is given in other axes than Pinocchio's."""
    kind, axis = joint["type"], np.array(joint["axis"])
    composite = {
        "universal": [("R", axis), ("R", np.array(joint["axis2"]))],
        "cylindrical": [("R", axis), ("P", axis)],
        "planar": [("P", np.array(joint["normal1"])), ("P", np.array(joint["normal2"])), ("R", axis)],
    }
    if kind in composite:
        model = pin.JointModelComposite()
        for letter, direction in composite[kind]:
            model.addJoint(pin.JointModelRevoluteUnaligned(direction) if letter == "R" else pin.JointModelPrismaticUnaligned(direction))
        return model
    return {"revolute": lambda: pin.JointModelRevoluteUnaligned(axis), "prismatic": lambda: pin.JointModelPrismaticUnaligned(axis),
            "spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}[kind]()


def depth_first(joints, body=-1):
    """Branch after branch: Pinocchio's factorisation for loops takes a subtree's joints to be neighbours, and is wrong without
    a word where they are not."""
    for joint in joints:
        if joint["a"] == body:
            yield joint
            yield from depth_first(joints, joint["b"])


class Engine:
    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.model = pin.Model()
        self.model.gravity.linear = np.array(mechanism["gravity"])
        # Of every body its joint in Pinocchio and its pose there; fixed joints are none.
        self.place = {-1: (0, pin.SE3.Identity())}
        self.tree = [joint for joint in mechanism["joints"] if not joint["cut"]]
        for joint in depth_first(self.tree):
            body = mechanism["bodies"][joint["b"]]
            parent, inboard = self.place[joint["a"]]
            at = inboard * pose(joint["frame_a"])
            inside = pose(joint["frame_b"]).inverse()
            if joint["type"] == "fixed":
                self.place[joint["b"]] = (parent, at * inside)
            else:
                number = self.model.addJoint(parent, joint_model(joint), at, joint["name"])
                self.place[joint["b"]] = (number, inside)
            number, inside = self.place[joint["b"]]
            self.model.appendBodyToJoint(
                number, pin.Inertia(body["mass"], np.array(body["com"]), np.array(body["inertia"])), inside)
        self.data = self.model.createData()
        self.contacts, self.contact_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for joint in mechanism["joints"]:
            for contact in self.closing(joint) if joint["cut"] else []:
                self.contacts.append(contact)
                self.contact_data.append(contact.createData())
        if len(self.contacts) > 0:
            pin.initConstraintDynamics(self.model, self.data, self.contacts, self.contact_data)

    def closing(self, joint):
        """A revolute joint is two points of its axis that stay together, a spherical one a single point."""
        (one, a), (two, b) = self.place[joint["a"]], self.place[joint["b"]]
        a, b = a * pose(joint["frame_a"]), b * pose(joint["frame_b"])
        if joint["type"] == "fixed":
            return [pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, self.model, one, a, two, b, pin.ReferenceFrame.LOCAL)]
        along = {"spherical": [0.0], "revolute": [0.0, 1.0]}.get(joint["type"])
        if along is None:
            raise Refused(f"joint '{joint['name']}' closes a loop and is {joint['type']}: this adapter closes loops with "
                          "revolute, spherical and fixed joints")
        points = [np.array(joint["axis"]) * s for s in along]
        return [pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, one, a * pin.SE3(np.eye(3), p), two,
                                         b * pin.SE3(np.eye(3), p), pin.ReferenceFrame.LOCAL) for p in points]

    def state(self, message):
        """q and v in Pinocchio's order; of free joints the rotations that turn linear velocities."""
        q, v, rotations = np.zeros(self.model.nq), np.zeros(self.model.nv), {}
        for joint in self.tree:
            number = self.place[joint["b"]][0]
            own_q = np.array(message["q"][joint["q"][0]:sum(joint["q"])])
            own_v = np.array(message["v"][joint["v"][0]:sum(joint["v"])])
            if joint["type"] in ("spherical", "free"):
                quaternion = own_q[:4] / np.linalg.norm(own_q[:4])
                own_q = np.concatenate([own_q[4:], quaternion[1:], quaternion[:1]])
            if joint["type"] == "free":
                rotation = pin.Quaternion(own_q[3:]).matrix()
                rotations[joint["b"]] = rotation
                own_v = np.concatenate([rotation.T @ own_v[3:], own_v[:3]])
            if joint["type"] != "fixed":
                model = self.model.joints[number]
                q[model.idx_q:model.idx_q + model.nq] = own_q
                v[model.idx_v:model.idx_v + model.nv] = own_v
        return q, v, rotations

    def forces(self, message, q, rotations):
        """Generalised forces: those in joints and those of wrenches on bodies."""
        tau = np.zeros(self.model.nv)
        for joint in self.tree:
            if joint["type"] == "fixed":
                continue
            model = self.model.joints[self.place[joint["b"]][0]]
            own = np.array(message["joint_forces"][joint["v"][0]:sum(joint["v"])])
            if joint["type"] == "free":
                own = np.concatenate([rotations[joint["b"]].T @ own[3:], own[:3]])
            tau[model.idx_v:model.idx_v + model.nv] = own
        if not np.any(message["body_wrenches"]):
            return tau
        pin.computeJointJacobians(self.model, self.data, q)
        for k, wrench in enumerate(message["body_wrenches"]):
            number, inside = self.place[k]
            jacobian = pin.getJointJacobian(self.model, self.data, number, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            joint_pose = self.data.oMi[number]
            com = joint_pose.act(inside.act(np.array(self.mechanism["bodies"][k]["com"])))
            force, moment = np.array(wrench[:3]), np.array(wrench[3:])
            tau += jacobian[:3].T @ force + jacobian[3:].T @ (moment + np.cross(com - joint_pose.translation, force))
        return tau

    def accelerations(self, message):
        q, v, rotations = self.state(message)
        tau = self.forces(message, q, rotations)
        if len(self.contacts) > 0:
            settings = pin.ProximalSettings(PROXIMAL, PROXIMAL, 1e-8, 100)
            start = time.perf_counter()
            found = pin.constraintDynamics(self.model, self.data, q, v, tau, self.contacts, self.contact_data, settings)
        else:
            start = time.perf_counter()
            found = pin.aba(self.model, self.data, q, v, tau)
        seconds = time.perf_counter() - start
        answer = np.zeros(self.mechanism["v_size"])
        for joint in self.tree:
            if joint["type"] == "fixed":
                continue
            model = self.model.joints[self.place[joint["b"]][0]]
            own, own_v = found[model.idx_v:model.idx_v + model.nv], v[model.idx_v:model.idx_v + model.nv]
            if joint["type"] == "free":
                own = np.concatenate([own[3:], rotations[joint["b"]] @ (own[:3] + np.cross(own_v[3:], own_v[:3]))])
            answer[joint["v"][0]:sum(joint["v"])] = own
        return answer, seconds


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    serve(f"Pinocchio {pin.__version__}", lambda mechanism: Engine(mechanism).accelerations, accuracy=1e-9)
