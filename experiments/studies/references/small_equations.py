"""Problems of two or three degrees of freedom, by equations of motion derived by hand, in long double."""
import numpy as np

from gauss_collocation import REAL, integrate, real, solve

PI = real("3.14159265358979323846264338327950288")
GRAVITY = real("9.81")


def babyboot(times, steps):
    """J(b) a'' = -w sin a - 2 d sin b cos b a' b', I_z b'' = d sin b cos b a'^2, d = I_y - I_x of the plate."""
    arm, plate = real("0.01") * real("0.075")**2 + real("5e-6"), real("0.1") * real("0.2")**2
    ix, iy, iz = real("2.5e-4"), real("5e-5"), real("2e-4")
    weight = GRAVITY * (real("0.01") * real("0.075") + real("0.1") * real("0.2"))

    def rate(_, y):
        a, b, u, v = y
        bend = (iy - ix) * np.sin(b) * np.cos(b)
        inertia = arm + plate + ix * np.cos(b)**2 + iy * np.sin(b)**2
        return np.array([u, v, (-weight * np.sin(a) - 2 * bend * u * v) / inertia, bend * u**2 / iz])
    return [y[:2] for y in integrate(rate, [PI / 2, PI / 180, 0, 0], times, steps)]


def cart_pole(ratio):
    """Lagrange's equations in the cart's place and the pole's angle from upright."""
    def solution(times, steps):
        cart, half, inertia = REAL(1) / REAL(ratio), REAL(1) / 2, REAL(1) / 12

        def rate(_, y):
            _, angle, v, w = y
            c, s = np.cos(angle), np.sin(angle)
            mass, mixed, turning = cart + 1, half * c, inertia + half**2
            push, pull = half * w**2 * s, GRAVITY * half * s
            # The determinant without what cancels in mass * turning - mixed^2 for a light cart.
            determinant = cart * turning + inertia + half**2 * s**2
            return np.array([v, w, (turning * push - mixed * pull) / determinant, (mass * pull - mixed * push) / determinant])
        return [y[:2] for y in integrate(rate, [0, REAL(1) / 2, 0, 0], times, steps)]
    return solution


def flyball_governor(times, steps):
    """Turn of the shaft, height of the slider, angle b of both rods below the horizontal; the turn by its momentum."""
    edge, middle, stiffness, damping, rest = real("0.05"), REAL(1) / 2, real("8e5"), real("4e4"), REAL(1) / 2
    rod, ball = real("0.3"), real("5")
    mass = rod + ball
    centre = (rod / 2 + ball) / mass
    across = rod * (1 + real("1e-4")) / 12 + rod * ball / mass / 4  # about the centre of mass
    thin = rod * real("2e-4") / 12
    slider, on_axis = REAL(3), thin + REAL(3) * real("0.02") / 12

    def about_axis(b):
        reach = edge + centre * np.cos(b)
        inertia = mass * reach**2 + thin * np.sin(b)**2 + across * np.cos(b)**2
        slope = -2 * mass * reach * centre * np.sin(b) + 2 * (thin - across) * np.sin(b) * np.cos(b)
        return inertia, slope

    start = PI / 6
    momentum = (on_axis + 2 * about_axis(start)[0]) * 2 * PI

    def rate(_, y):
        _, height, b, lift, fall = y
        inertia, slope = about_axis(b)
        turning = momentum / (on_axis + 2 * inertia)
        across_spring, up_spring = middle * np.cos(b), 1 - middle * np.sin(b) - height
        length = np.sqrt(across_spring**2 + up_spring**2)
        by_angle = -middle * (across_spring * np.sin(b) + up_spring * np.cos(b)) / length
        by_height = -up_spring / length
        pull = stiffness * (length - rest) + damping * (by_angle * fall + by_height * lift)
        return np.array([turning, lift, fall, -GRAVITY - 2 * pull * by_height / slider,
                         (slope * turning**2 / 2 + mass * GRAVITY * centre * np.cos(b) - pull * by_angle)
                         / (across + mass * centre**2)])
    states = integrate(rate, [0, middle, start, 0, 0], times, steps, stiff=True)
    return [np.array([y[0], y[1], -y[2], y[2] - PI]) for y in states]


def car_axis(times, steps):
    """Both masses in the complex plane, d'Alembert along the normal to the road and along the rod's turn."""
    mass, rest = real("5e-4"), REAL(1) / 2
    amplitude, frequency = REAL(1) / 10, REAL(10)

    def road(t):
        sine, cosine = amplitude * np.sin(frequency * t), amplitude * np.cos(frequency * t)
        level = np.sqrt(1 - sine**2)
        first = frequency * cosine / level
        return np.arcsin(sine), first, (-frequency**2 * sine + sine * first**2) / level

    def rate(t, y):
        height, angle, lift, turning = y
        tilt, tilt_1, tilt_2 = road(t)
        along, rod = np.exp(1j * np.clongdouble(tilt)), np.exp(1j * np.clongdouble(angle))
        left, right = 1j * height * along, 1j * height * along + rod
        pulled = right - along
        stretch = np.abs(pulled)
        on_left = -1j * mass + (rest - np.abs(left)) * left / np.abs(left)
        on_right = -1j * mass + (rest - stretch) * pulled / stretch
        bent = 1j * (2j * lift * tilt_1 + 1j * height * tilt_2 - height * tilt_1**2) * along
        ways = (1j * along, 1j * rod)
        forces = [np.real(np.conj(ways[0]) * (on_left + on_right - mass * (2 * bent - turning**2 * rod))),
                  np.real(np.conj(ways[1]) * (on_right - mass * (bent - turning**2 * rod)))]
        mixed = np.real(np.conj(ways[0]) * ways[1])
        determinant = mass * (2 - mixed**2)
        return np.array([lift, turning, (forces[0] - mixed * forces[1]) / determinant,
                         (2 * forces[1] - mixed * forces[0]) / determinant])
    states = integrate(rate, [rest, 0, 0, 0], times, steps)
    return [np.array([road(REAL(t))[0], y[0], y[1] - road(REAL(t))[0]]) for t, y in zip(times, states)]


def n_four_bar(windows):
    """2 a theta'' = b g sin theta: what elliptic_motions solves, as an equation."""
    def solution(times, steps):
        a, b = REAL(windows + 1) / 6 + REAL(windows) / 2, REAL(windows + 1) / 2 + windows
        states = integrate(lambda _, y: np.array([y[1], b * GRAVITY * np.sin(y[0]) / (2 * a)]), [0, 1], times, steps)
        return [np.array([PI / 2 - y[0]] * (windows + 1) + [y[0] - PI / 2] * windows) for y in states]
    return solution


def pendulum(links):
    """Lagrange's equations in the links' own angles below the level: (c_ij cos(a_i - a_j) + delta_ij) a_j''
    + c_ij sin(a_i - a_j) a_j'^2 = g w_i cos a_i, where body k carries joint i's link by 1 beyond it, by 1/2 at it."""
    def solution(times, steps):
        carried = np.tril(np.ones((links, links), REAL), -1) + np.eye(links, dtype=REAL) / 2
        shared, weight = carried.T @ carried, GRAVITY * carried.sum(axis=0)

        def rate(_, y):
            angles, rates = np.split(y, 2)
            apart = angles[:, None] - angles
            return np.concatenate([rates, solve(shared * np.cos(apart) + np.eye(links, dtype=REAL),
                                                weight * np.cos(angles) - (shared * np.sin(apart)) @ rates**2)])
        states = integrate(rate, np.zeros(2 * links), times, steps)
        return [np.diff(y[:links], prepend=REAL(0)) for y in states]
    return solution


def sarrus(times, steps):
    """One angle a: M(a) = 2 (2 J + 1/4 + 9/4 sin^2 a + 1/4 cos^2 a) + 4 sin^2 a, V = 6 g cos a."""
    across = (1 + REAL(1) / 100) / 12

    def rate(_, y):
        sine, cosine = np.sin(y[0]), np.cos(y[0])
        inertia = 4 * across + 1 + 8 * sine**2
        return np.array([y[1], (6 * GRAVITY * sine - 8 * sine * cosine * y[1]**2) / inertia])
    return [np.array([y[0], -2 * y[0], y[0], y[0], -2 * y[0]]) for y in integrate(rate, [REAL(1) / 2, 0], times, steps)]
