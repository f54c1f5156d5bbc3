"""Tables of a study: what ran, ranking at equal accuracy, reasons, and every mechanism's numbers."""
from collections import Counter

from reading.number_text import RoundedNumber, digits_beside, is_ratio, plain
from published_numbers import as_printed
from studies.study import unit_text
from studies.study_figures import file_name
from studies.table_definition import TableDefinition

_MECHANISMS_BESIDE = 4  # columns of texts that fit a page
# Units of numbers that are small: (factor, unit in tables).
_IN_TABLES = {"s": (1e6, "µs")}
_SHORT = {"refused": "refused", "failed": "failed", "not measured": "disturbed"}


def _runs(study, mechanism, variant):
    for integrator in study.integrators_of(mechanism):
        for control in study.controls_of(integrator, mechanism):
            yield integrator, control, *study.run_state(mechanism, variant, integrator, control)


def _finished_text(study, mechanism, variant):
    states = Counter(state for _, _, state, _ in _runs(study, mechanism, variant))
    if not states or variant not in study.variants_of(mechanism):
        return "–"
    if states["finished"] == 0:
        return "refused" if states["refused"] else "failed"
    return f"{states['finished']} of {sum(states.values())}"


def _best(study, mechanism, variant, work, ranking):
    """The least work over the integrators with its place, or why there is none."""
    records = [(integrator, study.ranked(mechanism, variant, integrator, work, ranking)) for integrator in study.integrators]
    numbers = [(record.value, integrator["key"], record.note) for integrator, record in records
               if record and record.value is not None and record.verdict != "not measured"]
    if numbers:
        value, key, place = min(numbers)
        return f"{plain(value, 3)} {key} ({place.removeprefix('place ')})"
    if _finished_text(study, mechanism, variant) in ("refused", "failed"):
        return _finished_text(study, mechanism, variant)
    reasons = Counter(record.note for _, record in records if record)
    reason = reasons.most_common(1)[0][0] if reasons else ""
    for beginning, short in (("not reached", "not reached"), ("more accurate", "too accurate"), ("the reference", "no reference"),
                             ("no reference", "no reference"), ("disturbed", "disturbed")):
        if reason.startswith(beginning):
            return short
    return "no number"


def _beside_mechanisms(study, name, title, caption, cell, mechanisms):
    """A table of variants against mechanisms; of variants with any of them. Many mechanisms are rows, and on paper several tables."""
    groups = [mechanisms[first:first + _MECHANISMS_BESIDE] for first in range(0, len(mechanisms), _MECHANISMS_BESIDE)]

    def shown(group):
        return [variant for variant in study.variants if any(variant in study.variants_of(mechanism) for mechanism in group)]

    def beside(group):
        return (lambda _: ["variant", *(mechanism["label"] for mechanism in group)],
                lambda _: [[variant["label"], *(cell(mechanism, variant) for mechanism in group)] for variant in shown(group)])
    if len(groups) <= 1:
        return [TableDefinition(name, title, caption, *beside(group)) for group in groups]
    parts = [TableDefinition(f"{name}_{number}", f"{title}, part {number} of {len(groups)}", caption, *beside(group), on_paper_only=True)
             for number, group in enumerate(groups, 1)]
    return [TableDefinition(name, title, caption, lambda _: ["mechanism", *(variant["label"] for variant in shown(mechanisms))],
                            lambda _: [[mechanism["label"], *(cell(mechanism, variant) for variant in shown(mechanisms))] for mechanism in mechanisms],
                            parts=tuple(part.name for part in parts)), *parts]


def _rankings(study):
    titles = {observer["quantity"]: observer["title"] for observer in study.observers}
    units = {observer["quantity"]: observer["unit"] for observer in study.observers}
    definitions = []
    for number, ranking in enumerate(study.rankings, 1):
        for work in ranking["work"]:
            # Of a study of integrators the reader asks for each of them.
            if len(study.integrators) > len(study.variants):
                definitions.append(_by_integrators(study, f"ranking_{number}_{work}", work, titles, units, ranking))
                continue
            unit = "" if units[work] == "1" else f" ({units[work]})"
            at = f"{titles[ranking['error']]} of {plain(ranking['at'])} {units[ranking['error']]}"
            definitions += _beside_mechanisms(
                study, f"ranking_{number}_{work}", f"{titles[work].capitalize()}{unit} for a {at}",
                f"The least {titles[work]} that any integrator needs for a {at}, interpolated between runs, with that integrator and the "
                "place among all variants and integrators on this mechanism. Too accurate: every run is more accurate than that.",
                lambda mechanism, variant, w=work, r=ranking: _best(study, mechanism, variant, w, r), study.ranked_mechanisms(ranking))
    return definitions


def _by_integrators(study, name, work, titles, units, ranking):
    unit = "" if units[work] == "1" else f" ({units[work]})"
    at = f"{titles[ranking['error']]} of {plain(ranking['at'])} {units[ranking['error']]}"
    columns = [(mechanism, variant) for mechanism in study.run_mechanisms() if not mechanism.get("own_controls")
               for variant in study.variants_of(mechanism)]

    def cell(mechanism, variant, integrator):
        record = study.ranked(mechanism, variant, integrator, work, ranking)
        return plain(record.value, 3) if record and record.value is not None and record.verdict != "not measured" else "–"
    return TableDefinition(
        name, f"{titles[work].capitalize()}{unit} for a {at}",
        f"Interpolated between runs. –: every run is more accurate, or none is accurate enough within {study.settings['max_evaluations']} evaluations.",
        lambda _: ["integrator", *(f"{mechanism['label']}, {variant['label']}" for mechanism, variant in columns)],
        lambda _: [[integrator["key"], *(cell(mechanism, variant, integrator) for mechanism, variant in columns)] for integrator in study.integrators])


def _reason_rows(study):
    """Refusals and failures with their reasons, equal ones once."""
    rows = []
    for mechanism in study.mechanisms:
        for variant in study.variants_of(mechanism):
            found = {}
            for integrator, control, state, reason in _runs(study, mechanism, variant):
                if state != "finished":
                    # Times in a message differ from run to run; the first one stands for all of an integrator.
                    key = (state, reason if state == "refused" else integrator["key"])
                    found.setdefault(key, []).append((integrator, control, reason))
            for (state, _), runs in found.items():
                where = "all runs" if state == "refused" else f"{runs[0][0]['key']}, {runs[0][1]['kind']} " + ", ".join(
                    plain(control["value"], 3) for _, control, _ in runs)
                rows.append([mechanism["label"], variant["label"], where, state, runs[0][2]])
    return rows


def _observer_columns(study, mechanism):
    """Those that the mechanism has a number for, or would have if its runs had not failed."""
    def records(observer):
        return [study.record(mechanism, variant, integrator, control, observer["quantity"])
                for variant in study.variants_of(mechanism) for integrator, control, *_ in _runs(study, mechanism, variant)]
    return [observer for observer in study.observers if not observer["of_right_hand_side"]
            and any(record and (record.value is not None or record.verdict == "failed") for record in records(observer))]


def _number_rows(study, mechanism):
    rows = []
    for variant in study.variants_of(mechanism):
        for integrator, control, state, _ in _runs(study, mechanism, variant):
            if state == "refused":
                continue
            cells = []
            for observer in _observer_columns(study, mechanism):
                record = study.record(mechanism, variant, integrator, control, observer["quantity"])
                cells.append(record.value if record and record.value is not None and record.verdict != "not measured"
                             else _SHORT[record.verdict] if record and record.verdict == "failed" else None)
            rows.append([variant["label"], integrator["key"], f"{control['value']:g}", *cells])
    return rows


def _right_hand_side_tables(study):
    definitions = []
    # Where mechanisms are there for their right-hand sides alone, these are what is compared.
    alone = [mechanism for mechanism in study.mechanisms if not study.integrators_of(mechanism)] or study.mechanisms
    for observer in study.observers:
        if observer["of_right_hand_side"]:
            factor, unit = _IN_TABLES.get(observer["unit"], (1.0, observer["unit"]))

            def cell(mechanism, variant, quantity=observer["quantity"], factor=factor):
                record = study.of_right_hand_side(mechanism, variant, quantity)
                if not record or record.value is None:
                    return "–"
                return "disturbed" if record.verdict == "not measured" else plain(factor * record.value, 3)
            title = observer["title"].capitalize() + (f" ({unit})" if unit != "1" else "")
            definitions += _beside_mechanisms(study, observer["quantity"], title, f"{observer['meaning']}.".capitalize(), cell, alone)
    return definitions


def _right_hand_side_reasons(study):
    """Why variants have no number for any observer of right-hand sides."""
    rows = []
    for mechanism in study.mechanisms:
        for variant in study.variants:
            records = [study.of_right_hand_side(mechanism, variant, observer["quantity"]) for observer in study.observers]
            records = [record for record in records if record]
            if records and all(record.value is None for record in records):
                rows.append([mechanism["label"], variant["label"], "right-hand side", records[0].verdict, records[0].note])
    return rows


def _of_few_digits(quantity, value):
    """Speedups are compared with one another: two digits do not tell them apart."""
    return RoundedNumber(value, 3) if is_ratio(quantity) else value


def _compared(record, kind):
    """What the number is compared with, as it was printed; nothing where it is of the other kind."""
    value = getattr(record, f"{kind}_value") if record else None
    if value is None:
        return None
    if is_ratio(record.quantity):
        return _of_few_digits(record.quantity, value)
    return as_printed(record) if kind == "published" else RoundedNumber(value, 10)


def _beside_compared(record):
    """The value, with the digits of what it is compared with."""
    if record is None or record.value is None or record.compared_value is None:
        return _of_few_digits(record.quantity, record.value) if record and record.value is not None else None
    if is_ratio(record.quantity):
        return _of_few_digits(record.quantity, record.value)
    return RoundedNumber(record.value, digits_beside(record.value, record.compared_value))


def _declared_rows(study, table, compared):
    rows = []
    for mechanism in (study.mechanisms[place] for place in table["mechanisms"]):
        for variant in (study.variants[place] for place in table["variants"] if study.variants[place] in study.variants_of(mechanism)):
            for integrator, control, state, _ in _runs(study, mechanism, variant):
                records = [study.record(mechanism, variant, integrator, control, quantity) for quantity in table["observers"]]
                if state != "refused" and any(record and record.value is not None for record in records):
                    numbers = [number for record, kinds in zip(records, compared)
                               for number in (_beside_compared(record), *(_compared(record, kind) for kind in kinds))]
                    rows.append([mechanism["label"], variant["label"], integrator["key"], f"{control['value']:g}",
                                 *numbers])
    return rows


def _without_constant(header, rows):
    """Leaves out the integrator and the control where all rows have the same."""
    kept = [place for place in range(len(header)) if place not in (2, 3) or len({row[place] for row in rows}) > 1]
    return [header[place] for place in kept], [[row[place] for place in kept] for row in rows]


def _declared_tables(study):
    """[[tables]] of the declaration; beside their numbers those that they are compared with."""
    definitions = []
    for table in study.tables:
        observers = [study.observer(quantity) for quantity in table["observers"]]
        compared = [study.compared_kinds(quantity) for quantity in table["observers"]]
        names = [name for observer, kinds in zip(observers, compared)
                 for name in (f"{observer['title']}{unit_text(observer)}", *(f"{kind}: {observer['title']}" for kind in kinds))]
        header = ["mechanism", "variant", "integrator", "tolerance or step [s]", *names]
        header, rows = _without_constant(header, _declared_rows(study, table, compared))
        definitions.append(TableDefinition(table["name"], table["title"], table["caption"], lambda _, h=header: h, lambda _, r=rows: r, digits=2,
                                           case=study.own_case(table["mechanisms"])))
    return definitions


def tables_of(study):
    """All tables, overview first."""
    if not study.integrators:
        definitions = _right_hand_side_tables(study)
        if rows := _right_hand_side_reasons(study):
            definitions.append(TableDefinition("reasons", "Refusals and failures", "Why there is no number.",
                                               lambda _: ["mechanism", "variant", "of", "state", "reason"], lambda _: rows))
        return definitions
    definitions = _beside_mechanisms(study, "runs", "Runs that reached their end",
                                     "Of all integrators and tolerances or steps; the reasons of the others stand below.",
                                     lambda mechanism, variant: _finished_text(study, mechanism, variant), study.run_mechanisms())
    definitions += _rankings(study) + _right_hand_side_tables(study)
    if _reason_rows(study):
        definitions.append(TableDefinition("reasons", "Refusals and failures", "Why there is no number.",
                                           lambda _: ["mechanism", "variant", "runs", "state", "reason"], lambda _: _reason_rows(study)))
    definitions += _declared_tables(study)
    for mechanism in study.mechanisms if not study.tables else []:
        header = ["variant", "integrator", "tolerance or step [s]",
                  *(f"{observer['title']}{unit_text(observer)}" for observer in _observer_columns(study, mechanism))]
        definitions.append(TableDefinition(f"numbers_{file_name(mechanism['label'])}", f"{mechanism['label']}: all numbers",
                                           f"0 to {plain(mechanism['end'], 4)} s.", lambda _, h=header: h,
                                           lambda _, m=mechanism: _number_rows(study, m), digits=3, case=mechanism["label"]))
    return definitions
