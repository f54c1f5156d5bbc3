"""How curves over time must be drawn to be read: envelopes of what flickers, room below for what coincides, no empty decades."""
import numpy as np

_FLICKER_SHARE = 0.1  # of the samples; calm curves of the papers have 0.06 at most, rounding 0.14 at least
_FLICKER_STEP = 0.2  # decades up and down again
WINDOW = 0.01  # of the run's time, to either side
_LINE = 0.012  # of an axis: as far apart as a line is wide
_COINCIDING_SHARE = 0.5  # of the run's time
_RARE = 0.02  # of the samples: those that no axis is made longer for
_KEPT_DECADES = 2  # by which the rare samples may lengthen an axis all the same


def flickers(values, is_logarithmic):
    """Whether a line would be drawn as a block: it goes up and down again from sample to sample."""
    if is_logarithmic:
        changes = np.diff(np.log10(values[values > 0]))
        changes = np.where(np.abs(changes) > _FLICKER_STEP, changes, 0)
        reversals = changes[1:] * changes[:-1] < 0
    else:  # counts, which may stay for some samples
        changes = np.diff(values)
        reversals = np.diff(np.sign(changes[changes != 0])) != 0
    return bool(np.sum(reversals) > _FLICKER_SHARE * len(values))


def counted(times, counts, every):
    """What each interval of this length adds to a count since the start, as the outline of bars (times, counts)."""
    bounds = np.arange(0, round((times[-1] - times[0]) / every) + 1) * every + times[0]
    reached = counts[np.searchsorted(times, bounds + 1e-6 * every, "right") - 1]
    return np.repeat(bounds, 2)[1:-1], np.repeat(np.diff(reached), 2)


def envelope(times, values):
    """The largest value within WINDOW of the run's time to either side of every sample."""
    half = WINDOW * (times[-1] - times[0])
    first, last = np.searchsorted(times, times - half, "left"), np.searchsorted(times, times + half, "right")
    return np.array([np.nanmax(values[begin:end]) if np.isfinite(values[begin:end]).any() else np.nan for begin, end in zip(first, last)])


def coincide(one, other, low, high):
    """Whether two curves (times, heights) on an axis from low to high are nearer than a line is wide most of the time."""
    begin, end = max(one[0][0], other[0][0]), min(one[0][-1], other[0][-1])
    if end <= begin or high <= low:
        return False
    times = np.linspace(begin, end, 400)
    distances = np.abs(np.interp(times, *one) - np.interp(times, *other)) / (high - low)
    return bool(np.mean(distances < _LINE) > _COINCIDING_SHARE)


def lowest_shown(curves):
    """Where a logarithmic axis of these curves' values begins; None where it may show all of them."""
    positive = [values[values > 0] for values in curves]
    positive = [values for values in positive if len(values)]
    if not positive:
        return None
    usual = min(np.quantile(values, _RARE) for values in positive)
    least = min(values.min() for values in positive)
    return 10.0 ** np.floor(np.log10(usual) - 0.5) if least < usual / 10**_KEPT_DECADES else None
