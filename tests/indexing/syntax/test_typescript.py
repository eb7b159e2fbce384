"""TypeScript: types, members with types, namespaces; components in .tsx."""

from __future__ import annotations

from tests.support.syntax import outline, read, uses


def test_components_of_tsx_are_functions_and_their_use_is_a_call() -> None:
    source = "export const Button = ({ label }: Props) => <Icon name={label}><b /></Icon>;\n"
    result = read("typescript", "button.tsx", source)
    assert not result.errors
    assert outline(result) == ["function Button"]
    assert uses(result, "call") == {"Icon"}
    assert uses(result, "type") == {"Props"}


def test_calls_are_reported_on_what_long_and_typed_calls_give() -> None:
    fields = ", ".join(f"field{number}: z.string()" for number in range(30))
    result = read(
        "typescript",
        "a.ts",
        "const t = init.context<{ foo: 'foo'; run: (x: A<B>) => void }>().create();\n"
        f"t.procedure.input(z.object({{ {fields} }})).query(run);\n"
        "if (a < b && c > (d).e()) {}\nconst g = (x) => (y).f();\n",
    )
    output = {(line, name): on for line, kind, on, name, _ in result.uses if kind == "call"}
    assert output[1, "create"] == "init.context()"
    assert output[2, "query"] == "t.procedure.input()"
    assert output[3, "e"] == output[4, "f"] == "?"
