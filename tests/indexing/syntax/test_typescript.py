"""TypeScript: types, members with types, namespaces; components in .tsx."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
import type { A } from './a';
import x = require("legacy");

/** Sells. */
export abstract class Shop<T> extends Base<T> implements Open, ns.Close {
  private readonly price: number = 1;
  constructor(private clock: Clock, public name: string) { super(); }
  @log({ level: 1 })
  public sell(thing: Thing): Promise<Receipt> { return pay<Thing>(thing); }
  protected abstract close(): void;
}
export interface Open extends Door { hours: Hours; knock(loud?: boolean): void; }
export type Id = string | Brand<number>;
export enum Color { Red, Green = 'g' }
namespace Inner { export function help() {} export const deep = 1; }
declare module "other" { export function far(): void; }
declare const VERSION: string;
function overload(a: string): void;
function overload(a: any) {}
const local = <T,>(x: T): x is T => true;
"""


@cache
def sample() -> Parsed:
    return read("typescript", "shop.ts", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "class Shop",
        "field Shop.price",
        "constructor Shop.constructor",
        "field Shop.constructor.clock",
        "field Shop.constructor.name",
        "method Shop.sell",
        "method Shop.close",
        "interface Open",
        "property Open.hours",
        "method Open.knock",
        "type Id",
        "enum Color",
        "constant Color.Red",
        "constant Color.Green",
        "namespace Inner",
        "function Inner.help",
        "constant Inner.deep",
        "module other",
        "function other.far",
        "constant VERSION",
        "function overload",
        "function overload",
        "function local",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "Inner",
        "Shop.close",
        "Shop.constructor.clock",
        "Shop.constructor.name",
        "Shop.price",
        "VERSION",
        "local",
        "other",
        "overload",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "Shop").doc == "Sells."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert (
        define(sample(), "Shop").signature
        == "abstract class Shop<T> extends Base<T> implements Open, ns.Close"
    )
    assert define(sample(), "Shop.sell").signature == "public sell(thing: Thing): Promise<Receipt>"
    assert define(sample(), "Id").signature == "type Id = string | Brand<number>"


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "Shop") == (5, 11)
    assert lines(sample(), "Shop.sell") == (8, 9)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"log", "pay"}
    assert uses(sample(), "type") == {"Brand", "Clock", "Hours", "Promise", "Receipt", "Thing"}
    assert uses(sample(), "inherit") == {"Base", "Close", "Door", "Open"}
    assert uses(sample(), "decorator") == {"log"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "./a": ("A",),
        "legacy": (),
    }


def test_components_of_tsx_are_functions_and_their_use_is_a_call() -> None:
    source = "export const Button = ({ label }: Props) => <Icon name={label}><b /></Icon>;\n"
    said = read("typescript", "button.tsx", source)
    assert not said.errors
    assert outline(said) == ["function Button"]
    assert uses(said, "call") == {"Icon"}
    assert uses(said, "type") == {"Props"}


def test_calls_are_told_on_what_long_and_typed_calls_give() -> None:
    fields = ", ".join(f"field{number}: z.string()" for number in range(30))
    said = read(
        "typescript",
        "a.ts",
        "const t = init.context<{ foo: 'foo'; run: (x: A<B>) => void }>().create();\n"
        f"t.procedure.input(z.object({{ {fields} }})).query(run);\n"
        "if (a < b && c > (d).e()) {}\nconst g = (x) => (y).f();\n",
    )
    told = {(line, name): on for line, kind, on, name, _ in said.uses if kind == "call"}
    assert told[1, "create"] == "init.context()"
    assert told[2, "query"] == "t.procedure.input()"
    assert told[3, "e"] == told[4, "f"] == "?"
