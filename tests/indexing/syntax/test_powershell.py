"""PowerShell: functions, filters, classes, suites of Pester; names without their scope."""

from __future__ import annotations

from tests.support.syntax import define, hidden, outline, read


def test_a_block_inside_is_reported_before_what_stands_above() -> None:
    message = read(
        "powershell", "a.ps1", "# Old.\nfunction A {\n  <#\n  .SYNOPSIS\n  New.\n  #>\n}\n"
    )
    assert define(message, "A").doc == "New."


def test_words_of_the_language_are_read_in_any_case() -> None:
    message = read("powershell", "a.ps1", "FUNCTION Global:A { }\nDESCRIBE 'b' { it 'c' { } }\n")
    assert outline(message) == ["function A", "section b", "test b.c"]
    assert hidden(message) == {"b", "b.c"}


def test_values_of_functions_and_blocks_are_not_reported() -> None:
    message = read(
        "powershell", "a.ps1", "function A {\n  $b = 1\n}\nif ($c) { $d = 1 }\n$e.f = 1\n"
    )
    assert outline(message) == ["function A"]


def test_a_call_of_the_base_class_is_no_method_of_that_name() -> None:
    """The grammar does not know it, and without parameters before it the constructor is lost."""
    with_one = "class A : B {\n  A($n) : base($n) {\n    $x = 1\n  }\n  C() { }\n}\n"
    with_none = "class A : B {\n  A() : base() {\n    $x = 1\n  }\n  C() { }\n}\n"
    messages = [read("powershell", "a.ps1", source) for source in (with_one, with_none)]
    assert [item.errors for item in messages] == [True, True]
    assert outline(messages[0]) == ["class A", "constructor A.A", "method A.C"]
    assert outline(messages[1]) == ["class A", "method A.C"]
