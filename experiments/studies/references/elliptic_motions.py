"""Motions in Jacobi's elliptic functions and one quadrature [Whittaker1937]: pendulum, N-four-bar, both tops.

Each function returns joint coordinates at the given times, as mpmath numbers. `steps` is ignored: there are none."""
import mpmath as mp

DIGITS = 30


def _precise(function):
    def solution(times, _):
        with mp.workdps(DIGITS):
            return function([mp.mpf(t) for t in times])
    return solution


def _inverse(sine, cosine, m):
    """u with sn u, cn u; of a quarter turn more or less the right one."""
    return mp.ellipf(mp.atan2(sine, cosine), m)


def _amplitude(u, m):
    """am u, without jumps."""
    turns = mp.nint(u / (4 * mp.ellipk(m)))
    return mp.atan2(mp.ellipfun("sn", u, m=m), mp.ellipfun("cn", u, m=m)) + 2 * mp.pi * turns


def point_pendulum(inertia):
    """From rest at the height of the pivot: sin(phi/2) = -sin(pi/4) cd(w t)."""
    @_precise
    def solution(times):
        pace = mp.sqrt(mp.mpf("9.81") / (1 + mp.mpf(inertia)))
        k = mp.sin(mp.pi / 4)
        return [[mp.pi / 2 - 2 * mp.asin(k * mp.ellipfun("cd", pace * t, m=k**2))] for t in times]
    return solution


def n_four_bar(windows):
    """(theta')^2 = 1 + (b g / a)(1 - cos theta): with theta = 2 am(c t - K) + pi."""
    @_precise
    def solution(times):
        a, b = mp.mpf(windows + 1) / 6 + mp.mpf(windows) / 2, mp.mpf(windows + 1) / 2 + windows
        push = b * mp.mpf("9.81") / (2 * a)
        square = mp.mpf(1) / 4 + push
        m = push / square
        found = []
        for t in times:
            theta = 2 * _amplitude(mp.sqrt(square) * t - mp.ellipk(m), m) + mp.pi
            found.append([mp.pi / 2 - theta] * (windows + 1) + [theta - mp.pi / 2] * windows)
        return found
    return solution


def _angles_313(psi, theta, phi):
    """R_z(psi) R_x(theta) R_z(phi) as a unit quaternion."""
    c, s = mp.cos(theta / 2), mp.sin(theta / 2)
    return [c * mp.cos((psi + phi) / 2), s * mp.cos((psi - phi) / 2), s * mp.sin((psi - phi) / 2), c * mp.sin((psi + phi) / 2)]


def _product(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def _integrals(rates, times, piece):
    """Integrals from 0 to each time of smooth rates (a list), by Gauss' quadrature of pieces so long."""
    totals, found = None, []
    before = mp.mpf(0)
    for t in times:
        count = max(1, int(mp.ceil((t - before) / piece)))
        for k in range(count if t > before else 0):
            low, high = before + (t - before) * k / count, before + (t - before) * (k + 1) / count
            part = _gauss_quadrature(rates, low, high)
            totals = part if totals is None else [a + b for a, b in zip(totals, part)]
        found.append(totals if totals is not None else [mp.mpf(0)] * len(rates(mp.mpf(0))))
        before = t
    return found


def _gauss_quadrature(rates, low, high):
    if not hasattr(_gauss_quadrature, "rule"):
        degree = 24
        nodes = mp.polyroots(mp.taylor(lambda x: mp.legendre(degree, x), 0, degree)[::-1], maxsteps=400, extraprec=400)
        _gauss_quadrature.rule = [(x, 2 * (1 - x * x) / ((degree + 1) * mp.legendre(degree + 1, x))**2) for x in nodes]
    half, middle = (high - low) / 2, (high + low) / 2
    totals = None
    for node, weight in _gauss_quadrature.rule:
        values = [half * weight * value for value in rates(middle + half * node)]
        totals = values if totals is None else [a + b for a, b in zip(totals, values)]
    return totals


@_precise
def euler_top(times):
    """Body rates in cn, sn, dn; the turn about the momentum by a quadrature."""
    i1, i2, i3 = mp.mpf(2), mp.mpf(3), mp.mpf(4)
    start = [mp.mpf(1) / 10, mp.mpf(2), mp.mpf(15) / 100]
    energy = i1 * start[0]**2 + i2 * start[1]**2 + i3 * start[2]**2  # twice T
    square = i1**2 * start[0]**2 + i2**2 * start[1]**2 + i3**2 * start[2]**2
    momentum = mp.sqrt(square)
    if square <= energy * i2:
        raise ValueError("the momentum lies nearer to the axis of least inertia: cn and dn change places")
    a1 = mp.sqrt((energy * i3 - square) / (i1 * (i3 - i1)))
    a2 = mp.sqrt((energy * i3 - square) / (i2 * (i3 - i2)))
    a3 = mp.sqrt((square - energy * i1) / (i3 * (i3 - i1)))
    pace = mp.sqrt((i3 - i2) * (square - energy * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (energy * i3 - square) / ((i3 - i2) * (square - energy * i1))
    shift = _inverse(start[1] / a2, start[0] / a1, m)

    def body_rates(t):
        u = pace * t + shift
        return a1 * mp.ellipfun("cn", u, m=m), a2 * mp.ellipfun("sn", u, m=m), a3 * mp.ellipfun("dn", u, m=m)

    def precession(t):
        w = body_rates(t)
        return [momentum * (i1 * w[0]**2 + i2 * w[1]**2) / (i1**2 * w[0]**2 + i2**2 * w[1]**2)]

    def attitude(t, psi):
        w = body_rates(t)
        return _angles_313(psi, mp.acos(i3 * w[2] / momentum), mp.atan2(i1 * w[0], i2 * w[1]))

    at_start = attitude(mp.mpf(0), mp.mpf(0))
    back = [at_start[0], -at_start[1], -at_start[2], -at_start[3]]
    return [_product(back, attitude(t, psi[0])) for t, psi in zip(times, _integrals(precession, times, mp.mpf(1) / 4))]


@_precise
def lagrange_top(times):
    """u = cos of the tilt between its two bounds in sn; precession and spin by quadratures."""
    i3, across = mp.mpf(1) / 100, mp.mpf(2) / 100 + mp.mpf(1) / 4
    upper = mp.cos(mp.mpf(1) / 2)
    about_axis = i3 * 120
    a, beta = about_axis / across, 2 * mp.mpf("9.81") / 2 / across
    # From rest but for the spin: u'^2 = (upper - u) (beta (1 - u^2) - a^2 (upper - u)).
    root = mp.sqrt(a**4 - 4 * beta * (a**2 * upper - beta))
    lower, third = (a**2 - root) / (2 * beta), (a**2 + root) / (2 * beta)
    pace, m = mp.sqrt(beta * (third - lower)) / 2, (upper - lower) / (third - lower)

    def tilt(t):
        return lower + (upper - lower) * mp.ellipfun("cd", pace * t, m=m)**2

    def rates(t):
        u = tilt(t)
        precession = a * (upper - u) / (1 - u * u)
        return [precession, about_axis / i3 - u * precession]
    return [_angles_313(psi, mp.acos(min(tilt(t), upper)), phi)
            for t, (psi, phi) in zip(times, _integrals(rates, times, mp.mpf(1) / 4))]
