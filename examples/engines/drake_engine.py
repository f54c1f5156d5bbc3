#!/usr/bin/env python3
"""Drake (`pip install drake`) as an engine, for trees: ABA of its continuous plant, which closes no loops. Derivatives are
those of its automatic differentiation: the same plant over numbers that carry their derivatives.

    mbdbench verify -f drake --engine drake='sh examples/engines/run_engine.sh drake_engine.py'
"""
import sys
import time
from importlib.metadata import version

from engine_protocol import Refused, by_forces, missing, serve, timed

try:
    import numpy as np
    from newton_euler_engine import rates
    from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, InitializeAutoDiff
    from pydrake.math import RigidTransform, RollPitchYaw_, RotationMatrix, RotationMatrix_
    from pydrake.multibody import tree
    from pydrake.multibody.math import SpatialForce_
    from pydrake.multibody.plant import ExternallyAppliedSpatialForce_, MultibodyPlant
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
except ImportError as error:
    sys.exit(missing("Drake", error))


def pose(frame):
    return RigidTransform(RotationMatrix(np.array(frame["rotation"])), np.array(frame["position"]))


def rotation_of(quaternion):
    w, x, y, z = quaternion / np.sqrt(quaternion @ quaternion)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def unit_inertia(body):
    """About the body's origin, as Drake wants it."""
    com, inertia = np.array(body["com"]), np.array(body["inertia"]) / body["mass"]
    about = inertia + com @ com * np.eye(3) - np.outer(com, com)
    return tree.UnitInertia(about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2])


class Engine:
    def __init__(self, mechanism):
        self.mechanism, self.joints = mechanism, mechanism["joints"]
        if any(joint["cut"] for joint in self.joints):
            raise Refused("it has closed loops, and Drake's continuous plant closes none")
        self.plant = MultibodyPlant(time_step=0.0)
        self.plant.mutable_gravity_field().set_gravity_vector(np.array(mechanism["gravity"]))
        self.bodies = [self.plant.AddRigidBody(str(k), tree.SpatialInertia(
            body["mass"], np.array(body["com"]), unit_inertia(body), skip_validity_check=True))
            for k, body in enumerate(mechanism["bodies"])]
        self.made = [self.add(str(k), joint) for k, joint in enumerate(self.joints)]
        self.plant.Finalize()
        self.context, self.differentiable = self.plant.CreateDefaultContext(), None

    def add(self, name, joint):
        """The joint as Drake's joints in a row, with bodies without mass between them."""
        start = self.plant.world_body() if joint["a"] < 0 else self.bodies[joint["a"]]
        axis, normals = np.array(joint["axis"]), [(tree.PrismaticJoint, np.array(joint[n])) for n in ("normal1", "normal2")]
        turn, slide = (tree.RevoluteJoint, axis), (tree.PrismaticJoint, axis)
        row = {"revolute": [turn], "prismatic": [slide], "cylindrical": [turn, slide], "planar": [*normals, turn],
               "screw": [(lambda name, a, b, along: tree.ScrewJoint(name, a, b, along, 2 * np.pi * joint["pitch"], 0.0), axis)],
               "universal": [turn, (tree.RevoluteJoint, np.array(joint["axis2"]))], "spherical": [(tree.BallRpyJoint, None)],
               "free": [(tree.QuaternionFloatingJoint, None)], "fixed": [(tree.WeldJoint, RigidTransform())]}[joint["type"]]
        made = []
        for i, (kind, given) in enumerate(row):
            last = i + 1 == len(row)
            end = self.bodies[joint["b"]] if last else self.plant.AddRigidBody(
                f"{name} {i}", tree.SpatialInertia(0.0, np.zeros(3), tree.UnitInertia(0.0, 0.0, 0.0)))
            frames = [self.plant.AddFrame(tree.FixedOffsetFrame(f"{name} {i}{side}", body.body_frame(), where)) for side, body, where in (
                ("a", start, pose(joint["frame_a"]) if i == 0 else RigidTransform()),
                ("b", end, pose(joint["frame_b"]) if last else RigidTransform()))]
            made.append(self.plant.AddJoint(kind(f"{name} {i}", *frames, *([] if given is None else [given]))))
            start = end
        return made

    def solved(self, plant, context, message, kind):
        """v' and the seconds that it took. kind: float; or AutoDiffXd, where q and v of the message have derivatives."""
        numbers = lambda count: np.full(count, kind(0.0))
        q, v, forces = (numbers(count) for count in (plant.num_positions(), *[plant.num_velocities()] * 2))
        turns = {}  # Drake has angular velocities of joints in the inboard axes
        for k, (joint, made) in enumerate(zip(self.joints, self.made)):
            own_q, own_v, own_force = (np.array(message[name][joint[at][0]:sum(joint[at])])
                                       for name, at in (("q", "q"), ("v", "v"), ("joint_forces", "v")))
            if joint["type"] in ("spherical", "free"):
                turns[k] = rotation_of(own_q[:4])
                own_v, own_force = (np.concatenate([turns[k] @ own[:3], own[3:]]) for own in (own_v, own_force))
                own_q[:4] = own_q[:4] / np.sqrt(own_q[:4] @ own_q[:4])
            if joint["type"] == "spherical":
                own_q = RollPitchYaw_[kind](RotationMatrix_[kind](turns[k])).vector()
            at = 0
            for one in made:
                q[one.position_start():one.position_start() + one.num_positions()] = own_q[at:at + one.num_positions()]
                count = one.num_velocities()
                v[one.velocity_start():one.velocity_start() + count] = own_v[at:at + count]
                forces[one.velocity_start():one.velocity_start() + count] = own_force[at:at + count]
                at += count
        applied = []
        for body, data, wrench in zip(self.bodies, self.mechanism["bodies"], message["body_wrenches"]):
            if np.any(wrench):
                one, given = ExternallyAppliedSpatialForce_[kind](), np.array([kind(number) for number in wrench])
                one.body_index, one.p_BoBq_B = body.index(), np.array(data["com"]) + numbers(3)
                one.F_Bq_W = SpatialForce_[kind](tau=given[3:], f=given[:3])
                applied.append(one)
        plant.get_applied_generalized_force_input_port().FixValue(context, forces)
        plant.get_applied_spatial_force_input_port().FixValue(context, applied)
        state, acceleration = np.concatenate([q, v]), plant.get_generalized_acceleration_output_port()

        def evaluate():
            plant.SetPositionsAndVelocities(context, state)  # makes what is kept of the last call invalid
            return acceleration.Eval(context)

        seconds, found = timed(evaluate), evaluate()
        answer = numbers(self.mechanism["v_size"])
        for k, (joint, made) in enumerate(zip(self.joints, self.made)):
            own = [found[one.velocity_start():one.velocity_start() + one.num_velocities()] for one in made]
            own = np.concatenate(own)
            if k in turns:
                own[:3] = turns[k].T @ own[:3]
            answer[joint["v"][0]:sum(joint["v"])] = own
        return answer, seconds

    def __call__(self, message):
        return self.solved(self.plant, self.context, message, float)

    def derivatives(self, message):
        """By q and v at a time, as derivatives of all numbers along every motion and every velocity."""
        if self.differentiable is None:
            plant = self.plant.ToAutoDiffXd()
            self.differentiable = plant, plant.CreateDefaultContext()
        q, v, units = np.array(message["q"]), np.array(message["v"]), np.eye(self.mechanism["v_size"])
        motions = np.array([rates(self.joints, q, unit) for unit in units]).T
        directions = {"q": (q, np.hstack([motions, 0 * motions])), "v": (v, np.hstack([0 * units, units]))}
        moved = {name: InitializeAutoDiff(value.reshape(-1, 1), along).ravel()
                 for name, (value, along) in directions.items()}
        found, seconds = self.solved(*self.differentiable, message | moved, AutoDiffXd)
        slopes = ExtractGradient(found.reshape(-1, 1))
        return slopes[:, :len(v)], slopes[:, len(v):], np.array(by_forces(self, message)).T, seconds


def simulate(mechanism, simulation):
    """By Drake's integrator of this name; the control is its target accuracy."""
    if simulation["springs"]:
        raise Refused("this adapter has no springs in simulations")
    engine = Engine(mechanism)
    plant, context = engine.plant, engine.context
    places = [one.position_start() + i for row in engine.made for one in row for i in range(one.num_positions())]
    state, forces = np.zeros(2 * len(places)), np.zeros(len(places))
    state[places], state[[len(places) + at for at in places]], forces[places] = simulation["q"], simulation["v"], simulation["joint_forces"]
    plant.get_applied_generalized_force_input_port().FixValue(context, forces)
    plant.SetPositionsAndVelocities(context, state)
    context.SetTime(simulation["times"][0])
    simulator = Simulator(plant, context)
    integrator = ResetIntegratorFromFlags(simulator, simulation["integrator"], 0.1)
    integrator.set_fixed_step_mode(False)
    integrator.set_target_accuracy(simulation["control"])
    simulator.Initialize()
    rows, start = [], time.thread_time()
    for t in simulation["times"]:
        simulator.AdvanceTo(t)
        rows.append(plant.GetPositions(context)[places])
    return rows, time.thread_time() - start


if __name__ == "__main__":
    serve(f"Drake {version('drake')}", Engine, simulate=simulate)
