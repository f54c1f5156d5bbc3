#!/usr/bin/env python3
"""An engine in a hundred lines: trees by Newton's and Euler's equations in world axes, M column by column.

    mbdbench verify -m random_tree -f textbook --engine textbook='python3 examples/engines/newton_euler_engine.py'
"""
import numpy as np
from engine_protocol import Refused, serve


def turn(axis, angle):
    """Rotation matrix about a unit axis."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def from_quaternion(quaternion):
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def joint_geometry(joint, q, axes_a):
    """Joint axes of b, displacement, and columns (angular, linear, whether they turn with b), all in world axes."""
    kind, axis, none = joint["type"], np.array(joint["axis"]), np.zeros(3)
    rotation, shift, columns = np.eye(3), none, []
    if kind in ("revolute", "cylindrical", "universal", "planar"):
        rotation = turn(axis, q[2] if kind == "planar" else q[0])
        columns = [(axes_a @ axis, none, False)]
    if kind == "universal":
        rotation = rotation @ turn(joint["axis2"], q[1])
        columns.append((axes_a @ rotation @ joint["axis2"], none, True))
    if kind == "screw":
        rotation, shift = turn(axis, q[0]), joint["pitch"] * q[0] * axis
        columns = [(axes_a @ axis, joint["pitch"] * (axes_a @ axis), False)]
    if kind in ("prismatic", "cylindrical"):
        shift = axis * q[-1]
        columns.append((none, axes_a @ axis, False))
    if kind == "planar":
        directions = [np.array(joint["normal1"]), np.array(joint["normal2"])]
        shift = directions[0] * q[0] + directions[1] * q[1]
        columns = [(none, axes_a @ direction, False) for direction in directions] + columns
    if kind in ("spherical", "free"):
        rotation = from_quaternion(q[:4])
        columns = [(column, none, True) for column in (axes_a @ rotation).T]
    if kind == "free":
        shift = np.array(q[4:])
        columns += [(none, column, False) for column in axes_a.T]
    return axes_a @ rotation, axes_a @ shift, columns


def rates(joints, q, v):
    """q' of these v."""
    found = np.zeros(len(q))
    for joint in joints:
        (start, count), (first, freedoms) = joint["q"], joint["v"]
        own, speed = q[start:start + count], v[first:first + freedoms]
        if count == freedoms:
            found[start:start + count] = speed
            continue
        turning = speed[:3] / 2
        found[start] = -np.dot(own[1:4], turning)
        found[start + 1:start + 4] = own[0] * turning + np.cross(own[1:4], turning)
        found[start + 4:start + count] = speed[3:]
    return found


def make(mechanism):
    bodies, joints = mechanism["bodies"], mechanism["joints"]
    if any(joint["cut"] for joint in joints):
        raise Refused("it has closed loops, and these are the equations of trees")
    size = mechanism["v_size"]

    def joint_forces(state, velocities, accelerations, gravity, wrenches):
        """What the joints must give for these accelerations."""
        placed, forces = {-1: (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))}, []
        for joint, body, wrench in zip(joints, bodies, wrenches):
            rotation, origin, omega, alpha, speed, rate = placed[joint["a"]]
            axes_a = rotation @ joint["frame_a"]["rotation"]
            start, count = joint["q"][0], joint["q"][1]
            axes_b, shift, columns = joint_geometry(joint, state["q"][start:start + count], axes_a)
            point = origin + rotation @ joint["frame_a"]["position"] + shift
            arm = point - origin
            first = joint["v"][0]
            omega_b = omega + sum((velocities[first + i] * c[0] for i, c in enumerate(columns)), np.zeros(3))
            slide = sum((velocities[first + i] * c[1] for i, c in enumerate(columns)), np.zeros(3))
            speed_b = speed + np.cross(omega, arm) + slide
            alpha_b = alpha + sum((accelerations[first + i] * c[0] + velocities[first + i] * np.cross(omega_b if c[2] else omega, c[0])
                                   for i, c in enumerate(columns)), np.zeros(3))
            rate_b = rate + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm)) + 2 * np.cross(omega, slide) + sum(
                (accelerations[first + i] * c[1] for i, c in enumerate(columns)), np.zeros(3))
            turned = axes_b @ np.array(joint["frame_b"]["rotation"]).T
            back = -turned @ joint["frame_b"]["position"]
            origin_b = point + back
            speed_o = speed_b + np.cross(omega_b, back)
            rate_o = rate_b + np.cross(alpha_b, back) + np.cross(omega_b, np.cross(omega_b, back))
            placed[joint["b"]] = (turned, origin_b, omega_b, alpha_b, speed_o, rate_o)
            to_com = turned @ body["com"]
            inertia = turned @ np.array(body["inertia"]) @ turned.T
            force = body["mass"] * (rate_o + np.cross(alpha_b, to_com) + np.cross(omega_b, np.cross(omega_b, to_com)) - gravity)
            moment = inertia @ alpha_b + np.cross(omega_b, inertia @ omega_b)
            forces.append([origin_b + to_com, force - wrench[:3], moment - wrench[3:], point, columns])
        needed = np.zeros(size, dtype=np.result_type(velocities, *(part for force in forces for part in force[:3])))
        for k in reversed(range(len(joints))):
            com, force, moment, point, columns = forces[k]
            moment_at_point = moment + np.cross(com - point, force)
            for i, column in enumerate(columns):
                needed[joints[k]["v"][0] + i] = column[0] @ moment_at_point + column[1] @ force
            if joints[k]["a"] >= 0:
                inboard = forces[joints[k]["a"]]
                inboard[2] = inboard[2] + moment_at_point + np.cross(point - inboard[0], force)
                inboard[1] = inboard[1] + force
        return needed

    def accelerations(state):
        still, zero = np.zeros(size), np.zeros((len(bodies), 6))
        bias = joint_forces(state, np.array(state["v"]), still, np.array(mechanism["gravity"]), np.array(state["body_wrenches"]))
        mass = np.array([joint_forces(state, still, unit, np.zeros(3), zero) for unit in np.eye(size)]).T
        return np.linalg.solve(mass, np.array(state["joint_forces"]) - bias)

    def derivatives(state):
        """By steps along the imaginary axis, which lose no digits: these equations are analytic in q and v."""
        step = 1e-30
        mass = np.array([joint_forces(state, np.zeros(size), unit, np.zeros(3), np.zeros((len(bodies), 6))) for unit in np.eye(size)]).T
        given = np.array(state["v"]), accelerations(state), np.array(mechanism["gravity"]), np.array(state["body_wrenches"])

        def slope(moved, v):
            return -np.linalg.solve(mass, joint_forces(moved, v, *given[1:]).imag / step)

        by_motion = [slope(state | {"q": state["q"] + 1j * step * rates(joints, state["q"], unit)}, given[0]) for unit in np.eye(size)]
        by_v = [slope(state, given[0] + 1j * step * unit) for unit in np.eye(size)]
        return np.array(by_motion).T, np.array(by_v).T, np.linalg.inv(mass)

    accelerations.derivatives = derivatives
    return accelerations


if __name__ == "__main__":
    serve("textbook Newton-Euler in NumPy", make)
