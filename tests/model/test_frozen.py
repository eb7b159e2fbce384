"""Our frozen values against the standard ones: whoever uses one sees no difference."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from gitmem.model.frozen import constant, copy_fields, dataclass, replace


@dataclass(frozen=True, slots=True)
class Ours:
    """A value."""

    name: str
    size: Annotated[int, "bytes"] = 0
    tags: tuple[str, ...] = ()

    @property
    def double(self) -> int:
        """Twice the size."""
        return 2 * self.size


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """A value."""

    name: str
    size: Annotated[int, "bytes"] = 0
    tags: tuple[str, ...] = ()


VALUES = st.tuples(st.text(), st.integers(), st.lists(st.text()).map(tuple))


@given(VALUES, VALUES)
def test_equality_and_hash_are_those_of_a_dataclass(
    one: tuple[Any, ...], other: tuple[Any, ...]
) -> None:
    assert (Ours(*one) == Ours(*other)) == (Standard(*one) == Standard(*other))
    assert hash(Ours(*one)) == hash(Standard(*one))


@given(VALUES)
def test_a_value_shows_itself_like_a_dataclass(values: tuple[Any, ...]) -> None:
    assert repr(Ours(*values)) == repr(Standard(*values)).replace("Standard", "Ours", 1)


@given(VALUES)
def test_a_copied_pickled_or_rebuilt_value_is_equal(values: tuple[Any, ...]) -> None:
    value = Ours(*values)
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
    assert Ours(**dataclasses.asdict(value)) == value


@given(VALUES, st.integers())
def test_replacing_a_field_is_the_same_in_both_ways(values: tuple[Any, ...], size: int) -> None:
    value = Ours(*values)
    assert replace(value, size=size) == dataclasses.replace(value, size=size)
    assert replace(value, size=size).size == size


def test_values_of_other_classes_are_not_equal() -> None:
    assert Ours("a") != Standard("a")
    assert Ours("a") != ("a", 0, ())


def test_a_field_can_be_neither_changed_nor_added_nor_deleted() -> None:
    value: Any = Ours("a")
    for change in (
        lambda: setattr(value, "name", "b"),
        lambda: setattr(value, "other", 1),
        lambda: delattr(value, "name"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert value == Ours("a")


def test_a_missing_or_unknown_field_is_a_type_error() -> None:
    broken: Any = Ours
    with pytest.raises(TypeError, match="name"):
        broken()
    with pytest.raises(TypeError, match="colour"):
        broken("a", colour="red")
    with pytest.raises(TypeError, match="colour"):
        replace(Ours("a"), colour="red")  # type: ignore[call-arg]


def test_the_standard_library_sees_a_dataclass() -> None:
    assert dataclasses.is_dataclass(Ours)
    ours, standard = dataclasses.fields(Ours), dataclasses.fields(Standard)
    observed = [(our.name, our.type, our.default) for our in ours]
    assert observed == [(item.name, item.type, item.default) for item in standard]
    names = list(inspect.signature(Ours).parameters)
    assert names == list(inspect.signature(Standard).parameters)


def test_pydantic_reads_and_describes_it_like_a_dataclass() -> None:
    ours, standard = TypeAdapter(Ours), TypeAdapter(Standard)
    assert ours.validate_python({"name": "a", "size": "3"}) == Ours("a", 3)
    described = {**standard.json_schema(), "title": "Ours"}
    assert ours.json_schema() == described


def test_patterns_and_properties_work() -> None:
    match Ours("a", 2):
        case Ours(name, size):
            assert (name, size) == ("a", 2)
    assert Ours("a", 2).double == 4
    assert Ours.__doc__ == "A value."


def test_only_frozen_values_with_slots_are_made() -> None:
    with pytest.raises(TypeError, match="frozen"):
        dataclass(frozen=False, slots=True)(Ours)
    with pytest.raises(TypeError):
        dataclass(frozen=True)(Ours)  # type: ignore[call-overload]


@constant(frozen=True, slots=True)
class Constant:
    """A value."""

    name: str
    size: Annotated[int, "bytes"] = 0
    tags: tuple[str, ...] = ()


@given(VALUES)
def test_a_constant_is_the_same_without_a_compiled_initialiser(values: tuple[Any, ...]) -> None:
    result, other = Constant(*values), Constant(values[0], tags=values[2], size=values[1])
    assert result == other and hash(result) == hash(Ours(*values))
    assert repr(result) == repr(Ours(*values)).replace("Ours", "Constant", 1)
    assert pickle.loads(pickle.dumps(result)) == result
    assert replace(result, size=7) == Constant(values[0], 7, values[2])
    assert Constant("a") == Constant(name="a", size=0, tags=())
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.size = 1  # type: ignore[misc]


def test_a_constant_takes_each_field_once_and_no_other() -> None:
    for given_, named in (
        ((), {}),
        ((), {"size": 1}),
        (("a",), {"name": "b"}),
        (("a",), {"colour": "red"}),
        (("a", 1, (), 2), {}),
    ):
        with pytest.raises(TypeError):
            Constant(*given_, **named)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        constant(frozen=True, slots=False)(Ours)


def test_an_initialiser_is_compiled_when_it_is_first_needed() -> None:
    """A command imports the classes of many values that it never makes."""

    @dataclass(frozen=True, slots=True)
    class Made:
        name: str
        size: int = 3

    @dataclass(frozen=True, slots=True)
    class Shown:
        name: str
        size: int = 3

    assert not inspect.isfunction(Made.__dict__["__init__"])
    assert Made("a").size == 3 and Made(size=4, name="b") == Made("b", 4)
    assert inspect.isfunction(Made.__dict__["__init__"])
    assert list(inspect.signature(Shown).parameters) == ["name", "size"]
    assert Shown("c") == Shown("c", 3)


def test_a_value_of_another_form_has_what_is_given_then_what_is_alike_then_its_defaults() -> None:
    @dataclass(frozen=True, slots=True)
    class Shown:
        name: str
        double: int
        where: str
        tags: tuple[str, ...] = ("none",)
        note: str = "-"

    made = copy_fields(Shown, Ours("a", 2, ("x",)), where="here")
    assert (made.name, made.double, made.where, made.tags, made.note) == (
        "a",
        4,
        "here",
        ("x",),
        "-",
    )
    assert copy_fields(Shown, Ours("a"), where="here", name="b").name == "b"
    with pytest.raises(TypeError, match="where"):
        copy_fields(Shown, Ours("a"))
