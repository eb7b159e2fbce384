"""PHP: types, members with visibility, promoted parameters, namespaces, uses and includes."""

from __future__ import annotations

from tests.support.syntax import hidden, outline, read


def test_a_namespace_with_a_body_ends_with_it() -> None:
    message = read("php", "a.php", "<?php\nnamespace A { class B {} }\nnamespace { class C {} }\n")
    assert outline(message) == ["namespace A", "class A.B", "class C"]


def test_several_names_in_one_declaration_stand_side_by_side() -> None:
    message = read("php", "a.php", "<?php\nclass A { private $b, $c; const D = 1, E = 2; }\n")
    assert outline(message)[1:] == ["property A.b", "property A.c", "constant A.D", "constant A.E"]
    assert hidden(message) == {"A.b", "A.c"}
