"""Paths and revisions that lead elsewhere, in every argument of every tool: no escape (S-19).

An escape is a marker of a file outside in what a tool answers or in the store, a file outside that
was changed, or a program that was run. What a person names on the command line (``gitmem export
FILE``) is theirs to choose and no argument of a tool.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import pytest

from gitmem import operations
from gitmem.operations.registry import RequestField, request_fields
from tests.reliability.hostile_repositories import CASES, SECRET, World, make_world
from tests.reliability.scoring import Score
from tests.support import every_verb
from tests.support.apps import Desk
from tests.support.git_states import seed_repository
from tests.support.repos import RepoBuilder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and paths of POSIX")
WAYS = (
    *("../", "../../../../../../", "./../", "src/../../", "src/./.././../", "..//..//", "....//"),
    *("..\\", "..\\..\\", "%2e%2e/", "..%2f", "%252e%252e/", "\u2025/", "\uff0e\uff0e/", "..;/"),
    *(
        "/",
        "//",
        "file://",
        "file:///",
        "\\\\?\\",
        "~/",
        "~root/",
        "$HOME/",
        "${PWD}/../",
        "`pwd`/",
    ),
    *(":/", ":(top)../", ":!", "-", "--", "--output=", "-O", "\0../", " ../", "../\n", "\ufeff../"),
    *("link.py/../", "src/link.py/", "docs/", "docs/../docs/", ".git/", ".gitmem/", "HEAD:../"),
)
ENDS = (
    "outside/secret.py",
    "secret.py",
    "@/outside/secret.py",
    "@/outside/secret.md:1-2",
    "@/out*/*",
)
# ``EVIL`` is the program that leaves a mark.
REVISIONS = (
    *("--output=EVIL", "-p", "--upload-pack=EVIL", "--exec=EVIL", "-OEVIL", "--no-index", "--help"),
    *("--ext-diff", "--textconv", "-c core.pager=EVIL", "-C/", "--git-dir=EVIL", "--work-tree=/"),
    *("HEAD:../outside/secret.py", "HEAD^{/x}", "@{u}", "@{-1}", ":/x", ":0:src/b.py", "^HEAD"),
    *(
        "HEAD..--output=EVIL",
        "--output=EVIL..HEAD",
        "HEAD...-p",
        "..",
        "...",
        "HEAD\n--output=EVIL",
    ),
    *("HEAD\0--output=EVIL", "$(EVIL)", "`EVIL`", "HEAD;EVIL", "HEAD|EVIL", "HEAD&&EVIL", "--"),
    *("refs/heads/../../config", "refs/../../outside", "FETCH_HEAD", "0" * 40, "HEAD~99999999"),
    *("HEAD^99999999999", "HEAD@{1.year.ago}", "HEAD@{now}", "main~1:", "*", "?", "%s%n"),
    *("--all", "--stdin", "--not", "--glob=*", "--no-walk", "\ud800", "ext::EVIL"),
    ":src/../../outside/secret.py",
)
AFTER = ("", "/", ":1-9")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository with links to what lies outside, and three memories."""
    repo = seed_repository(tmp_path_factory.mktemp("seed"))
    world = make_world(RepoBuilder(repo.path, init=False), tmp_path_factory.mktemp("traversal"))
    for case in ("linked code", "linked folder"):
        CASES[case](world)
    desk = Desk(world.repo.path, repo.home, GITMEM_MODEL="hashed", GITMEM_COPY_MODE="off")
    desk.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    desk.run("init", no_hooks=True)
    texts = ("The till is odd", "The cart is even", "This one is lost")
    saved = [desk.run("remember", text=text, duplicates="allow").id for text in texts]
    desk.env["IDS"] = " ".join(saved)
    return desk


def arguments(desk: Desk) -> Iterator[tuple[str, RequestField, dict[str, Any]]]:
    """Every argument of every tool that takes any text: verb, field, and the other arguments."""
    for name, values in every_verb.calls(desk.env["IDS"].split(), desk.place.parent / "out"):
        operation = operations.load_operation(name)
        for field in request_fields(operation.request_class) if operation.tool else ():
            if field.type is str and field.arg.mcp and not field.arg.choices:
                yield name, field, values


def payloads(world: World) -> list[str]:
    """Paths and revisions; ``@`` is the folder that everything lies in."""
    here = str(world.repo.path.parent)
    paths = [(way + end).replace("@", here) for way, end in itertools.product(WAYS, ENDS)]
    revisions = [revision.replace("EVIL", str(world.program)) for revision in REVISIONS]
    return [item + end for item in (*paths, *revisions) for end in AFTER]


def test_no_argument_of_a_tool_leads_out(desk: Desk, score: Score) -> None:
    above = desk.place.parent
    world = World(RepoBuilder(desk.place, init=False), above / "canary", above / "sang")
    places, every = [*arguments(desk)], payloads(world)
    count = score.size(quick=130, full=12 * len(every))
    before = {path: path.read_bytes() for path in world.outside.iterdir()}
    around = sorted(above.iterdir())
    refused = 0
    # Both tables over and over, so that an argument meets another payload each time.
    pairs = zip(itertools.cycle(places), itertools.cycle(every), strict=False)
    for (name, field, values), payload in itertools.islice(pairs, count):
        message = every_verb.told(
            desk, name, values | {field.name: (payload,) if field.many else payload}
        )
        refused += message.count("\n") == 1
        assert SECRET not in message, (name, field.name, payload)
        assert not world.sprung(), (name, field.name, payload)
    assert {path: path.read_bytes() for path in world.outside.iterdir()} == before
    assert sorted(above.iterdir()) == around
    for path in (desk.place / ".gitmem").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    numbers = {"kinds": len(every), "arguments": len(places)}
    score.report("payloads", cases=count, fired=count, refused=refused, **numbers)


def test_every_argument_of_a_tool_may_hold_what_is_no_text(desk: Desk, score: Score) -> None:
    """A NUL, half a surrogate, a byte of no UTF-8: refused or taken, never an internal error."""
    odd = ("a\udcffb", "a\0b", "\ud800")
    places = [*arguments(desk)]
    tried = [
        (place, odd[(number + more) % len(odd)])
        for number, place in enumerate(places)
        for more in range(score.size(quick=1, full=len(odd)))
    ]
    for (name, field, values), text in tried:
        try:
            every_verb.told(desk, name, values | {field.name: (text,) if field.many else text})
        except Exception as error:
            error.add_note(f"{name}, {field.name}: {text!r}")
            raise
    score.report("texts that are none", cases=len(tried), fired=len(tried))
