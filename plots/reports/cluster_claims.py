"""What a simulated cluster took for right-hand sides, and what that says of sentences on parallel cost (simulated_cluster.py draws it)."""
import csv
import math
from dataclasses import dataclass

from reports.claims import COLUMNS as CLAIM_COLUMNS
from reports.claims import read_claims
from reading.csv_rows import read_csv_rows
from reading.input_error import InputError
from reports.ledger import entries
from papers import Setting

EXPERIMENT = "simulated_cluster"
VERDICT = "by simulation"
GOAL_US = 250  # a right-hand side of 2^20 bodies on 1024 nodes
_GOAL = (1 << 20, 1024)
_LARGEST_DEVIATION = 0.15  # of two processes
_LARGEST_GROWTH = 1.2  # of the time over log2 of the nodes, from 16 of them on: a power of n of 0.04 from 16 to 1024
FIRST_NODES = 16
_COLUMNS = ["formulation", "family", "exchange", "bodies", "nodes", "simulated_us", "estimated_us"]
_MEASURED_COLUMNS = ["formulation", "family", "bodies", "measured_us"]
_NETWORK_COLUMNS = ["latency_us", "overhead_us", "per_byte_ns"]


@dataclass(frozen=True)
class Point:
    formulation: str
    family: str
    exchange: str
    bodies: int
    nodes: int
    simulated_us: float
    estimated_us: float

    @property
    def curve(self):
        return self.formulation, self.family, self.exchange


@dataclass(frozen=True)
class TwoProcesses:
    """A right-hand side that two processes of one machine really shared."""

    formulation: str
    family: str
    bodies: int
    simulated_us: float
    measured_us: float

    @property
    def deviation(self):
        return self.simulated_us / self.measured_us - 1


@dataclass
class Cluster:
    points: list
    network: dict
    two_processes: list

    def curve(self, formulation, family, exchange, bodies=None):
        """Points by nodes: of so many bodies, or with one body a node."""
        found = [point for point in self.points if point.curve == (formulation, family, exchange)
                 and (point.nodes == point.bodies if bodies is None else point.bodies == bodies)]
        return sorted(found, key=lambda point: point.nodes)


def _rows(file, columns, numbers):
    """Rows as dictionaries, with positive numbers in some columns."""
    found, rows = read_csv_rows(file)
    if found != columns:
        raise InputError(file, f"the columns should be {','.join(columns)}", 1)
    for line, fields in rows:
        row = dict(zip(columns, fields))
        for name, kind in numbers.items():
            try:
                row[name] = kind(row[name])
            except ValueError:
                row[name] = math.nan
            if not (math.isfinite(row[name]) and row[name] >= 0):
                raise InputError(file, f"{name} should be a number from 0", line)
        yield row


def _points(file):
    return [Point(**row) for row in _rows(file, _COLUMNS, {"bodies": int, "nodes": int, "simulated_us": float, "estimated_us": float})]


def read_cluster(path):
    """Raises InputError with file and line for anything that does not fit."""
    [network] = list(_rows(path / "network.csv", _NETWORK_COLUMNS, dict.fromkeys(_NETWORK_COLUMNS, float)))[:1] or [{}]
    pair = path / "two_processes"
    simulated = {(point.formulation, point.family, point.bodies): point for point in _points(pair / "scaling.csv")}
    two = []
    for row in _rows(pair / "measured.csv", _MEASURED_COLUMNS, {"bodies": int, "measured_us": float}):
        key = (row["formulation"], row["family"], row["bodies"])
        if key in simulated and row["measured_us"] > 0:
            two.append(TwoProcesses(*key, simulated[key].simulated_us, row["measured_us"]))
    return Cluster(_points(path / "scaling.csv"), network, two)


def fastest(curve):
    """The point beyond which more nodes stop paying."""
    return min(curve, key=lambda point: point.simulated_us)


def _over_log(curve, passes=1):
    """{nodes: time over log2 of them}, from 16 on."""
    return {point.nodes: point.simulated_us / (passes * math.log2(point.nodes)) for point in curve if point.nodes >= FIRST_NODES}


def _logarithmic(cluster, formulations, families):
    """(k, n, what was found): sizes at which one body a node takes no more than log2 n times what 16 take, and a fifth."""
    held = parts = 0
    worst = 0.0
    for formulation in formulations:
        for family in families:
            over = _over_log(cluster.curve(formulation, family, "tree"))
            first = over.pop(FIRST_NODES, None)
            growths = [value / first for value in over.values()] if first else []
            parts += len(growths)
            held += sum(growth <= _LARGEST_GROWTH for growth in growths)
            worst = max([worst, *growths])
    return held, parts, f"{held} of {parts}; the time over log2 n is at most {worst:.2f} times that of 16 nodes"


def _within_goal(cluster):
    curves = [cluster.curve(formulation, "chain", "tree", _GOAL[0]) for formulation in ("hdca[leaf=subchain]", "dca[leaf=subchain]")]
    ends = [point for curve in curves for point in curve if point.nodes == _GOAL[1]]
    held = sum(point.simulated_us <= GOAL_US for point in ends)
    return held, len(ends), f"{held} of {len(ends)}; " + ", ".join(f"{point.formulation} {point.simulated_us:.0f} us" for point in ends)


def _exchange_stops(cluster):
    """Whether all to all is fastest with fewer nodes than a tree."""
    held = parts = 0
    texts = []
    for formulation in ("hdca[leaf=subchain]", "dca[leaf=subchain]"):
        for bodies in sorted({point.bodies for point in cluster.points if point.curve == (formulation, "chain", "tree")}):
            both = [cluster.curve(formulation, "chain", exchange, bodies) for exchange in ("all to all", "tree")]
            if all(both):
                all_to_all, tree = map(fastest, both)
                parts += 1
                held += all_to_all.nodes < tree.nodes and all_to_all.simulated_us > tree.simulated_us
                texts.append(f"{formulation}, {bodies} bodies: {all_to_all.nodes} and {tree.nodes}")
    return held, parts, f"{held} of {parts}; fastest with so many nodes: {'; '.join(texts)}"


def _two_agree(cluster):
    held = sum(abs(two.deviation) <= _LARGEST_DEVIATION for two in cluster.two_processes)
    worst = max((abs(two.deviation) for two in cluster.two_processes), default=0.0)
    return held, len(cluster.two_processes), f"{held} of {len(cluster.two_processes)}; the largest deviation is {100 * worst:.0f} %"


def _estimates_agree(cluster):
    several = [point for point in cluster.points if point.nodes > 1 and point.estimated_us > 0]
    ratios = [point.simulated_us / point.estimated_us for point in several]
    held = sum(abs(ratio - 1) <= _LARGEST_DEVIATION for ratio in ratios)
    return held, len(ratios), f"{held} of {len(ratios)}; simulated over estimated {min(ratios, default=1):.2f} to {max(ratios, default=1):.2f}"


_LOG_CRITERION = ("one body a node, 32 to 1024 nodes, messages along a tree: simulated time of a right-hand side over log2 n at most 1.2 times that "
                  "of 16 nodes")
_CLAIMS = (
    ("ours, beside Chadaj2015, sect. IV", "On a simulated cluster with n nodes the cost is O(log2 n).", _LOG_CRITERION + "; HDCA and DCA, chains",
     lambda cluster: _logarithmic(cluster, ("hdca[leaf=body]", "dca[leaf=body]"), ("chain",))),
    ("ours, beside Chadaj2017, sect. 3.4", "On a simulated cluster with n nodes HDCA's cost for closed loops is near logarithmic.",
     _LOG_CRITERION + "; HDCA, loops and ladders, positions along a tree too", lambda cluster: _logarithmic(cluster, ("hdca[leaf=body]",), ("loop", "ladder"))),
    ("ours, beside Malczyk2012, sect. 4.4", "On a simulated cluster with n nodes the cost is O(k log n).", _LOG_CRITERION + "; dca-alm with the k passes that it needs",
     lambda cluster: _logarithmic(cluster, ("dca-alm",), ("chain", "loop", "ladder"))),
    ("ours", "A chain of 2^20 bodies takes at most 250 us a right-hand side on 1024 simulated nodes.",
     "sub-chains, messages along a tree; both formulations", _within_goal),
    ("ours", "All to all, more nodes stop paying earlier than along a tree.",
     "chains of sub-chains: the fewest nodes that are fastest, and their time larger", _exchange_stops),
    ("ours", "Two real processes take what the simulation says.", "sub-chains, 1024 to 16384 bodies: simulated within 15 % of measured, with the network of that machine",
     _two_agree),
    ("ours", "LogGP on paper says what the simulation says.", "all points of several nodes: within 15 %", _estimates_agree),
)


def claim_rows(cluster):
    """Rows of claims.csv."""
    rows = []
    for source, statement, criterion, judge in _CLAIMS:
        held, parts, measured = judge(cluster)
        rows.append([EXPERIMENT, source, statement, criterion, "", held, parts, 0, measured if parts else "nothing was simulated",
                     VERDICT if parts else "not measured", "simulation"])
    return rows


def cluster_entries(path):
    """(claims, rows of the ledger) of a folder of a simulated cluster."""
    judged = read_claims(path / "claims.csv")
    network = Setting("ours: a network with a latency of {latency_us:g} us, {overhead_us:g} us at either end of a message, {per_byte_ns:g} ns a byte; one "
                      "process a node; pieces of work timed on one core".format(**read_cluster(path).network))
    return judged, entries(EXPERIMENT, [], judged, [network])


def write_claims(file, cluster):
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(CLAIM_COLUMNS)
        writer.writerows(claim_rows(cluster))
    return file
