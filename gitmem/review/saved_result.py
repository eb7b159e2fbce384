"""Reading a value back from its JSON, without believing it: each field must have its type. Pure."""

from __future__ import annotations

import json
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

_Form = TypeVar("_Form")


def parse_saved_result(result_class: type[_Form], data: bytes) -> _Form:
    """Return a saved result: an instance of ``result_class``, a dataclass, from its JSON.

    Raises ValueError if ``data`` is not the JSON of one.
    """
    try:
        value: _Form = _value(result_class, json.loads(data))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def _value(form: Any, value: Any) -> Any:
    if get_origin(form) is UnionType:
        inner = next(part for part in get_args(form) if part is not NoneType)
        return None if value is None else _value(inner, value)
    if get_origin(form) is tuple:
        if isinstance(value, list):
            return tuple(_value(get_args(form)[0], item) for item in value)
    elif hasattr(form, "__match_args__"):
        if isinstance(value, dict):
            hints = get_type_hints(form)
            return form(**{name: _field(hints[name], value, name) for name in form.__match_args__})
    elif type(value) is form:
        return value
    raise ValueError(f"not of the type {form}")


def _field(form: Any, fields: dict[str, Any], name: str) -> Any:
    if name not in fields:
        raise ValueError(f"{name} is missing")
    return _value(form, fields[name])
