#!/usr/bin/env python3
"""CasADi (`pip install casadi`) as an engine, for trees of every joint type. CasADi has no multibody code: articulated
bodies are written here in its symbols, and CasADi's automatic differentiation makes the derivatives. Both run in
CasADi's virtual machine. With --compiled they are its C code, compiled by CC (cc), which takes up to a minute; then
mechanisms whose derivatives would take longer are refused.

    mbdbench verify -f casadi --engine casadi='sh examples/engines/run_engine.sh casadi_engine.py'
"""
import os
import subprocess
import sys
import tempfile

from engine_protocol import Refused, by_forces, missing, serve, timed

try:
    import casadi as ca
    import numpy as np
    from newton_euler_engine import rates
except ImportError as error:
    sys.exit(missing("CasADi", error))

# Operations of a right-hand side times columns of its derivatives, above which they are not made: writing them down
# takes minutes and gigabytes, and so does compiling them.
MOST_OPERATIONS = 300_000_000
MOST_COMPILED_OPERATIONS = 400_000


def turn(axis, angle):
    """Rotation matrix about a unit axis of numbers."""
    skew = ca.skew(axis)
    return np.eye(3) + ca.sin(angle) * skew + (1 - ca.cos(angle)) * (skew @ skew)


def of_quaternion(quaternion):
    w, vector = quaternion[0], quaternion[1:]
    skew = ca.skew(vector)
    return ca.SX.eye(3) + 2 * (w * skew + skew @ skew) / ca.sumsqr(quaternion)


def placed(joint, q, axes_a):
    """Axes of b, the displacement, and for each component of v its angular and its linear column and whether b carries
    it (otherwise a does); all in world axes."""
    kind, axis, none = joint["type"], ca.DM(joint["axis"]), ca.SX(3, 1)
    rotation, shift, columns = ca.SX.eye(3), none, []
    if kind in ("revolute", "cylindrical", "universal", "planar", "screw"):
        rotation = turn(axis, q[2] if kind == "planar" else q[0])
        columns = [(axes_a @ axis, joint["pitch"] * (axes_a @ axis) if kind == "screw" else none, False)]
    if kind == "universal":
        rotation = rotation @ turn(ca.DM(joint["axis2"]), q[1])
        columns.append((axes_a @ rotation @ ca.DM(joint["axis2"]), none, True))
    if kind == "screw":
        shift = joint["pitch"] * q[0] * axis
    if kind in ("prismatic", "cylindrical"):
        shift = axis * q[q.numel() - 1]
        columns.append((none, axes_a @ axis, False))
    if kind == "planar":
        directions = [ca.DM(joint["normal1"]), ca.DM(joint["normal2"])]
        shift = directions[0] * q[0] + directions[1] * q[1]
        columns = [(none, axes_a @ direction, False) for direction in directions] + columns
    if kind in ("spherical", "free"):
        rotation = of_quaternion(q[:4])
        columns = [(column, none, True) for column in ca.horzsplit(axes_a @ rotation)]
    if kind == "free":
        shift = q[4:]
        columns += [(none, column, False) for column in ca.horzsplit(axes_a)]
    return axes_a @ rotation, axes_a @ shift, columns


def solver_of(matrix):
    """A function that divides by a symmetric matrix: CasADi's own inverse of symbols has far more operations."""
    if matrix.shape == (1, 1):
        inverse = 1 / matrix
        return lambda right: inverse * right
    factors = ca.ldl(matrix, False)
    return lambda right: ca.ldl_solve(right, *factors)


def moved_inertia(inertia, skew):
    """A matrix of forces by accelerations, [angular; linear] both, for another point. skew: of the lever from there."""
    shift = ca.blockcat([[ca.SX.eye(3), ca.SX(3, 3)], [-skew, ca.SX.eye(3)]])
    return shift.T @ inertia @ shift


class Body:
    """A body and the joint to it. Velocities, accelerations and forces are [angular; linear] at the joint's point."""


def outward(mechanism, q, v, forces, wrenches):
    """Bodies by number (-1: the ground) with their motion, and what they need and get without accelerations."""
    none, ground = ca.SX(3, 1), Body()
    ground.rotation, ground.point, ground.origin, ground.omega = ca.SX.eye(3), none, none, none
    ground.acceleration = ca.vertcat(none, -ca.SX(ca.DM(mechanism["gravity"])))
    bodies = {-1: ground}
    for k, (joint, given) in enumerate(zip(mechanism["joints"], mechanism["bodies"])):
        a, body = bodies[joint["a"]], Body()
        speeds = ca.vertsplit(v[joint["v"][0]:sum(joint["v"])])
        axes_a = a.rotation @ ca.DM(joint["frame_a"]["rotation"])
        axes_b, shift, columns = placed(joint, q[joint["q"][0]:sum(joint["q"])], axes_a)
        body.rotation = axes_b @ ca.DM(joint["frame_b"]["rotation"]).T
        body.point = a.origin + a.rotation @ ca.DM(joint["frame_a"]["position"]) + shift
        body.origin = body.point - body.rotation @ ca.DM(joint["frame_b"]["position"])
        lever = body.point - a.point
        body.omega = a.omega + sum((speed * column[0] for speed, column in zip(speeds, columns)), none)
        sliding = sum((speed * column[1] for speed, column in zip(speeds, columns)), none)
        turned = sum((speed * ca.cross(body.omega if by_b else a.omega, angular)
                      for speed, (angular, _, by_b) in zip(speeds, columns)), none)
        body.bias = ca.vertcat(turned, ca.cross(a.omega, ca.cross(a.omega, lever)) + 2 * ca.cross(a.omega, sliding))
        body.lever = ca.skew(lever)
        body.columns = ca.horzcat(*(ca.vertcat(*column[:2]) for column in columns)) if columns else None
        com = body.origin + body.rotation @ ca.DM(given["com"]) - body.point
        about_com = body.rotation @ ca.DM(given["inertia"]) @ body.rotation.T
        body.inertia = moved_inertia(ca.diagcat(about_com, given["mass"] * ca.SX.eye(3)), ca.skew(com))
        force = given["mass"] * ca.cross(body.omega, ca.cross(body.omega, com)) - wrenches[k, :3].T
        moment = ca.cross(body.omega, about_com @ body.omega) - wrenches[k, 3:].T
        body.force = ca.vertcat(moment + ca.cross(com, force), force)
        body.remaining = forces[joint["v"][0]:sum(joint["v"])]
        bodies[k] = body
    return bodies


def inward(joints, bodies):
    """Adds to each body what hangs on it: its inertia becomes the articulated one."""
    for k, joint in reversed(list(enumerate(joints))):
        a, body = bodies[joint["a"]], bodies[k]
        inertia, force = body.inertia, body.force
        if body.columns is not None:
            body.gain = inertia @ body.columns
            body.solved = solver_of(body.columns.T @ body.gain)
            body.remaining = body.remaining - body.columns.T @ force
            inertia = inertia - body.gain @ body.solved(body.gain.T)
            force = force + body.gain @ body.solved(body.remaining)
        force = force + inertia @ body.bias
        if joint["a"] >= 0:
            a.inertia += moved_inertia(inertia, body.lever)
            a.force += ca.vertcat(force[:3] + body.lever @ force[3:], force[3:])


def accelerations(mechanism, q, v, forces, wrenches):
    """v' as an expression, by articulated bodies in world axes."""
    bodies = outward(mechanism, q, v, forces, wrenches)
    inward(mechanism["joints"], bodies)
    found = ca.SX(mechanism["v_size"], 1)
    for k, joint in enumerate(mechanism["joints"]):
        a, body = bodies[joint["a"]], bodies[k]
        given = a.acceleration + body.bias
        body.acceleration = ca.vertcat(given[:3], given[3:] - body.lever @ a.acceleration[:3])
        if body.columns is not None:
            own = body.solved(body.remaining - body.gain.T @ body.acceleration)
            found[joint["v"][0]:sum(joint["v"])] = own
            body.acceleration += body.columns @ own
    return found


def compiled(function):
    """The function in machine code. -O3 gains a tenth and takes half as long again."""
    with tempfile.TemporaryDirectory() as folder:
        code = ca.CodeGenerator("code.c")
        code.add(function)
        code.generate(folder + "/")
        flags = ["-O1", "-march=native", "-fPIC", "-shared", "-o", "code.so", "code.c", "-lm"]
        subprocess.run([os.environ.get("CC", "cc"), *flags], cwd=folder, check=True)
        return ca.external(function.name(), f"{folder}/code.so")


class Engine:
    def __init__(self, mechanism, in_machine_code):
        if any(joint["cut"] for joint in mechanism["joints"]):
            raise Refused("it has closed loops, and this adapter's equations are those of trees")
        self.mechanism, self.in_machine_code, self.slopes = mechanism, in_machine_code, None
        sizes = {"q": (mechanism["q_size"], 1), "v": (mechanism["v_size"], 1), "joint_forces": (mechanism["v_size"], 1),
                 "body_wrenches": (len(mechanism["bodies"]), 6)}
        self.given = {name: ca.SX.sym(name, *size) for name, size in sizes.items()}
        self.found = accelerations(mechanism, *self.given.values())
        function = ca.Function("accelerations", list(self.given.values()), [self.found])
        operations = function.n_instructions() * (mechanism["q_size"] + mechanism["v_size"])
        if in_machine_code and operations > MOST_COMPILED_OPERATIONS:
            raise Refused(f"its derivatives have up to {operations} operations, which take too long to compile")
        if operations < MOST_OPERATIONS:
            self.derivatives = self.all_derivatives
        self.function = compiled(function) if in_machine_code else function

    def evaluated(self, function, message):
        """The results of a function for a message, and its seconds, without what copying the numbers takes."""
        buffer, evaluate = function.buffer()
        given = [np.ravel(np.array(message[name], dtype=float), order="F") for name in self.given]
        results = [np.zeros(function.numel_out(i)) for i in range(function.n_out())]
        for i, numbers in enumerate(given):
            buffer.set_arg(i, memoryview(numbers))
        for i, numbers in enumerate(results):
            buffer.set_res(i, memoryview(numbers))
        seconds = timed(evaluate)
        return [numbers.reshape(function.size_out(i), order="F") for i, numbers in enumerate(results)], seconds

    def __call__(self, message):
        (found,), seconds = self.evaluated(self.function, message)
        return found[:, 0], seconds

    def all_derivatives(self, message):
        """By q and v in one call; its time is that of both."""
        if self.slopes is None:
            dense = [ca.densify(ca.jacobian(self.found, self.given[name])) for name in ("q", "v")]
            slopes = ca.Function("slopes", list(self.given.values()), dense)
            self.slopes = compiled(slopes) if self.in_machine_code else slopes
        (by_q, by_v), seconds = self.evaluated(self.slopes, message)
        units = np.eye(self.mechanism["v_size"])
        by_motion = by_q @ np.array([rates(self.mechanism["joints"], np.array(message["q"]), unit) for unit in units]).T
        return by_motion, by_v, np.array(by_forces(self, message)).T, seconds


if __name__ == "__main__":
    serve(f"CasADi {ca.__version__}", lambda mechanism: Engine(mechanism, "--compiled" in sys.argv))
