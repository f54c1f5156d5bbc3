"""[Malczyk2008], table 1, and the times behind the crossover."""
from malczyk2008_look import SERIAL, SUB_CHAINS, TWO_RANKS, TWO_RANKS_TCP
from records import select
from table_definition import TableDefinition

_ENDS = (1, 5, 10, 20, 30, 40, 50, 60)
_STEPS = ("0.01", "0.001")


def _of(results, mechanism):
    return [record for record in results.timings if record.mechanism == mechanism]


def _one(records):
    return records[0] if records else None


def _row(results, step, end):
    crank = _of(results, "slider_crank")
    keys = {"end": end, "output_step": step, "tolerance": 1e-6}
    one, two = (_one(select(crank, "wall_time", program, **keys)) for program in (SERIAL, TWO_RANKS))
    speedup = _one(select(crank, "wall_time_speedup", TWO_RANKS, **keys))
    if one is None:
        return None
    published = [one.published_value, two.published_value if two else None]
    ratio = published[0] / published[1] if published[1] else None
    return [f"{step} s", f"{end} s", *published, ratio, 1e3 * one.value, 1e3 * two.value if two else None,
            speedup.value if speedup else None]


def _table1(results):
    rows = [_row(results, step, end) for step in _STEPS for end in _ENDS]
    return [row for row in rows if row is not None]


def _right_hand_sides(results):
    rows = []
    for mechanism in dict.fromkeys(record.mechanism for record in results.timings if record.quantity == "time_per_evaluation"):
        records = _of(results, mechanism)
        times = [_one(select(records, "time_per_evaluation", program)) for program in (SERIAL, SUB_CHAINS, TWO_RANKS, TWO_RANKS_TCP)]
        speedups = [_one(select(records, "time_per_evaluation_speedup", program)) for program in (TWO_RANKS, TWO_RANKS_TCP)]
        rows.append([mechanism, *(1e6 * time.value if time else None for time in times),
                     *(speedup.value if speedup else None for speedup in speedups)])
    return rows


def _messages(results):
    rows = []
    loop = _of(results, "loop")
    for name, program, keys, published in (("shared memory", TWO_RANKS, {}, "one node: 15"),
                                           ("TCP", TWO_RANKS_TCP, {"messages": "tcp"}, "two nodes: 251")):
        time = _one(select(results.timings, "exchange_time", numbers=27, **keys))
        crossovers = [_one(select(loop, quantity, program)) for quantity in ("predicted_crossover", "time_per_evaluation_crossover")]
        if time:
            rows.append([name, 1e6 * time.value, *(record.value if record else None for record in crossovers), published])
    return rows


TABLES = [
    TableDefinition("table1", "Table 1: wall time of the slider-crank",
                    "Published: s on a Xeon 2.4 GHz of 2008. Ours: ms, the fastest of several runs; a speedup is given only where the "
                    "machine had two processors free during the runs.",
                    lambda results: ["step", "simulated", "published, 1 CPU", "2 CPU", "speedup", "ours, 1 process [ms]",
                                     "2 processes [ms]", "speedup"], _table1),
    TableDefinition("right_hand_sides", "Time of one right-hand side [us]",
                    "The fastest of many batches; sub-chains: the program of the two processes, in one of them; TCP: two processes of "
                    "one machine whose messages go over TCP, a stand-in for two nodes.",
                    lambda results: ["mechanism", "one process", "sub-chains", "two processes", "TCP", "speedup", "TCP"],
                    _right_hand_sides),
    TableDefinition("messages", "Time of an exchange and the crossover",
                    "Measured: joints at which the speedup of a right-hand side passes 1. Predicted: joints at which half of the "
                    "sequential right-hand side takes as long as three exchanges of 27 numbers. TCP: on one machine.",
                    lambda results: ["messages", "exchange of 27 numbers [us]", "crossover, predicted", "measured", "published"],
                    _messages),
]
