"""A frozen dataclass that costs next to nothing to define.

``dataclasses.dataclass`` compiles six methods for each class (0.7 ms of CPU) and imports
``inspect`` (11 ms): together a third of what `gitmem recall` cost. ``dataclass`` here makes an
equivalent class: frozen, with slots, compared, hashed and shown by its fields. Only ``__init__`` is
compiled, and only for the first instance, since a command imports many classes that it never uses.
The other methods are inherited. Type checkers see the standard decorator, and code that needs the
fields (``dataclasses.fields``, pydantic) gets real ones, made on first use.

Not supported, since nothing needs it: inheriting fields (what requests share is a type, see
``operations.shared_fields``), ``field(...)``, ``__post_init__``.
"""

from __future__ import annotations

__all__ = ["constant", "dataclass", "copy_fields", "replace"]

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, replace
    from dataclasses import dataclass as constant
    from typing import Any, TypeVar

    T = TypeVar("T")
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """A copy of a value, with the given fields changed."""
        fields = {name: getattr(value, name) for name in value.__slots__}
        return type(value)(**fields | changes)


def copy_fields(target_class: type[T], source: Any, /, **overrides: Any) -> T:
    """Return an instance of ``target_class`` with the field values of another object.

    Each field comes from ``overrides``, else from ``source``, else the default. Raises TypeError
    where a field has none of these.
    """
    names = target_class.__match_args__  # type: ignore[attr-defined]
    same = {name: getattr(source, name) for name in names if hasattr(source, name)}
    return target_class(**same | overrides)


def _made(initialiser: Callable[..., Any], plain: type, /, *, frozen: bool, slots: bool) -> type:
    if not (frozen and slots):
        raise TypeError("only frozen values with slots are made here")
    names = tuple(plain.__annotations__)
    excluded = (*names, "__dict__", "__weakref__")
    inside = {name: item for name, item in plain.__dict__.items() if name not in excluded}
    defaults = {name: plain.__dict__[name] for name in names if name in plain.__dict__}
    inside |= {
        "__init__": initialiser(names, defaults),
        "__slots__": names,
        "__match_args__": names,
        "__qualname__": plain.__qualname__,
        "__dataclass_fields__": _Standard("__dataclass_fields__", defaults),
        "__dataclass_params__": _Standard("__dataclass_params__", defaults),
    }
    return type(plain.__name__, (_Value,), inside)


class _Value:
    """The methods of all values, inherited instead of compiled for each class."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        return _items(self) == _items(other)

    def __hash__(self) -> int:
        return hash(_items(self))

    def __repr__(self) -> str:
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__slots__])
        return f"{type(self).__qualname__}({shown})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), _items(self)

    def __setattr__(self, name: str, _value: object) -> None:
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 - only for a mistake

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 - only for a mistake

        raise FrozenInstanceError(f"cannot delete field {name!r}")


def _items(value: Any) -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in value.__slots__])


class _CompiledWhenUsed:
    """The ``__init__`` of a class, compiled when it is first called or read (0.1 ms)."""

    def __init__(self, names: tuple[str, ...], defaults: dict[str, object]) -> None:
        self.names = names
        self.defaults = defaults

    def __get__(self, value: object, owner: type) -> Any:
        compiled = _initialiser(self.names, self.defaults, owner)
        # Two threads may both get here; either function will do.
        setattr(owner, "__init__", compiled)  # noqa: B010 - a type checker forbids the assignment
        return compiled if value is None else compiled.__get__(value, owner)


def _initialiser(
    names: tuple[str, ...], defaults: dict[str, object], owner: type
) -> Callable[..., None]:
    head = ", ".join(f"{name}=_of[{name!r}]" if name in defaults else name for name in names)
    # A slot's own setter takes two thirds of the time of `object.__setattr__`.
    body = "\n ".join(f"_set_{name}(self, {name})" for name in names)
    scope: dict[str, Any] = {f"_set_{name}": getattr(owner, name).__set__ for name in names}
    scope["_of"] = defaults
    exec(f"def __init__(self{', ' * bool(head)}{head}):\n {body or 'pass'}", scope)
    initialiser: Callable[..., None] = scope["__init__"]
    return initialiser


def _general_initialiser(
    names: tuple[str, ...], defaults: dict[str, object]
) -> Callable[..., None]:
    """An initialiser for any fields: 20 times slower at each call, but never compiled."""

    def __init__(self: object, *given: object, **named: object) -> None:  # noqa: N807
        arguments = dict(zip(names, given, strict=False)) | named
        values = defaults | arguments
        if len(arguments) < len(given) + len(named) or values.keys() != set(names):
            raise TypeError(f"{type(self).__qualname__} has the fields {', '.join(names)}")
        for name, value in values.items():
            object.__setattr__(self, name, value)

    return __init__


class _Standard:
    """An attribute that ``dataclasses`` adds to a class, made when it is first read."""

    def __init__(self, name: str, defaults: dict[str, object]) -> None:
        self.name = name
        self.defaults = defaults

    def __get__(self, _value: object, owner: type) -> Any:
        import dataclasses  # noqa: PLC0415 - the cost that this module is there to avoid

        inside = {"__annotations__": owner.__annotations__, "__module__": owner.__module__}
        twin = type(owner.__name__, (), inside | self.defaults)
        method = getattr(dataclasses.dataclass(frozen=True)(twin), self.name)
        setattr(owner, self.name, method)
        return method


if not TYPE_CHECKING:
    try:
        # What functools has it from, which takes a quarter of a bare start to import.
        from _functools import partial
    except ImportError:
        from functools import partial

    # As ``dataclasses.dataclass(frozen=True, slots=True)``; both have to be given.
    dataclass = partial(partial, _made, _CompiledWhenUsed)
    # The same for classes with an instance or none in a process: never compiled.
    constant = partial(partial, _made, _general_initialiser)
