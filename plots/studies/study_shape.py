"""The form of study.json: a file that was changed, or is somebody else's, is refused with the place that is wrong."""
from reading.input_error import InputError

_NUMBER = (int, float)
_ONE_OR_MORE = (int, float, list)
_PLACES = [int]  # indices, which `_places` looks at once more
# What each field must be: a type, a list of one form, a dictionary of forms, or {None: form} for any keys.
_OBSERVER = {"quantity": str, "title": str, "unit": str, "meaning": str}
_SHAPE = {
    "title": str,
    "mechanisms": [{"label": str, "mechanism": str}],
    "variants": [{"label": str, "formulation": str}],
    "integrators": [{"key": str, "adaptive": bool}],
    "controls": [{"kind": str, "value": _NUMBER}],
    "observers": [_OBSERVER],
    "rankings": [{"error": str, "at": _ONE_OR_MORE, "work": [str]}],
    "settings": dict,
}
# Of older programs some are missing.
_OPTIONAL = {
    "quick": bool,
    "inputs": {"engines": [{"name": str, "failure": str}]},
    "mechanisms": [{"drawing": str, "end": _NUMBER, "parameters": str, "timed": bool, "variants": _PLACES, "integrators": _PLACES, "controls": _PLACES,
                    "own_controls": {None: _PLACES}, "bodies": int, "coordinates": int, "constraints": int, "cut_joints": int}],
    "variants": [{"engine": str, "state": str, "sequential": bool}],
    "observers": [{"name": str, "timed": bool, "signed": bool, "of_right_hand_side": bool}],
    "curves": [_OBSERVER],
    "figures": [{"name": str, "title": str, "curves": [str], "mechanisms": _PLACES, "variants": _PLACES, "integrator": int, "control": int,
                 "lowest": _NUMBER, "against_control": bool, "abscissa": str, "families": [{"label": str, "integrators": _PLACES}], "files": [[str]]}],
    "tables": [{"name": str, "title": str, "caption": str, "observers": [str], "mechanisms": _PLACES, "variants": _PLACES}],
    "settings": {"max_evaluations": _NUMBER, "baseline": str, "samples": int, "repetitions": int},
}
_WORDS = {str: "a text", bool: "true or false", int: "a whole number", dict: "an object", _NUMBER: "a number", _ONE_OR_MORE: "a number, or a list of them"}


def _wrong(value, form, place, required):
    """What is wrong, in words; None where nothing is."""
    if isinstance(form, list):
        if not isinstance(value, list):
            return f"{place} must be a list"
        return next(filter(None, (_wrong(entry, form[0], f"{place}[{at}]", required) for at, entry in enumerate(value))), None)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return f"{place or 'it'} must be an object"
        forms = {key: form.get(None) for key in value} if None in form else form
        for key, inner in forms.items():
            if key in value:
                if wrong := _wrong(value[key], inner, f"{place}.{key}" if place else key, required):
                    return wrong
            elif required:
                return f"'{place}.{key}' is missing" if place else f"'{key}' is missing"
        return None
    fits = isinstance(value, form) and not (isinstance(value, bool) and form is not bool)
    return None if fits else f"{place} must be {_WORDS[form]}"


def _places(declaration):
    """(place, index, list it points into) of every index."""
    for at, mechanism in enumerate(declaration["mechanisms"]):
        for key in ("variants", "integrators", "controls"):
            for index in mechanism.get(key, []):
                yield f"mechanisms[{at}].{key}", index, key
        for integrator, indices in mechanism.get("own_controls", {}).items():
            for index in indices:
                yield f"mechanisms[{at}].own_controls.{integrator}", index, "controls"
    for name in ("figures", "tables"):
        for at, one in enumerate(declaration.get(name, [])):
            for key in ("mechanisms", "variants"):
                for index in one.get(key, []):
                    yield f"{name}[{at}].{key}", index, key
            for family in one.get("families", []):
                for index in family.get("integrators", []):
                    yield f"{name}[{at}].families", index, "integrators"
            for key, many in (("integrator", "integrators"), ("control", "controls")):
                if key in one and one.get("files"):
                    yield f"{name}[{at}].{key}", one[key], many


def _unknown_quantity(declaration):
    """A ranking's quantity that no observer has; None where there is none."""
    known = {observer["quantity"] for observer in declaration["observers"]}
    return next((name for ranking in declaration["rankings"] for name in (ranking["error"], *ranking["work"]) if name not in known), None)


def require_kinds(file, declaration, complete=False):
    """Raises InputError for a field of another kind than 'mbdbench study' writes, and where one is missing that must be there."""
    for form, required in ((_SHAPE, complete), (_OPTIONAL, False)):
        if wrong := _wrong(declaration, form, "", required):
            raise InputError(file, f"not what 'mbdbench study' writes: {wrong}", 1)


def require_shape(file, declaration):
    """Raises InputError for what is no declaration that 'mbdbench study' writes."""
    require_kinds(file, declaration, True)
    for place, index, name in _places(declaration):
        if not 0 <= index < len(declaration[name]):
            raise InputError(file, f"not what 'mbdbench study' writes: {place} names {index}, and there are {len(declaration[name])} {name}", 1)
    if (name := _unknown_quantity(declaration)) is not None:
        raise InputError(file, f"not what 'mbdbench study' writes: a ranking is by '{name}', which nothing observes", 1)
