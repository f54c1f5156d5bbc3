"""What every engine's program does: answer lines of JSON (docs/engines.md). An engine gives two functions."""
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
    """The seconds of one call: of the first one where that is long, else the mean of as many as fill 0.1 ms, with the
    processor's caches as warm as those of the suite's own formulations are when they are timed."""
    def seconds_of(calls):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) / calls
    first = seconds_of(1)
    return first if first > 1e-4 else seconds_of(max(1, min(1000, int(1e-4 / first))))


def serve(name, make, accuracy=0.0):
    """Answers until the end of standard input.

    make(mechanism) returns accelerations(state), a function of the numbers of one state that returns v' in the order of
    v, or (v', seconds) where the engine measured itself. accuracy: relative, where an iteration limits it.
    """
    accelerations = None
    for line in sys.stdin:
        message = json.loads(line)
        if "mechanism" in message:
            answer = {"engine": name, "accuracy": accuracy}
            try:
                accelerations = make(message["mechanism"])
            except Refused as why:
                answer["refused"] = str(why)
            except Exception as why:  # whatever an engine's own reader says, and memory that is not there
                answer["refused"] = " ".join(f"{type(why).__name__} {why}".split())
        else:
            start = time.perf_counter()
            found = accelerations(message)
            seconds = time.perf_counter() - start
            if isinstance(found, tuple):
                found, seconds = found
            answer = {"accelerations": [float(number) for number in found], "seconds": seconds}
        print(json.dumps(answer), flush=True)
