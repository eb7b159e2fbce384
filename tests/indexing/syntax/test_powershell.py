"""PowerShell: functions, filters, classes, suites of Pester; names without their scope."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
#Requires -Version 5.1
using namespace System.Collections
using module ./Shop.psm1
Import-Module Pester -MinimumVersion 5.0
Import-Module -Force -Name "Other"
. "$PSScriptRoot/helpers.ps1"
. ./other.ps1

# How many at most.
$script:Limit = 10
[int] $global:Seen = 0
${Handlers} = @{ Add = { 1 } }
$Handlers.Count = 2

<#
.SYNOPSIS
    Opens a cart.
.PARAMETER Name
    Whose it is.
#>
function Get-Cart {
    [CmdletBinding()]
    param (
        [Parameter(Mandatory)]
        [string] $Name
    )
    $local = 1
    function Inner($x) { $x }
    Write-Output (New-Cart $Name)
    $cart.Add([Line]::new($Name))
}

filter Select-Open { if ($_.Open) { $_ } }

function script:Set-Cart($Cart) {
    # Puts it back.
    Save-Cart $Cart
}

enum Color {
    Red
    Green = 2
}

# A cart.
class Cart : Base {
    [string] $Name
    hidden [int] $count = 0

    # Makes one.
    Cart([string] $name) {
        $this.Name = $name
    }

    [void] Add([Line] $line) {
        $this.count++
    }

    hidden [void] Check() { }
}

Describe "Get-Cart" {
    Context "empty" {
        It "is empty" { Get-Cart a | Should -Be 1 }
    }
}
"""


@cache
def sample() -> Parsed:
    return read("powershell", "Cart.psm1", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "variable Limit",
        "variable Seen",
        "variable Handlers",
        "function Get-Cart",
        "function Get-Cart.Inner",
        "function Select-Open",
        "function Set-Cart",
        "enum Color",
        "member Color.Red",
        "member Color.Green",
        "class Cart",
        "property Cart.Name",
        "property Cart.count",
        "constructor Cart.Cart",
        "method Cart.Add",
        "method Cart.Check",
        "section Get-Cart",
        "section Get-Cart.empty",
        "test Get-Cart.empty.is empty",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {
        "Cart.Check",
        "Cart.count",
        "Get-Cart.Inner",
        "Get-Cart",  # the suite
        "Get-Cart.empty",
        "Get-Cart.empty.is empty",
        "Handlers",
        "Limit",
        "Set-Cart",
    }
    (function,) = [
        one for one in sample().definitions if (one.kind, one.name) == ("function", "Get-Cart")
    ]
    assert function.exported


def test_a_comment_above_or_at_the_beginning_is_the_documentation() -> None:
    docs = {one.name: one.doc for one in sample().definitions if one.doc}
    assert docs == {
        "Limit": "How many at most.",
        "Get-Cart": "Opens a cart. Whose it is.",
        "Set-Cart": "Puts it back.",
        "Cart": "Makes one.",  # of the constructor, which has the name of its class
    }
    assert define(sample(), "Cart").doc == "A cart."


def test_a_block_inside_is_told_before_what_stands_above() -> None:
    said = read("powershell", "a.ps1", "# Old.\nfunction A {\n  <#\n  .SYNOPSIS\n  New.\n  #>\n}\n")
    assert define(said, "A").doc == "New."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Set-Cart").signature == "function script:Set-Cart($Cart)"
    assert define(sample(), "Cart").signature == "class Cart : Base"
    assert define(sample(), "Cart.Add").signature == "[void] Add([Line] $line)"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "Set-Cart") == (35, 38)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"Add", "Get-Cart", "New-Cart", "Save-Cart", "new"}
    assert uses(sample(), "inherit") == {"Base"}
    assert uses(sample(), "type") == {"Line"}
    assert uses(sample(), "decorator") == set()


def test_imports_name_their_modules_and_files() -> None:
    assert imports(sample()) == {
        "System.Collections": (),
        "./Shop.psm1": (),
        "Pester": (),
        "Other": (),
        "$PSScriptRoot/helpers.ps1": (),
        "./other.ps1": (),
    }


def test_words_of_the_language_are_read_in_any_case() -> None:
    said = read("powershell", "a.ps1", "FUNCTION Global:A { }\nDESCRIBE 'b' { it 'c' { } }\n")
    assert outline(said) == ["function A", "section b", "test b.c"]
    assert hidden(said) == {"b", "b.c"}


def test_values_of_functions_and_blocks_are_not_told() -> None:
    said = read("powershell", "a.ps1", "function A {\n  $b = 1\n}\nif ($c) { $d = 1 }\n$e.f = 1\n")
    assert outline(said) == ["function A"]


def test_a_call_of_the_base_class_is_no_method_of_that_name() -> None:
    """The grammar does not know it, and without parameters before it the constructor is lost."""
    with_one = "class A : B {\n  A($n) : base($n) {\n    $x = 1\n  }\n  C() { }\n}\n"
    with_none = "class A : B {\n  A() : base() {\n    $x = 1\n  }\n  C() { }\n}\n"
    said = [read("powershell", "a.ps1", source) for source in (with_one, with_none)]
    assert [one.errors for one in said] == [True, True]
    assert outline(said[0]) == ["class A", "constructor A.A", "method A.C"]
    assert outline(said[1]) == ["class A", "method A.C"]
