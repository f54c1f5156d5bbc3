"""Names and looks of the programs of [Malczyk2008], and their times by the size of the loop."""
from records import select

SERIAL = "bae-haug[alpha=10,beta=10]"
SUB_CHAINS = "bae-haug[alpha=10,beta=10,sub-chains]"
TWO_RANKS = "bae-haug[alpha=10,beta=10,ranks=2]"
TWO_RANKS_TCP = "bae-haug[alpha=10,beta=10,ranks=2,messages=tcp]"

# Key of the records: (label, colour, marker, filled, line).
PROGRAMS = {
    SERIAL: ("one process", "#E69F00", "P", True, "-"),
    SUB_CHAINS: ("one process, sub-chain after sub-chain", "#000000", "D", False, (0, (4, 1.5))),
    TWO_RANKS: ("two processes", "#0072B2", "o", True, "-"),
    TWO_RANKS_TCP: ("two processes, messages over TCP", "#009E73", "s", False, (0, (1, 1))),
}


def look(program):
    """Keyword arguments of `plot`."""
    _, colour, marker, filled, line = PROGRAMS[program]
    return {"color": colour, "linestyle": line, "marker": marker, "markerfacecolor": colour if filled else "white"}


def by_joints(results, quantity, program):
    """{joints: value} of the loops."""
    found = {}
    for record in results.timings:
        if (record.quantity == quantity and record.formulation == program and record.mechanism.startswith("loop:")
                and record.value is not None):
            found[int(record.mechanism.removeprefix("loop:"))] = record.value
    return dict(sorted(found.items()))


def placement_of(results):
    """Where the two processes ran, as the program noted it, with the MPI library; empty without a second process."""
    notes = [record.note for record in select(results.timings, "exchange_time", numbers=...)]
    return notes[0] if notes else ""
