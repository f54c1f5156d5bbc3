"""Mechanisms of one degree of freedom whose closed positions are known: Bricard, Bennett, Sarrus, Andrews' squeezer.

Each function returns joint angles at the given times, in the order of the mechanism's coordinates."""
import numpy as np

from gauss_collocation import REAL, integrate, real, solve
from hinged_bodies import Body, motion_along, turn, vector
import mpmath

PI = real("3.14159265358979323846264338327950288")
X, Y, Z = vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1)
GRAVITY = real("9.81")


def _bar(length, along):
    """Inertia of a bar of 1 kg with a square section of 0.1 m."""
    square = REAL(1) / 100
    across, around = (length * length + square) / 12, 2 * square / 12
    return np.diag([around if abs(a) > REAL(1) / 2 else across for a in along])


def _along_a_curve(bodies, gravity, curve, s, rate, times, steps):
    """curve(s): q and its two derivatives."""
    def derivative(_, y):
        moved = motion_along(bodies, gravity, *curve(y[0]))
        return np.array([y[1], (moved.weight - moved.bend * y[1]**2) / moved.inertia])
    return [curve(y[0])[0] for y in integrate(derivative, [s, rate], times, steps)]


def _bricard_curve(s):
    """cos(phi/2) cos(theta/2) = 1/2 at the polar angle s, by Newton's method; derivatives of that condition."""
    c, d = np.cos(s), np.sin(s)
    radius = REAL(1075) / 1000
    for _ in range(12):
        x, y = radius * c, radius * d
        radius -= (np.cos(x) * np.cos(y) - REAL(1) / 2) / (-np.sin(x) * np.cos(y) * c - np.cos(x) * np.sin(y) * d)
    x, y = radius * c, radius * d
    fx, fy = -np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)
    fxx, fxy = -np.cos(x) * np.cos(y), np.sin(x) * np.sin(y)
    r1 = radius * (fx * d - fy * c) / (fx * c + fy * d)
    x1, y1 = r1 * c - radius * d, r1 * d + radius * c
    x2, y2 = -2 * r1 * d - radius * c, 2 * r1 * c - radius * d  # without r''
    r2 = -(fxx * (x1**2 + y1**2) + 2 * fxy * x1 * y1 + fx * x2 + fy * y2) / (fx * c + fy * d)
    x2, y2 = x2 + r2 * c, y2 + r2 * d
    return (np.array([PI / 2 - 2 * x, PI / 2 - 2 * y] * 3)[:5], np.array([-2 * x1, -2 * y1] * 3)[:5],
            np.array([-2 * x2, -2 * y2] * 3)[:5])


def bricard(times, steps):
    pivots = [vector(*p) for p in ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))]
    bodies = []
    for k in range(5):
        along = pivots[k + 1] - pivots[k]
        place = pivots[k] - pivots[k - 1] if k else pivots[0]
        bodies.append(Body(k - 1, place, (Y, Z, X)[k % 3], REAL(1), along / 2, _bar(REAL(1), along)))
    return _along_a_curve(bodies, -GRAVITY * Y, _bricard_curve, PI / 4, 0, times, steps)


def bennett(times, steps):
    alpha, beta = PI / 3, PI / 2
    lengths = [REAL(1), np.sin(beta) / np.sin(alpha)] * 2
    product = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    bodies = [Body(k - 1, lengths[k - 1] * X if k else 0 * X, Z, REAL(1), lengths[k] / 2 * X, _bar(lengths[k], X),
                   turn(X, (alpha, beta)[(k - 1) % 2]) if k else np.eye(3, dtype=REAL)) for k in range(3)]

    def curve(s):
        """tan(q1/2) tan(q2/2) = product with q2 = pi - s - 2 atan2(n, d), which does not jump."""
        n, n1 = (1 - product) / 2 * np.sin(s), (1 - product) / 2 * np.cos(s)
        d, d1 = (product + 1) / 2 + (product - 1) / 2 * np.cos(s), -(product - 1) / 2 * np.sin(s)
        d2 = -(product - 1) / 2 * np.cos(s)
        square, slope = n * n + d * d, n1 * d - n * d1
        first = slope / square
        second = (-n * d - n * d2) / square - slope * 2 * (n * n1 + d * d1) / square**2
        return (np.array([s, PI - s - 2 * np.arctan2(n, d), -s]), np.array([REAL(1), -1 - 2 * first, REAL(-1)]),
                np.array([REAL(0), -2 * second, REAL(0)]))
    return _along_a_curve(bodies, -GRAVITY * Y, curve, REAL(1) / 2, 0, times, steps)


def four_bar(times, steps):
    """The motion keeps the symmetry about the middle pivot, whose place is sin a + cos b = 1 for the turns a of the outer
    link and b of the inner one from their start."""
    bodies = [Body(k - 1, X if k else 0 * X, Z, REAL(1), X / 2, np.eye(3, dtype=REAL)) for k in range(4)]

    def curve(b):
        sine, cosine = 1 - np.cos(b), np.sqrt(2 * np.cos(b) - np.cos(b)**2)  # of a
        first = np.sin(b) / cosine
        a, second = np.arctan2(sine, cosine), (np.cos(b) + sine * first**2) / cosine
        return (np.array([a - PI / 2, PI / 2 + b - a, -2 * b, PI / 2 + b - a]), np.array([first, 1 - first, REAL(-2), 1 - first]),
                np.array([second, -second, REAL(0), -second]))
    return _along_a_curve(bodies, -GRAVITY * Y, curve, 0, 0, times, steps)


def sarrus(times, steps):
    link = _bar(REAL(1), Z)
    a, b = X / 2, Y / 2
    bodies = [Body(-1, a, Y, REAL(1), Z / 2, link), Body(0, Z, Y, REAL(1), Z / 2, link),
              Body(1, Z, Y, REAL(1), -a, np.diag(vector(1, 1, 2) / 12)),
              Body(-1, b, -X, REAL(1), Z / 2, link), Body(3, Z, -X, REAL(1), Z / 2, link)]
    slopes = vector(1, -2, 1, 1, -2)
    return _along_a_curve(bodies, -GRAVITY * Z, lambda s: (slopes * s, slopes, 0 * slopes), REAL(1) / 2, 0, times, steps)


class _Squeezer:
    """Andrews' mechanism; the angles other than the crank's close three loops in P."""

    NAMES = dict(d="0.028", da="0.0115", e="0.02", ea="0.01421", rr="0.007", ra="0.00092", ss="0.035", sa="0.01874", sb="0.01043",
                 sc="0.018", sd="0.02", ta="0.02308", tb="0.00916", u="0.04", ua="0.01228", ub="0.00449", zf="0.02", zt="0.04",
                 fa="0.01421")

    def __init__(self):
        n = type("Lengths", (), {name: real(value) for name, value in self.NAMES.items()})
        point_a, point_b = vector(0, 0, 0), vector(0, 0, 0)
        point_a[:2] = real("-0.06934"), real("-0.00227")
        point_b[:2] = real("-0.03635"), real("0.03273")
        self.c = np.array([real("0.014"), real("0.072"), REAL(0)])

        def body(parent, place, mass, inertia, x, y):
            return Body(parent, place, Z, real(mass), x * X + y * Y, real(inertia) * np.eye(3, dtype=REAL))
        # beta, Theta, gamma, delta, Phi, epsilon, Omega
        self.bodies = [body(-1, 0 * X, "0.04325", "2.194e-6", n.ra, REAL(0)), body(0, n.rr * X, "0.00365", "4.410e-7", -n.da, REAL(0)),
                       body(-1, point_b, "0.02373", "5.255e-6", n.sa, n.sb), body(-1, point_a, "0.07050", "1.169e-5", n.ta, n.tb),
                       body(3, n.zt * X, "0.00706", "5.667e-7", REAL(0), -(n.e - n.ea)),
                       body(-1, point_a, "0.05498", "1.912e-5", n.ua, n.ub),
                       body(5, -n.u * Y, "0.00706", "5.667e-7", n.zf - n.fa, REAL(0))]
        # The point on each of four bodies that is P, and where the spring pulls K3.
        self.ends = {1: -n.d * X, 2: -n.ss * Y, 4: -n.e * Y, 6: n.zf * X}
        self.hook = n.sd * X - n.sc * Y
        self.stiffness, self.rest, self.torque = real("4530"), real("0.07785"), real("0.033")
        self.q = np.array([real(a) for a in (
            "-0.0617138900142764496358948458001", "0", "0.455279819163070380255912382449", "0.487364979543842550225598953530",
            "0.222668390165885884674473185609", "1.23054744454982119249735015568", "-0.222668390165885884674473185609")])

    def _point(self, q, k, point, tangents):
        """A point of body k and, where asked for, its derivatives: by each angle, and what q_s^2 adds to the second."""
        chain = [k] if self.bodies[k].parent < 0 else [self.bodies[k].parent, k]
        place, angle = 0 * X, REAL(0)
        arms = []
        for number, j in enumerate(chain):
            place = place + turn(Z, angle) @ self.bodies[j].place
            angle = angle + q[j]
            tip = self.bodies[chain[number + 1]].place if number + 1 < len(chain) else point
            arms.append((chain[:number + 1], turn(Z, angle) @ tip))
        place = place + arms[-1][1]
        by_angle = np.zeros((2, 7), REAL)
        bent = np.zeros(2, REAL)
        for turning, arm in arms:
            for j in turning:
                by_angle[:, j] += np.array([-arm[1], arm[0]])
            if tangents is not None:
                bent -= sum(tangents[j] for j in turning)**2 * arm[:2]
        return place[:2], by_angle, bent

    def _closure(self, q, tangents=None):
        reference = self._point(q, 1, self.ends[1], tangents)
        others = [self._point(q, k, self.ends[k], tangents) for k in (2, 4, 6)]
        return tuple(np.concatenate([part - reference[i] for part in (other[i] for other in others)]) for i in range(3))

    def curve(self, beta):
        """Angles at the crank's angle, from the last ones that were asked for; their derivatives by it."""
        q = self.q.copy()
        q[0] = beta
        for _ in range(30):
            gap, jacobian, _ = self._closure(q)
            change = solve(jacobian[:, 1:], gap)
            q[1:] -= change
            if np.max(np.abs(change)) < 1e-18:
                break
        self.q = q
        _, jacobian, _ = self._closure(q)
        q_s = np.concatenate([[REAL(1)], -solve(jacobian[:, 1:], jacobian[:, 0])])
        _, _, bent = self._closure(q, q_s)
        return q, q_s, np.concatenate([[REAL(0)], -solve(jacobian[:, 1:], bent)])

    def rate(self, _, y):
        q, q_s, q_ss = self.curve(y[0])
        moved = motion_along(self.bodies, 0 * X, q, q_s, q_ss)
        hook, by_angle, _ = self._point(q, 2, self.hook, None)
        stretched = hook - self.c[:2]
        length = np.sqrt(stretched @ stretched)
        force = self.torque - self.stiffness * (length - self.rest) * (stretched @ (by_angle @ q_s)) / length
        return np.array([y[1], (force - moved.bend * y[1]**2) / moved.inertia])


def squeezer(times, steps):
    mechanism = _Squeezer()
    states = integrate(mechanism.rate, [mechanism.q[0], 0], times, steps)
    mechanism = _Squeezer()
    found = []
    for y in states:
        # On the way there the angles must not jump to another branch.
        for beta in np.linspace(mechanism.q[0], y[0], 40)[1:]:
            mechanism.curve(beta)
        found.append(mechanism.curve(y[0])[0])
    return found
