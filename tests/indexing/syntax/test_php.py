"""PHP: types, members with visibility, promoted parameters, namespaces, uses and includes."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = r"""<?php
namespace App\Models;

use App\Store\Disk;
use App\Events\{Saved, Deleted as Gone};
require_once 'helpers.php';

const LIMIT = 10;

/**
 * A person who may log in.
 */
#[Entity(table: 'users')]
final class User extends Model implements Jsonable
{
    use Notifies;

    public const ACTIVE = 'active';
    private ?string $name = null;

    public function __construct(private readonly int $age) {}

    // Whether it may.
    public function may(Action $what): ?Reason
    {
        $this->check($what);
        Disk::open('x');
        return new Reason(sprintf('%s', $what?->label()));
    }

    protected static function check(Action $what): void {}
}

interface Jsonable { public function toJson(): string; }
trait Notifies { function notify() {} }
enum Suit: string { case Hearts = 'h'; }

function user_of(int $id): User { return User::find($id); }
"""


@cache
def sample() -> Parsed:
    return read("php", "User.php", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "namespace App\\Models",
        "constant App\\Models.LIMIT",
        "class App\\Models.User",
        "constant App\\Models.User.ACTIVE",
        "property App\\Models.User.name",
        "constructor App\\Models.User.__construct",
        "property App\\Models.User.__construct.age",
        "method App\\Models.User.may",
        "method App\\Models.User.check",
        "interface App\\Models.Jsonable",
        "method App\\Models.Jsonable.toJson",
        "trait App\\Models.Notifies",
        "method App\\Models.Notifies.notify",
        "enum App\\Models.Suit",
        "member App\\Models.Suit.Hearts",
        "function App\\Models.user_of",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {
        "App\\Models.User.__construct.age",
        "App\\Models.User.check",
        "App\\Models.User.name",
    }


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "App\\Models.User").doc == "A person who may log in."
    assert define(sample(), "App\\Models.User.may").doc == "Whether it may."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "App\\Models.User").signature == (
        "final class User extends Model implements Jsonable"
    )
    assert define(sample(), "App\\Models.User.may").signature == (
        "public function may(Action $what): ?Reason"
    )


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "App\\Models.User") == (13, 32)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"check", "find", "label", "open", "sprintf"}
    assert uses(sample(), "type") == {"Action", "Disk", "Reason", "User"}
    assert uses(sample(), "inherit") == {"Jsonable", "Model", "Notifies"}
    assert uses(sample(), "decorator") == {"Entity"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {
        "App\\Store\\Disk": (),
        "App\\Events": (
            "Saved",
            "Deleted",
        ),
        "helpers.php": (),
    }


def test_a_namespace_with_a_body_ends_with_it() -> None:
    said = read("php", "a.php", "<?php\nnamespace A { class B {} }\nnamespace { class C {} }\n")
    assert outline(said) == ["namespace A", "class A.B", "class C"]


def test_several_names_in_one_declaration_stand_side_by_side() -> None:
    said = read("php", "a.php", "<?php\nclass A { private $b, $c; const D = 1, E = 2; }\n")
    assert outline(said)[1:] == ["property A.b", "property A.c", "constant A.D", "constant A.E"]
    assert hidden(said) == {"A.b", "A.c"}
