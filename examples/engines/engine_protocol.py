"""An engine's program answers lines of JSON (docs/developing/engine_protocol.md). An engine gives two functions."""
import json
import sys
import time


class Refused(Exception):
    """The engine does not treat the mechanism; the text says why."""


def missing(name, error):
    """Serves refusals in the place of an engine that is not installed. error: the ImportError that told."""
    def refuse(_):
        raise Refused(f"{error}; setup/install_engines.sh {name.lower()} installs it")
    serve(name, refuse)


def timed(call):
    """The seconds of one call: of the first one where that takes 10 ms, else the mean of as many as fill 0.1 ms after
    it, with the processor's caches as warm as those of the suite's own formulations are when they are timed."""
    def seconds_of(calls):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) / calls
    first = seconds_of(1)
    return first if first > 1e-2 else seconds_of(max(1, min(1000, int(1e-4 / first))))


def in_words(error):
    return " ".join(f"{type(error).__name__} {error}".split())


def moved(mechanism, simulation, simulate):
    """The answer to a simulation: simulate(mechanism, simulation) returns rows of q at its times, and the seconds."""
    try:
        if simulate is None:
            raise Refused("it has no integrator here")
        if mechanism is None:
            raise ValueError("no mechanism was told before")
        if any(joint["type"] in ("spherical", "free") for joint in mechanism["joints"] if not joint["cut"]):
            raise Refused("only mechanisms without quaternions are simulated")
        times = simulation["times"]
        if len(times) < 2 or not all(a < b for a, b in zip(times, times[1:])):
            raise ValueError('"times" must be two or more that increase')
        rows, seconds = simulate(mechanism, simulation)
        return {"q": [[float(number) for number in row] for row in rows], "seconds": seconds}
    except Refused as why:
        return {"refused": str(why)}
    except Exception as why:  # whatever an engine's integrator says
        return {"failed": in_words(why)}


def by_forces(accelerations, message):
    """Columns: how v' changes by joint forces, for engines that have no such derivatives. It is linear in them, so that
    differences over any step are exact."""
    size = len(message["v"])
    units = [[float(i == j) for i in range(size)] for j in range(size)]
    without, _ = accelerations(message | {"joint_forces": [0.0] * size})
    return [accelerations(message | {"joint_forces": unit})[0] - without for unit in units]


def differentiated(solver, message):
    """The answer for derivatives, where the engine has them."""
    if not hasattr(solver, "derivatives"):
        raise ValueError("it has no derivatives here")
    start = time.perf_counter()
    found = solver.derivatives(message)
    seconds = time.perf_counter() - start if len(found) == 3 else found[3]
    answer = {name: [[float(number) for number in row] for row in rows] for name, rows in zip(("by_motion", "by_v", "by_forces"), found)}
    return answer | {"seconds": seconds}


def answered_batch(solver, asked):
    """The answer for many copies of a state at a time, where the engine takes them."""
    if not hasattr(solver, "batch"):
        raise ValueError("it takes one state at a time here")
    count, threads = asked["count"], asked["threads"]
    if not all(isinstance(number, int) and number > 0 for number in (count, threads)):
        raise ValueError('"count" and "threads" must be whole numbers above 0')
    found, seconds = solver.batch(asked["state"], count, threads)
    return {"accelerations": [float(number) for number in found], "seconds": seconds}


def serve(name, make, accuracy=0.0, simulate=None):
    """Answers until the end of standard input.

    make(mechanism) returns accelerations(state), a function of the numbers of one state that returns v' in the order of
    v, or (v', seconds) where the engine measured itself. It may have two attributes. `derivatives` is a function of the
    same state that returns three square matrices by rows: how v' changes by the motion in which one component of v is
    1, by v with q held, and by joint forces; and seconds where it measured itself. `batch`, a function of a state, a
    count and a number of threads, returns v' of the last of so many copies, and the seconds of all of them together.
    accuracy: relative, where an iteration limits it. simulate, where the engine integrates itself: see `moved`.
    """
    accelerations = mechanism = None
    for line in sys.stdin:
        try:
            message = json.loads(line)
            if "mechanism" in message:
                answer, accelerations, mechanism = {"engine": name, "accuracy": accuracy}, None, message["mechanism"]
                try:
                    accelerations = make(mechanism)
                    answer |= {"derivatives": True} if hasattr(accelerations, "derivatives") else {}
                    answer |= {"batches": True} if hasattr(accelerations, "batch") else {}
                except Refused as why:
                    answer["refused"] = str(why)
                except Exception as why:  # whatever an engine's own reader says, and memory that is not there
                    answer["refused"] = in_words(why)
            elif "simulate" in message:
                answer = moved(mechanism, message["simulate"], simulate)
            elif accelerations is None:
                raise ValueError("no mechanism was told before that it treats")
            elif "derivatives" in message:
                answer = differentiated(accelerations, message["derivatives"])
            elif "batch" in message:
                answer = answered_batch(accelerations, message["batch"])
            else:
                start = time.perf_counter()
                found = accelerations(message)
                seconds = time.perf_counter() - start
                if isinstance(found, tuple):
                    found, seconds = found
                answer = {"accelerations": [float(number) for number in found], "seconds": seconds}
        except Exception as why:  # whatever is wrong with a line, and what an engine says of a state
            answer = {"failed": in_words(why)}
        print(json.dumps(answer), flush=True)
