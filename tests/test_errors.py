"""The family of errors and the table of exit statuses belong together."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem import errors
from gitmem.errors import EXIT_STATUS, INTERRUPTED, PARTIAL, GitmemError
from tests.support.tables import table


def family(root: type[GitmemError] = GitmemError) -> Iterator[type[GitmemError]]:
    yield root
    for child in root.__subclasses__():
        yield from family(child)


def test_every_class_has_an_exit_status_and_every_status_a_class() -> None:
    assert {item.code for item in family() if item.__module__ == errors.__name__} == set(
        EXIT_STATUS
    )


def test_no_error_looks_like_success_a_partial_result_or_an_interrupt() -> None:
    assert not {0, PARTIAL, INTERRUPTED} & set(EXIT_STATUS.values())


def test_each_class_but_the_bug_has_a_code_of_its_own() -> None:
    # A class of one package may share the code of its parent.
    here = [item for item in family() if item.__module__ == errors.__name__]
    codes = [item.code for item in here if item.code != "internal"]
    assert len(codes) == len(set(codes))


@table("kind", [item for item in family() if item.__module__ == errors.__name__])
def test_an_error_is_a_message_a_hint_and_a_code(kind: type[GitmemError]) -> None:
    error = kind("It broke.", "Mend it.")
    assert str(error) == error.message == "It broke."
    assert error.as_json_object() == {"code": kind.code, "message": "It broke.", "hint": "Mend it."}
    assert kind("It broke.").hint == ""
