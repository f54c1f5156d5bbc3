"""Trees of hinged bodies that move along one curve q(s): T = M(s) s'^2 / 2, in long double.

    s'' = (Q(s) - N(s) s'^2) / M(s),  M = sum of m |r_s|^2 + w . J w,  N = sum of m r_s . r_ss + w . J a

with r_s, r_ss the derivatives of a centre of mass along s, w the turn per s and a its derivative."""
from dataclasses import dataclass, field

import numpy as np

from gauss_collocation import REAL


def vector(*numbers):
    return np.array([REAL(number) for number in numbers])


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turn(axis, angle):
    """Rotation matrix about a unit axis."""
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = axis
    skew = np.array([[REAL(0), -z, y], [z, REAL(0), -x], [-y, x, REAL(0)]])
    return c * np.eye(3, dtype=REAL) + s * skew + (1 - c) * np.outer(axis, axis)


@dataclass
class Body:
    """A body whose frame stands on its hinge."""
    parent: int  # place in the list; -1: the ground
    place: np.ndarray  # of the hinge, in the parent's frame
    axis: np.ndarray
    mass: REAL
    centre: np.ndarray
    inertia: np.ndarray  # 3 x 3, about the centre of mass, in the body's axes
    axes: np.ndarray = field(default_factory=lambda: np.eye(3, dtype=REAL))  # of the hinge in the parent


@dataclass
class Motion:
    """What moves how along s."""
    inertia: REAL
    bend: REAL  # N
    weight: REAL  # force of gravity along s
    frames: list  # (rotation, origin, turn per s, origin's derivative) of each body


def motion_along(bodies, gravity, q, q_s, q_ss):
    """M, N and the force of gravity where the hinges' angles are q with the derivatives q_s, q_ss."""
    inertia = bend = weight = REAL(0)
    frames, second = [], []
    for k, body in enumerate(bodies):
        if body.parent < 0:
            rotation, origin, w, v = np.eye(3, dtype=REAL), vector(0, 0, 0), vector(0, 0, 0), vector(0, 0, 0)
            a, b = vector(0, 0, 0), vector(0, 0, 0)
        else:
            (rotation, origin, w, v), (a, b) = frames[body.parent], second[body.parent]
        arm = rotation @ body.place
        origin = origin + arm
        v, b = v + cross(w, arm), b + cross(a, arm) + cross(w, cross(w, arm))
        rotation = rotation @ body.axes
        axis = rotation @ body.axis
        a = a + axis * q_ss[k] + cross(w, axis) * q_s[k]
        w = w + axis * q_s[k]
        rotation = rotation @ turn(body.axis, q[k])
        frames.append((rotation, origin, w, v))
        second.append((a, b))
        arm = rotation @ body.centre
        r_s, r_ss = v + cross(w, arm), b + cross(a, arm) + cross(w, cross(w, arm))
        j = rotation @ body.inertia @ rotation.T
        inertia = inertia + body.mass * (r_s @ r_s) + w @ j @ w
        bend = bend + body.mass * (r_s @ r_ss) + w @ j @ a
        weight = weight + body.mass * (gravity @ r_s)
    return Motion(inertia, bend, weight, frames)
