"""Definitions of languages without a grammar, by patterns of lines (CF-35)."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from gitmem.indexing import chunkers
from gitmem.indexing.syntax import extract
from gitmem.languages.index import PATTERNED
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

SOURCES = {
    "dart": """\
library counter;

import 'package:a/base.dart';

/* class InComment {
} */
/// Counts.
abstract class Counter<T> extends Base {
  Counter(this.x) : super(1);

  final int x;
  static const limit = 3;

  int get value => x;

  @override
  Future<void> add(
    int a, {
    required String b,
  }) async {
    foo(a);
    if (a > 1) {
      bar();
    }
  }

  Map<String, List<int>> make() => {
        'a': [1],
      };
}

mixin Named on Counter {}
enum Color { red, green }
typedef Callback = void Function(int);

void main() {
  run(1);
}
""",
    "r": """\
library(R6)

# Adds two numbers.
add <- function(x,
                y = 1) {
  inner <- function(z) z
  x + y
}

`my name` <- function(x) x
Stack <- R6Class("Stack",
  public = list(
    push = function(x) {
      self$items <- c(self$items, x)
    }
  )
)
""",
    "perl": """\
package Shop::Cart;
use Mojo::Base -base;
use constant LIMIT => 20;

has items => sub { [] };

=head1 METHODS

  sub in_documentation { }

=cut

# Adds an item.
sub add ($self, $item) {
  my $text = <<'END';
at the margin
END
  return push @{$self->items}, $item;
}

package Shop::Till;

sub open { 1 }

__END__
sub behind_the_end { }
""",
    "ocaml": """\
open Stdune

(* let in_comment = 1
   let b = 2 *)
module Cart : sig
  type t
end = struct
  type t =
    | Empty
    | Full of int

  let rec add t item =
    let local = 1 in
    match t with
    | Empty -> local
    | Full n -> n + item
  and remove t = t
end

exception Broken of string
val find : t -> int -> string
let limit = 20
let total ~of_ (items : int list) =
  List.fold_left ( + ) 0 items
""",
}
# kind, name, container, first and last line.
EXPECTED = {
    "dart": [
        ("class", "Counter", "", 8, 30),
        ("constructor", "Counter", "Counter", 9, 9),
        ("field", "x", "Counter", 11, 11),
        ("constant", "limit", "Counter", 12, 12),
        ("method", "value", "Counter", 14, 14),
        ("method", "add", "Counter", 17, 25),
        ("method", "make", "Counter", 27, 29),
        ("mixin", "Named", "", 32, 32),
        ("enum", "Color", "", 33, 33),
        ("type", "Callback", "", 34, 34),
        ("function", "main", "", 36, 38),
    ],
    "r": [
        ("function", "add", "", 4, 8),
        ("function", "my name", "", 10, 10),
        ("class", "Stack", "", 11, 17),
        ("method", "push", "Stack", 13, 15),
    ],
    "perl": [
        ("module", "Shop::Cart", "", 1, 19),
        ("constant", "LIMIT", "Shop::Cart", 3, 3),
        ("property", "items", "Shop::Cart", 5, 5),
        ("function", "add", "Shop::Cart", 14, 19),
        ("module", "Shop::Till", "", 21, 23),
        ("function", "open", "Shop::Till", 23, 23),
    ],
    "ocaml": [
        ("module", "Cart", "", 5, 18),
        ("type", "t", "Cart", 6, 6),
        ("type", "t", "Cart", 8, 10),
        ("function", "add", "Cart", 12, 16),
        ("function", "remove", "Cart", 17, 17),
        ("type", "Broken", "", 20, 20),
        ("function", "find", "", 21, 21),
        ("constant", "limit", "", 22, 22),
        ("function", "total", "", 23, 24),
    ],
}
IMPORTS = {
    "dart": ["package:a/base.dart"],
    "r": ["R6"],
    "perl": ["Mojo::Base"],
    "ocaml": ["Stdune"],
}
PATHS = {"dart": "a.dart", "r": "a.R", "perl": "a.pm", "ocaml": "a.ml"}


def test_every_language_with_patterns_is_tried_here() -> None:
    assert {*SOURCES} == PATTERNED


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_definitions_with_their_lines(language: str) -> None:
    parsed = extract.parse_source_file(language, PATHS[language], SOURCES[language].encode())
    assert parsed is not None
    messages = [(d.kind, d.name, d.container, d.start_line, d.end_line) for d in parsed.definitions]
    assert messages == EXPECTED[language]
    assert [statement.module for statement in parsed.imports] == IMPORTS[language]


@pytest.mark.parametrize(
    ("language", "name", "signature", "doc"),
    [
        ("dart", "Counter", "abstract class Counter<T> extends Base", "Counts."),
        ("r", "add", "add <- function(x", "Adds two numbers."),
        ("perl", "add", "sub add ($self, $item)", "Adds an item."),
        ("ocaml", "total", "let total ~of_ (items : int list)", ""),
    ],
)
def test_signature_and_comment(language: str, name: str, signature: str, doc: str) -> None:
    parsed = extract.parse_source_file(language, PATHS[language], SOURCES[language].encode())
    assert parsed is not None
    found = next(
        each for each in parsed.definitions if each.name == name and each.kind != "constructor"
    )
    assert (found.signature, found.doc) == (signature, doc)


@pytest.mark.parametrize(
    "text", ["(*", "/*", "=pod\n", "class A {\n", "package A {\n", "let f x =\n ", "'''", "\0"]
)
@pytest.mark.parametrize("language", sorted(SOURCES))
def test_nonsense_is_read_in_time(language: str, text: str) -> None:
    data = (text * (300_000 // len(text))).encode()
    began = process_time()
    extract.parse_source_file(language, PATHS[language], data)
    assert process_time() - began < 10


def test_what_follows_something_too_deep_is_read() -> None:
    deep = [f"{'  ' * level}package P{level} {{" for level in range(60)]
    shut = [f"{'  ' * level}}}" for level in reversed(range(60))]
    parsed = extract.parse_source_file(
        "perl", "a.pl", "\n".join([*deep, *shut, "sub late { 1 }"]).encode()
    )
    assert parsed is not None
    assert parsed.definitions[-1].name == "late"
    assert 30 < len(parsed.definitions) < 60


def test_other_files_are_cut_as_before() -> None:
    assert (
        chunkers.split_method_of_chunker(chunkers.chunker_name_of_path("a.vim", 200, 40)) == "lines"
    )
    assert (
        chunkers.split_method_of_chunker(chunkers.chunker_name_of_path("a.dart", 200, 40))
        == "syntax"
    )


def test_a_name_is_found_and_reported_as_less_sure(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("All", {f"lib/{PATHS[name]}": text for name, text in SOURCES.items()})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    (found,) = desk.run("search", query="make", mode="symbol").hits
    assert (found.path, found.language, found.definition.kind) == ("lib/a.dart", "dart", "method")
    assert found.why == ("exact name", "read without a grammar")
    assert found.score < 1
    (piece,) = desk.run("search", query="self items push", sources=("code",), lang=("r",)).hits
    assert piece.definition.name in ("Stack", "push")
