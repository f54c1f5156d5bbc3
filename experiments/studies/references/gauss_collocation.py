"""Gauss collocation of any order in long double: what the field's references are integrated with."""
import mpmath
import numpy as np

REAL = np.longdouble
STAGES = 8  # order 16


def real(number):
    """An mpmath number, or a text of digits, as a long double."""
    return REAL(mpmath.nstr(mpmath.mpf(number), 25, strip_zeros=False))


def _tableau(stages):
    """Nodes, matrix and weights on [0, 1]; computed with 60 digits."""
    with mpmath.workdps(60):
        nodes = sorted((1 + x) / 2 for x in mpmath.polyroots(mpmath.taylor(lambda x: mpmath.legendre(stages, x), 0, stages)[::-1],
                                                             maxsteps=200, extraprec=200))
        powers = mpmath.matrix(stages, stages)
        for i in range(stages):
            for j in range(stages):
                powers[i, j] = nodes[j]**i
        inverse = powers**-1  # column i: coefficients of the polynomials in the nodes' values
        matrix = np.empty((stages, stages), REAL)
        for i in range(stages):
            integrals = [nodes[i]**(k + 1) / (k + 1) for k in range(stages)]
            for j in range(stages):
                matrix[i, j] = real(sum(integrals[k] * inverse[j, k] for k in range(stages)))
        weights = np.array([real(sum(inverse[j, k] / (k + 1) for k in range(stages))) for j in range(stages)])
        return np.array([real(node) for node in nodes]), matrix, weights


_NODES, _MATRIX, _WEIGHTS = _tableau(STAGES)


def _jacobian(rate, t, y):
    """By differences, in double: enough for Newton's method to converge."""
    base = rate(t, y)
    columns = []
    for k in range(len(y)):
        moved = y.copy()
        step = REAL(1e-8) * (1 + abs(y[k]))
        moved[k] += step
        columns.append((rate(t, moved) - base) / step)
    return np.array(columns, dtype=float).T


def integrate(rate, y0, times, steps, stiff=False):
    """States at `times`, the first of which is the start. `steps` equal steps from each time to the next.

    rate(t, y) is the derivative of a long double vector. Stages are solved to the last digit: by iteration, or, where
    `stiff`, by Newton's method with one Jacobian a step. Raises ArithmeticError where that does not converge."""
    y = np.array([REAL(value) for value in y0])
    states = [y.copy()]
    size = len(y)
    for start, stop in zip(times[:-1], times[1:]):
        h = (REAL(stop) - REAL(start)) / steps
        for k in range(steps):
            t = REAL(start) + k * h
            slopes = np.array([rate(t, y)] * STAGES)
            if stiff:
                newton = np.linalg.inv(np.eye(STAGES * size) - float(h) * np.kron(_MATRIX.astype(float), _jacobian(rate, t, y)))
            last = np.inf
            for iteration in range(100):
                residual = np.array([rate(t + _NODES[i] * h, y + h * (_MATRIX[i] @ slopes)) for i in range(STAGES)]) - slopes
                if stiff:
                    residual = (newton @ residual.reshape(-1).astype(float)).reshape(STAGES, size)
                slopes = slopes + residual
                change = float(np.max(np.abs(h * residual) / (1 + np.abs(y))))
                # Rounding is reached where changes are as small as can be and no longer shrink.
                if change < 1e-15 and change >= 0.5 * last or change == 0.0:
                    break
                last = change
            else:
                raise ArithmeticError(f"the stages at t = {float(t):g} do not converge ({change:.1e}): take more steps")
            y = y + h * (_WEIGHTS @ slopes)
        states.append(y.copy())
    return states


def solve(matrix, right):
    """Gauss elimination with pivots in long double."""
    a = np.concatenate([matrix, right.reshape(len(right), -1)], axis=1)
    n = len(matrix)
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, pivot]] = a[[pivot, k]]
        a[k] = a[k] / a[k, k]
        factors = a[:, k].copy()
        factors[k] = 0
        a -= np.outer(factors, a[k])
    return a[:, n:].reshape(right.shape)
